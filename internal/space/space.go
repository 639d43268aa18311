// SPDX-License-Identifier: MPL-2.0

// Package space is the arithmetic of address spaces: it reads prefixes and
// ranges strictly, computes with sets of them, finds what overlaps, and hands
// out free prefixes.
//
// A prefix is a [netip.Prefix] without host bits, a range a [netipx.IPRange]:
// both bounds belong to it. The parsers of this package make only such values,
// and every other function expects them. Addresses never carry a zone and are
// never the IPv4-mapped form of IPv6 (::ffff:10.0.0.1), which to an allocator
// is another address than 10.0.0.1.
//
// All counts are exact in both families: 128 bits inside, [math/big] outside.
// Nothing here depends on the order of a map, a clock or an environment, so
// that equal input gives equal output on every platform.
package space

import "net/netip"

// Family is an IP address family, named by its version number. The zero value
// is no family.
type Family uint8

// The two address families.
const (
	IPv4 Family = 4
	IPv6 Family = 6
)

// Families returns both address families, IPv4 first.
func Families() [2]Family { return [2]Family{IPv4, IPv6} }

// FamilyOf returns the family of addr, and 0 for the zero Addr.
func FamilyOf(addr netip.Addr) Family {
	switch {
	case addr.Is4():
		return IPv4
	case addr.Is6():
		return IPv6
	default:
		return 0
	}
}

// Bits returns the length of an address of the family in bits: 32 or 128, and
// 0 for what is no family.
func (f Family) Bits() int {
	switch f {
	case IPv4:
		return 32
	case IPv6:
		return 128
	default:
		return 0
	}
}

// String returns "IPv4" or "IPv6".
func (f Family) String() string {
	switch f {
	case IPv4:
		return "IPv4"
	case IPv6:
		return "IPv6"
	default:
		return "no address family"
	}
}
