// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestJSON(t *testing.T) {
	tests := []struct {
		value any
		want  string
	}{
		{nil, `null`},
		{"a<b>&\"\\\n\u2028é", `"a<b>&\"\\\n\u2028é"`},
		{true, `true`},
		{-5, `-5`},
		{int64(math.MaxInt64), `9223372036854775807`},
		{1.0, `1`},
		{0.1, `0.1`},
		{math.Copysign(0, -1), `0`},
		{1e21, `1e+21`},
		{json.Number("1.0"), `1`},
		{json.Number("12345678901234567890123"), `12345678901234567890123`},
		{json.Number("2.50e-3"), `0.0025`},
		{[]string{"b", "a"}, `["b","a"]`},
		{[]any{nil, 1, []any{}}, `[null,1,[]]`},
		{map[string]any{"b": 1, "a": map[string]any{}}, `{"a":{},"b":1}`},
		{Map{{"b", 1}, {"a", Map{}}}, `{"a":{},"b":1}`},
	}
	for _, tt := range tests {
		if got, err := JSON(tt.value); err != nil || got != tt.want {
			t.Errorf("JSON(%#v) = %s, %v; want %s", tt.value, got, err, tt.want)
		}
	}
	for _, wrong := range []any{math.NaN(), math.Inf(1), json.Number("x"), json.Number("1e999"), "\xff", struct{}{}, []any{1, []any{'x'}}, Map{{"a", 1}, {"a", 2}}} {
		if got, err := JSON(wrong); err == nil {
			t.Errorf("JSON(%#v) = %s, want an error", wrong, got)
		}
	}
}

func TestMapSet(t *testing.T) {
	var m Map
	m.Set("b", 1)
	m.Set("a", 2)
	m.Set("b", 3)
	if want := (Map{{"b", 3}, {"a", 2}}); !reflect.DeepEqual(m, want) {
		t.Errorf("got %v, want %v", m, want)
	}
}

func TestEncode(t *testing.T) {
	doc := Map{
		{"apiVersion", "v1"},
		{"spec", Map{
			{"cidrs", []string{"10.244.0.0/16", "fd00::/108", "fd00::"}},
			{"rules", []any{Map{{"table", 47}, {"from", []any{}}}, Map{}, []any{1, 2}, nil}},
			{"text", "one\n\n  two\n"},
			{"cut", "one\ntwo"},
			{"yes", "yes"},
			{"ratio", 0.5},
			{"big", 1e30},
			{"none", nil},
		}},
	}
	want := `apiVersion: v1
spec:
  cidrs:
    - 10.244.0.0/16
    - fd00::/108
    - "fd00::"
  rules:
    - table: 47
      from: []
    - {}
    - - 1
      - 2
    - null
  text: |
    one

      two
  cut: |-
    one
    two
  "yes": "yes"
  ratio: 0.5
  big: 1.0e+30
  none: null
`
	got := string(Encode(doc))
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	wantSettled(t, []byte(got), Edit{Fields: []Field{{Path: Keys("spec"), Value: doc[1].Value}}})
	if got := string(Encode(nil)); got != "{}\n" {
		t.Errorf("an empty document is %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a value that cannot be written was")
		}
	}()
	Encode(Map{{"a", struct{}{}}})
}

// FuzzScalar checks that a text, in whatever style and place, is read as that
// text by the library, also by the rules of YAML 1.1 for bools.
func FuzzScalar(f *testing.F) {
	for _, seed := range []string{"yes", "0o7", "1:20", "fd00::", "a: b", "- x", "#", "\u0085", "'", "{{ .x }}", " \n", "a\n\n", "\ufeff", "\U000e0001", "0x", "1_", "+.5e3", "---", "<<", "="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := newValue(s)
		if err != nil {
			return
		}
		for _, want := range []yaml.Style{0, yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle} {
			for _, text := range []string{
				"a: " + scalarText(v, want, false) + "\n",
				"{a: " + scalarText(v, want, true) + ", b: 1}\n",
				"- a: " + scalarText(v, want, false) + " # c\n",
				string(Encode(Map{{"a", s}, {"b", 1}})),
			} {
				root, err := parseTree([]byte(text))
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				if root.Kind == yaml.SequenceNode {
					root = root.Content[0]
				}
				n := firstValue(root, "a")
				if n == nil || n.Value != s || n.ShortTag() != "!!str" {
					t.Fatalf("%q is read as %+v", text, n)
				}
				var old bool
				if n.Style == 0 && n.Decode(&old) == nil {
					t.Fatalf("%q is %v by YAML 1.1", text, old)
				}
			}
		}
		if writableKey(s) != nil {
			return
		}
		got := Encode(Map{{s, 1}})
		root, err := parseTree(got)
		if err != nil || root.Content[0].Value != s || root.Content[0].ShortTag() != "!!str" {
			t.Fatalf("the key %q is not read from %q: %v", s, got, err)
		}
	})
}

func TestSelectorString(t *testing.T) {
	zero := 0
	tests := []struct {
		sel  Selector
		want string
	}{
		{Selector{}, "(the only one)"},
		{Selector{APIVersion: "v1", Kind: "ConfigMap", Namespace: "a", Name: "b"}, "v1 ConfigMap a/b"},
		{Selector{Name: "b"}, "b"},
		{Selector{Kind: "Package", Namespace: "a"}, "Package in namespace a"},
		{Selector{Index: &zero}, "at index 0"},
	}
	for _, tt := range tests {
		if got := tt.sel.String(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	for style, want := range map[Style]string{Plain: "plain", Alias: "alias", Literal: "literal"} {
		if got := style.String(); !strings.EqualFold(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
