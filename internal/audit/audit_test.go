// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func prefixes(texts ...string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		out = append(out, netip.MustParsePrefix(text))
	}
	return out
}

func addrs(texts ...string) []netip.Addr {
	var out []netip.Addr
	for _, text := range texts {
		out = append(out, netip.MustParseAddr(text))
	}
	return out
}

func name(text string) cluster.Name {
	namespace, object, found := strings.Cut(text, "/")
	if !found {
		return cluster.Name{Name: text}
	}
	return cluster.Name{Namespace: namespace, Name: object}
}

func pod(id, node string, ips ...string) cluster.Pod {
	return cluster.Pod{Name: name(id), Node: node, Phase: "Running", IPs: addrs(ips...)}
}

func ciliumNode(id string, cidr, router, ingress string) cluster.CiliumNode {
	n := cluster.CiliumNode{Name: name(id), PodCIDRs: prefixes(cidr), Router: addrs(router)}
	if ingress != "" {
		n.Ingress = addrs(ingress)
	}
	return n
}

func node(id, internal string, cidrs ...string) cluster.Node {
	return cluster.Node{Name: name(id), Ready: true, PodCIDRs: prefixes(cidrs...), InternalIPs: addrs(internal)}
}

func ciliumConfig(pairs ...string) cluster.ConfigMap {
	c := cluster.ConfigMap{Name: name("kube-system/cilium-config"), Data: map[string]string{}}
	for i := 0; i < len(pairs); i += 2 {
		c.Data[pairs[i]] = pairs[i+1]
	}
	return c
}

// shared is a Cozystack cluster as it is installed by the book: Kube-OVN and Cilium
// draw from one range.
func shared() *cluster.Snapshot {
	return &cluster.Snapshot{
		ConfigMaps:  []cluster.ConfigMap{ciliumConfig("ipam", "kubernetes", "cni-chaining-mode", "generic-veth", "enable-envoy-config", "true")},
		Nodes:       []cluster.Node{node("srv1", "192.168.123.11", "10.244.0.0/24"), node("srv2", "192.168.123.12", "10.244.1.0/24"), node("srv3", "192.168.123.13", "10.244.2.0/24")},
		CiliumNodes: []cluster.CiliumNode{ciliumNode("srv1", "10.244.0.0/24", "10.244.0.243", "10.244.0.104"), ciliumNode("srv2", "10.244.1.0/24", "10.244.1.182", "10.244.1.12"), ciliumNode("srv3", "10.244.2.0/24", "10.244.2.14", "10.244.2.193")},
		Subnets: []cluster.Subnet{
			{Name: name("ovn-default"), VPC: "ovn-cluster", CIDRs: prefixes("10.244.0.0/16"), Gateways: addrs("10.244.0.1"), ExcludeIPs: []string{"10.244.0.1"}},
			{Name: name("join"), VPC: "ovn-cluster", CIDRs: prefixes("100.64.0.0/16"), Gateways: addrs("100.64.0.1"), ExcludeIPs: []string{"100.64.0.1"}},
		},
		ServiceCIDRs: []cluster.ServiceCIDR{{Name: name("kubernetes"), CIDRs: prefixes("10.96.0.0/16")}},
		Pods:         []cluster.Pod{pod("default/pod-b", "srv2", "10.244.0.65"), pod("default/pod-c", "srv2", "10.244.0.35")},
	}
}

// separate is a Cozystack cluster after its plan: agents draw from the tail.
func separate() *cluster.Snapshot {
	s := shared()
	s.ConfigMaps = []cluster.ConfigMap{ciliumConfig("ipam", "cluster-pool", "cluster-pool-ipv4-cidr", "10.244.248.0/21", "cluster-pool-ipv4-mask-size", "29", "cni-chaining-mode", "generic-veth")}
	s.CiliumNodes = []cluster.CiliumNode{ciliumNode("srv1", "10.244.248.0/29", "10.244.248.1", "10.244.248.2"), ciliumNode("srv2", "10.244.248.8/29", "10.244.248.9", "10.244.248.10"), ciliumNode("srv3", "10.244.248.16/29", "10.244.248.17", "10.244.248.18")}
	s.Subnets[0].ExcludeIPs = []string{"10.244.0.1", "10.244.248.0..10.244.255.255"}
	return s
}

