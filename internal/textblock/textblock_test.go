// SPDX-License-Identifier: MPL-2.0

package textblock

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func trusted() Block { return Block{Name: "trusted", Comment: "#"} }

func TestSet(t *testing.T) {
	tests := []struct {
		name, before, after string
		block               Block
		content             string
	}{
		{"a new block at the end", "a = 1\n", "a = 1\n# BEGIN cidrplan trusted\nb = 2\n# END cidrplan trusted\n", trusted(), "b = 2\n"},
		{"an empty file", "", "# BEGIN cidrplan trusted\nb = 2\n# END cidrplan trusted\n", trusted(), "b = 2"},
		{"no final newline", "a = 1", "a = 1\n# BEGIN cidrplan trusted\nb = 2\n# END cidrplan trusted", trusted(), "b = 2\n"},
		{"Windows line ends", "a = 1\r\nc = 3\r\n", "a = 1\r\nc = 3\r\n# BEGIN cidrplan trusted\r\nb = 2\r\nd = 4\r\n# END cidrplan trusted\r\n", trusted(), "b = 2\nd = 4\n"},
		{"replaced", "x\n# BEGIN cidrplan trusted\nold\nolder\n# END cidrplan trusted\ny\n", "x\n# BEGIN cidrplan trusted\nb = 2\n# END cidrplan trusted\ny\n", trusted(), "b = 2\n"},
		{"emptied", "# BEGIN cidrplan trusted\nold\n# END cidrplan trusted\n", "# BEGIN cidrplan trusted\n# END cidrplan trusted\n", trusted(), ""},
		{"indented as its marker", "site {\n\t# BEGIN cidrplan trusted\n\told\n\t# END cidrplan trusted\n}\n", "site {\n\t# BEGIN cidrplan trusted\n\tb\n\n\tc\n\t# END cidrplan trusted\n}\n", trusted(), "b\n\nc\n"},
		{"behind a line", "site {\n\treverse_proxy app {\n\t}\n}\n", "site {\n\treverse_proxy app {\n\t# BEGIN cidrplan trusted\n\ttrusted_proxies 10.244.0.0/16\n\t# END cidrplan trusted\n\t}\n}\n", Block{Name: "trusted", Comment: "#", After: "reverse_proxy app {"}, "trusted_proxies 10.244.0.0/16\n"},
		{"behind a line that opens something", "servers {\n\tname a\n}\n", "servers {\n\t# BEGIN cidrplan trusted\n\tb\n\t# END cidrplan trusted\n\tname a\n}\n", Block{Name: "trusted", Comment: "#", After: "servers {"}, "b"},
		{"in front of a line", "  [end]\n", "  // BEGIN cidrplan trusted\n  b\n  // END cidrplan trusted\n  [end]\n", Block{Name: "trusted", Comment: "//", Before: "[end]"}, "b"},
		{"a comment that ends", "<a/>\n", "<a/>\n<!-- BEGIN cidrplan trusted -->\nb\n<!-- END cidrplan trusted -->\n", Block{Name: "trusted", Comment: "<!--", CommentEnd: "-->"}, "b"},
		{"another block beside it", "# BEGIN cidrplan other\nx\n# END cidrplan other\n", "# BEGIN cidrplan other\nx\n# END cidrplan other\n# BEGIN cidrplan trusted\nb\n# END cidrplan trusted\n", trusted(), "b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.block.Set([]byte(test.before), test.content)
			if err != nil || string(got) != test.after {
				t.Fatalf("%v\n%q\nwant\n%q", err, got, test.after)
			}
			content, err := test.block.Get(got)
			if want := strings.TrimSuffix(test.content, "\n"); err != nil || strings.TrimSuffix(content, "\n") != want {
				t.Errorf("read back %q: %v", content, err)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, before, content, words string
		block                        Block
	}{
		{"no end", "a\n# BEGIN cidrplan trusted\nb\n", "x", `line 2: the block "trusted" begins and does not end`, trusted()},
		{"no begin", "a\n# END cidrplan trusted\n", "x", "line 2: the block \"trusted\" ends where it has not begun", trusted()},
		{"twice", "# BEGIN cidrplan trusted\n# BEGIN cidrplan trusted\n", "x", "line 2: the block \"trusted\" begins a second time", trusted()},
		{"two ends", "# BEGIN cidrplan trusted\n# END cidrplan trusted\n# END cidrplan trusted\n", "x", "line 3: ", trusted()},
		{"a marker in the content", "", "a\n  # END cidrplan trusted\n", "line 2: the content holds the marker", trusted()},
		{"no such line", "a\n", "x", `no line is "b"`, Block{Name: "t", Comment: "#", After: "b"}},
		{"two such lines", "a\n  a\n", "x", "line 2: the line \"a\" stands here and in line 1", Block{Name: "t", Comment: "#", Before: "a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var reason *Error
			got, err := test.block.Set([]byte(test.before), test.content)
			if got != nil || !errors.As(err, &reason) || !strings.Contains(err.Error(), test.words) {
				t.Errorf("%q, %v; want %s", got, err, test.words)
			}
		})
	}
	if _, err := trusted().Remove([]byte("a\n")); !errors.Is(err, ErrNoBlock) {
		t.Error(err)
	}
}

// FuzzSet: a block that was added and taken out leaves the text as it was; setting
// it again changes nothing; what stands around a block stays.
func FuzzSet(f *testing.F) {
	f.Add([]byte("a\n"), "b\n", "")
	f.Add([]byte("a\r\n\tb"), "x\n\ny", "b")
	f.Add([]byte(" # BEGIN cidrplan trusted\n x\n # END cidrplan trusted\nz"), "y", "z")
	f.Fuzz(func(t *testing.T, src []byte, content, after string) {
		b := trusted()
		b.After = after
		_, _, found := b.find(split(src))
		set, err := b.Set(src, content)
		if err != nil {
			return
		}
		again, err := b.Set(set, content)
		if err != nil || !bytes.Equal(again, set) {
			t.Fatalf("not idempotent: %v\n%q\n%q", err, set, again)
		}
		removed, err := b.Remove(set)
		if err != nil {
			t.Fatalf("the block cannot be taken out: %v\n%q", err, set)
		}
		if errors.Is(found, ErrNoBlock) && !bytes.Equal(removed, src) {
			t.Fatalf("added and taken out\n%q\nwas\n%q", removed, src)
		}
		if found == nil {
			before, _ := b.Remove(src)
			if !bytes.Equal(before, removed) {
				t.Fatalf("outside of the block\n%q\nwas\n%q", removed, before)
			}
		}
	})
}
