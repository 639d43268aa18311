// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// A writer makes YAML texts as different people would write them.
type writer struct {
	*rand.Rand
	b       strings.Builder
	anchors int
}

// pick returns one of the texts.
func (w *writer) pick(of ...string) string { return of[w.IntN(len(of))] }

func (w *writer) one(in int) bool { return w.IntN(in) == 0 }

func (w *writer) key() string {
	return w.pick("a", "b", "c", "mode", "cidr", "x.y", "pools", `"q"`, `'it''s'`, "on", "10")
}

// line ends a line, perhaps with a comment, and perhaps puts others below.
func (w *writer) line(indent int) {
	if w.one(4) {
		w.b.WriteString(w.pick(" # c", "  # why: {x}", " #"))
	}
	w.b.WriteString("\n")
	if w.one(8) {
		w.b.WriteString(strings.Repeat(" ", w.pickInt(indent, 0)) + "# on its own\n")
	}
	if w.one(10) {
		w.b.WriteString("\n")
	}
}

func (w *writer) pickInt(of ...int) int { return of[w.IntN(len(of))] }

// mapping writes a block mapping. The first key stands where the text ends.
func (w *writer) mapping(indent, depth int) {
	used := map[string]bool{}
	for i := range 1 + w.IntN(4) {
		key := w.key()
		if used[key] {
			continue
		}
		used[key] = true
		if i > 0 {
			w.b.WriteString(strings.Repeat(" ", indent))
		}
		w.b.WriteString(key + w.pick(":", ":", ":", " :"))
		w.value(indent, depth)
	}
}

// value writes what stands behind a colon, with the end of its line.
func (w *writer) value(indent, depth int) {
	if w.one(12) {
		w.anchors++
		fmt.Fprintf(&w.b, " &n%d", w.anchors)
	}
	kind := w.IntN(10)
	switch {
	case depth > 0 && kind < 3:
		w.line(indent + 1)
		inner := indent + 1 + w.IntN(4)
		w.b.WriteString(strings.Repeat(" ", inner))
		w.mapping(inner, depth-1)
	case depth > 0 && kind < 5:
		w.line(indent)
		w.sequence(indent+w.pickInt(0, 2, 4), depth-1)
	case kind < 6:
		w.b.WriteString(" " + w.flow(depth, indent+2))
		w.line(indent)
	case kind == 6:
		w.block(indent)
	case kind == 7 && w.anchors > 0 && w.one(2):
		fmt.Fprintf(&w.b, "  ")
		w.scalar()
		w.line(indent)
	default:
		w.b.WriteString(" ")
		w.scalar()
		w.line(indent)
	}
}

func (w *writer) sequence(indent, depth int) {
	dash := w.pick("- ", "- ", "-   ")
	for range 1 + w.IntN(3) {
		w.b.WriteString(strings.Repeat(" ", indent))
		switch w.IntN(4) {
		case 0:
			w.b.WriteString(dash)
			w.mapping(indent+len(dash), depth-1)
		case 1:
			w.b.WriteString("-")
			w.block(indent)
		case 2:
			w.b.WriteString(dash + w.flow(depth, indent+2))
			w.line(indent)
		default:
			w.b.WriteString(dash)
			w.scalar()
			w.line(indent)
		}
	}
}

func (w *writer) block(indent int) {
	w.b.WriteString(" " + w.pick("|", "|-", "|+", ">", ">-") + w.pick("", "", " # text") + "\n")
	inner := strings.Repeat(" ", indent+1+w.IntN(4))
	w.b.WriteString(inner + w.pick("x: 1", "one", "k: {a: 1} # in") + "\n")
	w.b.WriteString(w.pick("", "\n", inner+"more: 2\n", "\n"+inner+"  deep\n", inner+"# no comment\n"))
}

func (w *writer) flow(depth, indent int) string {
	sep := w.pick(", ", ", ", ",", ",\n"+strings.Repeat(" ", indent), ", # c\n"+strings.Repeat(" ", indent))
	var parts []string
	braces := w.one(2)
	used := map[string]bool{}
	for range w.IntN(4) {
		item := w.flowScalar()
		if depth > 0 && w.one(4) {
			item = w.flow(depth-1, indent+2)
		}
		if braces {
			key := w.key()
			if used[key] {
				continue
			}
			used[key] = true
			item = key + ": " + item
		}
		parts = append(parts, item)
	}
	text := strings.Join(parts, sep)
	if len(parts) > 0 && strings.Contains(sep, "\n") && w.one(2) {
		first := "\n" + strings.Repeat(" ", indent)
		text = first + text + w.pick("", ",", " # last") + "\n" + strings.Repeat(" ", indent-1)
	}
	if braces {
		return "{" + text + "}"
	}
	return "[" + text + "]"
}

func (w *writer) flowScalar() string {
	return w.pick("x", "1", "true", `"y z"`, "'p, q'", "10.0.0.0/8", "null")
}

