// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"math/big"
	"math/bits"
	"net/netip"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

func sizeRules() []Rule {
	return []Rule{
		{
			Slug: "too-few-node-ranges", Severity: Error, Title: "Network too small for its nodes",
			Explanation: "A network that is cut into node ranges serves 2^(node prefix length − prefix length) nodes for each of its prefixes. The next node gets no range: with kube-controller-manager the event `CIDRNotAvailable` and a Node without podCIDR, with cilium-operator `allocator full` in the CiliumNode's status and an agent that waits for ever (observed with kube-controller-manager v1.37 and cilium-operator v1.20).",
			check:       checkNodeRanges,
		},
		{
			Slug: "node-range-too-small", Severity: Error, Title: "Node range too small",
			Explanation: "A node's range must hold its pods and the addresses that the agent takes for itself: the router, with Envoy (Gateway API, Ingress) an Ingress address, and unchained a health address. First and last address are reserved. When it is full, the agent does not start (`unable to allocate router IP … range is full`) or pods get no address (`postIpamFailure range is full`). Fewer addresses than twice the pods are used up by churn (Kubernetes' rule of thumb), which is a warning.",
			check:       checkNodeRange,
		},
		{
			Slug: "node-range-too-far", Severity: Error, Title: "Network too large for its node ranges",
			Explanation: "kube-controller-manager and Cilium refuse to cut an IPv6 network into node ranges that are more than 16 bits longer (`New CIDR set failed; the node CIDR size is too big`); kubeadm and Talos from 1.14 on refuse it for IPv4 as well.",
			check:       checkNodeDistance,
		},
		{
			Slug: "pods-do-not-fit", Severity: Error, Title: "Pod network too small",
			Explanation: "Kube-OVN hands out pod addresses flat from one range, less its gateway and what is excluded. With fewer addresses than `max_nodes` × `pods_per_node`, the last pods wait for ever with `NoAvailableAddress`.",
			check:       checkFlatPods,
		},
		{
			Slug: "join-too-small", Severity: Error, Title: "Join network too small",
			Explanation: "Kube-OVN gives every node an address of the join network, and one to the gateway. A node without one does not become ready (Kube-OVN pkg/controller/node.go).",
			check:       checkJoin,
		},
		{
			Slug: "services-do-not-fit", Severity: Error, Title: "Service network too small",
			Explanation: "Every Service with a ClusterIP takes one address. kubeadm refuses fewer than 10 addresses, Talos 1.14 fewer than 16; the DNS service has the tenth address by convention. With 16 addresses or fewer there is no band that the API server keeps for static addresses (pkg/registry/core/service/ipallocator).",
			check:       checkServiceSize,
		},
		{
			Slug: "services-too-large", Severity: Error, Title: "Service network too large",
			Explanation: "kube-apiserver up to 1.33, kubeadm and Talos 1.14 accept at most 20 host bits for a service range: /12 in IPv4, /108 in IPv6. From Kubernetes 1.34 on only a length of at least /64 is required (gate DisableAllocatorDualWrite); kubeadm and Talos still refuse more.",
			check:       checkServiceTooLarge,
		},
	}
}

// eachCut calls f for each network and family that is cut into node ranges.
func (c *check) eachCut(f func(n plan.Network, family space.Family, node int)) {
	for _, n := range c.plan.Networks {
		for _, family := range c.plan.Families {
			if node := n.NodePrefix(family); node != 0 && len(n.Family(family)) > 0 {
				f(n, family, node)
			}
		}
	}
}

func checkNodeRanges(c *check) {
	c.eachCut(func(n plan.Network, family space.Family, node int) {
		count := nodeRanges(n, family, node)
		if count.Cmp(big.NewInt(int64(c.site.MaxNodes))) >= 0 {
			return
		}
		length := node - bits.Len(uint(c.site.MaxNodes-1))
		remedy := fmt.Sprintf("Use a /%d", length)
		if prefix, ok := c.suggest(n, family, length); ok {
			remedy += fmt.Sprintf(", for example %s", prefix)
		}
		c.report(Finding{
			Networks: []string{n.Name}, Ranges: texts(n.Family(family)),
			Message:     fmt.Sprintf("The network %q (%s) gives a /%d to %s nodes, but the site is to have room for %d.", n.Name, list(n.Family(family)), node, count, c.site.MaxNodes),
			Consequence: fmt.Sprintf("Node %s gets no range: its agent waits for ever and no pod starts there.", new(big.Int).Add(count, big.NewInt(1))),
			Remedy:      remedy + fmt.Sprintf(", a longer node prefix, or max_nodes = %s.", count),
			Path:        c.networkPath(n, family),
		})
	})
}

