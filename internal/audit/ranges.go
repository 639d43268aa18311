// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
)

func rangeRules() []Rule {
	return []Rule{
		{
			Slug: "node-range-differs", Severity: rules.Error, Title: "Node and CiliumNode say different ranges",
			Explanation: "In the mode `kubernetes` the agent copies `Node.spec.podCIDRs` into the CiliumNode, so that both must be equal; where they differ, the agent has not restarted since the switch (cilium pkg/nodediscovery). In `cluster-pool` Cilium reads its own pool alone: two pools that are not the same mean that routes, firewalls and policies which trust `Node.spec.podCIDR` are wrong.",
			check:       nodeRangeDiffers,
		},
		{
			Slug: "node-range-outside-pool", Severity: rules.Error, Title: "Node range outside the pool",
			Explanation: "The range of a CiliumNode lies outside the configured pool. Cilium's operator keeps an inherited range for ever and says so in `status.ipam.operator-status.error` only (operator/pkg/ipam/allocator/podcidr).",
			check:       nodeRangeOutsidePool,
		},
		{
			Slug: "node-range-length", Severity: rules.Warning, Title: "Node range of another length than the pool's",
			Explanation: "A range inside the pool that is not of the configured length was inherited and adopted silently: a /24 in a pool of /29 takes 32 nodes' blocks (operator/pkg/ipam/cidrset).",
			check:       nodeRangeLength,
		},
		{
			Slug: "operator-error", Severity: rules.Error, Title: "Cilium's operator cannot give a node its range",
			Explanation: "The operator reports an error in `status.ipam.operator-status.error`, the only trace of most of its failures. In the mode `kubernetes` the field may be left from before and says nothing.",
			check:       operatorError,
		},
		{
			Slug: "node-without-range", Severity: rules.Error, Title: "Node without a range",
			Explanation: "A node has no range to hand out. Its agent waits at its next start, `required IPv4 PodCIDR not available`; with `annotate-k8s-node` it may invent one (cilium#30629).",
			check:       nodeWithoutRange,
		},
		{
			Slug: "node-ranges-overlap", Severity: rules.Error, Title: "Two nodes have one range",
			Explanation: "The ranges of two nodes overlap, so that both hand out the same addresses (cilium#15500, #17277, #41986).",
			check:       nodeRangesOverlap,
		},
		{
			Slug: "agent-address-outside-range", Severity: rules.Warning, Title: "Agent holds an address outside its range",
			Explanation: "The router or Ingress address of an agent lies outside the range of its CiliumNode: the agent has not restarted since it got that range.",
			check:       agentAddressOutsideRange,
		},
		{
			Slug: "legacy-pod", Severity: rules.Error, Title: "Pod outside its node's range",
			Explanation: "A pod whose address is not in the range of its node was made before the range changed. It keeps working until the agent restarts, which then drops it (daemon/cmd/endpoint_restore.go). Pods that another CNI gives addresses to are not meant.",
			check:       legacyPods,
		},
		{
			Slug: "node-address-not-followed", Severity: rules.Warning, Title: "Agent does not know the node's address",
			Explanation: "A running agent does not copy a changed InternalIP into its CiliumNode (pkg/node/sync). Until it restarts, traffic of that node counts as `world` for policies.",
			check:       nodeAddressNotFollowed,
		},
		{
			Slug: "node-address-in-pod-range", Severity: rules.Error, Title: "Node's address inside a range of pods",
			Explanation: "The address of a node lies in the range of another node's pods, or in a Subnet of Kube-OVN's: that node takes the address for a pod's and cannot reach it. Nothing checks it (cilium#32296).",
			check:       nodeAddressInPodRange,
		},
		{
			Slug: "pods-meet-services", Severity: rules.Error, Title: "Pods' range overlaps the Services'",
			Explanation: "A range that pods have addresses of overlaps the Services'. A default counts too: 10.96.0.0/12 reaches 10.111.255.255.",
			check:       podsMeetServices,
		},
	}
}

