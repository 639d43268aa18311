// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A splice replaces a range of the text.
type splice struct {
	start, end int
	text       string
}

// An editor collects the splices that make a document what a change wants. The
// tree and the text are only read.
type editor struct {
	d        *document
	splices  []splice
	scopes   []scope // what must be parsed again to check the splices
	deferred bool    // some removals wait until additions are in the text
}

// A scope is one entry of a block mapping with all its lines: the smallest text
// around a splice that can be parsed alone.
type scope struct {
	begin, end int
	key, value *yaml.Node
	change     *change // of the value
}

// A place is where a value stands.
type place struct {
	holder holder
	after  int    // behind the colon or dash of its holder: where an empty value stands
	flow   bool   // inside brackets
	indent string // of the holder's key or dash, in block style
	inner  string // of members of a block that would stand here
	limit  int    // the value's lines end here
	scope  *scope // the entry around it; nil is the whole document
}

type holder uint8

const (
	heldByRoot holder = iota
	heldByKey
	heldByItem
)

// run collects the splices for the changes of a document.
func (e *editor) run(c *change) error {
	at := place{holder: heldByRoot, after: e.d.end, limit: e.d.end}
	if e.d.empty() {
		return e.fillDocument(c)
	}
	return e.value(e.d.root, c, at)
}

func (e *editor) fillDocument(c *change) error {
	if c.onlyRemoves() {
		return nil
	}
	v, err := c.build()
	if err != nil {
		return err
	}
	if e.d.root != nil && len(e.d.aliased) > 0 {
		return &UnsafeError{Line: 1, Reason: "the document holds an anchor and nothing else"}
	}
	e.addLines(e.d.end, e.d.style().block(v, ""), nil)
	return nil
}

// value brings a value to what the change wants.
func (e *editor) value(n *yaml.Node, c *change, at place) error {
	done, err := c.satisfied(n)
	if done || err != nil {
		return err
	}
	switch {
	case n.Kind == yaml.AliasNode:
		return e.refuse(c, n, "an alias (*%s) stands here: the value belongs to its anchor; write the value out, or own the field at the anchor", n.Value)
	case e.d.aliased[n]:
		return e.refuse(c, n, "aliases (*%s) repeat this value elsewhere, and the change would go there too; write it out there first", n.Anchor)
	case c.kind == setValue:
		return e.set(n, c, at)
	case c.children[0].last().Kind == InsideStep:
		return e.inside(n, c, at)
	case n.Kind == yaml.MappingNode:
		return e.mapping(n, c, at)
	case n.Kind == yaml.SequenceNode:
		return e.sequence(n, c, at)
	case n.ShortTag() == "!!null":
		v, err := c.build()
		if err != nil {
			return err
		}
		return e.rewrite(n, v, c, at)
	}
	return e.refuse(c, n, "%s", notAParent(n, c))
}

func notAParent(n *yaml.Node, c *change) string {
	want := "a mapping"
	if c.children[0].last().Kind == ItemStep {
		want = "a list"
	}
	text := n.Value
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	reason := fmt.Sprintf("%q stands where %s is needed", text, want)
	if strings.Contains(text, "${") || strings.Contains(text, "{{") {
		reason += "; it is filled in later, and what then stands there is not known here"
	} else if strings.Contains(text, "\n") {
		reason += `; to own a field inside this text, continue the path with "|"`
	}
	return reason
}

// set brings a value to another one, by as few changes as its kind allows.
func (e *editor) set(n *yaml.Node, c *change, at place) error {
	switch {
	case n.Kind == yaml.MappingNode && c.value.kind == mapKind:
		return e.mapping(n, changesOf(c, n), at)
	case n.Kind == yaml.SequenceNode && c.value.kind == listKind:
		return e.list(n, c, at)
	case n.Kind == yaml.ScalarNode && c.value.kind == scalarKind:
		return e.scalar(n, c, at)
	}
	return e.rewrite(n, c.value, c, at)
}