// nodeRanges counts the node ranges that a network can be cut into.
func nodeRanges(n plan.Network, family space.Family, node int) *big.Int {
	count := new(big.Int)
	for _, prefix := range n.Family(family) {
		if node >= prefix.Bits() {
			count.Add(count, new(big.Int).Lsh(big.NewInt(1), uint(node-prefix.Bits())))
		}
	}
	return count
}

func checkNodeRange(c *check) {
	c.eachCut(func(n plan.Network, family space.Family, node int) {
		need, spare := c.addressesPerNode(n)
		usable := usableInNodeRange(family, node)
		if usable.Cmp(big.NewInt(int64(spare))) >= 0 {
			return
		}
		f := Finding{
			Networks: []string{n.Name}, Ranges: []string{fmt.Sprintf("/%d", node)},
			Path:        c.attribute(n, nodeAttribute(family)),
			Message:     fmt.Sprintf("A node gets a /%d of the network %q with %s usable addresses, but needs %d.", node, n.Name, usable, need),
			Consequence: "The agent does not start on any node, or the last pods of a node get no address (range is full).",
			Remedy:      fmt.Sprintf("Use %s = %d.", nodeAttribute(family), family.Bits()-bits.Len(uint(spare+1))),
		}
		if usable.Cmp(big.NewInt(int64(need))) >= 0 {
			f.Severity = Warning
			f.Message = fmt.Sprintf("A node gets a /%d of the network %q with %s usable addresses; %d are needed and %d would leave room for the addresses of pods that are being replaced.", node, n.Name, usable, need, spare)
			f.Consequence = "When many pods of a node are replaced at once, new ones wait for addresses that are still held."
		}
		c.report(f)
	})
}

// addressesPerNode returns how many addresses a node needs in a network that is
// cut into node ranges, and how many leave room to spare.
func (c *check) addressesPerNode(n plan.Network) (need, spare int) {
	infrastructure := 0
	if c.site.Datapath.Cilium() {
		infrastructure = 1 // the router
		if c.site.GatewayAPI {
			infrastructure++
		}
	}
	if n.Role == site.RoleCiliumPool {
		return infrastructure, infrastructure
	}
	if c.site.Datapath.Cilium() {
		infrastructure++ // the health endpoint, which exists only unchained
	}
	return c.site.PodsPerNode + infrastructure, 2 * c.site.PodsPerNode
}

// usableInNodeRange counts the addresses of a node range that can be handed out:
// without its first and last, unless it has only two (Cilium
// pkg/ipam/service/ipallocator).
func usableInNodeRange(family space.Family, node int) *big.Int {
	hostBits := family.Bits() - node
	size := new(big.Int).Lsh(big.NewInt(1), uint(hostBits))
	if hostBits < 2 {
		return size
	}
	return size.Sub(size, big.NewInt(2))
}

func nodeAttribute(f space.Family) string {
	if f == space.IPv6 {
		return "ipv6_node_prefix_length"
	}
	return "ipv4_node_prefix_length"
}

func checkNodeDistance(c *check) {
	const most = 16
	c.eachCut(func(n plan.Network, family space.Family, node int) {
		if family == space.IPv4 && (n.Role != site.RolePod || !c.limitsIPv4Distance()) {
			return
		}
		for _, prefix := range n.Family(family) {
			if node-prefix.Bits() <= most {
				continue
			}
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the network %q is cut into /%d for each node, which is %d bits longer; at most %d are accepted.", prefix, n.Name, node, node-prefix.Bits(), most),
				Consequence: "The component that cuts the ranges exits at start (the node CIDR size is too big), and no node gets a range.",
				Remedy:      fmt.Sprintf("Use %s = %d, or a /%d for the network, for example %s.", nodeAttribute(family), prefix.Bits()+most, node-most, netip.PrefixFrom(prefix.Addr(), node-most)),
				Path:        c.networkPath(n, family),
			})
		}
	})
}

