// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// publicCase is a site that operators reported, as it would be declared, with
// the verdict that must come out.
type publicCase struct {
	name    string
	d       site.Declaration
	verdict Severity // the worst that is found; empty for nothing worse than info
	want    []wanted
	absent  []wanted
}

// wanted is a finding: its rule, two of its networks, one of its ranges. What is
// empty is not compared.
type wanted struct{ rule, a, b, of string }

func (w wanted) matches(f Finding) bool {
	return (w.rule == "" || f.Rule == w.rule) && (w.a == "" || slices.Contains(f.Networks, w.a)) &&
		(w.b == "" || slices.Contains(f.Networks, w.b)) && (w.of == "" || slices.Contains(f.Ranges, w.of))
}

func publicCases() []publicCase {
	net := func(name, role string, cidrs ...string) network { return network{Name: name, Role: role, CIDRs: cidrs} }
	cozystack := func(networks ...network) site.Declaration {
		return site.Declaration{Datapath: "kubeovn-cilium", Networks: networks}
	}
	three, nine, ten, fifty := int64(3), int64(9), int64(10), int64(50)
	clusterRange := network{Name: "cluster_cidr", Role: "pod", Allocator: "kube-controller-manager", CIDRs: []string{"10.244.0.0/16"}}
	vlans := []network{net("mgmt", "node", "192.168.1.0/24"), net("trusted", "node", "192.168.10.0/24"), net("servers", "node", "192.168.42.0/24"), net("guest", "node", "192.168.50.0/24"), net("iot", "node", "192.168.70.0/24")}
	for i := range vlans {
		base := strings.TrimSuffix(vlans[i].CIDRs[0], "0/24")
		vlans[i].DHCP = []string{base + "100-" + base + "200"}
	}
	return []publicCase{
		{
			name: "the guide makes Kube-OVN's range and the cluster's equal", verdict: Error,
			d:    cozystack(net("pod", "", "10.244.0.0/16"), clusterRange),
			want: []wanted{{"overlap", "pod", "cluster_cidr", "10.244.0.0/16"}},
		},
		{
			name: "a pool outside what Kube-OVN masquerades", verdict: Error,
			d:    cozystack(net("cilium_pool", "", "100.65.0.0/16")),
			want: []wanted{{"unmasqueraded-pool", "cilium_pool", "", "100.65.0.0/16"}}, absent: []wanted{{rule: "overlap"}},
		},
		{
			name: "a pool from the tail of the pods, excluded there",
			d:    cozystack(net("pod", "", "10.244.0.0/16"), network{Name: "cilium_pool", CarvedFrom: "pod", CIDRs: []string{"10.244.248.0/21"}, IPv4NodePrefixLength: new(int64(29))}),
		},
		{
			name: "a management cluster on its tenants' ranges", verdict: Error,
			d:    cozystack(net("pod", "", "10.243.0.0/16"), net("service", "", "10.95.0.0/16")),
			want: []wanted{{"tenant-ranges", "service", "", "10.95.0.0/16"}, {"tenant-ranges", "pod", "", "10.243.0.0/16"}},
		},
		{
			name: "the chart's default pool over the nodes' LAN", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-cluster-pool", Distribution: "kubeadm", Networks: []network{net("pod", "", "10.0.0.0/8"), net("lan", "node", "10.0.0.0/22"), net("service", "", "172.20.0.0/16")}},
			want: []wanted{{"overlap", "pod", "lan", "10.0.0.0/22"}},
		},
		{
			name: "a pod range around the Services", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-cluster-pool", Networks: []network{net("pod", "", "10.0.0.0/8"), net("service", "", "10.96.0.0/12"), net("lan", "node", "192.168.100.0/24")}},
			want: []wanted{{"overlap", "pod", "service", "10.96.0.0/12"}}, absent: []wanted{{a: "lan"}},
		},
		{
			name: "a default pool over a lab and a VPN", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-cluster-pool", Distribution: "k3s", Reserved: map[string][]string{"lab": {"10.10.0.0/16"}, "vpn": {"10.8.0.0/24"}}, Networks: []network{net("pod", "", "10.0.0.0/8"), net("service", "", "10.43.0.0/16")}},
			want: []wanted{{"reserved-overlap", "pod", "", "10.10.0.0/16"}, {"reserved-overlap", "pod", "", "10.8.0.0/24"}, {"overlap", "pod", "service", "10.43.0.0/16"}},
		},
		{
			name: "IPv6 Services as a /64", verdict: Error,
			d:    site.Declaration{Datapath: "node-ipam", Distribution: "talos", IPFamilies: []string{"ipv4", "ipv6"}, Networks: []network{net("pod", "", "10.244.0.0/16", "fd00:10:244::/56"), net("service", "", "10.96.0.0/16", "fd00:10:96::/64")}},
			want: []wanted{{"services-too-large", "service", "", "fd00:10:96::/64"}}, absent: []wanted{{"services-too-large", "service", "", "10.96.0.0/16"}},
		},
		{
			name: "pods on the VPC", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-kubernetes", Distribution: "kubeadm", Networks: []network{net("pod", "", "172.31.0.0/16"), net("vpc", "node", "172.31.0.0/16"), net("service", "", "10.96.0.0/12")}},
			want: []wanted{{"overlap", "pod", "vpc", "172.31.0.0/16"}},
		},
		{
			name: "an installed K3s on the home LAN", verdict: Error,
			d:    site.Declaration{Datapath: "node-ipam", Distribution: "k3s", Existing: true, Networks: []network{net("lan", "node", "10.42.0.0/23")}},
			want: []wanted{{"overlap", "pod", "lan", "10.42.0.0/23"}},
		},
		{
			name: "a mesh inside Talos' unstated Services", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-kubernetes", Distribution: "talos", Existing: true, Reserved: map[string][]string{"mesh": {"10.100.0.0/16"}}, NativeRouting: []string{"10.100.0.0/16"}, Networks: []network{net("lan", "node", "192.168.1.0/24")}},
			want: []wanted{{"reserved-overlap", "service", "", "10.100.0.0/16"}, {"native-routing-not-covering", "pod", "", ""}},
		},
		{
			name: "a /48 that does not cover the pods", verdict: Error,
			d: site.Declaration{Datapath: "cilium-kubernetes", Distribution: "talos", MaxNodes: &ten, MaxServices: new(int64(200)), IPFamilies: []string{"ipv6", "ipv4"}, NativeRouting: []string{"10.101.0.0/16", "fd00:101::/48"},
				Networks: []network{net("pod", "", "fd00:101:224::/60", "10.101.224.0/20"), net("service", "", "fd00:101:96::/108", "10.101.96.0/24"), net("lan", "node", "fd00:101::/64", "10.101.0.0/24")}},
			want: []wanted{{"native-routing-not-covering", "pod", "", "fd00:101:224::/60"}}, absent: []wanted{{"native-routing-not-covering", "pod", "", "10.101.224.0/20"}, {rule: "overlap"}},
		},
		{
			name: "a cloud network with its parts",
			d: site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s", MaxNodes: &fifty, NativeRouting: []string{"10.0.0.0/16"},
				Networks: []network{net("cloud", "container", "10.0.0.0/16"), net("nodes-a", "node", "10.0.0.0/24"), net("nodes-b", "node", "10.0.1.0/24"), net("service", "", "10.0.64.0/18"), net("pod", "", "10.0.128.0/17")}},
		},
		{
			name: "a pool on the addresses of four nodes", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-kubernetes", Hosts: map[string]int64{"n1": 191, "n2": 192, "n3": 193, "n4": 194}, Networks: []network{net("lan", "node", "192.168.10.0/24"), {Name: "load_balancer", Announce: "l2", CarvedFrom: "lan", CIDRs: []string{"192.168.10.191-192.168.10.194"}}}},
			want: []wanted{{"address-taken", "lan", "", "192.168.10.191"}, {"address-taken", "lan", "", "192.168.10.192"}, {"address-taken", "lan", "", "192.168.10.193"}, {"address-taken", "lan", "", "192.168.10.194"}},
		},
		{
			name: "pods inside the default Services", verdict: Error,
			d:    site.Declaration{Datapath: "node-ipam", Distribution: "kubeadm", Existing: true, Networks: []network{net("pod", "", "10.96.0.0/16")}},
			want: []wanted{{"overlap", "pod", "service", "10.96.0.0/16"}},
		},
		{
			name: "pods and Services in public space", verdict: Warning,
			d:    site.Declaration{Datapath: "cilium-cluster-pool", Distribution: "k3s", NativeRouting: []string{"172.40.0.0/16"}, Networks: []network{net("pod", "", "172.40.0.0/16"), net("service", "", "172.42.0.0/16"), net("lan", "node", "10.0.40.0/24"), {Name: "load_balancer", Announce: "bgp", CIDRs: []string{"10.0.42.0/24"}}}},
			want: []wanted{{"public-range", "pod", "", "172.40.0.0/16"}, {"public-range", "service", "", "172.42.0.0/16"}}, absent: []wanted{{a: "load_balancer"}},
		},
		{
			name: "joins and transit inside Tailscale", verdict: Error,
			d:    site.Declaration{Datapath: "kubeovn-cilium", Reserved: map[string][]string{"tailscale": {"100.64.0.0/10"}}, Networks: []network{net("join", "", "100.64.0.0/16"), net("transit", "", "100.66.0.0/16")}},
			want: []wanted{{"reserved-overlap", "join", "", "100.64.0.0/16"}, {"reserved-overlap", "transit", "", "100.66.0.0/16"}},
		},
		{
			name: "a routed pool beside the nodes",
			d:    site.Declaration{Datapath: "cilium-kubernetes", Distribution: "talos", Hosts: map[string]int64{"n1": 10, "n2": 11, "n3": 12}, Networks: []network{net("pod", "", "10.69.0.0/16"), {Name: "lan", Role: "node", CIDRs: []string{"10.0.80.0/21"}, VIPs: map[string]string{"api": "10.0.80.99"}}, {Name: "load_balancer", Announce: "bgp", CIDRs: []string{"10.0.88.0/24"}}}},
		},
		{
			name: "a pool and a virtual address inside a DHCP range", verdict: Error,
			d: site.Declaration{Datapath: "cilium-kubernetes", Hosts: map[string]int64{"n1": 2561, "n2": 2562}, Networks: []network{{Name: "servers", Role: "node", CIDRs: []string{"10.20.0.0/16"}, VLANID: new(int64(20)), DHCP: []string{"10.20.0.46-10.20.255.254"}, VIPs: map[string]string{"api": "10.20.10.0"}},
				{Name: "load_balancer", Announce: "l2", CarvedFrom: "servers", CIDRs: []string{"10.20.10.128-10.20.10.255"}}}},
			want: []wanted{{"overlap", "servers", "load_balancer", "10.20.10.128/25"}, {"address-taken", "servers", "", "10.20.10.0"}}, absent: []wanted{{of: "10.20.10.1"}, {of: "10.20.10.2"}},
		},
		{
			name: "VLANs with DHCP and a routed pool",
			d: site.Declaration{Datapath: "cilium-kubernetes", Distribution: "talos", Hosts: map[string]int64{"k0": 10, "k1": 11, "k2": 12}, Reserved: map[string][]string{"nas": {"192.168.90.9"}},
				Networks: append(slices.Clone(vlans), net("pod", "", "10.42.0.0/16"), net("service", "", "10.43.0.0/16"), network{Name: "load_balancer", Announce: "bgp", CIDRs: []string{"192.168.69.0/24"}})},
		},
		{
			name: "a general pool that covers single ones", verdict: Error,
			d: site.Declaration{Datapath: "cilium-kubernetes", Networks: []network{net("lan", "node", "10.1.100.0/24"),
				{Name: "general", Role: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"10.1.100.200-10.1.100.220"}}, {Name: "dns", Role: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"10.1.100.53"}},
				{Name: "gateway", Role: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"10.1.100.200"}}, {Name: "media", Role: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"10.1.100.204"}}}},
			want: []wanted{{"overlap", "general", "gateway", "10.1.100.200"}, {"overlap", "general", "media", "10.1.100.204"}}, absent: []wanted{{a: "dns"}},
		},
		{
			name: "nodes inside Talos' unstated Services", verdict: Error,
			d:    site.Declaration{Datapath: "node-ipam", Distribution: "talos", Existing: true, Hosts: map[string]int64{"cp1": 100}, Networks: []network{net("lan", "node", "10.100.0.0/24")}},
			want: []wanted{{"overlap", "service", "lan", "10.100.0.0/24"}},
		},
		{
			name: "two Kube-OVN subnets on one range", verdict: Error,
			d:    site.Declaration{Datapath: "kubeovn", Networks: []network{net("subnet1", "pod", "10.66.0.0/16"), net("subnet2", "pod", "10.66.0.0/16")}},
			want: []wanted{{"overlap", "subnet1", "subnet2", "10.66.0.0/16"}},
		},
		{
			name: "two Kube-OVN subnets on one range in different VPCs",
			d:    site.Declaration{Datapath: "kubeovn", Networks: []network{net("subnet1", "pod", "10.66.0.0/16"), {Name: "tenant", Role: "pod", VPC: "vpc-a", CIDRs: []string{"10.66.0.0/16"}}}},
		},
		{
			name: "the same behind Cilium", verdict: Error,
			d:    cozystack(net("subnet1", "pod", "10.66.0.0/16"), network{Name: "tenant", Role: "pod", VPC: "vpc-a", CIDRs: []string{"10.66.0.0/16"}}),
			want: []wanted{{"overlap", "subnet1", "tenant", "10.66.0.0/16"}},
		},
		{
			name: "a pool on the pods' gateway", verdict: Error,
			d:    cozystack(net("pod", "", "10.244.0.0/16"), network{Name: "cilium_pool", CarvedFrom: "pod", CIDRs: []string{"10.244.0.0/21"}}),
			want: []wanted{{"address-taken", "pod", "", "10.244.0.1"}},
		},
		{
			name: "a /22 for nine nodes", verdict: Error,
			d:    site.Declaration{Datapath: "node-ipam", Distribution: "kubeadm", MaxNodes: &nine, Networks: []network{net("pod", "", "10.60.0.0/22")}},
			want: []wanted{{"too-few-node-ranges", "pod", "", "10.60.0.0/22"}},
		},
		{
			name: "a /23 for three nodes", verdict: Error,
			d:    site.Declaration{Datapath: "cilium-kubernetes", MaxNodes: &three, Networks: []network{net("pod", "", "10.255.0.0/23")}},
			want: []wanted{{"too-few-node-ranges", "pod", "", "10.255.0.0/23"}},
		},
		{
			name: "sixteen blocks in both families for six nodes",
			d:    site.Declaration{Datapath: "cilium-kubernetes", Distribution: "talos", MaxNodes: new(int64(6)), IPFamilies: []string{"ipv4", "ipv6"}, Networks: []network{net("pod", "", "10.101.224.0/20", "fd12:101:224::/60")}},
		},
		{
			name: "ranges that touch and do not overlap",
			d:    site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s", Networks: []network{net("pod", "", "10.42.0.0/16"), net("service", "", "10.43.0.0/16"), {Name: "load_balancer", Announce: "bgp", CIDRs: []string{"10.44.0.0/16"}}}},
		},
	}
}

