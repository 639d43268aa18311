// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"errors"
	"strings"

	"go.yaml.in/yaml/v3"
)

// inside goes on inside the YAML text that a scalar holds. In a literal block
// the splices of the text inside become splices of the text around it, so that
// its indentation, comments and blank lines stay; a quoted text is written anew
// if it was written in the plain way.
func (e *editor) inside(n *yaml.Node, c *change, at place) error {
	if len(c.children) != 1 {
		return c.mixed()
	}
	inner := c.children[0]
	if n.Kind != yaml.ScalarNode {
		return e.refuse(c, n, "%s stands here, and no text to go on inside", kindName(n))
	}
	if strings.TrimSpace(n.Value) == "" {
		v, err := inner.build()
		if err != nil {
			return err
		}
		return e.scalar(n, &change{path: c.path, kind: setValue, value: stringValue(plainStyle().document(v))}, at)
	}
	s, err := e.spanAt(n, at)
	if err != nil {
		return e.locate(err, c)
	}
	if err := e.keepTag(n, &change{path: c.path, kind: setValue, value: stringValue("")}, s); err != nil {
		return err
	}
	switch {
	case n.Style&yaml.LiteralStyle != 0:
		return e.insideLiteral(n, inner, s, at)
	case n.Style&yaml.FoldedStyle != 0:
		return e.refuse(c, n, "the text inside is folded (>), so that its lines are not those of the file; write it as a literal block (|)")
	}
	return e.insideQuoted(n, c, inner, s, at)
}

// nested makes the changes inside a text and returns the editor that did.
func nested(text []byte, n *yaml.Node, inner *change) (*editor, error) {
	f, err := parse(text)
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		return nil, &UnsafeError{Path: inner.path[:len(inner.path)-1], Line: textLine(n) + syntax.Line, Reason: "the text inside is not YAML: " + syntax.Reason}
	}
	if err != nil {
		return nil, err
	}
	d, err := f.choose(Selector{})
	if err != nil {
		return nil, &UnsafeError{Path: inner.path[:len(inner.path)-1], Line: n.Line, Reason: "the text inside: " + err.Error()}
	}
	e := &editor{d: d}
	if err := e.run(inner); err != nil {
		var unsafe *UnsafeError
		if errors.As(err, &unsafe) && unsafe.Line > 0 {
			unsafe.Line += d.line + textLine(n)
		}
		return nil, err
	}
	return e, nil
}

func (e *editor) insideQuoted(n *yaml.Node, c, inner *change, s span, at place) error {
	if scalarText(stringValue(n.Value), n.Style, at.flow) != string(e.d.src[s.body:s.end]) {
		return e.refuse(c, n, "the text inside is quoted in a way that would not come back the same; write it as a literal block (|)")
	}
	sub, err := nested([]byte(n.Value), n, inner)
	if err != nil {
		return err
	}
	next, err := apply(sub.d, sub.splices, 0, len(n.Value))
	if err != nil {
		return err
	}
	e.deferred = e.deferred || sub.deferred
	e.splice(s.body, s.end, scalarText(stringValue(string(next)), n.Style, at.flow), at.scope)
	return nil
}

// A window is the text inside a literal block, with where its lines stand in
// the text around it.
type window struct {
	d     *document
	block blockScalar
	text  []byte
	lines []int // offset in text of each line
}

func (d *document) window(b blockScalar) window {
	w := window{d: d, block: b}
	for i := b.first; i <= b.last; i++ {
		w.lines = append(w.lines, len(w.text))
		start, end := d.lines[i], d.lineEnd(d.lines[i])
		w.text = append(w.text, d.src[min(start+b.indent, end):end]...)
		if end < d.end && !(b.strip && i == b.last) {
			w.text = append(w.text, '\n')
		}
	}
	return w
}

// around returns where a position of the text inside stands in the text around
// it, before the indentation of its line or behind it.
func (w window) around(pos int, before bool) int {
	line := 0
	for line+1 < len(w.lines) && w.lines[line+1] <= pos {
		line++
	}
	if pos == len(w.text) && bytes.HasSuffix(w.text, []byte("\n")) {
		return w.d.nextLine(w.d.lines[w.block.last])
	}
	start := w.d.lines[w.block.first+line]
	if before && pos == w.lines[line] {
		return start
	}
	indent := min(w.block.indent, w.d.lineEnd(start)-start)
	return start + indent + pos - w.lines[line]
}

// startsLine reports whether a position of the text inside starts a line.
func (w window) startsLine(pos int) bool { return pos == 0 || w.text[pos-1] == '\n' }

func (e *editor) insideLiteral(n *yaml.Node, inner *change, s span, at place) error {
	b, err := e.d.block(n, s.body)
	if err != nil {
		return e.locate(err, inner)
	}
	w := e.d.window(b)
	sub, err := nested(w.text, n, inner)
	if err != nil {
		return err
	}
	ordered, err := inOrder(sub.splices)
	if err != nil {
		return err
	}
	e.deferred = e.deferred || sub.deferred
	indent, eol := strings.Repeat(" ", b.indent), e.d.lineBreak()
	for _, p := range ordered {
		whole := w.startsLine(p.start) && w.startsLine(p.end) && (p.text == "" || strings.HasSuffix(p.text, "\n"))
		lines := strings.Split(p.text, "\n")
		for i := range lines {
			if lines[i] != "" && (whole || i > 0) {
				lines[i] = indent + lines[i]
			}
		}
		if last := len(lines) - 1; !whole && last > 0 && lines[last] == "" {
			lines[last] = indent // the rest of a line follows
		}
		e.splice(w.around(p.start, whole), w.around(p.end, whole), strings.Join(lines, eol), at.scope)
	}
	return nil
}
