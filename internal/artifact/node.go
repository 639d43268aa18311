// SPDX-License-Identifier: MPL-2.0

package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Document is a YAML document of a file that is read for its facts.
type Document struct {
	Node

	Index                             int // among the documents that are not empty
	APIVersion, Kind, Namespace, Name string
}

// Node is a value of a document. The zero value stands for one that is not there,
// and so does everything below it: a reader asks for what it knows and gets
// nothing where the file says nothing.
type Node struct {
	yaml *yaml.Node
	path yamledit.Path
	line int // lines above the text that the node was parsed from
}

// templateMark takes the place of what a template tool fills in. It is a letter
// of the private use area, which no address holds.
const templateMark = "\uE000"

// ReadDocuments parses a file for reading. It is tolerant where the editor is not:
// template text is taken as a value that nobody knows yet.
func ReadDocuments(src []byte) ([]Document, error) {
	src = bytes.TrimPrefix(src, []byte("\xEF\xBB\xBF"))
	decoder := yaml.NewDecoder(bytes.NewReader(maskTemplates(src)))
	var out []Document
	for {
		var root yaml.Node
		err := decoder.Decode(&root)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, fmt.Errorf("this is no YAML: %w", err)
		}
		if len(root.Content) == 0 || root.Content[0].Tag == "!!null" {
			continue
		}
		d := Document{Node: Node{yaml: root.Content[0]}, Index: len(out)}
		d.APIVersion, d.Kind = d.Get("apiVersion").Text(), d.Get("kind").Text()
		d.Namespace, d.Name = d.Get("metadata", "namespace").Text(), d.Get("metadata", "name").Text()
		out = append(out, d)
	}
}

// maskTemplates replaces what a template tool fills in, and empties lines that
// hold nothing else, such as {{- if … }}. Lines stay where they are.
func maskTemplates(src []byte) []byte {
	if !bytes.Contains(src, []byte("{{")) && !bytes.Contains(src, []byte("{%")) {
		return src
	}
	template := regexp.MustCompile(`(?s)\{\{.*?\}\}|\{%.*?%\}`)
	masked := template.ReplaceAllFunc(src, func(found []byte) []byte {
		return append([]byte(templateMark), bytes.Repeat([]byte("\n"), bytes.Count(found, []byte("\n")))...)
	})
	lines := bytes.SplitAfter(masked, []byte("\n"))
	for i, line := range lines {
		rest := bytes.TrimSpace(bytes.ReplaceAll(line, []byte(templateMark), nil))
		if len(rest) == 0 && bytes.Contains(line, []byte(templateMark)) {
			lines[i] = []byte("\n")
		}
	}
	return bytes.Join(lines, nil)
}

// Exists reports whether the file states the value. A null states nothing.
func (n Node) Exists() bool { return n.yaml != nil && n.resolved().Tag != "!!null" }

func (n Node) resolved() *yaml.Node {
	if n.yaml.Kind == yaml.AliasNode {
		return n.yaml.Alias
	}
	return n.yaml
}

// IsAlias reports whether the value is that of an anchor elsewhere. Who goes down
// into everything must not follow it: aliases may go round in circles.
func (n Node) IsAlias() bool { return n.yaml != nil && n.yaml.Kind == yaml.AliasNode }

// Line is the line of the value in the file, from 1.
func (n Node) Line() int {
	if n.yaml == nil {
		return 0
	}
	return n.line + n.yaml.Line
}

// KeyPath is the path of the value in its document.
func (n Node) KeyPath() string { return n.path.String() }

// Path is the path of the value in its document.
func (n Node) Path() yamledit.Path { return n.path }

// Get goes down through keys of mappings. What a merge key supplies counts.
func (n Node) Get(keys ...string) Node {
	for _, key := range keys {
		n = n.get(key)
	}
	return n
}

