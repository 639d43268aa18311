// SPDX-License-Identifier: MPL-2.0

package artifact_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

var update = flag.Bool("update", false, "write the golden files anew")

// planned plans a declaration that must be sound.
func planned(t *testing.T, d site.Declaration) *plan.Plan {
	t.Helper()
	p, err := artifacttest.Plan(d)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type network = site.NetworkDeclaration

var (
	six  = []string{"ipv6"}
	node = network{Name: "node", Role: "node", CIDRs: []string{"192.168.100.0/24"}, VIPs: map[string]string{"api": "192.168.100.10"}}
)

func cozystack(networks ...network) site.Declaration {
	return site.Declaration{Datapath: "kubeovn-cilium", Distribution: "talos", Networks: networks}
}

func TestGolden(t *testing.T) {
	for name, v := range artifacttest.Variants() {
		t.Run(name, func(t *testing.T) {
			result, err := v.Render()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name+extension(result)), string(result.FragmentText()))
		})
	}
}

// extension is what a golden file ends in.
func extension(r artifact.Result) string {
	if r.Text != nil {
		return ".conf"
	}
	return ".yaml"
}

// golden compares a text with a file, line by line.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(content)
	if got == want {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(gotLines), len(wantLines)) {
		g, w := lineAt(gotLines, i), lineAt(wantLines, i)
		if g != w {
			t.Errorf("%s:%d\n- %s\n+ %s", file, i+1, w, g)
		}
	}
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(no line)"
}

// TestGoldenFilesAreUsed: a golden file that no variant writes is a leftover.
func TestGoldenFilesAreUsed(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), filepath.Ext(file))
		if strings.HasPrefix(name, "read/") {
			continue
		}
		if _, ok := artifacttest.Variants()[name]; !ok {
			t.Errorf("%s belongs to no variant", file)
		}
	}
}