// k3s is a K3s cluster whose Cilium follows the Nodes.
func k3s() *cluster.Snapshot {
	s := &cluster.Snapshot{
		ConfigMaps:   []cluster.ConfigMap{ciliumConfig("ipam", "kubernetes", "routing-mode", "tunnel")},
		ServiceCIDRs: []cluster.ServiceCIDR{{Name: name("kubernetes"), CIDRs: prefixes("10.43.0.0/16")}},
	}
	for i, id := range []string{"k3s-1", "k3s-2", "k3s-3"} {
		cidr := netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 42, byte(i), 0}), 24).String()
		n := node(id, netip.AddrFrom4([4]byte{192, 168, 1, byte(21 + i)}).String(), cidr)
		n.Arguments = []string{"--cluster-cidr=10.42.0.0/16"}
		s.Nodes = append(s.Nodes, n)
		s.CiliumNodes = append(s.CiliumNodes, ciliumNode(id, cidr, netip.AddrFrom4([4]byte{10, 42, byte(i), 60}).String(), ""))
	}
	s.Pods = []cluster.Pod{pod("kube-system/coredns-a", "k3s-1", "10.42.0.8"), pod("media/app-2", "k3s-3", "10.42.2.19")}
	return s
}

func planned(t *testing.T, d site.Declaration) *plan.Plan {
	t.Helper()
	d.Name = "dc1"
	s, problems := site.Parse(d)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p, problems := plan.Compute(s, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return p
}

// want is a finding that must come out.
type want struct {
	rule     string
	severity rules.Severity
	object   string // one of its objects
	words    string // in message, consequence, remedy or addresses
}

func text(f Finding) string {
	return strings.Join(append([]string{f.Message, f.Consequence, f.Remedy}, f.Addresses...), " ")
}

func (w want) met(findings []Finding) bool {
	return slices.ContainsFunc(findings, func(f Finding) bool {
		return f.Rule == w.rule && f.Severity == w.severity && slices.Contains(f.Objects, w.object) && strings.Contains(text(f), w.words)
	})
}

type auditCase struct {
	name     string
	snapshot func() *cluster.Snapshot
	plan     *site.Declaration
	wants    []want
	only     bool     // nothing else of severity error or warning
	not      []string // texts that no finding may hold
}

func with(base func() *cluster.Snapshot, change func(*cluster.Snapshot)) func() *cluster.Snapshot {
	return func() *cluster.Snapshot {
		s := base()
		change(s)
		return s
	}
}

func cozystack() *site.Declaration {
	return &site.Declaration{Datapath: "kubeovn-cilium", Distribution: "talos"}
}

func cases() []auditCase {
	return slices.Concat(healthyCases(), collisionCases(), rangeCases(), kubeovnCases(), poolCases(), configurationCases(), storageCases())
}

func healthyCases() []auditCase {
	return []auditCase{
		{name: "Cozystack after its plan", snapshot: separate, plan: cozystack(), only: true},
		{name: "Cozystack after its plan, without it", snapshot: separate, only: true},
		{name: "K3s whose Cilium follows the Nodes", snapshot: k3s, plan: &site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s"}, only: true},
		{name: "host-network and finished pods never count", snapshot: with(separate, func(s *cluster.Snapshot) {
			agent := pod("kube-system/cilium-x", "srv1", "10.244.248.1")
			agent.HostNetwork = true
			s.Pods = append(s.Pods, agent, cluster.Pod{Name: name("a/none"), Node: "srv1", Phase: "Pending"})
		}), only: true},
		{name: "pods of Kube-OVN outside their node's range", snapshot: separate, not: []string{"10.244.0.65", "10.244.0.35"}, only: true},
	}
}

func collisionCases() []auditCase {
	return []auditCase{
		{name: "a pod with the Ingress address of its node", snapshot: with(shared, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, pod("test/pod-a", "srv2", "10.244.1.12"))
		}), wants: []want{
			{"pod-has-ingress-address", rules.Error, "Pod/test/pod-a", "is already in use"},
			{"two-allocators", rules.Error, "Subnet/ovn-default", "10.244.1.0/24"},
		}, not: []string{"10.244.0.65", "health"}},
		{name: "a refused pod that has no address of its own", snapshot: with(shared, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, cluster.Pod{Name: name("test/pod-a"), Node: "srv2", Phase: "Pending", Waiting: true})
			s.IPs = []cluster.IP{{Name: name("pod-a.test"), Pod: name("test/pod-a"), Node: "srv2", Subnet: "ovn-default", IPs: addrs("10.244.1.12")}}
		}), wants: []want{{"pod-has-ingress-address", rules.Error, "Pod/test/pod-a", "10.244.1.12"}}},
		{name: "a pod with the router address of its node", snapshot: with(shared, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, pod("test/pod-a", "srv1", "10.244.0.243"))
		}), wants: []want{{"pod-has-router-address", rules.Error, "Pod/test/pod-a", "ends at the node itself"}}},
		{name: "a pod with the router address of another node", snapshot: with(shared, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, pod("test/hook", "srv3", "10.244.0.243"))
		}), wants: []want{{"pod-has-address-of-other-node", rules.Error, "CiliumNode/srv1", "nothing on srv1 can reach it"}}},
		{name: "an IPv6 pod with an Ingress address", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.CiliumNodes[0].Ingress = addrs("fd00:42::7")
			s.CiliumNodes[0].PodCIDRs = append(s.CiliumNodes[0].PodCIDRs, prefixes("fd00:42::/64")...)
			s.Nodes[0].PodCIDRs = s.CiliumNodes[0].PodCIDRs
			s.Pods = append(s.Pods, pod("a/six", "k3s-1", "10.42.0.9", "fd00:42::7"))
		}), wants: []want{{"pod-has-ingress-address", rules.Error, "Pod/a/six", "fd00:42::7"}}},
		{name: "a pod with the health address of its node", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.CiliumNodes[0].Health = addrs("10.42.0.8")
		}), wants: []want{{"pod-has-health-address", rules.Error, "Pod/kube-system/coredns-a", "10.42.0.8"}}},
		{name: "a refused sandbox", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.Events = []cluster.Event{{Name: name("test/e"), Reason: "FailedCreatePodSandBox", Involved: name("test/pod-a"), Message: `unable to create endpoint: [PUT /endpoint/{id}][400] putEndpointIdInvalid "IP ipv4:10.244.6.150 is already in use"`}}
		}), wants: []want{{"sandbox-refused", rules.Error, "Pod/test/pod-a", "10.244.6.150"}}},
		{name: "one address of two agents", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.CiliumNodes[1].Router = s.CiliumNodes[0].Router
		}), wants: []want{{"one-address-two-agents", rules.Error, "CiliumNode/k3s-2", "10.42.0.60"}}},
	}
}

