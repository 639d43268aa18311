// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
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

// writerConfig is a site with its lock file and one writer, "x".
func writerConfig(dir, siteLines, typeName, file, lines string) string {
	return fmt.Sprintf(`
data "cidrplan_site" "s" {
  name      = "dc1"
  lock_file = %[1]q
  %[2]s
}
resource "cidrplan_plan_file" "s" {
  plan = data.cidrplan_site.s.plan
  path = %[1]q
}
resource %[3]q "x" {
  plan = cidrplan_plan_file.s.plan
  path = %[4]q
  %[5]s
}
`, filepath.Join(dir, "lock.json"), siteLines, typeName, file, lines)
}

func writeFile(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o640); err != nil {
		t.Fatal(err)
	}
}

func fileIs(file, want string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if string(content) != want {
			return fmt.Errorf("%s holds\n%q\nwant\n%q", file, content, want)
		}
		return nil
	}
}

func actions(typeName string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{
		PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(typeName+".x", action)},
		PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
	}
}

// Each writer of owned fields goes through its life: create, nothing to do, drift
// of one field, a change elsewhere in the plan, import, restore.
func TestAccWriter_ownedFields(t *testing.T) {
	for _, f := range ownedFiles() {
		t.Run(strings.TrimSuffix(f.typeName+"/"+f.variant, "/"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file, link := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "file.yaml")
			writeFile(t, file, f.before)
			if err := os.Symlink("real.yaml", link); err != nil {
				t.Fatal(err)
			}
			config := func(site, lines string) string {
				return writerConfig(dir, site, f.typeName, link, f.options+"\n  "+lines)
			}
			vlan := f.site + "\n network {\n name = \"backup\"\n role = \"other\"\n }"
			drifted := strings.Replace(f.after, f.drift[0], f.drift[1], 1)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				CheckDestroy: func(s *terraform.State) error {
					return errors.Join(fileIs(file, f.before)(s), isLink(link), hasMode(file, 0o640))
				},
				Steps: f.steps([]resource.TestStep{
					{
						Config: config(f.site, "on_destroy = \"restore\""), ConfigPlanChecks: actions(f.typeName, plancheck.ResourceActionCreate),
						Check: resource.ComposeTestCheckFunc(fileIs(file, f.after), func(*terraform.State) error { return isLink(link) }),
					},
					{
						PreConfig: func() { writeFile(t, file, drifted) },
						Config:    config(f.site, "on_destroy = \"restore\""),
						ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
							plancheck.ExpectResourceAction(f.typeName+".x", plancheck.ResourceActionUpdate),
							plancheck.ExpectKnownValue(f.typeName+".x", tfjsonpath.New("fields").AtMapKey(f.field), knownvalue.StringExact(f.value)),
							onlyFieldChanges{f.typeName + ".x", f.field},
						}},
						Check: fileIs(file, f.after),
					},
					{ // a new network elsewhere in the plan touches no file
						Config: config(vlan, "on_destroy = \"restore\""), ConfigPlanChecks: actions(f.typeName, plancheck.ResourceActionNoop),
					},
					{
						ResourceName: f.typeName + ".x", ImportState: true, ImportStateVerify: true,
						ImportStateId:                        link + f.document + "@" + filepath.Join(dir, "lock.json") + f.query,
						ImportStateVerifyIdentifierAttribute: "path",
						ImportStateVerifyIgnore:              []string{"plan", "on_destroy", "replaced_fields"},
					},
				}),
			})
		})
	}
}

// onlyFieldChanges checks that a plan changes one entry of fields and nothing else.
type onlyFieldChanges struct{ address, field string }

