// SPDX-License-Identifier: MPL-2.0

// Package bench measures this provider beside its peers where the peers may not
// enter the provider's own module.
package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BenchmarkTerraformPlan measures the processor time of a whole `terraform
// plan`, the binary and the providers that it starts, beside a plan with a
// provider that does nothing. CIDRPLAN_CLI_PATH names the binary.
func BenchmarkTerraformPlan(b *testing.B) {
	cli := os.Getenv("CIDRPLAN_CLI_PATH")
	if cli == "" {
		b.Fatal("CIDRPLAN_CLI_PATH names no terraform or tofu binary; run make bench")
	}
	providers := buildProviders(b)
	for _, c := range []struct{ name, config string }{
		{"idle", `data "idle_nothing" "x" {}`},
		{"site", `data "cidrplan_site" "x" {
  name     = "dc1"
  datapath = "kubeovn-cilium"
}`},
		{"fleet/planned/1000", fleet(1000, true)},
		{"fleet/blocks/10000", fleet(10000, false)},
	} {
		b.Run(c.name, func(b *testing.B) { benchmarkPlan(b, cli, providers, c.config) })
	}
}

// buildProviders builds both providers into one folder and returns a CLI
// configuration that uses them without an init.
func buildProviders(b *testing.B) string {
	dir := b.TempDir()
	build(b, "../..", filepath.Join(dir, "terraform-provider-cidrplan"), ".")
	build(b, ".", filepath.Join(dir, "terraform-provider-idle"), "./idle")
	config := filepath.Join(dir, "cli.tfrc")
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"cidrplan/cidrplan\" = %[1]q\n    \"cidrplan/idle\" = %[1]q\n  }\n  direct {}\n}\n", dir)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	return config
}

func build(b *testing.B, module, binary, pkg string) {
	b.Helper()
	cmd := exec.Command("go", "build", "-o", binary, pkg)
	cmd.Dir = module
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

func benchmarkPlan(b *testing.B, cli, providers, config string) {
	dir := b.TempDir()
	header := "terraform {\n  required_providers {\n    cidrplan = { source = \"cidrplan/cidrplan\" }\n    idle = { source = \"cidrplan/idle\" }\n  }\n}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(header+config), 0o600); err != nil {
		b.Fatal(err)
	}
	var used float64
	for b.Loop() {
		cmd := exec.Command(cli, "plan", "-no-color", "-input=false")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+providers, "CHECKPOINT_DISABLE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("plan: %v\n%s", err, out)
		}
		used += cmd.ProcessState.UserTime().Seconds() + cmd.ProcessState.SystemTime().Seconds()
	}
	b.ReportMetric(used/float64(b.N), "cpu-s/op")
}

// fleet is a fleet of sites of six networks each.
func fleet(n int, planned bool) string {
	return fmt.Sprintf(`
locals {
  sites = { for i in flatten([for j in range(%[1]d) : [for k in range(1000) : j * 1000 + k]]) : format("s%%05d", i) => "{\"datapath\":\"cilium-kubernetes\",\"max_nodes\":${[3, 5, 8, 16][i %% 4]},\"pods_per_node\":30,\"network\":[{\"name\":\"lan\",\"role\":\"node\",\"ipv4_prefix_length\":26},{\"name\":\"san\",\"role\":\"node\",\"ipv4_prefix_length\":27},{\"name\":\"mgmt\",\"role\":\"node\",\"ipv4_prefix_length\":27},{\"name\":\"load_balancer\",\"ipv4_prefix_length\":26}]}" }
}
data "cidrplan_fleet" "x" {
  name          = "all"
  address_space = ["10.0.0.0/8", "172.16.0.0/12"]
  shared_space  = ["10.96.0.0/16"]
  plan_sites    = %[2]t
  sites         = local.sites
}
`, n/1000, planned)
}
