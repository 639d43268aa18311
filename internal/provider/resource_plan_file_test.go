// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
)

// planFileConfig is a site that keeps its lock in a file; lines go into the site,
// more into the resource.
func planFileConfig(file, lines, more string) string {
	return fmt.Sprintf(`
data "cidrplan_site" "dc1" {
  name      = "dc1"
  datapath  = "kubeovn-cilium"
  lock_file = %[1]q
%[2]s
}
resource "cidrplan_plan_file" "dc1" {
  plan = data.cidrplan_site.dc1.plan
  path = %[1]q
%[3]s
}
`, file, lines, more)
}

const planFile = "cidrplan_plan_file.dc1"

func TestAccPlanFile_lifecycle(t *testing.T) {
	file := filepath.Join(t.TempDir(), "locks", "dc1.json")
	vlan := "network {\n name = \"storage\"\n role = \"node\"\n vlan_id = 49\n}"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		CheckDestroy: func(*terraform.State) error {
			if _, err := os.Stat(file); err != nil {
				return fmt.Errorf("a lock file is kept by default: %w", err)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: planFileConfig(file, "", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(planFile, plancheck.ResourceActionCreate),
						plancheck.ExpectKnownValue(planFile, tfjsonpath.New("digest"), knownvalue.NotNull()),
					},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error { return fileHolds(file, "10.244.248.0/21") },
			},
			{
				Config: planFileConfig(file, vlan, ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(planFile, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: func(*terraform.State) error { return fileHolds(file, `"parent": "sha256:`) },
			},
			{ // another spelling of the path is no change of it
				Config:           planFileConfig(filepath.Dir(file)+"/./dc1.json", vlan, ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				ResourceName: planFile, ImportState: true, ImportStateId: file, ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "path",
			},
		},
	})
}

func fileHolds(file string, phrases ...string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, phrase := range phrases {
		if !strings.Contains(string(content), phrase) {
			return fmt.Errorf("%q is missing in %s:\n%s", phrase, file, content)
		}
	}
	_, err = plan.Parse(content)
	return err
}

// A lock that is lost is written again where nothing moves, and refused where
// something would.
func TestAccPlanFile_lost(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dc1.json")
	lose := func() {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: planFileConfig(file, "max_nodes = 256", "")},
			{
				PreConfig: lose, Config: planFileConfig(file, "max_nodes = 256", ""),
				Check: func(*terraform.State) error { return fileHolds(file, "10.244.248.0/21") },
			},
			{Config: planFileConfig(file, "max_nodes = 300", "")},
			{PreConfig: lose, Config: planFileConfig(file, "max_nodes = 300", ""), ExpectError: phrase(`the network "cilium_pool" would move from 10.244.248.0/21, 10.244.246.0/23 to 10.244.240.0/20`)},
		},
	})
}

// A plan that was not computed from what stands in the file is refused.
func TestAccPlanFile_stale(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dc1.json")
	unlocked := func(lines string) string {
		return strings.Replace(planFileConfig(file, lines, ""), fmt.Sprintf("  lock_file = %q\n", file), "", 1)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: planFileConfig(file, "", "")},
			{Config: unlocked("max_services = 5000"), ExpectError: phrase("Stale Plan")},
			{
				PreConfig: func() {
					content, err := os.ReadFile(file)
					if err == nil {
						err = os.WriteFile(file, []byte(strings.Replace(string(content), "10.96.", "10.97.", 1)), 0o644)
					}
					if err != nil {
						t.Fatal(err)
					}
				},
				Config: unlocked(""), ExpectError: phrase("Plan Document Changed by Hand"),
			},
		},
	})
}

func TestAccPlanFile_foreign(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dc1.json")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: planFileConfig(file, "", "")},
			{
				Config:      planFileConfig(file, "", "") + fmt.Sprintf("data \"cidrplan_site\" \"b\" {\n name = \"dc2\"\n datapath = \"kubeovn\"\n}\nresource \"cidrplan_plan_file\" \"b\" {\n plan = data.cidrplan_site.b.plan\n path = %q\n}", file),
				ExpectError: phrase("Lock File of Another Site"),
			},
		},
	})
}

func TestAccPlanFile_destroy(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dc1.json")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		CheckDestroy: func(*terraform.State) error {
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("the file is still there: %v", err)
			}
			return nil
		},
		Steps: []resource.TestStep{{
			Config:            planFileConfig(file, "", "on_destroy = \"delete\""),
			ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(planFile, tfjsonpath.New("on_destroy"), knownvalue.StringExact("delete"))},
		}},
	})
}

func TestAccPlanFile_errors(t *testing.T) {
	dir := t.TempDir()
	readOnly := filepath.Join(dir, "read-only.json")
	if err := os.WriteFile(readOnly, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	config := func(path, planText string) string {
		return fmt.Sprintf("data \"cidrplan_site\" \"a\" {\n name = \"dc1\"\n datapath = \"kubeovn\"\n}\nresource \"cidrplan_plan_file\" \"a\" {\n plan = %s\n path = %q\n}", planText, path)
	}
	tests := []struct{ name, config, words string }{
		{"a folder", config(dir, "data.cidrplan_site.a.plan"), "Lock File Not Writable"},
		{"a read-only file", config(readOnly, "data.cidrplan_site.a.plan"), "Lock File Not Writable"},
		{"no plan", config(filepath.Join(dir, "x.json"), `"hello"`), "Invalid Plan Document"},
		{"a reformatted plan", config(filepath.Join(dir, "x.json"), "jsonencode(jsondecode(data.cidrplan_site.a.plan))"), "Reformatted Plan Document"},
		{"an unknown on_destroy", strings.Replace(config(filepath.Join(dir, "x.json"), "data.cidrplan_site.a.plan"), "\n path =", "\n on_destroy = \"burn\"\n path =", 1), `value must be one of: ["keep" "delete"]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				Steps:                    []resource.TestStep{{Config: test.config, ExpectError: phrase(test.words)}},
			})
			if _, err := os.Stat(filepath.Join(dir, "x.json")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was written: %v", err)
			}
		})
	}
}
