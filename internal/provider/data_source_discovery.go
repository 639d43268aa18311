// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/discovery"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/repository"
)

var (
	_ datasource.DataSource              = (*discoveryDataSource)(nil)
	_ datasource.DataSourceWithConfigure = (*discoveryDataSource)(nil)
)

// discoveryDataSource finds the declaration of a site that exists already.
type discoveryDataSource struct{ live *live }

// NewDiscoveryDataSource makes the data source.
func NewDiscoveryDataSource() datasource.DataSource { return &discoveryDataSource{} }

type discoveryModelV0 struct {
	Name          types.String `tfsdk:"name"`
	ConfigContext types.String `tfsdk:"config_context"`
	SnapshotPaths types.List   `tfsdk:"snapshot_paths"`
	Files         types.List   `tfsdk:"files"`
	Datapath      types.String `tfsdk:"datapath"`
	Distribution  types.String `tfsdk:"distribution"`
	IPFamilies    types.List   `tfsdk:"ip_families"`
	Networks      types.Map    `tfsdk:"networks"`
	Hosts         types.Map    `tfsdk:"hosts"`
	Doubts        types.List   `tfsdk:"doubts"`
	Declaration   types.String `tfsdk:"declaration"`
}

var discoveredTypes = map[string]attr.Type{
	"role": types.StringType, "allocator": types.StringType, "cidrs": types.ListType{ElemType: types.StringType}, "carved_from": types.StringType, "gateway": types.StringType,
	"ipv4_node_prefix_length": types.Int64Type, "ipv6_node_prefix_length": types.Int64Type, "origin": types.StringType, "places": types.ListType{ElemType: types.StringType},
}

// Metadata names the data source.
func (d *discoveryDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_discovery"
}

// Configure takes how to reach a cluster.
func (d *discoveryDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	d.live, _ = req.ProviderData.(*live)
}

// Schema describes what is found.
func (d *discoveryDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.Attribute {
		return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds what a running cluster, a recording of one, or the files that installed one say of addresses, in the form that `data.cidrplan_site` takes: how a site that exists is adopted as it is. " +
			"What cannot be told is said in `doubts`; nothing is guessed in silence.",
		Attributes: map[string]schema.Attribute{
			"name":           schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the site in `declaration`. Default: `site`."},
			"config_context": schema.StringAttribute{Optional: true, MarkdownDescription: "Context of the kubeconfig, in place of the provider's. Default: the provider's."},
			"snapshot_paths": schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1)},
				MarkdownDescription: "Recorded files, JSON or YAML, or folders of them, that are read in place of a cluster; the page of `cidrplan_audit` has the command. Default: the cluster of the provider block is read."},
			"files": schema.ListAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.List{listvalidator.SizeAtLeast(1), listvalidator.ConflictsWith(path.MatchRoot("snapshot_paths"), path.MatchRoot("config_context"))},
				MarkdownDescription: "Globs of files that are read in place of a cluster, such as `gitops/**/*.yaml`. Default: none."},
			"datapath":     text("Datapath that was found; null if it cannot be told."),
			"distribution": text("Distribution that was found; null if it cannot be told."),
			"ip_families":  texts("Address families of the pods."),
			"networks": schema.MapNestedAttribute{Computed: true, MarkdownDescription: "The networks by name, for a `dynamic \"network\"` block.", NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"role": text("Role of the network."), "allocator": text("Who hands out its addresses, where the role does not say it; null otherwise."), "cidrs": texts("Its ranges."),
				"carved_from": text("The network that it lies in; null if none."), "gateway": text("Its gateway; null if none was found."),
				"ipv4_node_prefix_length": number("Length of the IPv4 range of each node; null if none."), "ipv6_node_prefix_length": number("Length of the IPv6 range of each node; null if none."),
				"origin": text("`observed` in a cluster, `declared` in a file, or `implicit`: the default of a tool that a file leaves unsaid."), "places": texts("Objects, or files and lines, that say so."),
			}}},
			"hosts":       schema.MapAttribute{Computed: true, ElementType: types.Int64Type, MarkdownDescription: "Host number of each node, where their network is a /24."},
			"doubts":      texts("What a person has to look at before the site is adopted."),
			"declaration": text("The declaration of the site as configuration, with where each range was found."),
		},
	}
}

// Read finds the site.
func (d *discoveryDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m discoveryModelV0
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	found, ok := d.find(ctx, m, &resp.Diagnostics)
	if !ok {
		return
	}
	m.answer(ctx, found, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

func (d *discoveryDataSource) find(ctx context.Context, m discoveryModelV0, diags *diag.Diagnostics) (*discovery.Site, bool) {
	if m.Files.IsNull() {
		of := auditDataSource{live: d.live}
		snapshot, ok := of.snapshot(ctx, auditModelV0{ConfigContext: m.ConfigContext, SnapshotPaths: m.SnapshotPaths}, diags)
		if !ok {
			return nil, false
		}
		return discovery.FromCluster(snapshot), true
	}
	var globs []string
	diags.Append(m.Files.ElementsAs(ctx, &globs, false)...)
	facts, err := repository.Read(globs, fileReaders())
	if err != nil {
		diags.AddAttributeError(path.Root("files"), "Files Not Readable", sentence(err.Error()))
		return nil, false
	}
	return discovery.FromFiles(facts), !diags.HasError()
}

func (m *discoveryModelV0) answer(ctx context.Context, s *discovery.Site, diags *diag.Diagnostics) {
	name := m.Name.ValueString()
	if name == "" {
		name = "site"
	}
	m.Datapath, m.Distribution = optionalString(string(s.Datapath)), optionalString(string(s.Distribution))
	m.IPFamilies, m.Doubts, m.Declaration = stringList(s.Families), stringList(s.Doubts), types.StringValue(s.HCL(name))
	networks := map[string]attr.Value{}
	for _, n := range s.Networks {
		value, d := types.ObjectValue(discoveredTypes, map[string]attr.Value{
			"role": types.StringValue(string(n.Role)), "allocator": optionalString(string(n.Allocator)), "cidrs": stringList(n.CIDRs), "carved_from": optionalString(n.CarvedFrom),
			"gateway": optionalString(strings.Join(n.Gateways, ",")), "ipv4_node_prefix_length": optionalInt64(n.NodePrefix4), "ipv6_node_prefix_length": optionalInt64(n.NodePrefix6),
			"origin": types.StringValue(n.Origin), "places": stringList(n.Places),
		})
		diags.Append(d...)
		networks[n.Name] = value
	}
	value, d := types.MapValue(types.ObjectType{AttrTypes: discoveredTypes}, networks)
	diags.Append(d...)
	m.Networks = value
	hosts, d := types.MapValueFrom(ctx, types.Int64Type, s.Hosts)
	diags.Append(d...)
	m.Hosts = hosts
}
