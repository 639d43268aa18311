// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNoDocument is wrapped by the error for a selector that no document of the
// text matches. Its text lists the documents that are there.
var ErrNoDocument = errors.New("no document matches")

// ErrAmbiguous is wrapped by the error for a selector that several documents
// match. Its text lists them with their lines.
var ErrAmbiguous = errors.New("several documents match")

// A SyntaxError tells that a text is no YAML, as far as the parser can read it.
type SyntaxError struct {
	Line   int // near which line of the text, from 1
	Reason string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: this is not YAML: %s", e.Line, e.Reason)
}

// An UnsafeError tells that a field cannot be edited so that nothing else
// changes. Nothing was edited then.
type UnsafeError struct {
	Path   Path // the owned field, or the parent of it that is in the way
	Line   int  // of the text, from 1; 0 if it is about no line
	Reason string
}

func (e *UnsafeError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", e.Line)
	}
	if len(e.Path) > 0 {
		fmt.Fprintf(&b, "%s: ", e.Path)
	}
	b.WriteString(e.Reason)
	return b.String()
}

// documentError is the failure of a selector, with what it had to choose from.
func documentError(kind error, sel Selector, among []DocumentInfo) error {
	if len(among) == 0 {
		return fmt.Errorf("%w %s: the text holds none", kind, sel)
	}
	list := make([]string, len(among))
	for i, d := range among {
		list[i] = d.String()
	}
	if errors.Is(kind, ErrAmbiguous) {
		return fmt.Errorf("%w %s: %s; name the kind, the name or the index", kind, sel, strings.Join(list, ", "))
	}
	return fmt.Errorf("%w %s; there are: %s", kind, sel, strings.Join(list, ", "))
}
