// SPDX-License-Identifier: MPL-2.0

// Package talospatch renders patches of the Talos machine configuration, and
// reads the facts that Talos configurations and patches state. Shapes, names and
// merge rules are those of Talos v1.13.9 and v1.14.0-rc.1
// (pkg/machinery/config/types, config/merge).
package talospatch

import (
	"strings"

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

// The shapes of the same settings: one v1alpha1 document up to Talos 1.13, a
// document for each kind from 1.14 on. Talos refuses a patch in the other shape.
const (
	shapeV1Alpha1 = "v1alpha1"
	shapeMultidoc = "multidoc"
)

// Consumer returns the consumer.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "talos_patch",
		Purpose: "Writes a strategic merge patch of the Talos machine configuration with the ranges of pods and Services, the network that the node's own addresses are in (`machine.kubelet.nodeIP.validSubnets`), and on control planes that of etcd (`cluster.etcd.advertisedSubnets`) and the length of node ranges; with `routing_table` also the rules that send packets of pods and of LoadBalancer addresses to that table. " +
			"With `host`, or for many hosts with `host_paths`, it writes what is one node's own instead: the VLAN and link documents with its addresses, and its annotations.\n\n" +
			"Talos replaces `podSubnets` and `serviceSubnets` when it merges, but appends to `validSubnets`, `advertisedSubnets`, and the addresses of a link: apply each patch once, and state these lists nowhere else. That is why a host's patch repeats nothing of the cluster's.",
		Fragment: "The patch as YAML, for `config_patches` of the Talos provider.",
		Whole:    true,
		PerHost:  true,
		Options: []artifact.Option{
			{Name: "machine_type", Type: artifact.String, Allowed: []string{controlPlane, worker}, Description: "Kind of machine that the patch is for: `controlplane` or `worker`. Required, except for what is a host's own. Talos refuses etcd settings on workers, and needs the ranges of pods and Services on both."},
			{Name: "config_shape", Type: artifact.String, Default: shapeV1Alpha1, Allowed: []string{shapeV1Alpha1, shapeMultidoc}, Description: "Shape of the configuration that is patched: `v1alpha1`, one document, as every Talos up to 1.14 takes it, or `multidoc`, the documents of their own that `talos_version = \"v1.14\"` and later generates. Talos refuses a patch in the other shape. Default: `v1alpha1`."},
			artifact.NodeNetworkOption(),
			artifact.AllocateNodeCIDRsOption(),
			{Name: "routing_table", Type: artifact.Int, Description: "Kernel routing table, 1 to 252 but not KubeSpan's 180, that packets from pods and from LoadBalancer addresses are routed by: a `RoutingRuleConfig` for each of their prefixes. A reply of a LoadBalancer address carries that address as its source, so rules for pods alone send it out on the wrong link. Default: no rules."},
			{Name: "routing_rule_priority", Type: artifact.Int, Description: "Priority of the first routing rule. IPv4 of the first network has it, IPv6 the next number, the next network the two after these, whether or not the site has both families; a prefix that a network gets later stands a hundred higher. So no rule changes its number when one is added. Default: `1000`."},
			{Name: "routing_rule_networks", Type: artifact.StringList, Description: "Networks whose addresses are routed by the table, in the order of their priorities. Default: `pod`, then each network of role `load_balancer` by name."},
			{Name: artifact.HostOption, Type: artifact.String, Description: "Host of the plan: the patch holds what is its own, and nothing of the cluster's. Default: the patch is the cluster's."},
			{Name: "parent_link", Type: artifact.String, Description: "Link that the VLANs of a host's patch are on, such as `bond0`. Required where a network of role `node` has both `vlan_id` and `link`."},
			{Name: "node_annotations", Type: artifact.StringMap, Description: "Annotations of a host's Node, annotation to fact: `\"example.com/pod0-ipv4\" = \"pod0.ipv4\"`. A fact is the name of a network of role `node` and `ipv4` or `ipv6` for the host's own address there, or `ipv4_gateway` or `ipv6_gateway`. Default: none."},
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	if p.Distribution != "" && p.Distribution != site.Talos {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, which reads no Talos configuration. Use the writer of its own distribution.", p.Site, p.Distribution)
	}
	if o.Text("config_shape") == shapeMultidoc {
		artifact.NeedVersion(p, "talos", "1.14", site.At("config_shape"), "the documents of their own (KubeNetworkConfig and others)", &problems)
	}
	if host := o.Text(artifact.HostOption); host != "" {
		documents := hostPatch{plan: p, options: o, host: host, problems: &problems}.documents()
		return artifact.Result{Documents: documents}, problems
	}
	documents := clusterPatch(p, o, &problems)
	return artifact.Result{Documents: append(documents, routingRules(p, o, &problems)...)}, problems
}

// clusterPatch renders what is the same on every machine of a type.
func clusterPatch(p *plan.Plan, o artifact.Options, problems *site.Problems) []yamledit.Map {
	checkClusterOptions(o, problems)
	*problems = append(*problems, artifact.CheckAllocateNodeCIDRs(p, o)...)
	node, ok, nodeProblems := artifact.NodeNetwork(p, o, "node_network")
	*problems = append(*problems, nodeProblems...)
	if !ok && len(nodeProblems) == 0 && p.Datapath.Kubeovn() {
		problems.Add(site.At("plan"), artifact.SummaryNodeNetwork, "The plan of the site %q has no network of role node. Kube-OVN puts an address of its join network on every node, and Talos could take that for the node's own, so the node network must be stated. Declare it on the site: network { name = \"node\", role = \"node\", cidrs = [\"192.168.100.0/24\"] }.", p.Site)
	}
	var subnets []any
	if ok {
		subnets = artifact.List(artifact.Prefixes(p, node.Name))
	}
	if o.Text("config_shape") == shapeMultidoc {
		return multidoc(p, o, subnets)
	}
	return []yamledit.Map{v1alpha1(p, o, subnets)}
}

// checkClusterOptions finds options that are missing, or that do nothing here.
func checkClusterOptions(o artifact.Options, problems *site.Problems) {
	machine := o.Text("machine_type")
	if machine == "" {
		problems.Add(site.At("machine_type"), artifact.SummaryMissingOption, "A patch of the cluster's settings is for control planes or for workers: Talos refuses etcd settings on workers. Set machine_type = %q or %q, or a host for what is one node's own.", controlPlane, worker)
	}
	if _, given := o.Flag("allocate_node_cidrs"); given && machine == worker {
		problems.Add(site.At("allocate_node_cidrs"), artifact.SummaryNoEffect, "kube-controller-manager runs on control planes only, so allocate_node_cidrs does nothing in a patch for workers. Leave it out here.")
	}
	var own []string
	if o.Text("parent_link") != "" {
		own = append(own, "parent_link")
	}
	if len(o.Map("node_annotations")) > 0 {
		own = append(own, "node_annotations")
	}
	for _, name := range own {
		problems.Add(site.At(name), artifact.SummaryNoEffect, "%s is part of a host's own patch (%s) and does nothing in the patch of the cluster's settings. Set host or host_paths, or leave it out.", name, strings.Join(own, ", "))
	}
}
