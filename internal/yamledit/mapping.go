// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// A mappingEdit is what a change means for the entries of a mapping. Entries
// are numbered as they stand.
type mappingEdit struct {
	inner  map[int]*change // changes of values
	remove map[int]bool
	keys   []string // entries to add, with their values
	values []value
}

// mapping brings the entries of a mapping to what the change wants.
func (e *editor) mapping(n *yaml.Node, c *change, at place) error {
	edit, err := e.sortEntries(n, c)
	if err != nil {
		return err
	}
	pairs, err := e.pairs(n, edit)
	if err != nil {
		return e.locate(err, c)
	}
	for i := range len(n.Content) / 2 {
		inner := edit.inner[i]
		if inner == nil {
			continue
		}
		if pairs[i].colon < 0 {
			return e.refuse(inner, n.Content[2*i], "the key stands alone in a flow mapping, without a value")
		}
		if err := e.value(n.Content[2*i+1], inner, e.placeOf(n, i, pairs, inner, at)); err != nil {
			return err
		}
	}
	if n.Style&yaml.FlowStyle != 0 {
		return e.flowEntries(n, c, edit, pairs, at)
	}
	switch {
	case len(edit.keys) > 0:
		e.deferred = e.deferred || len(edit.remove) > 0
		e.addEntries(n, edit, pairs, at)
	case len(edit.remove) == len(pairs) && len(pairs) > 0:
		return e.clearMapping(c, n, pairs, at)
	default:
		e.removeEntries(edit, pairs, at)
	}
	return nil
}

// sortEntries tells which entries a change touches, and refuses what it must
// not touch.
func (e *editor) sortEntries(n *yaml.Node, c *change) (mappingEdit, error) {
	edit := mappingEdit{inner: map[int]*change{}, remove: map[int]bool{}}
	for i := 0; i < len(n.Content) && n.Style&yaml.FlowStyle != 0; i += 2 {
		if n.Content[i].Kind != yaml.ScalarNode && n.Content[i].Kind != yaml.AliasNode {
			return edit, e.refuse(c, n, "braces within braces: this is text of a template, which is YAML only once it is filled in")
		}
	}
	for _, child := range c.children {
		if child.last().Kind != KeyStep {
			return edit, e.refuse(child, n, "a mapping stands here, not a list")
		}
		own, merged, err := ownKey(n, child.path)
		if err != nil {
			return edit, err
		}
		switch {
		case own >= 0 && child.kind == removeField:
			if err := e.replacedByMerge(merged, child); err != nil {
				return edit, err
			}
			if err := e.keep(n.Content[own], child); err != nil {
				return edit, err
			}
			if err := e.keep(n.Content[own+1], child); err != nil {
				return edit, err
			}
			edit.remove[own/2] = true
		case own >= 0:
			edit.inner[own/2] = child
		default:
			if err := e.addEntry(&edit, n, child, len(merged) > 0); err != nil {
				return edit, err
			}
		}
	}
	return edit, nil
}

// replacedByMerge refuses to remove a key that a merge key supplies as well: what it
// supplies would take its place.
func (e *editor) replacedByMerge(merged []*yaml.Node, child *change) error {
	for _, source := range mergeSources(merged) {
		supplied, err := keyed(source, child.path, maxMerges)
		if err != nil {
			return err
		}
		if supplied != nil {
			return e.refuse(child, supplied, "a merge key (<<) supplies this field from here as well, and would take its place; remove it here too")
		}
	}
	return nil
}

// addEntry notes a key that the mapping does not have itself.
func (e *editor) addEntry(edit *mappingEdit, n *yaml.Node, child *change, merges bool) error {
	if merges {
		supplied, err := keyed(n, child.path, maxMerges)
		if err != nil {
			return err
		}
		if supplied != nil {
			if done, err := child.satisfied(supplied); done || err != nil {
				return err
			}
			return e.refuse(child, supplied, "a merge key (<<) supplies this field from here; write it out below the merge key, or own it here")
		}
	}
	if child.onlyRemoves() {
		return nil
	}
	v, err := child.build()
	if err != nil {
		return err
	}
	edit.keys, edit.values = append(edit.keys, child.last().Key), append(edit.values, v)
	return nil
}

// pairs finds the places of the entries that an edit needs: in flow style, and
// where members go, all of them.
func (e *editor) pairs(n *yaml.Node, edit mappingEdit) ([]pair, error) {
	pairs := make([]pair, len(n.Content)/2)
	all := n.Style&yaml.FlowStyle != 0 || len(edit.remove) > 0
	for i := range pairs {
		needed := all || edit.inner[i] != nil || i == len(pairs)-1 && len(edit.keys) > 0
		if !needed {
			continue
		}
		p, err := e.d.pair(n.Content[2*i], n.Content[2*i+1])
		if err != nil {
			return nil, err
		}
		pairs[i] = p
	}
	return pairs, nil
}

