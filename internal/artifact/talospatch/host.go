// SPDX-License-Identifier: MPL-2.0

package talospatch

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// hostPatch renders what is one host's own.
type hostPatch struct {
	plan     *plan.Plan
	options  artifact.Options
	host     string
	problems *site.Problems
}

func (h hostPatch) documents() []yamledit.Map {
	if !artifact.KnownHost(h.plan, h.host, h.problems) {
		return nil
	}
	h.checkOptions()
	links := h.links()
	out := append(h.annotations(), links...)
	if len(out) == 0 && len(*h.problems) == 0 {
		h.problems.Add(site.At(artifact.HostOption), artifact.SummaryNoEffect, "The plan says nothing of the host %q alone: no network of role node states a link, and there are no node_annotations. State link on the network, such as link = \"bond0\", or set node_annotations.", h.host)
	}
	return out
}

// checkOptions finds options of the cluster's patch, which a host's repeats not:
// Talos would append the same list twice.
func (h hostPatch) checkOptions() {
	for _, name := range []string{"node_network", "allocate_node_cidrs", "routing_table", "routing_rule_priority", "routing_rule_networks"} {
		if _, given := h.options[name]; given {
			h.problems.Add(site.At(name), artifact.SummaryNoEffect, "%s is part of the cluster's patch and not repeated in that of a host, since Talos appends lists when it merges. Leave it out here, and write the cluster's patch with a resource of its own, without host.", name)
		}
	}
}

// links renders a document for each link that the host has a planned address on.
func (h hostPatch) links() []yamledit.Map {
	var out []yamledit.Map
	for _, n := range h.plan.Role(site.RoleNode) {
		if n.Link == "" {
			continue
		}
		addresses := h.addresses(n)
		if len(addresses) == 0 {
			continue
		}
		artifact.NeedVersion(h.plan, "talos", "1.12", site.At(artifact.HostOption), "link documents", h.problems)
		doc := h.link(n)
		doc.Set("addresses", addresses)
		if routes := h.routes(n); len(routes) > 0 {
			doc.Set("routes", routes)
		}
		out = append(out, doc)
	}
	return out
}

// link starts the document of a link: a VLAN on the parent, or a link as it is.
func (h hostPatch) link(n plan.Network) yamledit.Map {
	if n.VLAN == 0 {
		doc := document("LinkConfig")
		doc.Set("name", n.Link)
		doc.Set("up", true)
		return doc
	}
	parent := h.options.Text("parent_link")
	if parent == "" {
		h.problems.Add(site.At("parent_link"), artifact.SummaryMissingOption, "The network %q is the VLAN %d on the link %q, and Talos wants to know which link carries the VLAN. Set parent_link, such as parent_link = \"bond0\".", n.Name, n.VLAN, n.Link)
	}
	if parent == n.Link {
		h.problems.Add(site.At("parent_link"), artifact.SummaryUnsuitable, "The link %q of the network %q cannot be a VLAN on itself. Name the link below it, such as parent_link = \"bond0\".", n.Link, n.Name)
	}
	doc := document("VLANConfig")
	doc.Set("name", n.Link)
	doc.Set("vlanID", n.VLAN)
	doc.Set("parent", parent)
	doc.Set("up", true)
	return doc
}

func (h hostPatch) addresses(n plan.Network) []any {
	var out []any
	for _, text := range h.plan.HostAddresses(h.host)[n.Name] {
		out = append(out, yamledit.Map{{Key: "address", Value: text}})
	}
	return out
}

// routes renders the default route. It has no destination: Talos refuses 0.0.0.0/0
// and ::/0 there.
func (h hostPatch) routes(n plan.Network) []any {
	if !n.DefaultRoute {
		return nil
	}
	var out []any
	for _, f := range h.plan.Families {
		if gateway, ok := n.Gateway(f); ok {
			out = append(out, yamledit.Map{{Key: "gateway", Value: gateway.String()}})
		}
	}
	return out
}

// annotations renders the annotations of the Node.
func (h hostPatch) annotations() []yamledit.Map {
	wanted := h.options.Map("node_annotations")
	if len(wanted) == 0 {
		return nil
	}
	var annotations yamledit.Map
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		at := site.At("node_annotations").Key(name)
		if reason := artifact.QualifiedNameProblem(name); reason != "" {
			h.problems.Add(at, artifact.SummaryInvalidName, "%q is no name of an annotation: %s. Write a name such as \"example.com/pod0-ipv4\".", name, reason)
			continue
		}
		value, problem := h.fact(wanted[name])
		if problem != "" {
			h.problems.Add(at, artifact.SummaryUnknownNetwork, "%s", problem)
			continue
		}
		annotations.Set(name, value)
	}
	if h.options.Text("config_shape") == shapeMultidoc {
		doc := document("KubeNodeConfig")
		doc.Set("annotations", annotations)
		return []yamledit.Map{doc}
	}
	return []yamledit.Map{nest(annotations, "machine", "nodeAnnotations")}
}

// fact returns what network.fact says of the host.
func (h hostPatch) fact(text string) (value, problem string) {
	i := strings.LastIndex(text, ".")
	if i < 0 {
		return "", fmt.Sprintf("%q names no fact of a host. Write a network of role node and ipv4, ipv6, ipv4_gateway or ipv6_gateway, such as \"pod0.ipv4\".", text)
	}
	name, fact := text[:i], text[i+1:]
	n, ok := h.plan.Network(name)
	if !ok {
		return "", artifact.UnknownNetwork(h.plan, name)
	}
	var addr netip.Addr
	switch fact {
	case "ipv4":
		addr, ok = artifact.HostAddress(h.plan, h.host, n, space.IPv4)
	case "ipv6":
		addr, ok = artifact.HostAddress(h.plan, h.host, n, space.IPv6)
	case "ipv4_gateway":
		addr, ok = n.Gateway(space.IPv4)
	case "ipv6_gateway":
		addr, ok = n.Gateway(space.IPv6)
	default:
		return "", fmt.Sprintf("%q is no fact of a host: %q is not one of ipv4, ipv6, ipv4_gateway, ipv6_gateway.", text, fact)
	}
	if !ok {
		return "", fmt.Sprintf("The host %q has no %s in the network %q of the site %q: the network has no such address, or is not of role node.", h.host, fact, name, h.plan.Site)
	}
	return addr.String(), ""
}
