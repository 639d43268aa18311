// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

type network = site.NetworkDeclaration

// find plans a declaration and returns its findings. It must parse.
func find(t *testing.T, d site.Declaration) []Finding {
	t.Helper()
	if d.Name == "" {
		d.Name = "dc1"
	}
	s, problems := site.Parse(d)
	if len(problems) > 0 {
		t.Fatalf("the declaration has problems:\n%s", problems)
	}
	p, problems := plan.Compute(s, nil)
	if len(problems) > 0 {
		t.Fatalf("the site cannot be planned:\n%s", problems)
	}
	return Check(s, p, nil)
}

// example is a declaration that a rule must find something in, and one nearly
// the same in which it must not.
type example struct {
	rule     string
	severity Severity
	path     string
	ranges   []string
	phrases  []string // in message, consequence or remedy
	fires    site.Declaration
	quiet    site.Declaration
}

func examples() []example {
	kubeovn := func(networks ...network) site.Declaration {
		return site.Declaration{Datapath: "kubeovn-cilium", Distribution: "talos", Networks: networks}
	}
	nodes := func(n int64, networks ...network) site.Declaration {
		return site.Declaration{Datapath: "node-ipam", MaxNodes: &n, Networks: networks}
	}
	dual := func(networks ...network) site.Declaration {
		return site.Declaration{Datapath: "node-ipam", IPFamilies: []string{"ipv4", "ipv6"}, Networks: networks}
	}
	yes, three, many := true, int64(3), int64(1000)
	return []example{
		{
			rule: "overlap", severity: Error, path: "network[1].cidrs[0]", ranges: []string{"10.244.0.0/16"},
			phrases: []string{`"cilium_pool"`, `"pod"`, "already in use", "10.244.248.0/21", "carved_from"},
			fires:   kubeovn(network{Name: "pod", CIDRs: []string{"10.244.0.0/16"}}, network{Name: "cilium_pool", CIDRs: []string{"10.244.0.0/16"}}),
			quiet:   kubeovn(network{Name: "pod", CIDRs: []string{"10.244.0.0/16"}}, network{Name: "cilium_pool", CIDRs: []string{"10.244.248.0/21"}, CarvedFrom: "pod"}),
		},
		{
			rule: "overlap", severity: Error, path: "network[1].cidrs[0]", ranges: []string{"10.96.0.0/16"},
			phrases: []string{"ClusterIP", "10.244.0.0/16"},
			fires:   nodes(9, network{Name: "service", CIDRs: []string{"10.96.0.0/12"}}, network{Name: "pod", CIDRs: []string{"10.96.0.0/16"}}),
			quiet:   nodes(9, network{Name: "service", CIDRs: []string{"10.96.0.0/12"}}, network{Name: "pod", CIDRs: []string{"10.112.0.0/16"}}),
		},
		{
			rule: "overlap", severity: Error, path: "network[1].cidrs[0]", ranges: []string{"10.0.0.0/22"},
			phrases: []string{"API server become unreachable"},
			fires:   nodes(9, network{Name: "pod", CIDRs: []string{"10.0.0.0/8"}}, network{Name: "lan", Role: "node", CIDRs: []string{"10.0.0.0/22"}}, network{Name: "service", CIDRs: []string{"172.16.0.0/16"}}),
			quiet:   nodes(9, network{Name: "cloud", Role: "container", CIDRs: []string{"10.0.0.0/16"}}, network{Name: "lan", Role: "node", CIDRs: []string{"10.0.0.0/24"}}, network{Name: "service", CIDRs: []string{"10.0.64.0/18"}}, network{Name: "pod", CIDRs: []string{"10.0.128.0/17"}}),
		},
		{
			rule: "overlap", severity: Error, path: "network[1].cidrs[0]", ranges: []string{"fd12:3456:789a:100::/56"},
			fires: dual(network{Name: "pod", CIDRs: []string{"10.244.0.0/16", "fd12:3456:789a:100::/56"}}, network{Name: "san", Role: "other", CIDRs: []string{"fd12:3456:789a::/48"}}),
			quiet: dual(network{Name: "pod", CIDRs: []string{"10.244.0.0/16", "fd12:3456:789a:100::/56"}}, network{Name: "san", Role: "other", CIDRs: []string{"fd12:3456:789b::/48"}}),
		},
		{
			rule: "reserved-overlap", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"10.2.0.0/16"}, phrases: []string{"office"},
			fires: site.Declaration{Datapath: "cilium-cluster-pool", Reserved: map[string][]string{"office": {"10.2.0.0/16"}}, Networks: []network{{Name: "pod", CIDRs: []string{"10.0.0.0/12"}}}},
			quiet: site.Declaration{Datapath: "cilium-cluster-pool", Reserved: map[string][]string{"office": {"10.2.0.0/16"}}, Networks: []network{{Name: "pod", CIDRs: []string{"10.16.0.0/12"}}}},
		},
		{
			rule: "outside-address-space", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"192.168.7.0/24"},
			fires: site.Declaration{Datapath: "node-ipam", AddressSpace: []string{"10.0.0.0/8"}, Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"192.168.7.0/24"}}}},
			quiet: site.Declaration{Datapath: "node-ipam", AddressSpace: []string{"10.0.0.0/8", "192.168.0.0/16"}, Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"192.168.7.0/24"}}}},
		},
		{
			rule: "too-few-node-ranges", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"10.244.0.0/22"}, phrases: []string{"4 nodes", "room for 9"},
			fires: nodes(9, network{Name: "pod", CIDRs: []string{"10.244.0.0/22"}}),
			quiet: nodes(4, network{Name: "pod", CIDRs: []string{"10.244.0.0/22"}}),
		},
		{
			rule: "node-range-too-small", severity: Error, path: "network[0].ipv4_node_prefix_length", phrases: []string{"/26", "ipv4_node_prefix_length = 24"},
			fires: nodes(9, network{Name: "pod", IPv4NodePrefixLength: new(int64(26))}),
			quiet: nodes(9, network{Name: "pod", IPv4NodePrefixLength: new(int64(24))}),
		},
		{
			rule: "node-range-too-far", severity: Error, path: "network[0].cidrs[1]", ranges: []string{"fd12:3456:7800::/40"}, phrases: []string{"24 bits"},
			fires: dual(network{Name: "pod", CIDRs: []string{"10.244.0.0/16", "fd12:3456:7800::/40"}}),
			quiet: dual(network{Name: "pod", CIDRs: []string{"10.244.0.0/16", "fd12:3456:789a::/48"}}),
		},
		{
			rule: "pods-do-not-fit", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"10.244.0.0/20"},
			fires: kubeovn(network{Name: "pod", CIDRs: []string{"10.244.0.0/20"}}),
			quiet: kubeovn(network{Name: "pod", CIDRs: []string{"10.244.0.0/17"}}),
		},
		{
			rule: "join-too-small", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"100.64.0.0/24"}, phrases: []string{"253 nodes", "/23"},
			fires: kubeovn(network{Name: "join", CIDRs: []string{"100.64.0.0/24"}}),
			quiet: kubeovn(network{Name: "join", CIDRs: []string{"100.64.0.0/23"}}),
		},
		{
			rule: "services-do-not-fit", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"10.96.0.0/22"},
			fires: nodes(9, network{Name: "service", CIDRs: []string{"10.96.0.0/22"}}),
			quiet: nodes(9, network{Name: "service", CIDRs: []string{"10.96.0.0/20"}}),
		},
		{
			rule: "services-too-large", severity: Error, path: "network[0].cidrs[1]", ranges: []string{"fd12:3456:789a:96::/64"}, phrases: []string{"64 host bits", "fd12:3456:789a:96::/112"},
			fires: dual(network{Name: "service", CIDRs: []string{"10.96.0.0/16", "fd12:3456:789a:96::/64"}}),
			quiet: dual(network{Name: "service", CIDRs: []string{"10.96.0.0/16", "fd12:3456:789a:96::/108"}}),
		},
		{
			rule: "special-range", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"169.254.7.0/24"},
			fires: nodes(9, network{Name: "lan", Role: "node", CIDRs: []string{"169.254.7.0/24"}}),
			quiet: nodes(9, network{Name: "lan", Role: "node", CIDRs: []string{"10.7.7.0/24"}}),
		},
		{
			rule: "public-range", severity: Warning, path: "network[0].cidrs[0]", ranges: []string{"44.0.0.0/16"},
			fires: nodes(9, network{Name: "pod", CIDRs: []string{"44.0.0.0/16"}}),
			quiet: nodes(9, network{Name: "lan", Role: "node", CIDRs: []string{"44.0.0.0/16"}}),
		},
		{
			rule: "gateway-outside", severity: Error, path: "network[0].gateway", phrases: []string{"10.244.0.1"},
			fires: kubeovn(network{Name: "pod", Gateway: "10.245.0.1"}),
			quiet: kubeovn(network{Name: "pod", Gateway: "10.244.0.254"}),
		},
		{
			rule: "ula-global-id", severity: Info, path: "network[0].cidrs[1]", ranges: []string{"fd00:0:0:42::/64"},
			fires: dual(network{Name: "lan", Role: "node", CIDRs: []string{"10.1.2.0/24", "fd00:0:0:42::/64"}}),
			quiet: dual(network{Name: "lan", Role: "node", CIDRs: []string{"10.1.2.0/24", "fd12:3456:789a:42::/64"}}),
		},
		{
			rule: "host-outside", severity: Error, path: `hosts["n1"]`, phrases: []string{"at most 254"},
			fires: site.Declaration{Datapath: "node-ipam", Hosts: map[string]int64{"n1": 255}, Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"10.1.2.0/24"}}}},
			quiet: site.Declaration{Datapath: "node-ipam", Hosts: map[string]int64{"n1": 254}, Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"10.1.2.0/24"}}}},
		},
		{
			rule: "address-taken", severity: Error, path: "network[1].cidrs[0]", ranges: []string{"192.168.10.191"}, phrases: []string{`the host "n1"`, `"load_balancer"`},
			fires: site.Declaration{Datapath: "node-ipam", Hosts: map[string]int64{"n1": 191}, Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"192.168.10.0/24"}}, {Name: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"192.168.10.191-192.168.10.194"}}}},
			quiet: site.Declaration{Datapath: "node-ipam", Hosts: map[string]int64{"n1": 191}, Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"192.168.10.0/24"}}, {Name: "load_balancer", CarvedFrom: "lan", CIDRs: []string{"192.168.10.210-192.168.10.220"}}}},
		},
		{
			rule: "address-taken", severity: Error, path: `network[0].dhcp[0]`, ranges: []string{"192.168.10.5"}, phrases: []string{`virtual address "api"`, "DHCP"},
			fires: site.Declaration{Datapath: "node-ipam", Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"192.168.10.0/24"}, VIPs: map[string]string{"api": "192.168.10.5"}, DHCP: []string{"192.168.10.2-192.168.10.9"}}}},
			quiet: site.Declaration{Datapath: "node-ipam", Networks: []network{{Name: "lan", Role: "node", CIDRs: []string{"192.168.10.0/24"}, VIPs: map[string]string{"api": "192.168.10.5"}, DHCP: []string{"192.168.10.100-192.168.10.199"}}}},
		},
		{
			rule: "unmasqueraded-pool", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"100.65.0.0/16"}, phrases: []string{"503", "10.244.248.0/21"},
			fires: kubeovn(network{Name: "cilium_pool", CIDRs: []string{"100.65.0.0/16"}}),
			quiet: site.Declaration{Datapath: "kubeovn-cilium", GatewayAPI: new(bool), Networks: []network{{Name: "cilium_pool", CIDRs: []string{"100.65.0.0/16"}}}},
		},
		{
			rule: "tenant-ranges", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"10.95.0.0/16"}, phrases: []string{"10.95.0.10"},
			fires: kubeovn(network{Name: "service", CIDRs: []string{"10.95.0.0/16"}}),
			quiet: site.Declaration{Datapath: "node-ipam", Networks: []network{{Name: "service", CIDRs: []string{"10.95.0.0/16"}}}},
		},
		{
			rule: "family-mismatch", severity: Error, path: "network[0].cidrs", phrases: []string{"IPv6"},
			fires: dual(network{Name: "lan", Role: "node", CIDRs: []string{"10.1.2.0/24"}}),
			quiet: dual(network{Name: "lan", Role: "node", CIDRs: []string{"10.1.2.0/24", "fd12:3456:789a:42::/64"}}),
		},
		{
			rule: "chained-ipv6-only", severity: Error, path: "ip_families",
			fires: site.Declaration{Datapath: "kubeovn-cilium", IPFamilies: []string{"ipv6"}, MaxNodes: &three},
			quiet: site.Declaration{Datapath: "cilium-kubernetes", IPFamilies: []string{"ipv6"}, MaxNodes: &three},
		},
		{
			rule: "existing-not-stated", severity: Warning, path: "datapath", phrases: []string{"10.244.0.0/16"},
			fires: site.Declaration{Datapath: "node-ipam", Existing: true},
			quiet: site.Declaration{Datapath: "node-ipam", Existing: true, GatewayAPI: nil, Networks: []network{{Name: "pod", CIDRs: []string{"10.244.0.0/16"}}, {Name: "service", CIDRs: []string{"10.96.0.0/16"}}}},
		},
		{
			rule: "exclusion-leaks", severity: Info, path: `versions["kube_ovn"]`, ranges: []string{"10.244.248.0..10.244.255.255"},
			fires: site.Declaration{Datapath: "kubeovn-cilium", Versions: map[string]string{"kube_ovn": "1.15.10"}},
			quiet: site.Declaration{Datapath: "kubeovn-cilium", Versions: map[string]string{"kube_ovn": "1.15.24"}},
		},
		{
			rule: "node-range-too-far", severity: Error, path: "network[0].cidrs[0]", ranges: []string{"10.0.0.0/9"},
			fires: site.Declaration{Datapath: "node-ipam", Distribution: "talos", PodsPerNode: new(int64(28)), Versions: map[string]string{"talos": "1.14"}, Networks: []network{{Name: "pod", CIDRs: []string{"10.0.0.0/9"}}, {Name: "service", CIDRs: []string{"10.200.0.0/16"}}}},
			quiet: site.Declaration{Datapath: "node-ipam", Distribution: "talos", PodsPerNode: new(int64(28)), Versions: map[string]string{"talos": "1.13"}, Networks: []network{{Name: "pod", CIDRs: []string{"10.0.0.0/9"}}, {Name: "service", CIDRs: []string{"10.200.0.0/16"}}}},
		},
		{
			rule: "l2-pool-outside", severity: Warning, path: "network[1].cidrs[0]", ranges: []string{"10.69.10.0/24"}, phrases: []string{"by bgp", `carved_from = "lan"`},
			fires: nodes(9, network{Name: "lan", Role: "node", CIDRs: []string{"10.69.1.0/24"}}, network{Name: "load_balancer", Announce: "l2", CIDRs: []string{"10.69.10.0/24"}}),
			quiet: nodes(9, network{Name: "lan", Role: "node", CIDRs: []string{"10.69.1.0/24"}}, network{Name: "load_balancer", Announce: "bgp", CIDRs: []string{"10.69.10.0/24"}}),
		},
		{
			rule: "two-default-routes", severity: Error, path: "network[1].default_route", phrases: []string{`"mgmt"`, `"ingress"`},
			fires: nodes(9, network{Name: "mgmt", Role: "node", CIDRs: []string{"10.2.40.0/24"}, Gateway: "10.2.40.1", DefaultRoute: true}, network{Name: "ingress", Role: "node", CIDRs: []string{"10.2.47.0/24"}, Gateway: "10.2.47.1", DefaultRoute: true}),
			quiet: nodes(9, network{Name: "mgmt", Role: "node", CIDRs: []string{"10.2.40.0/24"}, Gateway: "10.2.40.1", DefaultRoute: true}, network{Name: "ingress", Role: "node", CIDRs: []string{"10.2.47.0/24"}, Gateway: "10.2.47.1"}),
		},
		{
			rule: "native-routing-not-covering", severity: Error, path: "native_routing_cidrs[1]", ranges: []string{"fd00:101:224::/60"}, phrases: []string{"fd00:101::/48"},
			fires: site.Declaration{Datapath: "cilium-kubernetes", MaxNodes: &three, IPFamilies: []string{"ipv4", "ipv6"}, NativeRouting: []string{"10.101.0.0/16", "fd00:101::/48"}, Networks: []network{{Name: "pod", CIDRs: []string{"10.101.224.0/20", "fd00:101:224::/60"}}}},
			quiet: site.Declaration{Datapath: "cilium-kubernetes", MaxNodes: &three, IPFamilies: []string{"ipv4", "ipv6"}, NativeRouting: []string{"10.101.0.0/16", "fd00:101::/32"}, Networks: []network{{Name: "pod", CIDRs: []string{"10.101.224.0/20", "fd00:101:224::/60"}}}},
		},
		{
			rule: "nearly-full", severity: Warning, path: "network[0].cidrs[0]", ranges: []string{"10.60.0.0/22"}, phrases: []string{"4 nodes, and 4 exist"},
			fires: site.Declaration{Datapath: "node-ipam", MaxNodes: new(int64(4)), Hosts: map[string]int64{"a": 1, "b": 2, "c": 3, "d": 4}, Networks: []network{{Name: "pod", CIDRs: []string{"10.60.0.0/22"}}}},
			quiet: site.Declaration{Datapath: "node-ipam", MaxNodes: new(int64(4)), Hosts: map[string]int64{"a": 1, "b": 2, "c": 3}, Networks: []network{{Name: "pod", CIDRs: []string{"10.60.0.0/22"}}}},
		},
		{
			rule: "well-known-range", severity: Warning, path: "network[0].cidrs[0]", ranges: []string{"172.17.0.0/16"}, phrases: []string{"Docker", "10.244.0.0/16"},
			fires: nodes(9, network{Name: "pod", CIDRs: []string{"172.17.0.0/16"}}),
			quiet: nodes(9, network{Name: "lan", Role: "node", CIDRs: []string{"172.17.0.0/16"}}),
		},
		{
			rule: "node-range-too-small", severity: Error, path: "network[0].ipv4_node_prefix_length", phrases: []string{"needs 2"},
			fires: site.Declaration{Datapath: "kubeovn-cilium", GatewayAPI: &yes, MaxNodes: &many, Networks: []network{{Name: "cilium_pool", IPv4NodePrefixLength: new(int64(32))}, {Name: "pod", CIDRs: []string{"10.224.0.0/14"}}}},
			quiet: site.Declaration{Datapath: "kubeovn-cilium", GatewayAPI: &yes, MaxNodes: &many, Networks: []network{{Name: "cilium_pool", IPv4NodePrefixLength: new(int64(30))}, {Name: "pod", CIDRs: []string{"10.224.0.0/14"}}}},
		},
	}
}

