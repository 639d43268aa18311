// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"math/big"
	"math/bits"
	"net/netip"
	"slices"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Default lengths of the range that each node gets.
const (
	// poolNode4 and poolNode6 are for a pool that serves infrastructure addresses
	// only: router and Ingress address and room to spare. /29 has 6 usable
	// addresses, /125 as well (Cilium pkg/ipam/service/ipallocator: first and last
	// are reserved).
	poolNode4, poolNode6 = 29, 125
	// podNode6 is what kube-controller-manager, Talos and kubeadm default to.
	podNode6 = 64
)

// log2Ceil returns the smallest n with 2^n >= v, for v >= 1.
func log2Ceil(v int) int { return bits.Len(uint(v - 1)) }

// nodeLength returns the length of the range that each node gets out of a
// network in one family, or 0 where nodes get none.
func nodeLength(s *site.Site, n wanted, f space.Family) int {
	if explicit := n.declared.NodeLength(f); explicit != 0 {
		return explicit
	}
	switch {
	case n.role == site.RoleCiliumPool && f == space.IPv4:
		return poolNode4
	case n.role == site.RoleCiliumPool:
		return poolNode6
	case n.name == string(site.RolePod) && s.Datapath.PerNode() && f == space.IPv6:
		return podNode6
	case n.name == string(site.RolePod) && s.Datapath.PerNode():
		return podNode4(s.PodsPerNode)
	default:
		return 0
	}
}

// podNode4 returns the node range for so many pods: twice their number, so that
// addresses are not reused at once when pods are replaced, less the three
// addresses that a node loses (network, broadcast, gateway or router). 110 pods
// need a /24, 60 a /25, 250 a /23 (Kubernetes' own rule of thumb).
func podNode4(podsPerNode int) int { return 32 - log2Ceil(2*podsPerNode+3) }

// prefixLength returns the length that a network needs in one family.
func prefixLength(s *site.Site, n wanted, f space.Family) int {
	if explicit := n.declared.Length(f); explicit != 0 {
		return explicit
	}
	return min(neededLength(s, n, f), conventionalLength(n, f))
}

// neededLength returns the longest prefix that holds what the sizes ask for.
func neededLength(s *site.Site, n wanted, f space.Family) int {
	width := f.Bits()
	if node := nodeLength(s, n, f); node != 0 {
		return max(node-log2Ceil(s.MaxNodes), 1)
	}
	switch n.role {
	case site.RolePod:
		return width - log2Ceil(s.MaxNodes*s.PodsPerNode+3) // network, broadcast, gateway
	case site.RoleService:
		return width - log2Ceil(s.MaxServices+2)
	case site.RoleJoin, site.RoleTransit:
		return width - log2Ceil(s.MaxNodes+3)
	case site.RoleNode:
		highest := int64(1)
		for _, number := range s.Hosts {
			highest = max(highest, number)
		}
		return width - log2Ceil(int(highest)+2)
	default:
		return width
	}
}

// cutLength returns the length of a network that is cut to size, without the
// minimum that its convention sets. The conventional networks are cut so where
// the address space leaves no room for the convention itself, as in the block of
// a fleet's site.
func cutLength(s *site.Site, n wanted, f space.Family) int {
	if explicit := n.declared.Length(f); explicit != 0 || n.name != string(n.role) {
		return prefixLength(s, n, f)
	}
	switch n.role {
	case site.RolePod, site.RoleService, site.RoleJoin, site.RoleTransit:
		return neededLength(s, n, f)
	default:
		return prefixLength(s, n, f)
	}
}

