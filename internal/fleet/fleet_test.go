// SPDX-License-Identifier: MPL-2.0

package fleet

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

const sharedServices, sharedJoin = "10.96.0.0/16", "100.64.0.0/16"

// sample is a fleet of n sites of five kinds.
func sample(n int) Declaration {
	d := Declaration{
		Name: "all", AddressSpace: []string{"10.0.0.0/8", "fd12:3456::/32"}, SharedSpace: []string{sharedServices, sharedJoin},
		Sites: map[string]string{},
	}
	for i := range n {
		nodes := []int{3, 5, 8, 16, 30}[i%5]
		d.Sites[fmt.Sprintf("site-%05d", i)] = fmt.Sprintf(`{"datapath":"cilium-kubernetes","ip_families":["ipv4"],"max_nodes":%d,"pods_per_node":30,"network":[{"name":"lan","role":"node","ipv4_prefix_length":26}]}`, nodes)
	}
	d.AddressSpace[1] = "172.16.0.0/12"
	return d
}

func mustCompute(t testing.TB, d Declaration, lock *plan.Plan) *Fleet {
	t.Helper()
	f, problems := Compute(d, lock)
	if len(problems) > 0 {
		t.Fatalf("the fleet has problems:\n%s", problems)
	}
	return f
}

func TestBlocksAreDisjointAndLargeEnough(t *testing.T) {
	d := sample(200)
	d.PlanSites = true
	f := mustCompute(t, d, nil)
	var prefixes []netip.Prefix
	for _, n := range f.Plan.Networks {
		prefixes = append(prefixes, n.Prefixes()...)
	}
	if pairs, omitted := space.Overlaps(prefixes, 1); len(pairs)+omitted > 0 {
		t.Fatalf("blocks overlap: %v", pairs)
	}
	for name, sitePlan := range f.Sites {
		block, _ := f.Plan.Network(name)
		for _, n := range sitePlan.Networks {
			if n.Name == "service" {
				if n.Ranges[0].String() != sharedServices {
					t.Errorf("services of %s are %v, want the shared range", name, n.Ranges)
				}
				continue
			}
			if prefix, _ := block.First(space.IPv4); !prefix.Overlaps(n.Prefixes()[0]) || prefix.Bits() > n.Prefixes()[0].Bits() {
				t.Errorf("%s of %s is %v, outside its block %s", n.Name, name, n.Ranges, prefix)
			}
		}
	}
}

// TestFleetIsStable: with the lock, more sites, fewer sites and larger sites move
// no other site.
func TestFleetIsStable(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		d := sample(40 + r.IntN(60))
		lock := mustCompute(t, d, nil).Plan
		for i := range 1 + r.IntN(20) {
			d.Sites[fmt.Sprintf("added-%d", i)] = fmt.Sprintf(`{"datapath":"node-ipam","max_nodes":%d}`, 1+r.IntN(50))
		}
		for i := range r.IntN(5) {
			delete(d.Sites, fmt.Sprintf("site-%05d", i))
		}
		after := mustCompute(t, d, lock)
		if moved := plan.Moved(lock, after.Plan); len(moved) > 0 {
			t.Errorf("seed %d: %v", seed, moved)
		}
		if again := mustCompute(t, d, after.Plan); again.Plan.Text() != after.Plan.Text() {
			t.Errorf("seed %d: the fleet with itself as lock is another one", seed)
		}
	}
}

func TestSiteGrowsInItsBlock(t *testing.T) {
	d := sample(10)
	d.Growth = new(int64(1))
	lock := mustCompute(t, d, nil).Plan
	d.Sites["site-00000"] = strings.Replace(d.Sites["site-00000"], `"max_nodes":3`, `"max_nodes":6`, 1)
	after := mustCompute(t, d, lock)
	before, _ := lock.Network("site-00000")
	now, _ := after.Plan.Network("site-00000")
	if now.Prefixes()[0].Bits() >= before.Prefixes()[0].Bits() || !now.Prefixes()[0].Overlaps(before.Prefixes()[0]) {
		t.Errorf("the block was %v and is %v", before.Ranges, now.Ranges)
	}
	if moved := plan.Moved(lock, after.Plan); len(moved) > 0 {
		t.Error(moved)
	}
}

