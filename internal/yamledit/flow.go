// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A brackets is a mapping or list in flow style with the places of its members.
type brackets struct {
	open, close int // of the brackets themselves
	members     []span
	style       style
	scope       *scope
}

// flowEntries carries out the additions and removals of a flow mapping.
func (e *editor) flowEntries(n *yaml.Node, c *change, edit mappingEdit, pairs []pair, at place) error {
	if len(edit.keys)+len(edit.remove) == 0 {
		return nil
	}
	if !braced(n, e.d) {
		return e.refuse(c, n, "a single pair without braces stands here in a list; give it braces")
	}
	members := make([]span, len(pairs))
	for i, p := range pairs {
		if e.d.explicit(p.key.start) {
			return e.refuse(c, n.Content[2*i], "%s", errNotFound{})
		}
		members[i] = span{start: p.key.start, body: p.key.start, end: p.end}
	}
	b, err := e.brackets(n, members, at)
	if err != nil {
		return e.locate(err, c)
	}
	if len(edit.keys) == 0 {
		return e.removeMembers(b, n, c, edit.remove)
	}
	e.deferred = e.deferred || len(edit.remove) > 0
	var texts []string
	for i, key := range edit.keys {
		texts = append(texts, b.style.flowEntry(key, edit.values[i]))
	}
	e.addMembers(b, len(members), texts)
	return nil
}

// flowElements carries out the additions and removals of a flow list.
func (e *editor) flowElements(n *yaml.Node, c *change, edit listEdit, items []element, adds bool, at place) error {
	if !adds && len(edit.remove) == 0 {
		return nil
	}
	members := make([]span, len(items))
	for i, item := range items {
		members[i] = item.span
	}
	b, err := e.brackets(n, members, at)
	if err != nil {
		return e.locate(err, c)
	}
	if !adds {
		return e.removeMembers(b, n, c, edit.remove)
	}
	e.deferred = e.deferred || len(edit.remove) > 0
	for i := range len(items) + 1 {
		var texts []string
		for _, v := range edit.add[i] {
			texts = append(texts, b.style.flow(v.inOrderOf(n.Content)))
		}
		if len(texts) > 0 {
			e.addMembers(b, i, texts)
		}
	}
	return nil
}

func (e *editor) brackets(n *yaml.Node, members []span, at place) (brackets, error) {
	s, err := e.d.span(n)
	if err != nil {
		return brackets{}, err
	}
	b := brackets{open: s.body, close: s.end - 1, members: members, style: e.d.styleIn(n), scope: at.scope}
	if c := e.d.at(b.open); c != '{' && c != '[' {
		return b, errNotFound{n.Line}
	}
	if len(members) > 1 {
		between := string(e.d.src[members[0].end:members[1].start])
		b.style.tight = between == ","
	}
	return b, nil
}

// comma returns the position behind the comma that follows member i, or -1.
func (d *document) comma(b brackets, i int) int {
	if pos := d.skipTrivia(b.members[i].end); d.at(pos) == ',' {
		return pos + 1
	}
	return -1
}

// addMembers adds members before member i; at the number of members, at the
// end. A member that has its lines for itself gets neighbours that have too.
func (e *editor) addMembers(b brackets, i int, texts []string) {
	eol, comma := e.d.lineBreak(), b.style.comma()
	switch last := len(b.members) - 1; {
	case last < 0:
		e.fillBrackets(b, strings.Join(texts, comma))
	case i <= last && e.d.startsLine(b.members[i].start) && e.d.lineStart(b.members[i].start) > b.open:
		start := e.d.lineStart(b.members[i].start)
		indent := string(e.d.src[start:b.members[i].start])
		e.splice(start, start, indent+strings.Join(texts, ","+eol+indent)+","+eol, b.scope)
	case i <= last:
		e.splice(b.members[i].start, b.members[i].start, strings.Join(texts, comma)+comma, b.scope)
	case e.d.startsLine(b.members[last].start) && e.d.lineStart(b.members[last].start) > b.open:
		start := b.members[last].start
		indent := string(e.d.src[e.d.lineStart(start):start])
		e.addMemberLines(b, indent, texts)
	default:
		if pos := e.d.comma(b, last); pos > 0 {
			e.splice(pos, pos, comma[1:]+strings.Join(texts, comma)+",", b.scope)
			return
		}
		e.splice(b.members[last].end, b.members[last].end, comma+strings.Join(texts, comma), b.scope)
	}
}

