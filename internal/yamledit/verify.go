// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// verify parses what the splices made of the document and compares it with what
// was there. To parse a large document again would double the cost of a change,
// so that only the entries of block mappings around the splices are parsed: an
// entry ends where a line is indented no deeper than its key, so what stands
// behind it cannot change what it means, nor the other way round. Aliases need
// the anchors above them, and then the whole document is parsed.
func (e *editor) verify(next []byte, c *change) error {
	if len(e.d.aliased) == 0 {
		done, err := e.verifyScopes()
		if done || err != nil {
			return err
		}
	}
	now, err := single(next)
	if err != nil {
		return broken(c, err)
	}
	return e.d.verifyWhole(now, c)
}

// verifyScopes checks each scope by itself. done is false if a scope is the
// whole document, or cannot be parsed alone.
func (e *editor) verifyScopes() (done bool, err error) {
	checked := map[int]bool{}
	for _, s := range e.scopes {
		if s.key == nil || s.begin == s.end {
			return false, nil
		}
		if checked[s.begin] || e.within(s) {
			continue
		}
		checked[s.begin] = true
		text, err := apply(e.d, e.splices, s.begin, s.end)
		if err != nil {
			return false, err
		}
		// A part that cannot be judged by itself is judged with the whole document.
		root := onlyEntry(text)
		if root == nil || !equalTrees(s.key, root.Content[0]) {
			return false, nil
		}
		if err := s.change.compare(s.value, root.Content[1]); err != nil {
			return false, failed(s.change, err)
		}
	}
	return true, nil
}

// within reports whether another scope holds this one.
func (e *editor) within(s scope) bool {
	for _, other := range e.scopes {
		if other.begin <= s.begin && s.end <= other.end && other.end-other.begin > s.end-s.begin {
			return true
		}
	}
	return false
}

// verifyWhole compares whole documents.
func (d *document) verifyWhole(now *document, c *change) error {
	if d.empty() {
		want, err := c.build()
		if err != nil {
			return err
		}
		if now.empty() {
			return failed(c, errors.New("nothing was written"))
		}
		if err := holds(now.root, want); err != nil {
			return failed(c, err)
		}
		return nil
	}
	if now.empty() {
		return failed(c, errors.New("nothing is left"))
	}
	if err := c.compare(d.root, now.root); err != nil {
		return failed(c, err)
	}
	return nil
}

func broken(c *change, err error) error {
	return &UnsafeError{Path: c.firstPath(), Reason: "the text would be no YAML any more; nothing was changed (" + err.Error() + ")"}
}

func failed(c *change, err error) error {
	return &UnsafeError{Path: c.firstPath(), Reason: "more than the owned fields would change; nothing was changed (" + err.Error() + ")"}
}

// firstPath returns the path of the change, or of the first below the root.
func (c *change) firstPath() Path {
	for len(c.path) == 0 && len(c.children) > 0 {
		c = c.children[0]
	}
	return c.path
}

// compare tells what differs between two trees beside what the change wants.
func (c *change) compare(old, now *yaml.Node) error {
	if done, err := c.satisfied(old); err == nil && done {
		return sameTree(old, now)
	}
	if old.Anchor != now.Anchor || old.Style&yaml.TaggedStyle != now.Style&yaml.TaggedStyle {
		return fmt.Errorf("line %d: an anchor or tag is lost", now.Line)
	}
	if c.kind == setValue {
		return holds(now, c.value)
	}
	switch {
	case c.children[0].last().Kind == InsideStep:
		return c.compareInside(old, now)
	case old.Kind == yaml.MappingNode && now.Kind == yaml.MappingNode:
		return c.compareMapping(old, now)
	case old.Kind == yaml.SequenceNode && now.Kind == yaml.SequenceNode:
		return c.compareList(old, now)
	}
	want, err := c.build()
	if err != nil {
		return err
	}
	return holds(now, want)
}

// holds tells why a node is not a value.
func holds(n *yaml.Node, want value) error {
	have, err := nodeJSON(n)
	if err != nil {
		return err
	}
	if have != want.json() {
		return fmt.Errorf("line %d: %s stands where %s should", n.Line, shortened(have), want)
	}
	return nil
}

func equalTrees(a, b *yaml.Node) bool { return sameTree(a, b) == nil }

// onlyEntry parses a text that is one key with its value, or returns nil.
func onlyEntry(text []byte) *yaml.Node {
	root, err := parseTree(text)
	if err != nil || root == nil || root.Kind != yaml.MappingNode || len(root.Content) != 2 {
		return nil
	}
	return root
}

func shortened(text string) string {
	if len(text) > 60 {
		return text[:57] + "…"
	}
	return text
}

