// SPDX-License-Identifier: MPL-2.0

package yamledit

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// valuesFile is a values file of 5,002 lines, as the user of a chart keeps it.
func valuesFile() []byte {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "\n# -- settings of a part\npart%d:\n  enabled: true   # on by default\n  image:\n    repository: \"example.org/part\"\n    tag: v1.2.%d\n  args:\n    - --one\n    - '--two=2'\n", i, i)
	}
	b.WriteString("ipam:\n  mode: kubernetes   # who gives pods their addresses\n")
	return []byte(b.String())
}

// BenchmarkApply changes one field of a values file of 5,000 lines, beside
// parsing it once with the library that finds the positions. The two take turns,
// so that what else the machine does slows both down.
func BenchmarkApply(b *testing.B) {
	src := valuesFile()
	mode := Keys("ipam", "mode")
	for _, bb := range []struct {
		name string
		edit Edit
	}{
		{"change", Edit{Fields: []Field{{Path: mode, Value: "cluster-pool"}}}},
		{"change ten", Edit{Fields: tenFields()}},
		{"add", Edit{Fields: []Field{{Path: Keys("ipam", "operator", "mask"), Value: 24}}}},
		{"nothing to do", Edit{Fields: []Field{{Path: mode, Value: "kubernetes"}}}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			var parsing, editing time.Duration
			for b.Loop() {
				start := time.Now()
				var node yaml.Node
				if err := yaml.Unmarshal(src, &node); err != nil {
					b.Fatal(err)
				}
				parsed := time.Now()
				if _, err := Apply(src, bb.edit); err != nil {
					b.Fatal(err)
				}
				parsing, editing = parsing+parsed.Sub(start), editing+time.Since(parsed)
			}
			b.ReportMetric(float64(parsing.Nanoseconds())/float64(b.N), "ns/parse")
			b.ReportMetric(float64(editing.Nanoseconds())/float64(b.N), "ns/edit")
			b.ReportMetric(float64(editing)/float64(parsing), "edit/parse")
		})
	}
}

func tenFields() []Field {
	var fields []Field
	for i := range 10 {
		fields = append(fields, Field{Path: Keys(fmt.Sprintf("part%d", 50*i), "image", "tag"), Value: "v2"})
	}
	return fields
}
