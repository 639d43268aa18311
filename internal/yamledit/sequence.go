// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A listEdit is what a change means for the elements of a list. Elements are
// numbered as they stand.
type listEdit struct {
	inner  map[int]*change // changes of elements
	remove map[int]bool
	add    map[int][]value // what comes before the element; at the length, behind the last
}

func newListEdit() listEdit {
	return listEdit{inner: map[int]*change{}, remove: map[int]bool{}, add: map[int][]value{}}
}

// sequence brings single elements of a list to what the change wants.
func (e *editor) sequence(n *yaml.Node, c *change, at place) error {
	edit := newListEdit()
	size := len(n.Content)
	end := size // where the next new element goes
	var sorted []*change
	for _, child := range c.children {
		if child.last().Kind != ItemStep {
			return e.refuse(child, n, "a list stands here, not a mapping")
		}
		sorted = append(sorted, child)
	}
	slices.SortFunc(sorted, func(a, b *change) int { return a.last().Index - b.last().Index })
	for _, child := range sorted {
		index := child.last().Index
		switch {
		case index < size && child.kind == removeField && !e.tailRemoved(c, index, size):
			return e.refuse(child, n.Content[index], "the elements behind it would take its place; own the whole list instead")
		case index < size && child.kind == removeField:
			if err := e.keep(n.Content[index], child); err != nil {
				return err
			}
			edit.remove[index] = true
		case index < size:
			edit.inner[index] = child
		case child.onlyRemoves():
		case index != end:
			return e.refuse(child, n, "the list has %d elements: a new one goes to index %d", size, size)
		default:
			v, err := child.build()
			if err != nil {
				return err
			}
			edit.add[size] = append(edit.add[size], v)
			end++
		}
	}
	return e.elements(n, c, edit, at)
}

// tailRemoved reports whether all elements from an index on are to go.
func (e *editor) tailRemoved(c *change, index, size int) bool {
	for i := index; i < size; i++ {
		if child := c.child(Item(i)); child == nil || child.kind != removeField {
			return false
		}
	}
	return true
}

// list brings a list to another one. What both have in common stays as it is.
func (e *editor) list(n *yaml.Node, c *change, at place) error {
	old := make([]string, len(n.Content))
	for i, item := range n.Content {
		have, err := nodeJSON(item)
		if err != nil {
			return e.refuse(c, item, "%s", err)
		}
		old[i] = have
	}
	next := make([]string, len(c.value.items))
	for i, item := range c.value.items {
		next[i] = item.json()
	}
	edit := newListEdit()
	i, j := 0, 0
	for _, same := range append(common(old, next), [2]int{len(old), len(next)}) {
		for ; i < same[0] && j < same[1]; i, j = i+1, j+1 { // one for the other: comments stay
			edit.inner[i] = &change{path: c.path.With(Item(i)), kind: setValue, value: c.value.items[j]}
		}
		for ; i < same[0]; i++ {
			if err := e.keep(n.Content[i], c); err != nil {
				return err
			}
			edit.remove[i] = true
		}
		edit.add[same[0]] = append(edit.add[same[0]], c.value.items[j:same[1]]...)
		i, j = same[0]+1, same[1]+1
	}
	return e.elements(n, c, edit, at)
}

// maxCompared bounds the table for the comparison of two lists; beyond it, only
// what is equal at both ends counts as common.
const maxCompared = 1 << 22

// common returns the pairs of indexes of a longest common subsequence.
func common(a, b []string) [][2]int {
	var pairs, tail [][2]int
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		pairs = append(pairs, [2]int{from, from})
		from++
	}
	m, n := len(a), len(b)
	for m > from && n > from && a[m-1] == b[n-1] {
		m, n = m-1, n-1
		tail = append(tail, [2]int{m, n})
	}
	slices.Reverse(tail)
	if (m-from)*(n-from) <= maxCompared {
		pairs = append(pairs, commonMiddle(a[:m], b[:n], from)...)
	}
	return append(pairs, tail...)
}

