// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// An editCase is one text before and after an edit. The files in testdata/edits
// hold them:
//
//	=== what it shows
//	set PATH = JSON          an owned field
//	remove PATH              an owned field that must be absent
//	document KIND NAMESPACE/NAME, or: document INDEX
//	create TEXT              the document to create, as a Go string
//	-- before
//	the text
//	-- after, or: -- unchanged, or: -- refused PHRASE
//	the text, after only
//
// "\r", "\ufeff" and the like stand for themselves in a text below a marker that
// ends in "escaped".
type editCase struct {
	name, file string
	edit       Edit
	before     string
	after      string
	refused    string // a phrase of the error
	unchanged  bool
}

func readCases(t testing.TB) []editCase {
	t.Helper()
	files, err := filepath.Glob("testdata/edits/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases []editCase
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range strings.Split("\n"+string(content), "\n=== ") {
			if i == 0 {
				continue
			}
			c, err := readCase(text)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, c.name, err)
			}
			c.file = strings.TrimSuffix(filepath.Base(file), ".txt")
			cases = append(cases, c)
		}
	}
	return cases
}

func readCase(text string) (editCase, error) {
	var c editCase
	name, text, _ := strings.Cut(text, "\n")
	c.name = name
	head, text, found := strings.Cut(text, "-- before")
	if !found {
		return c, errors.New("no text before")
	}
	for line := range strings.Lines(head) {
		if err := c.instruct(strings.TrimSpace(line)); err != nil {
			return c, err
		}
	}
	before, result, found := strings.Cut(text, "\n-- ")
	if !found {
		return c, errors.New("no text after")
	}
	var err error
	if c.before, err = caseText(before); err != nil {
		return c, err
	}
	kind, after, _ := strings.Cut(result, "\n")
	word, phrase, _ := strings.Cut(kind, " ")
	switch word {
	case "after":
		c.after, err = caseText(phrase + "\n" + after)
	case "unchanged":
		c.unchanged, c.after = true, c.before
	case "refused":
		c.refused = phrase
	default:
		err = fmt.Errorf("unknown result %q", word)
	}
	return c, err
}

// caseText reads a text with its marker's rest of line before it.
func caseText(s string) (string, error) {
	mark, text, _ := strings.Cut(s, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	switch strings.TrimSpace(mark) {
	case "":
		return text, nil
	case "without final newline":
		return strings.TrimSuffix(text, "\n"), nil
	case "escaped":
		return strconv.Unquote(`"` + strings.ReplaceAll(strings.ReplaceAll(text, "\n", `\n`), `"`, `\"`) + `"`)
	}
	return "", fmt.Errorf("unknown mark %q", mark)
}

func (c *editCase) instruct(line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "":
		return nil
	case "set":
		path, value, _ := strings.Cut(rest, " = ")
		return c.own(path, value)
	case "remove":
		return c.own(rest, "")
	case "create":
		text, err := strconv.Unquote(rest)
		c.edit.Create = []byte(text)
		return err
	case "document":
		kind, name, _ := strings.Cut(rest, " ")
		if index, err := strconv.Atoi(kind); err == nil {
			c.edit.Document.Index = &index
			return nil
		}
		c.edit.Document.Kind = kind
		if namespace, base, found := strings.Cut(name, "/"); found {
			c.edit.Document.Namespace, name = namespace, base
		}
		c.edit.Document.Name = name
		return nil
	}
	return fmt.Errorf("unknown instruction %q", line)
}

func (c *editCase) own(path, value string) error {
	p, err := ParsePath(path)
	if err != nil {
		return err
	}
	field := Field{Path: p}
	if value != "" {
		dec := json.NewDecoder(strings.NewReader(value))
		dec.UseNumber()
		if err := dec.Decode(&field.Value); err != nil {
			return fmt.Errorf("%s: %w", value, err)
		}
	}
	c.edit.Fields = append(c.edit.Fields, field)
	return nil
}

func TestApply(t *testing.T) {
	cases := readCases(t)
	if len(cases) < 150 {
		t.Errorf("%d cases; the table is to hold at least 150", len(cases))
	}
	for _, c := range cases {
		t.Run(c.file+"/"+c.name, func(t *testing.T) {
			src := []byte(c.before)
			got, err := Apply(src, c.edit)
			if string(src) != c.before {
				t.Fatal("Apply changed its input")
			}
			if c.refused != "" {
				wantRefusal(t, c, got, err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.after {
				t.Fatalf("got:\n%s\nwant:\n%s", visible(string(got)), visible(c.after))
			}
			if c.unchanged && len(got) > 0 && &got[0] != &src[0] {
				t.Error("nothing differs, but the text is a new one")
			}
			wantSettled(t, got, c.edit)
		})
	}
}

func wantRefusal(t *testing.T, c editCase, got []byte, err error) {
	t.Helper()
	if err == nil {
		t.Fatalf("it was not refused:\n%s", visible(string(got)))
	}
	if got != nil {
		t.Error("a refusal came with a text")
	}
	if !strings.Contains(err.Error(), c.refused) {
		t.Errorf("refused with %q, want %q in it", err, c.refused)
	}
	var unsafe *UnsafeError
	var syntax *SyntaxError
	if !errors.As(err, &unsafe) && !errors.As(err, &syntax) && !errors.Is(err, ErrNoDocument) && !errors.Is(err, ErrAmbiguous) {
		t.Errorf("the error %q has no type that a caller could tell", err)
	}
}

// wantSettled checks that a text is as an edit wants it, to Get and to Apply.
func wantSettled(t *testing.T, text []byte, edit Edit) {
	t.Helper()
	again, err := Apply(text, edit)
	if err != nil || !bytes.Equal(again, text) {
		t.Errorf("again: %v\n%s", err, visible(string(again)))
	}
	for _, f := range edit.Fields {
		values, err := Get(text, edit.Document, f.Path)
		if err != nil {
			t.Errorf("Get: %v", err)
			continue
		}
		if values[0].Found != (f.Value != nil) {
			t.Errorf("Get(%s).Found = %v", f.Path, values[0].Found)
		}
		if f.Value == nil {
			continue
		}
		want, err := JSON(f.Value)
		if err != nil || values[0].JSON != want {
			t.Errorf("Get(%s) = %s, want %s (%v)", f.Path, values[0].JSON, want, err)
		}
	}
}

// visible shows what differs in blanks and line breaks.
func visible(s string) string {
	return strings.NewReplacer("\r", "␍", "\t", "␉", "\ufeff", "␀", " \n", "·\n").Replace(s)
}
