// SPDX-License-Identifier: MPL-2.0

// Package textblock keeps a marked block in any text file: the lines between two
// comments, and nothing else of the file.
//
//	# BEGIN cidrplan trusted
//	trusted_proxies 10.244.0.0/16
//	# END cidrplan trusted
//
// The package is pure. Line ends of the file are kept, and so is a missing one at
// its end; the lines of the block are indented as its first marker is.
package textblock

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// Block says which block is meant, and where a new one goes.
type Block struct {
	Name       string // tells several blocks of one file apart
	Comment    string // what starts a comment, such as "#" or "<!--"
	CommentEnd string // what ends a comment, such as "-->"; empty where the line does

	// After and Before are the line that a new block goes behind or in front of,
	// without the blanks around it. Without either it goes to the end of the file.
	After, Before string
}

// ErrNoBlock means that the file holds no such block.
var ErrNoBlock = errors.New("there is no such block")

// Error says why a block cannot be read or set safely.
type Error struct {
	Line   int // from 1; 0 for the file as a whole
	Reason string
}

// Error returns the line and the reason.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

func (b Block) begin() string { return b.marker("BEGIN") }
func (b Block) end() string   { return b.marker("END") }

func (b Block) marker(word string) string {
	text := b.Comment + " " + word + " cidrplan " + b.Name
	if b.CommentEnd != "" {
		text += " " + b.CommentEnd
	}
	return text
}

// Get returns the lines of the block, joined by "\n", each with a line end, and
// without the block's indentation. It fails with [ErrNoBlock] or an [*Error].
func (b Block) Get(src []byte) (string, error) {
	lines := split(src)
	from, to, err := b.find(lines)
	if err != nil {
		return "", err
	}
	indent := indentation(lines[from].text)
	var out strings.Builder
	for _, l := range lines[from+1 : to] {
		out.WriteString(strings.TrimPrefix(l.text, indent) + "\n")
	}
	return out.String(), nil
}

// Set returns the text with this content in the block, and every byte outside it as
// it was. A block that is not there is added.
func (b Block) Set(src []byte, content string) ([]byte, error) {
	wanted, err := b.contentLines(content)
	if err != nil {
		return nil, err
	}
	lines := split(src)
	from, to, err := b.find(lines)
	if errors.Is(err, ErrNoBlock) {
		return b.insert(lines, wanted)
	}
	if err != nil {
		return nil, err
	}
	eol := lineEnd(lines)
	inner := indented(wanted, indentation(lines[from].text), eol)
	return join(lines[:from+1], inner, lines[to:]), nil
}

// Remove returns the text without the block and its markers.
func (b Block) Remove(src []byte) ([]byte, error) {
	lines := split(src)
	from, to, err := b.find(lines)
	if err != nil {
		return nil, err
	}
	before := lines[:from]
	if lines[to].end == "" && len(before) > 0 { // the file ended without a line end
		before = append([]line{}, before...)
		before[len(before)-1].end = ""
	}
	return join(before, nil, lines[to+1:]), nil
}

// contentLines splits the content and refuses what would be taken for a marker.
func (b Block) contentLines(content string) ([]string, error) {
	content = strings.ReplaceAll(content, "\r\n", "\n")
	if content == "" {
		return nil, nil
	}
	lines := strings.Split(strings.TrimSuffix(content, "\n"), "\n")
	for i, l := range lines {
		if trimmed := strings.TrimSpace(l); trimmed == b.begin() || trimmed == b.end() {
			return nil, &Error{Line: i + 1, Reason: fmt.Sprintf("the content holds the marker %q, by which the block is found", trimmed)}
		}
	}
	return lines, nil
}