func (c onlyFieldChanges) CheckPlan(_ context.Context, req plancheck.CheckPlanRequest, resp *plancheck.CheckPlanResponse) {
	for _, change := range req.Plan.ResourceChanges {
		if change.Address != c.address {
			continue
		}
		before, _ := change.Change.Before.(map[string]any)
		after, _ := change.Change.After.(map[string]any)
		for name := range after {
			if name != "fields" && fmt.Sprint(before[name]) != fmt.Sprint(after[name]) {
				resp.Error = fmt.Errorf("%s changes as well: %v to %v", name, before[name], after[name])
			}
		}
		was, _ := before["fields"].(map[string]any)
		is, _ := after["fields"].(map[string]any)
		for key, value := range is {
			if changed := was[key] != value; changed != (key == c.field) {
				resp.Error = fmt.Errorf("field %s: %v to %v", key, was[key], value)
			}
		}
		return
	}
	resp.Error = fmt.Errorf("%s does not change", c.address)
}

func isLink(file string) error {
	info, err := os.Lstat(file)
	if err == nil && info.Mode()&os.ModeSymlink == 0 {
		return fmt.Errorf("%s is no symbolic link any more", file)
	}
	return err
}

func hasMode(file string, mode os.FileMode) error {
	info, err := os.Stat(file)
	if err == nil && info.Mode().Perm() != mode {
		return fmt.Errorf("%s has mode %v, want %v", file, info.Mode().Perm(), mode)
	}
	return err
}

// A document or file that is missing is created when that is asked for, and goes
// with the resource if it holds nothing else.
func TestAccWriter_createDocument(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "gitops", "networking.yaml")
	config := func(lines string) string {
		return writerConfig(dir, talosSite, "cidrplan_cozystack_values", file, "package = \"networking\"\n"+lines)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		CheckDestroy: func(*terraform.State) error {
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("the created file is still there: %v", err)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{Config: config(""), ExpectError: phrase("File Does Not Exist")},
			{
				Config: config("create_document = true\n on_destroy = \"delete\""), ConfigPlanChecks: actions("cidrplan_cozystack_values", plancheck.ResourceActionCreate),
				Check: func(*terraform.State) error {
					content, err := os.ReadFile(file)
					if err == nil && !strings.Contains(string(content), "EXCLUDE_IPS: 10.244.248.0..10.244.255.255") {
						err = fmt.Errorf("got\n%s", content)
					}
					return err
				},
			},
			{ // deleted outside, it is written again
				PreConfig: func() {
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
				},
				Config: config("create_document = true\n on_destroy = \"delete\""), ConfigPlanChecks: actions("cidrplan_cozystack_values", plancheck.ResourceActionUpdate),
			},
		},
	})
}

// What cannot be edited safely is refused at plan time, and nothing is written.
func TestAccWriter_refusals(t *testing.T) {
	const head = "kind: HelmRelease\nmetadata: {name: cilium}\n"
	tests := []struct{ name, content, words string }{
		{"no YAML", "a: [", "File Is Not YAML"},
		{"a template", head + "spec:\n{{- if .Values.x }}\n  values: {}\n{{- end }}\n", "File Is Not YAML"},
		{"no such document", "kind: HelmRelease\nmetadata: {name: other}\n", "Document Not Found"},
		{"the document twice", head + "---\n" + head, "Ambiguous Document"},
		{"a parent that is no mapping", head + "spec: {values: [a]}\n", "Unsafe Edit"},
		{"an alias on the way", "x: &v {ipam: {}}\n" + head + "spec: {values: *v}\n", "Unsafe Edit"},
		{"a duplicate key", head + "spec:\n  values:\n    ipam: {mode: a}\n    ipam: {mode: b}\n", "Unsafe Edit"},
		{"a merge key", "base: &b {mode: cluster-pool}\n" + head + "spec:\n  values:\n    ipam:\n      <<: *b\n", "Unsafe Edit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "cilium.yaml")
			writeFile(t, file, test.content)
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				Steps: []resource.TestStep{{
					Config: writerConfig(dir, k3sSite, "cidrplan_cilium_values", file, ""), PlanOnly: true, ExpectError: phrase(test.words),
				}},
			})
			if err := fileIs(file, test.content)(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAccWriter_paths(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	readOnly := filepath.Join(dir, "read-only.yaml")
	writeFile(t, readOnly, "a: 1\n")
	if err := os.Chmod(readOnly, 0o444); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "config.yaml")
	writeFile(t, file, "a: 1\n")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: writerConfig(dir, k3sSite, "cidrplan_k3s_config", readOnly, ""), ExpectError: phrase("File Not Writable")},
			{Config: writerConfig(dir, k3sSite, "cidrplan_k3s_config", dir, ""), ExpectError: phrase("File Not Writable")},
			{Config: writerConfig(dir, k3sSite, "cidrplan_k3s_config", file, "controller_manager_args = [\"cluster-cidr=10.0.0.0/8\"]"), ExpectError: phrase("decided by the plan")},
			{Config: strings.Replace(writerConfig(dir, k3sSite, "cidrplan_k3s_config", file, ""), "plan = cidrplan_plan_file.s.plan", "plan = \"{}\"", 1), ExpectError: phrase("Invalid Plan Document")},
			{Config: writerConfig(dir, k3sSite, "cidrplan_k3s_config", file, "")},
			{ // another spelling of the same path
				Config:           writerConfig(dir, k3sSite, "cidrplan_k3s_config", dir+"/./config.yaml", ""),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
		},
	})
}