func rangeCases() []auditCase {
	return []auditCase{
		{name: "the mode was switched and nothing moved", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.CiliumNodes = shared().CiliumNodes
			for i := range s.CiliumNodes {
				s.CiliumNodes[i].OperatorError = "allocator not configured for the requested CIDR " + s.CiliumNodes[i].PodCIDRs[0].String()
			}
		}), wants: []want{
			{"node-range-outside-pool", rules.Error, "CiliumNode/srv1", "10.244.0.0/24"},
			{"node-range-outside-pool", rules.Error, "CiliumNode/srv2", "10.244.1.0/24"},
			{"node-range-outside-pool", rules.Error, "CiliumNode/srv3", "clear spec.ipam.podCIDRs"},
			{"operator-error", rules.Error, "CiliumNode/srv1", "allocator not configured"},
		}},
		{name: "K3s beside a pool of Cilium's own", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.ConfigMaps = []cluster.ConfigMap{ciliumConfig("ipam", "cluster-pool", "cluster-pool-ipv4-cidr", "10.0.0.0/8", "cluster-pool-ipv4-mask-size", "24")}
			for i, cidr := range []string{"10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"} {
				s.CiliumNodes[i].PodCIDRs = prefixes(cidr)
				s.CiliumNodes[i].Router = []netip.Addr{s.CiliumNodes[i].PodCIDRs[0].Addr().Next()}
			}
			s.Pods = nil
		}), plan: &site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s", Reserved: map[string][]string{"lab-network": {"10.10.0.0/16"}, "vpn": {"10.8.0.0/24"}}}, wants: []want{
			{"node-range-differs", rules.Error, "Node/k3s-1", "10.42.0.0/24"},
			{"node-range-differs", rules.Error, "Node/k3s-3", "10.0.2.0/24"},
			{"pool-meets-other-range", rules.Error, "ServiceCIDR/kubernetes", "10.43.0.0/16"},
			{"pool-meets-other-range", rules.Error, "ConfigMap/kube-system/cilium-config", "reserved for lab-network"},
			{"pool-meets-other-range", rules.Error, "ConfigMap/kube-system/cilium-config", "reserved for vpn"},
			{"mode-differs", rules.Error, "ConfigMap/kube-system/cilium-config", "cluster-pool"},
		}},
		{name: "legacy pods after a switch", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, pod("media/app-1", "k3s-2", "10.0.1.44"), pod("longhorn-system/instance-manager-b", "k3s-2", "10.0.1.37"))
		}), wants: []want{
			{"legacy-pod", rules.Warning, "Pod/media/app-1", "10.42.1.0/24"},
			{"legacy-pod", rules.Error, "Pod/longhorn-system/instance-manager-b", "Do not restart k3s-2"},
		}, not: []string{"coredns-a", "app-2"}},
		{name: "a legacy pod that Cilium has dropped", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, pod("media/app-1", "k3s-2", "10.0.1.44"))
			s.CiliumEndpoints = []cluster.Name{name("kube-system/coredns-a"), name("media/app-2")}
		}), wants: []want{{"legacy-pod", rules.Error, "Pod/media/app-1", "without a network"}}},
		{name: "two CiliumNodes with one block", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.CiliumNodes[1].PodCIDRs = s.CiliumNodes[0].PodCIDRs
			s.Nodes[1].PodCIDRs = s.CiliumNodes[0].PodCIDRs
		}), wants: []want{{"node-ranges-overlap", rules.Error, "CiliumNode/k3s-2", "10.42.0.0/24"}}},
		{name: "a node without a range", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Nodes[2].PodCIDRs, s.CiliumNodes[2].PodCIDRs = nil, nil
			s.ConfigMaps[0].Data["annotate-k8s-node"] = "true"
			s.Pods = nil
		}), wants: []want{{"node-without-range", rules.Error, "Node/k3s-3", "range may be wrong"}}},
		{name: "the operator has emptied a node", snapshot: with(separate, func(s *cluster.Snapshot) { s.CiliumNodes[2].PodCIDRs = nil }),
			wants: []want{{"node-without-range", rules.Error, "CiliumNode/srv3", "the operator has not given it one"}}},
		{name: "a pool that is full", snapshot: with(separate, func(s *cluster.Snapshot) { s.CiliumNodes[2].OperatorError = "allocator full" }),
			wants: []want{{"operator-error", rules.Error, "CiliumNode/srv3", "Append a prefix"}}},
		{name: "an inherited block of another length", snapshot: with(separate, func(s *cluster.Snapshot) { s.CiliumNodes[0].PodCIDRs = prefixes("10.244.250.0/24") }),
			wants: []want{{"node-range-length", rules.Warning, "CiliumNode/srv1", "the blocks of 32 nodes"}, {"agent-address-outside-range", rules.Warning, "CiliumNode/srv1", "Restart the agent"}}},
		{name: "a leftover error in the mode kubernetes", snapshot: with(k3s, func(s *cluster.Snapshot) { s.CiliumNodes[0].OperatorError = "allocator not configured" }), only: true},
		{name: "nodes in the pods' network", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Nodes[1].InternalIPs = addrs("10.42.0.7")
			s.CiliumNodes[1].InternalIPs = addrs("10.42.0.7")
		}), wants: []want{{"node-address-in-pod-range", rules.Error, "Node/k3s-2", "10.42.0.7"}}},
		{name: "pods inside the Services", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.ServiceCIDRs[0].CIDRs = prefixes("10.32.0.0/12")
		}), wants: []want{{"pods-meet-services", rules.Error, "ServiceCIDR/kubernetes", "10.42.0.0/24"}}},
		{name: "an agent that does not know its node's address", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.CiliumNodes[0].InternalIPs = addrs("192.168.40.21")
		}), wants: []want{{"node-address-not-followed", rules.Warning, "CiliumNode/k3s-1", "world"}}},
	}
}

