// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// scalarText writes a scalar on one line, in the wanted quoting style where its
// content allows it. In flow style more characters need quotes.
func scalarText(v value, want yaml.Style, flow bool) string {
	if v.tag != "!!str" {
		return v.text
	}
	switch {
	case want&yaml.SingleQuotedStyle != 0 && printable(v.text):
		return "'" + strings.ReplaceAll(v.text, "'", "''") + "'"
	case want&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) == 0 && plainSafe(v.text, flow):
		return v.text
	case want&yaml.DoubleQuotedStyle == 0 && printable(v.text) && strings.Contains(v.text, `"`) && !strings.ContainsAny(v.text, `'\`):
		return "'" + v.text + "'" // JSON in a text stays readable
	}
	return doubleQuoted(v.text)
}

// Texts that some reader takes for something else than a string if they are not
// quoted: Kubernetes and Helm read YAML 1.1, where "yes" is true, 0o7 and 0b1
// are numbers, and 1:20 is eighty; 1.2 has fewer of them and adds 0o7.
var notString = regexp.MustCompile(`^(?i:|~|null|true|false|y|n|yes|no|on|off|=|<<` +
	`|[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+]?0x[0-9a-f_]+` +
	`|[-+]?[0-9][0-9_,]*(:[0-5]?[0-9])*` +
	`|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*` +
	`|[-+]?(\.[0-9_]+|[0-9][0-9_,]*(\.[0-9_]*)?)(e[-+]?[0-9]+)?` +
	`|[-+]?\.inf|\.nan` +
	`|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*)$`)

// plainSafe reports whether a text can stand without quotes and is a string to
// every reader.
func plainSafe(s string, flow bool) bool {
	if notString.MatchString(s) || !printable(s) || strings.TrimSpace(s) != s {
		return false
	}
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		return false
	}
	switch s[0] {
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', '?', ':':
		return false
	case '-':
		if len(s) == 1 || s[1] == ' ' || flow {
			return false
		}
	}
	if flow && strings.ContainsAny(s, ",[]{}:?") {
		return false
	}
	return !strings.HasSuffix(s, ":") && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}

// printable reports whether a text can stand on one line without escapes.
func printable(s string) bool {
	for _, r := range s {
		if r == '\ufeff' || r == '\u2028' || r == '\u2029' || r != ' ' && !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// doubleQuoted quotes a text so that it stands on one line, with the escapes
// that YAML and JSON share where there is one.
func doubleQuoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case printable(string(r)):
			b.WriteRune(r)
		case r > 0xFFFF:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// literalSafe reports whether a text can stand in a literal block: it has
// several lines, needs no escape, and its first line shows the indentation.
func literalSafe(s string) bool {
	if s == "" || s[0] == ' ' || s[0] == '\n' || s[0] == '\t' || strings.HasSuffix(s, "\n\n") {
		return false
	}
	for line := range strings.Lines(s) {
		line = strings.TrimSuffix(line, "\n")
		if !printable(strings.ReplaceAll(line, "\t", "")) || line != "" && strings.Trim(line, " \t") == "" {
			return false
		}
	}
	return true
}

// literalHeader returns the start of a literal block that ends like the text.
func literalHeader(s string) string {
	if strings.HasSuffix(s, "\n") {
		return "|"
	}
	return "|-"
}

// literalLines returns the lines of a text, without indentation and breaks.
func literalLines(s string) []string {
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}
