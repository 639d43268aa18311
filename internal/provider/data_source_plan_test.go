// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// A second repository reads the same plan, from the file and from text.
func TestAccPlanDataSource_sources(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dc1.json")
	config := siteConfig + fmt.Sprintf(`
resource "cidrplan_plan_file" "dc1" {
  plan = data.cidrplan_site.dc1.plan
  path = %q
}
data "cidrplan_plan" "file" {
  path        = cidrplan_plan_file.dc1.path
  expect_site = "dc1"
  depends_on  = [cidrplan_plan_file.dc1]
}
data "cidrplan_plan" "text" {
  text          = cidrplan_plan_file.dc1.plan
  expect_digest = data.cidrplan_site.dc1.digest
}
`, file)
	same := func(attribute string, want knownvalue.Check) []statecheck.StateCheck {
		return []statecheck.StateCheck{
			statecheck.ExpectKnownValue("data.cidrplan_plan.file", tfjsonpath.New(attribute), want),
			statecheck.ExpectKnownValue("data.cidrplan_plan.text", tfjsonpath.New(attribute), want),
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: append(append(same("site", knownvalue.StringExact("dc1")), same("datapath", knownvalue.StringExact("kubeovn-cilium"))...),
				statecheck.ExpectKnownValue("data.cidrplan_plan.file", tfjsonpath.New("networks").AtMapKey("cilium_pool").AtMapKey("ipv4"), knownvalue.StringExact("10.244.248.0/21"))),
		}},
	})
}

func TestAccPlanDataSource_errors(t *testing.T) {
	tests := map[string]string{
		"":                           "Missing Plan Source",
		"path = \"a\"\ntext = \"b\"": "Two Plan Sources",
		`path = "no/such/file.json"`: "apply there first, and check the path",
		`text = "{}"`:                "Invalid Plan Document",
		`text = "{\"version\": 3}"`:  "Plan Document of a Newer Version",
		"text = data.cidrplan_site.a.plan\nexpect_digest = \"sha256:00\"": "Unexpected Plan",
		"text = data.cidrplan_site.a.plan\nexpect_site = \"dc2\"":         "Plan of Another Site",
	}
	for lines, words := range tests {
		t.Run(words, func(t *testing.T) {
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				Steps: []resource.TestStep{{
					Config:      "data \"cidrplan_site\" \"a\" {\n name = \"dc1\"\n datapath = \"node-ipam\"\n}\ndata \"cidrplan_plan\" \"b\" {\n" + lines + "\n}",
					ExpectError: phrase(words),
				}},
			})
		})
	}
}
