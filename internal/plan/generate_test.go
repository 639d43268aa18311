// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"fmt"
	"math/rand/v2"
	"net/netip"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// generate makes a declaration from a seed. Most are plannable, some are not;
// whatever comes out must obey the invariants.
func generate(seed uint64) site.Declaration {
	r := rand.New(rand.NewPCG(seed, 1))
	d := site.Declaration{
		Name:     fmt.Sprintf("site-%d", r.IntN(1000)),
		Datapath: string(pick(r, site.Datapaths())),
	}
	if r.IntN(3) > 0 {
		d.Distribution = string(pick(r, site.Distributions()))
	}
	d.IPFamilies = pick(r, [][]string{nil, {"ipv4"}, {"ipv6"}, {"ipv4", "ipv6"}, {"ipv6", "ipv4"}})
	if r.IntN(2) == 0 {
		d.MaxNodes = new(int64(1 + r.IntN(600)))
	}
	if r.IntN(3) == 0 {
		d.PodsPerNode = new(int64(10 + r.IntN(240)))
	}
	if r.IntN(4) == 0 {
		d.AddressSpace = []string{"10.0.0.0/8", "172.16.0.0/12", "100.64.0.0/10", "fd12:3456:789a::/48"}[:1+r.IntN(4)]
		d.AddressSpace = append(d.AddressSpace, "fdab:cdef:123::/48")
	}
	if r.IntN(2) == 0 {
		d.Reserved = map[string][]string{"office": {randomPrefix(r).String()}}
		if r.IntN(2) == 0 {
			d.Reserved["convention"] = []string{pick(r, []string{"10.244.0.0/15", "10.96.0.0/12", "100.64.0.0/12", "10.42.3.0/24"})}
		}
	}
	for i := range r.IntN(6) {
		d.Networks = append(d.Networks, generateNetwork(r, i, d))
	}
	if r.IntN(3) == 0 {
		d.Hosts = map[string]int64{"node-1": 11, "node-2": 12, "node-3": int64(13 + r.IntN(200))}
	}
	return d
}

func generateNetwork(r *rand.Rand, i int, d site.Declaration) site.NetworkDeclaration {
	n := site.NetworkDeclaration{Name: fmt.Sprintf("net%d", r.IntN(40)*10+i)}
	n.Role = string(pick(r, []site.Role{site.RoleNode, site.RoleOther, site.RoleLoadBalancer, site.RoleContainer, site.RolePod}))
	if r.IntN(3) == 0 {
		n.IPv4PrefixLength = new(int64(16 + r.IntN(14)))
		if d.IPFamilies != nil && d.IPFamilies[0] == "ipv6" && len(d.IPFamilies) == 1 {
			n.IPv4PrefixLength, n.IPv6PrefixLength = nil, new(int64(56+r.IntN(60)))
		}
	}
	if r.IntN(4) == 0 {
		n.Growth = new(int64(r.IntN(3)))
	}
	switch r.IntN(6) {
	case 0:
		n.CIDRs = []string{randomPrefix(r).String()}
	case 1:
		n.CarvedFrom = "pod"
		n.IPv4PrefixLength = nil
	}
	return n
}

func randomPrefix(r *rand.Rand) netip.Prefix {
	bits := 12 + r.IntN(16)
	addr := netip.AddrFrom4([4]byte{10, byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(256))})
	return netip.PrefixFrom(addr, bits).Masked()
}

func pick[T any](r *rand.Rand, values []T) T { return values[r.IntN(len(values))] }
