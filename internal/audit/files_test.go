// SPDX-License-Identifier: MPL-2.0

package audit

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/artifacttest"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/repository"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/rules"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// readers are those of every consumer.
func readers() []repository.Reader {
	seen := map[string]bool{}
	var out []repository.Reader
	for _, v := range artifacttest.Variants() {
		if v.Consumer.Read != nil && !seen[v.Consumer.Name] {
			seen[v.Consumer.Name] = true
			out = append(out, repository.Reader{Consumer: v.Consumer.Name, Read: v.Consumer.Read})
		}
	}
	slices.SortFunc(out, func(a, b repository.Reader) int { return strings.Compare(a.Consumer, b.Consumer) })
	return out
}

const (
	talosNode      = "machine: {type: worker}\ncluster:\n  controlPlane: {endpoint: \"https://192.168.1.10:6443\"}\n  network:\n    serviceSubnets: [10.96.0.0/16]\n"
	platform       = "apiVersion: cozystack.io/v1alpha1\nkind: Package\nmetadata: {name: cozystack.cozystack-platform}\nspec:\n  variant: isp-full\n  components:\n    platform:\n      values:\n        networking: {podCIDR: 10.244.0.0/16, podGateway: 10.244.0.1, serviceCIDR: 10.96.0.0/16, joinCIDR: 100.64.0.0/16}\n"
	separateValues = "apiVersion: cozystack.io/v1alpha1\nkind: Package\nmetadata: {name: cozystack.networking}\nspec:\n  components:\n    cilium: {values: {cilium: {ipam: {mode: cluster-pool, operator: {clusterPoolIPv4PodCIDRList: [10.244.248.0/21], clusterPoolIPv4MaskSize: 29}}}}}\n    kubeovn: {values: {kube-ovn: {networking: {EXCLUDE_IPS: 10.244.248.0..10.244.255.255}}}}\n"
	facts          = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: site-facts}\ndata:\n  LB_POOL_V4: 10.2.99.64/26\n  POOLS: '[\"10.2.99.64/26\",\"10.2.99.128/27\"]'\n"
	kustomization  = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {postBuild: {substituteFrom: [{kind: ConfigMap, name: site-facts}]}}\n"
)

type fileCase struct {
	name  string
	files map[string]string
	plan  *site.Declaration
	wants []want // object is a part of a place
	only  bool
}

