// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"math/big"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func overlapRules() []Rule {
	return []Rule{
		{
			Slug: "overlap", Severity: Error, Firm: true, Title: "Two allocators on one range",
			Explanation: "Every address has exactly one allocator. Where the ranges of two networks overlap and neither is carved out of the other, two allocators hand out the same addresses without knowing of each other. Under Kube-OVN with Cilium behind it, a pod that is given an agent's Ingress address is refused (`IP ipv4:… is already in use`, Cilium pkg/endpoint/api/endpoint_api_manager.go); one that is given its router address runs, but its own node cannot reach it (cozystack#3740). Kube-OVN's controller exits when its join, pod and service ranges overlap (pkg/util/net.go, CheckSystemCIDR); Talos takes node addresses inside pod and service ranges for no addresses at all (controllers/k8s/nodeip.go).",
			check:       checkOverlap,
		},
		{
			Slug: "reserved-overlap", Severity: Error, Firm: true, Title: "Range that is reserved for somebody else",
			Explanation: "A range in `reserved` belongs to somebody else: an office network, another cluster, a VPN. Nodes and pods route an address inside their own ranges to themselves, so whatever is really there becomes unreachable from the cluster, and answers to it go astray.",
			check:       checkReserved,
		},
		{
			Slug: "outside-address-space", Severity: Error, Title: "Range outside the address space",
			Explanation: "The declared `address_space` is what the site may use. A pinned range outside of it is either a slip or an address space that is not stated completely.",
			check:       checkAddressSpace,
		},
	}
}

// checkOverlap reports each pair of networks whose claims share addresses, once,
// with every shared range.
func checkOverlap(c *check) {
	claims := c.plan.Claims()
	for j := range claims {
		for i := range j {
			a, b := claims[i], claims[j]
			if a.Network == b.Network || !a.Addresses.Overlaps(b.Addresses) || c.followsFrom(a, b) || c.followsFrom(b, a) || c.apart(a, b) {
				continue
			}
			c.reportOverlap(a, b)
		}
	}
}

// apart reports whether two pod networks lie in different VPCs of Kube-OVN, which
// may repeat ranges. Behind Cilium they may not: it knows an endpoint by its
// address alone (kube-ovn#4952, cilium#37459).
func (c *check) apart(a, b plan.Claim) bool {
	first, _ := c.plan.Network(a.Network)
	second, _ := c.plan.Network(b.Network)
	return c.site.Datapath == site.KubeOVN && first.Role == site.RolePod && second.Role == site.RolePod && first.VPC != second.VPC
}

// followsFrom reports whether the overlap of a carve-out with another network is
// only a part of the overlap that its own network has with it.
func (c *check) followsFrom(carved, other plan.Claim) bool {
	n, _ := c.plan.Network(carved.Network)
	parent, ok := c.plan.Network(n.CarvedFrom)
	if !ok || parent.Name == other.Network || parent.Role == site.RoleContainer {
		return false
	}
	with, _ := c.plan.Network(other.Network)
	return with.CarvedFrom != parent.Name && len(sharedNetworks(parent, with)) > 0
}

// sharedNetworks returns what the ranges of two networks have in common, carve-outs
// included.
func sharedNetworks(a, b plan.Network) []netipx.IPRange {
	var x, y netipx.IPSetBuilder
	for _, r := range a.Ranges {
		x.AddRange(r.IPRange)
	}
	for _, r := range b.Ranges {
		y.AddRange(r.IPRange)
	}
	return sharedRanges(setOf(&x), setOf(&y))
}

func (c *check) reportOverlap(a, b plan.Claim) {
	first, _ := c.plan.Network(a.Network)
	second, _ := c.plan.Network(b.Network)
	if c.later(first, second) {
		first, second = second, first
		a, b = b, a
	}
	shared := sharedRanges(a.Addresses, b.Addresses)
	if a.Allocator != site.AllocatorDHCP && b.Allocator != site.AllocatorDHCP && first.CarvedFrom != second.Name && second.CarvedFrom != first.Name {
		shared = sharedNetworks(first, second) // what people wrote, carve-outs or not
	}
	consequence, remedy := c.explainOverlap(first, second, shared[0])
	c.report(Finding{
		Networks: []string{second.Name, first.Name},
		Ranges:   formatAll(shared),
		Message: fmt.Sprintf("%s of the network %q (%s) overlaps %s of the network %q (%s) in %s.",
			claimText(second, b), second.Name, b.Allocator, claimText(first, a), first.Name, a.Allocator, listRanges(shared)),
		Consequence: consequence, Remedy: remedy,
		Path: c.path(second, shared[0]),
	})
}

