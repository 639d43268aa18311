// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Style tells how a value is written.
type Style uint8

// The ways to write a scalar, then those to write a mapping or list, then a
// reference to a value that stands elsewhere.
const (
	Plain Style = iota
	SingleQuoted
	DoubleQuoted
	Literal
	Folded
	Block
	Flow
	Alias
)

// String returns the style's name.
func (s Style) String() string {
	return [...]string{"plain", "single-quoted", "double-quoted", "literal", "folded", "block", "flow", "alias"}[s]
}

// A Value is what stands in a field. The zero value is a field that is absent.
type Value struct {
	Found  bool
	JSON   string // canonical JSON, as [JSON] writes it
	Line   int    // from 1; inside an embedded text, still that of the whole text
	Column int    // from 1, in characters; inside an embedded text, counted there
	Style  Style
}

// Get returns what stands at the paths of one document, in their order.
// Aliases and merge keys are followed: the value is what a consumer sees.
func Get(src []byte, sel Selector, paths ...Path) ([]Value, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	d, err := f.choose(sel)
	if err != nil {
		return nil, err
	}
	values := make([]Value, len(paths))
	var errs []error
	for i, path := range paths {
		if values[i], err = d.get(path); err != nil {
			errs = append(errs, err)
		}
	}
	return values, errors.Join(errs...)
}

func (d *document) get(path Path) (Value, error) {
	n := d.root
	for i := range path {
		if n == nil {
			return Value{}, nil
		}
		var err error
		if n, err = lookUp(n, path[:i+1]); err != nil {
			return Value{}, d.located(err)
		}
	}
	if n == nil || d.empty() {
		return Value{}, nil
	}
	have, err := nodeJSON(n)
	if err != nil {
		return Value{}, d.located(&UnsafeError{Path: path, Line: n.Line, Reason: err.Error()})
	}
	return Value{Found: true, JSON: have, Line: d.line + n.Line, Column: n.Column, Style: styleOf(n)}, nil
}

// located moves the line of an error from the document's count to the text's.
func (d *document) located(err error) error {
	var unsafe *UnsafeError
	if errors.As(err, &unsafe) && unsafe.Line > 0 {
		unsafe.Line += d.line
	}
	return err
}

// textLine returns how many lines stand above the text that a scalar holds.
func textLine(n *yaml.Node) int {
	if n = resolved(n); n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Line
	}
	return n.Line - 1
}

func styleOf(n *yaml.Node) Style {
	switch {
	case n.Kind == yaml.AliasNode:
		return Alias
	case n.Kind != yaml.ScalarNode && n.Style&yaml.FlowStyle != 0:
		return Flow
	case n.Kind != yaml.ScalarNode:
		return Block
	case n.Style&yaml.SingleQuotedStyle != 0:
		return SingleQuoted
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return DoubleQuoted
	case n.Style&yaml.LiteralStyle != 0:
		return Literal
	case n.Style&yaml.FoldedStyle != 0:
		return Folded
	}
	return Plain
}

// lookUp takes the last step of a path from the node before it. The result is
// nil where nothing stands.
func lookUp(n *yaml.Node, path Path) (*yaml.Node, error) {
	n = resolved(n)
	switch s := path[len(path)-1]; {
	case s.Kind == InsideStep:
		if n.Kind != yaml.ScalarNode {
			return nil, &UnsafeError{Path: path[:len(path)-1], Line: n.Line, Reason: "no text stands here to go on inside"}
		}
		return embeddedRoot(n, path)
	case s.Kind == KeyStep && n.Kind == yaml.MappingNode:
		return keyed(n, path, maxMerges)
	case s.Kind == ItemStep && n.Kind == yaml.SequenceNode && s.Index < len(n.Content):
		return n.Content[s.Index], nil
	}
	return nil, nil
}

// maxMerges bounds how deep merge keys may refer to mappings with merge keys:
// through aliases they can form a circle.
const maxMerges = 50

// keyed returns the value of a key, the mapping's own or one of a merge key.
func keyed(n *yaml.Node, path Path, depth int) (*yaml.Node, error) {
	own, merged, err := ownKey(n, path)
	if err != nil {
		return nil, err
	}
	if own >= 0 {
		return n.Content[own+1], nil
	}
	if depth == 0 {
		return nil, &UnsafeError{Path: path, Line: n.Line, Reason: "the merge keys of this mapping lead in a circle"}
	}
	for _, source := range mergeSources(merged) {
		if v, err := keyed(source, path, depth-1); v != nil || err != nil {
			return v, err
		}
	}
	return nil, nil
}

// ownKey returns the place of a key in the content of a mapping, or -1, and the
// values of its merge keys.
func ownKey(n *yaml.Node, path Path) (int, []*yaml.Node, error) {
	own := -1
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if isMerge(key) {
			merged = append(merged, n.Content[i+1])
			continue
		}
		if key.Kind != yaml.ScalarNode || key.Value != path[len(path)-1].Key {
			continue
		}
		if own >= 0 {
			return 0, nil, &UnsafeError{Path: path, Line: key.Line, Reason: fmt.Sprintf("the key stands there twice, first in line %d: which of the two counts depends on the reader; remove one", n.Content[own].Line)}
		}
		own = i
	}
	return own, merged, nil
}

// embeddedRoot parses the text that a scalar holds. The result is nil where the
// text is empty.
func embeddedRoot(n *yaml.Node, path Path) (*yaml.Node, error) {
	f, err := parseEmbedded(n, path)
	if err != nil {
		return nil, err
	}
	d, err := f.choose(Selector{})
	if err != nil {
		return nil, &UnsafeError{Path: path[:len(path)-1], Line: n.Line, Reason: "the text inside: " + err.Error()}
	}
	if d.empty() {
		return nil, nil
	}
	moveLines(d.root, textLine(n)+d.line)
	return d.root, nil
}

// moveLines makes the lines of a tree count in the text around it.
func moveLines(n *yaml.Node, by int) {
	n.Line += by
	for _, c := range n.Content {
		moveLines(c, by)
	}
}

func parseEmbedded(n *yaml.Node, path Path) (*file, error) {
	tag := n.ShortTag()
	if tag != "!!str" && (tag != "!!null" || n.Value != "") {
		return nil, &UnsafeError{Path: path[:len(path)-1], Line: n.Line, Reason: fmt.Sprintf("%s is no text to go on inside", strings.TrimSpace(n.Value))}
	}
	f, err := parse([]byte(n.Value))
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		return nil, &UnsafeError{Path: path[:len(path)-1], Line: textLine(n) + syntax.Line, Reason: "the text inside is not YAML: " + syntax.Reason}
	}
	return f, err
}