// clusterCIDRs returns what kube-controller-manager cuts node ranges out of: its
// argument, or that of a K3s or RKE2 server, or their default.
func (a *audit) clusterCIDRs() (prefixes []netip.Prefix, from string) {
	for i := range a.Pods {
		p := &a.Pods[i]
		for _, argument := range p.Command {
			if value, ok := strings.CutPrefix(argument, "--cluster-cidr="); ok {
				return parsePrefixes(value), "Pod/" + p.Name.String()
			}
		}
	}
	for _, n := range a.Nodes {
		for _, argument := range n.Arguments {
			if value, ok := strings.CutPrefix(argument, "--cluster-cidr="); ok {
				return parsePrefixes(value), "Node/" + n.Name.Name
			}
		}
	}
	return nil, ""
}

func parsePrefixes(text string) []netip.Prefix {
	var out []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		if prefix, err := netip.ParsePrefix(strings.TrimSpace(part)); err == nil {
			out = append(out, prefix.Masked())
		}
	}
	return out
}

// sameRanges compares ranges without their order.
func sameRanges(a, b []netip.Prefix) bool {
	if len(a) != len(b) {
		return false
	}
	return !slices.ContainsFunc(a, func(p netip.Prefix) bool { return !slices.Contains(b, p) })
}

func nodeRangeDiffers(a *audit) {
	if a.mode != "kubernetes" && (a.mode != "cluster-pool" || a.chained || a.samePool()) {
		return
	}
	var objects, ranges, names []string
	for _, n := range a.Nodes {
		c, ok := a.ciliumNodes[n.Name.Name]
		if !ok || len(n.PodCIDRs) == 0 || len(c.PodCIDRs) == 0 || sameRanges(n.PodCIDRs, c.PodCIDRs) {
			continue
		}
		a.report.Mismatches = append(a.report.Mismatches, Mismatch{n.Name.Name, n.PodCIDRs, c.PodCIDRs})
		objects = append(objects, "Node/"+n.Name.Name)
		names = append(names, fmt.Sprintf("%s (Node %s, CiliumNode %s)", n.Name, joined(n.PodCIDRs), joined(c.PodCIDRs)))
		ranges = append(append(ranges, texts(n.PodCIDRs)...), texts(c.PodCIDRs)...)
	}
	if len(objects) == 0 {
		return
	}
	f := Finding{Objects: objects, Addresses: ranges, Message: fmt.Sprintf("Node and CiliumNode say different ranges: %s.", several(names))}
	if a.mode == "kubernetes" {
		f.Consequence = "These agents still hand out addresses of the old range, while routes to their pods follow the new one."
		f.Remedy = "Drain one node at a time and restart its agent; pods of the old range lose their network at that moment."
	} else {
		f.Consequence = "Two independent allocators: whatever trusts Node.spec.podCIDR (routes, firewall rules, policies) means other addresses than pods have."
		f.Remedy = "Set ipam.mode to kubernetes, with k8s.requireIPv4PodCIDR, at the source of the values, then recycle one node after the other."
	}
	a.find(f)
}

// samePool reports whether Cilium's pool is what kube-controller-manager cuts too:
// then Node ranges are idle ones of a plan and no contradiction.
func (a *audit) samePool() bool {
	if cidrs, from := a.clusterCIDRs(); from != "" {
		return sameRanges(cidrs, a.pool())
	}
	return a.plan != nil // without an argument only a plan can say what is meant
}

func nodeRangeOutsidePool(a *audit) {
	pool := a.pool()
	if len(pool) == 0 {
		return
	}
	for _, n := range a.CiliumNodes {
		for _, prefix := range n.PodCIDRs {
			if inside(prefix, pool) {
				continue
			}
			a.find(Finding{
				Objects: []string{"CiliumNode/" + n.Name.Name}, Addresses: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the CiliumNode %s is not inside the pool (%s).", prefix, n.Name, joined(pool)),
				Consequence: "The release is healthy and pods run, but this agent keeps drawing from the old range: the operator leaves it alone and only notes an error in the status.",
				Remedy:      "Once the operator and every agent run the new mode, clear spec.ipam.podCIDRs of one CiliumNode after the other, and restart each agent when it has its new range.",
			})
		}
	}
}

