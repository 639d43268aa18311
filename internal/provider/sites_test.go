// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
)

// TestAccSites applies the complete sites of examples/ as a person would: in a
// folder with the repositories beside the configuration, by the real binary. A
// second plan must be empty.
func TestAccSites(t *testing.T) {
	if os.Getenv("TF_ACC") == "" {
		t.Skip("TF_ACC is not set: this test starts the real binary")
	}
	rc := overrides(t)
	for _, site := range []string{"cozystack", "k3s-flux", "traffic-classes", "application-settings"} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			copyTree(t, filepath.Join("../../examples", site), folder)
			run(t, rc, folder, 0, "apply", "-auto-approve", "-no-color")
			run(t, rc, folder, 0, "plan", "-detailed-exitcode", "-no-color")
			if site != "application-settings" && site != "traffic-classes" {
				return
			}
			writtenOnce(t, folder)
			if site == "traffic-classes" {
				parsesInBIRD(t, filepath.Join(folder, "repositories", "bird", "bird.conf"))
			}
		})
	}
}

// parsesInBIRD hands the hand-written configuration, which uses the written
// constants, to BIRD's own parser.
func parsesInBIRD(t *testing.T, config string) {
	t.Helper()
	bird, err := exec.Command("../../tools/bird.sh").Output()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(strings.TrimSpace(string(bird)), "-p", "-c", config).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// overrides builds the provider, and returns a configuration of the CLI that uses it.
func overrides(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "terraform-provider-cidrplan"), "../..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	rc := filepath.Join(dir, "cli.tfrc")
	writeFile(t, rc, fmt.Sprintf("provider_installation {\n  dev_overrides { \"cidrplan/cidrplan\" = %q }\n  direct {}\n}\n", dir))
	return rc
}

func run(t *testing.T, rc, folder string, want int, args ...string) {
	t.Helper()
	command := exec.Command(os.Getenv("TF_ACC_TERRAFORM_PATH"), append([]string{"-chdir=" + folder}, args...)...)
	command.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	if command.ProcessState.ExitCode() != want {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// writtenOnce holds an example against its promise: each planned range stands once
// in the configuration, and in the repositories only where a resource wrote it.
func writtenOnce(t *testing.T, folder string) {
	t.Helper()
	locks, err := filepath.Glob(filepath.Join(folder, "*.cidrplan.json"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	text, err := os.ReadFile(locks[0])
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	config := string(mustRead(t, filepath.Join(folder, "main.tf")))
	for _, n := range p.Networks {
		for _, prefix := range n.Prefixes() {
			if count := strings.Count(config, `"`+prefix.String()+`"`); count > 1 {
				t.Errorf("%s of the network %q stands %d times in main.tf", prefix, n.Name, count)
			}
		}
	}
	addresses := regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+(/[0-9]+)?`)
	err = filepath.WalkDir(filepath.Join(folder, "repositories"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		for _, found := range addresses.FindAllString(string(mustRead(t, path)), -1) {
			checkLiteral(t, p, path, found)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkLiteral: an address in a repository is one of the plan, or no address at all.
func checkLiteral(t *testing.T, p *plan.Plan, file, text string) {
	t.Helper()
	if text == "0.0.0.0/0" {
		return
	}
	addr, _, _ := strings.Cut(text, "/")
	parsed, err := netip.ParseAddr(addr)
	if err != nil {
		return
	}
	for _, n := range p.Networks {
		for _, r := range n.Ranges {
			if r.Contains(parsed) {
				return
			}
		}
	}
	t.Errorf("%s holds %s, which is not in the plan", file, text)
}

func mustRead(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
