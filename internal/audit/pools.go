// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func poolRules() []Rule {
	return []Rule{
		{
			Slug: "pool-block-wrong", Severity: rules.Error, Title: "LoadBalancer block that is not what is written",
			Explanation: "A block with host bits means the masked prefix: `192.168.100.200/28` is .192 to .207. A block that is none is only logged by the operator (operator/pkg/lbipam).",
			check:       poolBlockWrong,
		},
		{
			Slug: "pools-overlap", Severity: rules.Error, Title: "LoadBalancer pools overlap",
			Explanation: "Two pools, or two blocks of one, have addresses in common. Cilium disables the newer one completely, whatever their selectors say and also where one is disabled; MetalLB refuses both. A pool of Cilium's and one of MetalLB's do not see each other.",
			check:       poolsOverlap,
		},
		{
			Slug: "pool-holds-node", Severity: rules.Error, Title: "LoadBalancer pool holds a node's address",
			Explanation: "A LoadBalancer pool holds the address of a node, which nothing checks: both answer for it (metallb#364).",
			check:       poolHoldsNode,
		},
		{
			Slug: "pool-in-cluster-range", Severity: rules.Error, Title: "LoadBalancer pool inside a range of the cluster",
			Explanation: "A LoadBalancer pool overlaps a range of pods, Services or agents, whose addresses are routed inside the cluster.",
			check:       poolInClusterRange,
		},
		{
			Slug: "service-outside-pools", Severity: rules.Warning, Title: "Service with an address of no pool",
			Explanation: "A Service has or asks for a LoadBalancer address that no pool holds: it keeps the one that it has until it changes, and a new one is never given.",
			check:       serviceOutsidePools,
		},
		{
			Slug: "pool-differs", Severity: rules.Error, Title: "LoadBalancer pools differ from the plan",
			Explanation: "The pools of the cluster hold addresses that the plan gives to no LoadBalancer network, or lack some that it does.",
			check:       poolDiffers,
		},
	}
}

// block is a block of a pool as addresses.
type block struct {
	pool cluster.LoadBalancerPool
	text string
	ip   netipx.IPRange
}

// String names the block's pool.
func (b block) String() string { return poolObject(b.pool) }

func poolObject(p cluster.LoadBalancerPool) string {
	if p.MetalLB {
		return "IPAddressPool/" + p.Name.String()
	}
	return "CiliumLoadBalancerIPPool/" + p.Name.String()
}

// blocks returns every block that can be read, as the addresses that it hands out.
func (a *audit) blocks() []block {
	var out []block
	for _, p := range a.LoadBalancerPools {
		for _, text := range p.Blocks {
			r, ok := artifact.LooseRange(text)
			if !ok {
				continue
			}
			if prefix, err := netip.ParsePrefix(text); err == nil && p.InnerOnly && prefix.Bits() < prefix.Addr().BitLen()-1 {
				r = netipx.IPRangeFrom(r.From().Next(), r.To().Prev())
			}
			out = append(out, block{p, text, r})
		}
	}
	return out
}

func poolBlockWrong(a *audit) {
	for _, p := range a.LoadBalancerPools {
		for _, text := range p.Blocks {
			r, ok := artifact.LooseRange(text)
			if !ok {
				a.find(Finding{
					Objects: []string{poolObject(p)}, Addresses: []string{text},
					Message: fmt.Sprintf("The block %q of %s is no range.", text, poolObject(p)), Consequence: "Nothing is handed out from it; only a log says so.",
					Remedy: "Write a prefix, or a first and a last address.",
				})
				continue
			}
			prefix, err := netip.ParsePrefix(text)
			if err != nil || prefix == prefix.Masked() {
				continue
			}
			meant := netipx.IPRangeFrom(prefix.Addr(), prefix.Addr())
			a.find(Finding{
				Objects: []string{poolObject(p)}, Addresses: []string{text, space.FormatRange(r)},
				Message:     fmt.Sprintf("The block %s of %s has host bits and means %s, that is %s to %s.", text, poolObject(p), prefix.Masked(), r.From(), r.To()),
				Consequence: fmt.Sprintf("Addresses below %s are handed out that were not meant, and those at the end are not.", meant.From()),
				Remedy:      fmt.Sprintf("Write %s if that is meant, or start and stop.", prefix.Masked()),
			})
		}
	}
}

func poolsOverlap(a *audit) {
	all := a.blocks()
	slices.SortStableFunc(all, func(x, y block) int { return cmp.Or(x.ip.From().Compare(y.ip.From()), y.ip.To().Compare(x.ip.To())) })
	for i, x := range all {
		for _, y := range all[i+1:] {
			if x.ip.To().Less(y.ip.From()) {
				break
			}
			common, ok := space.Intersection(x.ip, y.ip)
			if !ok {
				continue
			}
			text := space.FormatRange(common)
			consequence := "Cilium disables the newer pool completely: its Services stay pending."
			if x.pool.MetalLB || y.pool.MetalLB {
				consequence = "Both hand out the same addresses to Services."
			}
			a.find(Finding{
				Objects: slices.Compact([]string{x.String(), y.String()}), Addresses: []string{text},
				Message:     fmt.Sprintf("%s (%s) and %s (%s) have %s in common.", x, x.text, y, y.text, text),
				Consequence: consequence,
				Remedy:      fmt.Sprintf("Take %s out of one of the two; selectors do not keep pools apart.", text),
			})
		}
	}
}

