// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
)

// large is a cluster of 5,000 nodes with 30 pods each.
func large() *cluster.Snapshot {
	s := &cluster.Snapshot{ConfigMaps: []cluster.ConfigMap{ciliumConfig("ipam", "kubernetes")}}
	base := netip.MustParseAddr("10.0.0.0").As4()
	at := func(node, host int) netip.Addr {
		n := (node << 8) + host
		return netip.AddrFrom4([4]byte{base[0] + byte(n>>24), byte(n >> 16), byte(n >> 8), byte(n)})
	}
	for i := range 5000 {
		id := fmt.Sprintf("n%04d", i)
		cidr := netip.PrefixFrom(at(i, 0), 24)
		s.Nodes = append(s.Nodes, cluster.Node{Name: cluster.Name{Name: id}, PodCIDRs: []netip.Prefix{cidr}})
		s.CiliumNodes = append(s.CiliumNodes, cluster.CiliumNode{Name: cluster.Name{Name: id}, PodCIDRs: []netip.Prefix{cidr}, Router: []netip.Addr{at(i, 1)}, Ingress: []netip.Addr{at(i, 2)}, Health: []netip.Addr{at(i, 3)}})
		for p := range 30 {
			s.Pods = append(s.Pods, cluster.Pod{Name: cluster.Name{Namespace: "a", Name: fmt.Sprintf("%s-%d", id, p)}, Node: id, IPs: []netip.Addr{at(i, 10+p)}})
		}
	}
	return s
}

// BenchmarkRun audits 150,000 pods, beside plain look-ups of the same addresses in a
// map of what agents hold.
func BenchmarkRun(b *testing.B) {
	s := large()
	b.Run("audit", func(b *testing.B) {
		for b.Loop() {
			if r := Run(s, nil); len(r.Findings) > 0 {
				b.Fatal(r.Findings[0])
			}
		}
	})
	b.Run("lookups", func(b *testing.B) {
		held := map[netip.Addr]string{}
		for _, n := range s.CiliumNodes {
			held[n.Router[0]], held[n.Ingress[0]], held[n.Health[0]] = n.Name.Name, n.Name.Name, n.Name.Name
		}
		for b.Loop() {
			hits := 0
			for _, p := range s.Pods {
				if _, ok := held[p.IPs[0]]; ok {
					hits++
				}
			}
			if hits > 0 {
				b.Fatal(hits)
			}
		}
	})
}
