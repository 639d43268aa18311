// SPDX-License-Identifier: MPL-2.0

package rules

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the catalogue page anew")

// The page of the rule catalogue is made from the table of rules, so that none
// can be undocumented. go test ./internal/rules -run TestCatalogue -update.
func TestCatalogue(t *testing.T) {
	const file = "../../templates/guides/rules.md"
	page := catalogue()
	if *update {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(content) != page {
		t.Errorf("%s is not what the table of rules says; run make generate", file)
	}
}

func catalogue() string {
	var b strings.Builder
	b.WriteString(`---
page_title: "Rule catalogue"
subcategory: "Guides"
description: |-
  What must be true of a plan, why, and what happens otherwise.
---

# Rule catalogue

Every plan is held against these rules, in one run. A finding names the networks, the exact ranges, what somebody would
see happen, and a value that works. ` + "`error`" + ` breaks the site or loses traffic and fails the read, ` + "`warning`" + ` will under
growth or a later step, ` + "`info`" + ` is worth knowing.

A finding that is no problem at your site is accepted with a reason, by rule and network; the reason stands in the plan:

` + "```terraform" + `
accept = {
  "public-range/pod" = "the range is ours"
}
` + "```" + `

A firm rule cannot be accepted: two allocators would hand out one address.

| rule | severity | |
|---|---|---|
`)
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.Slug, r.Slug, r.Severity, r.Title)
	}
	for _, r := range Rules() {
		firm := ""
		if r.Firm {
			firm = " It is firm."
		}
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Severity: %s.%s\n\n%s\n", r.Slug, r.Title, r.Severity, firm, r.Explanation)
	}
	return b.String()
}
