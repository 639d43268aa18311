// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"slices"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
)

// Rule is one thing that must hold in a cluster.
type Rule struct {
	Slug        string
	Severity    rules.Severity // the worst that it reports
	Title       string
	Explanation string // Markdown, one paragraph, with the upstream evidence
	check       func(*audit)
}

// Rules returns the table of rules, by slug.
func Rules() []Rule {
	out := table()
	slices.SortFunc(out, func(a, b Rule) int {
		if a.Slug < b.Slug {
			return -1
		}
		return 1
	})
	return out
}

const ruleNotInspected = "not-inspected"

// table is every rule. Checks, findings and the documentation come from it.
func table() []Rule {
	return slices.Concat(collisionRules(), rangeRules(), kubeovnRules(), poolRules(), configurationRules(), releaseRules(), serviceRules(), storageRules(), fileRules())
}
