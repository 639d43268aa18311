// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Summaries of what keeps a plan from being rendered.
const (
	SummaryUnsuitable  = "Plan Does Not Fit This File"
	SummaryNodeNetwork = "Which Node Network"
	SummaryNoEffect    = "Option Without Effect"

	SummaryMissingOption  = "Missing Option"
	SummaryUnknownNetwork = "Unknown Network"
	SummaryUnknownHost    = "Unknown Host"
	SummaryInvalidName    = "Invalid Name"
	SummaryTooOld         = "Version Too Old"
)

// UnknownNetwork says that a plan has no network of this name, with the nearest
// one that it has.
func UnknownNetwork(p *plan.Plan, name string) string {
	names := make([]string, len(p.Networks))
	for i, n := range p.Networks {
		names[i] = n.Name
	}
	hint := ""
	if near := site.Nearest(name, names); near != "" {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	return fmt.Sprintf("The plan of the site %q has no network %q.%s Its networks: %s.", p.Site, name, hint, orNone(names))
}

// KnownHost reports whether the plan has a host of this name, and adds a problem
// on the option if not.
func KnownHost(p *plan.Plan, host string, problems *site.Problems) bool {
	if _, ok := p.Hosts[host]; ok {
		return true
	}
	names := slices.Sorted(maps.Keys(p.Hosts))
	hint := ""
	if near := site.Nearest(host, names); near != "" {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	problems.Add(site.At(HostOption), SummaryUnknownHost, "The plan of the site %q has no host %q.%s Its hosts: %s. Declare it with its number: hosts = { %s = 11 }.", p.Site, host, hint, orNone(names), host)
	return false
}

// HostAddress returns the address of a host in a network, in one family.
func HostAddress(p *plan.Plan, host string, n plan.Network, f space.Family) (netip.Addr, bool) {
	number, ok := p.Hosts[host]
	if !ok || n.Role != site.RoleNode {
		return netip.Addr{}, false
	}
	return n.HostAddress(f, number)
}

// NeedVersion adds a problem if the site states a version of a component that is
// older than what something needs. A version that is not stated is no statement.
func NeedVersion(p *plan.Plan, component, needed string, at site.Path, what string, problems *site.Problems) {
	have, stated := p.Versions[component]
	if !stated || !Older(have, needed) {
		return
	}
	problems.Add(at, SummaryTooOld, "The site %q runs %s %s, which does not know %s: they came with %s. Leave %s out, or state the newer version in versions of the site.", p.Site, component, have, what, needed, at)
}

// Older reports whether a version, major.minor and maybe more, is older than
// another one.
func Older(have, needed string) bool {
	a, b := versionNumbers(have), versionNumbers(needed)
	return slices.Compare(a[:], b[:]) < 0
}

func versionNumbers(text string) [2]int {
	var v [2]int
	// What is not stated is the oldest: a text that is no version fails every need.
	_, _ = fmt.Sscanf(strings.TrimPrefix(text, "v"), "%d.%d", &v[0], &v[1])
	return v
}

// Prefixes returns the first prefix of each family of a network as text, families
// in the order of the site: the control plane takes one range for each family
// (Kubernetes cmd/kube-controller-manager/app/core.go).
func Prefixes(p *plan.Plan, network string) []string {
	n, ok := p.Network(network)
	if !ok {
		return nil
	}
	var out []string
	for _, f := range p.Families {
		if prefix, ok := n.First(f); ok {
			out = append(out, prefix.String())
		}
	}
	return out
}

// FamilyPrefixes returns the prefixes of one family of a network as texts.
func FamilyPrefixes(n plan.Network, f space.Family) []string {
	var out []string
	for _, prefix := range n.Family(f) {
		out = append(out, prefix.String())
	}
	return out
}

// List turns texts into a list value.
func List(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}

// NodeNetwork returns the network that the nodes' own addresses are in: the one
// that the option names, or the only one of role node. Without a node network it
// returns nothing and no problem; the caller knows whether it can do without.
func NodeNetwork(p *plan.Plan, o Options, option string) (plan.Network, bool, site.Problems) {
	var problems site.Problems
	nodes := p.Role(site.RoleNode)
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = n.Name
	}
	name := o.Text(option)
	switch {
	case name != "":
		for _, n := range nodes {
			if n.Name == name {
				return n, true, nil
			}
		}
		hint := ""
		if near := site.Nearest(name, names); near != "" {
			hint = fmt.Sprintf(" Did you mean %q?", near)
		}
		problems.Add(site.At(option), SummaryNodeNetwork, "The plan of the site %q has no network %q of role node.%s Its node networks: %s.", p.Site, name, hint, orNone(names))
		return plan.Network{}, false, problems
	case len(nodes) == 1:
		return nodes[0], true, nil
	case len(nodes) > 1:
		problems.Add(site.At(option), SummaryNodeNetwork, "The plan of the site %q has several networks of role node (%s), and a node has its own address in one of them. Say which: %s = %q.", p.Site, strings.Join(names, ", "), option, names[0])
	}
	return plan.Network{}, false, problems
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// NodeMaskArguments returns the arguments of kube-controller-manager for node
// ranges that are not its default of /24 and /64, one for each family of the pod
// network. The argument without a family is refused beside them, which Talos 1.14
// always sets (Kubernetes cmd/kube-controller-manager/app/core.go).
func NodeMaskArguments(p *plan.Plan) []Argument {
	pod, ok := p.Network(string(site.RolePod))
	if !ok {
		return nil
	}
	var out []Argument
	for _, f := range p.Families {
		length, usual, name := pod.NodePrefix4, 24, "node-cidr-mask-size-ipv4"
		if f == space.IPv6 {
			length, usual, name = pod.NodePrefix6, 64, "node-cidr-mask-size-ipv6"
		}
		if length != 0 && length != usual {
			out = append(out, Argument{Name: name, Value: fmt.Sprint(length)})
		}
	}
	return out
}

// Argument is a command line argument without its dashes.
type Argument struct{ Name, Value string }

// NodeNetworkOption is the option that [NodeNetwork] reads.
func NodeNetworkOption() Option {
	return Option{
		Name: "node_network", Type: String,
		Description: "Name of the network of role `node` that the nodes' own addresses are in. Default: the only one; with several it must be named.",
	}
}

// AllocateNodeCIDRsOption switches kube-controller-manager's node ranges.
func AllocateNodeCIDRsOption() Option {
	return Option{
		Name: "allocate_node_cidrs", Type: Bool,
		Description: "Whether kube-controller-manager cuts a range for each node out of the pod network. `false` switches it off where nobody reads these ranges (the plan names it as idle then); it is refused where pods draw from them. Default: not written, which leaves it on.",
	}
}

// CheckAllocateNodeCIDRs refuses to switch off node ranges that pods draw from.
func CheckAllocateNodeCIDRs(p *plan.Plan, o Options) site.Problems {
	var problems site.Problems
	if allocate, given := o.Flag("allocate_node_cidrs"); given && !allocate && len(p.Idle) == 0 {
		problems.Add(site.At("allocate_node_cidrs"), SummaryUnsuitable, "In the datapath %q pods draw from the ranges that kube-controller-manager cuts for each node, so that without them no pod would get an address. Leave allocate_node_cidrs out.", p.Datapath)
	}
	return problems
}
