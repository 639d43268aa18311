// SPDX-License-Identifier: MPL-2.0

package space

import (
	"errors"
	"fmt"
	"net/netip"

	"go4.org/netipx"
)

// The reasons for which a prefix cannot be had or given back. The errors of
// this package wrap one of them and add the prefix, the range in the way, or
// what would have been possible.
var (
	ErrExhausted = errors.New("no free prefix is large enough")
	ErrOutside   = errors.New("outside")      // not, or not wholly, in the space or prefix
	ErrOccupied  = errors.New("not free")     // reserved, allocated or taken before
	ErrOverlap   = errors.New("free already") // given back without having been taken

	errFamily = errors.New("neither an IPv4 nor an IPv6 prefix")
)

// ExhaustedError says that no free block is large enough, and which is the
// largest. It wraps [ErrExhausted].
type ExhaustedError struct {
	Family  Family
	Bits    int          // the length that was asked for
	Largest netip.Prefix // the lowest of the largest free blocks; the zero Prefix when nothing is free
}

// Error returns a sentence without a full stop.
func (e *ExhaustedError) Error() string {
	if !e.Largest.IsValid() {
		return fmt.Sprintf("%v: a /%d was asked for and no %s address is left", ErrExhausted, e.Bits, e.Family)
	}
	return fmt.Sprintf("%v: a /%d was asked for and the largest free %s block is the /%d %s",
		ErrExhausted, e.Bits, e.Family, e.Largest.Bits(), e.Largest)
}

// Unwrap returns [ErrExhausted].
func (e *ExhaustedError) Unwrap() error { return ErrExhausted }

// ConflictError says which part of a prefix is in the way of what was asked
// for it. It wraps [ErrOutside], [ErrOccupied] or [ErrOverlap].
type ConflictError struct {
	Prefix netip.Prefix   // what was asked for
	Part   netipx.IPRange // the lowest part of it that is in the way
	Reason error          // ErrOutside, ErrOccupied or ErrOverlap
}

// Error returns a sentence without a full stop.
func (e *ConflictError) Error() string {
	where := e.Reason.Error()
	if errors.Is(e.Reason, ErrOutside) {
		where += " the address space"
	}
	if e.Part == netipx.RangeOfPrefix(e.Prefix) {
		return fmt.Sprintf("%s is %s", e.Prefix, where)
	}
	return fmt.Sprintf("%s of %s is %s", FormatRange(e.Part), e.Prefix, where)
}

// Unwrap returns the reason.
func (e *ConflictError) Unwrap() error { return e.Reason }
