// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// FuzzApply holds every edit that is not refused against the invariant: the tree
// differs in exactly the owned field, as the YAML library sees it; the text
// outside of one place is the same; doing it again changes nothing; and what was
// set is what is read.
func FuzzApply(f *testing.F) {
	for _, c := range readCases(f) {
		for _, field := range c.edit.Fields {
			text := ""
			if field.Value != nil {
				text, _ = JSON(field.Value)
			}
			f.Add([]byte(c.before), field.Path.String(), text)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, pathText, valueText string) {
		path, err := ParsePath(pathText)
		if err != nil || len(path) == 0 {
			return
		}
		value, ok := fuzzValue(valueText)
		if !ok {
			return
		}
		kept := bytes.Clone(src)
		field := Field{Path: path, Value: value}
		after, err := Apply(src, Edit{Fields: []Field{field}})
		if !bytes.Equal(src, kept) {
			t.Fatal("the given text was changed in place")
		}
		if err != nil {
			return
		}
		checkEdit(t, src, after, field)
	})
}

// fuzzValue reads a value; an empty text is a field that must be absent.
func fuzzValue(text string) (any, bool) {
	if text == "" {
		return nil, true
	}
	var value any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil || value == nil {
		return nil, false
	}
	_, err := JSON(value)
	return value, err == nil
}

func checkEdit(t *testing.T, before, after []byte, field Field) {
	t.Helper()
	again, err := Apply(after, Edit{Fields: []Field{field}})
	if err != nil || !bytes.Equal(again, after) {
		t.Fatalf("not idempotent (%v)\nbefore\n%q\nonce\n%q\ntwice\n%q", err, before, after, again)
	}
	got, err := Get(after, Selector{}, field.Path)
	if err != nil {
		if field.Value == nil && errors.Is(err, ErrNoDocument) {
			return
		}
		t.Fatalf("what was edited cannot be read: %v\n%q", err, after)
	}
	if field.Value == nil {
		if got[0].Found {
			t.Fatalf("the field is still there: %s\n%q", got[0].JSON, after)
		}
	} else if want, _ := JSON(field.Value); got[0].JSON != want {
		t.Fatalf("got %s, want %s\nbefore\n%q\nafter\n%q", got[0].JSON, want, before, after)
	}
	checkTree(t, before, after, field)
	checkWhole(t, before, after, []Field{field})
	checkBytes(t, before, after, field)
}

// checkWhole compares the whole texts, since an edit checks itself only around
// what it replaced: every document with its styles, anchors and tags.
func checkWhole(t *testing.T, before, after []byte, fields []Field) {
	t.Helper()
	was, err := parse(before)
	if err != nil {
		t.Fatal(err)
	}
	is, err := parse(after)
	if err != nil {
		t.Fatalf("%v\nbefore\n%q\nafter\n%q", err, before, after)
	}
	owner, err := was.choose(Selector{})
	if err != nil || len(was.docs) != len(is.docs) {
		t.Fatalf("%v; %d documents, then %d\nbefore\n%q\nafter\n%q", err, len(was.docs), len(is.docs), before, after)
	}
	c, err := newChange(fields)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range was.docs {
		if d == owner && !(d.empty() && is.docs[i].empty()) {
			err = d.verifyWhole(is.docs[i], c)
		} else if d.root != nil {
			err = sameTree(d.root, is.docs[i].root)
		}
		if err != nil {
			t.Fatalf("%v\nbefore\n%q\nafter\n%q", err, before, after)
		}
	}
}

// checkBytes compares the texts without a parser: what comes takes nothing away,
// what goes puts nothing there but empty brackets, and a scalar that takes the
// place of another one changes its line alone.
func checkBytes(t *testing.T, before, after []byte, field Field) {
	t.Helper()
	old, err := Get(before, Selector{}, field.Path)
	if err != nil {
		return // the document is empty
	}
	now, err := Get(after, Selector{}, field.Path)
	if err != nil {
		t.Fatal(err)
	}
	fits := true
	switch {
	case field.Value == nil:
		fits = isWithin(withoutBrackets(after), withoutBrackets(before))
	case !old[0].Found && !strings.Contains(field.Path.String(), "|"):
		fits = isWithin(withoutNulls(before), withoutNulls(after))
	case old[0].Found && old[0].Style < Literal && now[0].Style < Literal:
		was, is := bytes.Split(before, []byte("\n")), bytes.Split(after, []byte("\n"))
		differing := 0
		for i := range was {
			if len(was) == len(is) && !bytes.Equal(was[i], is[i]) {
				differing++
			}
		}
		fits = differing < 2
	}
	if !fits {
		t.Fatalf("more than the field was touched: %s\nbefore\n%q\nafter\n%q", field.Path, before, after)
	}
}

