// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

const fleetName = "data.cidrplan_fleet.all"

func fleetConfig(lockFile, sites, lines string) string {
	return fmt.Sprintf(`
data "cidrplan_fleet" "all" {
  name          = "all"
  address_space = ["10.0.0.0/8", "fd12:3456:7800::/40"]
  shared_space  = ["10.96.0.0/16", "100.64.0.0/16"]
  lock_file     = %[1]q
  sites = {
    dc1 = jsonencode({ datapath = "cilium-kubernetes", max_nodes = 30 })
    dc2 = jsonencode({ datapath = "cilium-kubernetes", max_nodes = 8, ip_families = ["ipv4"] })
%[2]s
  }
%[3]s
}
resource "cidrplan_plan_file" "all" {
  plan = data.cidrplan_fleet.all.plan
  path = %[1]q
}
`, lockFile, sites, lines)
}

// A fleet grows through its lock file without moving a site, and a site plans
// inside its block.
func TestAccFleetDataSource_grows(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "fleet.json")
	more := "    aaa = jsonencode({ datapath = \"kubeovn\", max_nodes = 200 })\n    zzz = jsonencode({ datapath = \"node-ipam\", max_nodes = 2 })"
	same := statecheck.CompareValue(compare.ValuesSame())
	block := tfjsonpath.New("ipv4_blocks").AtMapKey("dc1")
	inside := `
data "cidrplan_site" "dc1" {
  name          = "dc1"
  datapath      = "cilium-kubernetes"
  max_nodes     = 30
  ip_families   = ["ipv4", "ipv6"]
  address_space = [data.cidrplan_fleet.all.ipv4_blocks["dc1"], data.cidrplan_fleet.all.ipv6_blocks["dc1"], "10.96.0.0/16"]
}
`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{
				Config: fleetConfig(lock, "", "plan_sites = true") + inside,
				ConfigStateChecks: []statecheck.StateCheck{
					same.AddStateValue(fleetName, block),
					statecheck.ExpectKnownValue(fleetName, tfjsonpath.New("ipv4_blocks"), knownvalue.MapSizeExact(2)),
					statecheck.ExpectKnownValue(fleetName, tfjsonpath.New("networks"), knownvalue.NotNull()),
					statecheck.ExpectKnownValue("data.cidrplan_site.dc1", tfjsonpath.New("networks").AtMapKey("service").AtMapKey("ipv4"), knownvalue.StringExact("10.96.0.0/16")),
					statecheck.ExpectKnownValue("data.cidrplan_site.dc1", tfjsonpath.New("findings"), knownvalue.ListSizeExact(0)),
				},
				ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				Config: fleetConfig(lock, more, "") + inside,
				ConfigStateChecks: []statecheck.StateCheck{
					same.AddStateValue(fleetName, block),
					statecheck.ExpectKnownValue(fleetName, tfjsonpath.New("ipv4_blocks"), knownvalue.MapSizeExact(4)),
					statecheck.ExpectKnownValue(fleetName, tfjsonpath.New("networks"), knownvalue.Null()),
				},
			},
			{
				Config: fleetConfig(lock, "    bad = jsonencode({ datapath = \"kubeovn\", max_node = 3 })", "connected_by = [\"routin\"]"), ExpectError: phrase(`there is no attribute "max_node"`),
			},
			{
				Config: fleetConfig(lock, "    dc3 = jsonencode({ datapath = \"kubeovn\", network = [{ name = \"load_balancer\", cidrs = [\"10.69.0.0/24\"] }] })\n    dc4 = jsonencode({ datapath = \"kubeovn\", network = [{ name = \"load_balancer\", cidrs = [\"10.69.0.0/24\"] }] })", ""), ExpectError: phrase("Sites Share a Range"),
			},
		},
	})
}