func TestPublicCases(t *testing.T) {
	for _, c := range publicCases() {
		t.Run(c.name, func(t *testing.T) {
			findings := find(t, c.d)
			if got := verdict(findings); got != c.verdict {
				t.Errorf("the verdict is %q, want %q: %+v", got, c.verdict, findings)
			}
			for _, w := range c.want {
				if !slices.ContainsFunc(findings, w.matches) {
					t.Errorf("%+v is missing in %+v", w, findings)
				}
			}
			for _, w := range c.absent {
				if i := slices.IndexFunc(findings, func(f Finding) bool { return f.Severity != Info && w.matches(f) }); i >= 0 {
					t.Errorf("a false alarm: %+v", findings[i])
				}
			}
		})
	}
}

// verdict is the worst severity, or "" for nothing worse than info.
func verdict(findings []Finding) Severity {
	worst := Severity("")
	for _, f := range findings {
		if f.Severity == Error || f.Severity == Warning && worst == "" {
			worst = f.Severity
		}
	}
	return worst
}

// A pool that reaches into the DHCP range of its own network is told where it can go.
func TestPoolInDHCPRange(t *testing.T) {
	findings := of(find(t, site.Declaration{Datapath: "kubeovn-cilium", Networks: []network{
		{Name: "mgmt", Role: "node", CIDRs: []string{"192.168.40.0/24"}, DHCP: []string{"192.168.40.100-192.168.40.199"}},
		{Name: "load_balancer", CarvedFrom: "mgmt", CIDRs: []string{"192.168.40.190-192.168.40.220"}},
	}}), "overlap")
	if len(findings) != 1 || !strings.Contains(findings[0].Message, "192.168.40.100-192.168.40.199 of the network \"mgmt\" (dhcp)") || !strings.Contains(findings[0].Remedy, "192.168.40.224/27 is free there") {
		t.Errorf("got %+v", findings)
	}
}

