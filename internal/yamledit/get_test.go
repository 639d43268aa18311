// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

const manifest = `# of dc1
apiVersion: v1
kind: ConfigMap
metadata:
  name: site
  namespace: flux-system
data:
  POD_CIDR: 10.244.0.0/16 # pods
  'quoted': "fd00::/108"
  values.yaml: |
    # inner
    ipam:
      mode: kubernetes
    pools: [a, b]
base: &base {x: 1, y: null}
copy: *base
merged:
  <<: *base
  x: 0x10
list:
- 1.50
- key: [true, 2001-02-03]
empty:
---
kind: Other
metadata: {name: site}
`

func TestGet(t *testing.T) {
	tests := []struct {
		path string
		want Value
	}{
		{"data.POD_CIDR", Value{true, `"10.244.0.0/16"`, 8, 13, Plain}},
		{"data.quoted", Value{true, `"fd00::/108"`, 9, 13, DoubleQuoted}},
		{`data["values.yaml"]`, Value{true, `"# inner\nipam:\n  mode: kubernetes\npools: [a, b]\n"`, 10, 16, Literal}},
		{`data["values.yaml"]|ipam.mode`, Value{true, `"kubernetes"`, 13, 9, Plain}},
		{`data["values.yaml"]|pools[1]`, Value{true, `"b"`, 14, 12, Plain}},
		{`data["values.yaml"]|none.such`, Value{}},
		{"copy", Value{true, `{"x":1,"y":null}`, 16, 7, Alias}},
		{"copy.x", Value{true, `1`, 15, 17, Plain}},
		{"merged", Value{true, `{"x":16,"y":null}`, 18, 3, Block}},
		{"merged.y", Value{true, `null`, 15, 23, Plain}},
		{"base", Value{true, `{"x":1,"y":null}`, 15, 7, Flow}},
		{"list[0]", Value{true, `1.5`, 21, 3, Plain}},
		{"list[1].key", Value{true, `[true,"2001-02-03"]`, 22, 8, Flow}},
		{"list[2]", Value{}},
		{"list.key", Value{}},
		{"kind[0]", Value{}},
		{"kind.none", Value{}},
		{"empty", Value{true, `null`, 23, 7, Plain}},
		{"empty.none", Value{}},
		{"empty|none", Value{}},
		{"none.such", Value{}},
	}
	var paths []Path
	for _, tt := range tests {
		p, err := ParsePath(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	got, err := Get([]byte(manifest), Selector{Kind: "ConfigMap"}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range tests {
		if got[i] != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.path, got[i], tt.want)
		}
	}
}

func TestGetLinesOfLaterDocuments(t *testing.T) {
	src := "a: 1\n---\n# two\nkind: B\ntext: |\n  x: 1\n  y: 1\n  y: 2\nz: .nan\n"
	at := Selector{Kind: "B"}
	got, err := Get([]byte(src), at, Keys("kind"), Path{Key("text"), Inside(), Key("x")})
	if err != nil || got[0].Line != 4 || got[1].Line != 6 {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = Get([]byte(src), at, Path{Key("text"), Inside(), Key("y")}, Keys("z"))
	for _, phrase := range []string{"line 8: text|y: the key stands there twice", "line 9: z: NaN"} {
		if err == nil || !strings.Contains(err.Error(), phrase) {
			t.Errorf("got %v, want %q in it", err, phrase)
		}
	}
}

func TestDocuments(t *testing.T) {
	got, err := Documents([]byte(manifest + "---\n\n---\n- 1\n"))
	want := []DocumentInfo{
		{0, "v1", "ConfigMap", "site", "flux-system", 2},
		{1, "", "Other", "site", "", 25},
		{2, "", "", "", "", 30},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, empty := range []string{"", "\n", "# only\n", "---\n", "---\n---\n", byteOrderMark, "...\n", "%YAML 1.2\n"} {
		if got, err := Documents([]byte(empty)); err != nil || len(got) != 0 {
			t.Errorf("Documents(%q) = %v, %v; want none", empty, got, err)
		}
	}
}

func TestErrorsCanBeToldApart(t *testing.T) {
	one := []Field{{Path: Keys("a", "b"), Value: 1}}
	tests := []struct {
		src  string
		edit Edit
		is   error
	}{
		{"kind: A\n", Edit{Document: Selector{Kind: "B"}, Fields: one}, ErrNoDocument},
		{"a: 1\n---\na: 2\n", Edit{Fields: one}, ErrAmbiguous},
	}
	for _, tt := range tests {
		if _, err := Apply([]byte(tt.src), tt.edit); !errors.Is(err, tt.is) {
			t.Errorf("Apply(%q) = %v, want %v", tt.src, err, tt.is)
		}
	}
	_, err := Apply([]byte("a: 1\n---\nb: [\n"), Edit{Document: Selector{Kind: "B"}, Fields: one})
	if syntax, ok := errors.AsType[*SyntaxError](err); !ok || syntax.Line < 3 || syntax.Line > 4 {
		t.Errorf("got %v, want a SyntaxError near line 3", err)
	}
	_, err = Apply([]byte("x: 1\n---\nkind: B\na: text\n"), Edit{Document: Selector{Kind: "B"}, Fields: one})
	if unsafe, ok := errors.AsType[*UnsafeError](err); !ok || unsafe.Line != 4 || unsafe.Path.String() != "a" {
		t.Errorf("got %v, want an UnsafeError of a in line 4", err)
	}
}

// TestApplyCollects holds for edits of several documents: all refusals come at
// once, and none is done if one is refused.
func TestApplyCollects(t *testing.T) {
	src := []byte("kind: A\na: x\n---\nkind: B\nb: y\n---\nkind: C\nc: 1\n")
	at := func(kind, path string) Edit {
		return Edit{Document: Selector{Kind: kind}, Fields: []Field{{Path: Keys(path, "z"), Value: 1}}}
	}
	got, err := Apply(src, at("A", "a"), at("B", "b"), at("C", "new"), at("D", "d"))
	if got != nil || err == nil {
		t.Fatalf("got %q, %v", got, err)
	}
	for _, phrase := range []string{"line 2: a:", "line 5: b:", "no document matches D"} {
		if !strings.Contains(err.Error(), phrase) {
			t.Errorf("%q is missing in:\n%v", phrase, err)
		}
	}
	got, err = Apply(src, at("A", "new"), at("C", "new"), Edit{Document: Selector{Kind: "C"}, Fields: []Field{{Path: Keys("c"), Value: 2}}})
	want := "kind: A\na: x\nnew:\n  z: 1\n---\nkind: B\nb: y\n---\nkind: C\nc: 2\nnew:\n  z: 1\n"
	if err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}
