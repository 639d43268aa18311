// SPDX-License-Identifier: MPL-2.0

package space

import (
	"fmt"
	"iter"
	"math/big"
	"net/netip"

	"go4.org/netipx"
)

// Free is the free part of an address space. Addresses leave it when they are
// reserved, allocated or taken, and come back when they are released. The two
// families do not influence each other.
//
// Which prefix an allocation gets depends on the free addresses alone, never
// on the history that led to them. An allocation costs time in the logarithm of the
// number of free ranges, whatever came before.
//
// The zero value has no address to give. A Free must not be used by several
// goroutines at once, nor changed while one of its sequences is read.
type Free struct {
	v4, v6 familySpace
}

// familySpace is the address space of one family.
type familySpace struct {
	whole tree // all addresses, free or not
	free  tree // those that are free
}

// NewFree returns an address space of which everything is free. The prefixes
// may overlap and repeat.
func NewFree(prefixes ...netip.Prefix) *Free {
	f := new(Free)
	for _, r := range Union(Ranges(prefixes...)...) {
		part := f.family(FamilyOf(r.From()))
		part.whole.insert(spanOf(r))
		part.free.insert(spanOf(r))
	}
	return f
}

// family returns the space of fam, or nil if that is no family.
func (f *Free) family(fam Family) *familySpace {
	switch fam {
	case IPv4:
		return &f.v4
	case IPv6:
		return &f.v6
	default:
		return nil
	}
}

// Reserve makes the addresses of r unavailable. It is no matter whether they
// are free, or in the address space at all.
func (f *Free) Reserve(r netipx.IPRange) {
	if r.IsValid() {
		f.family(FamilyOf(r.From())).free.remove(spanOf(r))
	}
}

// ReservePrefix is [Free.Reserve] for a prefix.
func (f *Free) ReservePrefix(p netip.Prefix) { f.Reserve(netipx.RangeOfPrefix(p)) }

// Allocate takes the lowest free prefix of the family with the length bits.
// The error is an [*ExhaustedError] when there is none.
func (f *Free) Allocate(fam Family, bits int) (netip.Prefix, error) {
	return f.allocate(fam, bits, false)
}

// AllocateLast takes the highest free prefix of the family with the length
// bits. The error is an [*ExhaustedError] when there is none.
func (f *Free) AllocateLast(fam Family, bits int) (netip.Prefix, error) {
	return f.allocate(fam, bits, true)
}

func (f *Free) allocate(fam Family, bits int, highest bool) (netip.Prefix, error) {
	width := fam.Bits()
	switch {
	case width == 0:
		return netip.Prefix{}, errFamily
	case bits < 0 || bits > width:
		return netip.Prefix{}, fmt.Errorf("/%d is %w: %s has /0 to /%d", bits, ErrOutside, fam, width)
	}
	block, ok := f.family(fam).free.carve(width-bits, highest)
	if !ok {
		largest, _ := f.Largest(fam)
		return netip.Prefix{}, &ExhaustedError{Family: fam, Bits: bits, Largest: largest}
	}
	return netip.PrefixFrom(block.from.addr(fam), bits), nil
}

// Largest returns the lowest of the largest free blocks of the family, and
// false when nothing is free.
func (f *Free) Largest(fam Family) (netip.Prefix, bool) {
	part := f.family(fam)
	if part == nil || part.free.best() == 0 {
		return netip.Prefix{}, false
	}
	host := int(part.free.best()) - 1
	block, _ := part.free.find(host, false)
	return netip.PrefixFrom(block.from.addr(fam), fam.Bits()-host), true
}

// Take takes exactly p. The error is a [*ConflictError] with the reason
// [ErrOutside] or [ErrOccupied], and then nothing is taken.
func (f *Free) Take(p netip.Prefix) error {
	part, s, err := f.locate(p)
	if err != nil {
		return err
	}
	if used, ok := part.free.gap(s); ok {
		return &ConflictError{Prefix: p, Part: used.addrs(FamilyOf(p.Addr())), Reason: ErrOccupied}
	}
	part.free.remove(s)
	return nil
}

// Release makes p free again, of which every address must have been reserved,
// allocated or taken, together or apart. The error is a [*ConflictError] with the
// reason [ErrOutside] or [ErrOverlap], and then nothing is released.
func (f *Free) Release(p netip.Prefix) error {
	part, s, err := f.locate(p)
	if err != nil {
		return err
	}
	if free, ok := part.free.overlap(s); ok {
		return &ConflictError{Prefix: p, Part: free.addrs(FamilyOf(p.Addr())), Reason: ErrOverlap}
	}
	part.free.insert(s)
	return nil
}

// locate returns the family's space and the span of p, or an error if p is not
// wholly in that space.
func (f *Free) locate(p netip.Prefix) (*familySpace, span, error) {
	fam := FamilyOf(p.Addr())
	part := f.family(fam)
	if part == nil || !p.IsValid() {
		return nil, span{}, errFamily
	}
	s := spanOfPrefix(p)
	if outside, ok := part.whole.gap(s); ok {
		return nil, span{}, &ConflictError{Prefix: p, Part: outside.addrs(fam), Reason: ErrOutside}
	}
	return part, s, nil
}

// IsFree reports whether each address of p is free.
func (f *Free) IsFree(p netip.Prefix) bool {
	part := f.family(FamilyOf(p.Addr()))
	return part != nil && p.IsValid() && part.free.covers(spanOfPrefix(p))
}

// Ranges returns the free ranges of the family in ascending order, no two of
// them adjacent.
func (f *Free) Ranges(fam Family) iter.Seq[netipx.IPRange] {
	return func(yield func(netipx.IPRange) bool) {
		if part := f.family(fam); part != nil {
			part.free.ascend(part.free.root, func(s span) bool { return yield(s.addrs(fam)) })
		}
	}
}

// Prefixes returns the free space of the family as the smallest list of
// prefixes, in ascending order.
func (f *Free) Prefixes(fam Family) iter.Seq[netip.Prefix] {
	return func(yield func(netip.Prefix) bool) {
		for r := range f.Ranges(fam) {
			for _, p := range r.Prefixes() {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// Count returns the number of free addresses of the family.
func (f *Free) Count(fam Family) *big.Int {
	count := new(big.Int)
	for r := range f.Ranges(fam) {
		count.Add(count, Count(r))
	}
	return count
}
