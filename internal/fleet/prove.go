// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// planSites plans every site inside its block and the shared space.
func (p *planner) planSites(blocks *plan.Plan, out map[string]*plan.Plan) {
	for _, name := range p.names() {
		s := p.sites[name]
		s.AddressSpace = slices.Clone(p.shared)
		if block, ok := blocks.Network(name); ok {
			s.AddressSpace = append(block.Prefixes(), s.AddressSpace...)
		}
		path := site.At("sites").Key(name)
		computed, problems := plan.Compute(s, nil)
		for _, problem := range problems {
			p.problems.Add(path, problem.Summary, "For the site %q, %s: %s", name, problem.Path, problem.Detail)
		}
		for _, finding := range rules.Check(s, computed, nil) {
			if finding.Severity == rules.Error && finding.Rule != "outside-address-space" {
				p.problems.Add(path, SummarySiteImpossible, "For the site %q: %s %s %s", name, finding.Message, finding.Consequence, finding.Remedy)
			}
		}
		out[name] = computed
	}
}

// claim is a range of a site that must be disjoint from those of others.
type claim struct {
	site, network string
	prefix        netip.Prefix
}

// most is how many overlaps are reported; there can be as many as pairs of sites.
const most = 20

// prove compares everything across sites that must be disjoint: the blocks, and
// the networks that the sites pinned or that were planned.
func (p *planner) prove(blocks *plan.Plan, planned map[string]*plan.Plan) {
	shares := p.shares()
	var claims []claim
	for _, name := range p.names() {
		if len(planned) == 0 {
			if block, ok := blocks.Network(name); ok {
				for _, prefix := range block.Prefixes() {
					claims = append(claims, claim{name, "", prefix})
				}
			}
		}
		claims = append(claims, p.pinned(name)...)
		if sitePlan := planned[name]; sitePlan != nil {
			claims = append(claims, p.planned(name, sitePlan)...)
		}
	}
	prefixes := make([]netip.Prefix, len(claims))
	for i, c := range claims {
		prefixes[i] = c.prefix
	}
	pairs, omitted := space.Overlaps(prefixes, most*most)
	reported := 0
	for _, pair := range pairs {
		a, b := claims[pair.A], claims[pair.B]
		if a.site == b.site || shares[a.key()] != "" && shares[a.key()] == shares[b.key()] {
			continue
		}
		if reported++; reported > most {
			omitted++
			continue
		}
		p.reportOverlap(a, b, omitted)
	}
}

func (c claim) key() string { return c.site + "/" + c.network }

func (c claim) String() string {
	if c.network == "" {
		return fmt.Sprintf("the block %s of the site %q", c.prefix, c.site)
	}
	return fmt.Sprintf("%s of the network %q of the site %q", c.prefix, c.network, c.site)
}

func (p *planner) reportOverlap(a, b claim, omitted int) {
	shared := a.prefix
	if b.prefix.Bits() > a.prefix.Bits() {
		shared = b.prefix
	}
	more := ""
	if omitted > 0 {
		more = fmt.Sprintf(" At least %d more overlaps are not listed.", omitted)
	}
	p.problems.Add(site.At("sites").Key(b.site), SummaryOverlap,
		"%s overlaps %s in %s, but the sites are connected by %s. A packet to such an address reaches one of the two sites, whichever the router prefers, and replies are lost. Give the site %q another range, or, if both carry it on purpose, say so: shared_networks = { %q = %q }.%s",
		capitalized(b.String()), a, shared, strings.Join(p.connections(), " and "), b.site, b.key(), a.key(), more)
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

func (p *planner) connections() []string {
	if p.declaration.ConnectedBy == nil {
		return []string{string(Routing)}
	}
	return p.declaration.ConnectedBy
}

// pinned lists the ranges that a site states itself.
func (p *planner) pinned(name string) []claim {
	var out []claim
	for _, n := range p.sites[name].Networks {
		if !p.disjoint[n.Role] || n.CarvedFrom != "" {
			continue
		}
		for _, r := range n.Pinned {
			for _, prefix := range r.Prefixes() {
				out = append(out, claim{name, n.Name, prefix})
			}
		}
	}
	return out
}

// planned lists the ranges that were planned for a site.
func (p *planner) planned(name string, sitePlan *plan.Plan) []claim {
	var out []claim
	for _, n := range sitePlan.Networks {
		if !p.disjoint[n.Role] || n.CarvedFrom != "" || n.Origin == plan.OriginDeclared {
			continue
		}
		for _, prefix := range n.Prefixes() {
			out = append(out, claim{name, n.Name, prefix})
		}
	}
	return out
}

// shares reads which networks are carried by several sites on purpose: each
// network maps to the one that it shares.
func (p *planner) shares() map[string]string {
	out := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(p.declaration.SharedNetworks)) {
		other := p.declaration.SharedNetworks[key]
		for _, text := range []string{key, other} {
			name, network, found := strings.Cut(text, "/")
			s, known := p.sites[name]
			if !found || !known {
				p.problems.Add(site.At("shared_networks").Key(key), site.SummaryUnknownValue, "%q names no network of a site of this fleet. Write site/network, for example \"test/load_balancer\".", text)
				continue
			}
			if _, ok := s.Network(network); !ok {
				p.problems.Add(site.At("shared_networks").Key(key), site.SummaryUnknownValue, "The site %q declares no network %q. A shared network is pinned in both sites.", name, network)
			}
		}
		out[key], out[other] = other, other
	}
	return out
}
