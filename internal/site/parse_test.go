// SPDX-License-Identifier: MPL-2.0

package site

import (
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// TestParseProblems: each wrong declaration gives its problem, on its attribute.
func TestParseProblems(t *testing.T) {
	base := Declaration{Name: "dc1", Datapath: "kubeovn-cilium"}
	with := func(change func(*Declaration)) Declaration {
		d := base
		change(&d)
		return d
	}
	network := func(n NetworkDeclaration) Declaration {
		return with(func(d *Declaration) { d.Networks = []NetworkDeclaration{n} })
	}
	tests := []struct {
		name          string
		d             Declaration
		path, summary string
		phrase        string
	}{
		{"no name", with(func(d *Declaration) { d.Name = "" }), "name", SummaryInvalidName, `"dc1"`},
		{"a name with a slash", with(func(d *Declaration) { d.Name = "a/b" }), "name", SummaryInvalidName, `"a/b"`},
		{"an unknown datapath", with(func(d *Declaration) { d.Datapath = "kubeovn-silium" }), "datapath", SummaryUnknownValue, `Did you mean "kubeovn-cilium"?`},
		{"an unknown distribution", with(func(d *Declaration) { d.Distribution = "k3" }), "distribution", SummaryUnknownValue, `Did you mean "k3s"?`},
		{"Gateway API without Cilium", with(func(d *Declaration) { yes := true; d.Datapath, d.GatewayAPI = "kubeovn", &yes }), "gateway_api", SummaryNotApplicable, "kubeovn-cilium"},
		{"an unknown family", with(func(d *Declaration) { d.IPFamilies = []string{"ipv5"} }), "ip_families[0]", SummaryUnknownValue, "ipv4"},
		{"a family twice", with(func(d *Declaration) { d.IPFamilies = []string{"ipv4", "ipv4"} }), "ip_families[1]", SummaryDuplicateName, "twice"},
		{"no family", with(func(d *Declaration) { d.IPFamilies = []string{} }), "ip_families", SummaryOutOfBounds, "first is primary"},
		{"no nodes", with(func(d *Declaration) { d.MaxNodes = new(int64(0)) }), "max_nodes", SummaryOutOfBounds, "between 1 and 65536"},
		{"too many pods", with(func(d *Declaration) { d.PodsPerNode = new(int64(1 << 20)) }), "pods_per_node", SummaryOutOfBounds, "65536"},
		{"a negative number of services", with(func(d *Declaration) { d.MaxServices = new(int64(-1)) }), "max_services", SummaryOutOfBounds, "-1"},
		{"a broken address space", with(func(d *Declaration) { d.AddressSpace = []string{"10.0.0.0/8", "10.0.0.0"} }), "address_space[1]", SummaryInvalidPrefix, "10.0.0.0"},
		{"an empty address space", with(func(d *Declaration) { d.AddressSpace = []string{} }), "address_space", SummaryOutOfBounds, "10.0.0.0/8"},
		{"a broken reserved range", with(func(d *Declaration) { d.Reserved = map[string][]string{"lab": {"10.0.0.9-10.0.0.1"}} }), `reserved["lab"][0]`, SummaryInvalidRange, "10.0.0.9"},
		{"a host number of zero", with(func(d *Declaration) { d.Hosts = map[string]int64{"a": 0} }), `hosts["a"]`, SummaryOutOfBounds, "at least 1"},
		{"a host number twice", with(func(d *Declaration) { d.Hosts = map[string]int64{"a": 7, "b": 7} }), `hosts["b"]`, SummaryDuplicateName, "the next free number, 8"},
		{"an unusable host name", with(func(d *Declaration) { d.Hosts = map[string]int64{"a b": 7} }), `hosts["a b"]`, SummaryInvalidName, `"a b"`},
		{"an unknown component", with(func(d *Declaration) { d.Versions = map[string]string{"celium": "1.19"} }), `versions["celium"]`, SummaryUnknownValue, `Did you mean "cilium"?`},
		{"a version in words", with(func(d *Declaration) { d.Versions = map[string]string{"cilium": "latest"} }), `versions["cilium"]`, SummaryUnknownValue, "major.minor"},
		{"no reason", with(func(d *Declaration) { d.Accept = map[string]string{"public-range/pod": " "} }), `accept["public-range/pod"]`, SummaryContradiction, "Say why"},
		{"a move of nothing", with(func(d *Declaration) { d.AllowMove = map[string]string{"pods": "10.0.0.0/8"} }), `allow_move["pods"]`, SummaryUnknownValue, `Did you mean "pod"?`},
		{"a move from host bits", with(func(d *Declaration) { d.AllowMove = map[string]string{"pod": "10.0.0.1/8"} }), `allow_move["pod"]`, SummaryInvalidPrefix, "10.0.0.0/8"},

		{"a network twice", with(func(d *Declaration) { d.Networks = []NetworkDeclaration{{Name: "a"}, {Name: "a"}} }), "network[1].name", SummaryDuplicateName, "blocks 1 and 2"},
		{"an unusable network name", network(NetworkDeclaration{Name: "a b"}), "network[0].name", SummaryInvalidName, `"a b"`},
		{"an unknown role", network(NetworkDeclaration{Name: "a", Role: "nodes"}), "network[0].role", SummaryUnknownValue, `Did you mean "node"?`},
		{"another role of a well-known name", network(NetworkDeclaration{Name: "pod", Role: "node"}), "network[0].role", SummaryContradiction, "another name"},
		{"an unknown allocator", network(NetworkDeclaration{Name: "a", Allocator: "kubeovn"}), "network[0].allocator", SummaryUnknownValue, `Did you mean "kube-ovn"?`},
		{"no prefix", network(NetworkDeclaration{Name: "a", CIDRs: []string{}}), "network[0].cidrs", SummaryOutOfBounds, "Leave it out"},
		{"no length", network(NetworkDeclaration{Name: "a", CIDRs: []string{"10.1.0.0"}}), "network[0].cidrs[0]", SummaryInvalidPrefix, "10.1.0.0"},
		{"host bits", network(NetworkDeclaration{Name: "a", CIDRs: []string{"10.1.2.3/16"}}), "network[0].cidrs[0]", SummaryInvalidPrefix, `use "10.1.0.0/16"`},
		{"IPv4 in IPv6", network(NetworkDeclaration{Name: "a", CIDRs: []string{"::ffff:10.1.0.0/112"}}), "network[0].cidrs[0]", SummaryInvalidPrefix, "10.1.0.0/16"},
		{"a family that the site does not have", network(NetworkDeclaration{Name: "a", CIDRs: []string{"fd12:3456:789a::/64"}}), "network[0].cidrs[0]", SummaryWrongFamily, "ip_families"},
		{"two prefixes of one family", network(NetworkDeclaration{Name: "pod", CIDRs: []string{"10.1.0.0/16", "10.2.0.0/16"}}), "network[0].cidrs[1]", SummaryTooManyPrefixes, "only pools grow"},
		{"overlapping prefixes of a pool", network(NetworkDeclaration{Name: "load_balancer", CIDRs: []string{"10.1.0.0/24", "10.1.0.200-10.1.1.5"}}), "network[0].cidrs[1]", SummaryOverlappingRanges, "10.1.0.0/24"},
		{"a range where only prefixes may stand", network(NetworkDeclaration{Name: "a", CIDRs: []string{"10.1.0.0-10.1.0.9"}}), "network[0].cidrs[0]", SummaryInvalidPrefix, "10.1.0.0-10.1.0.9"},
		{"an impossible length", network(NetworkDeclaration{Name: "a", IPv4PrefixLength: new(int64(33))}), "network[0].ipv4_prefix_length", SummaryOutOfBounds, "between 1 and 32"},
		{"a length of another family", network(NetworkDeclaration{Name: "a", IPv6PrefixLength: new(int64(64))}), "network[0].ipv6_prefix_length", SummaryWrongFamily, "ip_families"},
		{"a pin and another length", network(NetworkDeclaration{Name: "a", CIDRs: []string{"10.1.0.0/16"}, IPv4PrefixLength: new(int64(20))}), "network[0].ipv4_prefix_length", SummaryContradiction, "Leave one of the two out"},
		{"node ranges where nodes get none", network(NetworkDeclaration{Name: "pod", IPv4NodePrefixLength: new(int64(24))}), "network[0].ipv4_node_prefix_length", SummaryNotApplicable, `"cilium_pool"`},
		{"node ranges larger than the network", network(NetworkDeclaration{Name: "cilium_pool", CIDRs: []string{"10.1.0.0/24"}, IPv4NodePrefixLength: new(int64(20))}), "network[0].ipv4_node_prefix_length", SummaryContradiction, "at least 24"},
		{"a gateway outside", network(NetworkDeclaration{Name: "pod", CIDRs: []string{"10.1.0.0/16"}, Gateway: "10.2.0.1"}), "network[0].gateway", SummaryOutsideNetwork, "Use 10.1.0.1"},
		{"a gateway on the network address", network(NetworkDeclaration{Name: "pod", CIDRs: []string{"10.1.0.0/16"}, Gateway: "10.1.0.0"}), "network[0].gateway", SummaryOutsideNetwork, "network address"},
		{"a gateway on the broadcast address", network(NetworkDeclaration{Name: "pod", CIDRs: []string{"10.1.0.0/16"}, Gateway: "10.1.255.255"}), "network[0].gateway", SummaryOutsideNetwork, "broadcast address"},
		{"a gateway with a length", network(NetworkDeclaration{Name: "pod", CIDRs: []string{"10.1.0.0/16"}, Gateway: "10.1.0.1/16"}), "network[0].gateway", SummaryInvalidAddress, "10.1.0.1"},
		{"two gateways of one family", network(NetworkDeclaration{Name: "pod", CIDRs: []string{"10.1.0.0/16"}, Gateway: "10.1.0.1,10.1.0.2"}), "network[0].gateway", SummaryTooManyPrefixes, "one for each family"},
		{"a VLAN id that does not exist", network(NetworkDeclaration{Name: "a", Role: "node", VLANID: new(int64(4095))}), "network[0].vlan_id", SummaryOutOfBounds, "4094"},
		{"DHCP outside", network(NetworkDeclaration{Name: "a", Role: "node", CIDRs: []string{"10.1.0.0/24"}, DHCP: []string{"10.1.1.5-10.1.1.9"}}), "network[0].dhcp[0]", SummaryOutsideNetwork, "10.1.0.0/24"},
		{"DHCP ranges that overlap", network(NetworkDeclaration{Name: "a", Role: "node", CIDRs: []string{"10.1.0.0/24"}, DHCP: []string{"10.1.0.5-10.1.0.9", "10.1.0.9-10.1.0.11"}}), "network[0].dhcp[1]", SummaryOverlappingRanges, "Join the two"},
		{"DHCP in a service network", network(NetworkDeclaration{Name: "service", CIDRs: []string{"10.1.0.0/24"}, DHCP: []string{"10.1.0.5-10.1.0.9"}}), "network[0].dhcp", SummaryNotApplicable, "no DHCP server"},
		{"a virtual address outside", network(NetworkDeclaration{Name: "a", Role: "node", CIDRs: []string{"10.1.0.0/24"}, VIPs: map[string]string{"api": "10.1.1.5"}}), `network[0].vips["api"]`, SummaryOutsideNetwork, "10.1.0.0/24"},
		{"a virtual address twice", network(NetworkDeclaration{Name: "a", Role: "node", CIDRs: []string{"10.1.0.0/24"}, VIPs: map[string]string{"api": "10.1.0.5", "web": "10.1.0.5"}}), `network[0].vips["web"]`, SummaryDuplicateName, "both"},
		{"virtual addresses of pods", network(NetworkDeclaration{Name: "pod", VIPs: map[string]string{"api": "10.1.0.5"}}), "network[0].vips", SummaryNotApplicable, `"node"`},
		{"an unknown announcement", network(NetworkDeclaration{Name: "load_balancer", Announce: "arp"}), "network[0].announce", SummaryUnknownValue, `"l2"`},
		{"an announcement of pods", network(NetworkDeclaration{Name: "pod", Announce: "bgp"}), "network[0].announce", SummaryNotApplicable, "LoadBalancer"},
		{"a default route without a gateway", network(NetworkDeclaration{Name: "a", Role: "node", CIDRs: []string{"10.1.0.0/24"}, DefaultRoute: true}), "network[0].default_route", SummaryContradiction, "gateway"},
		{"a default route of pods", network(NetworkDeclaration{Name: "pod", DefaultRoute: true}), "network[0].default_route", SummaryNotApplicable, `"node"`},
		{"native routing without Cilium", with(func(d *Declaration) { d.Datapath, d.NativeRouting = "kubeovn", []string{"10.0.0.0/8"} }), "native_routing_cidrs", SummaryNotApplicable, "Cilium"},
		{"native routing with host bits", with(func(d *Declaration) { d.NativeRouting = []string{"10.0.0.1/8"} }), "native_routing_cidrs[0]", SummaryInvalidPrefix, "10.0.0.0/8"},
		{"a VPC of the default pods", network(NetworkDeclaration{Name: "pod", VPC: "a"}), "network[0].vpc", SummaryNotApplicable, "default one"},
		{"a parent that is not there", network(NetworkDeclaration{Name: "a", CarvedFrom: "pods"}), "network[0].carved_from", SummaryMissingParent, `Did you mean "pod"?`},
		{"its own parent", network(NetworkDeclaration{Name: "a", CarvedFrom: "a"}), "network[0].carved_from", SummaryMissingParent, "itself"},
		{"a circle of parents", with(func(d *Declaration) {
			d.Networks = []NetworkDeclaration{{Name: "a", CarvedFrom: "b"}, {Name: "b", CarvedFrom: "a"}}
		}), "network[0].carved_from", SummaryMissingParent, "the outer one"},
		{"its own former name", network(NetworkDeclaration{Name: "a", Formerly: "a"}), "network[0].formerly", SummaryContradiction, "lock file"},
		{"a pool where Cilium owns the pods", with(func(d *Declaration) {
			d.Datapath, d.Networks = "cilium-cluster-pool", []NetworkDeclaration{{Name: "cilium_pool"}}
		}), "network[0]", SummaryNotApplicable, `the network "pod"`},
		{"a join network without Kube-OVN", with(func(d *Declaration) { d.Datapath, d.Networks = "node-ipam", []NetworkDeclaration{{Name: "join"}} }), "network[0]", SummaryNotApplicable, "no network of role"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, problems := Parse(test.d)
			if len(problems) == 0 {
				t.Fatal("no problem was found")
			}
			p := problems[0]
			if p.Path.String() != test.path || p.Summary != test.summary || !strings.Contains(p.Detail, test.phrase) {
				t.Errorf("got\n%swant %s: %s: … %s …", problems, test.path, test.summary, test.phrase)
			}
		})
	}
}