// later reports whether network a is declared after network b, so that the
// finding belongs to it. A network without a block is never the later one.
func (c *check) later(a, b plan.Network) bool {
	return c.position(a) > c.position(b)
}

func (c *check) position(n plan.Network) int {
	for i, declared := range c.site.Networks {
		if declared.Name == n.Name {
			return i
		}
	}
	return -1
}

// explainOverlap says what would happen, by the roles of the two networks, and a
// range that works for the second one.
func (c *check) explainOverlap(first, second plan.Network, shared netipx.IPRange) (consequence, remedy string) {
	consequence = overlapConsequence(first, second)
	family := space.FamilyOf(shared.From())
	if pool, pod, ok := pair(first, second, site.RoleCiliumPool, site.RolePod); ok && c.site.Datapath.Kubeovn() {
		length := c.poolLength(pool, family)
		if prefix, ok := plan.SuggestInside(withoutNetwork(c.plan, pool.Name), pod.Name, family, length); ok {
			return consequence, fmt.Sprintf("Cut the pool from the end of the pod range and exclude it there: carved_from = %q on the network %q, for example cidrs = [%q].", pod.Name, pool.Name, prefix)
		}
	}
	length := blockLength(second, family)
	if second.CarvedFrom == first.Name {
		if prefix, ok := c.suggest(second, family, length); ok {
			return consequence, fmt.Sprintf("Move one of them inside %q; %s is free there.", first.Name, prefix)
		}
		return consequence, fmt.Sprintf("Make room inside %q: nothing of that size is free there.", first.Name)
	}
	if prefix, ok := c.suggest(second, family, length); ok {
		return consequence, fmt.Sprintf("Give %q a range of its own, for example %s, or say that it is carved out: carved_from = %q.", second.Name, prefix, first.Name)
	}
	return consequence, fmt.Sprintf("Give one of the two a range of its own; the address space has no free /%d left for %q, so add a prefix to address_space.", length, second.Name)
}

// claimText writes the ranges that a claim comes from.
func claimText(n plan.Network, claim plan.Claim) string {
	if claim.Allocator == site.AllocatorDHCP {
		return listRanges(claim.Addresses.Ranges())
	}
	return rangesText(n)
}

// blockLength returns the length of the smallest block as large as what a network
// holds of one family.
func blockLength(n plan.Network, f space.Family) int {
	count := new(big.Int)
	for _, r := range n.Ranges {
		if r.Family() == f {
			count.Add(count, space.Count(r.IPRange))
		}
	}
	if count.Sign() == 0 {
		return f.Bits() - 8
	}
	return max(1, f.Bits()-new(big.Int).Sub(count, big.NewInt(1)).BitLen())
}

// poolLength returns the length of a pool that gives every node its range.
func (c *check) poolLength(pool plan.Network, f space.Family) int {
	return max(1, nodeLen(pool, f)-log2Ceil(c.site.MaxNodes))
}

// withoutNetwork returns the plan as it would be if a network were gone.
func withoutNetwork(p *plan.Plan, name string) *plan.Plan {
	out := *p
	out.Networks = nil
	for _, n := range p.Networks {
		if n.Name != name {
			out.Networks = append(out.Networks, n)
		}
	}
	return &out
}

// pair returns the two networks ordered by the roles asked for.
func pair(a, b plan.Network, x, y site.Role) (plan.Network, plan.Network, bool) {
	switch {
	case a.Role == x && b.Role == y:
		return a, b, true
	case b.Role == x && a.Role == y:
		return b, a, true
	default:
		return a, b, false
	}
}

