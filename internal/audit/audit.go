// SPDX-License-Identifier: MPL-2.0

// Package audit holds a snapshot of a cluster against itself and against a plan, and
// finds every address that two things hold.
package audit

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
)

// Finding is one broken or doubtful thing of a cluster.
type Finding struct {
	Rule        string
	Severity    rules.Severity
	Objects     []string // kind and name of what is concerned, the cause first
	Addresses   []string // the exact addresses and ranges
	Message     string
	Consequence string // what somebody would see happen
	Remedy      string // what to do
}

// Infrastructure is an address that Cilium's agent holds on a node.
type Infrastructure struct {
	Node    string
	Kind    string // router, ingress or health
	Address netip.Addr
}

// Collision is an address that a pod and an agent both hold.
type Collision struct {
	Pod     cluster.Name
	PodNode string
	Holder  Infrastructure
}

// Mismatch is a node whose ranges differ between the two that say them.
type Mismatch struct {
	Node        string
	NodeCIDRs   []netip.Prefix
	CiliumCIDRs []netip.Prefix
}

// Report is what an audit found.
type Report struct {
	Findings       []Finding // worst first
	Infrastructure []Infrastructure
	Collisions     []Collision
	Mismatches     []Mismatch
	LegacyPods     []cluster.Name
	// Exclude are the addresses that Kube-OVN must not hand out today, in the syntax
	// of excludeIps. It is a stop-gap: the next node brings the next two.
	Exclude []string
}

// Healthy reports whether nothing is broken and everything was inspected.
func (r *Report) Healthy() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Severity == rules.Error || f.Rule == ruleNotInspected })
}

// Run audits a snapshot. The plan may be nil: then the cluster is held against itself
// only.
func Run(s *cluster.Snapshot, p *plan.Plan) *Report {
	a := newAudit(s, p)
	for _, rule := range table() {
		if rule.check != nil {
			a.rule = rule
			rule.check(a)
		}
	}
	slices.SortStableFunc(a.report.Findings, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(rank(x.Severity), rank(y.Severity)), cmp.Compare(x.Rule, y.Rule), slices.Compare(x.Objects, y.Objects))
	})
	return a.report
}

func rank(s rules.Severity) int {
	return slices.Index([]rules.Severity{rules.Error, rules.Warning, rules.Info}, s)
}

// audit is one run.
type audit struct {
	*cluster.Snapshot

	plan   *plan.Plan // nil without one
	report *Report
	rule   Rule // the one that is being checked

	config      map[string]string // cilium-config; nil without one
	configName  string
	mode        string // ipam of cilium-config; empty if not known
	chained     bool   // another CNI gives pods their addresses
	ciliumNodes map[string]*cluster.CiliumNode
	nodes       map[string]cluster.Node
	holders     map[netip.Addr][]Infrastructure
	meetings    []meeting
}

func newAudit(s *cluster.Snapshot, p *plan.Plan) *audit {
	a := &audit{Snapshot: s, plan: p, report: &Report{}, ciliumNodes: map[string]*cluster.CiliumNode{}, nodes: map[string]cluster.Node{}}
	if config, ok := s.ConfigMap("cilium-config"); ok {
		a.config, a.configName = config.Data, "ConfigMap/"+config.String()
		a.mode = config.Data["ipam"]
		mode := config.Data["cni-chaining-mode"]
		a.chained = mode != "" && mode != "none" && mode != "portmap"
	} else if p != nil {
		a.chained = p.Datapath.Kubeovn()
	} else {
		a.chained = len(s.Subnets) > 0
	}
	for _, n := range s.Nodes {
		a.nodes[n.Name.Name] = n
	}
	for _, n := range s.CiliumNodes {
		a.ciliumNodes[n.Name.Name] = &n
	}
	a.index()
	a.meet()
	return a
}

// index collects the addresses that agents hold.
func (a *audit) index() {
	a.holders = make(map[netip.Addr][]Infrastructure, 3*len(a.CiliumNodes))
	a.report.Infrastructure = make([]Infrastructure, 0, 3*len(a.CiliumNodes))
	for _, n := range a.CiliumNodes {
		for _, of := range []struct {
			kind  string
			addrs []netip.Addr
		}{{"router", n.Router}, {"ingress", n.Ingress}, {"health", n.Health}} {
			for _, addr := range of.addrs {
				holder := Infrastructure{n.Name.Name, of.kind, addr}
				a.holders[addr] = append(a.holders[addr], holder)
				a.report.Infrastructure = append(a.report.Infrastructure, holder)
			}
		}
	}
}

// find appends a finding of the rule that is being checked.
func (a *audit) find(f Finding) {
	f.Rule = a.rule.Slug
	if f.Severity == "" {
		f.Severity = a.rule.Severity
	}
	a.report.Findings = append(a.report.Findings, f)
}

// pool returns the prefixes that Cilium's operator cuts node ranges out of, as
// cilium-config says. A comma, if there is one, is the only separator.
func (a *audit) pool() []netip.Prefix {
	if a.mode != "cluster-pool" {
		return nil
	}
	var out []netip.Prefix
	for _, key := range []string{"cluster-pool-ipv4-cidr", "cluster-pool-ipv6-cidr"} {
		for _, text := range strings.FieldsFunc(a.config[key], func(r rune) bool { return r == ' ' || r == ',' || r == '\n' }) {
			if prefix, err := netip.ParsePrefix(text); err == nil {
				out = append(out, prefix.Masked())
			}
		}
	}
	return out
}

// inside reports whether a prefix lies in one of a list.
func inside(p netip.Prefix, list []netip.Prefix) bool {
	return slices.ContainsFunc(list, func(q netip.Prefix) bool { return q.Bits() <= p.Bits() && q.Overlaps(p) })
}

func contains(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(addr) })
}

func texts[T fmt.Stringer](list []T) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = v.String()
	}
	return out
}

func joined[T fmt.Stringer](list []T) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(texts(list), ", ")
}

// several writes a list of names for a sentence, and how many were left out.
func several(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// overlap returns the range that two have in common.
func overlap(a, b netip.Prefix) (netip.Prefix, bool) {
	if !a.Overlaps(b) {
		return netip.Prefix{}, false
	}
	if a.Bits() > b.Bits() {
		return a, true
	}
	return b, true
}

// set makes a set of ranges; what cannot be one is left out.
func set(ranges ...netipx.IPRange) *netipx.IPSet {
	var b netipx.IPSetBuilder
	for _, r := range ranges {
		if r.IsValid() {
			b.AddRange(r)
		}
	}
	out, err := b.IPSet()
	if err != nil {
		return &netipx.IPSet{}
	}
	return out
}
