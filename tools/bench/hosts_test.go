// SPDX-License-Identifier: MPL-2.0

package bench

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// hosts is how many hosts have a file each.
const hosts = 1000

// BenchmarkThousandHosts measures the files of a thousand hosts through one resource
// instance: the whole `terraform apply` that writes them, the one after it that
// touches none, and beside them the bare work on the disk: temporary file, fsync and
// rename, eight at once. CIDRPLAN_CLI_PATH names the binary.
func BenchmarkThousandHosts(b *testing.B) {
	cli := os.Getenv("CIDRPLAN_CLI_PATH")
	if cli == "" {
		b.Fatal("CIDRPLAN_CLI_PATH names no terraform or tofu binary; run make bench")
	}
	providers := buildProviders(b)
	dir := b.TempDir()
	config := fmt.Sprintf(`
terraform {
  required_providers {
    cidrplan = { source = "cidrplan/cidrplan" }
  }
}
locals {
  hosts = { for i in range(%d) : format("n%%04d", i) => 11 + i }
}
data "cidrplan_site" "x" {
  name         = "dc1"
  datapath     = "cilium-kubernetes"
  distribution = "talos"
  max_nodes    = 1024
  ip_families  = ["ipv4", "ipv6"]
  hosts        = local.hosts
  network {
    name  = "pod"
    cidrs = ["10.64.0.0/14", "fd12:3456:789a:1000::/52"]
  }
  network {
    name    = "node0"
    role    = "node"
    link    = "node0"
    vlan_id = 46
    cidrs   = ["10.2.0.0/20", "fd12:3456:789a:46::/64"]
  }
  network {
    name    = "pod0"
    role    = "node"
    link    = "pod0"
    vlan_id = 48
    cidrs   = ["10.2.16.0/20", "fd12:3456:789a:48::/64"]
  }
}
resource "cidrplan_talos_patch" "x" {
  plan             = data.cidrplan_site.x.plan
  host_paths       = { for host in keys(local.hosts) : host => "nodes/${host}.yaml" }
  parent_link      = "bond0"
  node_annotations = { "example.com/pod0-ipv4" = "pod0.ipv4", "example.com/pod0-ipv6" = "pod0.ipv6" }
}
`, hosts)
	if err := os.WriteFile(filepath.Join(dir, "main.tf"), []byte(config), 0o600); err != nil {
		b.Fatal(err)
	}
	apply := func(args ...string) float64 {
		cmd := exec.Command(cli, append([]string{"-chdir=" + dir}, args...)...)
		cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+providers, "CHECKPOINT_DISABLE=1")
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v: %v\n%s", args, err, out)
		}
		return time.Since(start).Seconds()
	}
	var first, second, third, bare, again float64
	for b.Loop() {
		if err := os.RemoveAll(filepath.Join(dir, "nodes")); err != nil {
			b.Fatal(err)
		}
		first += apply("apply", "-auto-approve", "-no-color", "-input=false")
		before := times(b, filepath.Join(dir, "nodes"))
		second += apply("apply", "-auto-approve", "-no-color", "-input=false")
		after := times(b, filepath.Join(dir, "nodes"))
		if len(before) != hosts || fmt.Sprint(before) != fmt.Sprint(after) {
			b.Fatalf("%d files; the second apply touched some of them", len(before))
		}
		bare += rewrite(b, filepath.Join(dir, "nodes"))
		third += apply("destroy", "-auto-approve", "-no-color", "-input=false")
		again++
	}
	b.ReportMetric(first/again, "apply-s")
	b.ReportMetric(second/again, "again-s")
	b.ReportMetric(third/again, "destroy-s")
	b.ReportMetric(bare/again, "disk-s")
}

// rewrite replaces each file of a folder by a copy with the bare calls, eight at once.
func rewrite(b *testing.B, folder string) float64 {
	b.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	var group sync.WaitGroup
	slots := make(chan struct{}, 8)
	for _, entry := range entries {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if err := replace(filepath.Join(folder, entry.Name())); err != nil {
				b.Error(err)
			}
		})
	}
	group.Wait()
	return time.Since(start).Seconds()
}

func replace(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	temporary, err := os.Create(file + ".tmp")
	if err != nil {
		return err
	}
	_, writeErr := temporary.Write(content)
	return errors.Join(writeErr, temporary.Sync(), temporary.Close(), os.Rename(file+".tmp", file))
}

// times returns when each file of a folder was written.
func times(b *testing.B, folder string) []time.Time {
	b.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		b.Fatal(err)
	}
	var out []time.Time
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, info.ModTime())
	}
	return out
}