func TestRules(t *testing.T) {
	for _, e := range examples() {
		t.Run(e.rule+"/"+e.path, func(t *testing.T) {
			findings := of(find(t, e.fires), e.rule)
			if len(findings) == 0 {
				t.Fatalf("nothing was found; all findings: %v", find(t, e.fires))
			}
			f := findings[0]
			if f.Severity != e.severity || f.Path.String() != e.path {
				t.Errorf("got %s on %s, want %s on %s", f.Severity, f.Path, e.severity, e.path)
			}
			if e.ranges != nil && !slices.Equal(f.Ranges, e.ranges) {
				t.Errorf("ranges are %v, want %v", f.Ranges, e.ranges)
			}
			text := f.Message + " " + f.Consequence + " " + f.Remedy
			for _, phrase := range e.phrases {
				if !strings.Contains(text, phrase) {
					t.Errorf("%q is missing in: %s", phrase, text)
				}
			}
			if f.Message == "" || f.Consequence == "" || f.Remedy == "" {
				t.Errorf("the finding is not complete: %+v", f)
			}
			if quiet := of(find(t, e.quiet), e.rule); len(quiet) > 0 {
				t.Errorf("found where nothing is wrong: %+v", quiet)
			}
		})
	}
}

func of(findings []Finding, rule string) []Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f Finding) bool { return f.Rule != rule })
}

