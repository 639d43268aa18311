// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// habits counts how a document is written.
type habits struct {
	steps    [9]int // how often a mapping is indented by so many blanks
	indented int    // lists that stand deeper than their key
	flush    int    // lists that stand under their key
}

// style returns how most of the document is written.
func (d *document) style() style {
	s := plainStyle()
	if d.root == nil {
		return s
	}
	if d.habits == nil {
		d.habits = &habits{}
		d.habits.note(d.root)
	}
	best := 2
	for step, count := range d.habits.steps {
		if count > d.habits.steps[best] {
			best = step
		}
	}
	s.step = strings.Repeat(" ", best)
	s.listIndent = d.habits.indented >= d.habits.flush
	s.json = d.root.Kind == yaml.MappingNode && d.root.Style&yaml.FlowStyle != 0 && allQuotedKeys(d.root)
	return s
}

// before returns the style for text behind which the line of a position ends. A
// comment on the next line, if it is indented, would become part of a literal, and
// at the end of a text without a line break a literal could not end with one.
func (s style) before(d *document, pos int) style {
	s.oneLine = d.lineEnd(pos) == d.end
	for pos = d.nextLine(pos); pos < d.end; pos = d.nextLine(pos) {
		if first := d.skipBlanks(pos); !d.isBreak(first) {
			s.oneLine = d.src[first] == '#' && first > pos
			break
		}
	}
	return s
}

func (h *habits) note(n *yaml.Node) {
	block := n.Kind == yaml.MappingNode && n.Style&yaml.FlowStyle == 0
	for i, c := range n.Content {
		if block && i%2 == 1 && c.Style&(yaml.FlowStyle|yaml.TaggedStyle) == 0 && c.Anchor == "" {
			deeper := c.Column - n.Content[i-1].Column
			switch {
			case c.Kind == yaml.MappingNode && deeper > 0 && deeper < len(h.steps):
				h.steps[deeper]++
			case c.Kind == yaml.SequenceNode && deeper > 0:
				h.indented++
			case c.Kind == yaml.SequenceNode:
				h.flush++
			}
		}
		h.note(c)
	}
}

// styleIn returns how new members of a mapping or list are written: like their
// siblings where these agree, else like most of the document.
func (d *document) styleIn(n *yaml.Node) style {
	s := d.style()
	if n.Kind == yaml.MappingNode && len(n.Content) > 0 {
		s.json = n.Style&yaml.FlowStyle != 0 && allQuotedKeys(n)
	}
	var quoted [3]int // plain, single, double
	var flow, block int
	step := 1
	if n.Kind == yaml.MappingNode {
		step = 2
	}
	for i := step - 1; i < len(n.Content); i += step {
		switch c := n.Content[i]; {
		case c.Kind == yaml.SequenceNode && c.Style&yaml.FlowStyle == 0:
			block++
		case c.Kind == yaml.SequenceNode && len(c.Content) > 0:
			flow++
		case c.Kind != yaml.ScalarNode || c.ShortTag() != "!!str":
		case c.Style&yaml.SingleQuotedStyle != 0:
			quoted[1]++
		case c.Style&yaml.DoubleQuotedStyle != 0:
			quoted[2]++
		default:
			quoted[0]++
		}
	}
	s.flowLists = flow > 0 && block == 0
	enough := step // one quoted element of a list is a habit, of a mapping it takes two
	switch {
	case quoted[0]+quoted[1] == 0 && quoted[2] >= enough:
		s.quotes = yaml.DoubleQuotedStyle
	case quoted[0]+quoted[2] == 0 && quoted[1] >= enough:
		s.quotes = yaml.SingleQuotedStyle
	}
	return s
}

// allQuotedKeys reports whether a mapping is written as JSON is.
func allQuotedKeys(n *yaml.Node) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Style&yaml.DoubleQuotedStyle == 0 {
			return false
		}
	}
	return len(n.Content) > 0
}
