// SPDX-License-Identifier: MPL-2.0

package space

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"go4.org/netipx"
)

// SyntaxError is the error of the parsers: what was read, what is wrong with
// it, and what would have been right.
type SyntaxError struct {
	Input      string // the text as given
	Problem    string // what is wrong, as the rest of a sentence that starts with Input
	Suggestion string // the likeliest meaning, in a form that parses, or ""
}

// Error returns one sentence without a full stop, such as
// `"10.244.1.0/16" has host bits set; use "10.244.0.0/16"`.
func (e *SyntaxError) Error() string {
	text := strconv.Quote(e.Input) + " " + e.Problem
	if e.Suggestion != "" {
		text += "; use " + strconv.Quote(e.Suggestion)
	}
	return text
}

// What is wrong with a text, wherever in it.
const (
	hasSpaces       = "has spaces around it"
	hasZone         = "has a zone, which means something on one host only"
	hasLeadingZeros = "has a number with leading zeros, which some programs read as octal"
	hasHostBits     = "has host bits set"
	isMapped        = "is IPv4 written as IPv6, which is another address to an allocator"
	isAddress       = "has no prefix length"
	isPrefix        = "is a prefix where a single address is expected"
	isNothing       = "is no address"
	isMixed         = "starts in one address family and ends in the other"
	isBackwards     = "ends before it starts"
)

// ParsePrefix reads an IPv4 or IPv6 prefix such as "10.244.0.0/16". It refuses
// host bits, IPv4-mapped IPv6, zones, numbers with leading zeros, spaces, a
// missing length, and a length of 0. The error is a [*SyntaxError].
//
// An IPv6 prefix may be spelled in any form of RFC 4291 (2001:DB8:0::/32); its
// String method gives the canonical one, and [IsCanonical] insists on it.
func ParsePrefix(s string) (netip.Prefix, error) {
	if trimmed := strings.TrimSpace(s); trimmed != s {
		return netip.Prefix{}, wrong(s, hasSpaces, trimmed, asPrefix)
	}
	text, lengthText, found := strings.Cut(s, "/")
	addr, problem := readAddr(text)
	switch {
	case problem != nil && found:
		return netip.Prefix{}, problem.in(s, "", problem.rightLength(lengthText), asPrefix)
	case problem != nil:
		return netip.Prefix{}, wrong(s, problem.what, "", asPrefix)
	case !found:
		return netip.Prefix{}, wrong(s, isAddress, netip.PrefixFrom(addr, addr.BitLen()).String(), asPrefix)
	}
	length, err := readLength(s, addr, lengthText)
	if err != nil {
		return netip.Prefix{}, err
	}
	p := netip.PrefixFrom(addr, length)
	if network := p.Masked(); network != p {
		return netip.Prefix{}, wrong(s, hasHostBits, network.String(), asPrefix)
	}
	return p, nil
}

// readLength reads the length of the prefix s, which starts with addr.
func readLength(s string, addr netip.Addr, text string) (int, error) {
	length, err := strconv.ParseUint(text, 10, 8)
	switch {
	case err != nil || int(length) > addr.BitLen():
		return 0, wrong(s, fmt.Sprintf("has no valid length: an %s prefix ends in /1 to /%d", FamilyOf(addr), addr.BitLen()), "", asPrefix)
	case length == 0:
		return 0, wrong(s, fmt.Sprintf("is the whole %s address space; name the part that is meant", FamilyOf(addr)), "", asPrefix)
	case text[0] == '0':
		return 0, wrong(s, hasLeadingZeros, fmt.Sprintf("%s/%d", addr, length), asPrefix)
	}
	return int(length), nil
}

// ParseAddr reads an IPv4 or IPv6 address. It refuses IPv4-mapped IPv6, zones,
// numbers with leading zeros, and spaces. The error is a [*SyntaxError].
func ParseAddr(s string) (netip.Addr, error) {
	if trimmed := strings.TrimSpace(s); trimmed != s {
		return netip.Addr{}, wrong(s, hasSpaces, trimmed, asAddr)
	}
	if text, _, found := strings.Cut(s, "/"); found {
		return netip.Addr{}, wrong(s, isPrefix, text, asAddr)
	}
	addr, problem := readAddr(s)
	if problem != nil {
		return netip.Addr{}, problem.in(s, "", "", asAddr)
	}
	return addr, nil
}

// ParseRange reads consecutive addresses: a prefix as [ParsePrefix] does, a
// single address, or two addresses with "-" or ".." between them (the latter is
// how Kube-OVN writes excludeIps), with or without spaces around that sign. It
// refuses bounds of two families and bounds in the wrong order. The error is a
// [*SyntaxError].
func ParseRange(s string) (netipx.IPRange, error) {
	if trimmed := strings.TrimSpace(s); trimmed != s {
		return netipx.IPRange{}, wrong(s, hasSpaces, trimmed, asRange)
	}
	if first, last, found := cutRange(s); found {
		return parseBounds(s, first, last)
	}
	if strings.Contains(s, "/") {
		p, err := ParsePrefix(s)
		return netipx.RangeOfPrefix(p), err
	}
	addr, err := ParseAddr(s)
	if err != nil {
		return netipx.IPRange{}, err
	}
	return netipx.IPRangeFrom(addr, addr), nil
}

