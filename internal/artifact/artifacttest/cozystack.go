// SPDX-License-Identifier: MPL-2.0

package artifacttest

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ansiblevars"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/cozystackvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeovnvalues"
)

func cozystackVariants() map[string]Variant {
	c := cozystackvalues.Consumer()
	return map[string]Variant{
		"cozystack_values/platform":          {c, cozystack(), artifact.Options{"package": "platform"}},
		"cozystack_values/networking":        {c, cozystack(), artifact.Options{"package": "networking"}},
		"cozystack_values/platform_other":    {c, installed(), artifact.Options{"package": "platform"}},
		"cozystack_values/networking_exists": {c, installed(), artifact.Options{"package": "networking"}},
		"cozystack_values/config_map":        {c, cozystack(), artifact.Options{"package": "config_map"}},
		"cozystack_values/config_map_exists": {c, installed(), artifact.Options{"package": "config_map"}},
	}
}

func kubeovnVariants() map[string]Variant {
	c := kubeovnvalues.Consumer()
	dualStack := cozystack()
	dualStack.IPFamilies = dual()
	sixOnly := cozystack()
	sixOnly.Datapath, sixOnly.IPFamilies = "kubeovn", six()
	vpc := cozystack(network{Name: "tenant_a", Role: "pod", VPC: "tenant-a", CIDRs: []string{"10.80.0.0/16"}})
	return map[string]Variant{
		"kubeovn_values/v1":              {c, cozystack(), artifact.Options{}},
		"kubeovn_values/v1_root_key":     {c, cozystack(), artifact.Options{"root_key": "kube-ovn", "chart": "v1"}},
		"kubeovn_values/v1_exists":       {c, installed(), artifact.Options{}},
		"kubeovn_values/v1_dual_stack":   {c, dualStack, artifact.Options{}},
		"kubeovn_values/v1_ipv6":         {c, sixOnly, artifact.Options{}},
		"kubeovn_values/v1_helm_release": {c, cozystack(), artifact.Options{"form": "helm_release"}},
		"kubeovn_values/v2":              {c, cozystack(), artifact.Options{"chart": "v2"}},
		"kubeovn_values/v2_dual_stack":   {c, dualStack, artifact.Options{"chart": "v2"}},
		"kubeovn_values/v2_ipv6":         {c, sixOnly, artifact.Options{"chart": "v2"}},
		"kubeovn_values/subnet":          {c, installed(), artifact.Options{"form": "subnet"}},
		"kubeovn_values/subnet_dual":     {c, dualStack, artifact.Options{"form": "subnet"}},
		"kubeovn_values/subnet_join":     {c, cozystack(), artifact.Options{"form": "subnet", "network": "join"}},
		"kubeovn_values/subnet_vpc":      {c, vpc, artifact.Options{"form": "subnet", "network": "tenant_a"}},
	}
}

func ansibleVariants() map[string]Variant {
	c := ansiblevars.Consumer()
	onK3s := cozystack()
	onK3s.Distribution = "k3s"
	return map[string]Variant{
		"ansible_vars/cozystack":    {c, onK3s, artifact.Options{"role": "cozystack"}},
		"ansible_vars/k3s":          {c, k3sSite(nil), artifact.Options{"role": "k3s"}},
		"ansible_vars/k3s_variable": {c, onK3s, artifact.Options{"role": "k3s", "config_variable": "cozystack_k3s_server_config_yaml"}},
	}
}