// limitsIPv4Distance reports whether the distribution refuses IPv4 node ranges
// that are too much longer than the network: kubeadm always, Talos from 1.14 on.
func (c *check) limitsIPv4Distance() bool {
	return c.site.Distribution == site.Kubeadm || c.site.Distribution == site.Talos && !c.below("talos", 1, 14, 0)
}

func checkFlatPods(c *check) {
	if !c.site.Datapath.Kubeovn() {
		return
	}
	pod, ok := c.plan.Network(string(site.RolePod))
	if !ok {
		return
	}
	need := c.site.MaxNodes * c.site.PodsPerNode
	for _, family := range c.plan.Families {
		prefix, ok := pod.First(family)
		if !ok {
			continue
		}
		usable := Usable(pod, family)
		if usable.Cmp(big.NewInt(int64(need))) >= 0 {
			continue
		}
		length := family.Bits() - bits.Len(uint(need+3+excludedCount(pod, family)))
		remedy := fmt.Sprintf("Use a /%d", length)
		if other, ok := c.suggest(pod, family, length); ok {
			remedy += ", for example " + other
		}
		c.report(Finding{
			Networks: []string{pod.Name}, Ranges: []string{prefix.String()},
			Message:     fmt.Sprintf("%s of the network %q has %s addresses for pods, but max_nodes × pods_per_node is %d.", prefix, pod.Name, usable, need),
			Consequence: "When the range is used up, new pods wait for ever in ContainerCreating (NoAvailableAddress).",
			Remedy:      remedy + ", or lower max_nodes or pods_per_node.",
			Path:        c.networkPath(pod, family),
		})
	}
}

func excludedCount(n plan.Network, family space.Family) int {
	count := 0
	for _, r := range n.Excluded {
		if r.Family() == family {
			for _, prefix := range r.Prefixes() {
				count += 1 << min(family.Bits()-prefix.Bits(), 30)
			}
		}
	}
	return count
}

// Usable counts the addresses of one family that a network's allocator can hand
// out: its ranges less network and broadcast address, gateway and carve-outs, as
// Kube-OVN counts them (pkg/ipam/subnet.go). An exclusion is clipped to the usable addresses.
func Usable(n plan.Network, family space.Family) *big.Int {
	total := new(big.Int)
	for _, prefix := range n.Family(family) {
		total.Add(total, usableInNodeRange(family, prefix.Bits()))
		last := space.Last(prefix)
		for _, r := range n.Excluded {
			if r.Family() != family || !r.Overlaps(plan.RangeOf(prefix).IPRange) {
				continue
			}
			total.Sub(total, space.Count(r.IPRange))
			if prefix.Bits() < family.Bits()-1 && r.Contains(last) {
				total.Add(total, big.NewInt(1))
			}
		}
		if gateway, ok := n.Gateway(family); ok && prefix.Contains(gateway) {
			total.Sub(total, big.NewInt(1))
		}
	}
	return total
}

func checkJoin(c *check) {
	for _, n := range c.plan.Role(site.RoleJoin) {
		for _, family := range c.plan.Families {
			prefix, ok := n.First(family)
			if !ok || Usable(n, family).Cmp(big.NewInt(int64(c.site.MaxNodes))) >= 0 {
				continue
			}
			length := family.Bits() - bits.Len(uint(c.site.MaxNodes+2))
			other, _ := c.suggest(n, family, length)
			c.report(Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()},
				Message:     fmt.Sprintf("%s of the network %q has addresses for %s nodes, but the site is to have room for %d.", prefix, n.Name, Usable(n, family), c.site.MaxNodes),
				Consequence: "A node beyond that gets no join address and does not become ready; the range cannot be changed without interrupting every pod.",
				Remedy:      fmt.Sprintf("Use a /%d, for example %s.", length, other),
				Path:        c.networkPath(n, family),
			})
		}
	}
}