func TestEveryRuleHasAnExample(t *testing.T) {
	for _, rule := range Rules() {
		if !slices.ContainsFunc(examples(), func(e example) bool { return e.rule == rule.Slug }) {
			t.Errorf("the rule %q has no example", rule.Slug)
		}
		if rule.Title == "" || len(rule.Explanation) < 80 {
			t.Errorf("the rule %q is not explained", rule.Slug)
		}
	}
}

func TestDefaultPlansAreQuiet(t *testing.T) {
	for _, datapath := range site.Datapaths() {
		for _, distribution := range append(site.Distributions(), "") {
			d := site.Declaration{Datapath: string(datapath), Distribution: string(distribution)}
			if findings := find(t, d); len(findings) > 0 {
				t.Errorf("%s on %q: %+v", datapath, distribution, findings)
			}
			if datapath == site.KubeOVNCilium {
				continue // dual stack is not to be had there
			}
			d.IPFamilies = []string{"ipv4", "ipv6"}
			if findings := find(t, d); len(findings) > 0 {
				t.Errorf("%s on %q with both families: %+v", datapath, distribution, findings)
			}
		}
	}
}

func TestAccept(t *testing.T) {
	d := site.Declaration{Datapath: "node-ipam", Networks: []network{{Name: "pod", CIDRs: []string{"44.0.0.0/16"}}}, Accept: map[string]string{"public-range/pod": "our own block"}}
	findings := of(find(t, d), "public-range")
	if len(findings) != 1 || findings[0].Severity != Info || findings[0].Accepted != "our own block" {
		t.Errorf("got %+v", findings)
	}
}

