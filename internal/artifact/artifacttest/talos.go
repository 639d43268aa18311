// SPDX-License-Identifier: MPL-2.0

package artifacttest

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/birdconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talmvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/talospatch"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// traffic is a site whose traffic classes have VLANs of their own, dual stack.
func traffic() site.Declaration {
	return site.Declaration{
		Datapath: "cilium-kubernetes", Distribution: "talos", IPFamilies: dual(),
		Hosts:    map[string]int64{"k8s-1": 11, "k8s-2": 12},
		Versions: map[string]string{"talos": "1.13", "cilium": "1.19"},
		Networks: []network{
			{Name: "pod", CIDRs: []string{"10.3.0.0/16", "fd12:3456:789a:3000::/56"}},
			{Name: "service", CIDRs: []string{"10.2.128.0/20", "fd12:3456:789a:2::/112"}},
			{Name: "mgmt0", Role: "node", VLANID: new(int64(40)), Link: "mgmt0", CIDRs: []string{"10.2.40.0/24", "fd12:3456:789a:40::/64"}, Gateway: "10.2.40.1", DefaultRoute: true},
			{Name: "node0", Role: "node", VLANID: new(int64(46)), Link: "node0", CIDRs: []string{"10.2.46.0/24", "fd12:3456:789a:46::/64"}},
			{Name: "ingress0", Role: "node", VLANID: new(int64(47)), Link: "ingress0", CIDRs: []string{"10.2.47.0/24", "fd12:3456:789a:47::/64"}, Gateway: "10.2.47.1"},
			{Name: "pod0", Role: "node", VLANID: new(int64(48)), Link: "pod0", CIDRs: []string{"10.2.48.0/24", "fd12:3456:789a:48::/64"}},
			{Name: "load_balancer", CIDRs: []string{"10.2.99.64/26", "fd12:3456:789a:99::/112"}},
		},
	}
}

func newer(d site.Declaration, talos string) site.Declaration {
	d.Versions = map[string]string{"talos": talos, "cilium": "1.19"}
	return d
}

func talosVariants() map[string]Variant {
	c := talospatch.Consumer()
	return map[string]Variant{
		"talos_patch/controlplane":       {c, cozystack(node()), artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/worker":             {c, cozystack(node()), artifact.Options{"machine_type": "worker"}},
		"talos_patch/no_node_cidrs":      {c, cozystack(node()), artifact.Options{"machine_type": "controlplane", "allocate_node_cidrs": false}},
		"talos_patch/dual_stack":         {c, site.Declaration{Datapath: "cilium-kubernetes", IPFamilies: dual(), Networks: []network{lan()}}, artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/ipv6":               {c, site.Declaration{Datapath: "node-ipam", IPFamilies: six(), Networks: []network{lan6()}}, artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/node_mask":          {c, site.Declaration{Datapath: "node-ipam", PodsPerNode: new(int64(60)), Networks: []network{node()}}, artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/named_node_network": {c, cozystack(node(), network{Name: "storage", Role: "node", CIDRs: []string{"10.9.0.0/24"}}), artifact.Options{"machine_type": "worker", "node_network": "node"}},
		"talos_patch/no_node_network":    {c, clusterPool(), artifact.Options{"machine_type": "controlplane"}},
		"talos_patch/routing":            {c, traffic(), artifact.Options{"machine_type": "controlplane", "node_network": "node0", "routing_table": int64(47)}},
		"talos_patch/routing_worker":     {c, traffic(), artifact.Options{"machine_type": "worker", "node_network": "node0", "routing_table": int64(47), "routing_rule_priority": int64(2000), "routing_rule_networks": []string{"load_balancer", "pod"}}},
		"talos_patch/host":               {c, traffic(), artifact.Options{"host": "k8s-1", "parent_link": "bond0", "node_annotations": map[string]string{"example.com/pod0-ipv4": "pod0.ipv4", "example.com/pod0-ipv6": "pod0.ipv6", "example.com/egress-ipv4": "ingress0.ipv4_gateway"}}},
		"talos_patch/host_link":          {c, cozystackHost(), artifact.Options{"host": "n1"}},
		"talos_patch/multidoc":           {c, newer(traffic(), "1.14"), artifact.Options{"machine_type": "controlplane", "config_shape": "multidoc", "node_network": "node0", "routing_table": int64(47)}},
		"talos_patch/multidoc_worker":    {c, newer(traffic(), "1.14"), artifact.Options{"machine_type": "worker", "config_shape": "multidoc", "node_network": "node0"}},
		"talos_patch/multidoc_node_mask": {c, site.Declaration{Datapath: "node-ipam", PodsPerNode: new(int64(60)), Networks: []network{node()}}, artifact.Options{"machine_type": "controlplane", "config_shape": "multidoc"}},
		"talos_patch/multidoc_no_ranges": {c, cozystack(node()), artifact.Options{"machine_type": "controlplane", "config_shape": "multidoc", "allocate_node_cidrs": false}},
		"talos_patch/multidoc_host":      {c, newer(traffic(), "1.14"), artifact.Options{"host": "k8s-2", "config_shape": "multidoc", "parent_link": "bond0", "node_annotations": map[string]string{"example.com/pod0-ipv4": "pod0.ipv4"}}},
	}
}

func talmVariants() map[string]Variant {
	c := talmvalues.Consumer()
	return map[string]Variant{
		"talm_values/standard":   {c, cozystack(node()), artifact.Options{}},
		"talm_values/api_vip":    {c, cozystack(node()), artifact.Options{"api_vip": "api", "allocate_node_cidrs": false}},
		"talm_values/dual_stack": {c, site.Declaration{Datapath: "cilium-kubernetes", IPFamilies: dual(), Networks: []network{lan()}}, artifact.Options{}},
	}
}

// cozystackHost is a site whose nodes have one link with a default route.
func cozystackHost() site.Declaration {
	d := cozystack(network{Name: "node", Role: "node", Link: "eth0", CIDRs: []string{"192.168.100.0/24"}, Gateway: "192.168.100.1", DefaultRoute: true})
	d.Hosts = map[string]int64{"n1": 11}
	return d
}

func birdVariants() map[string]Variant {
	c := birdconfig.Consumer()
	return map[string]Variant{
		"bird_config/site":      {c, traffic(), artifact.Options{"routing_table": int64(47)}},
		"bird_config/host":      {c, traffic(), artifact.Options{"host": "k8s-1"}},
		"bird_config/networks":  {c, traffic(), artifact.Options{"networks": []string{"pod", "load_balancer"}, "prefix": "SITE_"}},
		"bird_config/cozystack": {c, cozystackHost(), artifact.Options{}},
	}
}