// keep refuses to take away a node that aliases elsewhere refer to.
func (e *editor) keep(n *yaml.Node, c *change) error {
	if e.d.aliased[n] {
		return e.refuse(c, n, "the anchor &%s, which would go, is used by aliases; write the value out there first", n.Anchor)
	}
	for _, child := range n.Content {
		if err := e.keep(child, c); err != nil {
			return err
		}
	}
	return nil
}

func (e *editor) refuse(c *change, n *yaml.Node, format string, args ...any) error {
	return &UnsafeError{Path: c.path, Line: n.Line, Reason: fmt.Sprintf(format, args...)}
}

// locate turns the failure to find a node's place into a refusal.
func (e *editor) locate(err error, c *change) error {
	if lost, ok := errors.AsType[errNotFound](err); ok {
		return &UnsafeError{Path: c.path, Line: lost.line, Reason: err.Error()}
	}
	return err
}

// splice notes a replacement. in is the scope to check it in.
func (e *editor) splice(start, end int, text string, in *scope) {
	if string(e.d.src[start:end]) == text {
		return
	}
	e.splices = append(e.splices, splice{start, end, text})
	if in == nil {
		in = &scope{begin: e.d.begin, end: e.d.end}
	}
	e.scopes = append(e.scopes, *in)
}

// addLines puts whole lines behind the line of a position.
func (e *editor) addLines(behind int, lines []string, in *scope) {
	eol := e.d.lineBreak()
	text := strings.Join(lines, eol)
	at := e.d.nextLine(behind)
	if at == e.d.end && !e.d.endsWithBreak() {
		e.splice(at, at, eol+text, in)
		return
	}
	e.splice(at, at, text+eol, in)
}

// deleteLines takes away the lines from that of one position to that of
// another. If the text ends without a line break it still does.
func (e *editor) deleteLines(from, to int, in *scope) {
	from, to = e.d.lineStart(from), e.d.nextLine(to)
	if to == e.d.end && !e.d.endsWithBreak() && from > e.d.begin {
		before := e.d.lineOf(from) - 1
		from = e.d.lineEnd(e.d.lines[before])
	}
	e.splice(from, to, "", in)
}

// endsWithBreak reports whether a new line can start at the document's end.
func (d *document) endsWithBreak() bool {
	last := len(d.lines) - 1
	if d.begin == d.end {
		return true
	}
	if d.end < len(d.src) {
		return true // a marker stands there
	}
	return d.lines[last] == d.end
}

// lineBreak returns the line break that the document uses.
func (d *document) lineBreak() string {
	first := bytes.IndexAny(d.src, "\r\n")
	if first >= 0 && d.src[first] == '\r' && first+1 < len(d.src) && d.src[first+1] == '\n' {
		return "\r\n"
	}
	return "\n"
}

// spliced returns the document's text with all splices done.
func (e *editor) spliced() ([]byte, error) {
	return apply(e.d, e.splices, e.d.begin, e.d.end)
}

// apply returns a range of a document's text with the splices in it done.
func apply(d *document, splices []splice, from, to int) ([]byte, error) {
	ordered, err := inOrder(splices)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(to - from + 256)
	pos := from
	for _, s := range ordered {
		if s.start < from || s.end > to {
			continue
		}
		out.Write(d.src[pos:s.start])
		out.WriteString(s.text)
		pos = s.end
	}
	out.Write(d.src[pos:to])
	return out.Bytes(), nil
}

// inOrder sorts splices by place and joins deletions that meet.
func inOrder(splices []splice) ([]splice, error) {
	sorted := slices.Clone(splices)
	slices.SortStableFunc(sorted, func(a, b splice) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end))
	})
	var joined []splice
	for _, s := range sorted {
		if n := len(joined); n > 0 && s.start < joined[n-1].end {
			if s.text != "" || joined[n-1].text != "" {
				return nil, &UnsafeError{Reason: "two changes meet in one place; own their common parent instead"}
			}
			joined[n-1].end = max(joined[n-1].end, s.end)
			continue
		}
		joined = append(joined, s)
	}
	return joined, nil
}
