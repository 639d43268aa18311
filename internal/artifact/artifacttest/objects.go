// SPDX-License-Identifier: MPL-2.0

package artifacttest

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/fluxsubstitutions"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/loadbalancerpool"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/nodemovepolicy"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/yamlfields"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func lan45() network {
	return network{Name: "load_balancer", CIDRs: []string{"192.168.100.200-192.168.100.250"}}
}

func poolVariants() map[string]Variant {
	c := loadbalancerpool.Consumer()
	metal := cozystack(node(), network{Name: "vips", Role: "load_balancer", Allocator: "metallb", CIDRs: []string{"192.168.100.200-192.168.100.250"}})
	older := newer(traffic(), "1.13")
	older.Versions["cilium"] = "1.16"
	return map[string]Variant{
		"load_balancer_pool/cilium":           {c, traffic(), artifact.Options{"blocks": "cidr"}},
		"load_balancer_pool/cilium_range":     {c, traffic(), artifact.Options{"blocks": "range", "name": "bgp-pool"}},
		"load_balancer_pool/cilium_v2alpha1":  {c, older, artifact.Options{}},
		"load_balancer_pool/cilium_unaligned": {c, site.Declaration{Datapath: "cilium-kubernetes", Networks: []network{node(), lan45()}}, artifact.Options{"api_version": "v2alpha1"}},
		"load_balancer_pool/metallb":          {c, metal, artifact.Options{"blocks": "range", "namespace": "cozy-metallb"}},
		"load_balancer_pool/metallb_cidr":     {c, metal, artifact.Options{"network": "vips", "name": "default"}},
	}
}

func fluxVariants() map[string]Variant {
	c := fluxsubstitutions.Consumer()
	return map[string]Variant{
		"flux_substitutions/site":      {c, traffic(), artifact.Options{}},
		"flux_substitutions/prefix":    {c, traffic(), artifact.Options{"prefix": "SITE_", "networks": []string{"pod", "load_balancer"}, "name": "lb-pool-site", "namespace": "apps"}},
		"flux_substitutions/variables": {c, cozystack(), artifact.Options{"networks": []string{"join"}, "variables": map[string]string{"TRUSTED": "10.244.0.0/16,10.96.0.0/16", "API_ENDPOINT": "192.168.100.10:6443"}}},
	}
}

func nodeMoveVariants() map[string]Variant {
	c := nodemovepolicy.Consumer()
	return map[string]Variant{
		"node_move_policy/dual_stack": {c, traffic(), artifact.Options{"former_cidrs": []string{"10.2.40.0/24", "fd12:3456:789a:40::/64"}, "node_network": "node0"}},
		"node_move_policy/named":      {c, cozystack(node()), artifact.Options{"former_cidrs": []string{"192.168.40.0/24"}, "name": "bridge"}},
	}
}

func yamlFieldsVariants() map[string]Variant {
	c := yamlfields.Consumer()
	return map[string]Variant{
		"yaml_fields/values": {c, cozystack(), artifact.Options{"values": map[string]any{
			"clusterPodNets": []any{"10.244.0.0/16"}, "spec.values.trustedProxies": "10.244.0.0/16,10.96.0.0/16", "proxy.enabled": false,
		}}},
	}
}
