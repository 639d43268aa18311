// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func kubeovnRules() []Rule {
	return []Rule{
		{
			Slug: "two-allocators", Severity: rules.Error, Title: "Kube-OVN and Cilium hand out one range",
			Explanation: "Kube-OVN hands out pod addresses of a range that Cilium's agents draw their router and Ingress addresses from as well. Their offsets are random, so that no fixed list of exclusions helps; sooner or later a pod is given one of them (cozystack#3740).",
			check:       twoAllocators,
		},
		{
			Slug: "exclusion-unreadable", Severity: rules.Error, Title: "Exclusion that Kube-OVN does not read",
			Explanation: "`excludeIps` takes an address or `first..last`. A prefix, a dash or a blank is rewritten to `<nil>`, which excludes nothing and stops the Subnet's validation (pkg/controller/subnet.go).",
			check:       exclusionUnreadable,
		},
		{
			Slug: "exclusion-missing", Severity: rules.Error, Title: "Carve-out that the Subnet does not exclude",
			Explanation: "The plan carves a range out of the pods', but the Subnet does not exclude all of it. Kube-OVN reads its flag only when it creates the Subnet; later only the Subnet itself counts (pkg/controller/init.go).",
			check:       exclusionMissing,
		},
		{
			Slug: "carved-address-held", Severity: rules.Error, Title: "Address inside a carve-out is held",
			Explanation: "Kube-OVN holds an address inside a range that is carved out for somebody else: a holder keeps it when the exclusion comes, static addresses pass by exclusions, and up to 1.15.23 an IPPool leaked them (kube-ovn#7275).",
			check:       carvedAddressHeld,
		},
		{
			Slug: "subnet-differs", Severity: rules.Error, Title: "Subnet differs from the plan",
			Explanation: "The Subnet has another range than the plan. Kube-OVN ignores a changed POD_CIDR or JOIN_CIDR once the Subnet exists, so that the values look right and are not in force (pkg/controller/init.go).",
			check:       subnetDiffers,
		},
		{
			Slug: "subnets-overlap", Severity: rules.Error, Title: "Two Subnets of one VPC overlap",
			Explanation: "Two Subnets of one VPC and VLAN overlap. Kube-OVN 1.15 reports it and continues (kube-ovn#6489). In different VPCs ranges may repeat.",
			check:       subnetsOverlap,
		},
		{
			Slug: "subnet-invalid", Severity: rules.Error, Title: "Subnet with an error",
			Explanation: "Kube-OVN's controller says in the Subnet's conditions what is wrong with it, and stops there.",
			check:       subnetInvalid,
		},
		{
			Slug: "next-collision", Severity: rules.Warning, Title: "The next address that is held comes up",
			Explanation: "Kube-OVN hands out the lowest free address first, and a released one only when the rest is used up or the controller restarts (pkg/ipam/subnet.go). So the number of pods until an address that an agent holds comes up can be counted.",
			check:       nextCollision,
		},
	}
}

// overlay reports whether a Subnet is of the default VPC and its addresses reach the
// nodes' routing.
func overlay(n cluster.Subnet) bool {
	return (n.VPC == "" || n.VPC == "ovn-cluster") && (n.VLAN == "" || n.LogicalGateway)
}

// exclusions reads the exclusions of a Subnet as the controller does. bad are those
// that it cannot read.
func exclusions(n cluster.Subnet) (out []netipx.IPRange, bad []string) {
	for _, text := range n.ExcludeIPs {
		first, last, found := strings.Cut(text, "..")
		if !found {
			last = first
		}
		from, err1 := netip.ParseAddr(first)
		to, err2 := netip.ParseAddr(last)
		if r := netipx.IPRangeFrom(from, to); err1 == nil && err2 == nil && r.IsValid() {
			out = append(out, r)
		} else {
			bad = append(bad, text)
		}
	}
	return out, bad
}

// handedOut is what Kube-OVN may hand out of a Subnet.
func handedOut(n cluster.Subnet) *netipx.IPSet {
	var b netipx.IPSetBuilder
	for _, prefix := range n.CIDRs {
		b.AddPrefix(prefix)
	}
	excluded, _ := exclusions(n)
	for _, r := range excluded {
		b.RemoveRange(r)
	}
	out, err := b.IPSet()
	if err != nil {
		return &netipx.IPSet{}
	}
	return out
}