func (n Node) get(key string) Node {
	if n.yaml == nil {
		return Node{}
	}
	value := member(n.resolved(), key, mergeDepth)
	if value == nil {
		return Node{}
	}
	return Node{yaml: value, path: n.path.With(yamledit.Key(key)), line: n.line}
}

// mergeDepth is how many merge keys are followed from one mapping to the next. A
// mapping may merge itself.
const mergeDepth = 8

// member finds a key of a mapping; of two equal ones the last counts, as it does
// for the consumers' parsers that take both.
func member(mapping *yaml.Node, key string, depth int) *yaml.Node {
	if mapping.Kind != yaml.MappingNode || depth == 0 {
		return nil
	}
	var found *yaml.Node
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key && mapping.Content[i].Kind == yaml.ScalarNode {
			found = mapping.Content[i+1]
		}
	}
	if found != nil {
		return found
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Tag == "!!merge" {
			if value := merged(mapping.Content[i+1], key, depth-1); value != nil {
				return value
			}
		}
	}
	return nil
}

// merged finds a key in what a merge key names: a mapping, or a list of them of
// which the first counts.
func merged(from *yaml.Node, key string, depth int) *yaml.Node {
	switch from.Kind {
	case yaml.AliasNode:
		return member(from.Alias, key, depth)
	case yaml.MappingNode:
		return member(from, key, depth)
	case yaml.SequenceNode:
		for _, one := range from.Content {
			if value := merged(one, key, depth); value != nil {
				return value
			}
		}
	}
	return nil
}

// Keys lists the keys of a mapping in their order.
func (n Node) Keys() []string {
	if n.yaml == nil || n.resolved().Kind != yaml.MappingNode {
		return nil
	}
	var out []string
	content := n.resolved().Content
	for i := 0; i+1 < len(content); i += 2 {
		if content[i].Tag != "!!merge" {
			out = append(out, content[i].Value)
		}
	}
	return out
}

// Items lists the elements of a list.
func (n Node) Items() []Node {
	if !n.IsList() {
		return nil
	}
	var out []Node
	for i, item := range n.resolved().Content {
		out = append(out, Node{yaml: item, path: n.path.With(yamledit.Item(i)), line: n.line})
	}
	return out
}

// IsList reports whether the value is a list.
func (n Node) IsList() bool { return n.yaml != nil && n.resolved().Kind == yaml.SequenceNode }

// Text is the text of a scalar, however it is written; empty for anything else.
func (n Node) Text() string {
	if n.yaml == nil || n.resolved().Kind != yaml.ScalarNode || n.resolved().Tag == "!!null" {
		return ""
	}
	return n.resolved().Value
}

// IsFalse reports whether the value is the boolean false, or its word in quotes.
func (n Node) IsFalse() bool { return strings.EqualFold(n.Text(), "false") }

// IsTrue reports whether the value is the boolean true, or its word in quotes.
func (n Node) IsTrue() bool { return strings.EqualFold(n.Text(), "true") }

// Unknown says why nobody can know the value from the file; it is empty for one
// that the file states.
func (n Node) Unknown() string {
	text := n.Text()
	switch {
	case strings.Contains(text, templateMark):
		return "a template fills it in"
	case strings.Contains(text, "${"):
		return "the variable " + text + " fills it in"
	case n.yaml != nil && (n.resolved().Tag == "!vault" || n.resolved().Tag == "!unsafe"):
		return "it is encrypted"
	}
	return ""
}

// Inside parses the YAML text that a scalar holds.
func (n Node) Inside() Node {
	text := n.Text()
	if strings.TrimSpace(text) == "" {
		return Node{}
	}
	var root yaml.Node
	if yaml.Unmarshal(maskTemplates([]byte(text)), &root) != nil || len(root.Content) == 0 {
		return Node{}
	}
	above := n.Line() - 1
	if style := n.resolved().Style; style == yaml.LiteralStyle || style == yaml.FoldedStyle {
		above = n.Line()
	}
	return Node{yaml: root.Content[0], path: n.path.With(yamledit.Inside()), line: above}
}
