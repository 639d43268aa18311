// SPDX-License-Identifier: MPL-2.0

package space

import (
	"errors"
	"net/netip"
	"testing"

	"go4.org/netipx"
)

// Each text that is refused, with what is wrong and what is suggested.
var refused = []struct {
	name, in, problem, suggestion string
	parse                         judge
}{
	{"host bits IPv4", "10.244.3.7/16", hasHostBits, "10.244.0.0/16", asPrefix},
	{"host bits IPv6", "2001:db8::1/32", hasHostBits, "2001:db8::/32", asPrefix},
	{"host bits in a range argument", "10.244.3.7/16", hasHostBits, "10.244.0.0/16", asRange},
	{"mapped prefix", "::ffff:10.244.0.0/112", isMapped, "10.244.0.0/16", asPrefix},
	{"mapped prefix, host bits", "::ffff:10.244.3.7/112", isMapped, "10.244.0.0/16", asPrefix},
	{"mapped prefix beyond IPv4", "::ffff:10.244.0.0/64", isMapped, "", asPrefix},
	{"mapped address", "::ffff:10.0.0.1", isMapped, "10.0.0.1", asAddr},
	{"mapped range", "::ffff:10.0.0.1-::ffff:10.0.0.9", isMapped, "10.0.0.1-10.0.0.9", asRange},
	{"zone in a prefix", "fe80::%eth0/64", hasZone, "fe80::/64", asPrefix},
	{"zone in an address", "fe80::1%eth0", hasZone, "fe80::1", asAddr},
	{"zone in a range", "fe80::1%eth0-fe80::9", hasZone, "fe80::1-fe80::9", asRange},
	{"no length IPv4", "10.0.0.1", isAddress, "10.0.0.1/32", asPrefix},
	{"no length IPv6", "fd00::1", isAddress, "fd00::1/128", asPrefix},
	{"no length, mapped", "::ffff:10.0.0.1", isMapped, "", asPrefix},
	{"leading zeros", "010.1.00.0/16", hasLeadingZeros, "10.1.0.0/16", asPrefix},
	{"leading zeros and host bits", "10.1.2.03/16", hasLeadingZeros, "10.1.0.0/16", asPrefix},
	{"leading zeros in the length", "10.1.0.0/016", hasLeadingZeros, "10.1.0.0/16", asPrefix},
	{"leading zeros in both bounds", "10.0.0.01-10.0.0.09", hasLeadingZeros, "10.0.0.1-10.0.0.9", asRange},
	{"all of IPv4", "0.0.0.0/0", "is the whole IPv4 address space; name the part that is meant", "", asPrefix},
	{"all of IPv6", "::/0", "is the whole IPv6 address space; name the part that is meant", "", asPrefix},
	{"length IPv4", "10.0.0.0/33", "has no valid length: an IPv4 prefix ends in /1 to /32", "", asPrefix},
	{"length IPv6", "fd00::/129", "has no valid length: an IPv6 prefix ends in /1 to /128", "", asPrefix},
	{"length with a sign", "fd00::/+48", "has no valid length: an IPv6 prefix ends in /1 to /128", "", asPrefix},
	{"length empty", "10.0.0.0/", "has no valid length: an IPv4 prefix ends in /1 to /32", "", asPrefix},
	{"length huge", "10.0.0.0/99999999999999999999", "has no valid length: an IPv4 prefix ends in /1 to /32", "", asPrefix},
	{"netmask", "10.0.0.0/255.0.0.0", "has no valid length: an IPv4 prefix ends in /1 to /32", "", asPrefix},
	{"spaces around a prefix", " 10.0.0.0/8\n", hasSpaces, "10.0.0.0/8", asPrefix},
	{"spaces around an address", "10.0.0.1 ", hasSpaces, "10.0.0.1", asAddr},
	{"spaces around a range", " 10.0.0.1 - 10.0.0.2", hasSpaces, "10.0.0.1 - 10.0.0.2", asRange},
	{"nothing", "", isNothing, "", asPrefix},
	{"nothing but a length", "/8", isNothing, "", asPrefix},
	{"nothing for a range", "", isNothing, "", asRange},
	{"nothing but a sign", "-", isNothing, "", asRange},
	{"a word", "pod", isNothing, "", asAddr},
	{"a word as a bound", "10.0.0.1-pod", isNothing, "", asRange},
	{"too many bounds", "10.0.0.1-10.0.0.2-10.0.0.3", isNothing, "", asRange},
	{"prefix as a bound", "10.0.0.0/24-10.0.1.0/24", isNothing, "", asRange},
	{"prefix as an address", "10.0.0.0/24", isPrefix, "10.0.0.0", asAddr},
	{"nonsense with a slash as an address", "pod/24", isPrefix, "", asAddr},
	{"two families", "10.0.0.1-fd00::1", isMixed, "", asRange},
	{"backwards IPv4", "10.0.0.9-10.0.0.1", isBackwards, "10.0.0.1-10.0.0.9", asRange},
	{"backwards IPv6", "fd00::9..fd00::1", isBackwards, "fd00::1-fd00::9", asRange},
}

func TestParse_refuses(t *testing.T) {
	for _, tc := range refused {
		t.Run(tc.name, func(t *testing.T) {
			var got *SyntaxError
			if err := tc.parse(tc.in); !errors.As(err, &got) {
				t.Fatalf("%q: got %v, want a syntax error", tc.in, err)
			}
			if want := (SyntaxError{tc.in, tc.problem, tc.suggestion}); *got != want {
				t.Errorf("%q:\n got %+v\nwant %+v", tc.in, *got, want)
			}
			if got.Suggestion != "" {
				if err := tc.parse(got.Suggestion); err != nil {
					t.Errorf("%q: the suggestion is refused: %v", tc.in, err)
				}
			}
		})
	}
}

