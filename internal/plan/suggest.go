// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"net/netip"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Suggest returns a prefix that would work for a network of this plan: inside
// the address space, touching nothing reserved and no other network. It is the
// conventional range of the network if that is free, else the place of its name.
func Suggest(s *site.Site, p *Plan, network string, f space.Family, length int) (netip.Prefix, bool) {
	pl := newPlanner(s, nil)
	pl.clearSpace()
	role := site.RoleOther
	for _, n := range p.Networks {
		switch {
		case n.Name == network:
			role = n.Role
		case n.Role != site.RoleContainer && n.CarvedFrom != network:
			for _, r := range n.Ranges {
				pl.free.Reserve(r.IPRange)
			}
		}
	}
	if prefix, _, ok := convention(s, role, f, length); ok && pl.free.IsFree(prefix) {
		return prefix, true
	}
	avoid := othersConventions()
	for _, n := range p.Role(site.RoleContainer) {
		avoid = append(avoid, n.Prefixes()...)
	}
	prefix, _, ok := propose(s, pl.free, avoid, network, f, length)
	return prefix, ok
}

// SuggestInside returns the last block of this length in a network that nothing
// else there holds.
func SuggestInside(p *Plan, network string, f space.Family, length int) (netip.Prefix, bool) {
	parent, ok := p.Network(network)
	if !ok {
		return netip.Prefix{}, false
	}
	free := space.NewFree(parent.Family(f)...)
	for _, gateway := range parent.Gateways {
		free.Reserve(netipx.IPRangeFrom(gateway, gateway))
	}
	for _, r := range parent.DHCP {
		free.Reserve(r.IPRange)
	}
	for _, vip := range parent.VIPs {
		free.Reserve(netipx.IPRangeFrom(vip, vip))
	}
	for _, number := range p.Hosts {
		if addr, ok := parent.HostAddress(f, number); ok {
			free.Reserve(netipx.IPRangeFrom(addr, addr))
		}
	}
	for _, n := range p.Networks {
		if n.CarvedFrom == network {
			for _, r := range n.Ranges {
				free.Reserve(r.IPRange)
			}
		}
	}
	prefix, err := free.AllocateLast(f, length)
	return prefix, err == nil
}