func nodeRangeLength(a *audit) {
	pool := a.pool()
	for _, n := range a.CiliumNodes {
		for _, prefix := range n.PodCIDRs {
			key := "cluster-pool-ipv4-mask-size"
			if prefix.Addr().Is6() {
				key = "cluster-pool-ipv6-mask-size"
			}
			length, err := strconv.Atoi(a.config[key])
			if err != nil || !inside(prefix, pool) || prefix.Bits() == length {
				continue
			}
			taken := ""
			if prefix.Bits() < length && length-prefix.Bits() < 32 {
				taken = fmt.Sprintf(": it takes the blocks of %d nodes", 1<<(length-prefix.Bits()))
			}
			a.find(Finding{
				Objects: []string{"CiliumNode/" + n.Name.Name}, Addresses: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the CiliumNode %s is no /%d, which the pool hands out%s.", prefix, n.Name, length, taken),
				Consequence: "The pool is used up sooner than planned.",
				Remedy:      "Clear spec.ipam.podCIDRs of the CiliumNode; the operator gives it a block of the right length. Restart its agent then.",
			})
		}
	}
}

func operatorError(a *audit) {
	if a.mode == "kubernetes" {
		return
	}
	for _, n := range a.CiliumNodes {
		if n.OperatorError == "" {
			continue
		}
		a.find(Finding{
			Objects: []string{"CiliumNode/" + n.Name.Name}, Addresses: texts(n.PodCIDRs),
			Message:     fmt.Sprintf("Cilium's operator says of %s: %s.", n.Name, strings.TrimSuffix(n.OperatorError, ".")),
			Consequence: operatorConsequence(n.OperatorError),
			Remedy:      operatorRemedy(n.OperatorError),
		})
	}
}

func operatorConsequence(text string) string {
	if strings.Contains(text, "full") {
		return "The pool has no block left: this agent waits for ever at its next start."
	}
	return "The node keeps the range that it has; nothing else shows the error."
}

func operatorRemedy(text string) string {
	if strings.Contains(text, "full") {
		return "Append a prefix to the pool, and restart the operator. Change no entry that is there."
	}
	return "Clear spec.ipam.podCIDRs of the CiliumNode once the operator and every agent run the configured mode, and restart the agent when it has its new range."
}

func nodeWithoutRange(a *audit) {
	for _, n := range a.CiliumNodes {
		if a.mode == "cluster-pool" && len(n.PodCIDRs) == 0 {
			why := "the operator has not given it one"
			if n.Ignored {
				why = "the annotation ipam.cilium.io/ignore keeps the operator from it"
			}
			a.find(Finding{
				Objects:     []string{"CiliumNode/" + n.Name.Name},
				Message:     fmt.Sprintf("The CiliumNode %s has no range: %s.", n.Name, why),
				Consequence: "Its agent waits at its next start, and until then hands out addresses of a range that is no longer its own.",
				Remedy:      "Restart the operator with the configuration in force and look at status.ipam.operator-status.error.",
			})
		}
	}
	if a.mode != "kubernetes" {
		return
	}
	for _, n := range a.Nodes {
		if len(n.PodCIDRs) > 0 {
			continue
		}
		f := Finding{
			Objects:     []string{"Node/" + n.Name.Name},
			Message:     fmt.Sprintf("The Node %s has no podCIDR, which Cilium waits for in the mode kubernetes.", n.Name),
			Consequence: "Its agent does not start: \"required IPv4 PodCIDR not available\".",
			Remedy:      "See whether kube-controller-manager runs with allocate-node-cidrs, and whether its cluster CIDR has a block left.",
		}
		if a.config["annotate-k8s-node"] == "true" {
			f.Consequence = "With annotate-k8s-node the agent takes a range from an annotation instead of failing, and that range may be wrong."
		}
		if cidrs, from := a.clusterCIDRs(); from != "" {
			f.Addresses = texts(cidrs)
		}
		a.find(f)
	}
}

// nodeRange is a range of a node, for the search of overlaps.
type nodeRange struct {
	prefix netip.Prefix
	node   string
}