// A host bit off the boundary is refused where it is parsed, with what the
// consumer would make of it.
func TestPoolOffItsBoundary(t *testing.T) {
	_, problems := site.Parse(site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", Networks: []network{{Name: "load_balancer", CIDRs: []string{"192.168.100.200/28"}}}})
	if len(problems) != 1 || !strings.Contains(problems[0].Detail, "192.168.100.192/28") {
		t.Errorf("got %s", problems)
	}
}

// A parent without a free block is said to be full, by name.
func TestNoFreeBlock(t *testing.T) {
	s, _ := site.Parse(site.Declaration{Name: "dc1", Datapath: "node-ipam", Networks: []network{
		{Name: "cloud", Role: "container", CIDRs: []string{"10.0.0.0/16"}}, {Name: "k8s", Role: "node", CarvedFrom: "cloud", CIDRs: []string{"10.0.0.0/16"}},
		{Name: "vswitch", Role: "node", CarvedFrom: "cloud", IPv4PrefixLength: new(int64(24))},
	}})
	_, problems := plan.Compute(s, nil)
	if len(problems) != 1 || problems[0].Summary != plan.SummaryExhausted || !strings.Contains(problems[0].Detail, `"vswitch"`) || !strings.Contains(problems[0].Detail, "10.0.0.0/16") {
		t.Errorf("got %s", problems)
	}
}
