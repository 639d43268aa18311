// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/discovery"
)

// installedCozystack is a Cozystack cluster that runs, with ranges of its own.
const installedCozystack = `
apiVersion: v1
kind: Node
metadata: {name: srv1}
status: {addresses: [{type: InternalIP, address: 192.168.100.11}]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cilium-config, namespace: cozy-cilium}
data: {ipam: cluster-pool, cluster-pool-ipv4-cidr: 10.112.248.0/21, cluster-pool-ipv4-mask-size: "29", cni-chaining-mode: generic-veth}
---
apiVersion: networking.k8s.io/v1
kind: ServiceCIDR
metadata: {name: kubernetes}
spec: {cidrs: [10.113.0.0/16]}
---
apiVersion: kubeovn.io/v1
kind: Subnet
metadata: {name: ovn-default}
spec: {cidrBlock: 10.112.0.0/16, gateway: 10.112.0.1, excludeIps: [10.112.0.1, 10.112.248.0..10.112.255.255]}
---
apiVersion: kubeovn.io/v1
kind: Subnet
metadata: {name: join}
spec: {cidrBlock: 100.72.0.0/16, gateway: 100.72.0.1}
`

// A cluster is adopted by one reference: its plan is the cluster as it is, and the
// text of the declaration says the same.
func TestAccDiscovery(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	writeFile(t, file, installedCozystack)
	snapshot, err := cluster.ReadRecorded([]string{file})
	if err != nil {
		t.Fatal(err)
	}
	ranges := func(name, want string) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.cidrplan_site.adopted", tfjsonpath.New("networks").AtMapKey(name).AtMapKey("cidrs"), knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(want)}))
	}
	checks := []statecheck.StateCheck{ranges("pod", "10.112.0.0/16"), ranges("service", "10.113.0.0/16"), ranges("join", "100.72.0.0/16"), ranges("cilium_pool", "10.112.248.0/21"), ranges("node", "192.168.100.0/24")}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{
				Config: fmt.Sprintf(`
data "cidrplan_discovery" "x" {
  snapshot_paths = [%q]
}
data "cidrplan_site" "adopted" {
  name        = "dc1"
  datapath    = data.cidrplan_discovery.x.datapath
  ip_families = data.cidrplan_discovery.x.ip_families
  hosts       = data.cidrplan_discovery.x.hosts
  existing    = true
  dynamic "network" {
    for_each = data.cidrplan_discovery.x.networks
    content {
      name                    = network.key
      role                    = network.value.role
      allocator               = network.value.allocator
      cidrs                   = network.value.cidrs
      carved_from             = network.value.carved_from
      ipv4_node_prefix_length = network.value.ipv4_node_prefix_length
    }
  }
}
data "cidrplan_audit" "x" {
  snapshot_paths = [%q]
  plan           = data.cidrplan_site.adopted.plan
}
output "healthy" { value = [for f in data.cidrplan_audit.x.findings : f if f.rule != "not-inspected"] }
`, file, file),
				ConfigStateChecks: append(checks, statecheck.ExpectKnownOutputValue("healthy", knownvalue.TupleExact(nil))),
			},
			{Config: discovery.FromCluster(snapshot).HCL("adopted"), ConfigStateChecks: checks},
		},
	})
}
