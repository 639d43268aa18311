// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"strings"
	"testing"
)

// TestVerifyCatches holds what an edit gone wrong could make of a text against
// the check that must refuse it.
func TestVerifyCatches(t *testing.T) {
	const before = "a:\n  b: 1\n  c: [x, y]\n  d: &n 'q'\n  t: |\n    k: 1\n    l: 2\ne: !!str 5\nf:\n"
	text := func(old, now string) string { return strings.Replace(before, old, now, 1) }
	tests := []struct {
		name, path string
		value      any
		after      string
		phrase     string // "" if all is well
	}{
		{"as wanted", "a.b", 2, text("b: 1", "b: 2"), ""},
		{"nothing done", "a.b", 2, before, "1 stands where 2 should"},
		{"another value", "a.b", 2, text("b: 1", "b: 3"), "3 stands where 2 should"},
		{"a neighbour too", "a.b", 2, strings.Replace(text("b: 1", "b: 2"), "x", "z", 1), `would be read as "z"`},
		{"a neighbour's quotes", "a.b", 2, strings.Replace(text("b: 1", "b: 2"), "'q'", "q", 1), "would be read as"},
		{"a neighbour's anchor", "a.b", 2, strings.Replace(text("b: 1", "b: 2"), "&n ", "", 1), "would be read as"},
		{"a neighbour's tag", "a.b", 2, strings.Replace(text("b: 1", "b: 2"), "!!str ", "", 1), "would be read as"},
		{"a key more", "a.b", 2, text("b: 1", "b: 2\n  z: 1"), "other keys instead of"},
		{"a key less", "a.b", 2, strings.Replace(text("b: 1", "b: 2"), "f:\n", "", 1), "other keys instead of"},
		{"the field twice", "a.b", 2, text("b: 1", "b: 2\n  b: 2"), "twice"},
		{"its key in other quotes", "a.b", 2, text("b: 1", `"b": 2`), "would be read as"},
		{"its key lost", "a.b", 2, text("  b: 1\n", ""), "a.b is missing"},
		{"its own anchor", "a.d", "r", text("&n 'q'", "'r'"), "an anchor or tag is lost"},
		{"its own tag", "e", "6", text("!!str 5", `"6"`), "an anchor or tag is lost"},
		{"equal, but touched", "a.d", "q", text("'q'", `"q"`), "would be read as"},
		{"new", "a.z.y", 1, text("e:", "  z: {y: 1}\ne:"), ""},
		{"new and missing", "a.z.y", 1, before, "a.z is missing"},
		{"new with more", "a.z.y", 1, text("e:", "  z: {y: 1, x: 2}\ne:"), "stands where"},
		{"removed", "a.b", nil, text("  b: 1\n", ""), ""},
		{"not removed", "a.b", nil, before, "a.b is still there"},
		{"grown", "f.g", 1, text("f:\n", "f: {g: 1}\n"), ""},
		{"grown wrong", "f.g", 1, text("f:\n", "f: {g: 1, h: 1}\n"), "stands where"},
		{"an element", "a.c[1]", "z", text("y", "z"), ""},
		{"an element not done", "a.c[1]", "z", before, `"y" stands where "z" should`},
		{"another element", "a.c[1]", "z", text("[x, y]", "[w, z]"), `would be read as "w"`},
		{"an element more", "a.c[1]", "z", text("[x, y]", "[x, z, z]"), "an element more"},
		{"an element less", "a.c[0]", "z", text("[x, y]", "[z]"), "lost an element"},
		{"an element appended", "a.c[2]", "z", text("[x, y]", "[x, y, z]"), ""},
		{"an element appended wrong", "a.c[2]", "z", text("[x, y]", "[x, y, w]"), "stands where"},
		{"an element not appended", "a.c[2]", "z", before, "a.c[2] is missing"},
		{"an element not removed", "a.c[1]", nil, before, "a.c[1] is still there"},
		{"inside", "a.t|k", 3, text("k: 1", "k: 3"), ""},
		{"inside, a neighbour too", "a.t|k", 3, text("k: 1\n    l: 2", "k: 3\n    l: 3"), `would be read as "3"`},
		{"inside, in another style", "a.t|k", 3, text("|\n    k: 1\n    l: 2", `"k: 3\nl: 2\n"`), "in another style"},
		{"inside, no text any more", "a.t|k", 3, text("|\n    k: 1\n    l: 2", "5"), "is none any more"},
		{"a mapping lost", "a.b", 2, "a: 2\ne: !!str 5\nf:\n", "stands where"},
		{"all lost", "a.b", 2, "# a\n", "nothing is left"},
	}
	old, err := single([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path, err := ParsePath(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := newChange([]Field{{Path: path, Value: tt.value}})
			if err != nil {
				t.Fatal(err)
			}
			now, err := single([]byte(tt.after))
			if err != nil {
				t.Fatal(err)
			}
			err = old.verifyWhole(now, c)
			if tt.phrase == "" && err != nil {
				t.Error(err)
			}
			if tt.phrase != "" && (err == nil || !strings.Contains(err.Error(), tt.phrase)) {
				t.Errorf("got %v, want %q in it", err, tt.phrase)
			}
		})
	}
}