func (c *change) compareMapping(old, now *yaml.Node) error {
	before, after := c.others(old), c.others(now)
	if len(before) != len(after) {
		return fmt.Errorf("line %d: the mapping has %d other keys instead of %d", now.Line, len(after)/2, len(before)/2)
	}
	for i := range before {
		if err := sameTree(before[i], after[i]); err != nil {
			return err
		}
	}
	for _, child := range c.children {
		was, _, err := ownKey(old, child.path)
		if err != nil {
			return err
		}
		is, _, err := ownKey(now, child.path)
		if err != nil {
			return err
		}
		switch {
		case is < 0 && !child.onlyRemoves() && was < 0:
			// A merge key may supply it; then it was so before.
			if done, err := c.satisfied(now); !done || err != nil {
				return fmt.Errorf("%s is missing", child.path)
			}
		case is < 0 && child.kind != removeField && was >= 0:
			return fmt.Errorf("%s is missing", child.path)
		case is < 0:
		case child.kind == removeField:
			return fmt.Errorf("%s is still there", child.path)
		case was >= 0:
			if err := sameTree(old.Content[was], now.Content[is]); err != nil {
				return err
			}
			if err := child.compare(old.Content[was+1], now.Content[is+1]); err != nil {
				return err
			}
		default:
			want, err := child.build()
			if err != nil {
				return err
			}
			if err := holds(now.Content[is+1], want); err != nil {
				return err
			}
		}
	}
	return nil
}

// others returns the keys and values of a mapping that no change is about.
func (c *change) others(n *yaml.Node) []*yaml.Node {
	var nodes []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind == yaml.ScalarNode && !isMerge(key) && c.child(Key(key.Value)) != nil {
			continue
		}
		nodes = append(nodes, key, n.Content[i+1])
	}
	return nodes
}

func (c *change) compareList(old, now *yaml.Node) error {
	size := len(old.Content)
	for i, n := range now.Content {
		child := c.child(Item(i))
		switch {
		case child == nil && i >= size:
			return fmt.Errorf("line %d: the list has an element more", n.Line)
		case child == nil:
			if err := sameTree(old.Content[i], n); err != nil {
				return err
			}
		case child.kind == removeField:
			return fmt.Errorf("%s is still there", child.path)
		case i < size:
			if err := child.compare(old.Content[i], n); err != nil {
				return err
			}
		default:
			want, err := child.build()
			if err != nil {
				return err
			}
			if err := holds(n, want); err != nil {
				return err
			}
		}
	}
	for i := len(now.Content); i < size; i++ {
		if child := c.child(Item(i)); child == nil || child.kind != removeField {
			return fmt.Errorf("line %d: the list has lost an element", now.Line)
		}
	}
	for _, child := range c.children {
		if i := child.last().Index; i >= len(now.Content) && !child.onlyRemoves() {
			return fmt.Errorf("%s is missing", child.path)
		}
	}
	return nil
}

func (c *change) compareInside(old, now *yaml.Node) error {
	inner := c.children[0]
	if now.Kind != yaml.ScalarNode || now.ShortTag() != "!!str" {
		return fmt.Errorf("line %d: the text is none any more", now.Line)
	}
	is, err := embeddedRoot(now, inner.path)
	if err != nil {
		return err
	}
	if strings.TrimSpace(old.Value) == "" {
		want, err := inner.build()
		if err != nil || is == nil {
			return errors.Join(err, errors.New("nothing was written inside"))
		}
		return holds(is, want)
	}
	if old.Style != now.Style {
		return fmt.Errorf("line %d: the text is written in another style", now.Line)
	}
	was, err := embeddedRoot(old, inner.path)
	if err != nil {
		return err
	}
	if was == nil || is == nil {
		want, err := inner.build()
		if err != nil || is == nil {
			return errors.Join(err, errors.New("nothing was written inside"))
		}
		return holds(is, want)
	}
	return inner.compare(was, is)
}

// sameTree tells what differs between two trees. Comments are not compared: the
// parser attaches them now here and now there, and their bytes are outside the
// splices or on lines that go.
func sameTree(a, b *yaml.Node) error {
	if a.Kind != b.Kind || a.Value != b.Value || a.Style != b.Style || a.Anchor != b.Anchor || a.Tag != b.Tag || len(a.Content) != len(b.Content) {
		return fmt.Errorf("line %d would be read as %s", b.Line, describe(b))
	}
	for i := range a.Content {
		if err := sameTree(a.Content[i], b.Content[i]); err != nil {
			return err
		}
	}
	return nil
}

func describe(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return shortened(fmt.Sprintf("%q", n.Value))
	}
	return kindName(n)
}