// find returns the lines of both markers.
func (b Block) find(lines []line) (from, to int, err error) {
	from, to = -1, -1
	for i, l := range lines {
		switch strings.TrimSpace(l.text) {
		case b.begin():
			if from >= 0 {
				return 0, 0, &Error{Line: i + 1, Reason: fmt.Sprintf("the block %q begins a second time; the first time in line %d", b.Name, from+1)}
			}
			from = i
		case b.end():
			if from < 0 || to >= 0 {
				return 0, 0, &Error{Line: i + 1, Reason: fmt.Sprintf("the block %q ends where it has not begun", b.Name)}
			}
			to = i
		}
	}
	switch {
	case from < 0:
		return 0, 0, ErrNoBlock
	case to < 0:
		return 0, 0, &Error{Line: from + 1, Reason: fmt.Sprintf("the block %q begins and does not end: the line %q is missing", b.Name, b.end())}
	}
	return from, to, nil
}

// insert adds the block.
func (b Block) insert(lines []line, wanted []string) ([]byte, error) {
	at, indent, err := b.place(lines)
	if err != nil {
		return nil, err
	}
	if last := len(lines) - 1; last >= 0 && lines[last].end == "" && strings.HasSuffix(lines[last].text, "\r") {
		return nil, &Error{Line: last + 1, Reason: "the file ends in a carriage return without a line feed, to which nothing can be added that leaves it as it is"}
	}
	eol := lineEnd(lines)
	block := indented(append(append([]string{b.begin()}, wanted...), b.end()), indent, eol)
	before := lines[:at]
	if at == len(lines) && at > 0 && before[at-1].end == "" { // no line end at the end of the file, and none after
		before = append([]line{}, before...)
		before[at-1].end = eol
		block[len(block)-1].end = ""
	}
	return join(before, block, lines[at:]), nil
}

// place returns where a new block goes, and how it is indented.
func (b Block) place(lines []line) (at int, indent string, err error) {
	anchor, behind := b.After, 1
	if anchor == "" {
		anchor, behind = b.Before, 0
	}
	if anchor == "" {
		return len(lines), "", nil
	}
	found := -1
	for i, l := range lines {
		if strings.TrimSpace(l.text) != strings.TrimSpace(anchor) {
			continue
		}
		if found >= 0 {
			return 0, "", &Error{Line: i + 1, Reason: fmt.Sprintf("the line %q stands here and in line %d, so that it is not clear where the block goes", anchor, found+1)}
		}
		found = i
	}
	if found < 0 {
		return 0, "", &Error{Reason: fmt.Sprintf("no line is %q, where the block would go", anchor)}
	}
	return found + behind, b.indent(lines, found), nil
}

// indent is how a new block is indented: as the line that it stands at, or as the
// one behind that where it opens something.
func (b Block) indent(lines []line, at int) string {
	indent := indentation(lines[at].text)
	if b.After == "" || at+1 == len(lines) || strings.TrimSpace(lines[at+1].text) == "" {
		return indent
	}
	if next := indentation(lines[at+1].text); len(next) > len(indent) && strings.HasPrefix(next, indent) {
		return next
	}
	return indent
}

// line is a line of a text with its end.
type line struct{ text, end string }

func split(src []byte) []line {
	var out []line
	for len(src) > 0 {
		i := bytes.IndexByte(src, '\n')
		switch {
		case i < 0:
			return append(out, line{string(src), ""})
		case i > 0 && src[i-1] == '\r':
			out = append(out, line{string(src[:i-1]), "\r\n"})
		default:
			out = append(out, line{string(src[:i]), "\n"})
		}
		src = src[i+1:]
	}
	return out
}

func join(parts ...[]line) []byte {
	var out bytes.Buffer
	for _, part := range parts {
		for _, l := range part {
			out.WriteString(l.text + l.end)
		}
	}
	return out.Bytes()
}

// lineEnd is how the file ends its lines: as its first line does.
func lineEnd(lines []line) string {
	if len(lines) > 0 && lines[0].end != "" {
		return lines[0].end
	}
	return "\n"
}

func indentation(text string) string {
	return text[:len(text)-len(strings.TrimLeft(text, " \t"))]
}

func indented(texts []string, indent, eol string) []line {
	out := make([]line, len(texts))
	for i, text := range texts {
		if text != "" {
			text = indent + text
		}
		out[i] = line{text, eol}
	}
	return out
}