// TestParseReportsEverything: one run finds all problems, whatever their kind,
// and what is sound is kept for the rules.
func TestParseReportsEverything(t *testing.T) {
	s, problems := Parse(Declaration{
		Name: "dc1", Datapath: "kubeovn", MaxNodes: new(int64(0)), Versions: map[string]string{"talos": "new"},
		Networks: []NetworkDeclaration{
			{Name: "bad", CIDRs: []string{"10.1.0.1/16", "10.2.0.0"}},
			{Name: "inside", CarvedFrom: "bad"},
			{Name: "good", Role: "node", CIDRs: []string{"10.3.0.0/16"}, Gateway: "10.4.0.1"},
		},
	})
	want := []string{"max_nodes", "network[0].cidrs[0]", "network[0].cidrs[1]", "network[2].gateway", `versions["talos"]`}
	if len(problems) != len(want) {
		t.Fatalf("got\n%s", problems)
	}
	for i, path := range want {
		if problems[i].Path.String() != path {
			t.Errorf("problem %d is on %s, want %s", i, problems[i].Path, path)
		}
	}
	if _, ok := s.Network("good"); !ok || !s.Broken["bad"] || !s.Broken["inside"] {
		t.Errorf("kept %v, broken %v", s.Networks, s.Broken)
	}
}

func TestDefaults(t *testing.T) {
	s, problems := Parse(Declaration{Name: "dc1", Datapath: "kubeovn-cilium"})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if s.MaxNodes != 256 || s.PodsPerNode != 110 || s.MaxServices != 4000 || !s.GatewayAPI || len(s.Families) != 1 || s.Families[0] != space.IPv4 {
		t.Errorf("got %+v", s)
	}
	if s, _ := Parse(Declaration{Name: "dc1", Datapath: "cilium-kubernetes"}); s.GatewayAPI {
		t.Error("Gateway API is on by default where it is not Cozystack's")
	}
}

func TestULA(t *testing.T) {
	a, b := ULA("dc1"), ULA("dc2")
	if a == b || a.Bits() != 48 || a.Addr().As16()[0] != 0xfd || a != ULA("dc1") {
		t.Errorf("got %s and %s", a, b)
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{"nod": "node", "podd": "pod", "zzzzzz": "", "service": "service"} {
		if got := Nearest(word, Strings(Roles())); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
}
