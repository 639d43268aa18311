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
)

// sharedRange is a cluster in which Kube-OVN and Cilium draw from one range, and a pod
// has the Ingress address of its node.
const sharedRange = `
apiVersion: v1
kind: Node
metadata: {name: srv1}
spec: {podCIDRs: [10.244.0.0/24]}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: cilium-config, namespace: kube-system}
data: {ipam: kubernetes, cni-chaining-mode: generic-veth}
---
apiVersion: cilium.io/v2
kind: CiliumNode
metadata: {name: srv1}
spec:
  addresses: [{type: CiliumInternalIP, ip: 10.244.0.243}]
  ipam: {podCIDRs: [10.244.0.0/24]}
  ingress: {ipv4: 10.244.0.104}
---
apiVersion: kubeovn.io/v1
kind: Subnet
metadata: {name: ovn-default}
spec: {cidrBlock: 10.244.0.0/16, gateway: 10.244.0.1, excludeIps: [10.244.0.1]}
---
apiVersion: kubeovn.io/v1
kind: IP
metadata: {name: pod-a.test}
spec: {podName: pod-a, namespace: test, subnet: ovn-default, nodeName: srv1, v4IpAddress: 10.244.0.104}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-a, namespace: test}
spec: {nodeName: srv1}
status: {phase: Running, podIPs: [{ip: 10.244.0.104}]}
`

func TestAccAudit_recorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "cluster.yaml")
	writeFile(t, file, sharedRange)
	config := func(lines string) string {
		return fmt.Sprintf("data \"cidrplan_audit\" \"x\" {\n  snapshot_paths = [%q]\n  %s\n}\n", file, lines)
	}
	const name = "data.cidrplan_audit.x"
	text := knownvalue.StringExact
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{
				Config: config(""),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(name, tfjsonpath.New("healthy"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue(name, tfjsonpath.New("colliding_pods").AtSliceIndex(0), knownvalue.ObjectExact(map[string]knownvalue.Check{
						"pod": text("test/pod-a"), "pod_node": text("srv1"), "address": text("10.244.0.104"), "kind": text("ingress"), "node": text("srv1"),
					})),
					statecheck.ExpectKnownValue(name, tfjsonpath.New("exclude_today"), knownvalue.ListExact([]knownvalue.Check{text("10.244.0.104"), text("10.244.0.243")})),
					statecheck.ExpectKnownValue(name, tfjsonpath.New("summary"), knownvalue.StringRegexp(phrase("is already in use"))),
				},
			},
			{Config: config("fail_on = \"error\""), ExpectError: phrase("Pod has its node's Ingress address")},
			{Config: "data \"cidrplan_audit\" \"x\" {\n  snapshot_paths = [\"/no/such/file.json\"]\n}\n", ExpectError: phrase("Recording Not Readable")},
		},
	})
}

// Without a cluster or a recording the error says what to set, and a plan of files
// asks for neither.
func TestAccAudit_noCluster(t *testing.T) {
	for _, name := range []string{"KUBE_CONFIG_PATH", "KUBE_CONFIG_PATHS", "KUBE_HOST"} {
		t.Setenv(name, "")
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{Config: "data \"cidrplan_audit\" \"x\" {}\n", ExpectError: phrase("Nothing says which cluster is meant")},
			{
				Config:      "provider \"cidrplan\" {\n  host = \"https://127.0.0.1:1\"\n  token = \"SECRET-TOKEN\"\n insecure = true\n}\ndata \"cidrplan_audit\" \"x\" {}\n",
				ExpectError: phrase("does not answer"),
			},
			{
				Config:      "resource \"terraform_data\" \"x\" { input = \"https://127.0.0.1:1\" }\nprovider \"cidrplan\" {\n  host = terraform_data.x.output\n}\ndata \"cidrplan_audit\" \"x\" {}\n",
				ExpectError: phrase("Cluster Not Known Yet"),
			},
			{Config: "provider \"cidrplan\" {\n  config_path = \"/no/such/kubeconfig\"\n}\ndata \"cidrplan_site\" \"x\" {\n  name = \"dc1\"\n  datapath = \"node-ipam\"\n}\n"},
		},
	})
}

// Files that would install a cluster are held against each other, and the examples of
// whole sites are in order as they are before the first apply.
func TestAccAudit_files(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "values.yaml"), "podSubnets: [10.244.0.0/16]\nserviceSubnets: [10.96.0.0/16]\n")
	writeFile(t, filepath.Join(dir, "cozystack.yaml"), "apiVersion: cozystack.io/v1alpha1\nkind: Package\nmetadata: {name: cozystack.cozystack-platform}\nspec: {variant: isp-full}\n")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: testProviders,
		Steps: []resource.TestStep{
			{
				Config: fmt.Sprintf("data \"cidrplan_audit\" \"x\" {\n  files = [%q]\n}\n", filepath.Join(dir, "**", "*.yaml")),
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue("data.cidrplan_audit.x", tfjsonpath.New("healthy"), knownvalue.Bool(false)),
					statecheck.ExpectKnownValue("data.cidrplan_audit.x", tfjsonpath.New("summary"), knownvalue.StringRegexp(phrase("the default of Cozystack's platform chart"))),
				},
			},
			{Config: "data \"cidrplan_audit\" \"x\" {\n  files = [\"/no/such/*.yaml\"]\n}\n", ExpectError: phrase("matches no file")},
		},
	})
}