func kubeovnCases() []auditCase {
	return []auditCase{
		{name: "an exclusion that Kube-OVN cannot read", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.Subnets[0].ExcludeIPs = []string{"10.244.0.1", "10.244.248.0/21"}
		}), plan: cozystack(), wants: []want{
			{"exclusion-unreadable", rules.Error, "Subnet/ovn-default", "10.244.248.0..10.244.255.255"},
			{"exclusion-missing", rules.Error, "Subnet/ovn-default", "10.244.248.0..10.244.255.255"},
			{"two-allocators", rules.Error, "CiliumNode/srv1", "10.244.248.0/29"},
		}},
		{name: "a pod inside the carve-out", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, pod("vms/static", "srv1", "10.244.250.7"))
		}), plan: cozystack(), wants: []want{{"carved-address-held", rules.Error, "Pod/vms/static", "10.244.250.7"}}},
		{name: "a Subnet that is not the plan's", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.Subnets[1].CIDRs = prefixes("100.68.0.0/16")
		}), plan: cozystack(), wants: []want{{"subnet-differs", rules.Error, "Subnet/join", "100.68.0.0/16"}}},
		{name: "two Subnets of one VPC", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.Subnets = append(s.Subnets,
				cluster.Subnet{Name: name("subnet1"), VPC: "ovn-cluster", CIDRs: prefixes("10.66.0.0/16"), ExcludeIPs: []string{"10.66.0.1"}},
				cluster.Subnet{Name: name("subnet2"), VPC: "ovn-cluster", CIDRs: prefixes("10.66.0.0/16"), ExcludeIPs: []string{"10.66.0.1"}},
				cluster.Subnet{Name: name("tenant-a"), VPC: "vpc-a", CIDRs: prefixes("10.66.0.0/16"), ExcludeIPs: []string{"10.66.0.1"}})
		}), wants: []want{{"subnets-overlap", rules.Error, "Subnet/subnet2", "10.66.0.0/16"}}, not: []string{"tenant-a"}, only: true},
		{name: "a Subnet with an error", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.Subnets[0].Errors = []string{"ValidateLogicalSwitchFailed ip <nil> in excludeIps is not a valid address"}
		}), wants: []want{{"subnet-invalid", rules.Error, "Subnet/ovn-default", "<nil>"}}},
		{name: "the next collision", snapshot: with(shared, func(s *cluster.Snapshot) {
			s.CiliumNodes[0].Ingress = addrs("10.244.0.5")
			s.Pods = []cluster.Pod{pod("a/b", "srv1", "10.244.0.2")}
		}), wants: []want{{"next-collision", rules.Warning, "CiliumNode/srv1", "10.244.0.5, the ingress address of srv1: after at most 2 more pods"}}},
	}
}