func TestCheckAccept(t *testing.T) {
	s, _ := site.Parse(site.Declaration{Name: "dc1", Datapath: "node-ipam", Accept: map[string]string{
		"public-rang/pod": "why", "overlap/pod": "why", "public-range": "why", "public-range/pod": "why",
	}})
	problems := CheckAccept(s)
	if len(problems) != 3 {
		t.Fatalf("got %s", problems)
	}
	for i, phrase := range []string{"cannot be accepted", "names no finding", `Did you mean "public-range"`} {
		if !slices.ContainsFunc(problems, func(p site.Problem) bool { return strings.Contains(p.Detail, phrase) }) {
			t.Errorf("problem %d with %q is missing: %s", i, phrase, problems)
		}
	}
}

// A remedy that names a range works: with that range pinned instead, the finding
// is gone and no error has come.
func TestSuggestionsWork(t *testing.T) {
	pattern := regexp.MustCompile(`(?:for example|Use|gives) (?:cidrs = \["?)?([0-9a-f.:]+/[0-9]+)`)
	tried := 0
	for _, e := range examples() {
		for _, f := range of(find(t, e.fires), e.rule) {
			match := pattern.FindStringSubmatch(f.Remedy)
			i := slices.IndexFunc(e.fires.Networks, func(n network) bool { return n.Name == f.Networks[0] })
			if match == nil || i < 0 || len(e.fires.Networks[i].CIDRs) == 0 {
				continue
			}
			tried++
			d := e.fires
			d.Networks = slices.Clone(d.Networks)
			d.Networks[i].CIDRs = replaceFamily(d.Networks[i].CIDRs, match[1])
			if strings.HasPrefix(f.Remedy, "Cut the pool") {
				d.Networks[i].CarvedFrom = "pod"
			}
			for _, after := range find(t, d) {
				if after.Severity == Error {
					t.Errorf("%s: after %q there is %s: %s", e.rule, f.Remedy, after.Rule, after.Message)
				}
			}
		}
	}
	if tried < 8 {
		t.Errorf("only %d remedies were tried", tried)
	}
}

// replaceFamily puts a prefix in the place of the one of its family.
func replaceFamily(cidrs []string, prefix string) []string {
	out := slices.Clone(cidrs)
	for i, cidr := range out {
		if strings.Contains(cidr, ":") == strings.Contains(prefix, ":") {
			out[i] = prefix
		}
	}
	return out
}

func BenchmarkCheck(b *testing.B) {
	s, _ := site.Parse(site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", Hosts: map[string]int64{"a": 1, "b": 2, "c": 3}, Networks: []network{{Name: "lan", Role: "node"}, {Name: "san", Role: "node"}}})
	p, _ := plan.Compute(s, nil)
	b.ReportAllocs()
	for b.Loop() {
		Check(s, p, nil)
	}
}
