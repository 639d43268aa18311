// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func reachRules() []Rule {
	return []Rule{
		{
			Slug: "l2-pool-outside", Severity: Warning, Title: "L2 pool outside every node network",
			Explanation: "A LoadBalancer pool that is announced by layer 2 is reached by ARP or neighbour discovery on a link of the nodes. Outside of every network of role `node` nobody asks for its addresses there, unless the router has the range on that link; BGP needs no such link.",
			check:       checkL2,
		},
		{
			Slug: "two-default-routes", Severity: Error, Title: "Two main default routes",
			Explanation: "A node has one main default route. Where two networks carry it, which one wins depends on metrics and on the order in which links come up, and replies leave on another link than their requests came in.",
			check:       checkDefaultRoute,
		},
		{
			Slug: "native-routing-not-covering", Severity: Error, Title: "Native routing that does not cover the pods",
			Explanation: "Cilium masquerades what leaves `ipv4NativeRoutingCIDR` or `ipv6NativeRoutingCIDR`. A prefix that does not cover the pods makes every packet between nodes arrive with a node's address: it gets the identity of the node, and policies drop it. fd00:101::/48 is fd00:101:0::/48 and does not hold fd00:101:224::/60. Under Kube-OVN the pods are Kube-OVN's range, not Cilium's pool.",
			check:       checkNativeRouting,
		},
		{
			Slug: "nearly-full", Severity: Warning, Title: "Nearly every node range is taken",
			Explanation: "Of the node ranges that a network holds more than three quarters are taken by the nodes that exist (`hosts`). The node after the last one gets none: `CIDRNotAvailable`, or `allocator full` and an agent that waits for ever. Growing in time is an appended prefix or a larger network; growing late is an outage.",
			check:       checkFill,
		},
	}
}

func checkL2(c *check) {
	nodes := c.plan.Role(site.RoleNode)
	for _, declared := range c.site.Networks {
		n, ok := c.plan.Network(declared.Name)
		if !ok || declared.Announce != site.AnnounceL2 {
			continue
		}
		for _, r := range n.Ranges {
			if inside(r, nodes) {
				continue
			}
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{r.String()},
				Message:     fmt.Sprintf("%s of the network %q is announced by l2, but lies in no network of role node (%s).", r, n.Name, networkList(nodes)),
				Consequence: "Nobody on the nodes' links asks for these addresses by ARP, so that no client reaches the Services.",
				Remedy:      c.l2Remedy(n, r, nodes), Path: c.path(n, r.IPRange),
			})
		}
	}
}

func inside(r plan.Range, networks []plan.Network) bool {
	for _, n := range networks {
		for _, outer := range n.Ranges {
			if outer.Contains(r.From()) && outer.Contains(r.To()) {
				return true
			}
		}
	}
	return false
}

func networkList(networks []plan.Network) string {
	if len(networks) == 0 {
		return "there is none"
	}
	texts := make([]string, len(networks))
	for i, n := range networks {
		texts[i] = fmt.Sprintf("%s %s", n.Name, rangesText(n))
	}
	return strings.Join(texts, ", ")
}

func (c *check) l2Remedy(n plan.Network, r plan.Range, nodes []plan.Network) string {
	for _, node := range nodes {
		length := r.Family().Bits()
		for _, prefix := range r.Prefixes() {
			length = min(length, prefix.Bits())
		}
		if prefix, ok := plan.SuggestInside(c.plan, node.Name, r.Family(), max(length, 27)); ok {
			return fmt.Sprintf("Announce it by bgp, or take a part of a node network: carved_from = %q with cidrs = [%q] is free.", node.Name, prefix)
		}
	}
	return fmt.Sprintf("Announce %q by bgp, or carve it out of a network of role node.", n.Name)
}

func checkDefaultRoute(c *check) {
	var first *site.Network
	for i, n := range c.site.Networks {
		if !n.DefaultRoute {
			continue
		}
		if first == nil {
			first = &c.site.Networks[i]
			continue
		}
		c.report(Finding{
			Networks:    []string{n.Name, first.Name},
			Message:     fmt.Sprintf("The networks %q and %q both carry the main default route.", first.Name, n.Name),
			Consequence: "Replies leave on another link than their requests came in, and change sides when a link restarts.",
			Remedy:      fmt.Sprintf("Keep default_route on one of them; the other one's gateway stays in the plan, for a routing table of its own. Here: remove default_route from %q.", n.Name),
			Path:        n.Path.Attribute("default_route"),
		})
	}
}

func checkNativeRouting(c *check) {
	pod, ok := c.plan.Network(string(site.RolePod))
	if !ok {
		return
	}
	for _, family := range c.plan.Families {
		index := -1
		for i, prefix := range c.site.NativeRouting {
			if space.FamilyOf(prefix.Addr()) == family {
				index = i
			}
		}
		if index < 0 {
			continue
		}
		for _, prefix := range pod.Family(family) {
			if covered(prefix, c.site.NativeRouting) {
				continue
			}
			stated := c.site.NativeRouting[index]
			c.report(Finding{
				Networks: []string{pod.Name}, Ranges: []string{prefix.String()},
				Message:     fmt.Sprintf("native_routing_cidrs holds %s (%s to %s), which does not cover the pods in %s.", stated, stated.Addr(), space.Last(stated), prefix),
				Consequence: "Packets between pods of different nodes are masqueraded: they arrive as the node, and policies that admit pods drop them.",
				Remedy:      fmt.Sprintf("Use the pod range itself, %q, or a prefix around it.", prefix),
				Path:        site.At("native_routing_cidrs").Index(index),
			})
		}
	}
}

// checkFill measures on the nodes that exist, not on those that are planned for.
func checkFill(c *check) {
	exist := int64(len(c.plan.Hosts))
	c.eachCut(func(n plan.Network, family space.Family, node int) {
		count := nodeRanges(n, family, node)
		if exist == 0 || new(big.Int).Mul(count, big.NewInt(3)).Cmp(big.NewInt(4*exist)) >= 0 || count.Cmp(big.NewInt(exist)) < 0 {
			return
		}
		c.report(Finding{
			Networks: []string{n.Name}, Ranges: texts(n.Family(family)),
			Message:     fmt.Sprintf("The network %q gives ranges to %s nodes, and %d exist.", n.Name, count, exist),
			Consequence: fmt.Sprintf("Node %s gets no range, and no pod starts there.", new(big.Int).Add(count, big.NewInt(1))),
			Remedy:      fmt.Sprintf("Raise max_nodes to at least %d; the plan then grows the network.", 2*exist),
			Path:        c.networkPath(n, family),
		})
	})
}