// On an existing site Cilium's address management is not changed by the way.
func TestAccWriter_existingSite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "networking.yaml")
	before := "kind: Package\nmetadata: {name: cozystack.networking}\nspec: {components: {cilium: {values: {cilium: {ipam: {mode: kubernetes}}}}}}\n"
	writeFile(t, file, before)
	existing := "existing = true\n" + strings.Replace(talosSite, "network {", "network {\n name = \"pod\"\n cidrs = [\"10.244.0.0/16\"]\n }\n network {\n name = \"service\"\n cidrs = [\"10.96.0.0/16\"]\n }\n network {\n name = \"join\"\n cidrs = [\"100.64.0.0/16\"]\n }\n network {", 1)
	config := func(lines string) string {
		return writerConfig(dir, existing, "cidrplan_cozystack_values", file, "package = \"networking\"\n"+lines)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: config(""), ExpectError: phrase("Change of a Live Cluster's IPAM")},
			{
				PreConfig: func() {
					if err := fileIs(file, before)(nil); err != nil {
						t.Error(err)
					}
				},
				Config: config("allow_ipam_change = true"),
				Check: func(*terraform.State) error {
					content, err := os.ReadFile(file)
					if err == nil && (!strings.Contains(string(content), "cluster-pool") || strings.Contains(string(content), "EXCLUDE_IPS")) {
						err = fmt.Errorf("got\n%s", content)
					}
					return err
				},
			},
		},
	})
}

// Several resources, and several providers, own fields of one file in one apply.
func TestAccWriter_oneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "all.yaml")
	var documents, resources strings.Builder
	for i := range 8 {
		fmt.Fprintf(&documents, "---\nkind: HelmRelease\nmetadata: {name: cilium-%d} # keep %d\n", i, i)
		alias := ""
		if i%2 == 1 {
			alias = "provider = cidrplan.other"
		}
		fmt.Fprintf(&resources, "resource \"cidrplan_cilium_values\" \"y%d\" {\n plan = cidrplan_plan_file.s.plan\n path = %q\n document = { name = \"cilium-%d\" }\n %s\n}\n", i, file, i, alias)
	}
	writeFile(t, file, documents.String())
	config := writerConfig(dir, k3sSite, "cidrplan_k3s_config", filepath.Join(dir, "config.yaml"), "create_document = true") +
		"provider \"cidrplan\" {\n alias = \"other\"\n}\n" + resources.String()
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: config, ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check: func(*terraform.State) error {
				content, err := os.ReadFile(file)
				if err != nil {
					return err
				}
				if n := strings.Count(string(content), "requireIPv4PodCIDR: true"); n != 8 {
					return fmt.Errorf("%d of 8 documents have their fields:\n%s", n, content)
				}
				if n := strings.Count(string(content), "# keep"); n != 8 {
					return fmt.Errorf("%d of 8 comments survived:\n%s", n, content)
				}
				return nil
			},
		}},
	})
}