// TestVerifyScopes checks that an edit that verifies itself by the entries
// around its splices sees in them what is wrong.
func TestVerifyScopes(t *testing.T) {
	src := []byte("a:\n  b: 1\n  c: 2\nd: 3\n")
	d, err := single(src)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newChange([]Field{{Path: Keys("a", "b"), Value: 5}})
	if err != nil {
		t.Fatal(err)
	}
	for splice, want := range map[string]string{
		"5":           "",
		"6":           "6 stands where 5 should",
		"5\n  x: 1":   "other keys instead of",
		"5\n  c: 1":   "other keys instead of",
		"5\nx: 1":     "no YAML any more",
		"[5":          "no YAML any more",
		"5\n---\nb: ": "several documents",
	} {
		e := editor{d: d}
		if err := e.run(c); err != nil || len(e.splices) != 1 {
			t.Fatalf("%v, %v", e.splices, err)
		}
		e.splices[0].text = splice
		next, err := e.spliced()
		if err != nil {
			t.Fatal(err)
		}
		err = e.verify(next, c)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q in the place of 1: %v, want %q", splice, err, want)
		}
	}
}

func TestFieldsThatCannotBe(t *testing.T) {
	tests := []struct {
		name   string
		fields []Field
		phrase string
	}{
		{"no path", []Field{{Value: 1}}, "needs a path"},
		{"inside and no further", []Field{{Path: Path{Key("a"), Inside()}, Value: "x"}}, `cannot end with "|"`},
		{"a value of no form", []Field{{Path: Keys("a"), Value: struct{}{}}}, "has no form in YAML"},
		{"a key of no text", []Field{{Path: Keys("\xff"), Value: 1}}, "not UTF-8"},
		{"a key too long for any reader", []Field{{Path: Keys(strings.Repeat("k", 2000)), Value: 1}}, "longer than YAML allows"},
		{"a value with such a key", []Field{{Path: Path{Key("a"), Inside(), Key("b")}, Value: Map{{strings.Repeat("k", 2000), 1}}}}, "longer than YAML allows"},
		{"a value with a key of no text", []Field{{Path: Keys("a"), Value: map[string]any{"\xff": 1}}}, "not UTF-8"},
		{"a list and a mapping", []Field{{Path: Path{Key("a"), Item(0)}, Value: 1}, {Path: Keys("a", "b"), Value: 1}}, "at once"},
		{"a mapping and a list", []Field{{Path: Keys("a", "b"), Value: 1}, {Path: Path{Key("a"), Item(0)}, Value: 1}}, "at once"},
		{"a mapping and a text", []Field{{Path: Keys("a", "b"), Value: 1}, {Path: Path{Key("a"), Inside(), Key("c")}, Value: 1}}, "at once"},
	}
	for _, tt := range tests {
		for _, src := range []string{"z: 1\n", "", "a:\nz: 1\n"} {
			got, err := Apply([]byte(src), Edit{Fields: tt.fields})
			if got != nil || err == nil || !strings.Contains(err.Error(), tt.phrase) {
				t.Errorf("%s in %q: %q, %v; want an error with %q", tt.name, src, got, err, tt.phrase)
			}
		}
	}
}
