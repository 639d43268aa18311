// SPDX-License-Identifier: MPL-2.0

package discovery

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/repository"
)

func prefix(text string) []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix(text)} }

func addr(text string) []netip.Addr { return []netip.Addr{netip.MustParseAddr(text)} }

// cozystack is a Cozystack cluster after its plan.
func cozystack() *cluster.Snapshot {
	return &cluster.Snapshot{
		Nodes: []cluster.Node{
			{Name: cluster.Name{Name: "srv1"}, InternalIPs: addr("192.168.100.11")},
			{Name: cluster.Name{Name: "srv2.example.org"}, InternalIPs: addr("192.168.100.12")},
		},
		ConfigMaps:   []cluster.ConfigMap{{Name: cluster.Name{Namespace: "cozy-cilium", Name: "cilium-config"}, Data: map[string]string{"ipam": "cluster-pool", "cluster-pool-ipv4-cidr": "10.112.248.0/21", "cluster-pool-ipv4-mask-size": "29"}}},
		ServiceCIDRs: []cluster.ServiceCIDR{{Name: cluster.Name{Name: "kubernetes"}, CIDRs: prefix("10.113.0.0/16")}},
		Subnets: []cluster.Subnet{
			{Name: cluster.Name{Name: "ovn-default"}, CIDRs: prefix("10.112.0.0/16"), Gateways: addr("10.112.0.1")},
			{Name: cluster.Name{Name: "join"}, CIDRs: prefix("100.72.0.0/16"), Gateways: addr("100.72.0.1")},
		},
		LoadBalancerPools: []cluster.LoadBalancerPool{{Name: cluster.Name{Namespace: "cozy-metallb", Name: "cozystack"}, MetalLB: true, Blocks: []string{"192.168.100.200-192.168.100.250"}}},
	}
}

func TestFromCluster(t *testing.T) {
	const want = `# The nodes' network was taken as 192.168.100.0/24, from their addresses; no API shows its length, its gateway or what DHCP hands out there. Check it.
data "cidrplan_site" "dc1" {
  name      = "dc1"
  datapath  = "kubeovn-cilium"
  existing  = true
  lock_file = "dc1.cidrplan.json"

  # observed: ConfigMap/cozy-cilium/cilium-config
  network {
    name                    = "cilium_pool"
    cidrs                   = ["10.112.248.0/21"]
    carved_from             = "pod"
    ipv4_node_prefix_length = 29
  }

  # observed: Subnet/join
  network {
    name  = "join"
    cidrs = ["100.72.0.0/16"]
  }

  # observed: IPAddressPool/cozy-metallb/cozystack
  network {
    name      = "load_balancer"
    allocator = "metallb"
    cidrs     = ["192.168.100.200-192.168.100.250"]
  }

  # observed: Nodes
  network {
    name  = "node"
    role  = "node"
    cidrs = ["192.168.100.0/24"]
  }

  # observed: Subnet/ovn-default
  network {
    name    = "pod"
    cidrs   = ["10.112.0.0/16"]
    gateway = "10.112.0.1"
  }

  # observed: ServiceCIDR/kubernetes
  network {
    name  = "service"
    cidrs = ["10.113.0.0/16"]
  }

  hosts = {
    srv1               = 11
    "srv2.example.org" = 12
  }
}
`
	if got := FromCluster(cozystack()).HCL("dc1"); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestFromClusterK3s(t *testing.T) {
	s := FromCluster(&cluster.Snapshot{
		Nodes:      []cluster.Node{{Name: cluster.Name{Name: "k3s-1"}, PodCIDRs: prefix("10.42.0.0/24"), InternalIPs: addr("192.168.1.21"), Arguments: []string{"--cluster-cidr=10.42.0.0/16"}}},
		ConfigMaps: []cluster.ConfigMap{{Name: cluster.Name{Name: "cilium-config"}, Data: map[string]string{"ipam": "kubernetes"}}},
	})
	got := s.HCL("edge")
	for _, words := range []string{`datapath     = "cilium-kubernetes"`, `distribution = "k3s"`, `cidrs                   = ["10.42.0.0/16"]`, "ipv4_node_prefix_length = 24", `# The range of the network "service" does not show anywhere`} {
		if !strings.Contains(got, words) {
			t.Errorf("no %q in\n%s", words, got)
		}
	}
}

func TestFromFiles(t *testing.T) {
	var readers []repository.Reader
	seen := map[string]bool{}
	for _, v := range artifacttest.Variants() {
		if v.Consumer.Read != nil && !seen[v.Consumer.Name] {
			seen[v.Consumer.Name] = true
			readers = append(readers, repository.Reader{Consumer: v.Consumer.Name, Read: v.Consumer.Read})
		}
	}
	files := map[string][]byte{
		"talos/values.yaml":    []byte("podSubnets: [10.244.0.0/16]\nserviceSubnets: [10.96.0.0/16]\nadvertisedSubnets: [192.168.100.0/24]\n"),
		"gitops/platform.yaml": []byte("apiVersion: cozystack.io/v1alpha1\nkind: Package\nmetadata: {name: cozystack.cozystack-platform}\nspec:\n  variant: isp-full\n  components: {platform: {values: {networking: {podCIDR: 10.112.0.0/16, podGateway: 10.112.0.1}}}}\n"),
		"gitops/pool.yaml":     []byte("apiVersion: metallb.io/v1beta1\nkind: IPAddressPool\nmetadata: {name: main}\nspec: {addresses: [\"${POOL}\", 192.168.100.200/29]}\n"),
	}
	s := FromFiles(repository.FactsOf([]string{"gitops/platform.yaml", "gitops/pool.yaml", "talos/values.yaml"}, files, readers))
	got := s.HCL("dc1")
	for _, words := range []string{
		`datapath     = "kubeovn-cilium"`, `distribution = "talos"`, "# implicit: gitops/platform.yaml:1", `cidrs = ["100.64.0.0/16"]`, "# declared: gitops/platform.yaml:6",
		`cidrs   = ["10.112.0.0/16"]`, `gateway = "10.112.0.1"`, `cidrs = ["192.168.100.0/24"]`, `name      = "lb-main"`, "${POOL}",
	} {
		if !strings.Contains(got, words) {
			t.Errorf("no %q in\n%s", words, got)
		}
	}
	if strings.Contains(got, "10.244.0.0/16") {
		t.Errorf("the cluster CIDR, which nobody reads, is in\n%s", got)
	}
}
