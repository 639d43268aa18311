// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// Claim is an allocator with the exact set of addresses of one network that it
// may hand out: the network's ranges less its carve-outs.
type Claim struct {
	Network   string
	Allocator site.Allocator
	Addresses *netipx.IPSet
}

// Claims returns the claims of the plan, by network. A container claims nothing.
// A network with a DHCP server has two: the server's ranges and the rest.
func (p *Plan) Claims() []Claim {
	var claims []Claim
	for _, n := range p.Networks {
		if n.Role == site.RoleContainer {
			continue
		}
		var own, dhcp netipx.IPSetBuilder
		for _, r := range n.Ranges {
			own.AddRange(r.IPRange)
		}
		for _, r := range n.DHCP {
			dhcp.AddRange(r.IPRange)
			own.RemoveRange(r.IPRange)
		}
		for _, r := range n.Excluded {
			own.RemoveRange(r.IPRange)
		}
		claims = append(claims, Claim{Network: n.Name, Allocator: n.Allocator, Addresses: build(&own)})
		if len(n.DHCP) > 0 {
			claims = append(claims, Claim{Network: n.Name, Allocator: site.AllocatorDHCP, Addresses: build(&dhcp)})
		}
	}
	return claims
}

// build returns the set of a builder that was given valid ranges only.
func build(b *netipx.IPSetBuilder) *netipx.IPSet {
	set, err := b.IPSet()
	if err != nil {
		panic("plan: a valid range was refused, which is a bug: " + err.Error())
	}
	return set
}
