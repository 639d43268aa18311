// SPDX-License-Identifier: MPL-2.0

package birdconfig

import (
	"regexp"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Read returns the ranges of a BIRD configuration: those of its constants, by name,
// and those of its routes. What they are for the file does not say.
func Read(src []byte) ([]artifact.Fact, error) {
	definition := regexp.MustCompile(`^\s*define\s+([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?);`)
	route := regexp.MustCompile(`^\s*route\s+(\S+)\s`)
	var out []artifact.Fact
	for i, line := range strings.Split(withoutComments(string(src)), "\n") {
		name, value := "", ""
		if found := definition.FindStringSubmatch(line); found != nil {
			name, value = found[1], found[2]
		} else if found := route.FindStringSubmatch(line); found != nil {
			value = found[1]
		}
		for _, text := range ranges(value) {
			r, _ := artifact.LooseRange(text)
			if prefix, ok := r.Prefix(); ok && prefix.Bits() == 0 {
				continue // a default route says nothing of who has an address
			}
			out = append(out, artifact.Fact{
				Name: name, Subject: artifact.SubjectCIDRs, Value: space.FormatRange(r), Written: text,
				Origin: artifact.Declared, Place: artifact.Place{Line: i + 1, KeyPath: name},
			})
		}
	}
	return out, nil
}

// ranges finds the prefixes and addresses of a value: a prefix, an address, or the
// elements of a set without their lengths.
func ranges(value string) []string {
	lengths := regexp.MustCompile(`\{[^}]*\}|[+-]\s*(,|\]|$)`)
	value = lengths.ReplaceAllStringFunc(value, func(found string) string {
		return strings.TrimLeft(found, "+-{}0123456789, ")
	})
	var out []string
	for _, text := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune("[], \t", r) }) {
		if r, ok := artifact.LooseRange(text); ok && r != (netipx.IPRange{}) {
			out = append(out, text)
		}
	}
	return out
}

// withoutComments blanks comments, and keeps the lines: # to the end of a line, and
// /* to */.
func withoutComments(text string) string {
	text = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllStringFunc(text, func(found string) string {
		return strings.Repeat("\n", strings.Count(found, "\n"))
	})
	return regexp.MustCompile(`#[^\n]*`).ReplaceAllString(text, "")
}
