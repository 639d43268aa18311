// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"
)

// A Field is an owned field: where it is and what must stand there. A nil value
// means that it must be absent. Absence of a list element can only be owned for
// the last one: the others would take its place.
type Field struct {
	Path  Path
	Value any // nil, or one of the types that [Entry] names
}

// An Edit is a set of owned fields of one document.
type Edit struct {
	Document Selector
	Fields   []Field

	// Create, if not nil, is the document to append when the selector matches
	// none. The fields are then set in it as well.
	Create []byte
}

// Apply returns the text with the owned fields as they must be and every other
// byte as it was; src itself if they already are. It fails, with nothing
// edited, with an error that wraps [ErrNoDocument] or [ErrAmbiguous], with a
// [SyntaxError], or with an [UnsafeError] for each field that cannot be edited
// safely.
func Apply(src []byte, edits ...Edit) ([]byte, error) {
	f, err := parse(src)
	if err != nil {
		return nil, err
	}
	if f, err = f.create(edits); err != nil {
		return nil, err
	}
	fields := map[*document][]Field{}
	var errs []error
	for _, edit := range edits {
		if wrong := validPaths(edit.Fields); len(wrong) > 0 {
			errs = append(errs, wrong...)
			continue
		}
		d, err := f.choose(edit.Document)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fields[d] = append(fields[d], edit.Fields...)
	}
	result := f.src
	for _, d := range slices.Backward(f.docs) { // from the end, so that offsets stay true
		text, err := d.edit(fields[d])
		if err != nil {
			errs = append(errs, d.located(err))
			continue
		}
		result = replaced(result, d.begin, d.end, text)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return result, nil
}

// longestKey is how many characters a key may have as it is written: with the
// colon behind it, at most 1,024 may stand on the line of its value (YAML 1.2,
// section 7.4.3).
const longestKey = 1000

// validPaths refuses keys that no YAML can hold.
func validPaths(fields []Field) []error {
	var errs []error
	for _, field := range fields {
		for _, step := range field.Path {
			if step.Kind != KeyStep {
				continue
			}
			if err := writableKey(step.Key); err != nil {
				errs = append(errs, &UnsafeError{Path: field.Path, Reason: err.Error()})
			}
		}
	}
	return errs
}

// writableKey tells why a key cannot be written so that it is found again.
func writableKey(key string) error {
	if !utf8.ValidString(key) {
		return fmt.Errorf("the key %q is not UTF-8", key)
	}
	if utf8.RuneCountInString(doubleQuoted(key)) > longestKey {
		return fmt.Errorf("a key of %d bytes is longer than YAML allows on the line of its value", len(key))
	}
	return nil
}

// replaced returns a text with a range of it replaced, or the text itself if
// the range holds that already.
func replaced(text []byte, from, to int, by []byte) []byte {
	if bytes.Equal(text[from:to], by) {
		return text
	}
	return bytes.Join([][]byte{text[:from], by, text[to:]}, nil)
}

// create appends the documents that edits ask for and that are not there.
func (f *file) create(edits []Edit) (*file, error) {
	for _, edit := range edits {
		_, err := f.choose(edit.Document)
		create := errors.Is(err, ErrNoDocument) || err == nil && len(f.infos()) == 0
		if edit.Create == nil || !create {
			continue
		}
		before := f
		if f, err = parse(f.appended(edit.Create)); err != nil {
			return nil, fmt.Errorf("with the new document %s: %w", edit.Document, err)
		}
		if err := f.extends(before); err != nil {
			return nil, err
		}
		if _, err := f.choose(edit.Document); err != nil {
			return nil, fmt.Errorf("the new document is not the one that it is created for: %w", err)
		}
	}
	return f, nil
}

// appended returns the text with a document at its end.
func (f *file) appended(create []byte) []byte {
	last := f.docs[len(f.docs)-1]
	eol := last.lineBreak()
	if eol != "\n" {
		create = bytes.ReplaceAll(create, []byte("\n"), []byte(eol))
	}
	text := bytes.Clone(f.src)
	if len(text) > f.lines[len(f.lines)-1] { // the last line has no break
		text = append(text, eol...)
	}
	if !last.empty() && !isMarker(create, "---") {
		text = append(text, "---"+eol...)
	}
	return append(text, create...)
}

// extends checks that all documents of an earlier text are in this one as they
// were.
func (f *file) extends(before *file) error {
	for i, old := range before.docs {
		if old.empty() {
			continue
		}
		if i >= len(f.docs) || f.docs[i].empty() {
			return &UnsafeError{Reason: "a document cannot be appended to this text without a change of the last one"}
		}
		if err := sameTree(old.root, f.docs[i].root); err != nil {
			return &UnsafeError{Line: old.line + old.root.Line, Reason: "a document cannot be appended to this text without a change of the last one: " + err.Error()}
		}
	}
	return nil
}

// maxRounds bounds how often a document is parsed again because a mapping or
// list gains and loses members at once: members come first, then they go.
const maxRounds = 4

// edit returns the text of the document with its owned fields as they must be.
func (d *document) edit(fields []Field) ([]byte, error) {
	current := d.src[d.begin:d.end]
	if len(fields) == 0 {
		return current, nil
	}
	c, err := newChange(fields)
	if err != nil {
		return nil, err
	}
	now := d
	for range maxRounds {
		e := editor{d: now}
		if err := e.run(c); err != nil {
			return nil, err
		}
		if len(e.splices) == 0 && !e.deferred {
			return current, nil
		}
		next, err := e.spliced()
		if err != nil {
			return nil, err
		}
		if !e.deferred && now == d {
			return next, e.verify(next, c)
		}
		if now, err = single(next); err != nil {
			return nil, broken(c, err)
		}
		if current = next; !e.deferred {
			return current, d.verifyWhole(now, c)
		}
	}
	return nil, &UnsafeError{Line: d.root.Line, Reason: "the owned fields do not come to rest; please report this text"}
}

// single parses the text of one document.
func single(text []byte) (*document, error) {
	f, err := parse(text)
	if err != nil {
		return nil, err
	}
	if len(f.docs) != 1 {
		return nil, errors.New("it became several documents")
	}
	return f.docs[0], nil
}