// cutRange splits s at its range sign, if it has one.
func cutRange(s string) (first, last string, found bool) {
	for _, sign := range [...]string{"-", ".."} {
		if first, last, found = strings.Cut(s, sign); found {
			return strings.TrimRight(first, " "), strings.TrimLeft(last, " "), true
		}
	}
	return s, "", false
}

// parseBounds reads the two addresses of the range s.
func parseBounds(s, first, last string) (netipx.IPRange, error) {
	from, problem := readAddr(first)
	if problem != nil {
		return netipx.IPRange{}, problem.in(s, "", "-"+last, asRange)
	}
	to, problem := readAddr(last)
	if problem != nil {
		return netipx.IPRange{}, problem.in(s, first+"-", "", asRange)
	}
	switch {
	case from.BitLen() != to.BitLen():
		return netipx.IPRange{}, wrong(s, isMixed, "", asRange)
	case to.Less(from):
		return netipx.IPRange{}, wrong(s, isBackwards, last+"-"+first, asRange)
	}
	return netipx.IPRangeFrom(from, to), nil
}

// IsCanonical reports whether s is a prefix in the one form in which it
// compares as text: no host bits, the shortest IPv6 spelling in lower case
// (RFC 5952), no IPv4-mapped IPv6. Unlike [ParsePrefix] it accepts a length of 0.
func IsCanonical(s string) bool {
	p, err := netip.ParsePrefix(s)
	return err == nil && !p.Addr().Is4In6() && p.Masked().String() == s
}

// addrProblem is what is wrong with an address, before it is known in which
// text the address stands.
type addrProblem struct {
	what  string
	right string // the address as it should be, or ""
}

// in returns the problem as the error of text, in which the address stands
// between before and after, and which is read as what.
func (p *addrProblem) in(text, before, after string, what judge) *SyntaxError {
	if p.right == "" {
		return wrong(text, p.what, "", what)
	}
	return wrong(text, p.what, before+p.right+after, what)
}

// rightLength returns "/" and the length that the prefix should have when its
// address is as it should be: an IPv4-mapped one has 96 bits less then.
func (p *addrProblem) rightLength(length string) string {
	if n, err := strconv.Atoi(length); err == nil && p.what == isMapped {
		length = strconv.Itoa(n - 96)
	}
	return "/" + length
}

// leadingZeros finds the superfluous zeros in the numbers of an IPv4 address.
var leadingZeros = regexp.MustCompile(`\b0+([0-9])`)

// readAddr reads an address that carries nothing else.
func readAddr(s string) (netip.Addr, *addrProblem) {
	addr, err := netip.ParseAddr(s)
	if err != nil {
		right := leadingZeros.ReplaceAllString(s, "$1")
		if _, err := netip.ParseAddr(right); err == nil {
			return netip.Addr{}, &addrProblem{hasLeadingZeros, right}
		}
		return netip.Addr{}, &addrProblem{isNothing, ""}
	}
	if addr.Zone() != "" {
		return netip.Addr{}, &addrProblem{hasZone, addr.WithZone("").String()}
	}
	if addr.Is4In6() {
		return netip.Addr{}, &addrProblem{isMapped, addr.Unmap().String()}
	}
	return addr, nil
}

// judge is one of the parsers, of which only the verdict counts.
type judge func(string) error

func asPrefix(s string) error { _, err := ParsePrefix(s); return err }
func asAddr(s string) error   { _, err := ParseAddr(s); return err }
func asRange(s string) error  { _, err := ParseRange(s); return err }

// wrong returns the error for input. The candidate becomes the suggestion if
// it parses, and what its own error suggests if it does not: a text can have
// several things wrong with it. Each candidate has one of them less.
func wrong(input, problem, candidate string, accepts judge) *SyntaxError {
	e := &SyntaxError{Input: input, Problem: problem}
	if candidate == "" {
		return e
	}
	if err := accepts(candidate); err == nil {
		e.Suggestion = candidate
	} else if inner, ok := errors.AsType[*SyntaxError](err); ok {
		e.Suggestion = inner.Suggestion
	}
	return e
}

// FormatRange returns the shortest text that [ParseRange] reads as r: an
// address if r is only one, a prefix if it is exactly one, and otherwise both
// bounds with "-" between them.
func FormatRange(r netipx.IPRange) string {
	if r.From() == r.To() {
		return r.From().String()
	}
	if p, ok := r.Prefix(); ok && p.Bits() > 0 {
		return p.String()
	}
	return r.String()
}