func overlapConsequence(a, b plan.Network) string {
	between := func(x, y site.Role) bool { _, _, ok := pair(a, b, x, y); return ok }
	agentAndPods := (a.Allocator == site.AllocatorKubeOVN && takesAgentAddresses(b)) || (b.Allocator == site.AllocatorKubeOVN && takesAgentAddresses(a))
	switch {
	case agentAndPods && (a.Role == site.RolePod || b.Role == site.RolePod):
		return "Kube-OVN sooner or later gives a pod an address that a Cilium agent already holds: as its Ingress address the sandbox is refused (\"already in use\"), as its router address the pod runs, but its own node reaches itself instead of the pod and probes fail without a word."
	case between(site.RolePod, site.RoleService):
		return "A pod and a Service get the same address: the ClusterIP is unreachable from pods, or the pod is, and DNS is usually the first to go."
	case between(site.RolePod, site.RoleNode), between(site.RoleService, site.RoleNode), between(site.RoleCiliumPool, site.RoleNode), between(site.RoleJoin, site.RoleNode):
		return "Nodes route the shared addresses into the cluster instead of onto the link: other nodes, the gateway or the API server become unreachable, often while the CNI is being installed. Talos does not accept such an address as its own and kubelet never starts."
	case between(site.RoleLoadBalancer, site.RoleNode):
		return "A Service is given an address that a machine of that network holds: both answer ARP, and clients reach now one, now the other."
	case between(site.RoleLoadBalancer, site.RoleLoadBalancer):
		return "Two pools hand out the same address: Cilium disables the newer pool as a whole (cilium.io/PoolConflict), and with MetalLB beside it two Services answer for one address."
	case a.Role == site.RoleJoin || b.Role == site.RoleJoin || a.Role == site.RoleService && b.Role == site.RolePod:
		return "Kube-OVN's controller exits at start (check system cidr failed) where its own ranges overlap, and node-to-pod traffic takes the wrong way where others do."
	default:
		return "Two machines or pods are given the same address. Which of them answers depends on who asks."
	}
}

func takesAgentAddresses(n plan.Network) bool {
	return n.Role == site.RoleCiliumPool || n.Allocator == site.AllocatorCiliumAgent || n.Allocator == site.AllocatorCiliumOperator || n.Allocator == site.AllocatorKubeControllerManager
}

// checkReserved reports every part of a network that is reserved.
func checkReserved(c *check) {
	for _, n := range c.plan.Networks {
		if n.Role == site.RoleContainer {
			continue
		}
		for _, reserved := range c.site.Reserved {
			for _, theirs := range reserved.Ranges {
				for _, r := range n.Ranges {
					if shared, ok := space.Intersection(r.IPRange, theirs); ok {
						c.reportReserved(n, r, reserved.Name, theirs, shared)
					}
				}
			}
		}
	}
}

func (c *check) reportReserved(n plan.Network, r plan.Range, owner string, theirs, shared netipx.IPRange) {
	remedy := fmt.Sprintf("Give %q another range, or take %s out of reserved if it is free after all.", n.Name, space.FormatRange(theirs))
	if prefix, ok := r.Prefix(); ok {
		if other, ok := c.suggest(n, r.Family(), prefix.Bits()); ok {
			remedy = fmt.Sprintf("Give %q another range, for example %s, or take %s out of reserved if it is free after all.", n.Name, other, space.FormatRange(theirs))
		}
	}
	c.report(Finding{
		Networks:    []string{n.Name},
		Ranges:      []string{space.FormatRange(shared)},
		Message:     fmt.Sprintf("%s of the network %q touches %s, which is reserved for %s, in %s.", r, n.Name, space.FormatRange(theirs), owner, space.FormatRange(shared)),
		Consequence: fmt.Sprintf("Nodes and pods take the addresses of %s for their own: what is there becomes unreachable from the cluster, and replies to it are lost.", owner),
		Remedy:      remedy,
		Path:        c.path(n, shared),
	})
}

// checkAddressSpace reports pinned ranges outside of a declared address space.
// The default address space is no statement of the user, so nothing is outside.
func checkAddressSpace(c *check) {
	if slices.Equal(c.site.AddressSpace, site.DefaultAddressSpace(c.site.Name)) {
		return
	}
	var b netipx.IPSetBuilder
	for _, prefix := range c.site.AddressSpace {
		b.AddPrefix(prefix)
	}
	declared := setOf(&b)
	for _, n := range c.plan.Networks {
		for _, r := range n.Ranges {
			if declared.ContainsRange(r.IPRange) {
				continue
			}
			remedy := "Add the range to address_space, or pin the network elsewhere."
			if prefix, ok := r.Prefix(); ok {
				if other, ok := c.suggest(n, r.Family(), prefix.Bits()); ok {
					remedy = fmt.Sprintf("Add %s to address_space, or use a range inside of it, for example %s.", r, other)
				}
			}
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{r.String()},
				Message:     fmt.Sprintf("%s of the network %q lies outside the declared address space.", r, n.Name),
				Consequence: "The range may belong to somebody who does not know that this site uses it.",
				Remedy:      remedy, Path: c.path(n, r.IPRange),
			})
		}
	}
}
