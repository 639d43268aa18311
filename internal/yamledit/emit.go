// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A style is how new text is written, so that it looks like what is around it.
type style struct {
	step       string     // what a level of mappings is indented by
	listIndent bool       // dashes under a key stand deeper than the key
	flowLists  bool       // lists of scalars stand on one line
	quotes     yaml.Style // of strings that would need none
	json       bool       // flow style is JSON: keys and strings in double quotes
	tight      bool       // flow style has no blank behind ':' and ','
	oneLine    bool       // text of several lines is quoted
}

// plainStyle is how a fresh document is written.
func plainStyle() style { return style{step: "  ", listIndent: true} }

// Encode writes a fresh document in the plain block style that a person would
// use: two spaces, quotes only where a reader of YAML 1.1 or 1.2 needs them. It
// panics if a value has a type that [Entry] does not name, or if a key stands
// twice or is none: these are errors of the program, not of its input.
func Encode(doc Map) []byte {
	v, err := newValue(doc)
	if err != nil {
		panic("yamledit: Encode: " + err.Error())
	}
	if v.empty() {
		return []byte("{}\n")
	}
	return []byte(strings.Join(plainStyle().block(v, ""), "\n") + "\n")
}

// block returns the lines of a list or mapping with members, each indented.
func (s style) block(v value, indent string) []string {
	var lines []string
	for i, item := range v.items {
		if v.kind == listKind {
			lines = append(lines, s.item(item, indent+"- ", indent)...)
		} else {
			lines = append(lines, s.entry(v.keys[i], item, indent)...)
		}
	}
	return lines
}

// entry returns the lines of a key with its value.
func (s style) entry(key string, v value, indent string) []string {
	start := indent + scalarText(stringValue(key), 0, false) + ":"
	inline, below := s.parts(v, indent)
	if inline != "" {
		start += " " + inline
	}
	return append([]string{start}, below...)
}

// parts returns a value under a key in two parts: what stands on the line of
// the key, and the lines below it.
func (s style) parts(v value, indent string) (inline string, below []string) {
	switch {
	case v.empty() || v.kind == listKind && s.flowLists && allScalars(v):
		return s.flow(v), nil
	case v.kind == listKind && !s.listIndent:
		return "", s.block(v, indent)
	case v.kind != scalarKind:
		return "", s.block(v, indent+s.step)
	}
	return s.scalar(v, indent)
}

// scalar returns a scalar in block style; text of several lines is a literal.
func (s style) scalar(v value, indent string) (inline string, below []string) {
	if s.oneLine || v.tag != "!!str" || !strings.Contains(v.text, "\n") || !literalSafe(v.text) {
		return scalarText(v, s.quotes, false), nil
	}
	return literalHeader(v.text), indented(literalLines(v.text), indent+s.step)
}

// indented puts an indentation before each line that is not empty.
func indented(lines []string, indent string) []string {
	result := make([]string, len(lines))
	for i, line := range lines {
		if line != "" {
			line = indent + line
		}
		result[i] = line
	}
	return result
}

// item returns the lines of a list element. dash is the text up to where the
// element starts, indent that up to the dash.
func (s style) item(v value, dash, indent string) []string {
	if v.kind == scalarKind || v.empty() {
		inline, below := s.parts(v, indent)
		return append([]string{dash + inline}, below...)
	}
	inner := indent + strings.Repeat(" ", len(dash)-len(indent))
	lines := s.block(v, inner)
	lines[0] = dash + lines[0][len(inner):]
	return lines
}

func allScalars(v value) bool {
	for _, item := range v.items {
		if item.kind != scalarKind {
			return false
		}
	}
	return true
}

// flow returns a value on one line in flow style.
func (s style) flow(v value) string {
	if v.kind == scalarKind {
		quotes := s.quotes
		if s.json {
			quotes = yaml.DoubleQuotedStyle
		}
		return scalarText(v, quotes, true)
	}
	parts := make([]string, len(v.items))
	for i, item := range v.items {
		if v.kind == mapKind {
			parts[i] = s.flowEntry(v.keys[i], item)
		} else {
			parts[i] = s.flow(item)
		}
	}
	if v.kind == mapKind {
		return "{" + strings.Join(parts, s.comma()) + "}"
	}
	return "[" + strings.Join(parts, s.comma()) + "]"
}

func (s style) flowEntry(key string, v value) string {
	quotes := yaml.Style(0)
	if s.json {
		quotes = yaml.DoubleQuotedStyle
	}
	colon := ": "
	if s.tight && s.json {
		colon = ":"
	}
	return scalarText(stringValue(key), quotes, true) + colon + s.flow(v)
}

func (s style) comma() string {
	if s.tight {
		return ","
	}
	return ", "
}

// String is for the text of errors.
func (v value) String() string {
	text := v.json()
	if len(text) > 60 {
		return fmt.Sprintf("%s… (%d bytes)", text[:57], len(text))
	}
	return text
}
