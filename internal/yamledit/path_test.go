// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"slices"
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	tests := []struct {
		text      string
		want      Path
		canonical string // if it differs from text
	}{
		{"a", Keys("a"), ""},
		{"spec.values.ipam.mode", Keys("spec", "values", "ipam", "mode"), ""},
		{"a[0]", Path{Key("a"), Item(0)}, ""},
		{"a[0][12].b", Path{Key("a"), Item(0), Item(12), Key("b")}, ""},
		{"[3].b", Path{Item(3), Key("b")}, ""},
		{`data["values.yaml"]|ipam.mode`, Path{Key("data"), Key("values.yaml"), Inside(), Key("ipam"), Key("mode")}, ""},
		{`a|b|["c d"]`, Path{Key("a"), Inside(), Key("b"), Inside(), Key("c d")}, ""},
		{`a|[0]`, Path{Key("a"), Inside(), Item(0)}, ""},
		{`["a"]["b"]`, Keys("a", "b"), "a.b"},
		{`["x|y"].z`, Keys("x|y", "z"), ""},
		{`["é"]`, Keys("é"), ""},
		{"é", Keys("é"), `["é"]`},
		{"kube-ovn/x_y.0", Keys("kube-ovn/x_y", "0"), ""},
		{"io:x", Keys("io:x"), `["io:x"]`},
		{`[""]`, Keys(""), ""},
		{`["a\"]\n"]`, Keys("a\"]\n"), ""},
	}
	for _, tt := range tests {
		got, err := ParsePath(tt.text)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("ParsePath(%q) = %v, %v; want %v", tt.text, got, err, tt.want)
			continue
		}
		canonical := tt.canonical
		if canonical == "" {
			canonical = tt.text
		}
		if got.String() != canonical {
			t.Errorf("ParsePath(%q).String() = %q, want %q", tt.text, got, canonical)
		}
		if again, err := ParsePath(got.String()); err != nil || !slices.Equal(again, got) {
			t.Errorf("ParsePath(%q) = %v, %v; want %v", got, again, err, got)
		}
	}
}

func TestParsePathRefuses(t *testing.T) {
	tests := []struct{ text, phrase string }{
		{"", "it is empty"},
		{".a", "a key is missing"},
		{"a.", "missing at the end"},
		{"a..b", "character 3: a key is missing"},
		{"a|", "missing at the end"},
		{"a||b", "a key is missing"},
		{"|a", "a key is missing"},
		{"a[0]b", `"." is missing`},
		{"a.[0]", "a bracket follows a dot"},
		{"a[x]", "an index such as [0]"},
		{"a[-1]", "an index such as [0]"},
		{"a[01]", "an index such as [0]"},
		{"a[99999999999]", "an index such as [0]"},
		{"a[0", `"]" is missing`},
		{`a["b"`, `"]" is missing`},
		{`a["b]`, "a quoted key does not end"},
		{`a["\q"]`, "a quoted key"},
		{`a b`, `"." is missing`},
		{`a"b`, `"." is missing`},
		{`a. b`, "is written [\"…\"]"},
		{`a]`, `"." is missing`},
	}
	for _, tt := range tests {
		if got, err := ParsePath(tt.text); err == nil || !strings.Contains(err.Error(), tt.phrase) {
			t.Errorf("ParsePath(%q) = %v, %v; want an error with %q", tt.text, got, err, tt.phrase)
		}
	}
}

func TestPathWithSharesNothing(t *testing.T) {
	base := append(make(Path, 0, 8), Key("a"))
	one, two := base.With(Key("b")), base.With(Key("c"))
	if one.String() != "a.b" || two.String() != "a.c" {
		t.Errorf("got %s and %s", one, two)
	}
}

// FuzzPath checks that the text of a path is the path again.
func FuzzPath(f *testing.F) {
	for _, seed := range []string{"a.b[0]", `a["x.y"]|b`, `["\xff"]`, "é|[1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(p.String())
		if err != nil || !slices.Equal(again, p) {
			t.Errorf("%q is %v, and its text %q is %v, %v", text, p, p.String(), again, err)
		}
	})
}