func poolCases() []auditCase {
	pools := func(list ...cluster.LoadBalancerPool) func() *cluster.Snapshot {
		return with(k3s, func(s *cluster.Snapshot) { s.LoadBalancerPools = list })
	}
	lan := func(id string, blocks ...string) cluster.LoadBalancerPool {
		return cluster.LoadBalancerPool{Name: name(id), Blocks: blocks}
	}
	return []auditCase{
		{name: "a pool beside everything", snapshot: pools(lan("p", "192.168.1.200-192.168.1.220")), only: true},
		{name: "a block with host bits", snapshot: pools(lan("ip-pool", "192.168.100.200/28")),
			wants: []want{{"pool-block-wrong", rules.Error, "CiliumLoadBalancerIPPool/ip-pool", "192.168.100.192/28"}}},
		{name: "a pool over single ones", snapshot: pools(lan("cilium-pool", "10.1.100.200-10.1.100.220"), lan("dns", "10.1.100.53"), lan("gw-internal", "10.1.100.200"), lan("plex", "10.1.100.204")),
			wants: []want{
				{"pools-overlap", rules.Error, "CiliumLoadBalancerIPPool/gw-internal", "10.1.100.200"},
				{"pools-overlap", rules.Error, "CiliumLoadBalancerIPPool/plex", "10.1.100.204"},
			}, not: []string{"10.1.100.53"}},
		{name: "a pool of the nodes' addresses", snapshot: pools(lan("lan", "192.168.1.21-192.168.1.23")), wants: []want{
			{"pool-holds-node", rules.Error, "Node/k3s-1", "192.168.1.21"},
			{"pool-holds-node", rules.Error, "Node/k3s-2", "192.168.1.22"},
			{"pool-holds-node", rules.Error, "Node/k3s-3", "192.168.1.23"},
		}},
		{name: "a pool without its first and last address", snapshot: pools(cluster.LoadBalancerPool{Name: name("p"), Blocks: []string{"192.168.1.20/30"}, InnerOnly: true}),
			wants: []want{{"pool-holds-node", rules.Error, "Node/k3s-1", "192.168.1.21"}}, not: []string{"192.168.1.23"}},
		{name: "a pool inside the Services", snapshot: pools(lan("p", "10.43.5.0/24")), wants: []want{{"pool-in-cluster-range", rules.Error, "ServiceCIDR/kubernetes", "10.43.5.0/24"}}},
		{name: "a Service outside all pools", snapshot: with(pools(lan("p", "192.168.1.200/29")), func(s *cluster.Snapshot) {
			s.Services = []cluster.Service{{Name: name("a/b"), LoadBalancerIPs: addrs("192.168.1.240")}}
		}), wants: []want{{"service-outside-pools", rules.Warning, "Service/a/b", "192.168.1.240"}}},
		{name: "pools that are not the plan's", snapshot: pools(lan("p", "192.168.1.200/29")), plan: &site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s", Networks: []site.NetworkDeclaration{{Name: "load_balancer", CIDRs: []string{"192.168.1.208/29"}}}},
			wants: []want{{"pool-differs", rules.Error, "CiliumLoadBalancerIPPool/p", "192.168.1.208/29"}}},
	}
}