func poolHoldsNode(a *audit) {
	for _, b := range a.blocks() {
		for _, n := range a.Nodes {
			for _, addr := range n.InternalIPs {
				if !b.ip.Contains(addr) {
					continue
				}
				a.find(Finding{
					Objects: []string{b.String(), "Node/" + n.Name.Name}, Addresses: []string{addr.String()},
					Message:     fmt.Sprintf("%s (%s) holds %s, the address of the node %s.", b, b.text, addr, n.Name),
					Consequence: "A Service is given the node's address, and whoever answers first has the traffic.",
					Remedy:      fmt.Sprintf("Move the pool to addresses that no node has; %s belongs to %s.", addr, n.Name),
				})
			}
		}
	}
}

// clusterRange is a range of the cluster with what it is.
type clusterRange struct {
	what   string
	object string
	prefix netip.Prefix
}

// clusterRanges lists the ranges of pods, agents and Services.
func (a *audit) clusterRanges() []clusterRange {
	var out []clusterRange
	for _, prefix := range a.pool() {
		out = append(out, clusterRange{"Cilium's pool", a.configName, prefix})
	}
	for _, n := range a.Subnets {
		if overlay(n) {
			for _, prefix := range n.CIDRs {
				out = append(out, clusterRange{"the Subnet " + n.Name.Name, "Subnet/" + n.Name.Name, prefix})
			}
		}
	}
	for _, s := range a.ServiceCIDRs {
		for _, prefix := range s.CIDRs {
			out = append(out, clusterRange{"the Services' range", "ServiceCIDR/" + s.Name.Name, prefix})
		}
	}
	if cidrs, from := a.clusterCIDRs(); from != "" && !a.chained {
		for _, prefix := range cidrs {
			out = append(out, clusterRange{"the cluster CIDR", from, prefix})
		}
	}
	return out
}

func poolInClusterRange(a *audit) {
	for _, b := range a.blocks() {
		for _, c := range a.clusterRanges() {
			common, ok := space.Intersection(b.ip, netipx.RangeOfPrefix(c.prefix))
			if !ok {
				continue
			}
			a.find(Finding{
				Objects: []string{b.String(), c.object}, Addresses: []string{space.FormatRange(common)},
				Message:     fmt.Sprintf("%s (%s) and %s (%s) have %s in common.", b, b.text, c.what, c.prefix, space.FormatRange(common)),
				Consequence: "Traffic to such a LoadBalancer address is routed inside the cluster, to whoever has it there.",
				Remedy:      "Move the pool to a range of its own.",
			})
		}
	}
}

func serviceOutsidePools(a *audit) {
	if len(a.LoadBalancerPools) == 0 {
		return
	}
	var ranges []netipx.IPRange
	for _, b := range a.blocks() {
		ranges = append(ranges, b.ip)
	}
	pools := set(ranges...)
	for _, s := range a.Services {
		for _, addr := range unique(append(slices.Clone(s.LoadBalancerIPs), s.Requested...)) {
			if pools.Contains(addr) {
				continue
			}
			a.find(Finding{
				Objects: []string{"Service/" + s.Name.String()}, Addresses: []string{addr.String()},
				Message:     fmt.Sprintf("The Service %s has or asks for %s, which no pool holds.", s.Name, addr),
				Consequence: "It is not given that address again when it changes.",
				Remedy:      fmt.Sprintf("Put %s into a pool, or give the Service another address.", addr),
			})
		}
	}
}

func unique(list []netip.Addr) []netip.Addr {
	slices.SortFunc(list, netip.Addr.Compare)
	return slices.Compact(list)
}

func poolDiffers(a *audit) {
	if a.plan == nil || len(a.LoadBalancerPools) == 0 {
		return
	}
	var live, planned []netipx.IPRange
	for _, b := range a.blocks() {
		live = append(live, b.ip)
	}
	for _, n := range a.plan.Role(site.RoleLoadBalancer) {
		for _, r := range n.Ranges {
			planned = append(planned, r.IPRange)
		}
	}
	if len(planned) == 0 {
		return
	}
	extra, missing := space.Subtract(live, planned), space.Subtract(planned, live)
	if len(extra)+len(missing) == 0 {
		return
	}
	var addresses []string
	for _, r := range append(slices.Clone(extra), missing...) {
		addresses = append(addresses, space.FormatRange(r))
	}
	var objects []string
	for _, p := range a.LoadBalancerPools {
		objects = append(objects, poolObject(p))
	}
	a.find(Finding{
		Objects: objects, Addresses: addresses,
		Message:     fmt.Sprintf("The pools hold %s beyond the plan, and lack %s of it.", ranges(extra), ranges(missing)),
		Consequence: "Addresses are handed out that the plan gives to nobody, or to somebody else.",
		Remedy:      "Let cidrplan_load_balancer_pool write the pool, or declare its ranges on the site.",
	})
}

func ranges(list []netipx.IPRange) string {
	if len(list) == 0 {
		return "nothing"
	}
	out := make([]string, len(list))
	for i, r := range list {
		out[i] = space.FormatRange(r)
	}
	return several(out)
}