func twoAllocators(a *audit) {
	for _, n := range a.Subnets {
		if !overlay(n) {
			continue
		}
		free := handedOut(n)
		var objects, ranges, names []string
		for _, c := range a.CiliumNodes {
			for _, prefix := range c.PodCIDRs {
				if free.OverlapsPrefix(prefix) {
					objects = append(objects, "CiliumNode/"+c.Name.Name)
					ranges = append(ranges, prefix.String())
					names = append(names, fmt.Sprintf("%s of %s", prefix, c.Name))
				}
			}
		}
		if len(objects) == 0 {
			continue
		}
		a.find(Finding{
			Objects: append([]string{"Subnet/" + n.Name.Name}, objects...), Addresses: ranges,
			Message:     fmt.Sprintf("The Subnet %s (%s) hands out addresses of ranges that Cilium's agents draw from: %s.", n.Name, joined(n.CIDRs), several(names)),
			Consequence: "Sooner or later a pod is given an address that an agent holds: an Ingress address is refused loudly, a router address fails in silence.",
			Remedy:      "Give Cilium a pool of its own: ipam.mode cluster-pool, cut from the end of the Subnet's range and excluded in it as first..last.",
		})
		a.stopGap(n)
	}
}

// stopGap lists the agents' addresses of today that a Subnet may hand out.
func (a *audit) stopGap(n cluster.Subnet) {
	free := handedOut(n)
	for _, i := range a.report.Infrastructure {
		if free.Contains(i.Address) && !slices.Contains(a.report.Exclude, i.Address.String()) {
			a.report.Exclude = append(a.report.Exclude, i.Address.String())
		}
	}
	slices.Sort(a.report.Exclude)
}

func exclusionUnreadable(a *audit) {
	for _, n := range a.Subnets {
		_, bad := exclusions(n)
		if len(bad) == 0 {
			continue
		}
		a.find(Finding{
			Objects: []string{"Subnet/" + n.Name.Name}, Addresses: bad,
			Message:     fmt.Sprintf("The Subnet %s excludes %q, which Kube-OVN cannot read.", n.Name, bad),
			Consequence: "Nothing is excluded by it, and the controller stops at this Subnet: ip <nil> in excludeIps is not a valid address.",
			Remedy:      "Write " + readable(bad) + ".",
		})
	}
}

// readable writes exclusions as the controller reads them.
func readable(list []string) string {
	var out []string
	for _, text := range list {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err == nil {
			out = append(out, space.First(prefix).String()+".."+space.Last(prefix).String())
		} else if from, to, found := strings.Cut(text, "-"); found {
			out = append(out, strings.TrimSpace(from)+".."+strings.TrimSpace(to))
		}
	}
	if len(out) == 0 {
		return "an address, or first..last"
	}
	return strings.Join(out, ", ")
}

// subnetOf returns the Subnet of a planned network.
func (a *audit) subnetOf(n plan.Network) (cluster.Subnet, bool) {
	want := strings.ReplaceAll(n.Name, "_", "-")
	switch {
	case n.Name == string(site.RolePod):
		want = "ovn-default"
	case n.Role == site.RoleJoin:
		want = "join"
	}
	for _, s := range a.Subnets {
		if s.Name.Name == want {
			return s, true
		}
	}
	return cluster.Subnet{}, false
}

func exclusionMissing(a *audit) {
	if a.plan == nil {
		return
	}
	for _, n := range a.plan.Networks {
		subnet, ok := a.subnetOf(n)
		if !ok || n.Allocator != site.AllocatorKubeOVN || len(n.Excluded) == 0 {
			continue
		}
		free := handedOut(subnet)
		var missing []string
		for i, r := range n.Excluded {
			if free.OverlapsRange(r.IPRange) {
				missing = append(missing, n.ExcludedTexts()[i])
			}
		}
		if len(missing) == 0 {
			continue
		}
		a.find(Finding{
			Objects: []string{"Subnet/" + subnet.Name.Name}, Addresses: missing,
			Message:     fmt.Sprintf("The plan carves %s out of %s, but the Subnet %s does not exclude it.", strings.Join(missing, ", "), joined(subnet.CIDRs), subnet.Name),
			Consequence: "Kube-OVN hands these addresses out to pods, although they belong to somebody else.",
			Remedy:      fmt.Sprintf("Add %s to spec.excludeIps of the Subnet. The flag EXCLUDE_IPS counts only when the Subnet is created.", strings.Join(missing, ", ")),
		})
	}
}

