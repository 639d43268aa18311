// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A file is a text with its documents. Documents are parsed one by one, so that
// positions, anchors and checks concern one document only. There is always at
// least one document, though it may be empty.
type file struct {
	src   []byte
	lines []int // offset of each line's start
	docs  []*document
}

// A document is one document of a text: the bytes from what precedes its start
// marker to just before the marker that ends it.
type document struct {
	src   []byte // the whole text, in which all offsets count
	lines []int  // offset of the start of each line of the document
	begin int
	end   int
	line  int // number of lines before the document
	root  *yaml.Node

	aliased map[*yaml.Node]bool // anchored nodes that an alias refers to
	habits  *habits             // see [document.style]
}

const byteOrderMark = "\xef\xbb\xbf"

// parse finds and parses the documents of a text.
func parse(src []byte) (*file, error) {
	if !utf8.Valid(src) {
		return nil, &SyntaxError{Line: 1, Reason: "it is not UTF-8 text"}
	}
	if bytes.HasPrefix(src, []byte(byteOrderMark+byteOrderMark)) {
		return nil, &SyntaxError{Line: 1, Reason: "it starts with two byte order marks, of which YAML readers take one"}
	}
	f := &file{src: src, lines: lineStarts(src)}
	for _, p := range split(src, f.lines) {
		d := &document{src: src, lines: f.lines[p.firstLine:p.endLine], line: p.firstLine, begin: f.lines[p.firstLine], end: len(src)}
		if p.endLine < len(f.lines) {
			d.end = f.lines[p.endLine]
		}
		if p.content {
			if err := d.parse(); err != nil {
				return nil, err
			}
		}
		f.docs = append(f.docs, d)
	}
	return f, nil
}

func (d *document) parse() error {
	root, err := parseTree(d.src[d.begin:d.end])
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		syntax.Line += d.line
		if hint := templateLine(d.src[d.begin:d.end]); hint > 0 {
			syntax.Reason += fmt.Sprintf("; line %d holds text of a template, and a template is YAML only once it is filled in", hint+d.line)
		}
	}
	if err != nil {
		return err
	}
	d.root, d.aliased = root, map[*yaml.Node]bool{}
	noteAliased(root, d.aliased)
	return nil
}

// noteAliased collects the nodes that aliases in a tree refer to.
func noteAliased(n *yaml.Node, into map[*yaml.Node]bool) {
	if n == nil {
		return
	}
	if n.Kind == yaml.AliasNode {
		into[n.Alias] = true
	}
	for _, c := range n.Content {
		noteAliased(c, into)
	}
}

// empty reports whether the document holds nothing, not even a written null.
func (d *document) empty() bool {
	return d.root == nil || d.root.Kind == yaml.ScalarNode && d.root.ShortTag() == "!!null" &&
		d.root.Value == "" && d.root.Anchor == "" && d.root.Style == 0
}

var parserLine = regexp.MustCompile(`^line (\d+): `)

// parseTree parses the text of exactly one document and returns its root, which
// is nil where the text holds comments only.
func parseTree(text []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(withoutVersion(text)))
	var doc, more yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		if err = dec.Decode(&more); errors.Is(err, io.EOF) {
			return doc.Content[0], nil
		}
		if err == nil {
			return nil, &SyntaxError{Line: more.Line, Reason: "a second document starts here without a marker"}
		}
	}
	reason := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := parserLine.FindStringSubmatch(reason); m != nil {
		reason = reason[len(m[0]):]
		line, _ = strconv.Atoi(m[1]) // digits by the expression
	}
	return nil, &SyntaxError{Line: line, Reason: reason}
}

var versionDirective = regexp.MustCompile(`(?m)^%YAML[ \t]`)

// withoutVersion makes a %YAML directive a comment of the same length. The
// parser knows 1.1 only and reads a text of 1.2 well if it is not told.
func withoutVersion(text []byte) []byte {
	before, _, ok := bytes.Cut(text, []byte("---"))
	if !ok || !bytes.Contains(before, []byte("%YAML")) {
		return text
	}
	changed := bytes.Clone(text)
	for _, at := range versionDirective.FindAllIndex(before, -1) {
		changed[at[0]] = '#'
	}
	return changed
}

var templateText = regexp.MustCompile(`\{\{|\{%|<%`)

// templateLine returns the first line, from 1, that holds an action of Go's,
// Jinja's or ERB's templates, or 0.
func templateLine(text []byte) int {
	at := templateText.FindIndex(text)
	if at == nil {
		return 0
	}
	return 1 + bytes.Count(text[:at[0]], []byte("\n"))
}

// breakAt returns the length of the line break at src[i:], or 0. Like the
// parser, it takes the breaks of YAML 1.1, which are more than "\n".
func breakAt(src []byte, i int) int {
	switch src[i] {
	case '\n':
		return 1
	case '\r':
		if i+1 < len(src) && src[i+1] == '\n' {
			return 2
		}
		return 1
	case 0xC2: // next line, U+0085
		if i+1 < len(src) && src[i+1] == 0x85 {
			return 2
		}
	case 0xE2: // line and paragraph separators, U+2028 and U+2029
		if i+2 < len(src) && src[i+1] == 0x80 && (src[i+2] == 0xA8 || src[i+2] == 0xA9) {
			return 3
		}
	}
	return 0
}

// lineStarts returns the offset of each line's start. A byte order mark is not
// part of the first line. What follows the last break is a line, even if empty.
func lineStarts(src []byte) []int {
	starts := make([]int, 1, 1+len(src)/24)
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		starts[0] = len(byteOrderMark)
	}
	for i := 0; i < len(src); {
		if c := src[i]; c != '\n' && c != '\r' && c != 0xC2 && c != 0xE2 {
			i++
			continue
		}
		n := breakAt(src, i)
		if n == 0 {
			i++
			continue
		}
		i += n
		starts = append(starts, i)
	}
	return starts
}

// A part is the range of lines of one document.
type part struct {
	firstLine, endLine int
	content            bool // it has content or a start marker
}

// split finds the documents by their markers, which the syntax allows nowhere
// else at the start of a line. A line "..." belongs to no document, nor do
// comments behind the last one.
func split(src []byte, lines []int) []part {
	var parts []part
	var current part
	closeAt := func(line, next int) {
		if current.endLine = line; current.content {
			parts = append(parts, current)
		}
		current = part{firstLine: next}
	}
	for i, start := range lines {
		end := len(src)
		if i+1 < len(lines) {
			end = lines[i+1]
		}
		switch line := src[start:end]; {
		case isMarker(line, "---"):
			if current.content {
				closeAt(i, i)
			}
			current.content = true
		case isMarker(line, "...") && i+1 < len(lines):
			closeAt(i, i+1)
		case !current.content:
			current.content = !isPreamble(line)
		}
	}
	if current.content || len(parts) == 0 {
		current.endLine = len(lines)
		parts = append(parts, current)
	}
	return parts
}

// isMarker reports whether a line starts with a document marker.
func isMarker(line []byte, marker string) bool {
	if !bytes.HasPrefix(line, []byte(marker)) {
		return false
	}
	return len(line) == 3 || line[3] == ' ' || line[3] == '\t' || breakAt(line, 3) > 0
}

// isPreamble reports whether a line may stand before a document's content: a
// comment, a directive, or nothing.
func isPreamble(line []byte) bool {
	if bytes.HasPrefix(line, []byte("%")) {
		return true
	}
	line = bytes.TrimLeft(line, " \t")
	return len(line) == 0 || line[0] == '#' || breakAt(line, 0) > 0
}