func checkServiceSize(c *check) {
	for _, n := range c.plan.Role(site.RoleService) {
		for _, family := range c.plan.Families {
			prefix, ok := n.First(family)
			if !ok {
				continue
			}
			hostBits := family.Bits() - prefix.Bits()
			need := c.site.MaxServices
			if usable := usableInNodeRange(family, prefix.Bits()); hostBits >= 5 && usable.Cmp(big.NewInt(int64(need))) >= 0 {
				continue
			}
			f := Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()}, Path: c.networkPath(n, family),
				Message:     fmt.Sprintf("%s of the network %q has %s addresses, but max_services is %d.", prefix, n.Name, usableInNodeRange(family, prefix.Bits()), need),
				Consequence: "When the range is full no Service can be created any more, and it cannot be enlarged later.",
			}
			if hostBits < 5 {
				f.Message = fmt.Sprintf("%s of the network %q is too small for a cluster: kubeadm and Talos need at least 16 addresses, and DNS has the tenth.", prefix, n.Name)
				f.Consequence = "The control plane does not start, or the address of the DNS service is given to another Service."
			}
			length := min(family.Bits()-bits.Len(uint(need+1)), family.Bits()-5)
			other, _ := c.suggest(n, family, length)
			f.Remedy = fmt.Sprintf("Use a /%d, for example %s, or lower max_services.", length, other)
			c.report(f)
		}
	}
}

func checkServiceTooLarge(c *check) {
	const most = 20
	for _, n := range c.plan.Role(site.RoleService) {
		for _, family := range c.plan.Families {
			prefix, ok := n.First(family)
			if !ok || family.Bits()-prefix.Bits() <= most {
				continue
			}
			f := Finding{
				Networks: []string{n.Name}, Ranges: []string{prefix.String()}, Path: c.networkPath(n, family),
				Message:     fmt.Sprintf("%s of the network %q has %d host bits; at most %d are accepted.", prefix, n.Name, family.Bits()-prefix.Bits(), most),
				Consequence: "The API server, kubeadm or Talos refuses the range, and the control plane does not start.",
				Remedy:      fmt.Sprintf("Use %s.", netip.PrefixFrom(prefix.Addr(), family.Bits()-16)),
			}
			if c.atLeast("kubernetes", 1, 34) && c.site.Distribution != site.Kubeadm && c.site.Distribution != site.Talos && prefix.Bits() >= 64 {
				f.Severity = Warning
				f.Consequence = "Kubernetes 1.34 and newer accept it, but the range cannot be taken over by kubeadm or Talos, and older API servers refuse it."
			}
			c.report(f)
		}
	}
}

// networkPath returns where a finding about one family of a network is shown.
func (c *check) networkPath(n plan.Network, family space.Family) site.Path {
	if prefix, ok := n.First(family); ok {
		return c.path(n, plan.RangeOf(prefix).IPRange)
	}
	return c.attribute(n, "cidrs")
}

func texts(prefixes []netip.Prefix) []string {
	out := make([]string, len(prefixes))
	for i, p := range prefixes {
		out[i] = p.String()
	}
	return out
}

func list(prefixes []netip.Prefix) string {
	var out strings.Builder
	for i, p := range prefixes {
		if i > 0 {
			out.WriteString(", ")
		}
		out.WriteString(p.String())
	}
	return out.String()
}

// NodeCapacity counts the nodes that get a range out of a network, the smaller
// of both families, or returns nil where nodes get none.
func NodeCapacity(p *plan.Plan, n plan.Network) *big.Int {
	var fewest *big.Int
	for _, family := range p.Families {
		node := n.NodePrefix(family)
		if node == 0 || len(n.Family(family)) == 0 {
			continue
		}
		if count := nodeRanges(n, family, node); fewest == nil || count.Cmp(fewest) < 0 {
			fewest = count
		}
	}
	return fewest
}

// Utilisation returns the share of a network that the nodes which exist take, 0
// to 1: of its node ranges where it is cut into them, of its addresses where it
// is a network of role node. It reports false where nothing is known.
func Utilisation(p *plan.Plan, n plan.Network) (float64, bool) {
	taken := int64(len(p.Hosts))
	capacity := NodeCapacity(p, n)
	if capacity == nil && n.Role == site.RoleNode {
		capacity = Usable(n, p.Families[0])
		taken += int64(len(n.VIPs))
	}
	if capacity == nil || capacity.Sign() <= 0 {
		return 0, false
	}
	share, _ := new(big.Rat).SetFrac(big.NewInt(taken), capacity).Float64()
	return share, true
}
