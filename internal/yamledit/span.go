// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A span is where a node stands in the text. The parser tells only where a node
// starts; where it ends is found here, and whatever does not look as the parser
// described it is an error.
type span struct {
	start int // of its tag or anchor, if it has one, else of its content
	body  int // of its content
	end   int // behind the last byte of its content; of an empty value, body
}

// errNotFound tells that the text does not look as the parser described it.
type errNotFound struct{ line int }

func (e errNotFound) Error() string { return "this form of YAML is not understood here" }

// offset returns where the parser saw a node. It counts characters, not bytes.
func (d *document) offset(n *yaml.Node) (int, error) {
	if n.Line < 1 || n.Line > len(d.lines) {
		return 0, errNotFound{n.Line}
	}
	pos := d.lines[n.Line-1]
	for range n.Column - 1 {
		if pos >= d.end {
			return 0, errNotFound{n.Line}
		}
		_, size := utf8.DecodeRune(d.src[pos:d.end])
		pos += size
	}
	return pos, nil
}

// at returns the byte at a position, or 0 behind the document's end.
func (d *document) at(pos int) byte {
	if pos < 0 || pos >= d.end {
		return 0
	}
	return d.src[pos]
}

// isBreak reports whether a line ends at a position.
func (d *document) isBreak(pos int) bool {
	return pos >= d.end || breakAt(d.src[:d.end], pos) > 0
}

// lineStart returns where the line of a position starts.
func (d *document) lineStart(pos int) int { return d.lines[d.lineOf(pos)] }

