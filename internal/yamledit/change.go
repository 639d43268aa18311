// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A change is what is to become true below one node: a value that must stand
// there, the node's absence, or changes of its children. The changes of all
// owned fields of a document form one tree, so that new siblings come together.
type change struct {
	path     Path
	kind     changeKind
	value    value     // of setValue
	children []*change // of changeChildren, in the order of the fields
}

type changeKind uint8

const (
	changeChildren changeKind = iota
	setValue
	removeField
)

// last returns the step from the parent to this change.
func (c *change) last() Step { return c.path[len(c.path)-1] }

// newChange joins the owned fields of one document.
func newChange(fields []Field) (*change, error) {
	root := &change{}
	for _, f := range fields {
		if err := root.add(f); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func (c *change) add(f Field) error {
	if len(f.Path) == 0 {
		return &UnsafeError{Reason: "an owned field needs a path; a whole document is not a field"}
	}
	if f.Path[len(f.Path)-1].Kind == InsideStep {
		return &UnsafeError{Path: f.Path, Reason: `a path cannot end with "|": name the field inside the text, or own the text itself`}
	}
	for i := range f.Path {
		if c.kind != changeChildren {
			return overlap(f.Path, c.path)
		}
		next := c.child(f.Path[i])
		if next == nil {
			next = &change{path: f.Path[: i+1 : i+1]}
			c.children = append(c.children, next)
		} else if i == len(f.Path)-1 {
			return overlap(f.Path, next.first().path)
		}
		c = next
	}
	if f.Value == nil {
		c.kind = removeField
		return nil
	}
	v, err := newValue(f.Value)
	if err != nil {
		return &UnsafeError{Path: f.Path, Reason: "its value cannot be written: " + err.Error()}
	}
	c.kind, c.value = setValue, v
	return nil
}

// first returns the first owned field of the change.
func (c *change) first() *change {
	for c.kind == changeChildren && len(c.children) > 0 {
		c = c.children[0]
	}
	return c
}

func overlap(a, b Path) error {
	if a.String() == b.String() {
		return &UnsafeError{Path: a, Reason: "the field is owned twice"}
	}
	return &UnsafeError{Path: a, Reason: fmt.Sprintf("the field overlaps with %s, which is owned too", b)}
}

func (c *change) child(s Step) *change {
	for _, child := range c.children {
		if child.last() == s {
			return child
		}
	}
	return nil
}

// onlyRemoves reports whether nothing is to stand below this change.
func (c *change) onlyRemoves() bool {
	for _, child := range c.children {
		if !child.onlyRemoves() {
			return false
		}
	}
	return c.kind != setValue
}

// build returns the value that a change makes where nothing stands yet.
func (c *change) build() (value, error) {
	if c.kind == setValue {
		return c.value, nil
	}
	var built value
	for i, child := range c.children {
		if child.onlyRemoves() {
			continue
		}
		v, err := child.build()
		if err != nil {
			return value{}, err
		}
		switch s := child.last(); s.Kind {
		case InsideStep:
			if len(c.children) > 1 {
				return value{}, c.mixed()
			}
			return stringValue(plainStyle().document(v)), nil
		case ItemStep:
			if built.kind == mapKind {
				return value{}, c.mixed()
			}
			if s.Index != len(built.items) {
				return value{}, &UnsafeError{Path: child.path, Reason: fmt.Sprintf("the list has %d elements: a new one goes to index %d", len(built.items), len(built.items))}
			}
			built.kind, built.items = listKind, append(built.items, v)
		default:
			if built.kind == listKind || i > 0 && c.children[0].last().Kind != KeyStep {
				return value{}, c.mixed()
			}
			built.kind = mapKind
			built.keys, built.items = append(built.keys, s.Key), append(built.items, v)
		}
	}
	return built, nil
}

func (c *change) mixed() error {
	return &UnsafeError{Path: c.path, Reason: "owned fields below it take it for a mapping, a list and a text at once"}
}

// document returns a value as the text of a document.
func (s style) document(v value) string {
	if v.empty() {
		return s.flow(v) + "\n"
	}
	var text strings.Builder
	for _, line := range s.block(v, "") {
		text.WriteString(line + "\n")
	}
	return text.String()
}

// changesOf returns the changes that turn a mapping into another, key by key.
func changesOf(c *change, n *yaml.Node) *change {
	all := &change{path: c.path}
	for i, key := range c.value.keys {
		all.children = append(all.children, &change{path: c.path.With(Key(key)), kind: setValue, value: c.value.items[i]})
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.ScalarNode && !isMerge(key) && all.child(Key(key.Value)) == nil {
			all.children = append(all.children, &change{path: c.path.With(Key(key.Value)), kind: removeField})
		}
	}
	return all
}

// satisfied reports whether a node already is as the change wants it, through
// aliases and merge keys, as the consumer of the text sees it.
func (c *change) satisfied(n *yaml.Node) (bool, error) {
	switch c.kind {
	case removeField:
		return false, nil
	case setValue:
		have, err := nodeJSON(n)
		if err != nil {
			return false, &UnsafeError{Path: c.path, Line: n.Line, Reason: err.Error()}
		}
		return have == c.value.json(), nil
	}
	for _, child := range c.children {
		got, err := lookUp(n, child.path)
		if err != nil {
			return false, err
		}
		ok := got == nil && child.onlyRemoves()
		if got != nil {
			if ok, err = child.satisfied(got); err != nil {
				return false, err
			}
		}
		if !ok {
			return false, nil
		}
	}
	return true, nil
}