func (w *writer) scalar() {
	w.b.WriteString(w.pick("text", "10.244.0.0/16", "24", "true", "null", "~", "", `"quoted"`, "'single'", `"a # b"`, "fd00::/64", "${VAR}", "two words", "!!str 5", "é", "1.5"))
}

// document makes a text and returns it with its line breaks.
func (w *writer) document() string {
	w.b.WriteString(w.pick("", "", "# head\n", "---\n", "# head\n---\n", "%YAML 1.2\n---\n"))
	w.mapping(0, 3)
	w.b.WriteString(w.pick("", "", "# tail\n", "\n", "...\n"))
	text := w.b.String()
	if w.one(5) {
		text = strings.TrimSuffix(text, "\n")
	}
	if w.one(5) {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if w.one(10) && !strings.HasPrefix(text, "%") {
		text = byteOrderMark + text
	}
	return text
}

// path walks down a tree, and perhaps out of it.
func (w *writer) path(n *yaml.Node) Path {
	var p Path
	for len(p) == 0 || !w.one(3) {
		switch {
		case n != nil && n.Kind == yaml.MappingNode && len(n.Content) > 0 && !w.one(5):
			i := 2 * w.IntN(len(n.Content)/2)
			p, n = append(p, Key(n.Content[i].Value)), n.Content[i+1]
		case n != nil && n.Kind == yaml.SequenceNode && len(p) > 0:
			i := w.IntN(len(n.Content) + 1)
			p = append(p, Item(i))
			if i == len(n.Content) {
				return p
			}
			n = n.Content[i]
		case n == nil || n.Kind == yaml.MappingNode || n.ShortTag() == "!!null":
			p, n = append(p, Key(w.pick("new", "a", "mode", "x y", "yes"))), nil
		case n.Style&yaml.LiteralStyle != 0 && strings.Contains(n.Value, ": "):
			return append(p, Inside(), Key(w.pick("x", "k", "more", "new")))
		default:
			return p
		}
	}
	return p
}

// owned returns a value for a field, often close to what stands there.
func (w *writer) owned() any {
	switch w.IntN(9) {
	case 0:
		return nil
	case 1:
		return w.IntN(100)
	case 2:
		return w.one(2)
	case 3:
		return []any{w.pick("x", "10.0.0.0/8", "y z"), w.IntN(3), w.pick("z", "text")}
	case 4:
		return []any{}
	case 5:
		return Map{{"a", w.pick("x", "text")}, {"mode", []any{1}}}
	case 6:
		return Map{}
	case 7:
		return w.pick("one\ntwo\n", "one", "a\n\n  b", " lead\n")
	}
	return w.pick("kubernetes", "10.96.0.0/16", "yes", "fd00::", "a, b", "", "it's")
}

// TestRandomTexts edits texts of many styles. Nothing may be refused because the
// edit itself went wrong: a refusal has a reason in the text.
func TestRandomTexts(t *testing.T) {
	const texts = 2000
	edited, refused := 0, map[string]int{} // by reason
	for seed := range uint64(texts) {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 1))}
		src := w.document()
		root, err := parse([]byte(src))
		if err != nil {
			t.Fatalf("seed %d makes no YAML: %v\n%s", seed, err, src)
		}
		d, err := root.choose(Selector{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, src)
		}
		fields := []Field{{Path: w.path(d.root), Value: w.owned()}}
		for w.one(2) && len(fields) < 4 {
			if more := (Field{Path: w.path(d.root), Value: w.owned()}); disjoint(fields, more) {
				fields = append(fields, more)
			}
		}
		after, err := Apply([]byte(src), Edit{Fields: fields})
		if unsafe, ok := errors.AsType[*UnsafeError](err); ok {
			refused[unsafe.Reason]++
			if strings.Contains(err.Error(), "nothing was changed") && !endsInBlock(src) {
				t.Errorf("seed %d: %v: %v\n%s", seed, fields, err, visible(src))
			}
			continue
		}
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		edited++
		wantSettled(t, after, Edit{Fields: fields})
		if len(fields) == 1 {
			checkEdit(t, []byte(src), after, fields[0])
		}
		checkWhole(t, []byte(src), after, fields)
		if t.Failed() {
			t.Fatalf("seed %d: %v\n%s\nbecame\n%s", seed, fields, visible(src), visible(string(after)))
		}
	}
	if edited < texts*8/10 {
		t.Errorf("only %d texts were edited; refused: %v", edited, refused)
	}
}

// disjoint reports whether a field lies beside all others.
func disjoint(fields []Field, f Field) bool {
	_, err := newChange(append(slices.Clip(fields), f))
	return err == nil
}

// endsInBlock reports whether a text may have a block scalar whose value depends
// on what follows: one that keeps its blank lines, or one that would come to be
// at the end of a text without a final line break.
func endsInBlock(src string) bool {
	return strings.Contains(src, "|+") || !strings.HasSuffix(src, "\n") && strings.ContainsAny(src, "|>")
}
