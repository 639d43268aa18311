// SPDX-License-Identifier: MPL-2.0

package site

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Step is one step on the way to an attribute: an attribute or block name, an
// index in a list, or a key of a map.
type Step struct {
	Name  string // attribute or block; empty for an index or a key
	Key   string // key of a map, if IsKey
	Index int    // index in a list, if neither a name nor a key
	IsKey bool
}

// Path leads to an attribute of a declaration, so that a problem can be shown on
// the very line that causes it. The zero value is the declaration as a whole.
type Path []Step

// At returns the path of a top-level attribute or block.
func At(name string) Path { return Path{{Name: name}} }

// Attribute returns the path of an attribute below p.
func (p Path) Attribute(name string) Path { return p.with(Step{Name: name}) }

// Index returns the path of the i-th element of the list at p.
func (p Path) Index(i int) Path { return p.with(Step{Index: i}) }

// Key returns the path of the element with this key in the map at p.
func (p Path) Key(key string) Path { return p.with(Step{Key: key, IsKey: true}) }

func (p Path) with(s Step) Path { return append(slices.Clip(p), s) }

// String writes the path as it would be written in a configuration language:
// network[0].cidrs[1], reserved["office"].
func (p Path) String() string {
	var b strings.Builder
	for _, s := range p {
		switch {
		case s.Name != "" && b.Len() > 0:
			b.WriteString("." + s.Name)
		case s.Name != "":
			b.WriteString(s.Name)
		case s.IsKey:
			b.WriteString("[" + strconv.Quote(s.Key) + "]")
		default:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		}
	}
	return b.String()
}

// Problem is something that makes it impossible to compute a plan, on the
// attribute that causes it.
type Problem struct {
	Path    Path
	Summary string // a few words in title case, the same for the same cause
	Detail  string // whole sentences: what was found, what was expected, what to do
}

// Problems collects everything that is wrong, so that one run reports all of it.
type Problems []Problem

// Add appends a problem; the detail is formatted.
func (ps *Problems) Add(path Path, summary, format string, args ...any) {
	*ps = append(*ps, Problem{Path: path, Summary: summary, Detail: fmt.Sprintf(format, args...)})
}

// Sorted returns the problems in the order of their paths, for stable output.
func (ps Problems) Sorted() Problems {
	out := slices.Clone(ps)
	slices.SortStableFunc(out, func(a, b Problem) int {
		return strings.Compare(a.Path.String(), b.Path.String())
	})
	return out
}

// String lists the problems one below the other, for tests and logs.
func (ps Problems) String() string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "%s: %s: %s\n", p.Path, p.Summary, p.Detail)
	}
	return b.String()
}
