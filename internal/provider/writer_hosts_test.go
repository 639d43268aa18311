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
)

// hostsConfig is a site with hosts on a VLAN, and one writer of all their files.
func hostsConfig(typeName, hosts, paths, lines string) string {
	return fmt.Sprintf(`
data "cidrplan_site" "s" {
  name         = "dc1"
  datapath     = "cilium-kubernetes"
  distribution = "talos"
  hosts        = %s
  network {
    name    = "node0"
    role    = "node"
    vlan_id = 46
    link    = "node0"
    cidrs   = ["10.2.46.0/24"]
  }
}
resource %q "x" {
  plan       = data.cidrplan_site.s.plan
  host_paths = %s
  %s
}
`, hosts, typeName, paths, lines)
}

func pathsOf(dir string, hosts ...string) string {
	var entries []string
	for _, host := range hosts {
		entries = append(entries, fmt.Sprintf("%q = %q", host, filepath.Join(dir, "nodes", host+".yaml")))
	}
	return "{ " + strings.Join(entries, ", ") + " }"
}

// The files of many hosts from one instance: create, nothing to do, drift of one, a
// host more, a host less, import, and gone with the resource.
func TestAccWriter_hostPaths(t *testing.T) {
	for _, test := range []struct{ typeName, options, query, words string }{
		{"cidrplan_talos_patch", "parent_link = \"bond0\"", "?parent_link=bond0", "address: 10.2.46.%d/24"},
		{"cidrplan_bird_config", "", "", "define CIDRPLAN_SELF_NODE0_IPV4 = 10.2.46.%d;"},
	} {
		t.Run(test.typeName, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := func(host string) string { return filepath.Join(dir, "nodes", host+".yaml") }
			holds := func(host string, number int) resource.TestCheckFunc {
				return func(*terraform.State) error {
					content, err := os.ReadFile(file(host))
					if want := fmt.Sprintf(test.words, number); err == nil && !strings.Contains(string(content), want) {
						return fmt.Errorf("%s holds\n%s\nwant %s", host, content, want)
					}
					return err
				}
			}
			gone := func(hosts ...string) resource.TestCheckFunc {
				return func(*terraform.State) error {
					for _, host := range hosts {
						if _, err := os.Stat(file(host)); !errors.Is(err, os.ErrNotExist) {
							return fmt.Errorf("the file of %s is still there: %v", host, err)
						}
					}
					return nil
				}
			}
			const two, three = "{ n1 = 11, n2 = 12 }", "{ n1 = 11, n2 = 12, n3 = 13 }"
			config := func(hosts, paths string) string { return hostsConfig(test.typeName, hosts, paths, test.options) }
			step := func(action plancheck.ResourceActionType, hosts, paths string, checks ...resource.TestCheckFunc) resource.TestStep {
				return resource.TestStep{Config: config(hosts, paths), ConfigPlanChecks: actions(test.typeName, action), Check: resource.ComposeTestCheckFunc(checks...)}
			}
			create := step(plancheck.ResourceActionCreate, two, pathsOf(dir, "n1", "n2"), holds("n1", 11), holds("n2", 12))
			create.ConfigStateChecks = []statecheck.StateCheck{statecheck.ExpectKnownValue(test.typeName+".x", tfjsonpath.New("content"), knownvalue.Null())}
			drift := step(plancheck.ResourceActionUpdate, two, pathsOf(dir, "n1", "n2"), holds("n2", 12))
			drift.PreConfig = func() { writeFile(t, file("n2"), "# changed\n") }
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				CheckDestroy:             gone("n1", "n2", "n3"),
				Steps: []resource.TestStep{
					{Config: config(two, pathsOf(dir, "n1", "n9")), ExpectError: phrase(`has no host "n9"`)},
					{Config: config(two, fmt.Sprintf("{ n1 = %[1]q, n2 = %[1]q }", file("n1"))), ExpectError: phrase("One File for Two Hosts")},
					create,
					drift,
					step(plancheck.ResourceActionUpdate, three, pathsOf(dir, "n1", "n2", "n3"), holds("n3", 13)),
					step(plancheck.ResourceActionUpdate, three, pathsOf(dir, "n1", "n3"), gone("n2"), holds("n1", 11), holds("n3", 13)),
					{
						ResourceName: test.typeName + ".x", ImportState: true, ImportStateVerify: true,
						ImportStateId:                        "n1=" + file("n1") + ",n3=" + file("n3") + test.query,
						ImportStateVerifyIdentifierAttribute: "on_destroy",
						ImportStateVerifyIgnore:              []string{"plan"},
					},
				},
			})
		})
	}
}
