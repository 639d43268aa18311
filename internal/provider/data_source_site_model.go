// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// siteModelV0 is the data source cidrplan_site.
type siteModelV0 struct {
	Name          types.String          `tfsdk:"name"`
	Datapath      types.String          `tfsdk:"datapath"`
	Distribution  types.String          `tfsdk:"distribution"`
	Existing      types.Bool            `tfsdk:"existing"`
	GatewayAPI    types.Bool            `tfsdk:"gateway_api"`
	IPFamilies    types.List            `tfsdk:"ip_families"`
	MaxNodes      types.Int64           `tfsdk:"max_nodes"`
	PodsPerNode   types.Int64           `tfsdk:"pods_per_node"`
	MaxServices   types.Int64           `tfsdk:"max_services"`
	AddressSpace  types.List            `tfsdk:"address_space"`
	Reserved      types.Map             `tfsdk:"reserved"`
	Network       []networkBlockModelV0 `tfsdk:"network"`
	Hosts         types.Map             `tfsdk:"hosts"`
	Versions      types.Map             `tfsdk:"versions"`
	Accept        types.Map             `tfsdk:"accept"`
	AllowMove     types.Map             `tfsdk:"allow_move"`
	NativeRouting types.List            `tfsdk:"native_routing_cidrs"`
	LockFile      types.String          `tfsdk:"lock_file"`
	Lock          types.String          `tfsdk:"lock"`
	FailOn        types.String          `tfsdk:"fail_on"`

	Plan          types.String `tfsdk:"plan"`
	Digest        types.String `tfsdk:"digest"`
	Summary       types.String `tfsdk:"summary"`
	Networks      types.Map    `tfsdk:"networks"`
	HostAddresses types.Map    `tfsdk:"host_addresses"`
	Findings      types.List   `tfsdk:"findings"`
}

// networkBlockModelV0 is a network block of a site.
type networkBlockModelV0 struct {
	Name                 types.String `tfsdk:"name"`
	Role                 types.String `tfsdk:"role"`
	Allocator            types.String `tfsdk:"allocator"`
	CIDRs                types.List   `tfsdk:"cidrs"`
	CarvedFrom           types.String `tfsdk:"carved_from"`
	IPv4PrefixLength     types.Int64  `tfsdk:"ipv4_prefix_length"`
	IPv6PrefixLength     types.Int64  `tfsdk:"ipv6_prefix_length"`
	IPv4NodePrefixLength types.Int64  `tfsdk:"ipv4_node_prefix_length"`
	IPv6NodePrefixLength types.Int64  `tfsdk:"ipv6_node_prefix_length"`
	Gateway              types.String `tfsdk:"gateway"`
	VLANID               types.Int64  `tfsdk:"vlan_id"`
	Link                 types.String `tfsdk:"link"`
	DHCP                 types.List   `tfsdk:"dhcp"`
	VIPs                 types.Map    `tfsdk:"vips"`
	Formerly             types.String `tfsdk:"formerly"`
	Growth               types.Int64  `tfsdk:"growth"`
	Announce             types.String `tfsdk:"announce"`
	VPC                  types.String `tfsdk:"vpc"`
	DefaultRoute         types.Bool   `tfsdk:"default_route"`
}

// declaration turns the configuration into plain Go types. Nothing is judged here.
func (m *siteModelV0) declaration(ctx context.Context) (site.Declaration, diag.Diagnostics) {
	var diags diag.Diagnostics
	d := site.Declaration{
		Name: m.Name.ValueString(), Datapath: m.Datapath.ValueString(), Distribution: m.Distribution.ValueString(),
		Existing: m.Existing.ValueBool(), GatewayAPI: m.GatewayAPI.ValueBoolPointer(),
		MaxNodes: m.MaxNodes.ValueInt64Pointer(), PodsPerNode: m.PodsPerNode.ValueInt64Pointer(), MaxServices: m.MaxServices.ValueInt64Pointer(),
	}
	into(ctx, &diags, m.IPFamilies, &d.IPFamilies)
	into(ctx, &diags, m.AddressSpace, &d.AddressSpace)
	into(ctx, &diags, m.Reserved, &d.Reserved)
	into(ctx, &diags, m.Hosts, &d.Hosts)
	into(ctx, &diags, m.Versions, &d.Versions)
	into(ctx, &diags, m.Accept, &d.Accept)
	into(ctx, &diags, m.AllowMove, &d.AllowMove)
	into(ctx, &diags, m.NativeRouting, &d.NativeRouting)
	for _, block := range m.Network {
		d.Networks = append(d.Networks, block.declaration(ctx, &diags))
	}
	return d, diags
}

func (m *networkBlockModelV0) declaration(ctx context.Context, diags *diag.Diagnostics) site.NetworkDeclaration {
	d := site.NetworkDeclaration{
		Name: m.Name.ValueString(), Role: m.Role.ValueString(), Allocator: m.Allocator.ValueString(), CarvedFrom: m.CarvedFrom.ValueString(),
		IPv4PrefixLength: m.IPv4PrefixLength.ValueInt64Pointer(), IPv6PrefixLength: m.IPv6PrefixLength.ValueInt64Pointer(),
		IPv4NodePrefixLength: m.IPv4NodePrefixLength.ValueInt64Pointer(), IPv6NodePrefixLength: m.IPv6NodePrefixLength.ValueInt64Pointer(),
		Gateway: m.Gateway.ValueString(), VLANID: m.VLANID.ValueInt64Pointer(), Link: m.Link.ValueString(), Formerly: m.Formerly.ValueString(),
		Growth: m.Growth.ValueInt64Pointer(), Announce: m.Announce.ValueString(), VPC: m.VPC.ValueString(), DefaultRoute: m.DefaultRoute.ValueBool(),
	}
	into(ctx, diags, m.CIDRs, &d.CIDRs)
	into(ctx, diags, m.DHCP, &d.DHCP)
	into(ctx, diags, m.VIPs, &d.VIPs)
	return d
}

// collection is a list or map value of the framework.
type collection interface {
	attr.Value
}

// into copies a list or map into a Go slice or map; null leaves it nil.
func into[T any](ctx context.Context, diags *diag.Diagnostics, value collection, target *T) {
	if value.IsNull() || value.IsUnknown() {
		return
	}
	switch v := value.(type) {
	case types.List:
		diags.Append(v.ElementsAs(ctx, target, false)...)
	case types.Map:
		diags.Append(v.ElementsAs(ctx, target, false)...)
	}
}
