// SPDX-License-Identifier: MPL-2.0

package talospatch

import (
	"net/netip"
	"strconv"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// What Talos and the kernel leave to routing rules. Talos' own check refuses only
// 0, 32500, 32766 and 32767; 32501 is KubeSpan's rule for IPv6, and a priority
// above main's 32766 would never be reached (types/network/routing_rule.go).
const (
	defaultPriority = 1000
	lastPriority    = 32765
	kubeSpanRule4   = 32500
	kubeSpanRule6   = 32501
	lastTable       = 252 // 253 to 255 are default, main and local
	kubeSpanTable   = 180
	laterPrefix     = 100 // how much higher a prefix stands that its network got later
)

// routingRules renders the rules that send packets from networks to a table. The
// priority is the identity of a rule, over both families, and on Talos 1.13 a
// rule cannot be patched: so what is added later must not move another one.
func routingRules(p *plan.Plan, o artifact.Options, problems *site.Problems) []yamledit.Map {
	table, given := o.Number("routing_table")
	if !given {
		for _, name := range []string{"routing_rule_priority", "routing_rule_networks"} {
			if _, has := o[name]; has {
				problems.Add(site.At(name), artifact.SummaryNoEffect, "Without routing_table there are no routing rules, so that %s does nothing. Set routing_table, such as 47, or leave it out.", name)
			}
		}
		return nil
	}
	checkTable(table, problems)
	artifact.NeedVersion(p, "talos", "1.13", site.At("routing_table"), "RoutingRuleConfig documents", problems)
	first, given := o.Number("routing_rule_priority")
	if !given {
		first = defaultPriority
	}
	var out []yamledit.Map
	for _, rule := range rulesOf(p, ruleNetworks(p, o, problems), first) {
		checkPriority(rule, problems)
		doc := document("RoutingRuleConfig")
		doc.Set("name", strconv.FormatInt(rule.priority, 10))
		doc.Set("src", rule.source.String())
		doc.Set("table", strconv.FormatInt(table, 10))
		out = append(out, doc)
	}
	return out
}

func checkTable(table int64, problems *site.Problems) {
	switch {
	case table < 1 || table > lastTable:
		problems.Add(site.At("routing_table"), SummaryRoutingTable, "The table %d is none that Talos takes: 1 to %d are free to use, 253 to 255 are the kernel's default, main and local. Choose another one, such as 47.", table, lastTable)
	case table == kubeSpanTable:
		problems.Add(site.At("routing_table"), SummaryRoutingTable, "The table %d is KubeSpan's, which would write its own routes between these. Choose another one, such as 47.", table)
	}
}

// Summaries of what is wrong with routing rules.
const (
	SummaryRoutingTable    = "Routing Table Not Usable"
	SummaryRoutingPriority = "Routing Rule Priority Not Usable"
)

// rule sends packets from a prefix to the table.
type rule struct {
	priority int64
	network  string
	source   netip.Prefix
}

func checkPriority(r rule, problems *site.Problems) {
	at := site.At("routing_rule_priority")
	switch {
	case r.priority < 1 || r.priority > lastPriority:
		problems.Add(at, SummaryRoutingPriority, "The rule for %s of the network %q would have the priority %d, but rules stand between 1 and %d: main is looked up at 32766. Start lower, such as at %d.", r.source, r.network, r.priority, lastPriority, defaultPriority)
	case r.priority == kubeSpanRule4 || r.priority == kubeSpanRule6:
		problems.Add(at, SummaryRoutingPriority, "The rule for %s of the network %q would have the priority %d, which is KubeSpan's (%d and %d), and of two rules with one priority it is not said which counts. Start elsewhere, such as at %d.", r.source, r.network, r.priority, kubeSpanRule4, kubeSpanRule6, defaultPriority)
	}
}

// ruleNetworks returns the networks in the order of their rules.
func ruleNetworks(p *plan.Plan, o artifact.Options, problems *site.Problems) []plan.Network {
	var out []plan.Network
	names := o.List("routing_rule_networks")
	if names == nil {
		if pod, ok := p.Network(string(site.RolePod)); ok {
			out = append(out, pod)
		}
		return append(out, p.Role(site.RoleLoadBalancer)...)
	}
	seen := map[string]bool{}
	for i, name := range names {
		at := site.At("routing_rule_networks").Index(i)
		n, ok := p.Network(name)
		switch {
		case !ok:
			problems.Add(at, artifact.SummaryUnknownNetwork, "%s", artifact.UnknownNetwork(p, name))
		case seen[name]:
			problems.Add(at, artifact.SummaryUnknownNetwork, "The network %q stands twice. Remove one of the two.", name)
		default:
			out = append(out, n)
		}
		seen[name] = true
	}
	return out
}

// rulesOf numbers the rules: two numbers for each network, one for each family;
// what a network has beyond its first prefix of a family stands higher.
func rulesOf(p *plan.Plan, networks []plan.Network, first int64) []rule {
	var out []rule
	for i, n := range networks {
		for _, f := range p.Families {
			slot := first + int64(2*i)
			if f == space.IPv6 {
				slot++
			}
			for round, prefix := range n.Family(f) {
				out = append(out, rule{priority: slot + int64(round)*laterPrefix, network: n.Name, source: prefix})
			}
		}
	}
	return out
}
