// SPDX-License-Identifier: MPL-2.0

// Package rules holds what must be true of a plan: one table of rules, from
// which the checks, the findings and the documentation page are made.
package rules

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Severity says how bad a finding is.
type Severity string

// The severities.
const (
	// Error breaks the site or loses traffic.
	Error Severity = "error"
	// Warning will, under growth or a later step.
	Warning Severity = "warning"
	// Info is worth knowing.
	Info Severity = "info"
)

// Severities lists the severities, worst first.
func Severities() []Severity { return []Severity{Error, Warning, Info} }

func (s Severity) rank() int { return slices.Index(Severities(), s) }

// Finding is one broken or doubtful thing.
type Finding struct {
	Rule        string
	Severity    Severity
	Networks    []string // the networks concerned, the one that the path belongs to first
	Ranges      []string // the exact ranges concerned
	Message     string   // what was found, in one sentence
	Consequence string   // what somebody would see happen
	Remedy      string   // what to do, with a value that works
	Path        site.Path
	Accepted    string // the reason why the user accepts it; empty if it is not accepted
}

// Rule is one thing that must hold.
type Rule struct {
	Slug        string
	Severity    Severity // the worst that it reports
	Title       string
	Explanation string // Markdown, one paragraph, with the upstream evidence
	// Firm rules cannot be accepted: a plan that breaks one is no plan.
	Firm  bool
	check func(*check)
}

// Rules returns the table of rules, by slug.
func Rules() []Rule { return slices.Clone(table()) }

//nolint:gochecknoglobals // a constant table, made once
var table = sync.OnceValue(func() []Rule {
	all := slices.Concat(overlapRules(), sizeRules(), addressRules(), hostRules(), datapathRules(), reachRules(), wellKnownRules())
	slices.SortFunc(all, func(a, b Rule) int { return cmp.Compare(a.Slug, b.Slug) })
	return all
})

// Check holds a plan against every rule; lock is what the plan was computed
// from, or nil. The findings come worst first, then in the order of their paths;
// accepted ones are lowered to info.
func Check(s *site.Site, p, lock *plan.Plan) []Finding {
	c := &check{site: s, plan: p, locked: lock != nil}
	for _, rule := range table() {
		c.rule = rule
		rule.check(c)
	}
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Severity.rank(), b.Severity.rank()), cmp.Compare(a.Path.String(), b.Path.String()),
			cmp.Compare(a.Rule, b.Rule), slices.Compare(a.Networks, b.Networks), slices.Compare(a.Ranges, b.Ranges))
	})
	return c.findings
}

// CheckAccept reports keys of accept that name no rule, or a firm one.
func CheckAccept(s *site.Site) site.Problems {
	var problems site.Problems
	slugs := make([]string, 0, len(Rules()))
	firm := map[string]bool{}
	for _, rule := range Rules() {
		slugs = append(slugs, rule.Slug)
		firm[rule.Slug] = rule.Firm
	}
	for _, key := range slices.Sorted(maps.Keys(s.Accept)) {
		slug, network, found := strings.Cut(key, "/")
		path := site.At("accept").Key(key)
		switch {
		case !found || network == "":
			problems.Add(path, site.SummaryUnknownValue, "%q names no finding. Write rule/network, for example \"public-range/pod\".", key)
		case !slices.Contains(slugs, slug):
			hint := ""
			if near := site.Nearest(slug, slugs); near != "" {
				hint = " Did you mean \"" + near + "\"?"
			}
			problems.Add(path, site.SummaryUnknownValue, "There is no rule %q.%s The rules are listed in the provider's rule catalogue.", slug, hint)
		case firm[slug]:
			problems.Add(path, site.SummaryNotApplicable, "A finding of the rule %q cannot be accepted: two allocators would hand out one address. Follow its remedy.", slug)
		}
	}
	return problems
}

// check runs one rule after the other over a site and its plan.
type check struct {
	site     *site.Site
	plan     *plan.Plan
	locked   bool // the plan was computed from a lock
	rule     Rule
	findings []Finding
}

// report adds a finding of the current rule. Its severity is the rule's unless
// the finding has one of its own.
func (c *check) report(f Finding) {
	f.Rule = c.rule.Slug
	if f.Severity == "" {
		f.Severity = c.rule.Severity
	}
	for _, network := range f.Networks {
		if reason, ok := c.site.Accept[f.Rule+"/"+network]; ok && !c.rule.Firm && f.Severity != Info {
			f.Severity, f.Accepted = Info, reason
		}
	}
	c.findings = append(c.findings, f)
}

// path returns where a finding about a network is shown: on the pinned range
// that causes it, else on its block, else on the datapath that brings it.
func (c *check) path(n plan.Network, r netipx.IPRange) site.Path {
	declared, ok := c.site.Network(n.Name)
	if !ok {
		return site.At("datapath")
	}
	for i, pinned := range declared.Pinned {
		if pinned.Overlaps(r) {
			return declared.Path.Attribute("cidrs").Index(i)
		}
	}
	return declared.Path
}

// attribute returns the path of an attribute of a network's block, or of the
// datapath if there is no block.
func (c *check) attribute(n plan.Network, name string) site.Path {
	if declared, ok := c.site.Network(n.Name); ok {
		return declared.Path.Attribute(name)
	}
	return site.At("datapath")
}

// suggest returns a sentence part that names a range that works for a network.
func (c *check) suggest(n plan.Network, f space.Family, length int) (string, bool) {
	prefix, ok := netip.Prefix{}, false
	if n.CarvedFrom != "" {
		prefix, ok = plan.SuggestInside(c.plan, n.CarvedFrom, f, length)
	} else {
		prefix, ok = plan.Suggest(c.site, c.plan, n.Name, f, length)
	}
	return prefix.String(), ok
}
