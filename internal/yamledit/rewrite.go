// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// scalar replaces a scalar by another one, in its style where it can be.
func (e *editor) scalar(n *yaml.Node, c *change, at place) error {
	s, err := e.spanAt(n, at)
	if err != nil {
		return e.locate(err, c)
	}
	if err := e.keepTag(n, c, s); err != nil {
		return err
	}
	v := c.value
	isText := v.tag == "!!str"
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return e.blockScalar(n, c, s, at)
	}
	lines := isText && strings.Contains(v.text, "\n") && literalSafe(v.text)
	if lines && !at.flow && n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 {
		return e.rewrite(n, v, c, at)
	}
	quotes := n.Style
	if !isText {
		quotes = 0
	}
	text := scalarText(v, quotes, at.flow)
	if s.body == s.end { // an empty value
		text = " " + text
	}
	e.splice(s.body, s.end, text, at.scope)
	return nil
}

// spanAt returns the place of a value; an empty one stands behind its holder.
func (e *editor) spanAt(n *yaml.Node, at place) (span, error) {
	if at.holder != heldByRoot && n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == "" {
		return span{at.after, at.after, at.after}, nil
	}
	return e.d.span(n)
}

// keepTag refuses a value that does not fit the tag that somebody wrote.
func (e *editor) keepTag(n *yaml.Node, c *change, s span) error {
	tagged := n.Style&yaml.TaggedStyle != 0
	tag := n.ShortTag()
	for pos := s.start; pos < s.body && !tagged; pos++ {
		if e.d.src[pos] == '!' && (pos == s.start || e.d.src[pos-1] == ' ') {
			tagged, tag = true, "!"
		}
	}
	want := map[valueKind]string{listKind: "!!seq", mapKind: "!!map", scalarKind: c.value.tag}[c.value.kind]
	if c.kind == changeChildren {
		want = ""
	}
	if tagged && tag != want {
		return e.refuse(c, n, "the tag %s stands before the value, and the new value is of another type; remove the tag first", tag)
	}
	return nil
}

// blockScalar replaces a literal or folded scalar.
func (e *editor) blockScalar(n *yaml.Node, c *change, s span, at place) error {
	b, err := e.d.block(n, s.body)
	if err != nil {
		return e.locate(err, c)
	}
	v := c.value
	if v.tag != "!!str" || !literalSafe(v.text) {
		quotes := yaml.Style(0)
		if v.tag == "!!str" {
			quotes = yaml.DoubleQuotedStyle
		}
		e.splice(s.body, b.header, scalarText(v, quotes, false), at.scope) // a comment on the line stays
		e.splice(e.d.lineEnd(s.body), b.bottom(e.d, s.body), "", at.scope)
		return nil
	}
	e.splice(s.body, b.header, newHeader(string(e.d.src[s.body:b.header]), v.text), at.scope)
	eol := e.d.lineBreak()
	if b.last < b.first {
		lines := indented(literalLines(v.text), at.indent+e.d.style().step)
		e.splice(e.d.lineEnd(s.body), e.d.lineEnd(s.body), eol+strings.Join(lines, eol), at.scope)
		return nil
	}
	lines := indented(literalLines(v.text), strings.Repeat(" ", b.indent))
	e.splice(e.d.lines[b.first], b.end, strings.Join(lines, eol), at.scope)
	return nil
}

// bottom returns where the lines of a block scalar end.
func (b blockScalar) bottom(d *document, body int) int {
	return max(b.end, d.lineEnd(body))
}

// newHeader adapts the indicators of a block scalar to its new text. A folded
// scalar stays one only while it has a single line.
func newHeader(old, text string) string {
	header := old
	if strings.Contains(strings.TrimSuffix(text, "\n"), "\n") {
		header = strings.Replace(header, ">", "|", 1)
	}
	if !strings.HasSuffix(text, "\n") {
		return strings.TrimRight(strings.ReplaceAll(header, "+", ""), "-") + "-"
	}
	return strings.ReplaceAll(header, "-", "")
}

// rewrite replaces a value by one of another kind.
func (e *editor) rewrite(n *yaml.Node, v value, c *change, at place) error {
	if err := e.keep(n, c); err != nil {
		return err
	}
	s, err := e.spanAt(n, at)
	if err != nil {
		return e.locate(err, c)
	}
	if n.Style&yaml.TaggedStyle != 0 || s.start != s.body && e.d.at(s.start) == '!' {
		return e.refuse(c, n, "the tag %s stands before the value, and the new value is of another type; remove the tag first", n.Tag)
	}
	if at.holder == heldByRoot {
		return e.refuse(c, n, "the document is %s and not a mapping", kindName(n))
	}
	block := n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle == 0
	flow := n.Kind != yaml.ScalarNode && !block
	st := e.d.style().before(e.d, s.end)
	if block && e.d.lineOf(s.body) > e.d.lineOf(at.after)+1 {
		st.oneLine = true // the lines between would become part of a literal
	}
	if at.flow || flow {
		text := st.flow(v)
		if s.body == s.end {
			text = " " + text
		}
		e.splice(s.body, s.end, text, at.scope)
		return nil
	}
	inline, below := st.parts(v, at.indent)
	if at.holder == heldByItem && v.kind != scalarKind && !v.empty() {
		below = st.block(v, at.inner)
		inline, below = below[0][len(at.inner):], below[1:]
	}
	e.replaceBlock(n, s, inline, below, block, at)
	return nil
}

// replaceBlock replaces a value in block style by text on the line of its
// holder and lines below.
func (e *editor) replaceBlock(n *yaml.Node, s span, inline string, below []string, block bool, at place) {
	d := e.d
	switch {
	case block && at.holder == heldByKey && d.startsLine(s.body):
		if inline != "" {
			e.putBehind(s, at, inline)
		}
		e.deleteLinesFor(s, below, at)
		return
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		header := s.body + 1
		for c := d.at(header); c == '+' || c == '-' || c >= '0' && c <= '9'; c = d.at(header) {
			header++
		}
		e.splice(e.blanksBefore(s.body, inline), header, inline, at.scope)
		if d.lineEnd(s.body) < s.end {
			e.splice(d.lineEnd(s.body), s.end, "", at.scope)
		}
		if len(below) > 0 {
			e.splice(s.end, s.end, d.lineBreak()+strings.Join(below, d.lineBreak()), at.scope)
		}
		return
	case s.body == s.end: // an empty value
		if inline != "" {
			e.splice(s.end, s.end, " "+inline, at.scope)
		}
	default:
		e.splice(e.blanksBefore(s.body, inline), s.end, inline, at.scope)
	}
	if len(below) > 0 {
		e.addLines(s.end, below, at.scope)
	}
}

// blanksBefore returns where to start a replacement by text: if it is empty,
// the blanks before it go too.
func (e *editor) blanksBefore(body int, text string) int {
	for text == "" && body > 0 && (e.d.src[body-1] == ' ' || e.d.src[body-1] == '\t') && !e.d.startsLine(body) {
		body--
	}
	return body
}

// deleteLinesFor replaces the lines of a block by others.
func (e *editor) deleteLinesFor(s span, below []string, at place) {
	if len(below) == 0 {
		e.deleteLines(s.body, s.end, at.scope)
		return
	}
	eol := e.d.lineBreak()
	e.splice(e.d.lineStart(s.body), e.d.lineEnd(s.end), strings.Join(below, eol), at.scope)
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	return fmt.Sprintf("the text %q", n.Value)
}
