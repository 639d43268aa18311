// SPDX-License-Identifier: MPL-2.0

package artifacttest

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeadmconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

func k3sVariants() map[string]Variant {
	c := k3sconfig.Consumer()
	return map[string]Variant{
		"k3s_config/standard":               {c, k3sSite(nil), artifact.Options{}},
		"k3s_config/dual_stack":             {c, k3sSite(func(d *site.Declaration) { d.IPFamilies = dual() }), artifact.Options{"cluster_dns": true}},
		"k3s_config/node_mask":              {c, k3sSite(func(d *site.Declaration) { d.PodsPerNode = new(int64(60)) }), artifact.Options{"controller_manager_args": []string{"bind-address=0.0.0.0"}}},
		"k3s_config/helm_chart_config":      {c, rke2("cilium-kubernetes"), artifact.Options{"form": "helm_chart_config"}},
		"k3s_config/helm_chart_config_pool": {c, rke2("cilium-cluster-pool"), artifact.Options{"form": "helm_chart_config"}},
	}
}

func rke2(datapath string) site.Declaration {
	return site.Declaration{Datapath: datapath, Distribution: "rke2"}
}

func kubeadmVariants() map[string]Variant {
	c := kubeadmconfig.Consumer()
	plain := site.Declaration{Datapath: "cilium-kubernetes", Distribution: "kubeadm"}
	masked := plain
	masked.PodsPerNode = new(int64(60))
	both := plain
	both.IPFamilies = dual()
	idle := cozystack()
	idle.Distribution = "kubeadm"
	return map[string]Variant{
		"kubeadm_config/v1beta4":           {c, plain, artifact.Options{}},
		"kubeadm_config/v1beta3":           {c, plain, artifact.Options{"api_version": "v1beta3"}},
		"kubeadm_config/v1beta4_masks":     {c, masked, artifact.Options{"controller_manager_args": []string{"bind-address=0.0.0.0"}}},
		"kubeadm_config/v1beta3_masks":     {c, masked, artifact.Options{"api_version": "v1beta3", "controller_manager_args": []string{"bind-address=0.0.0.0"}}},
		"kubeadm_config/v1beta4_dual":      {c, both, artifact.Options{}},
		"kubeadm_config/v1beta4_no_ranges": {c, idle, artifact.Options{"allocate_node_cidrs": false}},
	}
}
