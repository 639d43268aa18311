// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"flag"
	"math/rand/v2"
	"slices"
	"testing"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// declarations is how many generated declarations the property test tries. The
// long run: go test ./internal/plan -run TestInvariants -declarations 1000000.
var declarations = flag.Uint64("declarations", 3000, "number of generated declarations")

func TestInvariants(t *testing.T) {
	planned := 0
	for seed := range *declarations {
		if checkInvariants(t, seed) {
			planned++
		}
		if t.Failed() {
			t.Fatalf("seed %d failed; run FuzzCompute with it", seed)
		}
	}
	if planned < int(*declarations/3) {
		t.Errorf("only %d of %d declarations could be planned, so that the properties were hardly tried", planned, *declarations)
	}
	t.Logf("%d of %d declarations were planned", planned, *declarations)
}

func FuzzCompute(f *testing.F) {
	for seed := range uint64(50) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkInvariants(t, seed) })
}

// checkInvariants plans one generated declaration and holds the result against
// what must always be true. It reports whether a plan came out.
func checkInvariants(t *testing.T, seed uint64) bool {
	d := generate(seed)
	s, problems := site.Parse(d)
	first, planProblems := Compute(s, nil)
	again, againProblems := Compute(s, nil)
	if first.Text() != again.Text() || planProblems.String() != againProblems.String() {
		t.Errorf("seed %d: the same declaration gave two plans", seed)
	}
	checkPlaced(t, seed, s, first)
	if len(problems) > 0 || len(planProblems) > 0 {
		return false
	}
	checkRoundTrip(t, seed, first)
	checkLockIsFixpoint(t, seed, s, first)
	checkGrowth(t, seed, d, first)
	checkPermutation(t, seed, d, first)
	return true
}

// checkPlaced: what the planner placed by itself is disjoint from everything
// else, inside the address space, not reserved, and of the wanted length.
func checkPlaced(t *testing.T, seed uint64, s *site.Site, p *Plan) {
	var inside netipx.IPSetBuilder
	for _, prefix := range s.AddressSpace {
		inside.AddPrefix(prefix)
	}
	addressSpace := build(&inside)
	claims := p.Claims()
	for i, a := range claims {
		n, _ := p.Network(a.Network)
		if isPinned(s, n) {
			continue
		}
		for j, b := range claims {
			other, _ := p.Network(b.Network)
			if i != j && a.Network != b.Network && a.Addresses.Overlaps(b.Addresses) && !isPinned(s, other) {
				t.Errorf("seed %d: the claims of %q %v and %q %v overlap", seed, a.Network, n.Ranges, b.Network, other.Ranges)
			}
		}
		for _, r := range n.Ranges {
			if !addressSpace.ContainsRange(r.IPRange) && n.CarvedFrom == "" {
				t.Errorf("seed %d: %s of %q lies outside the address space", seed, r, n.Name)
			}
			for _, reserved := range s.Reserved {
				for _, theirs := range reserved.Ranges {
					if r.Overlaps(theirs) && n.CarvedFrom == "" {
						t.Errorf("seed %d: %s of %q is reserved for %s", seed, r, n.Name, reserved.Name)
					}
				}
			}
		}
	}
	checkLengths(t, seed, s, p)
}

// isPinned reports whether the user pinned a network, so that what it overlaps
// is the user's (and a rule's) matter.
func isPinned(s *site.Site, n Network) bool {
	declared, ok := s.Network(n.Name)
	return ok && len(declared.Pinned) > 0
}

func checkLengths(t *testing.T, seed uint64, s *site.Site, p *Plan) {
	for _, n := range p.Networks {
		declared, ok := s.Network(n.Name)
		if !ok || len(declared.Pinned) > 0 {
			continue
		}
		for _, f := range space.Families() {
			prefix, has := n.First(f)
			if want := declared.Length(f); want != 0 && has && prefix.Bits() != want {
				t.Errorf("seed %d: %q got %s, but a /%d is wanted", seed, n.Name, prefix, want)
			}
		}
	}
}

