// SPDX-License-Identifier: MPL-2.0

package space

import (
	"net/netip"
	"slices"

	"go4.org/netipx"
)

// Overlap is a pair of inputs that have addresses in common.
type Overlap struct {
	A, B  int            // indexes into the input, A < B
	Range netipx.IPRange // the addresses in common
}

// Overlaps returns the pairs of prefixes that overlap, ordered by the address at
// which the inner one starts, IPv4 first; equal prefixes overlap too. As the
// number of pairs can be the square of the number of prefixes, at most limit of
// them are returned, and omitted is the exact number of the others. Invalid
// prefixes overlap nothing.
//
// The cost is linear in the number of prefixes and of returned pairs.
func Overlaps(prefixes []netip.Prefix, limit int) (pairs []Overlap, omitted int) {
	for _, fam := range Families() {
		keys := sortedKeys(prefixes, fam)
		var outer []prefixKey // those around the last key, from the outside in
		for _, key := range keys {
			for len(outer) > 0 && outer[len(outer)-1].last().less(key.addr) {
				outer = outer[:len(outer)-1]
			}
			for i, o := range outer {
				if len(pairs) >= limit {
					omitted += len(outer) - i
					break
				}
				a, b := int(o.index), int(key.index)
				pairs = append(pairs, Overlap{min(a, b), max(a, b), netipx.RangeOfPrefix(prefixes[key.index])})
			}
			outer = append(outer, key)
		}
	}
	return pairs, omitted
}

// RangeOverlaps is [Overlaps] for ranges, ordered by the address at which the
// part in common starts. Its cost is that of sorting them.
func RangeOverlaps(ranges []netipx.IPRange, limit int) (pairs []Overlap, omitted int) {
	order := make([]int, 0, len(ranges))
	ends := make([]netip.Addr, 0, len(ranges))
	for i, r := range ranges {
		if r.IsValid() {
			order, ends = append(order, i), append(ends, r.To())
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return ranges[a].From().Compare(ranges[b].From()) })
	slices.SortFunc(ends, netip.Addr.Compare)
	ended := 0     // how many ranges end before the current one starts
	var open []int // of the ranges before it, at least those that do not
	for i, b := range order {
		start := ranges[b].From()
		for ends[ended].Less(start) {
			ended++
		}
		found := i - ended
		if len(pairs) < limit {
			open = slices.DeleteFunc(open, func(a int) bool { return ranges[a].To().Less(start) })
			for _, a := range open[:min(found, limit-len(pairs))] {
				common, _ := Intersection(ranges[a], ranges[b])
				pairs = append(pairs, Overlap{min(a, b), max(a, b), common})
				found--
			}
			open = append(open, b)
		}
		omitted += found
	}
	return pairs, omitted
}

// prefixKey is a prefix in the form that sorts fast.
type prefixKey struct {
	addr  uint128
	index uint32 // into the input
	bits  uint8
	width uint8 // of the family
}

// last returns the highest address of the prefix.
func (k prefixKey) last() uint128 { return k.addr.or(lowBits(int(k.width - k.bits))) }

// digits is the number of bytes that order a key: the address, and before it
// the length, so that an outer prefix comes before the inner ones at the same address.
const digits = 17

// digit returns the byte of the key at position i, from the least significant on.
func (k *prefixKey) digit(i int) uint8 {
	switch {
	case i == 0:
		return k.bits
	case i <= 8:
		return uint8(k.addr.lo >> (8 * (i - 1)))
	default:
		return uint8(k.addr.hi >> (8 * (i - 9)))
	}
}

// sortedKeys returns the valid prefixes of one family by address, then length,
// then index. It is a radix sort: a million prefixes are sorted in a fraction
// of the time that comparing them takes.
func sortedKeys(prefixes []netip.Prefix, fam Family) []prefixKey {
	isKey := func(p netip.Prefix) bool { return p.IsValid() && FamilyOf(p.Addr()) == fam }
	count := 0
	for _, p := range prefixes {
		if isKey(p) {
			count++
		}
	}
	keys := make([]prefixKey, 0, count)
	for i, p := range prefixes {
		if isKey(p) {
			keys = append(keys, prefixKey{spanOfPrefix(p).from, uint32(i), uint8(p.Bits()), uint8(fam.Bits())})
		}
	}
	spare := make([]prefixKey, len(keys))
	for i := range digits {
		if scatter(spare, keys, i) {
			keys, spare = spare, keys
		}
	}
	return keys
}

// scatter copies keys to dst in the order of one digit, stable in all else. It
// copies nothing and returns false if that digit is the same in all of them.
func scatter(dst, keys []prefixKey, i int) bool {
	var next [256]int
	for k := range keys {
		next[keys[k].digit(i)]++
	}
	at := 0
	for d, count := range next {
		if count == len(keys) {
			return false
		}
		next[d] = at
		at += count
	}
	for k := range keys {
		d := keys[k].digit(i)
		dst[next[d]] = keys[k]
		next[d]++
	}
	return true
}
