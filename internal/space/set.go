// SPDX-License-Identifier: MPL-2.0

package space

import (
	"math/big"
	"net/netip"

	"go4.org/netipx"
)

// Ranges returns the range of each prefix, in the order given.
func Ranges(prefixes ...netip.Prefix) []netipx.IPRange {
	ranges := make([]netipx.IPRange, len(prefixes))
	for i, p := range prefixes {
		ranges[i] = netipx.RangeOfPrefix(p)
	}
	return ranges
}

// Union returns the addresses of all ranges as the smallest list of ranges:
// ascending, IPv4 first, no two of them overlapping or adjacent.
func Union(ranges ...netipx.IPRange) []netipx.IPRange {
	return Subtract(ranges, nil)
}

// Subtract returns the addresses of from that are not in what, as the smallest
// list of ranges.
func Subtract(from, what []netipx.IPRange) []netipx.IPRange {
	var set netipx.IPSetBuilder
	for _, r := range from {
		set.AddRange(r)
	}
	for _, r := range what {
		set.RemoveRange(r)
	}
	// The builder reports invalid ranges only, and those hold no address.
	result, _ := set.IPSet()
	return result.Ranges()
}

// Prefixes returns the addresses of all ranges as the smallest list of
// prefixes, ascending, IPv4 first.
func Prefixes(ranges ...netipx.IPRange) []netip.Prefix {
	var prefixes []netip.Prefix
	for _, r := range Union(ranges...) {
		prefixes = r.AppendPrefixes(prefixes)
	}
	return prefixes
}

// ContainsAll reports whether each address of parts is in the container too.
func ContainsAll(container, parts []netipx.IPRange) bool {
	return len(Subtract(parts, container)) == 0
}

// Intersection returns the addresses that a and b have in common, and false if
// there are none.
func Intersection(a, b netipx.IPRange) (netipx.IPRange, bool) {
	if !a.Overlaps(b) {
		return netipx.IPRange{}, false
	}
	from, to := a.From(), a.To()
	if from.Less(b.From()) {
		from = b.From()
	}
	if b.To().Less(to) {
		to = b.To()
	}
	return netipx.IPRangeFrom(from, to), true
}

// Count returns the number of addresses of all ranges together. An address in
// several of them counts once.
func Count(ranges ...netipx.IPRange) *big.Int {
	count := new(big.Int)
	for _, r := range Union(ranges...) {
		s := spanOf(r)
		count.Add(count, s.to.minus(s.from).big())
		count.Add(count, big.NewInt(1))
	}
	return count
}
