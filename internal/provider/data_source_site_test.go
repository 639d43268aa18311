// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
)

// phrase matches words however the binary wraps them at the width of a terminal.
func phrase(words string) *regexp.Regexp {
	parts := strings.Fields(words)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(strings.Join(parts, `[\s│]+`))
}

const siteConfig = `
data "cidrplan_site" "dc1" {
  name         = "dc1"
  datapath     = "kubeovn-cilium"
  distribution = "talos"
  network {
    name  = "node"
    role  = "node"
    cidrs = ["192.168.100.0/24"]
    vips  = { api = "192.168.100.10" }
  }
  hosts = { k8s-1 = 11, k8s-2 = 12 }
}
`

func TestAccSiteDataSource_standard(t *testing.T) {
	const name = "data.cidrplan_site.dc1"
	network := func(network, attribute string) tfjsonpath.Path {
		return tfjsonpath.New("networks").AtMapKey(network).AtMapKey(attribute)
	}
	text := func(values ...string) []knownvalue.Check {
		out := make([]knownvalue.Check, len(values))
		for i, v := range values {
			out[i] = knownvalue.StringExact(v)
		}
		return out
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: siteConfig,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(name, network("pod", "ipv4"), knownvalue.StringExact("10.244.0.0/16")),
				statecheck.ExpectKnownValue(name, network("pod", "ipv4_gateway"), knownvalue.StringExact("10.244.0.1")),
				statecheck.ExpectKnownValue(name, network("pod", "allocator"), knownvalue.StringExact("kube-ovn")),
				statecheck.ExpectKnownValue(name, network("pod", "excluded"), knownvalue.ListExact(text("10.244.248.0..10.244.255.255"))),
				statecheck.ExpectKnownValue(name, network("pod", "capacity").AtMapKey("ipv4_addresses"), knownvalue.Int64Exact(63486)),
				statecheck.ExpectKnownValue(name, network("service", "ipv4"), knownvalue.StringExact("10.96.0.0/16")),
				statecheck.ExpectKnownValue(name, network("service", "dns_addresses"), knownvalue.ListExact(text("10.96.0.10"))),
				statecheck.ExpectKnownValue(name, network("join", "ipv4"), knownvalue.StringExact("100.64.0.0/16")),
				statecheck.ExpectKnownValue(name, network("transit", "ipv4"), knownvalue.StringExact("100.66.0.0/16")),
				statecheck.ExpectKnownValue(name, network("cilium_pool", "ipv4"), knownvalue.StringExact("10.244.248.0/21")),
				statecheck.ExpectKnownValue(name, network("cilium_pool", "ipv4_node_prefix_length"), knownvalue.Int64Exact(29)),
				statecheck.ExpectKnownValue(name, network("cilium_pool", "capacity").AtMapKey("nodes"), knownvalue.Int64Exact(256)),
				statecheck.ExpectKnownValue(name, tfjsonpath.New("host_addresses").AtMapKey("k8s-2").AtMapKey("node"), knownvalue.ListExact(text("192.168.100.12/24"))),
				statecheck.ExpectKnownValue(name, tfjsonpath.New("findings"), knownvalue.ListSizeExact(0)),
				statecheck.ExpectKnownValue(name, tfjsonpath.New("summary"), knownvalue.StringRegexp(regexp.MustCompile(`cilium_pool +10\.244\.248\.0/21`))),
			},
		}},
	})
}

// Everything is known at plan time, so that it can decide how many of something
// there are.
func TestAccSiteDataSource_knownAtPlan(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: siteConfig + `
resource "terraform_data" "network" {
  count = length(data.cidrplan_site.dc1.networks)
  input = values(data.cidrplan_site.dc1.networks)[count.index].cidrs
}
`,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction("terraform_data.network[5]", plancheck.ResourceActionCreate),
				plancheck.ExpectKnownValue("terraform_data.network[1]", tfjsonpath.New("input"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("100.64.0.0/16")})),
			}},
		}},
	})
}

// An unknown value in the declaration defers the read to the apply.
func TestAccSiteDataSource_unknown(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: `
resource "terraform_data" "prefix" { input = "10.20.0.0/16" }
data "cidrplan_site" "dc1" {
  name     = "dc1"
  datapath = "node-ipam"
  network {
    name  = "pod"
    cidrs = [terraform_data.prefix.output]
  }
}
`,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.cidrplan_site.dc1", tfjsonpath.New("networks").AtMapKey("pod").AtMapKey("ipv4"), knownvalue.StringExact("10.20.0.0/16")),
			},
		}},
	})
}

