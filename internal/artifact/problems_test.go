// SPDX-License-Identifier: MPL-2.0

package artifact_test

import (
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ansiblevars"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/birdconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/fluxsubstitutions"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeadmconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeovnvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/loadbalancerpool"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/nodemovepolicy"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/yamlfields"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// on states the version of a component.
func on(d site.Declaration, component, version string) site.Declaration {
	d.Versions = map[string]string{component: version}
	return d
}

func hosted(d site.Declaration) site.Declaration {
	d.Hosts = map[string]int64{"n1": 11, "n2": 12}
	return d
}

// classes is a site with a VLAN of its nodes, and hosts on it.
func classes() site.Declaration {
	return hosted(site.Declaration{Datapath: "cilium-kubernetes", Networks: []network{{Name: "node0", Role: "node", Link: "node0", VLANID: new(int64(46)), CIDRs: []string{"10.2.46.0/24"}}}})
}

// pools is a site with a pool of Cilium's and one of MetalLB's.
func pools() site.Declaration {
	return site.Declaration{Datapath: "cilium-kubernetes", Networks: []network{
		{Name: "a", Role: "load_balancer", CIDRs: []string{"10.2.99.0/26"}}, {Name: "b", Role: "load_balancer", Allocator: "metallb", CIDRs: []string{"10.2.99.64/26"}},
	}}
}

// twins is a site with two networks whose names differ by a mark only.
func twins() site.Declaration {
	return site.Declaration{Datapath: "cilium-kubernetes", Networks: []network{
		{Name: "back-up", Role: "other", CIDRs: []string{"10.9.0.0/24"}}, {Name: "back_up", Role: "other", CIDRs: []string{"10.9.1.0/24"}},
	}}
}

func TestProblems(t *testing.T) {
	two := cozystack(node, network{Name: "storage", Role: "node", CIDRs: []string{"10.9.0.0/24"}})
	plain := site.Declaration{Datapath: "cilium-kubernetes"}
	tests := []struct {
		name         string
		consumer     artifact.Consumer
		d            site.Declaration
		o            artifact.Options
		path, phrase string
	}{
		{"several node networks", talospatch.Consumer(), two, artifact.Options{"machine_type": "worker"}, "node_network", `node_network = "node"`},
		{"a node network that is not there", talospatch.Consumer(), two, artifact.Options{"machine_type": "worker", "node_network": "nod"}, "node_network", `Did you mean "node"?`},
		{"no node network under Kube-OVN", talospatch.Consumer(), cozystack(), artifact.Options{"machine_type": "worker"}, "plan", "join network on every node"},
		{"controller manager on a worker", talospatch.Consumer(), cozystack(node), artifact.Options{"machine_type": "worker", "allocate_node_cidrs": false}, "allocate_node_cidrs", "control planes only"},
		{"node ranges that pods draw from", talospatch.Consumer(), plain, artifact.Options{"machine_type": "controlplane", "allocate_node_cidrs": false}, "allocate_node_cidrs", "no pod would get an address"},
		{"Talos for K3s", talospatch.Consumer(), site.Declaration{Datapath: "node-ipam", Distribution: "k3s"}, artifact.Options{"machine_type": "worker"}, "plan", "runs k3s"},
		{"talm without a node network", talmvalues.Consumer(), cozystack(), artifact.Options{}, "plan", "advertisedSubnets cannot be stated"},
		{"talm for kubeadm", talmvalues.Consumer(), site.Declaration{Datapath: "node-ipam", Distribution: "kubeadm", Networks: []network{node}}, artifact.Options{}, "plan", "runs kubeadm"},
		{"a virtual address that is not there", talmvalues.Consumer(), cozystack(node), artifact.Options{"api_vip": "apis"}, "api_vip", "It has: api"},
		{"Cozystack without Kube-OVN", cozystackvalues.Consumer(), plain, artifact.Options{}, "plan", `datapath = "kubeovn-cilium"`},
		{"Cozystack without IPv4", cozystackvalues.Consumer(), site.Declaration{Datapath: "kubeovn-cilium", IPFamilies: six}, artifact.Options{}, "plan", "IPv4 ranges only"},
		{"Cilium where none runs", ciliumvalues.Consumer(), site.Declaration{Datapath: "kubeovn"}, artifact.Options{}, "plan", "no Cilium runs"},
		{"native routing of two prefixes", ciliumvalues.Consumer(), site.Declaration{Datapath: "cilium-cluster-pool", Networks: []network{{Name: "pod", CIDRs: []string{"10.1.0.0/16", "10.3.0.0/16"}}}}, artifact.Options{"native_routing_cidr": true}, "native_routing_cidr", "takes one"},
		{"an argument that the plan decides", k3sconfig.Consumer(), site.Declaration{Datapath: "node-ipam"}, artifact.Options{"controller_manager_args": []string{"v=2", "node-cidr-mask-size=25"}}, "controller_manager_args[1]", "decided by the plan"},
		{"a cluster's patch without a machine type", talospatch.Consumer(), cozystack(node), artifact.Options{}, "machine_type", "control planes or for workers"},
		{"a table of the kernel", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(254)}, "routing_table", "such as 47"},
		{"the table of KubeSpan", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(180)}, "routing_table", "KubeSpan"},
		{"a priority of KubeSpan", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47), "routing_rule_priority": int64(32500)}, "routing_rule_priority", "KubeSpan's (32500 and 32501)"},
		{"KubeSpan's second priority, which Talos accepts", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47), "routing_rule_priority": int64(32501)}, "routing_rule_priority", "which is KubeSpan's"},
		{"a priority above main", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47), "routing_rule_priority": int64(40000)}, "routing_rule_priority", "main is looked up at 32766"},
		{"priority without a table", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_rule_priority": int64(1000)}, "routing_rule_priority", "there are no routing rules"},
		{"a rule for a network that is not there", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47), "routing_rule_networks": []string{"pods"}}, "routing_rule_networks[0]", `Did you mean "pod"?`},
		{"two rules for one network", talospatch.Consumer(), classes(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47), "routing_rule_networks": []string{"pod", "pod"}}, "routing_rule_networks[1]", "stands twice"},
		{"routing rules on a Talos without them", talospatch.Consumer(), on(classes(), "talos", "1.12"), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47)}, "routing_table", "they came with 1.13"},
		{"documents on a Talos without them", talospatch.Consumer(), on(cozystack(node), "talos", "1.13"), artifact.Options{"machine_type": "worker", "config_shape": "multidoc"}, "config_shape", "they came with 1.14"},
		{"links on a Talos without them", talospatch.Consumer(), on(classes(), "talos", "1.11"), artifact.Options{"host": "n1", "parent_link": "bond0"}, "host", "they came with 1.12"},
		{"a host that is not there", talospatch.Consumer(), classes(), artifact.Options{"host": "n3", "parent_link": "bond0"}, "host", `Did you mean "n1"?`},
		{"a VLAN without its parent", talospatch.Consumer(), classes(), artifact.Options{"host": "n1"}, "parent_link", "such as parent_link = \"bond0\""},
		{"a VLAN on itself", talospatch.Consumer(), classes(), artifact.Options{"host": "n1", "parent_link": "node0"}, "parent_link", "VLAN on itself"},
		{"cluster settings in a host's patch", talospatch.Consumer(), classes(), artifact.Options{"host": "n1", "parent_link": "bond0", "routing_table": int64(47)}, "routing_table", "not repeated in that of a host"},
		{"a host's settings in the cluster's patch", talospatch.Consumer(), cozystack(node), artifact.Options{"machine_type": "worker", "parent_link": "bond0"}, "parent_link", "a host's own patch"},
		{"an annotation that is none", talospatch.Consumer(), classes(), artifact.Options{"host": "n1", "parent_link": "bond0", "node_annotations": map[string]string{"Example.com/a": "node0.ipv4"}}, `node_annotations["Example.com/a"]`, "no lower-case DNS name"},
		{"an annotation of a fact that is none", talospatch.Consumer(), classes(), artifact.Options{"host": "n1", "parent_link": "bond0", "node_annotations": map[string]string{"a": "node0.mac"}}, `node_annotations["a"]`, "ipv4_gateway, ipv6_gateway"},
		{"an annotation of an address that is not there", talospatch.Consumer(), classes(), artifact.Options{"host": "n1", "parent_link": "bond0", "node_annotations": map[string]string{"a": "node0.ipv6"}}, `node_annotations["a"]`, "has no ipv6 in the network"},
		{"a host of which nothing is known", talospatch.Consumer(), hosted(cozystack(node)), artifact.Options{"host": "n1"}, "host", "State link on the network"},
		{"Kube-OVN where none runs", kubeovnvalues.Consumer(), plain, artifact.Options{}, "plan", `datapath = "kubeovn"`},
		{"a Subnet of what Kube-OVN does not hand out", kubeovnvalues.Consumer(), cozystack(), artifact.Options{"form": "subnet", "network": "service"}, "network", "kube-apiserver"},
		{"a chart for a Subnet", kubeovnvalues.Consumer(), cozystack(), artifact.Options{"form": "subnet", "chart": "v2"}, "chart", "does nothing for a Subnet"},
		{"a network for values", kubeovnvalues.Consumer(), cozystack(), artifact.Options{"network": "join"}, "network", `form = "subnet"`},
		{"no LoadBalancer network", loadbalancerpool.Consumer(), plain, artifact.Options{}, "plan", "192.168.100.200-192.168.100.250"},
		{"several LoadBalancer networks", loadbalancerpool.Consumer(), pools(), artifact.Options{}, "network", `network = "a"`},
		{"a pool of pods", loadbalancerpool.Consumer(), pools(), artifact.Options{"network": "pod"}, "network", `has the role "pod"`},
		{"a namespace for Cilium's pool", loadbalancerpool.Consumer(), pools(), artifact.Options{"network": "a", "namespace": "x"}, "namespace", "has no namespace"},
		{"a version for MetalLB's pool", loadbalancerpool.Consumer(), pools(), artifact.Options{"network": "b", "api_version": "v2"}, "api_version", "handed out by MetalLB"},
		{"a pool in a version that Cilium lacks", loadbalancerpool.Consumer(), on(pools(), "cilium", "1.17"), artifact.Options{"network": "a", "api_version": "v2"}, "api_version", "they came with 1.18"},
		{"a pool with a name that is none", loadbalancerpool.Consumer(), pools(), artifact.Options{"network": "a", "name": "My_Pool"}, "name", "lower-case"},
		{"a variable that is none", fluxsubstitutions.Consumer(), plain, artifact.Options{"variables": map[string]string{"lb-pool": "10.2.99.0/24"}}, `variables["lb-pool"]`, "it substitutes nothing at all"},
		{"a prefix that starts no variable", fluxsubstitutions.Consumer(), plain, artifact.Options{"prefix": "2site_"}, "prefix", `such as "SITE_"`},
		{"a value of two lines", fluxsubstitutions.Consumer(), plain, artifact.Options{"variables": map[string]string{"A": "- 10.0.0.0/8\n- 10.2.0.0/16"}}, `variables["A"]`, "Flux takes line breaks out"},
		{"an address that ends in a colon", fluxsubstitutions.Consumer(), plain, artifact.Options{"variables": map[string]string{"A": "fd00::"}}, `variables["A"]`, "cannot end in a colon"},
		{"a list with blanks", fluxsubstitutions.Consumer(), plain, artifact.Options{"variables": map[string]string{"A": "10.0.0.0/8, 10.2.0.0/16"}}, `variables["A"]`, "blank in front"},
		{"a variable that a network has", fluxsubstitutions.Consumer(), plain, artifact.Options{"variables": map[string]string{"POD_IPV4_CIDR": "x"}}, `variables["POD_IPV4_CIDR"]`, `the network "pod"`},
		{"a network without variables", fluxsubstitutions.Consumer(), plain, artifact.Options{"networks": []string{"pods"}}, "networks[0]", `Did you mean "pod"?`},
		{"two networks of one variable", fluxsubstitutions.Consumer(), twins(), artifact.Options{}, "networks", "would both give the variable"},
		{"kubeadm for Talos", kubeadmconfig.Consumer(), cozystack(node), artifact.Options{}, "plan", "runs talos"},
		{"an argument of the plan for kubeadm", kubeadmconfig.Consumer(), plain, artifact.Options{"controller_manager_args": []string{"cluster-cidr=10.0.0.0/8"}}, "controller_manager_args[0]", "decided by the plan"},
		{"an argument without a value", kubeadmconfig.Consumer(), plain, artifact.Options{"controller_manager_args": []string{"profiling"}}, "controller_manager_args[0]", "name=value"},
		{"the Cozystack role without Kube-OVN", ansiblevars.Consumer(), plain, artifact.Options{"role": "cozystack"}, "plan", "Kube-OVN with Cilium"},
		{"K3s playbooks for Talos", ansiblevars.Consumer(), cozystack(node), artifact.Options{"role": "k3s"}, "plan", "no playbook of K3s"},
		{"a K3s variable for Cozystack", ansiblevars.Consumer(), cozystack(node), artifact.Options{"role": "cozystack", "config_variable": "x"}, "config_variable", "does nothing"},
		{"a constant that is none", birdconfig.Consumer(), plain, artifact.Options{"prefix": "my-"}, "prefix", "CIDRPLAN_"},
		{"a table that is the kernel's", birdconfig.Consumer(), plain, artifact.Options{"routing_table": int64(255)}, "routing_table", "such as 47"},
		{"two networks of one constant", birdconfig.Consumer(), twins(), artifact.Options{}, "networks", "would both be the constant"},
		{"a table in a host's file", birdconfig.Consumer(), classes(), artifact.Options{"host": "n1", "routing_table": int64(47)}, "routing_table", "defined twice"},
		{"a bridge from nowhere", nodemovepolicy.Consumer(), cozystack(node), artifact.Options{}, "former_cidrs", "must know where the addresses come from"},
		{"a bridge that stays where it is", nodemovepolicy.Consumer(), cozystack(node), artifact.Options{"former_cidrs": []string{"192.168.0.0/16"}}, "former_cidrs[0]", "overlaps the network"},
		{"a bridge from what is no network", nodemovepolicy.Consumer(), cozystack(node), artifact.Options{"former_cidrs": []string{"192.168.40.1/24"}}, "former_cidrs[0]", "192.168.40.0/24"},
		{"a bridge without Cilium", nodemovepolicy.Consumer(), site.Declaration{Datapath: "node-ipam", Networks: []network{node}}, artifact.Options{"former_cidrs": []string{"192.168.40.0/24"}}, "plan", "no Cilium enforces policies"},
		{"a path that is none", yamlfields.Consumer(), plain, artifact.Options{"values": map[string]any{"a..b": 1}}, "values", "a key is missing"},
		{"nothing to set", yamlfields.Consumer(), plain, artifact.Options{"values": map[string]any{}}, "values", "nothing to set"},
		{"a field inside another", yamlfields.Consumer(), plain, artifact.Options{"values": map[string]any{"a": "x", "a.b": "y"}}, "values", "a.b lies in the field a"},
		{"a chart that K3s does not install", k3sconfig.Consumer(), site.Declaration{Datapath: "cilium-kubernetes", Distribution: "k3s"}, artifact.Options{"form": "helm_chart_config"}, "form", "cidrplan_cilium_values"},
		{"a setting of config.yaml in a chart's", k3sconfig.Consumer(), site.Declaration{Datapath: "cilium-kubernetes", Distribution: "rke2"}, artifact.Options{"form": "helm_chart_config", "cluster_dns": true}, "cluster_dns", "config.yaml"},
		{"a key of no ConfigMap", ciliumvalues.Consumer(), plain, artifact.Options{"form": "values", "values_key": "x"}, "values_key", `form = "config_map"`},
		{"K3s for Talos", k3sconfig.Consumer(), cozystack(node), artifact.Options{}, "plan", "runs talos"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, problems := test.consumer.Render(planned(t, test.d), test.o)
			for _, p := range problems {
				if p.Path.String() == test.path && strings.Contains(p.Detail, test.phrase) {
					return
				}
			}
			t.Errorf("got\n%swant %s: … %s …", problems, test.path, test.phrase)
		})
	}
}
