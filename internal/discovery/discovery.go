// SPDX-License-Identifier: MPL-2.0

// Package discovery turns what a cluster or its files say of addresses into the
// declaration of a site, so that an installed one is adopted as it is.
package discovery

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Network is a network of the declaration, with where it was found.
type Network struct {
	Name        string
	Role        site.Role
	Allocator   site.Allocator // empty where the role says it
	CIDRs       []string
	CarvedFrom  string
	Gateways    []string
	NodePrefix4 int
	NodePrefix6 int
	Announce    string
	Origin      string // observed, declared or implicit
	Places      []string
}

// Site is what was found.
type Site struct {
	Datapath     site.Datapath     // empty if it cannot be told
	Distribution site.Distribution // empty if it cannot be told
	Families     []string
	Networks     []Network
	Hosts        map[string]int64
	// Doubts are what a person has to look at before adopting the site.
	Doubts []string
}

func (s *Site) doubt(format string, args ...any) {
	s.Doubts = append(s.Doubts, fmt.Sprintf(format, args...))
}

// network returns the network of this name, making it where there is none.
func (s *Site) network(name string, role site.Role) *Network {
	for i := range s.Networks {
		if s.Networks[i].Name == name {
			return &s.Networks[i]
		}
	}
	s.Networks = append(s.Networks, Network{Name: name, Role: role})
	return &s.Networks[len(s.Networks)-1]
}

// add appends ranges that the network does not have yet.
func (n *Network) add(origin, place string, cidrs ...string) {
	for _, cidr := range cidrs {
		if !slices.Contains(n.CIDRs, cidr) {
			n.CIDRs = append(n.CIDRs, cidr)
		}
	}
	n.Origin = origin
	if place != "" && !slices.Contains(n.Places, place) {
		n.Places = append(n.Places, place)
	}
}

// finish orders the networks, carves the pool out of the pods, and takes the
// families from the pods.
func (s *Site) finish() {
	slices.SortFunc(s.Networks, func(a, b Network) int { return cmp.Compare(a.Name, b.Name) })
	if pool := s.find("cilium_pool"); pool != nil {
		if pod := s.find("pod"); pod != nil && inside(pool.CIDRs, pod.CIDRs) {
			pool.CarvedFrom = "pod"
		}
	}
	for _, f := range space.Families() {
		if pod := s.find("pod"); pod != nil && slices.ContainsFunc(pod.CIDRs, func(text string) bool { return familyOf(text) == f }) {
			s.Families = append(s.Families, strings.ToLower(f.String()))
		}
	}
	if s.Datapath == "" {
		s.doubt("Which datapath the cluster runs does not show: set datapath.")
	}
	for _, name := range []string{"pod", "service"} {
		if s.find(name) == nil {
			s.doubt("The range of the network %q does not show anywhere: pin it before you adopt the site, or the plan takes a convention for it.", name)
		}
	}
}

func (s *Site) find(name string) *Network {
	for i := range s.Networks {
		if s.Networks[i].Name == name {
			return &s.Networks[i]
		}
	}
	return nil
}

func familyOf(text string) space.Family {
	text, _, _ = strings.Cut(text, "-")
	text, _, _ = strings.Cut(text, "/")
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return 0
	}
	return space.FamilyOf(addr)
}

// inside reports whether each prefix of a list lies in one of another.
func inside(inner, outer []string) bool {
	for _, text := range inner {
		p, err := netip.ParsePrefix(text)
		if err != nil || !slices.ContainsFunc(outer, func(o string) bool {
			q, err := netip.ParsePrefix(o)
			return err == nil && q.Bits() <= p.Bits() && q.Overlaps(p)
		}) {
			return false
		}
	}
	return len(inner) > 0
}

// identifier makes the name of a network out of an object's: lower-case letters,
// digits, '_' and '-'.
func identifier(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, text)
}