func carvedAddressHeld(a *audit) {
	if a.plan == nil {
		return
	}
	for _, n := range a.plan.Networks {
		if n.Allocator != site.AllocatorKubeOVN || len(n.Excluded) == 0 {
			continue
		}
		var ranges []netipx.IPRange
		for _, r := range n.Excluded {
			ranges = append(ranges, r.IPRange)
		}
		carved := set(ranges...)
		a.podAddresses(func(h held) {
			if !carved.Contains(h.addr) {
				return
			}
			a.find(Finding{
				Objects: []string{"Pod/" + h.pod.String()}, Addresses: []string{h.addr.String()},
				Message:     fmt.Sprintf("The pod %s holds %s, which the plan carves out of the network %q.", h.pod, h.addr, n.Name),
				Consequence: "Whoever the range is carved out for hands out the same address.",
				Remedy:      fmt.Sprintf("See that the Subnet excludes the range, then recreate the pod %s; a virtual machine or a static annotation keeps its address until that is changed.", h.pod),
			})
		})
	}
}

func subnetDiffers(a *audit) {
	if a.plan == nil {
		return
	}
	for _, n := range a.plan.Networks {
		subnet, ok := a.subnetOf(n)
		if !ok || n.Allocator != site.AllocatorKubeOVN || sameRanges(subnet.CIDRs, n.Prefixes()) {
			continue
		}
		a.find(Finding{
			Objects: []string{"Subnet/" + subnet.Name.Name}, Addresses: append(texts(subnet.CIDRs), texts(n.Prefixes())...),
			Message:     fmt.Sprintf("The Subnet %s has %s, but the plan says %s.", subnet.Name, joined(subnet.CIDRs), joined(n.Prefixes())),
			Consequence: "Pods have addresses of the Subnet's range, whatever values and files say.",
			Remedy:      fmt.Sprintf("If the cluster is right, pin cidrs = %q on the network %q of the site. If the plan is right, the Subnet must be changed and every pod recreated.", texts(subnet.CIDRs), n.Name),
		})
	}
}

func subnetsOverlap(a *audit) {
	for i, x := range a.Subnets {
		for _, y := range a.Subnets[i+1:] {
			if x.VLAN != y.VLAN || vpc(x) != vpc(y) {
				continue
			}
			for _, p := range x.CIDRs {
				for _, q := range y.CIDRs {
					common, ok := overlap(p, q)
					if !ok {
						continue
					}
					a.find(Finding{
						Objects: []string{"Subnet/" + x.Name.Name, "Subnet/" + y.Name.Name}, Addresses: []string{common.String()},
						Message:     fmt.Sprintf("The Subnets %s (%s) and %s (%s) of the VPC %s have %s in common.", x.Name, p, y.Name, q, vpc(x), common),
						Consequence: "Both hand out the same addresses in one network.",
						Remedy:      "Give each a range of its own.",
					})
				}
			}
		}
	}
}

func vpc(n cluster.Subnet) string {
	if n.VPC == "" {
		return "ovn-cluster"
	}
	return n.VPC
}

func subnetInvalid(a *audit) {
	for _, n := range a.Subnets {
		if len(n.Errors) == 0 {
			continue
		}
		a.find(Finding{
			Objects: []string{"Subnet/" + n.Name.Name}, Addresses: texts(n.CIDRs),
			Message:     fmt.Sprintf("Kube-OVN says of the Subnet %s: %s.", n.Name, strings.TrimSuffix(strings.Join(n.Errors, "; "), ".")),
			Consequence: "Its controller stops there; what changes in the Subnet later has no effect.",
			Remedy:      "Mend what the condition names.",
		})
	}
}
