// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"fmt"
	"math/bits"
	"net/netip"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// setOf returns the set of a builder that was given valid ranges only.
func setOf(b *netipx.IPSetBuilder) *netipx.IPSet {
	set, err := b.IPSet()
	if err != nil {
		panic("rules: a valid range was refused, which is a bug: " + err.Error())
	}
	return set
}

// sharedRanges returns what two sets have in common, ascending.
func sharedRanges(a, b *netipx.IPSet) []netipx.IPRange {
	var builder netipx.IPSetBuilder
	builder.AddSet(a)
	builder.Intersect(b)
	return setOf(&builder).Ranges()
}

func formatAll(ranges []netipx.IPRange) []string {
	out := make([]string, len(ranges))
	for i, r := range ranges {
		out[i] = space.FormatRange(r)
	}
	return out
}

// listRanges writes ranges for a sentence; of many only the first ones.
func listRanges(ranges []netipx.IPRange) string {
	const most = 4
	texts := formatAll(ranges)
	if len(texts) > most {
		return strings.Join(texts[:most], ", ") + fmt.Sprintf(" and %d more", len(texts)-most)
	}
	return strings.Join(texts, ", ")
}

func rangesText(n plan.Network) string {
	texts := make([]string, len(n.Ranges))
	for i, r := range n.Ranges {
		texts[i] = r.String()
	}
	return strings.Join(texts, ", ")
}

func covered(prefix netip.Prefix, by []netip.Prefix) bool {
	var b netipx.IPSetBuilder
	for _, p := range by {
		b.AddPrefix(p)
	}
	return setOf(&b).ContainsPrefix(prefix)
}

// log2Ceil returns the smallest n with 2^n >= v, for v >= 1.
func log2Ceil(v int) int { return bits.Len(uint(v - 1)) }