// lineOf returns the number of a position's line in the document, from 0.
func (d *document) lineOf(pos int) int {
	low, high := 0, len(d.lines)
	for high-low > 1 {
		if mid := (low + high) / 2; d.lines[mid] <= pos {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// lineEnd returns where the line of a position ends, before its break.
func (d *document) lineEnd(pos int) int {
	for !d.isBreak(pos) {
		pos++
	}
	return pos
}

// nextLine returns where the line after that of a position starts, or the end.
func (d *document) nextLine(pos int) int {
	pos = d.lineEnd(pos)
	if pos < d.end {
		pos += breakAt(d.src, pos)
	}
	return pos
}

// startsLine reports whether only blanks stand before a position on its line.
func (d *document) startsLine(pos int) bool {
	return len(bytes.TrimLeft(d.src[d.lineStart(pos):pos], " \t")) == 0
}

// skipBlanks goes over blanks and tabs.
func (d *document) skipBlanks(pos int) int {
	for d.at(pos) == ' ' || d.at(pos) == '\t' {
		pos++
	}
	return pos
}

// skipTrivia goes over blanks, line breaks and comments.
func (d *document) skipTrivia(pos int) int {
	for pos < d.end {
		pos = d.skipBlanks(pos)
		switch {
		case pos >= d.end:
			return pos
		case d.src[pos] == '#' && d.commentMayStart(pos):
			pos = d.lineEnd(pos)
		case d.isBreak(pos):
			pos += breakAt(d.src, pos)
		default:
			return pos
		}
	}
	return pos
}

// commentMayStart reports whether a '#' at a position is a comment's.
func (d *document) commentMayStart(pos int) bool {
	if pos == d.lineStart(pos) {
		return true
	}
	switch d.at(pos - 1) {
	case ' ', '\t', ',', '[', '{', ']', '}', '"', '\'':
		return true
	}
	return false
}

// hasComment reports whether a comment stands in a range between values.
func (d *document) hasComment(from, to int) bool {
	for pos := from; pos < to; pos++ {
		if d.src[pos] == '#' && d.commentMayStart(pos) {
			return true
		}
	}
	return false
}

// skipProperties goes over a tag and an anchor and what separates them from the
// content. props is the end of the last of them.
func (d *document) skipProperties(pos int) (body, props int) {
	props = pos
	for d.at(pos) == '!' || d.at(pos) == '&' {
		for pos < d.end && !d.isBreak(pos) && d.src[pos] != ' ' && d.src[pos] != '\t' && !flowEnd(d.src[pos]) {
			pos++
		}
		props = pos
		pos = d.skipTrivia(pos)
	}
	return pos, props
}

func flowEnd(c byte) bool { return c == ',' || c == ']' || c == '}' }

// span finds a node's place. For an empty value, all three are where the parser
// saw it, or behind its tag and anchor.
func (d *document) span(n *yaml.Node) (span, error) {
	start, err := d.offset(n)
	if err != nil {
		return span{}, err
	}
	body, props := d.skipProperties(start)
	s := span{start: start, body: body}
	switch {
	case n.Kind == yaml.ScalarNode && n.Value == "" && n.Style&^yaml.TaggedStyle == 0:
		s.body, s.end = props, props
		return s, nil
	case n.Kind == yaml.AliasNode:
		s.end, err = d.expect(n, body, "*"+n.Value)
	case n.Kind == yaml.ScalarNode:
		s.end, err = d.scalarEnd(n, body)
	case braced(n, d):
		s.end, err = d.bracketEnd(n, body)
	default:
		s.end, err = d.blockEnd(n)
	}
	return s, err
}

// expect returns the end of a text that must stand at a position.
func (d *document) expect(n *yaml.Node, pos int, text string) (int, error) {
	if !bytes.HasPrefix(d.src[min(pos, d.end):d.end], []byte(text)) {
		return 0, errNotFound{n.Line}
	}
	return pos + len(text), nil
}

// braced reports whether a mapping or list stands in brackets. A single pair in
// a flow list, as in [a: 1], is a mapping without.
func braced(n *yaml.Node, d *document) bool {
	if n.Style&yaml.FlowStyle == 0 {
		return false
	}
	if n.Kind == yaml.SequenceNode || len(n.Content) == 0 {
		return true
	}
	own, err := d.offset(n)
	if err != nil {
		return false
	}
	body, _ := d.skipProperties(own)
	key, err := d.offset(n.Content[0])
	return err == nil && key > body && d.at(body) == '{'
}

func (d *document) scalarEnd(n *yaml.Node, body int) (int, error) {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return d.quotedEnd(n, body, '"')
	case n.Style&yaml.SingleQuotedStyle != 0:
		return d.quotedEnd(n, body, '\'')
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		b, err := d.block(n, body)
		return b.end, err
	}
	return d.plainEnd(n, body)
}

func (d *document) quotedEnd(n *yaml.Node, body int, quote byte) (int, error) {
	if d.at(body) != quote {
		return 0, errNotFound{n.Line}
	}
	for pos := body + 1; pos < d.end; pos++ {
		switch {
		case d.src[pos] == '\\' && quote == '"':
			pos++
		case d.src[pos] == quote && quote == '\'' && d.at(pos+1) == quote:
			pos++
		case d.src[pos] == quote:
			return pos + 1, nil
		}
	}
	return 0, errNotFound{n.Line}
}

// plainEnd follows the decoded value through the text: they are the same but
// for line breaks, which the parser folds.
func (d *document) plainEnd(n *yaml.Node, body int) (int, error) {
	pos, rest := body, n.Value
	for rest != "" {
		blanks := d.skipBlanks(pos)
		if blanks < d.end && d.isBreak(blanks) { // one break is a blank, more are one less
			for pos = blanks; pos < d.end && d.isBreak(pos); pos = d.skipBlanks(pos) {
				pos += breakAt(d.src, pos)
			}
			rest = strings.TrimLeft(rest, " \n\u2028\u2029")
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		if got, n := utf8.DecodeRune(d.src[pos:d.end]); got != r || n != size {
			break
		}
		pos, rest = pos+size, rest[size:]
	}
	if rest != "" || pos == body {
		return 0, errNotFound{n.Line}
	}
	return pos, nil
}

// A blockScalar is where the parts of a literal or folded scalar stand.
type blockScalar struct {
	header int  // behind the indicators: '|' or '>', chomping, indentation
	first  int  // number of the first content line in the document, from 0
	last   int  // number of the last content line that is not blank; first-1 if there is none
	end    int  // behind the last content; with '+', behind the blank lines too
	indent int  // of the content, in bytes
	keep   bool // '+': the blank lines at the end belong to the value
	strip  bool // '-': not even the last line break does
}

// block finds the parts of a literal or folded scalar. The content's
// indentation is that of its first line that is not blank, less the blanks that
// belong to the value.
func (d *document) block(n *yaml.Node, body int) (blockScalar, error) {
	if c := d.at(body); c != '|' && c != '>' {
		return blockScalar{}, errNotFound{n.Line}
	}
	b := blockScalar{header: body + 1, first: d.lineOf(body) + 1}
	for c := d.at(b.header); c == '+' || c == '-' || c >= '1' && c <= '9'; c = d.at(b.header) {
		b.keep, b.strip = b.keep || c == '+', b.strip || c == '-'
		b.header++
	}
	b.last, b.end = b.first-1, b.header
	value := strings.TrimLeft(n.Value, "\n\u2028\u2029")
	if strings.Trim(value, " \n") == "" {
		if value != "" {
			return b, errNotFound{n.Line} // blanks only: where its lines end is not worth knowing
		}
		return b, nil
	}
	first := b.first
	for first < len(d.lines) && d.blankLine(first) {
		first++
	}
	if first == len(d.lines) {
		return b, errNotFound{n.Line}
	}
	b.indent = d.blanksAt(first) - (len(value) - len(strings.TrimLeft(value, " ")))
	if b.indent < 0 {
		return b, errNotFound{n.Line}
	}
	for i := first; i < len(d.lines) && (d.blanksAt(i) >= b.indent || d.blankLine(i)); i++ {
		if !d.blankLine(i) || d.blanksAt(i) > b.indent {
			b.last = i
		}
	}
	b.end = d.lineEnd(d.lines[b.last])
	for i := b.last + 1; b.keep && i < len(d.lines) && d.lines[i] < d.end && d.blankLine(i); i++ {
		b.end = d.lineEnd(d.lines[i])
	}
	return b, nil
}

// blanksAt returns the number of blanks that a line starts with.
func (d *document) blanksAt(line int) int {
	pos := d.lines[line]
	for d.at(pos) == ' ' {
		pos++
	}
	return pos - d.lines[line]
}

// blankLine reports whether a line holds blanks only.
func (d *document) blankLine(line int) bool { return d.isBreak(d.lines[line] + d.blanksAt(line)) }

// blockEnd returns the end of a mapping or list without brackets: that of its
// last child.
func (d *document) blockEnd(n *yaml.Node) (int, error) {
	last := len(n.Content) - 1
	if last < 0 {
		return 0, errNotFound{n.Line}
	}
	if n.Kind == yaml.MappingNode {
		p, err := d.pair(n.Content[last-1], n.Content[last])
		return p.end, err
	}
	s, err := d.span(n.Content[last])
	return s.end, err
}

func (d *document) bracketEnd(n *yaml.Node, body int) (int, error) {
	end := body + 1
	last := len(n.Content) - 1
	if n.Kind == yaml.MappingNode && last > 0 {
		p, err := d.pair(n.Content[last-1], n.Content[last])
		if err != nil {
			return 0, err
		}
		end = p.end
	} else if last >= 0 {
		s, err := d.span(n.Content[last])
		if err != nil {
			return 0, err
		}
		end = s.end
	}
	if end = d.skipTrivia(end); d.at(end) == ',' {
		end = d.skipTrivia(end + 1)
	}
	if c := d.at(end); c != '}' && c != ']' {
		return 0, errNotFound{n.Line}
	}
	return end + 1, nil
}

// A pair is where a key of a mapping stands with its value.
type pair struct {
	key   span
	colon int // behind the colon; -1 for a key that stands alone in flow style
	value span
	end   int
}

// pair finds the place of a key and its value. Keys with the indicator '?' are
// not understood.
func (d *document) pair(key, val *yaml.Node) (pair, error) {
	k, err := d.span(key)
	if err != nil {
		return pair{}, err
	}
	p := pair{key: k, colon: -1, end: k.end}
	empty := val.Kind == yaml.ScalarNode && val.Value == "" && val.Style&^yaml.TaggedStyle == 0 && val.Anchor == ""
	colon := d.skipBlanks(k.end)
	if d.at(colon) != ':' {
		if empty && !d.explicit(k.start) {
			p.value = span{k.end, k.end, k.end}
			return p, nil
		}
		return pair{}, errNotFound{key.Line}
	}
	p.colon = colon + 1
	if p.value, err = d.span(val); err != nil && !empty {
		return pair{}, err
	}
	if empty && val.Style == 0 { // "!" alone is a tag that the parser does not tell
		if tag := d.skipBlanks(p.colon); d.at(tag) == '!' {
			return pair{}, errNotFound{val.Line}
		}
		p.value = span{p.colon, p.colon, p.colon}
	}
	p.end = p.value.end
	return p, nil
}

// explicit reports whether the indicator '?' stands before a key.
func (d *document) explicit(key int) bool {
	before := bytes.TrimRight(d.src[d.lineStart(key):key], " \t")
	return bytes.HasSuffix(before, []byte("?"))
}
