// SPDX-License-Identifier: MPL-2.0

package provider

import "github.com/hashicorp/terraform-plugin-testing/helper/resource"

// ownedFile is somebody's file with the fields of one writer in it: comments,
// quotes and neighbours that must survive.
type ownedFile struct {
	typeName string
	variant  string
	site     string // the site's lines
	options  string // the resource's lines
	before   string
	after    string // with every field as planned
	drift    [2]string
	field    string // key path of the drifted field
	value    string // its planned value as canonical JSON
	document string // #kind/namespace/name of the import id, if it can be named
	query    string // options of the import id
	named    bool   // the document differs from the consumer's own, so that an import states it
	noImport bool   // its options cannot stand in an import id
}

// steps leaves the import out where there is none.
func (f ownedFile) steps(all []resource.TestStep) []resource.TestStep {
	if f.noImport {
		return all[:len(all)-1]
	}
	if f.named {
		last := &all[len(all)-1]
		last.ImportStateVerifyIgnore = append(last.ImportStateVerifyIgnore, "document")
	}
	return all
}

const (
	talosSite = "datapath = \"kubeovn-cilium\"\n distribution = \"talos\"\n network {\n name = \"node\"\n role = \"node\"\n cidrs = [\"192.168.100.0/24\"]\n vips = { api = \"192.168.100.10\" }\n }"
	poolSite  = "datapath = \"cilium-kubernetes\"\n network {\n name = \"load_balancer\"\n cidrs = [\"10.2.99.64/26\"]\n }"
	k3sSite   = "datapath = \"cilium-kubernetes\"\n distribution = \"k3s\""
)