func fileCases() []fileCase {
	return []fileCase{
		{name: "Cozystack by the book", files: map[string]string{"nodes/worker02.yaml": talosNode, "gitops/platform.yaml": platform}, wants: []want{
			{ruleFilesTwoAllocators, rules.Error, "nodes/worker02.yaml:1 (not stated: the default of Talos)", "10.244.0.0/16"},
		}, only: true},
		{name: "the default of one file that another states", files: map[string]string{"values.yaml": "podSubnets: [10.111.0.0/16]\nserviceSubnets: [10.96.0.0/16]\n", "gitops/platform.yaml": platform}, only: true},
		{name: "Cozystack after its plan", files: map[string]string{"nodes/worker02.yaml": talosNode, "gitops/platform.yaml": platform, "gitops/networking.yaml": separateValues}, plan: cozystack(), only: true},
		{name: "an Ansible role beside its playbook", files: map[string]string{
			"prepare.yml": "- vars:\n    server_config_yaml: |\n      cluster-cidr: 10.42.0.0/16\n      service-cidr: 10.43.0.0/16\n", "group_vars/all.yml": "cozystack_pod_cidr: 10.42.0.0/16\ncozystack_svc_cidr: 10.43.0.0/16\n",
		}, wants: []want{{ruleFilesTwoAllocators, rules.Error, "prepare.yml:3 [0].vars.server_config_yaml|cluster-cidr", "cozystack_pod_cidr"}}, only: true},
		{name: "a pool list that the mode does not read", files: map[string]string{
			"cilium.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\nspec:\n  values: {ipam: {mode: kubernetes, operator: {clusterPoolIPv4PodCIDRList: [10.42.0.0/16]}}, ipv4NativeRoutingCIDR: 10.42.0.0/16}\n",
			"talos.yaml":  "cluster: {network: {podSubnets: [10.42.0.0/16], serviceSubnets: [10.43.0.0/16]}}\n",
		}, only: true},
		{name: "the chart's pool around the Services", files: map[string]string{
			"cilium.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\nspec: {chart: {spec: {chart: cilium}}}\n",
			"config.yaml": "flannel-backend: none\n",
		}, wants: []want{{ruleFilesTwoAllocators, rules.Error, "config.yaml:1 (not stated: the default of K3s)", "10.43.0.0/16"}}},
		{name: "Services of two ranges", files: map[string]string{"talos.yaml": "cluster: {network: {podSubnets: [10.50.0.0/16], serviceSubnets: [10.97.0.0/16]}}\n", "platform.yaml": platform},
			wants: []want{{ruleFilesDisagree, rules.Error, "talos.yaml:1 cluster.network.serviceSubnets[0]", "10.96.0.0/16"}}, only: true},
		{name: "a stale plan beside the active one", files: map[string]string{"talos.yaml": "cluster: {network: {podSubnets: [10.101.224.0/20]}}\n", "old/talos.yaml": "cluster: {network: {podSubnets: [10.101.244.0/22]}}\n"},
			wants: []want{{ruleFilesDisagree, rules.Error, "old/talos.yaml:1 cluster.network.podSubnets[0]", "10.101.224.0/20"}}},
		{name: "kubeadm's default around the pods", files: map[string]string{"kubeadm.yaml": "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nnetworking: {podSubnet: 10.96.0.0/16}\n"},
			wants: []want{{ruleFilesTwoAllocators, rules.Error, "kubeadm.yaml:1 (not stated: the default of kubeadm)", "10.96.0.0/16"}}, only: true},
		{name: "pools from variables", files: map[string]string{"facts.yaml": facts, "apps.yaml": kustomization,
			"pool.yaml": "apiVersion: cilium.io/v2\nkind: CiliumLoadBalancerIPPool\nmetadata: {name: bgp}\nspec:\n  blocks:\n    - cidr: ${LB_POOL_V4}\n"}, only: true},
		{name: "a variable that nothing sets", files: map[string]string{"facts.yaml": facts, "apps.yaml": kustomization,
			"cilium.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\nspec:\n  values:\n    ipam:\n      mode: cluster-pool\n      operator: {clusterPoolIPv4PodCIDRList: \"${POOL_CIDRS}\"}\n"},
			wants: []want{{ruleVariableUnset, rules.Error, "cilium.yaml:8", "${POOL_CIDRS}"}, {ruleFactUnknown, rules.Warning, "cilium.yaml:8 spec.values.ipam.operator.clusterPoolIPv4PodCIDRList", "could not be read"}}, only: true},
		{name: "two pools", files: map[string]string{"a.yaml": "apiVersion: cilium.io/v2\nkind: CiliumLoadBalancerIPPool\nmetadata: {name: a}\nspec: {blocks: [{cidr: 192.168.100.200/28}]}\n---\napiVersion: cilium.io/v2\nkind: CiliumLoadBalancerIPPool\nmetadata: {name: b}\nspec: {blocks: [{start: 192.168.100.205, stop: 192.168.100.210}]}\n"},
			wants: []want{{ruleFilesTwoAllocators, rules.Error, "a.yaml:4 spec.blocks[0].cidr", "192.168.100.205-192.168.100.207"}, {ruleWrittenWrong, rules.Error, "a.yaml:4 spec.blocks[0].cidr", "192.168.100.192/28"}}, only: true},
		{name: "a file that is not the plan's", files: map[string]string{"talos.yaml": "cluster: {network: {podSubnets: [10.50.0.0/16]}}\n"}, plan: &site.Declaration{Datapath: "cilium-kubernetes"},
			wants: []want{{ruleFileDiffersFromPlan, rules.Error, "talos.yaml:1 cluster.network.podSubnets[0]", "10.50.0.0/16"}}, only: true},
		{name: "a native range beside the pods", files: map[string]string{"cilium.yaml": "ipam: {mode: kubernetes}\nipv4NativeRoutingCIDR: 10.100.0.0/16\n", "talos.yaml": "cluster: {network: {podSubnets: [10.244.0.0/16]}}\n"},
			wants: []want{{ruleKeyIgnored, rules.Warning, "cilium.yaml:2 ipv4NativeRoutingCIDR", "10.244.0.0/16"}}, only: true},
		{name: "a strategic patch replaces", files: map[string]string{
			"base.yaml":       "version: v1alpha1\nmachine: {type: controlplane}\ncluster: {network: {podSubnets: [10.244.0.0/16], serviceSubnets: [10.43.0.0/16]}}\n",
			"site-patch.yaml": "cluster: {network: {podSubnets: [10.42.0.0/16]}}\n",
		}, only: true},
		{name: "a JSON patch adds", files: map[string]string{
			"base.yaml":  "version: v1alpha1\nmachine: {type: controlplane}\ncluster: {network: {podSubnets: [10.244.0.0/16], serviceSubnets: [10.96.0.0/12]}}\n",
			"patch.json": "[{\"op\": \"add\", \"path\": \"/cluster/network/podSubnets/-\", \"value\": \"10.42.0.0/16\"}]",
		}, wants: []want{{ruleListAppended, rules.Error, "patch.json:1 [0].value", "op: replace"}}},
		{name: "a strategic patch appends", files: map[string]string{
			"base.yaml":       "version: v1alpha1\nmachine: {type: controlplane, kubelet: {nodeIP: {validSubnets: [10.2.40.0/24]}}}\ncluster: {network: {podSubnets: [10.42.0.0/16], serviceSubnets: [10.43.0.0/16]}}\n",
			"site-patch.yaml": "machine: {kubelet: {nodeIP: {validSubnets: [10.2.46.0/24]}}}\n",
		}, wants: []want{{ruleListAppended, rules.Warning, "site-patch.yaml:1 machine.kubelet.nodeIP.validSubnets[0]", "$patch: delete"}}, only: true},
		{name: "a release over the ConfigMap that it takes values from", files: map[string]string{
			"cilium.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\nspec: {valuesFrom: [{kind: ConfigMap, name: cilium-values}], values: {ipam: {mode: cluster-pool, operator: {clusterPoolIPv4PodCIDRList: [10.1.0.0/16]}}}}\n",
			"values.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cilium-values}\ndata:\n  values.yaml: |\n    ipam: {mode: cluster-pool, operator: {clusterPoolIPv4PodCIDRList: [10.3.0.0/16]}}\n",
		}, only: true},
		{name: "values of a ConfigMap below a release", files: map[string]string{
			"cilium.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\nspec: {valuesFrom: [{kind: ConfigMap, name: cilium-values}], values: {hubble: {enabled: true}}}\n",
			"values.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cilium-values}\ndata:\n  values.yaml: |\n    ipam: {mode: kubernetes}\n",
		}, only: true},
		{name: "values of a ConfigMap that is not there", files: map[string]string{
			"cilium.yaml": "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: cilium}\nspec: {valuesFrom: [{kind: ConfigMap, name: cilium-values}], values: {hubble: {enabled: true}}}\n",
		}, wants: []want{{ruleFactUnknown, rules.Warning, "cilium.yaml:1", "another layer"}}, only: true},
		{name: "files of nobody", files: map[string]string{"a.txt": "hello 10.0.0.0/8\n", "deployment.yaml": "kind: Deployment\n", "broken.yaml": "a: [\n"}, wants: []want{{ruleNotInspected, rules.Error, "files", "None of the 3 files"}}, only: true},
	}
}

