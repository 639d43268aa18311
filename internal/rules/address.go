// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"net/netip"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func addressRules() []Rule {
	return []Rule{
		{
			Slug: "special-range", Severity: Error, Title: "Range with a meaning of its own",
			Explanation: "The special-purpose registries of IANA (RFC 6890) give some ranges a meaning that no cluster network may override: loopback, link-local, multicast, documentation, protocol translation, 6to4 and others. Kube-OVN's controller exits on some of them (pkg/util/net.go), kernels drop packets with others. 198.18.0.0/15 (benchmarks) and 240.0.0.0/4 (class E: Linux forwards it, many routers do not) are a warning. Documentation ranges can be accepted in an example.",
			check:       checkSpecial,
		},
		{
			Slug: "public-range", Severity: Warning, Title: "Range of public addresses",
			Explanation: "A public IPv4 range that is used inside a cluster hides the real owner of these addresses from every node and pod. It is right only if the range is the site's own, which is to be said with `accept`.",
			check:       checkPublic,
		},
		{
			Slug: "gateway-outside", Severity: Error, Title: "Gateway outside its network",
			Explanation: "Kube-OVN refuses a Subnet whose gateway lies outside its range or is its network or broadcast address (`gateway … is not in cidr …`, pkg/util/validator.go), and a wrong gateway of the default Subnet cannot be corrected by editing values (cozystack#283). It has to be changed together with the range.",
			check:       checkGateways,
		},
		{
			Slug: "ula-global-id", Severity: Info, Title: "Unique local range without a global id",
			Explanation: "RFC 4193 leaves fc00::/8 undefined and asks for a random global id in fd00::/8. Ranges such as fd00::/48 are what everybody takes, so they meet when two networks are joined. Talos' and K3s' own IPv6 defaults are of this kind.",
			check:       checkULA,
		},
	}
}

type special struct {
	prefix   netip.Prefix
	what     string
	severity Severity
}

func specials() []special {
	entries := []struct {
		prefix, what string
		severity     Severity
	}{
		{"0.0.0.0/8", "\"this network\" (RFC 1122)", Error},
		{"127.0.0.0/8", "loopback (RFC 1122)", Error},
		{"169.254.0.0/16", "link-local (RFC 3927), which also holds cloud metadata services", Error},
		{"192.0.0.0/24", "protocol assignments (RFC 6890)", Error},
		{"192.0.2.0/24", "documentation (RFC 5737)", Error},
		{"198.51.100.0/24", "documentation (RFC 5737)", Error},
		{"203.0.113.0/24", "documentation (RFC 5737)", Error},
		{"192.88.99.0/24", "6to4 relays (RFC 7526)", Error},
		{"192.31.196.0/24", "AS112 (RFC 7535)", Error},
		{"192.52.193.0/24", "AMT (RFC 7450)", Error},
		{"192.175.48.0/24", "AS112 (RFC 7534)", Error},
		{"224.0.0.0/4", "multicast (RFC 5771)", Error},
		{"198.18.0.0/15", "benchmarks (RFC 2544)", Warning},
		{"240.0.0.0/4", "class E (RFC 1112), which many routers drop", Warning},
		{"::/8", "unspecified, loopback and IPv4-mapped addresses (RFC 4291)", Error},
		{"64:ff9b::/96", "IPv4/IPv6 translation (RFC 6052)", Error},
		{"64:ff9b:1::/48", "local IPv4/IPv6 translation (RFC 8215)", Error},
		{"100::/64", "discard only (RFC 6666)", Error},
		{"2001::/23", "protocol assignments and Teredo (RFC 2928)", Error},
		{"2001:db8::/32", "documentation (RFC 3849)", Error},
		{"2002::/16", "6to4 (RFC 3056)", Error},
		{"3fff::/20", "documentation (RFC 9637)", Error},
		{"5f00::/16", "segment routing ids (RFC 9602)", Error},
		{"fe80::/10", "link-local (RFC 4291)", Error},
		{"fec0::/10", "site-local, withdrawn (RFC 3879)", Error},
		{"ff00::/8", "multicast (RFC 4291)", Error},
	}
	out := make([]special, len(entries))
	for i, e := range entries {
		out[i] = special{netip.MustParsePrefix(e.prefix), e.what, e.severity}
	}
	return out
}

