// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/fleet"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

var _ datasource.DataSource = (*fleetDataSource)(nil)

// fleetDataSource shares one address space between many sites.
type fleetDataSource struct{}

// fleetModelV0 is the data source cidrplan_fleet. There may be thousands of
// sites, and nested objects are what costs in Terraform, so all that grows with
// them is a map of strings or a text.
type fleetModelV0 struct {
	Name           types.String `tfsdk:"name"`
	AddressSpace   types.List   `tfsdk:"address_space"`
	SharedSpace    types.List   `tfsdk:"shared_space"`
	Reserved       types.Map    `tfsdk:"reserved"`
	Sites          types.Map    `tfsdk:"sites"`
	Blocks         types.Map    `tfsdk:"blocks"`
	SharedNetworks types.Map    `tfsdk:"shared_networks"`
	ConnectedBy    types.List   `tfsdk:"connected_by"`
	Growth         types.Int64  `tfsdk:"growth"`
	PlanSites      types.Bool   `tfsdk:"plan_sites"`
	LockFile       types.String `tfsdk:"lock_file"`
	Lock           types.String `tfsdk:"lock"`

	Plan       types.String `tfsdk:"plan"`
	Digest     types.String `tfsdk:"digest"`
	IPv4Blocks types.Map    `tfsdk:"ipv4_blocks"`
	IPv6Blocks types.Map    `tfsdk:"ipv6_blocks"`
	Networks   types.String `tfsdk:"networks"`
}

// NewFleetDataSource returns the data source cidrplan_fleet.
func NewFleetDataSource() datasource.DataSource { return &fleetDataSource{} }

// Metadata names the data source.
func (d *fleetDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_fleet"
}

// Schema describes the fleet.
func (d *fleetDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	connections := "`" + strings.Join(connectionNames(), "`, `") + "`"
	resp.Schema = schema.Schema{
		MarkdownDescription: "Shares one address space between many sites: a block for each, sized from its declaration, disjoint from all others, and stable through a lock file. What must differ between sites is proven in the same read.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true,
				MarkdownDescription: "Name of the fleet. It keeps lock files apart and decides the places of the blocks."},
			"address_space": schema.ListAttribute{Required: true, ElementType: types.StringType,
				MarkdownDescription: "Prefixes that the blocks are cut from, the preferred one first. Each site gets a block of every family in it."},
			"shared_space": schema.ListAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Prefixes that every site uses alike, such as `10.96.0.0/16` for Services. A network whose convention lies there takes no room in a block, and no block touches them. Add them to `address_space` of each `cidrplan_site`. Default: none."},
			"reserved": schema.MapAttribute{Optional: true, ElementType: types.ListType{ElemType: types.StringType},
				MarkdownDescription: "Ranges that belong to somebody else, by owner. No block touches them."},
			"sites": schema.MapAttribute{Required: true, ElementType: types.StringType,
				MarkdownDescription: "Declaration of each site by name, as JSON with the attributes of `cidrplan_site` (`datapath`, `max_nodes`, `network` as a list …): `{ dc1 = jsonencode({ datapath = \"cilium-kubernetes\", max_nodes = 16 }) }`. An attribute that does not exist is an error."},
			"blocks": schema.MapAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Blocks that are given, by site: one prefix, or one of each family joined by a comma. Default: the planner chooses."},
			"shared_networks": schema.MapAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Networks that two sites carry on purpose: `{ \"test/load_balancer\" = \"prod/load_balancer\" }`. Both sites pin the network."},
			"connected_by": schema.ListAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "How the sites reach each other: " + connections + ". `routing` and `cluster-mesh` want node, pod, LoadBalancer and transit networks to differ, `ovn-ic` pod networks (joins may repeat), `submariner` pod, join and service networks. Default: `[\"routing\"]`."},
			"growth": schema.Int64Attribute{Optional: true,
				MarkdownDescription: "Number of doublings, 0 to 8, for which the space around each block is kept free. Default: `0`."},
			"plan_sites": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether the networks of every site are planned inside its block and proven disjoint as well. Default: `false`, which plans and proves the blocks and what the sites pin."},
			"lock_file": schema.StringAttribute{Optional: true,
				MarkdownDescription: "Path of the fleet's lock file, which `cidrplan_plan_file` keeps. What it records stays. A file that does not exist yet is no error."},
			"lock": schema.StringAttribute{Optional: true,
				MarkdownDescription: "The lock as text. At most one of `lock` and `lock_file`."},
			"plan": schema.StringAttribute{Computed: true,
				MarkdownDescription: "The fleet as a plan document: its networks are the sites, their ranges the blocks. Feed it to `cidrplan_plan_file`."},
			"digest": schema.StringAttribute{Computed: true, MarkdownDescription: "Digest of the plan document."},
			"ipv4_blocks": schema.MapAttribute{Computed: true, ElementType: types.StringType,
				MarkdownDescription: "IPv4 block of each site, empty without IPv4 in the address space: `address_space` of its `cidrplan_site`."},
			"ipv6_blocks": schema.MapAttribute{Computed: true, ElementType: types.StringType,
				MarkdownDescription: "IPv6 block of each site, empty without IPv6 in the address space."},
			"networks": schema.StringAttribute{Computed: true,
				MarkdownDescription: "With `plan_sites`: the networks of every site as JSON, site to network to prefixes. Else null."},
		},
	}
}