// Need returns the length of the block that holds all that the planner places
// for a site in one family, or 0 if it places nothing there. Networks whose
// convention lies in shared are placed there by every site alike. Blocks of
// powers of two fill a block without a gap when the largest are placed first.
func Need(s *site.Site, f space.Family, shared []netip.Prefix) int {
	pl := newPlanner(s, nil)
	pl.collect()
	sum := new(big.Int)
	for _, w := range pl.wanted {
		if w.carved() || w.declared.PinnedIn(f) || !slices.Contains(pl.familiesOf(w), f) {
			continue
		}
		if prefix, _, ok := convention(s, w.role, f, w.lengths[f]); ok && w.name == string(w.role) && insideAny(prefix, shared) {
			continue
		}
		length := max(1, cutLength(s, *w, f)-w.declared.Growth)
		sum.Add(sum, new(big.Int).Lsh(big.NewInt(1), uint(f.Bits()-length)))
	}
	if sum.Sign() == 0 {
		return 0
	}
	return max(1, f.Bits()-new(big.Int).Sub(sum, big.NewInt(1)).BitLen())
}

func insideAny(p netip.Prefix, outer []netip.Prefix) bool {
	return slices.ContainsFunc(outer, func(o netip.Prefix) bool { return o.Bits() <= p.Bits() && o.Overlaps(p) })
}

// conventionalLength is the length that a network has at least; only a Cilium
// pool is cut to size.
func conventionalLength(n wanted, f space.Family) int {
	v4 := f == space.IPv4
	switch n.role {
	case site.RoleCiliumPool:
		return f.Bits()
	case site.RolePod:
		if n.name != string(site.RolePod) && v4 {
			return 24
		}
		if v4 {
			return 16
		}
		return 56
	case site.RoleService, site.RoleJoin, site.RoleTransit:
		if v4 {
			return 16
		}
		return 112
	case site.RoleLoadBalancer:
		if v4 {
			return 24
		}
		return 112
	case site.RoleContainer:
		if v4 {
			return 16
		}
		return 56
	default:
		if v4 {
			return 24
		}
		return 64
	}
}

// allocatorOf says who hands out the addresses of a network.
func allocatorOf(s *site.Site, n wanted) site.Allocator {
	if n.declared.Allocator != "" {
		return n.declared.Allocator
	}
	switch n.role {
	case site.RolePod:
		switch {
		case s.Datapath.Kubeovn():
			return site.AllocatorKubeOVN
		case s.Datapath == site.CiliumClusterPool:
			return site.AllocatorCiliumOperator
		default:
			return site.AllocatorKubeControllerManager
		}
	case site.RoleService:
		return site.AllocatorKubeAPIServer
	case site.RoleCiliumPool:
		return site.AllocatorCiliumOperator
	case site.RoleJoin:
		return site.AllocatorKubeOVN
	case site.RoleTransit:
		return site.AllocatorKilo
	case site.RoleLoadBalancer:
		if s.Datapath == site.CiliumClusterPool || s.Datapath == site.CiliumKubernetes {
			return site.AllocatorCiliumLBIPAM
		}
		return site.AllocatorMetalLB
	case site.RoleNode:
		return site.AllocatorStatic
	case site.RoleContainer:
		return ""
	default:
		return site.AllocatorExternal
	}
}

// idle names the allocators that run although nobody uses their addresses.
// kube-controller-manager cuts node ranges out of the cluster CIDR wherever
// allocate-node-cidrs is on, whoever hands out pod addresses (Talos and K3s
// switch it on by themselves).
func idle(s *site.Site) []Idle {
	if s.Datapath == site.CiliumKubernetes || s.Datapath == site.NodeIPAM || s.Datapath == "" {
		return nil
	}
	return []Idle{{
		Allocator: site.AllocatorKubeControllerManager,
		Network:   string(site.RolePod),
		Reason:    "it cuts Node.spec.podCIDR out of the cluster CIDR, which nothing reads in the datapath " + string(s.Datapath),
		SwitchOff: switchOff(s.Distribution),
	}}
}

func switchOff(d site.Distribution) string {
	switch d {
	case site.Talos:
		return `cluster.controllerManager.extraArgs: allocate-node-cidrs: "false" (talm: allocateNodeCIDRs: false)`
	case site.K3s, site.RKE2:
		return `kube-controller-manager-arg: ["allocate-node-cidrs=false"]`
	default:
		return "kube-controller-manager --allocate-node-cidrs=false"
	}
}