func checkSpecial(c *check) {
	for _, n := range c.plan.Networks {
		for _, r := range n.Ranges {
			for _, s := range specials() {
				if shared, ok := space.Intersection(r.IPRange, netipx.RangeOfPrefix(s.prefix)); ok {
					c.reportSpecial(n, r, s, shared)
				}
			}
		}
	}
}

func (c *check) reportSpecial(n plan.Network, r plan.Range, s special, shared netipx.IPRange) {
	remedy := "Choose a private range."
	if prefix, ok := r.Prefix(); ok {
		if other, ok := c.suggest(n, r.Family(), prefix.Bits()); ok {
			remedy = fmt.Sprintf("Choose a private range, for example %s.", other)
		}
	}
	c.report(Finding{
		Severity: s.severity, Networks: []string{n.Name}, Ranges: []string{space.FormatRange(shared)},
		Message:     fmt.Sprintf("%s of the network %q touches %s, which is for %s.", r, n.Name, s.prefix, s.what),
		Consequence: "Kernels, routers or the CNI treat these addresses specially: the component refuses to start, or packets are dropped.",
		Remedy:      remedy, Path: c.path(n, shared),
	})
}

func checkPublic(c *check) {
	private := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("172.16.0.0/12"),
		netip.MustParsePrefix("192.168.0.0/16"), netip.MustParsePrefix("100.64.0.0/10"),
	}
	for _, s := range specials() {
		private = append(private, s.prefix)
	}
	for _, n := range c.plan.Networks {
		if n.Role == site.RoleLoadBalancer || n.Role == site.RoleNode {
			continue // addresses that the world is meant to reach
		}
		for _, prefix := range n.Family(space.IPv4) {
			if covered(prefix, private) {
				continue
			}
			other, _ := c.suggest(n, space.IPv4, prefix.Bits())
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the network %q holds public addresses.", prefix, n.Name),
				Consequence: "Whoever owns these addresses on the internet cannot be reached from the cluster, and a leaked packet goes to them.",
				Remedy:      fmt.Sprintf("Use a private range, for example %s, or say that the range is yours: accept = { \"public-range/%s\" = \"…\" }.", other, n.Name),
				Path:        c.path(n, netipx.RangeOfPrefix(prefix)),
			})
		}
	}
}

func checkGateways(c *check) {
	for _, n := range c.plan.Networks {
		declared, ok := c.site.Network(n.Name)
		if !ok || len(declared.Pinned) > 0 {
			continue // a pinned range is checked where it is parsed
		}
		var ranges []netipx.IPRange
		for _, r := range n.Ranges {
			ranges = append(ranges, r.IPRange)
		}
		for _, gateway := range declared.Gateways {
			if fault := site.GatewayFault(gateway, ranges); fault != "" {
				c.report(Finding{
					Networks: []string{n.Name}, Ranges: []string{gateway.String()},
					Message:     fmt.Sprintf("The gateway %s does not fit the network %q (%s).", gateway, n.Name, rangesText(n)),
					Consequence: "Kube-OVN does not accept the Subnet, or machines of this network reach nothing outside of it.",
					Remedy:      fault, Path: declared.Path.Attribute("gateway"),
				})
			}
		}
	}
}

func checkULA(c *check) {
	undefined := netip.MustParsePrefix("fc00::/8")
	zero := netip.MustParsePrefix("fd00::/48")
	for _, n := range c.plan.Networks {
		for _, prefix := range n.Family(space.IPv6) {
			if !undefined.Overlaps(prefix) && !zero.Overlaps(prefix) {
				continue
			}
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the network %q has no global id of its own.", prefix, n.Name),
				Consequence: "It is what many others use, so that joining two networks later means renumbering one.",
				Remedy:      fmt.Sprintf("Use a range of the site's own %s, for example.", site.ULA(c.site.Name)),
				Path:        c.path(n, netipx.RangeOfPrefix(prefix)),
			})
		}
	}
}