func nodeRangesOverlap(a *audit) {
	var all []nodeRange
	for _, n := range a.CiliumNodes {
		for _, prefix := range n.PodCIDRs {
			all = append(all, nodeRange{prefix, n.Name.Name})
		}
	}
	// Sorted, each range overlaps with one of the ranges that are still open.
	slices.SortFunc(all, func(x, y nodeRange) int { return x.prefix.Compare(y.prefix) })
	var open []nodeRange
	for _, r := range all {
		open = slices.DeleteFunc(open, func(o nodeRange) bool { return !o.prefix.Overlaps(r.prefix) })
		for _, o := range open {
			a.find(Finding{
				Objects: []string{"CiliumNode/" + o.node, "CiliumNode/" + r.node}, Addresses: []string{r.prefix.String()},
				Message:     fmt.Sprintf("%s of %s and %s of %s have %s in common.", o.prefix, o.node, r.prefix, r.node, r.prefix),
				Consequence: "Both nodes hand out the same addresses, and traffic to a pod goes to the wrong node.",
				Remedy:      fmt.Sprintf("Clear spec.ipam.podCIDRs of the CiliumNode %s, let the operator give it another block, and restart its agent.", r.node),
			})
		}
		open = append(open, r)
	}
}

func agentAddressOutsideRange(a *audit) {
	for _, n := range a.CiliumNodes {
		if len(n.PodCIDRs) == 0 {
			continue
		}
		var outside []netip.Addr
		for _, addr := range slices.Concat(n.Router, n.Ingress, n.Health) {
			if !contains(n.PodCIDRs, addr) {
				outside = append(outside, addr)
			}
		}
		if len(outside) == 0 {
			continue
		}
		a.find(Finding{
			Objects: []string{"CiliumNode/" + n.Name.Name}, Addresses: texts(outside),
			Message:     fmt.Sprintf("The agent of %s holds %s, outside its range %s.", n.Name, joined(outside), joined(n.PodCIDRs)),
			Consequence: "These addresses belong to nobody's range any more, so that another allocator may hand them out.",
			Remedy:      "Restart the agent of that node.",
		})
	}
}

// legacyPods finds pods of an old range. With a chained Cilium another CNI gives pods
// their addresses, and none of them lies in its node's range.
func legacyPods(a *audit) {
	if a.chained || a.mode == "" || a.mode == "multi-pool" {
		return
	}
	endpoints := map[cluster.Name]bool{}
	for _, e := range a.CiliumEndpoints {
		endpoints[e] = true
	}
	var n *cluster.CiliumNode
	node := ""
	for i := range a.Pods {
		p := &a.Pods[i]
		if p.Node != node || n == nil {
			n, node = a.ciliumNodes[p.Node], p.Node
		}
		if p.HostNetwork || n == nil || len(n.PodCIDRs) == 0 {
			continue
		}
		var outside []netip.Addr
		for _, addr := range p.IPs {
			if !contains(n.PodCIDRs, addr) && familyOf(n.PodCIDRs, addr) {
				outside = append(outside, addr)
			}
		}
		if len(outside) == 0 {
			continue
		}
		a.report.LegacyPods = append(a.report.LegacyPods, p.Name)
		a.find(legacyFinding(*p, *n, outside, len(endpoints) > 0 && !endpoints[p.Name]))
	}
}

func familyOf(list []netip.Prefix, addr netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Addr().Is4() == addr.Is4() })
}

func legacyFinding(p cluster.Pod, n cluster.CiliumNode, outside []netip.Addr, cut bool) Finding {
	f := Finding{
		Severity: rules.Warning,
		Objects:  []string{"Pod/" + p.Name.String()}, Addresses: texts(outside),
		Message:     fmt.Sprintf("The pod %s on %s has %s, outside the node's range %s.", p.Name, p.Node, joined(outside), joined(n.PodCIDRs)),
		Consequence: "It keeps its address until it is recreated, and loses its network when the agent restarts.",
		Remedy:      "Recreate it, together with the restart of its node's agent.",
	}
	if cut {
		f.Severity = rules.Error
		f.Consequence = "Cilium has no endpoint for it any more: the process runs without a network."
		f.Remedy = "Recreate it now."
	}
	if p.Labels["longhorn.io/component"] == "instance-manager" || strings.HasPrefix(p.Name.Name, "instance-manager-") {
		f.Severity = rules.Error
		f.Consequence = fmt.Sprintf("Engines and replicas of Longhorn volumes on %s depend on an address that disappears.", p.Node)
		f.Remedy = fmt.Sprintf("Do not restart %s before every Longhorn volume is healthy; then recreate this pod once no running engine depends on it.", p.Node)
	}
	return f
}

