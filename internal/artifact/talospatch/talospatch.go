// SPDX-License-Identifier: MPL-2.0

// Package talospatch renders a patch of the Talos machine configuration, in the
// v1alpha1 shape that every Talos up to 1.14 takes.
package talospatch

import (
	"fmt"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// The machine types of Talos.
const (
	controlPlane = "controlplane"
	worker       = "worker"
)

// Consumer returns the consumer.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "talos_patch",
		Purpose: "Writes a strategic merge patch of the Talos machine configuration with the ranges of pods and Services, the network that the node's own addresses are in (`machine.kubelet.nodeIP.validSubnets`), and on control planes that of etcd (`cluster.etcd.advertisedSubnets`) and the length of node ranges. " +
			"Talos replaces `podSubnets` and `serviceSubnets` when it merges, but appends to `validSubnets` and `advertisedSubnets`: apply the patch once, and state these lists nowhere else.",
		Fragment: "The patch as YAML, for `config_patches` of the Talos provider.",
		Whole:    true,
		Options: []artifact.Option{
			{Name: "machine_type", Type: artifact.String, Required: true, Allowed: []string{controlPlane, worker}, Description: "Kind of machine that the patch is for: `controlplane` or `worker`. Talos refuses etcd settings on workers, and needs the ranges of pods and Services on both."},
			artifact.NodeNetworkOption(),
			artifact.AllocateNodeCIDRsOption(),
		},
		Render: render,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	problems := artifact.CheckAllocateNodeCIDRs(p, o)
	node, ok, nodeProblems := artifact.NodeNetwork(p, o, "node_network")
	problems = append(problems, nodeProblems...)
	if !ok && len(nodeProblems) == 0 && p.Datapath.Kubeovn() {
		problems.Add(site.At("plan"), artifact.SummaryNodeNetwork, "The plan of the site %q has no network of role node. Kube-OVN puts an address of its join network on every node, and Talos could take that for the node's own, so the node network must be stated. Declare it on the site: network { name = \"node\", role = \"node\", cidrs = [\"192.168.100.0/24\"] }.", p.Site)
	}
	if p.Distribution != "" && p.Distribution != site.Talos {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, which reads no Talos configuration. Use the writer of its own distribution.", p.Site, p.Distribution)
	}
	if _, given := o.Flag("allocate_node_cidrs"); given && o.Text("machine_type") == worker {
		problems.Add(site.At("allocate_node_cidrs"), artifact.SummaryNoEffect, "kube-controller-manager runs on control planes only, so allocate_node_cidrs does nothing in a patch for workers. Leave it out here.")
	}
	var subnets []any
	if ok {
		subnets = artifact.List(artifact.Prefixes(p, node.Name))
	}
	var doc yamledit.Map
	if len(subnets) > 0 {
		doc.Set("machine", yamledit.Map{{Key: "kubelet", Value: yamledit.Map{{Key: "nodeIP", Value: yamledit.Map{{Key: "validSubnets", Value: subnets}}}}}})
	}
	doc.Set("cluster", cluster(p, o, subnets))
	return artifact.Result{Documents: []yamledit.Map{doc}}, problems
}

func cluster(p *plan.Plan, o artifact.Options, subnets []any) yamledit.Map {
	out := yamledit.Map{{Key: "network", Value: yamledit.Map{
		{Key: "podSubnets", Value: artifact.List(artifact.Prefixes(p, "pod"))},
		{Key: "serviceSubnets", Value: artifact.List(artifact.Prefixes(p, "service"))},
	}}}
	if o.Text("machine_type") != controlPlane {
		return out
	}
	var arguments yamledit.Map
	if allocate, given := o.Flag("allocate_node_cidrs"); given {
		arguments.Set("allocate-node-cidrs", fmt.Sprint(allocate))
	}
	for _, argument := range artifact.NodeMaskArguments(p) {
		arguments.Set(argument.Name, argument.Value)
	}
	if len(arguments) > 0 {
		out.Set("controllerManager", yamledit.Map{{Key: "extraArgs", Value: arguments}})
	}
	if len(subnets) > 0 {
		out.Set("etcd", yamledit.Map{{Key: "advertisedSubnets", Value: subnets}})
	}
	return out
}