func TestSyntaxError_text(t *testing.T) {
	for in, want := range map[string]string{
		"10.244.1.0/16": `"10.244.1.0/16" has host bits set; use "10.244.0.0/16"`,
		"fd00::/200":    `"fd00::/200" has no valid length: an IPv6 prefix ends in /1 to /128`,
	} {
		if got := asPrefix(in).Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestParsePrefix(t *testing.T) {
	for in, want := range map[string]string{
		"10.244.0.0/16":          "10.244.0.0/16",
		"255.255.255.255/32":     "255.255.255.255/32",
		"128.0.0.0/1":            "128.0.0.0/1",
		"2001:DB8:0:0::/32":      "2001:db8::/32",
		"fd00::/8":               "fd00::/8",
		"2001:db8::1/128":        "2001:db8::1/128",
		"64:ff9b::192.0.2.0/120": "64:ff9b::c000:200/120",
	} {
		got, err := ParsePrefix(in)
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v, want %s", in, got, err, want)
		}
	}
}

func TestParseRange(t *testing.T) {
	for in, want := range map[string]string{
		"10.244.0.0/16":                "10.244.0.0-10.244.255.255",
		"fd00::/64":                    "fd00::-fd00::ffff:ffff:ffff:ffff",
		"192.0.2.7":                    "192.0.2.7-192.0.2.7",
		"2001:db8::7":                  "2001:db8::7-2001:db8::7",
		"10.2.99.10-10.2.99.50":        "10.2.99.10-10.2.99.50",
		"10.244.248.0..10.244.255.255": "10.244.248.0-10.244.255.255",
		"fd00::1  -   fd00::9":         "fd00::1-fd00::9",
		"fd00::1 .. fd00::9":           "fd00::1-fd00::9",
		"0.0.0.0-255.255.255.255":      "0.0.0.0-255.255.255.255",
		"10.0.0.1-10.0.0.1":            "10.0.0.1-10.0.0.1",
	} {
		got, err := ParseRange(in)
		if err != nil || got.String() != want {
			t.Errorf("%q: got %v, %v, want %s", in, got, err, want)
		}
	}
}

func TestFormatRange(t *testing.T) {
	for in, want := range map[string]string{
		"10.244.0.0-10.244.255.255": "10.244.0.0/16",
		"10.0.0.1-10.0.0.1":         "10.0.0.1",
		"10.0.0.0-10.0.0.2":         "10.0.0.0-10.0.0.2",
		"fd00::-fd00::f":            "fd00::/124",
		"fd00::1-fd00::1":           "fd00::1",
		"fd00::1-fd00::2":           "fd00::1-fd00::2",
		"0.0.0.0-255.255.255.255":   "0.0.0.0-255.255.255.255",
	} {
		if got := FormatRange(netipx.MustParseIPRange(in)); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestIsCanonical(t *testing.T) {
	for in, want := range map[string]bool{
		"10.244.0.0/16": true, "0.0.0.0/0": true, "10.0.0.1/32": true,
		"2001:db8::/32": true, "::/0": true, "fd00::1/128": true,
		"10.244.1.0/16": false, "10.244.0.0": false, "010.0.0.0/8": false, "10.0.0.0/08": false,
		"2001:DB8::/32": false, "2001:db8:0::/32": false, "2001:db8::1/32": false, "fe80::%a/64": false,
		"::ffff:10.0.0.0/104": false, " 10.0.0.0/8": false, "": false, "10.0.0.0-10.0.0.255": false,
	} {
		if got := IsCanonical(in); got != want {
			t.Errorf("%q: got %v, want %v", in, got, want)
		}
	}
}

// FuzzParseRange: what is read survives being written; what is suggested is
// accepted; and the three parsers agree on what a text means.
func FuzzParseRange(f *testing.F) {
	for _, tc := range refused {
		f.Add(tc.in)
	}
	for _, in := range []string{"10.0.0.0/8", "10.0.0.1..10.0.0.9", "fd00::1 - fd00::2", "2001:DB8::/32", "192.0.2.1", "0.0.0.0-255.255.255.255"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := ParseRange(in)
		if err == nil {
			if again, err := ParseRange(FormatRange(r)); err != nil || again != r || !r.IsValid() {
				t.Errorf("%q is %v, written %s, read again as %v, %v", in, r, FormatRange(r), again, err)
			}
		}
		if p, err := ParsePrefix(in); err == nil && (netipx.RangeOfPrefix(p) != r || p.Masked() != p) {
			t.Errorf("%q is %v as a range and %v as a prefix", in, r, p)
		}
		if a, err := ParseAddr(in); err == nil && netipx.IPRangeFrom(a, a) != r {
			t.Errorf("%q is %v as a range and %v as an address", in, r, a)
		}
		for name, parse := range map[string]judge{"prefix": asPrefix, "range": asRange, "address": asAddr} {
			var syntax *SyntaxError
			if err := parse(in); errors.As(err, &syntax) && syntax.Suggestion != "" {
				if err := parse(syntax.Suggestion); err != nil {
					t.Errorf("%q as %s: the suggestion %q is refused: %v", in, name, syntax.Suggestion, err)
				}
			}
		}
		if IsCanonical(in) != canonical(in) {
			t.Errorf("%q: IsCanonical is %v", in, IsCanonical(in))
		}
	})
}

// canonical is the definition of a canonical prefix by way of the parser.
func canonical(in string) bool {
	p, err := ParsePrefix(in)
	return err == nil && p.String() == in || in == "0.0.0.0/0" || in == "::/0"
}

func mustPrefix(t testing.TB, s string) netip.Prefix {
	t.Helper()
	p, err := ParsePrefix(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