func nodeAddressNotFollowed(a *audit) {
	for _, n := range a.Nodes {
		c, ok := a.ciliumNodes[n.Name.Name]
		if !ok || len(n.InternalIPs) == 0 || len(c.InternalIPs) == 0 {
			continue
		}
		var missing []netip.Addr
		for _, addr := range n.InternalIPs {
			if !slices.Contains(c.InternalIPs, addr) {
				missing = append(missing, addr)
			}
		}
		if len(missing) == 0 {
			continue
		}
		a.find(Finding{
			Objects: []string{"CiliumNode/" + n.Name.Name}, Addresses: texts(missing),
			Message:     fmt.Sprintf("The node %s has the address %s, but its agent still knows it as %s.", n.Name, joined(missing), joined(c.InternalIPs)),
			Consequence: "Policies that admit nodes take its traffic for world and drop it.",
			Remedy:      "Restart the agent of that node; keep a policy that admits the new node network until every agent has restarted.",
		})
	}
}

func nodeAddressInPodRange(a *audit) {
	for _, n := range a.Nodes {
		for _, addr := range n.InternalIPs {
			for _, r := range a.podRangesOf() {
				if !r.prefix.Contains(addr) {
					continue
				}
				a.find(Finding{
					Objects: []string{"Node/" + n.Name.Name, r.object}, Addresses: []string{addr.String()},
					Message:     fmt.Sprintf("%s, the address of the node %s, lies in %s (%s).", addr, n.Name, r.what, r.prefix),
					Consequence: fmt.Sprintf("Whoever has a route for that range takes %s for a pod: no route to host.", n.Name),
					Remedy:      "Give pods a range outside the nodes' network; on a running cluster that means to install it anew.",
				})
			}
		}
	}
}

// podRangesOf lists the ranges of pods that a node's address must not be in: those of
// nodes, and Subnets.
func (a *audit) podRangesOf() []clusterRange {
	var out []clusterRange
	for _, n := range a.Nodes {
		for _, prefix := range n.PodCIDRs {
			out = append(out, clusterRange{"the range of " + n.Name.Name, "Node/" + n.Name.Name, prefix})
		}
	}
	for _, n := range a.CiliumNodes {
		for _, prefix := range n.PodCIDRs {
			if !slices.Contains(a.nodes[n.Name.Name].PodCIDRs, prefix) {
				out = append(out, clusterRange{"the range of " + n.Name.Name, "CiliumNode/" + n.Name.Name, prefix})
			}
		}
	}
	for _, n := range a.Subnets {
		if overlay(n) {
			for _, prefix := range n.CIDRs {
				out = append(out, clusterRange{"the Subnet " + n.Name.Name, "Subnet/" + n.Name.Name, prefix})
			}
		}
	}
	return out
}

func podsMeetServices(a *audit) {
	for _, s := range a.ServiceCIDRs {
		for _, services := range s.CIDRs {
			for _, r := range a.podRangesOf() {
				common, ok := overlap(services, r.prefix)
				if !ok {
					continue
				}
				a.find(Finding{
					Objects: []string{"ServiceCIDR/" + s.Name.Name, r.object}, Addresses: []string{common.String()},
					Message:     fmt.Sprintf("The Services' range %s and %s (%s) have %s in common.", services, r.what, r.prefix, common),
					Consequence: "A ClusterIP can equal a pod's address, and is unreachable from where that pod is nearer.",
					Remedy:      "Neither range can change on a running cluster: install it anew with disjoint ones.",
				})
			}
		}
	}
}
