// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"maps"
	"math/big"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// networkModelV0 is a planned network as an object.
type networkModelV0 struct {
	Role         types.String `tfsdk:"role"`
	Allocator    types.String `tfsdk:"allocator"`
	CIDRs        types.List   `tfsdk:"cidrs"`
	IPv4         types.String `tfsdk:"ipv4"`
	IPv6         types.String `tfsdk:"ipv6"`
	IPv4Gateway  types.String `tfsdk:"ipv4_gateway"`
	IPv6Gateway  types.String `tfsdk:"ipv6_gateway"`
	CarvedFrom   types.String `tfsdk:"carved_from"`
	Excluded     types.List   `tfsdk:"excluded"`
	NodePrefix4  types.Int64  `tfsdk:"ipv4_node_prefix_length"`
	NodePrefix6  types.Int64  `tfsdk:"ipv6_node_prefix_length"`
	VLANID       types.Int64  `tfsdk:"vlan_id"`
	Link         types.String `tfsdk:"link"`
	VIPs         types.Map    `tfsdk:"vips"`
	DHCP         types.List   `tfsdk:"dhcp"`
	DNSAddresses types.List   `tfsdk:"dns_addresses"`
	APIAddresses types.List   `tfsdk:"api_addresses"`
	StaticBands  types.List   `tfsdk:"static_bands"`
	Capacity     types.Object `tfsdk:"capacity"`
	Origin       types.String `tfsdk:"origin"`
	Reason       types.String `tfsdk:"reason"`
}

var capacityTypes = map[string]attr.Type{
	"ipv4_addresses": types.NumberType,
	"ipv6_addresses": types.NumberType,
	"nodes":          types.NumberType,
	"utilisation":    types.Float64Type,
}

var networkTypes = map[string]attr.Type{
	"role": types.StringType, "allocator": types.StringType, "cidrs": types.ListType{ElemType: types.StringType},
	"ipv4": types.StringType, "ipv6": types.StringType, "ipv4_gateway": types.StringType, "ipv6_gateway": types.StringType,
	"carved_from": types.StringType, "excluded": types.ListType{ElemType: types.StringType},
	"ipv4_node_prefix_length": types.Int64Type, "ipv6_node_prefix_length": types.Int64Type,
	"vlan_id": types.Int64Type, "link": types.StringType, "vips": types.MapType{ElemType: types.StringType},
	"dhcp": types.ListType{ElemType: types.StringType}, "dns_addresses": types.ListType{ElemType: types.StringType},
	"api_addresses": types.ListType{ElemType: types.StringType}, "static_bands": types.ListType{ElemType: types.StringType}, "capacity": types.ObjectType{AttrTypes: capacityTypes},
	"origin": types.StringType, "reason": types.StringType,
}

func networksAttribute() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.Attribute {
		return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	number := func(description string) schema.Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: description}
	}
	count := func(description string) schema.Attribute {
		return schema.NumberAttribute{Computed: true, MarkdownDescription: description}
	}
	return schema.MapNestedAttribute{Computed: true,
		MarkdownDescription: "The planned networks by name.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"role":                    text("What the network is for."),
			"allocator":               text("Who hands out its addresses; null for a container."),
			"cidrs":                   texts("All ranges: prefixes, or `first-last` where a LoadBalancer network holds a range."),
			"ipv4":                    text("The first IPv4 prefix; null without one."),
			"ipv6":                    text("The first IPv6 prefix; null without one."),
			"ipv4_gateway":            text("IPv4 gateway; null without one."),
			"ipv6_gateway":            text("IPv6 gateway; null without one."),
			"carved_from":             text("The network that this one is carved out of; null if none."),
			"excluded":                texts("What is carved out of this network, as `first..last`, the form that Kube-OVN's `excludeIps` takes."),
			"ipv4_node_prefix_length": number("Length of the IPv4 range of each node; null where nodes get none."),
			"ipv6_node_prefix_length": number("Length of the IPv6 range of each node; null where nodes get none."),
			"vlan_id":                 number("VLAN id; null without one."),
			"link":                    text("Name of the link on the nodes; null if not stated."),
			"vips":                    schema.MapAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Virtual addresses by name."},
			"dhcp":                    texts("Ranges that a DHCP server hands out."),
			"dns_addresses":           texts("Of a service network: the conventional addresses of cluster DNS, the tenth of each family."),
			"api_addresses":           texts("Of a service network: the addresses of the Service `kubernetes.default`, the first of each family."),
			"static_bands":            texts("Of a service network: the addresses, one range for each family, that the API server leaves to Services which name their address while others are free."),
			"capacity": schema.SingleNestedAttribute{Computed: true, MarkdownDescription: "How much the network holds.",
				Attributes: map[string]schema.Attribute{
					"ipv4_addresses": count("IPv4 addresses that the allocator can hand out: without network and broadcast address, gateway and carve-outs."),
					"ipv6_addresses": count("IPv6 addresses that the allocator can hand out, exact beyond 64 bits."),
					"nodes":          count("Nodes that get a range out of this network, the smaller of both families; null where nodes get none."),
					"utilisation":    schema.Float64Attribute{Computed: true, MarkdownDescription: "Share that the nodes which exist (`hosts`) take, 0 to 1: of the node ranges, or in a network of role `node` of the addresses. Null elsewhere."},
				}},
			"origin": text("Where the ranges come from: `declared`, `convention` or `planned`."),
			"reason": text("Why the ranges are where they are."),
		}},
	}
}

