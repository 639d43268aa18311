// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// compute plans a declaration that must be free of problems.
func compute(t *testing.T, d site.Declaration, lock *Plan) *Plan {
	t.Helper()
	s, problems := site.Parse(d)
	if len(problems) > 0 {
		t.Fatalf("the declaration has problems:\n%s", problems)
	}
	p, problems := Compute(s, lock)
	if len(problems) > 0 {
		t.Fatalf("the site cannot be planned:\n%s", problems)
	}
	return p
}

func TestConventions(t *testing.T) {
	tests := []struct {
		datapath, distribution string
		want                   map[string]string
	}{
		{"kubeovn-cilium", "talos", map[string]string{"pod": "10.244.0.0/16", "service": "10.96.0.0/16", "join": "100.64.0.0/16", "transit": "100.66.0.0/16", "cilium_pool": "10.244.248.0/21"}},
		{"kubeovn-cilium", "", map[string]string{"pod": "10.244.0.0/16", "service": "10.96.0.0/16", "join": "100.64.0.0/16", "transit": "100.66.0.0/16", "cilium_pool": "10.244.248.0/21"}},
		{"kubeovn-cilium", "k3s", map[string]string{"pod": "10.42.0.0/16", "service": "10.43.0.0/16", "join": "100.64.0.0/16", "transit": "100.66.0.0/16", "cilium_pool": "10.42.248.0/21"}},
		{"cilium-cluster-pool", "kubeadm", map[string]string{"pod": "10.244.0.0/16", "service": "10.96.0.0/16"}},
		{"cilium-kubernetes", "k3s", map[string]string{"pod": "10.42.0.0/16", "service": "10.43.0.0/16"}},
		{"cilium-kubernetes", "rke2", map[string]string{"pod": "10.42.0.0/16", "service": "10.43.0.0/16"}},
		{"node-ipam", "talos", map[string]string{"pod": "10.244.0.0/16", "service": "10.96.0.0/16"}},
		{"kubeovn", "", map[string]string{"pod": "10.16.0.0/16", "service": "10.96.0.0/16", "join": "100.64.0.0/16"}},
		{"kubeovn", "rke2", map[string]string{"pod": "10.42.0.0/16", "service": "10.43.0.0/16", "join": "100.64.0.0/16"}},
	}
	for _, test := range tests {
		t.Run(test.datapath+"/"+test.distribution, func(t *testing.T) {
			p := compute(t, site.Declaration{Name: "dc1", Datapath: test.datapath, Distribution: test.distribution}, nil)
			if len(p.Networks) != len(test.want) {
				t.Errorf("got %d networks, want %d", len(p.Networks), len(test.want))
			}
			for name, want := range test.want {
				n, ok := p.Network(name)
				if !ok || len(n.Ranges) != 1 || n.Ranges[0].String() != want {
					t.Errorf("%s: got %v, want %s", name, n.Ranges, want)
				}
			}
		})
	}
}

func TestCiliumPoolUnderKubeOVN(t *testing.T) {
	p := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", Distribution: "talos"}, nil)
	pool, _ := p.Network("cilium_pool")
	if pool.NodePrefix4 != 29 || pool.Allocator != site.AllocatorCiliumOperator || pool.CarvedFrom != "pod" {
		t.Errorf("the pool is %+v", pool)
	}
	pod, _ := p.Network("pod")
	if len(pod.Excluded) != 1 || pod.Excluded[0].From().String() != "10.244.248.0" || pod.Excluded[0].To().String() != "10.244.255.255" {
		t.Errorf("excluded from pods: %v", pod.Excluded)
	}
	if gateway, _ := pod.Gateway(space.IPv4); gateway.String() != "10.244.0.1" {
		t.Errorf("gateway of pods: %s", gateway)
	}
}

