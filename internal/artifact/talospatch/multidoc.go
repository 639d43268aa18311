// SPDX-License-Identifier: MPL-2.0

package talospatch

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// document starts a Talos document of a kind.
func document(kind string) yamledit.Map {
	return yamledit.Map{{Key: "apiVersion", Value: "v1alpha1"}, {Key: "kind", Value: kind}}
}

// multidoc renders the settings in the documents of Talos 1.14 and later. What
// etcd advertises stayed in the v1alpha1 document.
func multidoc(p *plan.Plan, o artifact.Options, subnets []any) []yamledit.Map {
	network := document("KubeNetworkConfig")
	network.Set("podSubnets", artifact.List(artifact.Prefixes(p, "pod")))
	network.Set("serviceSubnets", artifact.List(artifact.Prefixes(p, "service")))
	for _, mask := range nodeMasks(p) {
		network.Set(mask.key, mask.length)
	}
	out := []yamledit.Map{network}
	if len(subnets) > 0 {
		node := document("KubeNodeConfig")
		node.Set("nodeIP", nest(subnets, "validSubnets"))
		out = append(out, node)
	}
	if o.Text("machine_type") != controlPlane {
		return out
	}
	if arguments := controllerManagerArguments(o); len(arguments) > 0 {
		manager := document("KubeControllerManagerConfig")
		manager.Set("extraArgs", arguments)
		out = append(out, manager)
	}
	if len(subnets) > 0 {
		out = append(out, nest(subnets, "cluster", "etcd", "advertisedSubnets"))
	}
	return out
}

// nodeMask is the length of node ranges of one family, under its key.
type nodeMask struct {
	key    string
	length int
}

// nodeMasks returns the lengths of node ranges that are not Talos' default of
// /24 and /64.
func nodeMasks(p *plan.Plan) []nodeMask {
	pod, _ := p.Network(string(site.RolePod))
	var out []nodeMask
	for _, f := range p.Families {
		mask, usual := nodeMask{"nodeCIDRMaskSizeIPv4", pod.NodePrefix4}, 24
		if f == space.IPv6 {
			mask, usual = nodeMask{"nodeCIDRMaskSizeIPv6", pod.NodePrefix6}, 64
		}
		if mask.length != 0 && mask.length != usual {
			out = append(out, mask)
		}
	}
	return out
}