func configurationCases() []auditCase {
	return []auditCase{
		{name: "a kind that could not be read", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.NotInspected = []cluster.Gap{{Kind: "ciliumnodes.cilium.io", Reason: "the API server refuses it (403)", Hint: "allow get and list on ciliumnodes.cilium.io to the user"}}
		}), wants: []want{{"not-inspected", rules.Error, "ciliumnodes.cilium.io", "Allow get and list"}}},
		{name: "agents older than their configuration", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.ConfigMaps[0].Changed = "2026-11-30T10:00:00Z"
			s.Pods = append(s.Pods,
				cluster.Pod{Name: name("kube-system/cilium-old"), Node: "k3s-1", HostNetwork: true, Labels: map[string]string{"k8s-app": "cilium"}, Started: "2026-11-30T09:00:00Z"},
				cluster.Pod{Name: name("kube-system/cilium-new"), Node: "k3s-2", HostNetwork: true, Labels: map[string]string{"k8s-app": "cilium"}, Started: "2026-11-30T11:00:00Z"})
		}), wants: []want{{"agent-not-restarted", rules.Warning, "Pod/kube-system/cilium-old", "cilium-old on k3s-1"}}, not: []string{"cilium-new"}},
		{name: "a node configuration that overrides", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.CiliumNodeConfigs = []cluster.CiliumNodeConfig{{Name: name("kube-system/gpu"), Defaults: map[string]string{"ipv4-range": "10.9.0.0/24"}}}
		}), wants: []want{{"node-config-overrides", rules.Warning, "CiliumNodeConfig/kube-system/gpu", "ipv4-range=10.9.0.0/24"}}},
		{name: "a leftover ConfigMap", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.ConfigMaps = append(s.ConfigMaps, cluster.ConfigMap{Name: name("cozy-system/cozystack"), Data: map[string]string{"ipv4-pod-cidr": "10.200.0.0/16"}})
			s.Packages = []cluster.Name{name("cozystack.cozystack-platform")}
		}), plan: cozystack(), wants: []want{{"leftover-configuration", rules.Error, "ConfigMap/cozy-system/cozystack", "ipv4-pod-cidr=10.200.0.0/16"}}},
		{name: "Services of another range", snapshot: with(separate, func(s *cluster.Snapshot) { s.ServiceCIDRs[0].CIDRs = prefixes("10.97.0.0/16") }), plan: cozystack(),
			wants: []want{{"services-differ", rules.Error, "ServiceCIDR/kubernetes", "10.97.0.0/16"}}},
		{name: "another cluster CIDR", snapshot: k3s, plan: &site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s", Networks: []site.NetworkDeclaration{{Name: "pod", CIDRs: []string{"10.52.0.0/16"}}}},
			wants: []want{{"arguments-differ", rules.Error, "Node/k3s-1", "10.42.0.0/16"}}},
		{name: "a native range without the pods", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.ConfigMaps[0].Data["routing-mode"], s.ConfigMaps[0].Data["ipv4-native-routing-cidr"] = "native", "10.244.248.0/21"
		}), wants: []want{{"native-routing-range", rules.Error, "ConfigMap/kube-system/cilium-config", "10.244.0.0/16"}}},
		{name: "kube-proxy beside its replacement", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.ConfigMaps[0].Data["kube-proxy-replacement"] = "true"
			s.Workloads = []cluster.Workload{{Name: name("kube-system/kube-proxy"), Kind: "DaemonSet", Desired: 3}}
		}), wants: []want{{"services-handled-twice", rules.Warning, "DaemonSet/kube-system/kube-proxy", "on 3 nodes"}}},
		{name: "a pod that waits", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Pods = append(s.Pods, cluster.Pod{Name: name("a/b"), Node: "k3s-1", Phase: "Pending", Waiting: true})
		}), wants: []want{{"pod-waits", rules.Info, "Pod/a/b", "See their events"}}},
		{name: "a suspended release", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Releases = []cluster.Release{{Name: name("kube-system/cilium"), Kind: "HelmRelease", Suspended: true}, {Name: name("media/app"), Kind: "HelmRelease"}}
		}), wants: []want{{"release-not-converged", rules.Warning, "HelmRelease/kube-system/cilium", "is suspended"}}, not: []string{"media/app"}},
		{name: "a release that says another mode", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.Releases = []cluster.Release{{Name: name("kube-system/cilium"), Kind: "HelmRelease", Ready: true, Values: `{"mode":"cluster-pool"}`}}
		}), wants: []want{{"release-differs", rules.Error, "HelmRelease/kube-system/cilium", "ipam.mode is cluster-pool"}}},
		{name: "a pool that is not the plan's", snapshot: with(separate, func(s *cluster.Snapshot) {
			s.ConfigMaps[0].Data["cluster-pool-ipv4-cidr"] = "10.244.248.0/21 10.244.240.0/21"
		}), plan: cozystack(), wants: []want{{"pool-not-planned", rules.Error, "ConfigMap/kube-system/cilium-config", "10.244.240.0/21"}}},
	}
}