func connectionNames() []string {
	var names []string
	for _, c := range fleet.Connections() {
		names = append(names, string(c))
	}
	return names
}

// Read plans the fleet.
func (d *fleetDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model fleetModelV0
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	lock, diags := readLock(model.LockFile, model.Lock)
	resp.Diagnostics.Append(diags...)
	declaration := model.declaration(ctx, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	computed, problems := fleet.Compute(declaration, lock)
	reportProblems(&resp.Diagnostics, problems)
	if resp.Diagnostics.HasError() {
		return
	}
	model.answer(computed, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &model)...)
}

func (m *fleetModelV0) declaration(ctx context.Context, diags *diag.Diagnostics) fleet.Declaration {
	d := fleet.Declaration{Name: m.Name.ValueString(), Growth: m.Growth.ValueInt64Pointer(), PlanSites: m.PlanSites.ValueBool()}
	into(ctx, diags, m.AddressSpace, &d.AddressSpace)
	into(ctx, diags, m.SharedSpace, &d.SharedSpace)
	into(ctx, diags, m.Reserved, &d.Reserved)
	into(ctx, diags, m.Sites, &d.Sites)
	into(ctx, diags, m.Blocks, &d.Blocks)
	into(ctx, diags, m.SharedNetworks, &d.SharedNetworks)
	into(ctx, diags, m.ConnectedBy, &d.ConnectedBy)
	return d
}

func (m *fleetModelV0) answer(f *fleet.Fleet, diags *diag.Diagnostics) {
	m.Plan = types.StringValue(f.Plan.Text())
	m.Digest = types.StringValue(f.Plan.Digest)
	m.IPv4Blocks = blockValues(f.Plan, space.IPv4)
	m.IPv6Blocks = blockValues(f.Plan, space.IPv6)
	m.Networks = types.StringNull()
	if m.PlanSites.ValueBool() {
		m.Networks = networksText(f.Sites, diags)
	}
}

func blockValues(p *plan.Plan, f space.Family) types.Map {
	out := map[string]attr.Value{}
	for _, n := range p.Networks {
		if prefix, ok := n.First(f); ok {
			out[n.Name] = types.StringValue(prefix.String())
		}
	}
	return types.MapValueMust(types.StringType, out)
}

func networksText(sites map[string]*plan.Plan, diags *diag.Diagnostics) types.String {
	out := map[string]map[string][]string{}
	for name, p := range sites {
		out[name] = map[string][]string{}
		for _, n := range p.Networks {
			out[name][n.Name] = rangeStrings(n.Ranges)
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		diags.AddError("Networks Cannot Be Written", "This is a bug of the provider, please report it: "+sentence(err.Error()))
	}
	return types.StringValue(string(text))
}