func checkRoundTrip(t *testing.T, seed uint64, p *Plan) {
	parsed, err := Parse([]byte(p.Text()))
	if err != nil {
		t.Errorf("seed %d: the document does not parse: %v\n%s", seed, err, p.Text())
		return
	}
	if parsed.Text() != p.Text() {
		t.Errorf("seed %d: the document changes when it is read and written", seed)
	}
}

// checkLockIsFixpoint: computed with itself as lock, a plan is itself.
func checkLockIsFixpoint(t *testing.T, seed uint64, s *site.Site, p *Plan) {
	locked, problems := Compute(s, p)
	if len(problems) > 0 {
		t.Errorf("seed %d: the plan is refused with itself as lock: %s", seed, problems)
		return
	}
	if locked.Text() != p.Text() {
		t.Errorf("seed %d: the plan with itself as lock is another one\n--- plan\n%s\n--- with lock\n%s", seed, p.Text(), locked.Text())
	}
}

// checkGrowth: with the lock, additions move nothing, and neither do removals.
func checkGrowth(t *testing.T, seed uint64, d site.Declaration, p *Plan) {
	r := rand.New(rand.NewPCG(seed, 2))
	grown := d
	grown.Networks = slices.Clone(d.Networks)
	for i := range 1 + r.IntN(3) {
		n := generateNetwork(r, 7, d)
		n.Name, n.CIDRs = "new-"+string(rune('a'+i)), nil
		grown.Networks = append(grown.Networks, n)
	}
	if len(d.Networks) > 0 && r.IntN(2) == 0 {
		grown.Networks = grown.Networks[1:]
	}
	grown.Reserved = map[string][]string{"later": {"10.251.0.0/24"}}
	grown.Hosts = map[string]int64{"node-9": 99}
	s, problems := site.Parse(grown)
	if len(problems) > 0 {
		return
	}
	after, _ := Compute(s, p)
	for _, move := range Moved(p, after) {
		if slices.ContainsFunc(d.Networks, func(n site.NetworkDeclaration) bool { return n.Name == move.Network && n.CIDRs != nil }) {
			continue
		}
		t.Errorf("seed %d: an addition moved %q from %v to %v", seed, move.Network, move.From, move.To)
	}
}

// checkPermutation: the order of blocks and families of reserved ranges is no input.
func checkPermutation(t *testing.T, seed uint64, d site.Declaration, p *Plan) {
	r := rand.New(rand.NewPCG(seed, 3))
	permuted := d
	permuted.Networks = slices.Clone(d.Networks)
	r.Shuffle(len(permuted.Networks), func(i, j int) {
		permuted.Networks[i], permuted.Networks[j] = permuted.Networks[j], permuted.Networks[i]
	})
	s, problems := site.Parse(permuted)
	if len(problems) > 0 {
		t.Errorf("seed %d: another order of blocks does not parse: %s", seed, problems)
		return
	}
	if after, _ := Compute(s, nil); after.Text() != p.Text() {
		t.Errorf("seed %d: another order of blocks gives another plan", seed)
	}
}

// TestUnrelatedAdditionWithoutLock: without a lock, one more network moves
// another only if both names propose the same place.
func TestUnrelatedAdditionWithoutLock(t *testing.T) {
	moved, networks := 0, 0
	for seed := range uint64(500) {
		d := site.Declaration{Name: "dc1", Datapath: "node-ipam"}
		r := rand.New(rand.NewPCG(seed, 4))
		for i := range 10 {
			d.Networks = append(d.Networks, site.NetworkDeclaration{Name: string(rune('a'+i)) + pick(r, []string{"x", "y", "z"}), Role: "node"})
		}
		s, _ := site.Parse(d)
		before, _ := Compute(s, nil)
		d.Networks = append(d.Networks, site.NetworkDeclaration{Name: "added", Role: "node"})
		s, _ = site.Parse(d)
		after, _ := Compute(s, nil)
		moved += len(Moved(before, after))
		networks += len(before.Networks)
	}
	// 65,536 places of a /24 in 10.0.0.0/8: two names meet about once in that many.
	if moved > networks/1000 {
		t.Errorf("%d of %d networks moved when an unrelated one was added", moved, networks)
	}
}
