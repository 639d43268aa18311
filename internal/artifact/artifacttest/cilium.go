// SPDX-License-Identifier: MPL-2.0

package artifacttest

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func ciliumVariants() map[string]Variant {
	c := ciliumvalues.Consumer()
	return map[string]Variant{
		"cilium_values/kubernetes":            {c, k3sSite(nil), artifact.Options{}},
		"cilium_values/kubernetes_dual_stack": {c, k3sSite(func(d *site.Declaration) { d.IPFamilies = dual() }), artifact.Options{}},
		"cilium_values/cluster_pool":          {c, clusterPool(), artifact.Options{}},
		"cilium_values/native_routing":        {c, clusterPool(), artifact.Options{"native_routing_cidr": true}},
		"cilium_values/cluster_pool_ipv6":     {c, site.Declaration{Datapath: "cilium-cluster-pool", IPFamilies: six()}, artifact.Options{}},
		"cilium_values/under_kubeovn":         {c, cozystack(), artifact.Options{"root_key": "cilium"}},
		"cilium_values/config_map":            {c, clusterPool(), artifact.Options{"form": "config_map"}},
		"cilium_values/config_map_root_key":   {c, k3sSite(nil), artifact.Options{"form": "config_map", "values_key": "cilium.yaml", "root_key": "cilium"}},
		"cilium_values/values":                {c, k3sSite(nil), artifact.Options{"form": "values", "native_routing_cidr": true}},
		"cilium_values/values_root_key":       {c, cozystack(), artifact.Options{"form": "values", "root_key": "charts.cilium"}},
		"cilium_values/grown_pool":            {c, site.Declaration{Datapath: "cilium-cluster-pool", Networks: []network{{Name: "pod", CIDRs: []string{"10.1.0.0/16", "10.3.0.0/16"}}}}, artifact.Options{}},
	}
}
