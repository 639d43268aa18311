// SPDX-License-Identifier: MPL-2.0

// Package talmvalues renders the address settings of a talm project.
package talmvalues

import (
	"maps"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Consumer returns the consumer. The keys are those of talm's presets (talm
// charts/cozystack/values.yaml at v0.33).
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "talm_values",
		Purpose: "Keeps the ranges of pods, Services and nodes in the `values.yaml` of a talm project. `advertisedSubnets` is always stated: left empty, talm takes the network of the default route, and once Kube-OVN's join addresses exist on the nodes, Talos could pick one of them as the node's own address. " +
			"Only the named keys are touched.",
		Fragment: "The values as YAML.",
		Options: []artifact.Option{
			artifact.NodeNetworkOption(),
			{Name: "api_vip", Type: artifact.String, Description: "Name of the virtual address, in `vips` of the node network, that becomes `floatingIP`: the address of the Kubernetes API, which must be the host of `endpoint`. Default: `floatingIP` is not written."},
			artifact.AllocateNodeCIDRsOption(),
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	fields := []yamledit.Field{
		{Path: yamledit.Keys("podSubnets"), Value: artifact.List(artifact.Prefixes(p, "pod"))},
		{Path: yamledit.Keys("serviceSubnets"), Value: artifact.List(artifact.Prefixes(p, "service"))},
	}
	problems := artifact.CheckAllocateNodeCIDRs(p, o)
	node, ok, nodeProblems := artifact.NodeNetwork(p, o, "node_network")
	problems = append(problems, nodeProblems...)
	switch {
	case ok:
		fields = append(fields, yamledit.Field{Path: yamledit.Keys("advertisedSubnets"), Value: artifact.List(artifact.Prefixes(p, node.Name))})
		fields = append(fields, floatingIP(node, o, &problems)...)
	case len(nodeProblems) == 0:
		problems.Add(site.At("plan"), artifact.SummaryNodeNetwork, "The plan of the site %q has no network of role node, so that advertisedSubnets cannot be stated. Declare it on the site: network { name = \"node\", role = \"node\", cidrs = [\"192.168.100.0/24\"] }.", p.Site)
	}
	if allocate, given := o.Flag("allocate_node_cidrs"); given {
		fields = append(fields, yamledit.Field{Path: yamledit.Keys("allocateNodeCIDRs"), Value: allocate})
	}
	if p.Distribution != "" && p.Distribution != site.Talos {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, but talm configures Talos. Use the writer of its own distribution.", p.Site, p.Distribution)
	}
	return artifact.Result{Fields: fields}, problems
}

func floatingIP(node plan.Network, o artifact.Options, problems *site.Problems) []yamledit.Field {
	name := o.Text("api_vip")
	if name == "" {
		return nil
	}
	addr, ok := node.VIPs[name]
	if !ok {
		names := slices.Sorted(maps.Keys(node.VIPs))
		problems.Add(site.At("api_vip"), artifact.SummaryUnsuitable, "The network %q has no virtual address %q. It has: %s. Declare it in vips of the network.", node.Name, name, strings.Join(append(names, "no other"), ", "))
		return nil
	}
	return []yamledit.Field{{Path: yamledit.Keys("floatingIP"), Value: addr.String()}}
}