func TestFiles(t *testing.T) {
	fired := map[string]bool{}
	for _, c := range fileCases() {
		t.Run(c.name, func(t *testing.T) {
			var p *plan.Plan
			if c.plan != nil {
				p = planned(t, *c.plan)
			}
			names := slices.Sorted(maps.Keys(c.files))
			contents := map[string][]byte{}
			for name, text := range c.files {
				contents[name] = []byte(text)
			}
			findings := Files(repository.FactsOf(names, contents, readers()), p).Findings
			for _, w := range c.wants {
				fired[w.rule] = true
				if !w.met(findings) {
					t.Errorf("missing %+v", w)
				}
			}
			for _, f := range findings {
				if f.Message == "" || f.Consequence == "" || f.Remedy == "" || len(f.Objects) == 0 {
					t.Errorf("incomplete: %+v", f)
				}
				if c.only && !slices.ContainsFunc(c.wants, func(w want) bool { return w.rule == f.Rule }) {
					t.Errorf("beside: %+v", f)
				}
			}
			if t.Failed() {
				for _, f := range findings {
					t.Logf("%s %s %q: %s", f.Severity, f.Rule, f.Objects, f.Message)
				}
			}
		})
	}
	for _, rule := range fileRules() {
		if !fired[rule.Slug] {
			t.Errorf("no case fires %s", rule.Slug)
		}
	}
}
