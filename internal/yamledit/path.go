// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A StepKind tells what a [Step] does.
type StepKind uint8

const (
	// KeyStep goes to the value of a key in a mapping.
	KeyStep StepKind = iota
	// ItemStep goes to an element of a list.
	ItemStep
	// InsideStep goes on inside the YAML text that a scalar holds.
	InsideStep
)

// A Step is one step of a [Path]. Make it with [Key], [Item] or [Inside].
type Step struct {
	Kind  StepKind
	Key   string // of a KeyStep
	Index int    // of an ItemStep, from 0
}

// Key returns the step to the value of a mapping's key.
func Key(key string) Step { return Step{Kind: KeyStep, Key: key} }

// Item returns the step to an element of a list, counted from 0.
func Item(index int) Step { return Step{Kind: ItemStep, Index: index} }

// Inside returns the step into the YAML text that a scalar holds, which is
// where a ConfigMap or Talos' inlineManifests keep theirs.
func Inside() Step { return Step{Kind: InsideStep} }

// A Path names one field of a document, from its root.
type Path []Step

// Keys returns the path that goes down through these keys of mappings.
func Keys(keys ...string) Path {
	p := make(Path, len(keys))
	for i, k := range keys {
		p[i] = Key(k)
	}
	return p
}

// String returns the canonical text of the path: [ParsePath] of it is the path
// again. Keys that are more than letters, digits, '-', '_' and '/' are quoted
// in brackets.
func (p Path) String() string {
	var b strings.Builder
	start := true // no step stands before: no dot is needed
	for _, s := range p {
		switch s.Kind {
		case ItemStep:
			fmt.Fprintf(&b, "[%d]", s.Index)
			start = false
		case InsideStep:
			b.WriteByte('|')
			start = true
		default:
			if !bareKey(s.Key) {
				b.WriteString("[" + strconv.Quote(s.Key) + "]")
			} else {
				if !start {
					b.WriteByte('.')
				}
				b.WriteString(s.Key)
			}
			start = false
		}
	}
	return b.String()
}

// With returns the path with steps appended, sharing nothing with p.
func (p Path) With(steps ...Step) Path {
	return append(slices.Clip(p), steps...)
}

// bareKey reports whether a key is written without quotes in a path.
func bareKey(key string) bool {
	for i := range len(key) {
		c := key[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && c != '_' && c != '-' && c != '/' {
			return false
		}
	}
	return key != ""
}

// ParsePath reads the text form of a path:
//
//	spec.values.ipam        keys of mappings
//	data["values.yaml"]     a key that holds special characters, as a Go string
//	spec.pools[0].cidr      an element of a list, counted from 0
//	spec.valuesContent|ipam a field of the YAML text that a scalar holds
//
// An unquoted key may hold anything but . [ ] | " and blanks.
func ParsePath(s string) (Path, error) {
	var p Path
	rest := s
	afterSeparator := true // at the start, and after '.' or '|'
	for rest != "" {
		switch c := rest[0]; {
		case c == '[':
			if strings.HasSuffix(s[:len(s)-len(rest)], ".") {
				return nil, pathError(s, rest, "a bracket follows a dot")
			}
			step, n, err := parseBracket(rest)
			if err != nil {
				return nil, pathError(s, rest, err.Error())
			}
			p, rest, afterSeparator = append(p, step), rest[n:], false
		case c == '.' || c == '|':
			if afterSeparator {
				return nil, pathError(s, rest, "a key is missing")
			}
			if c == '|' {
				p = append(p, Inside())
			}
			if rest = rest[1:]; rest == "" {
				return nil, pathError(s, rest, "a key is missing at the end")
			}
			afterSeparator = true
		default:
			if !afterSeparator {
				return nil, pathError(s, rest, `"." is missing`)
			}
			n := strings.IndexAny(rest, ".[]|\" \t\r\n")
			if n < 0 {
				n = len(rest)
			}
			if n == 0 {
				return nil, pathError(s, rest, `a key that holds this character is written ["…"]`)
			}
			p, rest, afterSeparator = append(p, Key(rest[:n])), rest[n:], false
		}
	}
	if len(p) == 0 {
		return nil, pathError(s, "", "it is empty")
	}
	return p, nil
}

// parseBracket reads ["key"] or [index] at the start of s and returns the
// length of what it read.
func parseBracket(s string) (Step, int, error) {
	if strings.HasPrefix(s, `["`) {
		quoted, err := strconv.QuotedPrefix(s[1:])
		if err != nil {
			return Step{}, 0, fmt.Errorf("a quoted key does not end")
		}
		key, err := strconv.Unquote(quoted)
		if err != nil {
			return Step{}, 0, fmt.Errorf("a quoted key holds a wrong escape")
		}
		end := 1 + len(quoted)
		if end >= len(s) || s[end] != ']' {
			return Step{}, 0, fmt.Errorf(`"]" is missing`)
		}
		return Key(key), end + 1, nil
	}
	digits, _, found := strings.Cut(s[1:], "]")
	if !found {
		return Step{}, 0, fmt.Errorf(`"]" is missing`)
	}
	index, err := strconv.ParseUint(digits, 10, 31)
	if err != nil || strconv.FormatUint(index, 10) != digits {
		return Step{}, 0, fmt.Errorf(`in brackets stands an index such as [0] or a quoted key such as ["a.b"]`)
	}
	return Item(int(index)), len(digits) + 2, nil
}

func pathError(path, rest, reason string) error {
	return fmt.Errorf("field path %q, character %d: %s", path, len(path)-len(rest)+1, reason)
}