func hostAddressesAttribute() schema.Attribute {
	return schema.MapAttribute{Computed: true,
		ElementType:         types.MapType{ElemType: types.ListType{ElemType: types.StringType}},
		MarkdownDescription: "Static addresses of each host in every network of role `node`: host to network to addresses with the prefix length of the network, families in the order of the site."}
}

func findingsAttribute() schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	texts := func(description string) schema.Attribute {
		return schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: description}
	}
	return schema.ListNestedAttribute{Computed: true,
		MarkdownDescription: "What is broken or doubtful, worst first. Guard on it with a `check` block.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"rule":        text("Slug of the rule, to be used in `accept`."),
			"severity":    text("`error` breaks the site or loses traffic, `warning` will under growth or a later step, `info` is worth knowing."),
			"networks":    texts("The networks concerned."),
			"ranges":      texts("The exact ranges concerned."),
			"message":     text("What was found."),
			"consequence": text("What somebody would see happen."),
			"remedy":      text("What to do, with a value that works."),
			"accepted":    text("Why the finding is accepted; null if it is not."),
		}},
	}
}

// optionalString is null for an empty text.
func optionalString(text string) types.String {
	if text == "" {
		return types.StringNull()
	}
	return types.StringValue(text)
}

func optionalInt64(n int) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(int64(n))
}

func stringList(texts []string) types.List {
	values := make([]attr.Value, len(texts))
	for i, text := range texts {
		values[i] = types.StringValue(text)
	}
	return types.ListValueMust(types.StringType, values)
}

// networkValues turns the networks of a plan into objects.
func networkValues(ctx context.Context, p *plan.Plan, diags *diag.Diagnostics) types.Map {
	out := make(map[string]attr.Value, len(p.Networks))
	for _, n := range p.Networks {
		value, d := types.ObjectValueFrom(ctx, networkTypes, networkValue(p, n))
		diags.Append(d...)
		out[n.Name] = value
	}
	networks, d := types.MapValue(types.ObjectType{AttrTypes: networkTypes}, out)
	diags.Append(d...)
	return networks
}

func networkValue(p *plan.Plan, n plan.Network) networkModelV0 {
	m := networkModelV0{
		Role: types.StringValue(string(n.Role)), Allocator: optionalString(string(n.Allocator)),
		CIDRs: stringList(rangeStrings(n.Ranges)), CarvedFrom: optionalString(n.CarvedFrom),
		Excluded: stringList(n.ExcludedTexts()), DHCP: stringList(rangeStrings(n.DHCP)),
		NodePrefix4: optionalInt64(n.NodePrefix4), NodePrefix6: optionalInt64(n.NodePrefix6),
		VLANID: optionalInt64(n.VLAN), Link: optionalString(n.Link),
		Origin: types.StringValue(string(n.Origin)), Reason: types.StringValue(n.Reason),
		Capacity: capacityValue(p, n),
	}
	if prefix, ok := n.First(space.IPv4); ok {
		m.IPv4 = types.StringValue(prefix.String())
	}
	if prefix, ok := n.First(space.IPv6); ok {
		m.IPv6 = types.StringValue(prefix.String())
	}
	if gateway, ok := n.Gateway(space.IPv4); ok {
		m.IPv4Gateway = types.StringValue(gateway.String())
	}
	if gateway, ok := n.Gateway(space.IPv6); ok {
		m.IPv6Gateway = types.StringValue(gateway.String())
	}
	vips := map[string]attr.Value{}
	for name, addr := range n.VIPs {
		vips[name] = types.StringValue(addr.String())
	}
	m.VIPs = types.MapValueMust(types.StringType, vips)
	m.DNSAddresses, m.APIAddresses = serviceAddresses(p, n)
	m.StaticBands = staticBands(p, n)
	return m
}