// isWithin reports whether a text is left when parts of another go.
func isWithin(part, whole []byte) bool {
	for _, c := range whole {
		if len(part) > 0 && part[0] == c {
			part = part[1:]
		}
	}
	return len(part) == 0
}

func withoutBrackets(text []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune("{}[] ", r) {
			return -1
		}
		return r
	}, text)
}

// withoutNulls takes the words away that a mapping can take the place of.
func withoutNulls(text []byte) []byte {
	for _, word := range []string{"null", "Null", "NULL", "~", " ", "\t"} {
		text = bytes.ReplaceAll(text, []byte(word), nil)
	}
	return text
}

// checkTree compares the trees as the library decodes them, with the owned field
// set in the former by hand. Only paths of keys are compared so.
func checkTree(t *testing.T, before, after []byte, field Field) {
	t.Helper()
	for _, step := range field.Path {
		if step.Kind != KeyStep {
			return
		}
	}
	was, ok := decodeAll(before)
	if !ok {
		return
	}
	is, ok := decodeAll(after)
	if !ok {
		t.Fatalf("the library does not read the result\nbefore\n%q\nafter\n%q", before, after)
	}
	if len(is) == 0 || len(was) > 1 || len(is) > 1 {
		return
	}
	var tree any
	if len(was) == 1 {
		tree = was[0]
	}
	if field.Value == nil {
		tree = without(tree, field.Path)
	} else {
		tree = with(tree, field.Path, plain(field.Value))
	}
	if !reflect.DeepEqual(normal(tree), normal(is[0])) {
		t.Fatalf("more than the field changed: %s\nbefore\n%q\nafter\n%q\nwant %#v\ngot  %#v", field.Path, before, after, normal(tree), normal(is[0]))
	}
}

// decodeAll decodes every document, keys by their text. It gives up on what a
// tree by text cannot show: merge keys, duplicate and composite keys, cycles, and
// aliases that unfold to too much.
func decodeAll(src []byte) ([]any, bool) {
	decoder := yaml.NewDecoder(bytes.NewReader(src))
	var out []any
	for {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return out, true
		}
		if err != nil {
			return nil, false
		}
		left := 10_000
		tree, ok := treeOf(&doc, &left)
		if !ok {
			return nil, false
		}
		out = append(out, tree)
	}
}

func treeOf(n *yaml.Node, left *int) (any, bool) {
	if *left--; *left < 0 {
		return nil, false
	}
	switch n.Kind {
	case yaml.DocumentNode:
		return treeOf(n.Content[0], left)
	case yaml.AliasNode:
		return treeOf(n.Alias, left)
	case yaml.SequenceNode:
		out := make([]any, len(n.Content))
		for i, item := range n.Content {
			value, ok := treeOf(item, left)
			if !ok {
				return nil, false
			}
			out[i] = value
		}
		return out, true
	case yaml.MappingNode:
		return mappingOf(n, left)
	default:
		var value any
		if n.Decode(&value) != nil {
			value = n.Value // a scalar that the library cannot decode is its text
		}
		return value, true
	}
}

func mappingOf(n *yaml.Node, left *int) (any, bool) {
	out := map[string]any{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, twice := out[key.Value]; twice || key.Kind != yaml.ScalarNode || isMerge(key) {
			return nil, false
		}
		value, ok := treeOf(n.Content[i+1], left)
		if !ok {
			return nil, false
		}
		out[key.Value] = value
	}
	return out, true
}

// plain takes a value through JSON, which has no line folding.
func plain(value any) any {
	text, err := JSON(value)
	if err != nil {
		return value
	}
	var out any
	if json.Unmarshal([]byte(text), &out) != nil {
		return value
	}
	return out
}

func with(tree any, path Path, value any) any {
	if len(path) == 0 {
		return value
	}
	m, ok := tree.(map[string]any)
	if !ok {
		m = map[string]any{}
	}
	m[path[0].Key] = with(m[path[0].Key], path[1:], value)
	return m
}

func without(tree any, path Path) any {
	m, ok := tree.(map[string]any)
	if !ok {
		return tree
	}
	if len(path) == 1 {
		delete(m, path[0].Key)
		return m
	}
	if inner, ok := m[path[0].Key]; ok {
		m[path[0].Key] = without(inner, path[1:])
	}
	return m
}

// normal makes an absent document and an empty mapping the same, and numbers
// comparable.
func normal(tree any) any {
	switch v := tree.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = normal(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, value := range v {
			out[i] = normal(value)
		}
		return out
	case nil:
		return map[string]any{}
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	default:
		return v
	}
}