// addMemberLines adds members on lines of their own behind the last one.
func (e *editor) addMemberLines(b brackets, indent string, texts []string) {
	eol := e.d.lineBreak()
	last := b.members[len(b.members)-1].end
	text := strings.Join(texts, ","+eol+indent)
	behind := last
	if pos := e.d.comma(b, len(b.members)-1); pos > 0 {
		text += ","
		behind = pos
	} else {
		e.splice(last, last, ",", b.scope)
	}
	if e.d.lineEnd(behind) < b.close { // behind a comment, if there is one
		behind = e.d.lineEnd(behind)
	}
	e.splice(behind, behind, eol+indent+text, b.scope)
}

// fillBrackets puts members into empty brackets; blanks inside stay on both
// sides.
func (e *editor) fillBrackets(b brackets, text string) {
	inside := string(e.d.src[b.open+1 : b.close])
	if strings.Trim(inside, " ") != "" { // line breaks or comments
		e.splice(b.open+1, b.open+1, text, b.scope)
		return
	}
	pad := ""
	if inside != "" {
		pad = " "
	}
	e.splice(b.open+1, b.close, pad+text+pad, b.scope)
}

// removeMembers takes members away, run by run of neighbours.
func (e *editor) removeMembers(b brackets, n *yaml.Node, c *change, remove map[int]bool) error {
	size := len(b.members)
	if len(remove) == size {
		return e.cut(b, n, c, b.open+1, b.close, b.members)
	}
	for first := 0; first < size; first++ {
		if !remove[first] {
			continue
		}
		last := first
		for last+1 < size && remove[last+1] {
			last++
		}
		if err := e.removeRun(b, n, c, first, last); err != nil {
			return err
		}
		first = last
	}
	return nil
}

// removeRun takes neighbouring members away, while others stay: with their
// lines, if they have them for themselves, else with the comma on one side.
func (e *editor) removeRun(b brackets, n *yaml.Node, c *change, first, last int) error {
	removed := b.members[first : last+1]
	switch {
	case e.ownLines(b, first, last):
		for i := first; i <= last; i++ {
			end := b.members[i].end
			if pos := e.d.comma(b, i); pos > 0 {
				end = pos
			}
			e.splice(e.d.lineStart(b.members[i].start), e.d.nextLine(end), "", b.scope)
		}
		if last == len(b.members)-1 && first > 0 && e.d.comma(b, last) < 0 {
			pos := e.d.comma(b, first-1)
			e.splice(pos-1, pos, "", b.scope)
		}
		return nil
	case first > 0:
		return e.cut(b, n, c, b.members[first-1].end, removed[len(removed)-1].end, removed)
	default:
		return e.cut(b, n, c, removed[0].start, b.members[last+1].start, removed)
	}
}

// ownLines reports whether nothing but comments stands on the lines of members
// beside them.
func (e *editor) ownLines(b brackets, first, last int) bool {
	for i := first; i <= last; i++ {
		m := b.members[i]
		if !e.d.startsLine(m.start) || e.d.lineStart(m.start) <= b.open {
			return false
		}
		end := m.end
		if pos := e.d.comma(b, i); pos > 0 {
			end = pos
		}
		end = e.d.skipBlanks(end)
		if !e.d.isBreak(end) && e.d.at(end) != '#' {
			return false
		}
	}
	return true
}

// cut takes a range away in which no comment may stand but within the members
// that go.
func (e *editor) cut(b brackets, n *yaml.Node, c *change, from, to int, removed []span) error {
	pos := from
	for _, m := range append(slices.Clip(removed), span{start: to, end: to}) {
		if m.start > pos && e.d.hasComment(pos, m.start) {
			return e.refuse(c, n, "comments stand within what would go; remove them first")
		}
		pos = max(pos, m.end)
	}
	e.splice(from, to, "", b.scope)
	return nil
}
