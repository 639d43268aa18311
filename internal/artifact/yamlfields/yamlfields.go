// SPDX-License-Identifier: MPL-2.0

// Package yamlfields sets values that the user composes at any paths of any YAML
// file.
package yamlfields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Summaries of paths that name no field of their own.
const (
	SummaryFieldPath    = "Invalid Field Path"
	SummaryFieldOverlap = "Field Inside Another Field"
)

// Consumer returns the consumer.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "yaml_fields",
		Purpose: "Keeps facts of the plan at any field paths of any YAML file: talhelper, Argo CD, helmfile, the trusted proxies of an application, a joined string. Values are composed in the configuration from the outputs of `cidrplan_site` or `cidrplan_plan`, and only the named fields are touched. " +
			"For the files that have a resource of their own, use that: it knows what its consumer accepts.",
		NoFragment: true,
		Options: []artifact.Option{
			{Name: "values", Type: artifact.AnyMap, Required: true, Description: "What stands at each field path: an object whose keys are paths and whose values are texts, numbers, booleans, lists or objects. `null` takes the field out. " +
				"A path is keys joined by dots (`spec.values.trustedProxies`); `[0]` is an element of a list, counted from 0; `[\"values.yaml\"]` a key with special characters; and `|` goes on inside the YAML text that a field holds (`data[\"values.yaml\"]|ipam.mode`). Nothing secret belongs here: what is set shows in `fields`."},
		},
		Render: render,
	}
}

func render(_ *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	values := o.Any("values")
	var result artifact.Result
	for _, text := range slices.Sorted(maps.Keys(values)) {
		path, err := yamledit.ParsePath(text)
		if err != nil {
			problems.Add(site.At("values"), SummaryFieldPath, "%s.", capitalized(err.Error()))
			continue
		}
		result.Fields = append(result.Fields, yamledit.Field{Path: path, Value: values[text]})
	}
	if len(values) == 0 {
		problems.Add(site.At("values"), artifact.SummaryMissingOption, "There is nothing to set. Write values = { \"spec.values.trustedProxies\" = … }.")
	}
	overlaps(result.Fields, &problems)
	return result, problems
}

// overlaps refuses two fields of which one holds the other: each edit would undo
// the other.
func overlaps(fields []yamledit.Field, problems *site.Problems) {
	for i, a := range fields {
		for j, b := range fields {
			if i != j && len(a.Path) <= len(b.Path) && slices.Equal(a.Path, b.Path[:len(a.Path)]) && (len(a.Path) < len(b.Path) || i < j) {
				problems.Add(site.At("values"), SummaryFieldOverlap, "The field %s lies in the field %s, which is set as a whole. Set one of them.", b.Path, a.Path)
			}
		}
	}
}

func capitalized(text string) string {
	if text == "" {
		return text
	}
	return fmt.Sprintf("%s%s", strings.ToUpper(text[:1]), text[1:])
}
