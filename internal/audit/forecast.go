// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"math/big"
	"net/netip"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Forecast is the next address that comes up although somebody holds it.
type Forecast struct {
	Subnet  string
	Address netip.Addr
	Holder  Infrastructure
	Pods    *big.Int // pods that are created before the one that is given the address
}

// nextCollision counts the addresses that Kube-OVN hands out before one that an agent
// holds: the free ones below it, since the lowest comes first. Addresses that were
// released since the controller started come later, and are not known; so the address
// may come up after fewer pods, never after more, unless the controller restarts.
func nextCollision(a *audit) {
	for _, n := range a.Subnets {
		if !overlay(n) {
			continue
		}
		f, ok := a.forecast(n)
		if !ok {
			continue
		}
		a.find(Finding{
			Objects: []string{"Subnet/" + n.Name.Name, "CiliumNode/" + f.Holder.Node}, Addresses: []string{f.Address.String()},
			Message:     fmt.Sprintf("The next address that the Subnet %s hands out although it is held is %s, the %s address of %s: after at most %s more pods.", n.Name, f.Address, f.Holder.Kind, f.Holder.Node, f.Pods),
			Consequence: "The pod after these is given that address, unless somebody holds it by then.",
			Remedy:      fmt.Sprintf("Exclude %s in the Subnet today, and separate the two allocators.", f.Address),
		})
	}
}

// forecast returns the lowest held address that a Subnet may hand out next.
func (a *audit) forecast(n cluster.Subnet) (Forecast, bool) {
	free := a.free(n)
	var best Forecast
	for _, i := range a.report.Infrastructure {
		if free.Contains(i.Address) && (!best.Address.IsValid() || i.Address.Less(best.Address)) {
			best = Forecast{Subnet: n.Name.Name, Address: i.Address, Holder: i}
		}
	}
	if !best.Address.IsValid() {
		return best, false
	}
	var below []netipx.IPRange
	for _, r := range free.Ranges() {
		switch {
		case r.From().Is4() != best.Address.Is4() || !r.From().Less(best.Address):
		case r.To().Less(best.Address):
			below = append(below, r)
		default:
			below = append(below, netipx.IPRangeFrom(r.From(), best.Address.Prev()))
		}
	}
	best.Pods = space.Count(below...)
	return best, true
}

// free is what a Subnet can still hand out: the addresses of hosts less the
// exclusions, the gateways and those that are held.
func (a *audit) free(n cluster.Subnet) *netipx.IPSet {
	var b netipx.IPSetBuilder
	b.AddSet(handedOut(n))
	for _, prefix := range n.CIDRs {
		b.Remove(prefix.Addr())
		if prefix.Addr().Is4() {
			b.Remove(space.Last(prefix))
		}
	}
	for _, gateway := range n.Gateways {
		b.Remove(gateway)
	}
	for _, ip := range a.IPs {
		for _, addr := range ip.IPs {
			b.Remove(addr)
		}
	}
	for _, p := range a.Pods {
		for _, addr := range p.IPs {
			b.Remove(addr)
		}
	}
	out, err := b.IPSet()
	if err != nil {
		return &netipx.IPSet{}
	}
	return out
}
