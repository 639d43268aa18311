// SPDX-License-Identifier: MPL-2.0

package talospatch

import (
	"fmt"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// nest puts a value under keys of mappings, one inside the other.
func nest(value any, keys ...string) yamledit.Map {
	for i := len(keys) - 1; i > 0; i-- {
		value = yamledit.Map{{Key: keys[i], Value: value}}
	}
	return yamledit.Map{{Key: keys[0], Value: value}}
}

// v1alpha1 renders the settings in the one document that Talos had up to 1.13.
func v1alpha1(p *plan.Plan, o artifact.Options, subnets []any) yamledit.Map {
	var doc yamledit.Map
	if len(subnets) > 0 {
		doc.Set("machine", nest(subnets, "kubelet", "nodeIP", "validSubnets"))
	}
	cluster := nest(yamledit.Map{
		{Key: "podSubnets", Value: artifact.List(artifact.Prefixes(p, "pod"))},
		{Key: "serviceSubnets", Value: artifact.List(artifact.Prefixes(p, "service"))},
	}, "network")
	if o.Text("machine_type") == controlPlane {
		arguments := controllerManagerArguments(o)
		for _, argument := range artifact.NodeMaskArguments(p) {
			arguments.Set(argument.Name, argument.Value)
		}
		if len(arguments) > 0 {
			cluster.Set("controllerManager", nest(arguments, "extraArgs"))
		}
		if len(subnets) > 0 {
			cluster.Set("etcd", nest(subnets, "advertisedSubnets"))
		}
	}
	doc.Set("cluster", cluster)
	return doc
}

// controllerManagerArguments returns the arguments that an option decides.
func controllerManagerArguments(o artifact.Options) yamledit.Map {
	allocate, given := o.Flag("allocate_node_cidrs")
	if !given {
		return nil
	}
	return yamledit.Map{{Key: "allocate-node-cidrs", Value: fmt.Sprint(allocate)}}
}
