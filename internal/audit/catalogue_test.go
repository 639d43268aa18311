// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
)

var update = flag.Bool("update", false, "write the page of the audit anew")

// The page of the audit is made from the table of rules, so that none can be
// undocumented. go test ./internal/audit -run TestCatalogue -update.
func TestCatalogue(t *testing.T) {
	const file = "../../templates/guides/audit.md"
	page := catalogue(t)
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

func catalogue(t *testing.T) string {
	t.Helper()
	role, err := os.ReadFile("../../examples/audit/cluster-role.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `---
page_title: "Auditing a cluster"
subcategory: "Guides"
description: |-
  What is read of a cluster, with which permissions, and what is found.
---

# Auditing a cluster

`+"`data.cidrplan_audit`"+` reads a cluster, or a recording of one, and finds every address that two things hold. It changes
nothing, and it needs no plan; with one it also finds where the cluster and the plan differ.

## A recording

A cluster that Terraform cannot reach is recorded where it can be reached, by one command, and read from the file:

`+"```shell\n%s\n```"+`

Kinds that the cluster does not have are passed over. No Secret is read, and of ConfigMaps, settings and arguments only
what decides addresses is kept.

## Permissions

`+"```yaml\n%s```"+`

What may not be read is the finding `+"`not-inspected`"+`, which names the permission. A cluster that was not inspected is
never healthy.

## What is found

| rule | severity | |
|---|---|---|
`, cluster.RecordCommand, role)
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.Slug, r.Slug, r.Severity, r.Title)
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Severity: %s.\n\n%s\n", r.Slug, r.Title, r.Severity, r.Explanation)
	}
	return b.String()
}