func staticBands(p *plan.Plan, n plan.Network) types.List {
	var bands []string
	for _, f := range p.Families {
		if band, ok := n.StaticBand(f); ok {
			bands = append(bands, band.From().String()+"-"+band.To().String())
		}
	}
	return stringList(bands)
}

func serviceAddresses(p *plan.Plan, n plan.Network) (dns, api types.List) {
	var dnsTexts, apiTexts []string
	if n.Role == site.RoleService {
		for _, f := range p.Families {
			if addr, ok := n.DNSAddress(f); ok {
				dnsTexts = append(dnsTexts, addr.String())
			}
			if addr, ok := n.APIAddress(f); ok {
				apiTexts = append(apiTexts, addr.String())
			}
		}
	}
	return stringList(dnsTexts), stringList(apiTexts)
}

func rangeStrings(ranges []plan.Range) []string {
	out := make([]string, len(ranges))
	for i, r := range ranges {
		out[i] = r.String()
	}
	return out
}

func capacityValue(p *plan.Plan, n plan.Network) types.Object {
	count := func(f space.Family) attr.Value {
		if len(n.Family(f)) == 0 {
			return types.NumberNull()
		}
		return numberValue(rules.Usable(n, f))
	}
	nodes := attr.Value(types.NumberNull())
	if fewest := rules.NodeCapacity(p, n); fewest != nil {
		nodes = numberValue(fewest)
	}
	utilisation := types.Float64Null()
	if share, ok := rules.Utilisation(p, n); ok {
		utilisation = types.Float64Value(share)
	}
	return types.ObjectValueMust(capacityTypes, map[string]attr.Value{
		"ipv4_addresses": count(space.IPv4), "ipv6_addresses": count(space.IPv6), "nodes": nodes, "utilisation": utilisation,
	})
}

// numberValue is exact: 512 bits hold any number of addresses, and are what
// Terraform itself computes with.
func numberValue(n *big.Int) types.Number {
	return types.NumberValue(new(big.Float).SetPrec(512).SetInt(n))
}

// hostAddressValues lists the static addresses of every host.
func hostAddressValues(ctx context.Context, p *plan.Plan, diags *diag.Diagnostics) types.Map {
	out := map[string]map[string][]string{}
	for _, host := range slices.Sorted(maps.Keys(p.Hosts)) {
		out[host] = p.HostAddresses(host)
	}
	value, d := types.MapValueFrom(ctx, types.MapType{ElemType: types.ListType{ElemType: types.StringType}}, out)
	diags.Append(d...)
	return value
}

type findingModelV0 struct {
	Rule        types.String `tfsdk:"rule"`
	Severity    types.String `tfsdk:"severity"`
	Networks    []string     `tfsdk:"networks"`
	Ranges      []string     `tfsdk:"ranges"`
	Message     types.String `tfsdk:"message"`
	Consequence types.String `tfsdk:"consequence"`
	Remedy      types.String `tfsdk:"remedy"`
	Accepted    types.String `tfsdk:"accepted"`
}

var findingTypes = map[string]attr.Type{
	"rule": types.StringType, "severity": types.StringType,
	"networks": types.ListType{ElemType: types.StringType}, "ranges": types.ListType{ElemType: types.StringType},
	"message": types.StringType, "consequence": types.StringType, "remedy": types.StringType, "accepted": types.StringType,
}

func findingValues(ctx context.Context, findings []rules.Finding, diags *diag.Diagnostics) types.List {
	models := make([]findingModelV0, len(findings))
	for i, f := range findings {
		models[i] = findingModelV0{
			Rule: types.StringValue(f.Rule), Severity: types.StringValue(string(f.Severity)),
			Networks: append([]string{}, f.Networks...), Ranges: append([]string{}, f.Ranges...),
			Message: types.StringValue(f.Message), Consequence: types.StringValue(f.Consequence), Remedy: types.StringValue(f.Remedy),
			Accepted: optionalString(f.Accepted),
		}
	}
	value, d := types.ListValueFrom(ctx, types.ObjectType{AttrTypes: findingTypes}, models)
	diags.Append(d...)
	return value
}
