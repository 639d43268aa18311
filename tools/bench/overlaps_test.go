// SPDX-License-Identifier: MPL-2.0

package bench

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/gaissmai/bart"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// mixed returns n IPv4 prefixes of /8 to /32, most of them long.
func mixed(n int) []netip.Prefix {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([]netip.Prefix, n)
	for i := range out {
		addr := r.Uint32()
		bits := 32 - min(24, int(r.ExpFloat64()*4))
		out[i] = netip.PrefixFrom(netip.AddrFrom4([4]byte{byte(addr >> 24), byte(addr >> 16), byte(addr >> 8), byte(addr)}), bits).Masked()
	}
	return out
}

// BenchmarkOverlaps finds the overlapping pairs of a million mixed prefixes,
// beside sorting them and beside a table of bart, which is no dependency of the
// provider.
func BenchmarkOverlaps(b *testing.B) {
	prefixes := mixed(1_000_000)
	b.Run("space", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			space.Overlaps(prefixes, 1000)
		}
	})
	b.Run("sort", func(b *testing.B) {
		for b.Loop() {
			slices.SortFunc(slices.Clone(prefixes), netip.Prefix.Compare)
		}
	})
	b.Run("bart", func(b *testing.B) {
		for b.Loop() {
			var table bart.Lite
			for _, p := range prefixes {
				table.Insert(p)
			}
			covered := 0
			for _, p := range prefixes {
				for range table.Supernets(p) {
					covered++
				}
			}
		}
	})
}

// BenchmarkAllocate allocates mixed prefixes beside a bart table with a cursor
// for each length, the way that code without an allocator of its own does it.
func BenchmarkAllocate(b *testing.B) {
	const n = 10_000
	r := rand.New(rand.NewPCG(3, 4))
	lengths := make([]int, n)
	for i := range lengths {
		lengths[i] = 20 + r.IntN(10)
	}
	root := netip.MustParsePrefix("10.0.0.0/8")
	b.Run("space", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			free := space.NewFree(root)
			for _, length := range lengths {
				if _, err := free.Allocate(space.IPv4, length); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("bart", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var table bart.Lite
			cursor := map[int]uint64{}
			for _, length := range lengths {
				for {
					candidate, err := space.Child(root, length, cursor[length])
					if err != nil {
						b.Fatal(err)
					}
					cursor[length]++
					if !table.OverlapsPrefix(candidate) {
						table.Insert(candidate)
						break
					}
				}
			}
		}
	})
}
