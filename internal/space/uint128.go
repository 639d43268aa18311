// SPDX-License-Identifier: MPL-2.0

package space

import (
	"encoding/binary"
	"math/big"
	"math/bits"
	"net/netip"

	"go4.org/netipx"
)

// uint128 is an address as a number. An IPv4 address is its 32 low bits, so
// that one arithmetic serves both families; which family it is, the owner of
// the number knows.
type uint128 struct{ hi, lo uint64 }

func fromAddr(addr netip.Addr) uint128 {
	if addr.Is4() {
		b := addr.As4()
		return uint128{0, uint64(binary.BigEndian.Uint32(b[:]))}
	}
	b := addr.As16()
	return uint128{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

func fromBig(n *big.Int) uint128 {
	var b [16]byte
	n.FillBytes(b[:])
	return uint128{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
}

// addr returns u as an address of the family.
func (u uint128) addr(fam Family) netip.Addr {
	if fam == IPv4 {
		var b [4]byte
		binary.BigEndian.PutUint32(b[:], uint32(u.lo))
		return netip.AddrFrom4(b)
	}
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], u.hi)
	binary.BigEndian.PutUint64(b[8:], u.lo)
	return netip.AddrFrom16(b)
}

func (u uint128) big() *big.Int {
	n := new(big.Int).SetUint64(u.hi)
	return n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(u.lo))
}

func (u uint128) less(v uint128) bool {
	_, borrow := bits.Sub64(u.lo, v.lo, 0)
	_, borrow = bits.Sub64(u.hi, v.hi, borrow)
	return borrow != 0
}

func (u uint128) plus(v uint128) uint128 {
	lo, carry := bits.Add64(u.lo, v.lo, 0)
	hi, _ := bits.Add64(u.hi, v.hi, carry)
	return uint128{hi, lo}
}

func (u uint128) minus(v uint128) uint128 {
	lo, borrow := bits.Sub64(u.lo, v.lo, 0)
	hi, _ := bits.Sub64(u.hi, v.hi, borrow)
	return uint128{hi, lo}
}

func (u uint128) next() uint128 { return u.plus(uint128{0, 1}) }
func (u uint128) prev() uint128 { return u.minus(uint128{0, 1}) }

func (u uint128) xor(v uint128) uint128    { return uint128{u.hi ^ v.hi, u.lo ^ v.lo} }
func (u uint128) or(v uint128) uint128     { return uint128{u.hi | v.hi, u.lo | v.lo} }
func (u uint128) and(v uint128) uint128    { return uint128{u.hi & v.hi, u.lo & v.lo} }
func (u uint128) andNot(v uint128) uint128 { return uint128{u.hi &^ v.hi, u.lo &^ v.lo} }

// shl returns u shifted to the left by n bits, 0 to 128.
func (u uint128) shl(n int) uint128 {
	if n >= 64 {
		return uint128{u.lo << (n - 64), 0}
	}
	return uint128{u.hi<<n | u.lo>>(64-n), u.lo << n}
}

// bitLen returns the number of bits that u needs, 0 for 0.
func (u uint128) bitLen() int {
	if u.hi != 0 {
		return 64 + bits.Len64(u.hi)
	}
	return bits.Len64(u.lo)
}

// lowBits returns the number whose n low bits are set, n from 0 to 128.
func lowBits(n int) uint128 {
	if n >= 64 {
		return uint128{1<<(n-64) - 1, ^uint64(0)}
	}
	return uint128{0, 1<<n - 1}
}

// span is a range of addresses of one family as numbers, both bounds included.
type span struct{ from, to uint128 }

func spanOf(r netipx.IPRange) span {
	return span{fromAddr(r.From()), fromAddr(r.To())}
}

func spanOfPrefix(p netip.Prefix) span {
	host := lowBits(p.Addr().BitLen() - p.Bits())
	from := fromAddr(p.Addr()).andNot(host)
	return span{from, from.or(host)}
}

func (s span) addrs(fam Family) netipx.IPRange {
	return netipx.IPRangeFrom(s.from.addr(fam), s.to.addr(fam))
}

// fit returns how large an aligned block fits into s: a block of 1<<n
// addresses has fit n+1, so that no span has fit 0.
func (s span) fit() uint8 {
	n := s.from.xor(s.to).bitLen()
	low := lowBits(n)
	if s.from.and(low) == (uint128{}) && s.to.and(low) == low {
		return uint8(n + 1)
	}
	// The bounds part at bit n-1. The address at which they do is the best
	// aligned one of the span: the largest block ends before it or starts there.
	//
	//   from        middle       to
	//    |------------|-----------|
	middle := s.to.andNot(lowBits(n - 1))
	return uint8(max(middle.minus(s.from).bitLen(), s.to.minus(middle).next().bitLen()))
}

// block returns the lowest or the highest aligned block of 1<<n addresses in s,
// which must fit.
func (s span) block(n int, highest bool) span {
	low := lowBits(n)
	from := s.from.plus(low).andNot(low)
	if highest {
		from = s.to.minus(low).andNot(low)
	}
	return span{from, from.or(low)}
}
