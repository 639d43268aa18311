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

// The forms that the values come in.
const (
	formHelmRelease = "helm_release"
	formConfigMap   = "config_map"
	formValues      = "values"
)

// Consumer returns the consumer. The keys are those of Cilium's chart 1.15 to
// 1.20 (install/kubernetes/cilium/values.yaml), which has no check of ranges and
// ignores keys that it does not know.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "cilium_values",
		Purpose: "Keeps Cilium's address management in its Helm values: in a Flux HelmRelease, in a ConfigMap that a HelmRelease takes values from, or in a plain values file, such as a helmfile's. In the datapath `cilium-kubernetes` the mode is `kubernetes`, pods wait for `Node.spec.podCIDR`, and the pool entries go, since that mode does not read them; otherwise the mode is `cluster-pool` with the planned pool, stated as a list, never left to the chart's default of 10.0.0.0/8. A site that has IPv6, or has no IPv4, says so in `ipv6.enabled` and `ipv4.enabled`. " +
			"Only the named keys are touched. State them in one layer: Helm replaces lists, so that of a ConfigMap and the HelmRelease's own values only the latter would count.",
		Fragment:  "The Helm values as YAML, without the object around them.",
		Guards:    true,
		Documents: []yamledit.Selector{helmRelease(), configMap()},
		Options: []artifact.Option{
			{Name: "form", Type: artifact.String, Default: formHelmRelease, Allowed: []string{formHelmRelease, formConfigMap, formValues}, Description: "What the values stand in: `helm_release`, a Flux HelmRelease, by default the one named `cilium`; `config_map`, a ConfigMap for `valuesFrom`, by default the one named `cilium-values`; or `values`, a plain values file. Default: `helm_release`."},
			{Name: "values_key", Type: artifact.String, Description: "Key of the ConfigMap that holds the values. Default: `values.yaml`, which is what Flux reads."},
			{Name: "root_key", Type: artifact.String, Description: "Key that the chart's values stand under, such as `cilium` where the chart is a dependency of another one; several keys are joined by dots. Default: none, the values stand at the top."},
			{Name: "native_routing_cidr", Type: artifact.Bool, Description: "Whether to state the pod network as `ipv4NativeRoutingCIDR` and `ipv6NativeRoutingCIDR`, as native routing needs it: packets to other destinations are masqueraded. Only where Cilium gives pods their addresses from one prefix. Default: not written."},
		},
		Render: render,
		Read:   Read,
	}
}

func helmRelease() yamledit.Selector { return yamledit.Selector{Kind: "HelmRelease", Name: "cilium"} }

func configMap() yamledit.Selector {
	return yamledit.Selector{Kind: "ConfigMap", Name: "cilium-values"}
}

// layout is where a form keeps the values.
func layout(o artifact.Options, problems *site.Problems) artifact.Result {
	key := o.Text("values_key")
	if key != "" && o.Text("form") != formConfigMap {
		problems.Add(site.At("values_key"), artifact.SummaryNoEffect, "values_key names the key of a ConfigMap and does nothing with form = %q. Leave it out, or set form = %q.", o.Text("form"), formConfigMap)
	}
	switch o.Text("form") {
	case formValues:
		return artifact.Result{}
	case formConfigMap:
		if key == "" {
			key = "values.yaml"
		}
		return artifact.Result{
			Document: configMap(), Root: yamledit.Keys("data", key).With(yamledit.Inside()),
			Head: yamledit.Map{
				{Key: "apiVersion", Value: "v1"}, {Key: "kind", Value: "ConfigMap"},
				{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: configMap().Name}}},
			},
		}
	default:
		return artifact.Result{
			Document: helmRelease(), Root: yamledit.Keys("spec", "values"),
			Head: yamledit.Map{
				{Key: "apiVersion", Value: "helm.toolkit.fluxcd.io/v2"}, {Key: "kind", Value: "HelmRelease"},
				{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: helmRelease().Name}}},
			},
		}
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	result := layout(o, &problems)
	root := result.Root
	if key := o.Text("root_key"); key != "" {
		root = root.With(yamledit.Keys(strings.Split(key, ".")...)...)
	}
	pod, _ := p.Network(string(site.RolePod))
	result.Fields, result.Guarded, result.Hollow = Fields(root, p, &problems)
	result.GuardReason = GuardReason
	if wanted, _ := o.Flag("native_routing_cidr"); wanted {
		result.Fields = append(result.Fields, nativeRouting(root, p, pod, &problems)...)
	}
	return result, problems
}

// GuardReason is why the fields are guarded.
const GuardReason = "On a live cluster this edit alone does nothing and looks healthy, or cuts pods off: the operator and every agent must restart, and each CiliumNode must be cleared in turn."

// Fields returns what a site's Cilium needs below root, those of it that a live
// cluster cannot just change, and the mappings that may become empty.
func Fields(root yamledit.Path, p *plan.Plan, problems *site.Problems) (fields []yamledit.Field, guarded, hollow []yamledit.Path) {
	switch p.Datapath {
	case site.CiliumKubernetes:
		fields, guarded = kubernetesMode(root, p)
		hollow = []yamledit.Path{root.With(yamledit.Keys("ipam", "operator")...)}
	case site.CiliumClusterPool:
		pod, _ := p.Network(string(site.RolePod))
		fields, guarded = ClusterPool(root, pod, p.Families)
	case site.KubeOVNCilium:
		pool, _ := p.Network(string(site.RoleCiliumPool))
		fields, guarded = ClusterPool(root, pool, p.Families)
	default:
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has the datapath %q, in which no Cilium runs.", p.Site, p.Datapath)
	}
	return append(fields, families(root, p)...), guarded, hollow
}

// families states where a site has other families than the chart: it has IPv4 alone.
// With IPv4 left on and no pool for it, the chart's 10.0.0.0/8 would be the pool.
func families(root yamledit.Path, p *plan.Plan) []yamledit.Field {
	var out []yamledit.Field
	if !p.HasFamily(space.IPv4) {
		out = append(out, yamledit.Field{Path: root.With(yamledit.Keys("ipv4", "enabled")...), Value: false})
	}
	if p.HasFamily(space.IPv6) {
		out = append(out, yamledit.Field{Path: root.With(yamledit.Keys("ipv6", "enabled")...), Value: true})
	}
	return out
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