// placeOf returns the place of the value of entry i.
func (e *editor) placeOf(n *yaml.Node, i int, pairs []pair, c *change, at place) place {
	p := pairs[i]
	inner := place{holder: heldByKey, after: p.colon, flow: at.flow || n.Style&yaml.FlowStyle != 0, limit: at.limit, scope: at.scope}
	if inner.flow {
		return inner
	}
	inner.indent = e.d.blanksUpTo(p.key.start)
	inner.inner = inner.indent + e.d.style().step
	if 2*i+2 < len(n.Content) {
		if next, err := e.d.offset(n.Content[2*i+2]); err == nil {
			inner.limit = e.d.lineStart(next)
		}
	}
	if e.d.startsLine(p.key.start) {
		inner.scope = &scope{begin: e.d.lineStart(p.key.start), end: inner.limit, key: n.Content[2*i], value: n.Content[2*i+1], change: c}
	}
	return inner
}

// blanksUpTo returns blanks as wide as what stands before a position.
func (d *document) blanksUpTo(pos int) string {
	return strings.Repeat(" ", pos-d.lineStart(pos))
}

// addEntries puts new entries behind the last one.
func (e *editor) addEntries(n *yaml.Node, edit mappingEdit, pairs []pair, at place) {
	first, err := e.d.offset(n.Content[0])
	if err != nil {
		first = pairs[len(pairs)-1].key.start
	}
	s := e.d.styleIn(n).before(e.d, pairs[len(pairs)-1].end)
	var lines []string
	for i, key := range edit.keys {
		lines = append(lines, s.entry(key, edit.values[i], e.d.blanksUpTo(first))...)
	}
	e.addLines(pairs[len(pairs)-1].end, lines, at.scope)
}

// removeEntries takes entries with their lines away, while others stay.
func (e *editor) removeEntries(edit mappingEdit, pairs []pair, at place) {
	for i, p := range pairs {
		if !edit.remove[i] {
			continue
		}
		if e.d.startsLine(p.key.start) {
			e.deleteLines(p.key.start, p.end, at.scope)
			continue
		}
		next := i + 1 // the first entry of a list element, behind the dash
		for next < len(pairs) && edit.remove[next] {
			next++
		}
		e.removeBehindDash(p.key.start, p.end, pairs[next].key.start, at)
	}
}

// removeBehindDash takes away what stands behind a dash. What follows takes its
// place, unless comments stand between that would have to go.
func (e *editor) removeBehindDash(start, end, next int, at place) {
	if !e.d.hasComment(e.d.lineEnd(end), next) {
		e.splice(start, next, "", at.scope)
		return
	}
	for start > 0 && e.d.src[start-1] == ' ' {
		start--
	}
	e.splice(start, e.d.lineEnd(end), "", at.scope)
}

// clearMapping takes the last entries away and leaves {}.
func (e *editor) clearMapping(c *change, n *yaml.Node, pairs []pair, at place) error {
	starts, ends := make([]int, len(pairs)), make([]int, len(pairs))
	for i, p := range pairs {
		starts[i], ends[i] = p.key.start, p.end
	}
	return e.clear(c, n, starts, ends, "{}", at)
}

// clear takes all members of a block away and leaves empty brackets: behind the
// key, or in the place of the first member.
func (e *editor) clear(c *change, n *yaml.Node, starts, ends []int, brackets string, at place) error {
	from := 0
	if at.holder == heldByKey && e.d.startsLine(starts[0]) {
		s, err := e.d.span(n)
		if err != nil {
			return e.locate(err, c)
		}
		e.putBehind(s, at, brackets)
	} else {
		if e.d.hasComment(e.d.lineEnd(starts[0]), e.d.lineEnd(ends[0])) && e.d.lineOf(starts[0]) != e.d.lineOf(ends[0]) {
			return e.refuse(c, n, "comments stand within what would go; remove them first")
		}
		e.splice(starts[0], ends[0], brackets, at.scope)
		from = 1
	}
	for i := from; i < len(starts); i++ {
		e.deleteLines(starts[i], ends[i], at.scope)
	}
	return nil
}

// putBehind writes a value on the line of its holder, behind a tag and anchor.
func (e *editor) putBehind(s span, at place, text string) {
	pos := at.after
	if s.start != s.body {
		_, pos = e.d.skipProperties(s.start)
	}
	e.splice(pos, pos, " "+text, at.scope)
}
