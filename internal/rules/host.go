// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func hostRules() []Rule {
	return []Rule{
		{
			Slug: "host-outside", Severity: Error, Title: "Host number outside a node network",
			Explanation: "The address of a host is the first address of each network of role `node` plus its number. A number beyond the end of a network, or its IPv4 broadcast address, is no address of that network.",
			check:       checkHostsInside,
		},
		{
			Slug: "address-taken", Severity: Error, Title: "Address with two holders",
			Explanation: "Inside a network of role `node` the hosts, the gateway, virtual addresses, DHCP ranges and carve-outs share one range. An address that two of them hold is answered by two machines: whoever asks gets now one, now the other (MetalLB and Cilium do not compare their pools with node addresses).",
			check:       checkAddressTaken,
		},
	}
}

func checkHostsInside(c *check) {
	for _, n := range c.plan.Role(site.RoleNode) {
		for _, name := range slices.Sorted(maps.Keys(c.plan.Hosts)) {
			number := c.plan.Hosts[name]
			for _, family := range c.plan.Families {
				prefix, ok := n.First(family)
				if !ok {
					continue
				}
				if addr, ok := n.HostAddress(family, number); ok && (family == space.IPv6 || prefix.Bits() >= 31 || addr != space.Last(prefix)) {
					continue
				}
				c.report(Finding{
					Networks: []string{n.Name}, Ranges: []string{prefix.String()},
					Message:     fmt.Sprintf("The host %q has the number %d, which is no host address of %s of the network %q.", name, number, prefix, n.Name),
					Consequence: "The node would have no address in this network.",
					Remedy:      fmt.Sprintf("Use a number of at most %s, or a larger network.", lastHost(prefix)),
					Path:        site.At("hosts").Key(name),
				})
			}
		}
	}
}

// lastHost returns the highest host number of a prefix.
func lastHost(prefix netip.Prefix) string {
	count := space.Size(prefix)
	count.Sub(count, big.NewInt(2))
	return count.String()
}

// holder is something that holds addresses inside a node network.
type holder struct {
	what string
	r    netipx.IPRange
	path site.Path
	host bool // a node, whose address a DHCP server may hold for it
	dhcp bool
}

// checkAddressTaken compares the machines inside one network with each other and
// with what is carved out of it or handed out there. Two that hand out are overlapping claims.
func checkAddressTaken(c *check) {
	for _, n := range c.plan.Networks {
		if n.Role != site.RoleNode && len(n.Excluded) == 0 {
			continue
		}
		single, many := c.holders(n)
		slices.SortStableFunc(single, func(a, b holder) int { return a.r.From().Compare(b.r.From()) })
		for i := 1; i < len(single); i++ {
			if single[i-1].r.From() == single[i].r.From() {
				c.reportTaken(n, single[i-1], single[i], single[i].r)
			}
		}
		for _, outer := range many {
			for _, inner := range single {
				// A node inside a DHCP range is right where the server keeps the address for it.
				if outer.r.Contains(inner.r.From()) && !(outer.dhcp && inner.host) {
					c.reportTaken(n, inner, outer, inner.r)
				}
			}
		}
	}
}

// holders lists the machines with a single address and the ranges that are
// handed out inside a node network.
func (c *check) holders(n plan.Network) (single, many []holder) {
	one := func(what string, addr netip.Addr, path site.Path) {
		single = append(single, holder{what: what, r: netipx.IPRangeFrom(addr, addr), path: path})
	}
	for _, gateway := range n.Gateways {
		one("the gateway", gateway, c.attribute(n, "gateway"))
	}
	for _, name := range slices.Sorted(maps.Keys(n.VIPs)) {
		one(fmt.Sprintf("the virtual address %q", name), n.VIPs[name], c.attribute(n, "vips").Key(name))
	}
	for _, name := range slices.Sorted(maps.Keys(c.plan.Hosts)) {
		for _, family := range c.plan.Families {
			if addr, ok := n.HostAddress(family, c.plan.Hosts[name]); ok {
				one(fmt.Sprintf("the host %q", name), addr, site.At("hosts").Key(name))
				single[len(single)-1].host = true
			}
		}
	}
	for i, r := range n.DHCP {
		many = append(many, holder{what: "the DHCP server", r: r.IPRange, path: c.attribute(n, "dhcp").Index(i), dhcp: true})
	}
	for _, child := range c.plan.Networks {
		if child.CarvedFrom != n.Name && (child.Role != site.RoleLoadBalancer || child.Name == n.Name) {
			continue
		}
		for _, r := range child.Ranges {
			many = append(many, holder{what: fmt.Sprintf("the network %q", child.Name), r: r.IPRange, path: c.path(child, r.IPRange)})
		}
	}
	return single, many
}

func (c *check) reportTaken(n plan.Network, first, second holder, shared netipx.IPRange) {
	c.report(Finding{
		Networks: []string{n.Name}, Ranges: []string{space.FormatRange(shared)},
		Message:     fmt.Sprintf("%s of the network %q belongs to %s and to %s (%s).", space.FormatRange(shared), n.Name, first.what, second.what, space.FormatRange(second.r)),
		Consequence: "Two machines answer for the same address; clients reach now one, now the other.",
		Remedy:      c.freeAddressRemedy(n, second),
		Path:        second.path,
	})
}

func (c *check) freeAddressRemedy(n plan.Network, h holder) string {
	family := space.FamilyOf(h.r.From())
	length := family.Bits()
	if prefixes := h.r.Prefixes(); len(prefixes) > 0 {
		length = prefixes[0].Bits()
		for _, p := range prefixes {
			length = min(length, p.Bits())
		}
	}
	if prefix, ok := plan.SuggestInside(c.plan, n.Name, family, length); ok {
		return fmt.Sprintf("Move one of them; %s is free in this network.", space.FormatRange(netipx.RangeOfPrefix(prefix)))
	}
	return fmt.Sprintf("Move one of them; nothing of that size is free in the network %q.", n.Name)
}
