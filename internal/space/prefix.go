// SPDX-License-Identifier: MPL-2.0

package space

import (
	"fmt"
	"math/big"
	"net/netip"
)

// First returns the lowest address of p.
func First(p netip.Prefix) netip.Addr { return p.Masked().Addr() }

// Last returns the highest address of p.
func Last(p netip.Prefix) netip.Addr {
	return spanOfPrefix(p).to.addr(FamilyOf(p.Addr()))
}

// Nth returns the address of p at position n, counted from 0 at the first one.
// A negative n counts from the end: -1 is the last address. The error wraps
// [ErrOutside] and names the positions that exist.
func Nth(p netip.Prefix, n *big.Int) (netip.Addr, error) {
	count := Size(p)
	at := new(big.Int).Set(n)
	if n.Sign() < 0 {
		at.Add(at, count)
	}
	if at.Sign() < 0 || at.Cmp(count) >= 0 {
		last := new(big.Int).Sub(count, big.NewInt(1))
		return netip.Addr{}, fmt.Errorf("position %s is %w: %s has positions 0 to %s, or -1 to -%s from its end",
			n, ErrOutside, p, last, count)
	}
	return spanOfPrefix(p).from.plus(fromBig(at)).addr(FamilyOf(p.Addr())), nil
}

// Size returns the number of addresses of p.
func Size(p netip.Prefix) *big.Int {
	return new(big.Int).Lsh(big.NewInt(1), uint(p.Addr().BitLen()-p.Bits()))
}

// CountUint returns the number of addresses of p, and false if that needs more
// than 64 bits.
func CountUint(p netip.Prefix) (uint64, bool) {
	if host := p.Addr().BitLen() - p.Bits(); host < 64 {
		return 1 << host, true
	}
	return 0, false
}

// Child returns the part of parent that is index aligned prefixes of the given
// length after its start. The error wraps [ErrOutside] when the parent has no
// such part.
func Child(parent netip.Prefix, bits int, index uint64) (netip.Prefix, error) {
	at, err := childOffset(parent, bits, index)
	if err != nil {
		return netip.Prefix{}, err
	}
	from := spanOfPrefix(parent).from.plus(at)
	return netip.PrefixFrom(from.addr(FamilyOf(parent.Addr())), bits), nil
}

// LastChild is [Child] counted from the end: index 0 is the highest part of
// parent, 1 the one below it.
func LastChild(parent netip.Prefix, bits int, index uint64) (netip.Prefix, error) {
	at, err := childOffset(parent, bits, index)
	if err != nil {
		return netip.Prefix{}, err
	}
	last := spanOfPrefix(parent).to.andNot(lowBits(parent.Addr().BitLen() - bits))
	return netip.PrefixFrom(last.minus(at).addr(FamilyOf(parent.Addr())), bits), nil
}

// childOffset returns the number of addresses in index prefixes of the length bits.
func childOffset(parent netip.Prefix, bits int, index uint64) (uint128, error) {
	width := parent.Addr().BitLen()
	if bits < parent.Bits() || bits > width {
		return uint128{}, fmt.Errorf("a /%d is %w: parts of %s are /%d to /%d",
			bits, ErrOutside, parent, parent.Bits(), width)
	}
	if fresh := bits - parent.Bits(); fresh < 64 && index >= 1<<fresh {
		return uint128{}, fmt.Errorf("/%d number %d is %w: %s has %d of them",
			bits, index, ErrOutside, parent, uint64(1)<<fresh)
	}
	return uint128{0, index}.shl(width - bits), nil
}