func TestDualStack(t *testing.T) {
	p := compute(t, site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", IPFamilies: []string{"ipv4", "ipv6"}}, nil)
	ula := site.ULA("dc1")
	for name, length := range map[string]int{"pod": 56, "service": 112} {
		n, _ := p.Network(name)
		prefix, ok := n.First(space.IPv6)
		if !ok || prefix.Bits() != length || !ula.Contains(prefix.Addr()) {
			t.Errorf("%s: got %v, want a /%d in %s", name, n.Ranges, length, ula)
		}
	}
	pod, _ := p.Network("pod")
	if pod.NodePrefix4 != 24 || pod.NodePrefix6 != 64 {
		t.Errorf("node ranges of pods: /%d and /%d", pod.NodePrefix4, pod.NodePrefix6)
	}
}

func TestSizes(t *testing.T) {
	number := func(n int64) *int64 { return &n }
	tests := []struct {
		name string
		d    site.Declaration
		want map[string]string
	}{
		{"many nodes widen the pod network in place", site.Declaration{Datapath: "node-ipam", MaxNodes: number(1000)}, map[string]string{"pod": "10.244.0.0/14"}},
		{"few pods of a node leave room for more nodes", site.Declaration{Datapath: "node-ipam", MaxNodes: number(512), PodsPerNode: number(60)}, map[string]string{"pod": "10.244.0.0/16"}},
		{"a pool for 512 nodes", site.Declaration{Datapath: "kubeovn-cilium", MaxNodes: number(512)}, map[string]string{"cilium_pool": "10.244.240.0/20"}},
		{"a pool for 3 nodes", site.Declaration{Datapath: "kubeovn-cilium", MaxNodes: number(3)}, map[string]string{"cilium_pool": "10.244.255.224/27"}},
		{"many services", site.Declaration{Datapath: "node-ipam", MaxServices: number(100000)}, map[string]string{"service": "10.96.0.0/15"}},
		{"K3s services give way to many nodes", site.Declaration{Datapath: "node-ipam", Distribution: "k3s", MaxNodes: number(500)}, map[string]string{"pod": "10.42.0.0/15"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.d.Name = "dc1"
			p := compute(t, test.d, nil)
			for name, want := range test.want {
				if n, _ := p.Network(name); len(n.Ranges) != 1 || n.Ranges[0].String() != want {
					t.Errorf("%s: got %v, want %s", name, n.Ranges, want)
				}
			}
		})
	}
}

func TestConventionGivesWay(t *testing.T) {
	p := compute(t, site.Declaration{
		Name: "dc1", Datapath: "kubeovn-cilium", Reserved: map[string][]string{"lab": {"10.244.7.0/24"}},
	}, nil)
	pod, _ := p.Network("pod")
	if pod.Ranges[0].String() == "10.244.0.0/16" || !strings.Contains(pod.Reason, "lab") || !strings.Contains(pod.Reason, "10.244.7.0/24") {
		t.Errorf("pod is %v because of %q", pod.Ranges, pod.Reason)
	}
	if service, _ := p.Network("service"); service.Ranges[0].String() != "10.96.0.0/16" {
		t.Errorf("service moved to %v although nothing met it", service.Ranges)
	}
}

func TestLockedNetworkStays(t *testing.T) {
	lock := compute(t, site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", Networks: []site.NetworkDeclaration{{Name: "lan", Role: "node"}}}, nil)
	later := compute(t, site.Declaration{
		Name: "dc1", Datapath: "cilium-kubernetes",
		Reserved: map[string][]string{"other": {"10.250.0.0/16"}},
		Networks: []site.NetworkDeclaration{{Name: "aaa", Role: "node"}, {Name: "corridor", Role: "node", Formerly: "lan"}},
	}, lock)
	before, _ := lock.Network("lan")
	after, _ := later.Network("corridor")
	if !Equal(before.Ranges, after.Ranges) || after.Reason != before.Reason {
		t.Errorf("renamed from %v (%s) to %v (%s)", before.Ranges, before.Reason, after.Ranges, after.Reason)
	}
	if later.Parent != lock.Digest {
		t.Errorf("the parent is %s, want %s", later.Parent, lock.Digest)
	}
}

func TestMoveIsRefused(t *testing.T) {
	lock := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium"}, nil)
	d := site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", Networks: []site.NetworkDeclaration{{Name: "pod", CIDRs: []string{"10.20.0.0/16"}}}}
	s, _ := site.Parse(d)
	_, problems := Compute(s, lock)
	if len(problems) == 0 || problems[0].Summary != SummaryCannotMove || problems[0].Path.String() != "network[0].cidrs" {
		t.Fatalf("got %s", problems)
	}
	for _, phrase := range []string{"10.244.0.0/16", "10.20.0.0/16", "ovn-default", `allow_move = { pod = "10.244.0.0/16" }`} {
		if !strings.Contains(problems[0].Detail, phrase) {
			t.Errorf("the detail does not mention %q: %s", phrase, problems[0].Detail)
		}
	}
	d.AllowMove = map[string]string{"pod": "10.244.0.0/16"}
	moved := compute(t, d, lock)
	if pod, _ := moved.Network("pod"); pod.Ranges[0].String() != "10.20.0.0/16" {
		t.Errorf("with allow_move pod is %v", pod.Ranges)
	}
	d.Networks[0].CIDRs = []string{"10.30.0.0/16"}
	s, _ = site.Parse(d)
	if _, problems := Compute(s, moved); len(problems) == 0 {
		t.Error("allow_move still permits a move after the network left the named prefix")
	}
}

func TestPoolGrowsByAPrefix(t *testing.T) {
	few, many := int64(256), int64(300)
	lock := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", MaxNodes: &few}, nil)
	grown := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", MaxNodes: &many}, lock)
	pool, _ := grown.Network("cilium_pool")
	if len(pool.Ranges) != 2 || pool.Ranges[0].String() != "10.244.248.0/21" || pool.Ranges[1].String() != "10.244.246.0/23" {
		t.Errorf("the pool is %v", pool.Ranges)
	}
	pod, _ := grown.Network("pod")
	if len(pod.Excluded) != 1 || pod.Excluded[0].From().String() != "10.244.246.0" {
		t.Errorf("excluded from pods: %v", pod.Excluded)
	}
	fixpoint := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium", MaxNodes: &many}, grown)
	if fixpoint.Text() != grown.Text() {
		t.Error("the grown plan is not kept by its own lock")
	}
}

func TestGrowthInPlace(t *testing.T) {
	few, many := int64(256), int64(400)
	lock := compute(t, site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", MaxNodes: &few}, nil)
	grown := compute(t, site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", MaxNodes: &many}, lock)
	if pod, _ := grown.Network("pod"); pod.Ranges[0].String() != "10.244.0.0/15" || !strings.Contains(pod.Reason, "grown in place from 10.244.0.0/16") {
		t.Errorf("pod is %v because of %q", pod.Ranges, pod.Reason)
	}
	s, _ := site.Parse(site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", MaxNodes: &many, Reserved: map[string][]string{"partner": {"10.245.9.0/24"}}})
	_, problems := Compute(s, lock)
	if len(problems) != 1 || problems[0].Summary != SummaryCannotGrow || !strings.Contains(problems[0].Detail, "partner") {
		t.Errorf("got %s", problems)
	}
}

func TestForeignLock(t *testing.T) {
	lock := compute(t, site.Declaration{Name: "dc2", Datapath: "node-ipam"}, nil)
	s, _ := site.Parse(site.Declaration{Name: "dc1", Datapath: "node-ipam"})
	if _, problems := Compute(s, lock); len(problems) != 1 || problems[0].Summary != SummaryForeignLock {
		t.Errorf("got %s", problems)
	}
}

func TestExhausted(t *testing.T) {
	s, problems := site.Parse(site.Declaration{Name: "dc1", Datapath: "node-ipam", AddressSpace: []string{"10.0.0.0/20"}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	_, problems = Compute(s, nil)
	if len(problems) != 1 || problems[0].Summary != SummaryExhausted || !strings.Contains(problems[0].Detail, "10.0.0.0/20") {
		t.Errorf("got %s", problems)
	}
}

func TestParseRefuses(t *testing.T) {
	good := compute(t, site.Declaration{Name: "dc1", Datapath: "kubeovn-cilium"}, nil).Text()
	tests := []struct {
		name, text string
		want       error
	}{
		{"no JSON", "pod: 10.0.0.0/8", ErrNotAPlan},
		{"an array", "[]", ErrNotAPlan},
		{"no version", "{}", ErrNotAPlan},
		{"version zero", `{"version": 0}`, ErrNotAPlan},
		{"a newer version", strings.Replace(good, `"version": 1`, `"version": 2`, 1), ErrNewerVersion},
		{"an edited range", strings.Replace(good, "10.96.0.0/16", "10.97.0.0/16", 1), ErrDigest},
		{"an edited reason", strings.Replace(good, "convention of", "convention off", 1), ErrDigest},
		{"no digest", `{"version": 1, "datapath": "kubeovn"}`, ErrDigest},
		{"host bits", strings.Replace(good, "10.96.0.0/16", "10.96.0.1/16", 1), ErrNotAPlan},
		{"an unknown key", strings.Replace(good, `"site"`, `"sight"`, 1), ErrNotAPlan},
		{"a tail", good + "{}", ErrNotAPlan},
		{"an unknown datapath", strings.Replace(good, "kubeovn-cilium", "kubeovn-psyllium", 1), ErrNotAPlan},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Parse([]byte(test.text)); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for seed := range uint64(20) {
		s, _ := site.Parse(generate(seed))
		p, _ := Compute(s, nil)
		f.Add([]byte(p.Text()))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse([]byte(p.Text()))
		if err != nil || again.Text() != p.Text() {
			t.Errorf("an accepted document does not survive reading and writing: %v", err)
		}
	})
}

// TestHeadroom: what is asked to grow finds its next doubling free, whatever is
// added in between.
func TestHeadroom(t *testing.T) {
	few, many := int64(256), int64(512)
	d := site.Declaration{
		Name: "dc1", Datapath: "cilium-kubernetes", MaxNodes: &few, AddressSpace: []string{"10.244.0.0/14"},
		Networks: []site.NetworkDeclaration{{Name: "pod", Growth: new(int64(1))}},
	}
	lock := compute(t, d, nil)
	for i := range 40 {
		d.Networks = append(d.Networks, site.NetworkDeclaration{Name: "vlan" + string(rune('a'+i%26)) + string(rune('a'+i/26)), Role: "node"})
	}
	filled := compute(t, d, lock)
	d.MaxNodes = &many
	grown := compute(t, d, filled)
	if pod, _ := grown.Network("pod"); pod.Ranges[0].String() != "10.244.0.0/15" {
		t.Errorf("pod is %v because of %q", pod.Ranges, pod.Reason)
	}
	if moved := Moved(filled, grown); len(moved) > 0 {
		t.Errorf("growth moved %v", moved)
	}
}

// TestGrowthRespectsHeadroom: a network does not grow into what another one
// keeps free for itself.
func TestGrowthRespectsHeadroom(t *testing.T) {
	few, many := int64(256), int64(512)
	d := site.Declaration{
		Name: "dc1", Datapath: "cilium-kubernetes", MaxNodes: &few,
		Networks: []site.NetworkDeclaration{{Name: "lab", Role: "other", CIDRs: []string{"10.245.255.0/24"}, Growth: new(int64(2))}},
	}
	lock := compute(t, d, nil)
	d.MaxNodes = &many
	s, _ := site.Parse(d)
	_, problems := Compute(s, lock)
	if len(problems) != 1 || problems[0].Summary != SummaryCannotGrow || !strings.Contains(problems[0].Detail, `"lab"`) {
		t.Errorf("got %s", problems)
	}
}

// TestPoolGrowsBesideItself: a pool with headroom gets its second prefix where
// the first has room, although another carve-out came in between.
func TestPoolGrowsBesideItself(t *testing.T) {
	few, many := int64(256), int64(512)
	d := site.Declaration{
		Name: "dc1", Datapath: "kubeovn-cilium", MaxNodes: &few, PodsPerNode: new(int64(50)),
		Networks: []site.NetworkDeclaration{{Name: "cilium_pool", Growth: new(int64(1))}},
	}
	lock := compute(t, d, nil)
	d.Networks = append(d.Networks, site.NetworkDeclaration{Name: "vms", Role: "other", CarvedFrom: "pod", IPv4PrefixLength: new(int64(22))})
	filled := compute(t, d, lock)
	d.MaxNodes = &many
	grown := compute(t, d, filled)
	if pool, _ := grown.Network("cilium_pool"); len(pool.Ranges) != 2 || pool.Ranges[1].String() != "10.244.240.0/21" {
		t.Errorf("the pool is %v", pool.Ranges)
	}
}

// TestStaticBand: the sizes that Kubernetes' own documentation of the band names.
func TestStaticBand(t *testing.T) {
	for cidr, want := range map[string]string{
		"10.96.0.0/27": "10.96.0.16", "10.96.0.0/24": "10.96.0.16", "10.96.0.0/23": "10.96.0.32",
		"10.96.0.0/22": "10.96.0.64", "10.96.0.0/20": "10.96.1.0", "10.96.0.0/12": "10.96.1.0",
	} {
		n := Network{Role: site.RoleService, Ranges: []Range{RangeOf(netip.MustParsePrefix(cidr))}}
		if band, ok := n.StaticBand(space.IPv4); !ok || band.From().String() != "10.96.0.1" || band.To().String() != want {
			t.Errorf("%s: got %s, want it to end at %s", cidr, band, want)
		}
	}
	n := Network{Role: site.RoleService, Ranges: []Range{RangeOf(netip.MustParsePrefix("10.96.0.0/28"))}}
	if band, ok := n.StaticBand(space.IPv4); ok {
		t.Errorf("a /28 has the band %s", band)
	}
}

// TestFamiliesStay: an installed cluster loses no family and keeps its primary one.
func TestFamiliesStay(t *testing.T) {
	declare := func(families ...string) site.Declaration {
		return site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes", IPFamilies: families}
	}
	lock := compute(t, declare("ipv4", "ipv6"), nil)
	for name, d := range map[string]site.Declaration{"one is gone": declare("ipv4"), "the other is first": declare("ipv6", "ipv4")} {
		s, _ := site.Parse(d)
		if _, problems := Compute(s, lock); len(problems) == 0 || problems[0].Summary != SummaryCannotMove || !strings.HasPrefix(problems[0].Path.String(), "ip_families") {
			t.Errorf("%s: got %s", name, problems)
		}
	}
	single := compute(t, declare("ipv4"), nil)
	if moved := Moved(single, compute(t, declare("ipv4", "ipv6"), single)); len(moved) > 0 {
		t.Errorf("a second family moved %v", moved)
	}
}
