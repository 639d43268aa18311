// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// TestAccExamples applies every example, with the files that stand beside it, in
// a folder of its own, so that none can rot. A second plan must be empty.
func TestAccExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*/*/*.tf")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		name, err := filepath.Rel("../../examples", file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			work := t.TempDir()
			layFiles(t, filepath.Dir(file), work)
			layLock(t, filepath.Join(work, "dc1.cidrplan.json"), string(content))
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				Steps: []resource.TestStep{{
					Config:           inFolder(string(content), work),
					ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				}},
			})
		})
	}
}

// layFiles copies what stands beside an example, apart from its configuration.
func layFiles(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, ".tf") || strings.HasSuffix(path, ".sh") {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, filepath.Base(path)), content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// layLock writes the plan that an example of a second repository reads.
func layLock(t *testing.T, file, config string) {
	t.Helper()
	if !strings.Contains(config, `data "cidrplan_plan"`) {
		return
	}
	s, problems := site.Parse(site.Declaration{Name: "dc1", Datapath: "cilium-kubernetes"})
	p, planProblems := plan.Compute(s, nil)
	if len(problems)+len(planProblems) > 0 {
		t.Fatal(problems, planProblems)
	}
	writeFile(t, file, p.Text())
}

// inFolder makes the paths of an example absolute: the harness runs the binary in
// a folder of its own.
func inFolder(config, folder string) string {
	lines := strings.Split(config, "\n")
	for i, line := range lines {
		name, value, found := strings.Cut(line, "=")
		absolute := `"` + filepath.ToSlash(filepath.Join(folder, strings.Trim(strings.TrimSpace(value), `"[]`))) + `"`
		switch key := strings.TrimSpace(name); {
		case !found:
		case key == "path" || key == "lock_file":
			lines[i] = name + "= " + absolute
		case key == "snapshot_paths":
			lines[i] = name + "= [" + absolute + "]"
		}
	}
	return strings.Join(lines, "\n")
}