// All that is wrong comes out in one run, each on the line that causes it.
func TestAccSiteDataSource_allErrorsAtOnce(t *testing.T) {
	config := `
data "cidrplan_site" "dc1" {
  name     = "dc1"
  datapath = "kubeovn-cilium"
  reserved = { office = ["10.244.9.0/24"], bad = ["10.0.0.1-10.0.0.0"] }
  network {
    name  = "pod"
    cidrs = ["10.244.0.0/16"]
  }
  network {
    name  = "cilium_pool"
    cidrs = ["100.65.0.0/16"]
  }
  network {
    name  = "lan"
    role  = "nod"
    cidrs = ["10.3.0.1/24"]
  }
}
`
	for _, words := range []string{
		`10.244.0.0/16 of the network "pod" touches 10.244.9.0/24, which is reserved for office`,
		`503 (upstream connect timeout) on all others`,
		`There is no role "nod". Did you mean "node"?`,
		`has host bits set`,
		`Error: Invalid Range`,
	} {
		t.Run(words, func(t *testing.T) {
			resource.Test(t, resource.TestCase{
				ProtoV6ProviderFactories: testProviders,
				Steps:                    []resource.TestStep{{Config: config, ExpectError: phrase(words)}},
			})
		})
	}
}

func TestAccSiteDataSource_misspelledArgument(t *testing.T) {
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{{
			Config: `
data "cidrplan_site" "dc1" {
  name     = "dc1"
  datapath = "node-ipam"
  network {
    name = "pod"
    cidr = ["10.244.0.0/16"]
  }
}`,
			ExpectError: phrase(`Did you mean "cidrs"?`),
		}},
	})
}

func TestAccSiteDataSource_failOn(t *testing.T) {
	config := func(failOn string) string {
		return fmt.Sprintf(`
data "cidrplan_site" "dc1" {
  name     = "dc1"
  datapath = "node-ipam"
  fail_on  = %q
  network {
    name  = "pod"
    cidrs = ["10.96.0.0/16"]
  }
  network {
    name  = "service"
    cidrs = ["10.96.0.0/12"]
  }
}`, failOn)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: config("error"), ExpectError: phrase("Two allocators on one range")},
			{Config: config("never"), ExpectError: phrase(`There is no severity "never"`)},
			{
				Config: config("none"),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.cidrplan_site.dc1", tfjsonpath.New("findings").AtSliceIndex(0).AtMapKey("rule"), knownvalue.StringExact("overlap")),
					statecheck.ExpectKnownValue("data.cidrplan_site.dc1", tfjsonpath.New("plan"), knownvalue.Null()),
				},
			},
		},
	})
}

func TestAccSiteDataSource_lock(t *testing.T) {
	dir := t.TempDir()
	lockFile := filepath.Join(dir, "dc1.json")
	config := func(site, lines string) string {
		return fmt.Sprintf("data \"cidrplan_site\" \"dc1\" {\n  name = %q\n  datapath = \"node-ipam\"\n%s\n}\noutput \"plan\" { value = data.cidrplan_site.dc1.plan }", site, lines)
	}
	write := func(text string) func() {
		return func() {
			if err := os.WriteFile(lockFile, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	var text string
	keep := func(s *terraform.State) error {
		var ok bool
		if text, ok = s.RootModule().Outputs["plan"].Value.(string); !ok {
			return errors.New("the output is no text")
		}
		return nil
	}
	locked := fmt.Sprintf("lock_file = %q", lockFile)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: config("dc1", locked), Check: keep},
			{
				PreConfig: func() { write(text)() },
				Config:    config("dc1", locked+"\nnetwork {\n name = \"pod\"\n cidrs = [\"10.20.0.0/16\"]\n}"), ExpectError: phrase("Network Cannot Move"),
			},
			{Config: config("dc2", locked), ExpectError: phrase("Lock File of Another Site")},
			{
				PreConfig: func() { write(strings.Replace(text, "10.96.0.0", "10.97.0.0", 1))() },
				Config:    config("dc1", locked), ExpectError: phrase("Plan Document Changed by Hand"),
			},
			{
				PreConfig: func() { write(strings.Replace(text, `"version": 1`, `"version": 9`, 1))() },
				Config:    config("dc1", locked), ExpectError: phrase("Plan Document of a Newer Version"),
			},
			{PreConfig: write("pods: 10.0.0.0/8"), Config: config("dc1", locked), ExpectError: phrase("Invalid Plan Document")},
			{Config: config("dc1", fmt.Sprintf("lock_file = %q", dir)), ExpectError: phrase("Unreadable Lock File")},
			{Config: config("dc1", locked+"\nlock = \"{}\""), ExpectError: phrase("Two Locks")},
		},
	})
}