// A plan that is known only while applying is written all the same.
func TestAccWriter_unknownPlan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yaml")
	writeFile(t, file, "a: 1\n")
	config := strings.Replace(writerConfig(dir, k3sSite, "cidrplan_k3s_config", file, ""), "plan = cidrplan_plan_file.s.plan", "plan = terraform_data.p.output", 1) +
		"resource \"terraform_data\" \"p\" {\n input = data.cidrplan_site.s.plan\n}\n" +
		strings.Replace(writerConfig(dir, "", "cidrplan_talos_patch", filepath.Join(dir, "patch.yaml"), "machine_type = \"worker\""), "plan = cidrplan_plan_file.s.plan", "plan = terraform_data.t.output", 1)[strings.Index(writerConfig(dir, "", "cidrplan_talos_patch", "", ""), "resource \"cidrplan_talos_patch\""):] +
		"data \"cidrplan_site\" \"t\" {\n name = \"dc2\"\n " + talosSite + "\n}\nresource \"terraform_data\" \"t\" {\n input = data.cidrplan_site.t.plan\n}\n"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{
				PreApply: []plancheck.PlanCheck{
					plancheck.ExpectUnknownValue("cidrplan_k3s_config.x", tfjsonpath.New("fields")),
					plancheck.ExpectUnknownValue("cidrplan_talos_patch.x", tfjsonpath.New("content")),
				},
				PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
			},
			Check: fileIs(file, "a: 1\ncluster-cidr: 10.42.0.0/16\nservice-cidr: 10.43.0.0/16\n"),
		}},
	})
}

// A file that is owned whole: create, nothing to do, drift, change, import, and
// gone with the resource.
func TestAccTalosPatch_wholeFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "patches", "controlplane.yaml")
	config := func(lines string) string {
		return writerConfig(dir, talosSite, "cidrplan_talos_patch", file, "machine_type = \"controlplane\"\n"+lines)
	}
	const name = "cidrplan_talos_patch.x"
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		CheckDestroy: func(*terraform.State) error {
			if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("the file is still there: %v", err)
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config:      writerConfig(dir, talosSite, "cidrplan_talos_patch", file, "machine_type = \"master\""),
				ExpectError: phrase(`value must be one of: ["controlplane" "worker"]`),
			},
			{
				PreConfig: func() {
					if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
						t.Fatal(err)
					}
					writeFile(t, file, "machine: {}\n")
				},
				Config: config(""), ExpectError: phrase("File Exists"),
			},
			{
				PreConfig: func() {
					if err := os.Remove(file); err != nil {
						t.Fatal(err)
					}
				},
				Config: config(""), ConfigPlanChecks: actions("cidrplan_talos_patch", plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(name, tfjsonpath.New("content"), knownvalue.StringRegexp(phrase("advertisedSubnets: - 192.168.100.0/24")))},
			},
			{
				PreConfig: func() { writeFile(t, file, "machine: {}\n") },
				Config:    config(""), ConfigPlanChecks: actions("cidrplan_talos_patch", plancheck.ResourceActionUpdate),
			},
			{Config: config("allocate_node_cidrs = false"), ConfigPlanChecks: actions("cidrplan_talos_patch", plancheck.ResourceActionUpdate)},
			{
				ResourceName: name, ImportState: true, ImportStateId: file + "@" + filepath.Join(dir, "lock.json") + "?machine_type=controlplane&allocate_node_cidrs=false", ImportStateVerify: true,
				ImportStateVerifyIdentifierAttribute: "path",
			},
		},
	})
}

