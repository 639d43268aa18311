// SPDX-License-Identifier: MPL-2.0

// Package nodemovepolicy renders the policy that admits the old and the new node
// networks while node addresses move.
package nodemovepolicy

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const kind = "CiliumClusterwideNetworkPolicy"

// Consumer returns the consumer. The object is that of pkg/policy/api of Cilium.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "node_move_policy",
		Purpose: "Writes the CiliumClusterwideNetworkPolicy that bridges a move of node addresses to another network. A running agent does not follow a changed node address: until it restarts, traffic of that node counts as `world`, and policies that admit hosts and nodes only drop it; storage clients of the kernel hang. The policy admits the old and the new node networks to every endpoint, and denies nothing (`enableDefaultDeny` is false both ways). " +
			"Apply it before the first node moves, and remove it when every agent has restarted. It needs `enable-non-default-deny-policies: \"true\"` in `cilium-config`, Cilium's default: where it is `\"false\"`, the policy would deny the whole cluster.",
		Fragment: "The policy as a manifest.",
		Whole:    true,
		Options: []artifact.Option{
			{Name: "former_cidrs", Type: artifact.StringList, Required: true, Description: "Node networks that addresses move away from, as prefixes, all families."},
			artifact.NodeNetworkOption(),
			{Name: "name", Type: artifact.String, Description: "Name of the policy. Default: `node-move`."},
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	if !p.Datapath.Cilium() {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has the datapath %q, in which no Cilium enforces policies. Nothing has to be bridged.", p.Site, p.Datapath)
	}
	name := o.Text("name")
	if name == "" {
		name = "node-move"
	}
	if reason := artifact.ObjectNameProblem(name); reason != "" {
		problems.Add(site.At("name"), artifact.SummaryInvalidName, "This is no name of a policy: %s.", reason)
	}
	node, ok, nodeProblems := artifact.NodeNetwork(p, o, "node_network")
	problems = append(problems, nodeProblems...)
	if !ok && len(nodeProblems) == 0 {
		problems.Add(site.At("plan"), artifact.SummaryNodeNetwork, "The plan of the site %q has no network of role node, so that it is not known where the addresses move to. Declare it on the site: network { name = \"node\", role = \"node\", cidrs = [\"192.168.100.0/24\"] }.", p.Site)
	}
	prefixes := former(o, node, &problems)
	prefixes = append(prefixes, node.Prefixes()...)
	var set []any
	for _, prefix := range prefixes {
		set = append(set, yamledit.Map{{Key: "cidr", Value: prefix.String()}})
	}
	return artifact.Result{Documents: []yamledit.Map{policy(name, set)}}, problems
}

func policy(name string, cidrs []any) yamledit.Map {
	return yamledit.Map{
		{Key: "apiVersion", Value: "cilium.io/v2"},
		{Key: "kind", Value: kind},
		{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: name}}},
		{Key: "spec", Value: yamledit.Map{
			{Key: "description", Value: "Admits the old and the new node networks while node addresses move. Remove it when every agent has restarted."},
			{Key: "endpointSelector", Value: yamledit.Map{}},
			{Key: "enableDefaultDeny", Value: yamledit.Map{{Key: "ingress", Value: false}, {Key: "egress", Value: false}}},
			{Key: "ingress", Value: []any{yamledit.Map{{Key: "fromCIDRSet", Value: cidrs}}}},
		}},
	}
}

// former reads the old networks. One that lies in the new one, or around it, would
// say that nothing moves.
func former(o artifact.Options, node plan.Network, problems *site.Problems) []netip.Prefix {
	var out []netip.Prefix
	texts := o.List("former_cidrs")
	if len(texts) == 0 {
		problems.Add(site.At("former_cidrs"), artifact.SummaryMissingOption, "The policy bridges a move, so it must know where the addresses come from. Name the old node networks, such as former_cidrs = [\"192.168.40.0/24\"].")
	}
	for i, text := range texts {
		at := site.At("former_cidrs").Index(i)
		prefix, err := space.ParsePrefix(text)
		switch {
		case err != nil:
			problems.Add(at, site.SummaryInvalidPrefix, "%s", sentence(err.Error()))
		case slices.ContainsFunc(node.Prefixes(), func(n netip.Prefix) bool { return n.Overlaps(prefix) }):
			problems.Add(at, artifact.SummaryUnsuitable, "%s overlaps the network %q that the addresses move to (%s). Name the network that they leave.", prefix, node.Name, join(node.Prefixes()))
		case slices.Contains(out, prefix):
			problems.Add(at, artifact.SummaryUnsuitable, "%s stands twice. Remove one of the two.", prefix)
		default:
			out = append(out, prefix)
		}
	}
	return out
}

func sentence(text string) string {
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func join(prefixes []netip.Prefix) string {
	texts := make([]string, len(prefixes))
	for i, p := range prefixes {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// Read returns the ranges that clusterwide policies admit.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		if d.Kind != kind && d.Kind != "CiliumNetworkPolicy" {
			continue
		}
		facts.In(d)
		for _, spec := range append(d.Get("specs").Items(), d.Get("spec")) {
			for _, rule := range append(spec.Get("ingress").Items(), spec.Get("egress").Items()...) {
				readRule(&facts, d.Name, rule)
			}
		}
	}
	return facts.InOrder(), nil
}

func readRule(facts *artifact.Facts, policy string, rule artifact.Node) {
	fact := artifact.Fact{Name: policy, Subject: artifact.SubjectTrusted}
	for _, key := range []string{"fromCIDR", "toCIDR"} {
		facts.Ranges(rule.Get(key), fact)
	}
	for _, key := range []string{"fromCIDRSet", "toCIDRSet"} {
		for _, entry := range rule.Get(key).Items() {
			facts.Ranges(entry.Get("cidr"), fact)
		}
	}
}