// commonMiddle compares two lists from an index on.
func commonMiddle(a, b []string, from int) [][2]int {
	rows, columns := len(a)-from, len(b)-from
	length := make([][]int32, rows+1) // of the longest common subsequence of what is left
	for i := range length {
		length[i] = make([]int32, columns+1)
	}
	for i := rows - 1; i >= 0; i-- {
		for j := columns - 1; j >= 0; j-- {
			if a[from+i] == b[from+j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var pairs [][2]int
	for i, j := 0, 0; i < rows && j < columns; {
		switch {
		case a[from+i] == b[from+j]:
			pairs = append(pairs, [2]int{from + i, from + j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}

// An element is where an element of a list stands; in flow style, dash is where
// it starts.
type element struct {
	dash int
	span span
}

// elements carries out an edit of a list.
func (e *editor) elements(n *yaml.Node, c *change, edit listEdit, at place) error {
	items, err := e.d.elements(n)
	if err != nil {
		return e.locate(err, c)
	}
	for i := range items {
		if inner := edit.inner[i]; inner != nil {
			if err := e.value(n.Content[i], inner, e.placeOfItem(n, i, items, at)); err != nil {
				return err
			}
		}
	}
	adds := 0
	for _, values := range edit.add {
		adds += len(values)
	}
	if n.Style&yaml.FlowStyle != 0 {
		return e.flowElements(n, c, edit, items, adds > 0, at)
	}
	switch {
	case adds > 0:
		e.deferred = e.deferred || len(edit.remove) > 0
		e.addElements(n, edit, items, at)
	case len(edit.remove) == len(items):
		starts, ends := make([]int, len(items)), make([]int, len(items))
		for i, item := range items {
			starts[i], ends[i] = item.dash, item.span.end
		}
		return e.clear(c, n, starts, ends, "[]", at)
	default:
		e.removeElements(edit, items, at)
	}
	return nil
}

// elements finds the places of a list's elements, dash by dash.
func (d *document) elements(n *yaml.Node) ([]element, error) {
	start, err := d.offset(n)
	if err != nil {
		return nil, err
	}
	pos, _ := d.skipProperties(start)
	flow := n.Style&yaml.FlowStyle != 0
	items := make([]element, len(n.Content))
	for i, c := range n.Content {
		if !flow {
			if pos = d.skipTrivia(pos); d.at(pos) != '-' {
				return nil, errNotFound{c.Line}
			}
		}
		s, err := d.itemSpan(c, pos, flow)
		if err != nil {
			return nil, err
		}
		items[i] = element{dash: pos, span: s}
		if flow {
			items[i].dash = s.start
		}
		pos = s.end
	}
	return items, nil
}

// itemSpan finds the place of an element behind its dash.
func (d *document) itemSpan(c *yaml.Node, dash int, flow bool) (span, error) {
	if !flow && c.Kind == yaml.ScalarNode && c.Value == "" && c.Style == 0 && c.Anchor == "" {
		if tag := d.skipBlanks(dash + 1); d.at(tag) == '!' { // "!" alone is a tag that the parser does not tell
			return span{}, errNotFound{c.Line}
		}
		return span{dash + 1, dash + 1, dash + 1}, nil
	}
	return d.span(c)
}

// placeOfItem returns the place of element i.
func (e *editor) placeOfItem(n *yaml.Node, i int, items []element, at place) place {
	item := items[i]
	inner := place{holder: heldByItem, after: item.dash + 1, flow: at.flow || n.Style&yaml.FlowStyle != 0, limit: at.limit, scope: at.scope}
	if inner.flow {
		return inner
	}
	inner.indent = e.d.blanksUpTo(item.dash)
	inner.inner = inner.indent + strings.Repeat(" ", len(e.d.dashText(item)))
	if i+1 < len(items) {
		inner.limit = e.d.lineStart(items[i+1].dash)
	}
	return inner
}

// dashText returns a dash with the blanks up to its element.
func (d *document) dashText(item element) string {
	text := string(d.src[item.dash:max(item.span.start, item.dash+1)])
	if len(text) < 2 || strings.Trim(text, " ") != "-" {
		return "- "
	}
	return text
}

// addElements puts new elements behind the one that they follow, or before the
// first one.
func (e *editor) addElements(n *yaml.Node, edit listEdit, items []element, at place) {
	s := e.d.styleIn(n)
	dash := e.d.dashText(items[0])
	indent := e.d.blanksUpTo(items[0].dash)
	for i := range len(items) + 1 {
		var lines []string
		if i > 0 {
			s = s.before(e.d, items[i-1].span.end)
		}
		for _, v := range edit.add[i] {
			lines = append(lines, s.item(v.inOrderOf(n.Content), indent+dash, indent)...)
		}
		switch {
		case len(lines) == 0:
		case i > 0:
			e.addLines(items[i-1].span.end, lines, at.scope)
		default: // before the first dash, where another may stand on the same line
			text := strings.Join(append(lines, indent), e.d.lineBreak())
			e.splice(items[0].dash, items[0].dash, text[len(indent):], at.scope)
		}
	}
}

// removeElements takes elements with their lines away, while others stay.
func (e *editor) removeElements(edit listEdit, items []element, at place) {
	for i, item := range items {
		if !edit.remove[i] {
			continue
		}
		if e.d.startsLine(item.dash) {
			e.deleteLines(item.dash, item.span.end, at.scope)
			continue
		}
		next := i + 1 // the first element of a list in a list, behind the outer dash
		for next < len(items) && edit.remove[next] {
			next++
		}
		e.removeBehindDash(item.dash, item.span.end, items[next].dash, at)
	}
}

// inOrderOf returns a mapping that has no order of its own with its keys in the
// order of the first mapping among its siblings.
func (v value) inOrderOf(siblings []*yaml.Node) value {
	first := slices.IndexFunc(siblings, func(n *yaml.Node) bool { return n.Kind == yaml.MappingNode })
	if !v.unordered || first < 0 {
		return v
	}
	ordered := value{kind: mapKind}
	take := func(key string) {
		if i := slices.Index(v.keys, key); i >= 0 && !slices.Contains(ordered.keys, key) {
			ordered.keys, ordered.items = append(ordered.keys, key), append(ordered.items, v.items[i])
		}
	}
	for i := 0; i < len(siblings[first].Content); i += 2 {
		take(siblings[first].Content[i].Value)
	}
	for _, key := range v.keys {
		take(key)
	}
	return ordered
}