// The data source of a writer returns what its consumer merges.
func TestAccWriterDataSources(t *testing.T) {
	t.Parallel()
	config := fmt.Sprintf(`
data "cidrplan_site" "t" {
  name = "dc1"
  %s
}
data "cidrplan_site" "k" {
  name = "edge"
  %s
}
data "cidrplan_talos_patch" "x" {
  plan         = data.cidrplan_site.t.plan
  machine_type = "worker"
}
data "cidrplan_talm_values" "x" { plan = data.cidrplan_site.t.plan }
data "cidrplan_cozystack_values" "x" { plan = data.cidrplan_site.t.plan }
data "cidrplan_cilium_values" "x" { plan = data.cidrplan_site.k.plan }
data "cidrplan_k3s_config" "x" { plan = data.cidrplan_site.k.plan }
`, talosSite, k3sSite)
	content := func(typeName, want string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data."+typeName+".x", tfjsonpath.New("content"), knownvalue.StringExact(want))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				content("cidrplan_talos_patch", golden(t, "talos_patch/worker")),
				content("cidrplan_talm_values", golden(t, "talm_values/standard")),
				content("cidrplan_cozystack_values", golden(t, "cozystack_values/platform")),
				content("cidrplan_cilium_values", golden(t, "cilium_values/kubernetes")),
				content("cidrplan_k3s_config", golden(t, "k3s_config/standard")),
			},
		}},
	})
}

// golden is what the consumer's own tests pin.
func golden(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "artifact", "testdata", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestParseImportID(t *testing.T) {
	tests := map[string]importID{
		"values.yaml":                              {path: "values.yaml"},
		"values.yaml@dc1.json":                     {path: "values.yaml", lock: "dc1.json"},
		"a.yaml#Package/x":                         {path: "a.yaml", kind: "Package", name: "x"},
		"a.yaml#HelmRelease/ns/x":                  {path: "a.yaml", kind: "HelmRelease", namespace: "ns", name: "x"},
		"a.yaml@l.json?package=networking":         {path: "a.yaml", lock: "l.json", options: "package=networking"},
		"dir/a#b.yaml#HelmRelease/ns/x@locks/l.js": {path: "dir/a#b.yaml", kind: "HelmRelease", namespace: "ns", name: "x", lock: "locks/l.js"},
	}
	for id, want := range tests {
		if got, ok := parseImportID(id); !ok || got != want {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
	for _, id := range []string{"", "#Package/x", "a.yaml#Package", "a.yaml#a/b/c/d", "@lock", "a.yaml@"} {
		if got, ok := parseImportID(id); ok {
			t.Errorf("%q was accepted as %+v", id, got)
		}
	}
}

// The range of a Subnet on a live cluster is not changed in passing; its exclusions
// are, which is how a carve-out comes into force there.
func TestAccWriter_existingSubnet(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "subnet.yaml")
	subnet := func(cidr string) string {
		return "kind: Subnet\napiVersion: kubeovn.io/v1\nmetadata: {name: ovn-default}\nspec:\n  protocol: IPv4\n  cidrBlock: " + cidr + "\n  gateway: 10.244.0.1\n  excludeIps: [10.244.0.1]\n"
	}
	writeFile(t, file, subnet("10.244.0.0/15"))
	existing := "existing = true\n" + strings.Replace(talosSite, "network {", "network {\n name = \"pod\"\n cidrs = [\"10.244.0.0/16\"]\n }\n network {\n name = \"service\"\n cidrs = [\"10.96.0.0/16\"]\n }\n network {\n name = \"join\"\n cidrs = [\"100.64.0.0/16\"]\n }\n network {", 1)
	config := writerConfig(dir, existing, "cidrplan_kubeovn_values", file, "form = \"subnet\"\n")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: config, ExpectError: phrase("every one of them is recreated")},
			{
				PreConfig: func() { writeFile(t, file, subnet("10.244.0.0/16")) },
				Config:    config,
				Check:     fileIs(file, strings.Replace(subnet("10.244.0.0/16"), "[10.244.0.1]", "[10.244.0.1, 10.244.248.0..10.244.255.255]", 1)),
			},
		},
	})
}