func ownedFiles() []ownedFile {
	return []ownedFile{
		{
			typeName: "cidrplan_talm_values", site: talosSite, options: "api_vip = \"api\"",
			before: "# talm\r\nendpoint: \"https://192.168.100.10:6443\" # api\r\npodSubnets:\r\n- 10.244.0.0/16\r\nserviceSubnets: ['10.112.0.0/16'] # old\r\n\r\nfloatingIP: \"\"",
			after:  "# talm\r\nendpoint: \"https://192.168.100.10:6443\" # api\r\npodSubnets:\r\n- 10.244.0.0/16\r\nserviceSubnets: ['10.96.0.0/16'] # old\r\n\r\nfloatingIP: \"192.168.100.10\"\r\nadvertisedSubnets:\r\n- \"192.168.100.0/24\"",
			drift:  [2]string{"10.96.0.0", "10.97.0.0"}, field: "serviceSubnets", value: `["10.96.0.0/16"]`, query: "?api_vip=api",
		},
		{
			typeName: "cidrplan_cozystack_values", site: talosSite, options: "package = \"platform\"",
			before: "# platform\napiVersion: cozystack.io/v1alpha1\nkind: Package\nmetadata: {name: cozystack.cozystack-platform}\nspec:\n  components:\n    platform:\n      values:\n        networking: # ranges\n          podCIDR: \"10.244.0.0/16\"   # pods\n",
			after:  "# platform\napiVersion: cozystack.io/v1alpha1\nkind: Package\nmetadata: {name: cozystack.cozystack-platform}\nspec:\n  components:\n    platform:\n      values:\n        networking: # ranges\n          podCIDR: \"10.244.0.0/16\"   # pods\n          podGateway: 10.244.0.1\n          serviceCIDR: 10.96.0.0/16\n          joinCIDR: 100.64.0.0/16\n",
			drift:  [2]string{"100.64.0.0", "100.72.0.0"}, field: "spec.components.platform.values.networking.joinCIDR", value: `"100.64.0.0/16"`,
			document: "#Package/cozystack.cozystack-platform",
		},
		{
			typeName: "cidrplan_cilium_values", site: k3sSite,
			before: "kind: ConfigMap\nmetadata: {name: other}\n---\n# cilium\nkind: HelmRelease\nmetadata:\n  name: cilium\n  namespace: kube-system\nspec:\n  values:\n    ipam:\n      mode: cluster-pool # chart default\n      operator:\n        clusterPoolIPv4PodCIDRList:\n          - 10.0.0.0/8\n...\n---\nkind: Secret\n",
			after:  "kind: ConfigMap\nmetadata: {name: other}\n---\n# cilium\nkind: HelmRelease\nmetadata:\n  name: cilium\n  namespace: kube-system\nspec:\n  values:\n    ipam:\n      mode: kubernetes # chart default\n    k8s:\n      requireIPv4PodCIDR: true\n...\n---\nkind: Secret\n",
			drift:  [2]string{"mode: kubernetes", "mode: multi-pool"}, field: "spec.values.ipam.mode", value: `"kubernetes"`,
			document: "#HelmRelease/kube-system/cilium",
		},
		{
			typeName: "cidrplan_k3s_config", site: k3sSite, options: "cluster_dns = true",
			before: "flannel-backend: none\ndisable: [traefik] # no\n",
			after:  "flannel-backend: none\ndisable: [traefik] # no\ncluster-cidr: 10.42.0.0/16\nservice-cidr: 10.43.0.0/16\ncluster-dns: 10.43.0.10\n",
			drift:  [2]string{"10.43.0.0", "10.44.0.0"}, field: "service-cidr", value: `"10.43.0.0/16"`, query: "?cluster_dns=true",
		},
		{
			typeName: "cidrplan_cilium_values", variant: "config map", site: k3sSite, options: "form = \"config_map\"\n root_key = \"cilium\"",
			before: "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cilium-values\ndata:\n  other: x\n  values.yaml: |\n    # ours\n    cilium:\n      ipam: {mode: cluster-pool} # old\n      hubble: {enabled: true}\n",
			after:  "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cilium-values\ndata:\n  other: x\n  values.yaml: |\n    # ours\n    cilium:\n      ipam: {mode: kubernetes} # old\n      hubble: {enabled: true}\n      k8s:\n        requireIPv4PodCIDR: true\n",
			drift:  [2]string{"mode: kubernetes", "mode: multi-pool"}, field: "data[\"values.yaml\"]|cilium.ipam.mode", value: `"kubernetes"`,
			document: "#ConfigMap/cilium-values", query: "?form=config_map&root_key=cilium",
		},
		{
			typeName: "cidrplan_cozystack_values", variant: "config map", site: talosSite, options: "package = \"config_map\"",
			before: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cozystack, namespace: cozy-system}\ndata:\n  bundle-name: \"paas-full\"\n  ipv4-pod-cidr: \"10.200.0.0/16\" # old\n  values-cilium: |\n    cilium:\n      # keep\n      hubble: {enabled: true}\n",
			after:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cozystack, namespace: cozy-system}\ndata:\n  bundle-name: \"paas-full\"\n  ipv4-pod-cidr: \"10.244.0.0/16\" # old\n  values-cilium: |\n    cilium:\n      # keep\n      hubble: {enabled: true}\n      ipam:\n        mode: cluster-pool\n        operator:\n          clusterPoolIPv4PodCIDRList:\n            - 10.244.248.0/21\n          clusterPoolIPv4MaskSize: 29\n  ipv4-pod-gateway: 10.244.0.1\n  ipv4-svc-cidr: 10.96.0.0/16\n  ipv4-join-cidr: 100.64.0.0/16\n  values-kubeovn: |\n    kube-ovn:\n      networking:\n        EXCLUDE_IPS: 10.244.248.0..10.244.255.255\n",
			drift:  [2]string{"100.64.0.0", "100.72.0.0"}, field: "data.ipv4-join-cidr", value: `"100.64.0.0/16"`,
			document: "#ConfigMap/cozy-system/cozystack", query: "?package=config_map",
		},
		{
			typeName: "cidrplan_kubeovn_values", site: talosSite, options: "root_key = \"kube-ovn\"",
			before: "kube-ovn:\n  ipv4:\n    POD_CIDR: '10.16.0.0/16'   # pods\n  func: {ENABLE_NP: false}\n",
			after:  "kube-ovn:\n  ipv4:\n    POD_CIDR: '10.244.0.0/16'   # pods\n    POD_GATEWAY: 10.244.0.1\n    SVC_CIDR: 10.96.0.0/16\n    JOIN_CIDR: 100.64.0.0/16\n  func: {ENABLE_NP: false}\n  networking:\n    NET_STACK: ipv4\n    EXCLUDE_IPS: 10.244.248.0..10.244.255.255\n",
			drift:  [2]string{"10.96.0.0", "10.97.0.0"}, field: "kube-ovn.ipv4.SVC_CIDR", value: `"10.96.0.0/16"`, query: "?root_key=kube-ovn",
		},
		{
			typeName: "cidrplan_kubeovn_values", variant: "subnet", site: talosSite, options: "form = \"subnet\"",
			before: "apiVersion: kubeovn.io/v1\nkind: Subnet\nmetadata: {name: ovn-default}\nspec:\n  default: true\n  cidrBlock: 10.244.0.0/16\n  excludeIps:\n  - 10.244.0.1 # gateway\n",
			after:  "apiVersion: kubeovn.io/v1\nkind: Subnet\nmetadata: {name: ovn-default}\nspec:\n  default: true\n  cidrBlock: 10.244.0.0/16\n  excludeIps:\n  - 10.244.0.1 # gateway\n  - 10.244.248.0..10.244.255.255\n  protocol: IPv4\n  gateway: 10.244.0.1\n",
			drift:  [2]string{"10.244.248.0..", "10.244.250.0.."}, field: "spec.excludeIps", value: `["10.244.0.1","10.244.248.0..10.244.255.255"]`,
			document: "#Subnet/ovn-default", query: "?form=subnet",
		},
		{
			typeName: "cidrplan_load_balancer_pool", site: poolSite, options: "name = \"bgp-pool\"",
			before: "# the pool\napiVersion: cilium.io/v2\nkind: CiliumLoadBalancerIPPool\nmetadata:\n  name: bgp-pool\nspec:\n  serviceSelector: {matchLabels: {pool: bgp}}\n  blocks: # site fact\n    - start: 10.2.99.64\n      stop: 10.2.99.127\n",
			after:  "# the pool\napiVersion: cilium.io/v2\nkind: CiliumLoadBalancerIPPool\nmetadata:\n  name: bgp-pool\nspec:\n  serviceSelector: {matchLabels: {pool: bgp}}\n  blocks: # site fact\n    - cidr: 10.2.99.64/26\n  allowFirstLastIPs: \"Yes\"\n",
			drift:  [2]string{"10.2.99.64/26", "10.2.99.64/27"}, field: "spec.blocks", value: `[{"cidr":"10.2.99.64/26"}]`,
			document: "#CiliumLoadBalancerIPPool/bgp-pool", query: "?name=bgp-pool", named: true,
		},
		{
			typeName: "cidrplan_flux_substitutions", site: poolSite, options: "name = \"lb-pool-site\"\n networks = [\"load_balancer\"]",
			before: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lb-pool-site, namespace: flux-system}\ndata:\n  DOMAIN: example.org # a person's\n",
			after:  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lb-pool-site, namespace: flux-system}\ndata:\n  DOMAIN: example.org # a person's\n  LOAD_BALANCER_IPV4_CIDR: 10.2.99.64/26\n  LOAD_BALANCER_IPV4_START: 10.2.99.64\n  LOAD_BALANCER_IPV4_STOP: 10.2.99.127\n  LOAD_BALANCER_CIDRS: '[\"10.2.99.64/26\"]'\n",
			drift:  [2]string{"_CIDR: 10.2.99.64/26", "_CIDR: 10.2.98.64/26"}, field: "data.LOAD_BALANCER_IPV4_CIDR", value: `"10.2.99.64/26"`,
			document: "#ConfigMap/flux-system/lb-pool-site", query: "?name=lb-pool-site&networks=load_balancer", named: true,
		},
		{
			typeName: "cidrplan_kubeadm_config", site: "datapath = \"node-ipam\"\n distribution = \"kubeadm\"",
			before: "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.33.0\nnetworking:\n  dnsDomain: cluster.local\n",
			after:  "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n---\napiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\nkubernetesVersion: v1.33.0\nnetworking:\n  dnsDomain: cluster.local\n  podSubnet: 10.244.0.0/16\n  serviceSubnet: 10.96.0.0/16\n",
			drift:  [2]string{"10.96.0.0", "10.97.0.0"}, field: "networking.serviceSubnet", value: `"10.96.0.0/16"`,
		},
		{
			typeName: "cidrplan_ansible_vars", site: "datapath = \"kubeovn-cilium\"\n distribution = \"k3s\"", options: "role = \"cozystack\"",
			before: "---\ncozystack_root_host: \"example.org\"\ncozystack_pod_cidr: \"10.99.0.0/16\"\n",
			after:  "---\ncozystack_root_host: \"example.org\"\ncozystack_pod_cidr: \"10.42.0.0/16\"\ncozystack_pod_gateway: \"10.42.0.1\"\ncozystack_svc_cidr: \"10.43.0.0/16\"\ncozystack_join_cidr: \"100.64.0.0/16\"\n",
			drift:  [2]string{"100.64.0.0", "100.72.0.0"}, field: "cozystack_join_cidr", value: `"100.64.0.0/16"`, query: "?role=cozystack",
		},
		{
			typeName: "cidrplan_ansible_vars", variant: "k3s", site: k3sSite, options: "role = \"k3s\"",
			before: "server_config_yaml: |\n  # config.yaml\n  flannel-backend: none\n",
			after:  "server_config_yaml: |\n  # config.yaml\n  flannel-backend: none\n  cluster-cidr: 10.42.0.0/16\n  service-cidr: 10.43.0.0/16\n",
			drift:  [2]string{"10.43.0.0", "10.44.0.0"}, field: "server_config_yaml|service-cidr", value: `"10.43.0.0/16"`, query: "?role=k3s",
		},
		{
			typeName: "cidrplan_k3s_config", variant: "helm chart config", site: "datapath = \"cilium-kubernetes\"\n distribution = \"rke2\"", options: "form = \"helm_chart_config\"",
			before: "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: rke2-cilium, namespace: kube-system}\nspec:\n  valuesContent: |-\n    kubeProxyReplacement: true # yes\n",
			after:  "apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: rke2-cilium, namespace: kube-system}\nspec:\n  valuesContent: |-\n    kubeProxyReplacement: true # yes\n    ipam:\n      mode: kubernetes\n    k8s:\n      requireIPv4PodCIDR: true\n",
			drift:  [2]string{"mode: kubernetes", "mode: multi-pool"}, field: "spec.valuesContent|ipam.mode", value: `"kubernetes"`,
			document: "#HelmChartConfig/kube-system/rke2-cilium", query: "?form=helm_chart_config",
		},
		{
			typeName: "cidrplan_yaml_fields", site: k3sSite, noImport: true,
			options: "values = {\n \"clusterPodNets\" = data.cidrplan_site.s.networks[\"pod\"].cidrs\n \"app.proxies\" = join(\",\", data.cidrplan_site.s.networks[\"pod\"].cidrs)\n \"app.count\" = 24\n \"app.old\" = null\n }",
			before:  "clusterName: home\nclusterPodNets:\n    - 10.244.0.0/16 # pods\napp:\n    proxies: \"10.244.0.0/16\"\n    old: 1\n",
			after:   "clusterName: home\nclusterPodNets:\n    - 10.42.0.0/16 # pods\napp:\n    proxies: \"10.42.0.0/16\"\n    count: 24\n",
			drift:   [2]string{"count: 24", "count: 25"}, field: "app.count", value: "24",
		},
	}
}