func storageCases() []auditCase {
	longhorn := func(change func(*cluster.Snapshot)) func() *cluster.Snapshot {
		return with(k3s, func(s *cluster.Snapshot) {
			id := func(text string) cluster.Name { return name("longhorn-system/" + text) }
			s.Volumes = []cluster.Volume{{Name: id("pvc-1"), State: "detaching", Robustness: "faulted", Node: "k3s-2"}, {Name: id("pvc-2"), State: "attached", Robustness: "healthy", Node: "k3s-1"}}
			s.InstanceManagers = []cluster.InstanceManager{{Name: id("im-a"), Node: "k3s-1", IP: "10.42.0.30", Current: "running"}, {Name: id("im-b"), Node: "k3s-2", IP: "10.0.1.37", Current: "unknown"}}
			s.Replicas = []cluster.Replica{
				{Name: id("r1"), Volume: "pvc-1", Node: "k3s-2", Desired: "stopped", Current: "running", InstanceManager: "im-b", IP: "10.0.1.37", HealthyAt: "T"},
				{Name: id("r2"), Volume: "pvc-1", Node: "k3s-1", Desired: "stopped", Current: "stopped", InstanceManager: "im-a", IP: "10.42.0.30", FailedAt: "T"},
			}
			s.LonghornSettings = []cluster.Setting{{Name: id("auto-salvage"), Value: "true"}}
			if change != nil {
				change(s)
			}
		})
	}
	return []auditCase{
		{name: "a stale instance manager that may go", snapshot: longhorn(nil), wants: []want{
			{"stale-instance-manager", rules.Error, "InstanceManager/longhorn-system/im-b", "delete the pod im-b alone"},
			{"storage-gate", rules.Error, "Volume/longhorn-system/pvc-1", "Restart no node"},
		}, not: []string{"im-a", "VolumeAttachment", "delete the replica"}},
		{name: "a stale instance manager that runs an engine", snapshot: longhorn(func(s *cluster.Snapshot) {
			s.Engines = []cluster.Engine{{Name: name("longhorn-system/e1"), InstanceManager: "im-b", Desired: "running"}}
		}), wants: []want{{"stale-instance-manager", rules.Error, "InstanceManager/longhorn-system/im-b", "Do not touch it: it runs e1"}}, not: []string{"delete the pod"}},
		{name: "without auto-salvage", snapshot: longhorn(func(s *cluster.Snapshot) { s.LonghornSettings[0].Value = "false" }),
			wants: []want{{"stale-instance-manager", rules.Error, "InstanceManager/longhorn-system/im-b", "auto-salvage"}}, not: []string{"delete the pod"}},
		{name: "a degraded volume", snapshot: longhorn(func(s *cluster.Snapshot) { s.Volumes[0].Robustness = "degraded" }),
			wants: []want{{"storage-gate", rules.Warning, "Volume/longhorn-system/pvc-1", "Wait until its replicas are rebuilt"}}},
		{name: "an attachment that waits", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.VolumeAttachments = []cluster.VolumeAttachment{{Name: name("csi-1"), Node: "k3s-1", Volume: "pvc-9", Error: "volume is not ready"}}
		}), wants: []want{{"attachment-waits", rules.Warning, "VolumeAttachment/csi-1", "volume is not ready"}}},
		{name: "a storage network inside the pods", snapshot: with(k3s, func(s *cluster.Snapshot) {
			s.NetworkAttachments = []cluster.NetworkAttachment{{Name: name("longhorn-system/storage"), CIDRs: prefixes("10.42.200.0/24")}}
		}), wants: []want{{"storage-network", rules.Error, "NetworkAttachmentDefinition/longhorn-system/storage", "10.42.200.0/24"}}},
	}
}