func TestProblems(t *testing.T) {
	two := func(a, b string, change func(*Declaration)) Declaration {
		d := Declaration{Name: "all", AddressSpace: []string{"10.0.0.0/8"}, Sites: map[string]string{"a": a, "b": b}}
		if change != nil {
			change(&d)
		}
		return d
	}
	pinned := func(network, cidr string) string {
		return fmt.Sprintf(`{"datapath":"cilium-kubernetes","max_nodes":4,"network":[{"name":%q,"cidrs":[%q]}]}`, network, cidr)
	}
	plain := `{"datapath":"cilium-kubernetes","max_nodes":4}`
	tests := []struct {
		name, path, summary string
		phrases             []string
		d                   Declaration
	}{
		{"pods that two meshed sites share", `sites["b"]`, SummaryOverlap, []string{"10.42.0.0/16", `the site "a"`, "cluster-mesh"},
			two(pinned("pod", "10.42.0.0/16"), pinned("pod", "10.42.0.0/16"), func(d *Declaration) { d.ConnectedBy = []string{"cluster-mesh"} })},
		{"a pod range inside another's", `sites["b"]`, SummaryOverlap, []string{"in 10.42.8.0/21"},
			two(pinned("pod", "10.42.0.0/16"), pinned("pod", "10.42.8.0/21"), nil)},
		{"a pool that two routed sites share", `sites["b"]`, SummaryOverlap, []string{`shared_networks = { "b/load_balancer" = "a/load_balancer" }`},
			two(pinned("load_balancer", "10.69.10.0/24"), pinned("load_balancer", "10.69.10.0/24"), nil)},
		{"Services under Submariner", `sites["b"]`, SummaryOverlap, []string{"submariner"},
			two(pinned("service", "10.96.0.0/16"), pinned("service", "10.96.0.0/16"), func(d *Declaration) { d.ConnectedBy = []string{"submariner"} })},
		{"a site that is no JSON", `sites["a"]`, SummarySiteDeclaration, []string{"jsonencode"}, two("nodes: 3", plain, nil)},
		{"a misspelled attribute", `sites["a"]`, SummarySiteDeclaration, []string{`no attribute "max_node"`}, two(`{"datapath":"kubeovn","max_node":4}`, plain, nil)},
		{"a number as text", `sites["a"]`, SummarySiteDeclaration, []string{"whole number"}, two(`{"datapath":"kubeovn","max_nodes":"4"}`, plain, nil)},
		{"an unknown datapath in a site", `sites["a"]`, site.SummaryUnknownValue, []string{`Did you mean "kubeovn"?`}, two(`{"datapath":"kubeoven"}`, plain, nil)},
		{"an unknown connection", "connected_by[0]", site.SummaryUnknownValue, []string{`Did you mean "routing"?`}, two(plain, plain, func(d *Declaration) { d.ConnectedBy = []string{"routin"} })},
		{"a block for nobody", `blocks["c"]`, site.SummaryUnknownValue, []string{"does not have"}, two(plain, plain, func(d *Declaration) { d.Blocks = map[string]string{"c": "10.1.0.0/16"} })},
		{"a block that is too small", `blocks["a"]`, SummarySiteImpossible, []string{"/19"}, two(plain, plain, func(d *Declaration) { d.Blocks = map[string]string{"a": "10.1.0.0/24"} })},
		{"a full address space", "address_space", plan.SummaryExhausted, []string{"needs a free IPv4"}, two(plain, plain, func(d *Declaration) { d.AddressSpace = []string{"10.0.0.0/19"} })},
		{"pods in the shared space", "shared_space[0]", SummarySharedSpace, []string{"10.244.0.0/16"}, two(plain, plain, func(d *Declaration) { d.SharedSpace = []string{"10.244.0.0/16"} })},
		{"a shared network that is not there", `shared_networks["x/lb"]`, site.SummaryUnknownValue, []string{"site/network"}, two(plain, plain, func(d *Declaration) { d.SharedNetworks = map[string]string{"x/lb": "x/lb"} })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, problems := Compute(test.d, nil)
			for _, p := range problems {
				if p.Path.String() != test.path || p.Summary != test.summary {
					continue
				}
				for _, phrase := range test.phrases {
					if !strings.Contains(p.Detail, phrase) {
						t.Errorf("%q is missing in %s", phrase, p.Detail)
					}
				}
				return
			}
			t.Errorf("got\n%swant %s: %s", problems, test.path, test.summary)
		})
	}
}

// What may repeat does: Services of meshed sites, joins over OVN-IC, and a pool
// that is declared to be shared.
func TestWhatMayRepeat(t *testing.T) {
	pinned := func(network, cidr string) string {
		return fmt.Sprintf(`{"datapath":"kubeovn","max_nodes":4,"network":[{"name":%q,"cidrs":[%q]}]}`, network, cidr)
	}
	tests := []Declaration{
		{Sites: map[string]string{"a": pinned("service", "10.43.0.0/16"), "b": pinned("service", "10.43.0.0/16")}, ConnectedBy: []string{"cluster-mesh"}},
		{Sites: map[string]string{"a": pinned("join", "100.64.0.0/16"), "b": pinned("join", "100.64.0.0/16")}, ConnectedBy: []string{"ovn-ic"}},
		{Sites: map[string]string{"a": pinned("load_balancer", "10.69.10.0/24"), "b": pinned("load_balancer", "10.69.10.0/24")}, SharedNetworks: map[string]string{"b/load_balancer": "a/load_balancer"}},
	}
	for _, d := range tests {
		d.Name, d.AddressSpace = "all", []string{"10.0.0.0/8"}
		mustCompute(t, d, nil)
	}
}

func BenchmarkCompute(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprintf("blocks/%d", n), func(b *testing.B) {
			d := sample(n)
			b.ReportAllocs()
			for b.Loop() {
				mustCompute(b, d, nil)
			}
		})
	}
	b.Run("sites/1000", func(b *testing.B) {
		d := sample(1000)
		d.PlanSites = true
		b.ReportAllocs()
		for b.Loop() {
			mustCompute(b, d, nil)
		}
	})
}
