// SPDX-License-Identifier: MPL-2.0

package space

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"go4.org/netipx"
)

// workload is a sequence of allocations in one prefix, around reserved ranges.
type workload struct {
	space    netip.Prefix
	reserved []netip.Prefix
	lengths  []int
}

// newWorkload returns n allocations of parts 8 to 21 bits longer than space: /16 to
// /29 of 10.0.0.0/8. Each length is there once; from then on a prefix half as
// large is twice as likely, so that each length takes the same room and 100,000
// of them (5.7 million addresses) fit into a third of a /8, where the same number of each length would not.
// A hundred prefixes of 16 to 20 more bits are reserved.
func newWorkload(space netip.Prefix, n int) workload {
	random := rand.New(rand.NewPCG(8, 29))
	w := workload{space: space, lengths: make([]int, n)}
	for i := range w.lengths {
		w.lengths[i] = space.Bits() + 8 + i
		if i >= 14 {
			w.lengths[i] = space.Bits() + 21 - min(13, bits.TrailingZeros32(random.Uint32()))
		}
	}
	random.Shuffle(n, func(i, j int) { w.lengths[i], w.lengths[j] = w.lengths[j], w.lengths[i] })
	for range 100 {
		length := 16 + random.IntN(5)
		p, err := Child(space, space.Bits()+length, random.Uint64N(1<<length))
		if err != nil {
			panic(err)
		}
		w.reserved = append(w.reserved, p)
	}
	return w
}

var (
	spaceIPv4 = netip.MustParsePrefix("10.0.0.0/8")
	spaceIPv6 = netip.MustParsePrefix("fd00:db8::/32") // as many /53 as the other has /29
)

// allocateAll does the whole workload: the space, the reserved, the allocations.
func (w workload) allocateAll(tb testing.TB, results []netip.Prefix) {
	f, fam := NewFree(w.space), FamilyOf(w.space.Addr())
	for _, p := range w.reserved {
		f.ReservePrefix(p)
	}
	for i, length := range w.lengths {
		p, err := f.Allocate(fam, length)
		if err != nil {
			tb.Fatal(err)
		}
		results[i] = p
	}
}

// writeAll only writes as many results, one after the other in the space: the
// floor under every allocator.
func (w workload) writeAll(results []netip.Prefix) {
	fam, at := FamilyOf(w.space.Addr()), fromAddr(w.space.Addr())
	for i, length := range w.lengths {
		size := lowBits(fam.Bits() - length)
		at = at.plus(size).andNot(size)
		results[i] = netip.PrefixFrom(at.addr(fam), length)
		at = at.plus(size).next()
	}
}

// removeAll is the peer: netipx's RemoveFreePrefix, which returns the rest as a
// new set.
func (w workload) removeAll(tb testing.TB, results []netip.Prefix) {
	var b netipx.IPSetBuilder
	b.AddPrefix(w.space)
	for _, p := range w.reserved {
		b.RemovePrefix(p)
	}
	set, err := b.IPSet()
	if err != nil {
		tb.Fatal(err)
	}
	for i, length := range w.lengths {
		var ok bool
		if results[i], set, ok = set.RemoveFreePrefix(uint8(length)); !ok {
			tb.Fatal("netipx finds nothing")
		}
	}
}

func BenchmarkAllocate(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		v4, v6 := newWorkload(spaceIPv4, n), newWorkload(spaceIPv6, n)
		each := func(name string, work func(results []netip.Prefix)) {
			b.Run(fmt.Sprintf("n=%d/%s", n, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					work(make([]netip.Prefix, n))
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/alloc")
			})
		}
		each("space-IPv4", func(results []netip.Prefix) { v4.allocateAll(b, results) })
		each("space-IPv6", func(results []netip.Prefix) { v6.allocateAll(b, results) })
		each("write-IPv4", v4.writeAll)
		each("write-IPv6", v6.writeAll)
		if n <= 10_000 { // at 100,000 it takes minutes
			each("netipx-IPv4", func(results []netip.Prefix) { v4.removeAll(b, results) })
		}
	}
}

// The workload of the benchmark is right: what it allocates is disjoint, inside,
// not reserved and of the right length.
func TestWorkload(t *testing.T) {
	for _, space := range []netip.Prefix{spaceIPv4, spaceIPv6} {
		w := newWorkload(space, 10_000)
		results := make([]netip.Prefix, len(w.lengths))
		w.allocateAll(t, results)
		for i, p := range results {
			if p.Bits() != w.lengths[i] || p.Masked() != p || !space.Contains(p.Addr()) {
				t.Errorf("%v is not a /%d in %v", p, w.lengths[i], space)
			}
		}
		reserved := Prefixes(Ranges(w.reserved...)...)
		if pairs, _ := Overlaps(slices.Concat(results, reserved), 10); len(pairs) != 0 {
			t.Errorf("these overlap: %v", pairs)
		}
	}
}

// mixedPrefixes returns n prefixes, /8 to /32 or /32 to /64 at random places.
// They overlap as the prefixes of many sites and routers would: most are long.
func mixedPrefixes(fam Family, n int) []netip.Prefix {
	random := rand.New(rand.NewPCG(uint64(fam), uint64(n)))
	prefixes := make([]netip.Prefix, n)
	for i := range prefixes {
		addr := uint128{random.Uint64(), random.Uint64()}
		length := 32 - min(24, bits.TrailingZeros32(random.Uint32()))
		if fam == IPv6 {
			addr.hi = addr.hi>>8 | 0xfd<<56
			length = 64 - min(32, bits.TrailingZeros32(random.Uint32()))
		}
		prefixes[i] = netip.PrefixFrom(addr.addr(fam), length).Masked()
	}
	return prefixes
}

func BenchmarkOverlaps(b *testing.B) {
	const n, limit = 1_000_000, 1_000
	for _, fam := range Families() {
		prefixes := mixedPrefixes(fam, n)
		b.Run(fmt.Sprintf("n=%d/space-%v", n, fam), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if pairs, _ := Overlaps(prefixes, limit); len(pairs) > limit {
					b.Fatal(len(pairs))
				}
			}
		})
		b.Run(fmt.Sprintf("n=%d/sort-%v", n, fam), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				sorted := slices.Clone(prefixes)
				b.StartTimer()
				slices.SortFunc(sorted, netip.Prefix.Compare)
			}
		})
		b.Run(fmt.Sprintf("n=%d/netipx-%v", n, fam), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var set netipx.IPSetBuilder
				for _, p := range prefixes {
					set.AddPrefix(p)
				}
				if _, err := set.IPSet(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