func TestAudit(t *testing.T) {
	fired := map[string]bool{}
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			var p *plan.Plan
			if c.plan != nil {
				p = planned(t, *c.plan)
			}
			report := Run(c.snapshot(), p)
			for _, w := range c.wants {
				fired[w.rule] = true
				if !w.met(report.Findings) {
					t.Errorf("missing %+v", w)
				}
			}
			for _, f := range report.Findings {
				if f.Message == "" || f.Consequence == "" || f.Remedy == "" || len(f.Objects) == 0 {
					t.Errorf("incomplete: %+v", f)
				}
				for _, text := range c.not {
					if strings.Contains(strings.Join(append(f.Objects, f.Message, f.Remedy), " "), text) {
						t.Errorf("%q in %+v", text, f)
					}
				}
				if c.only && !slices.ContainsFunc(c.wants, func(w want) bool { return w.rule == f.Rule }) {
					t.Errorf("beside: %+v", f)
				}
			}
			if t.Failed() {
				for _, f := range report.Findings {
					t.Logf("%s %s %v: %s | %s | %s", f.Severity, f.Rule, f.Objects, f.Message, f.Consequence, f.Remedy)
				}
			}
			if healthy := len(c.wants) == 0; report.Healthy() != healthy && c.only && healthy {
				t.Error("not healthy")
			}
		})
	}
	for _, rule := range Rules() {
		if rule.check != nil && !fired[rule.Slug] {
			t.Errorf("no case fires %s", rule.Slug)
		}
	}
}
