// SPDX-License-Identifier: MPL-2.0

// Package ciliumvalues renders the address settings of Cilium's Helm chart.
package ciliumvalues

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Consumer returns the consumer. The keys are those of Cilium's chart 1.15 to
// 1.20 (install/kubernetes/cilium/values.yaml), which has no check of ranges and
// ignores keys that it does not know.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "cilium_values",
		Purpose: "Keeps Cilium's address management in the values of a Flux HelmRelease. In the datapath `cilium-kubernetes` the mode is `kubernetes`, pods wait for `Node.spec.podCIDR`, and the pool entries go, since that mode does not read them; otherwise the mode is `cluster-pool` with the planned pool, stated as a list, never left to the chart's default of 10.0.0.0/8. " +
			"Only the named keys are touched.",
		Fragment:  "The Helm values as YAML, without the HelmRelease around them.",
		Guards:    true,
		Documents: []yamledit.Selector{selector()},
		Options: []artifact.Option{
			{Name: "root_key", Type: artifact.String, Description: "Key that the chart's values stand under, such as `cilium` where the chart is a dependency of another one; several keys are joined by dots. Default: none, the values stand at the top."},
			{Name: "native_routing_cidr", Type: artifact.Bool, Description: "Whether to state the pod network as `ipv4NativeRoutingCIDR` and `ipv6NativeRoutingCIDR`, as native routing needs it: packets to other destinations are masqueraded. Only where Cilium gives pods their addresses from one prefix. Default: not written."},
		},
		Render: render,
	}
}

func selector() yamledit.Selector { return yamledit.Selector{Kind: "HelmRelease", Name: "cilium"} }

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	root := yamledit.Keys("spec", "values")
	if key := o.Text("root_key"); key != "" {
		root = root.With(yamledit.Keys(strings.Split(key, ".")...)...)
	}
	result := artifact.Result{
		Document: selector(),
		Root:     yamledit.Keys("spec", "values"),
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "helm.toolkit.fluxcd.io/v2"}, {Key: "kind", Value: "HelmRelease"},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: "cilium"}}},
		},
	}
	pod, _ := p.Network(string(site.RolePod))
	switch p.Datapath {
	case site.CiliumKubernetes:
		result.Fields, result.Guarded = kubernetesMode(root, p)
		result.Hollow = []yamledit.Path{root.With(yamledit.Keys("ipam", "operator")...)}
	case site.CiliumClusterPool:
		result.Fields, result.Guarded = ClusterPool(root, pod, p.Families)
	case site.KubeOVNCilium:
		pool, _ := p.Network(string(site.RoleCiliumPool))
		result.Fields, result.Guarded = ClusterPool(root, pool, p.Families)
	default:
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has the datapath %q, in which no Cilium runs.", p.Site, p.Datapath)
	}
	if wanted, _ := o.Flag("native_routing_cidr"); wanted {
		result.Fields = append(result.Fields, nativeRouting(root, p, pod, &problems)...)
	}
	return result, problems
}

// kubernetesMode takes node ranges from Node.spec.podCIDR, and the pool out.
func kubernetesMode(root yamledit.Path, p *plan.Plan) (fields []yamledit.Field, guarded []yamledit.Path) {
	mode := root.With(yamledit.Keys("ipam", "mode")...)
	fields = append(fields, yamledit.Field{Path: mode, Value: "kubernetes"})
	for _, key := range []string{"clusterPoolIPv4PodCIDRList", "clusterPoolIPv4MaskSize", "clusterPoolIPv6PodCIDRList", "clusterPoolIPv6MaskSize"} {
		fields = append(fields, yamledit.Field{Path: root.With(yamledit.Keys("ipam", "operator", key)...)})
	}
	for _, f := range p.Families {
		key := "requireIPv4PodCIDR"
		if f == space.IPv6 {
			key = "requireIPv6PodCIDR"
		}
		fields = append(fields, yamledit.Field{Path: root.With(yamledit.Keys("k8s", key)...), Value: true})
	}
	return fields, []yamledit.Path{mode}
}

// ClusterPool returns the fields below root that make Cilium's operator cut node
// ranges out of a network, and those of them that a live cluster cannot just
// change. The list is a YAML list and the mask a number: the chart's schema
// refuses a quoted one, and a comma with a blank would break the list.
func ClusterPool(root yamledit.Path, pool plan.Network, families []space.Family) (fields []yamledit.Field, guarded []yamledit.Path) {
	mode := root.With(yamledit.Keys("ipam", "mode")...)
	fields = append(fields, yamledit.Field{Path: mode, Value: "cluster-pool"})
	guarded = append(guarded, mode)
	for _, f := range families {
		list, mask := "clusterPoolIPv4PodCIDRList", "clusterPoolIPv4MaskSize"
		if f == space.IPv6 {
			list, mask = "clusterPoolIPv6PodCIDRList", "clusterPoolIPv6MaskSize"
		}
		prefixes := artifact.FamilyPrefixes(pool, f)
		if len(prefixes) == 0 {
			continue
		}
		at := root.With(yamledit.Keys("ipam", "operator", list)...)
		maskAt := root.With(yamledit.Keys("ipam", "operator", mask)...)
		fields = append(fields,
			yamledit.Field{Path: at, Value: artifact.List(prefixes)},
			yamledit.Field{Path: maskAt, Value: pool.NodePrefix(f)})
		guarded = append(guarded, at, maskAt)
	}
	return fields, guarded
}

// nativeRouting states one prefix for each family; Cilium takes no list there.
func nativeRouting(root yamledit.Path, p *plan.Plan, pod plan.Network, problems *site.Problems) []yamledit.Field {
	var fields []yamledit.Field
	for _, f := range p.Families {
		key := "ipv4NativeRoutingCIDR"
		if f == space.IPv6 {
			key = "ipv6NativeRoutingCIDR"
		}
		prefixes := artifact.FamilyPrefixes(pod, f)
		if len(prefixes) > 1 {
			problems.Add(site.At("native_routing_cidr"), artifact.SummaryUnsuitable, "The pod network has several %s prefixes (%s), but %s takes one. Leave native_routing_cidr out and state a prefix around them yourself.", f, strings.Join(prefixes, ", "), key)
			continue
		}
		for _, prefix := range prefixes {
			fields = append(fields, yamledit.Field{Path: root.With(yamledit.Keys(key)...), Value: prefix})
		}
	}
	return fields
}
