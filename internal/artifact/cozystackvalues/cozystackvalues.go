// SPDX-License-Identifier: MPL-2.0

// Package cozystackvalues renders the address settings of Cozystack's Packages, and
// of the ConfigMap that Cozystack 0.x had in their place.
package cozystackvalues

import (
	"net/netip"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const (
	platform   = "platform"
	networking = "networking"
	configMap  = "config_map"

	platformPackage   = "cozystack.cozystack-platform"
	networkingPackage = "cozystack.networking"
	legacyConfigMap   = "cozystack"
	legacyNamespace   = "cozy-system"
)

// Consumer returns the consumer. Objects and keys are those of Cozystack v1.6
// (packages/core/platform/values.yaml, templates/bundles/system.yaml). A Package
// is cluster-scoped, so it has no namespace.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "cozystack_values",
		Purpose: "Keeps the ranges of a site in one of Cozystack's Packages. `package = \"platform\"` is `cozystack.cozystack-platform`, which carries the ranges of pods, Services and joins and the pods' gateway, which is not derived and must change together with the range. " +
			"`package = \"networking\"` is `cozystack.networking`, for what only it can carry: Cilium's own pool and its exclusion in Kube-OVN. There only keys are set that the platform chart does not set, and the object is marked as never to be pruned, since two writers share it. It has to be in the cluster before or together with the platform Package, because Kube-OVN reads its exclusions only when it creates its default Subnet. " +
			"`package = \"config_map\"` is the ConfigMap `cozystack` of Cozystack 0.x, all in one. On a later Cozystack of the variant `isp-full-generic` such a ConfigMap still overrides the Package where it survives: then both must say the same, or it must go.",
		Fragment:  "The object as a manifest with the planned settings alone.",
		Guards:    true,
		Documents: []yamledit.Selector{selector(platformPackage), selector(networkingPackage), {Kind: "ConfigMap", Name: legacyConfigMap}},
		Options: []artifact.Option{
			{Name: "package", Type: artifact.String, Default: platform, Allowed: []string{platform, networking, configMap}, Description: "Which object the file holds: the Package `platform` (default), the Package `networking`, or the `config_map` of Cozystack 0.x."},
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	if p.Datapath != site.KubeOVNCilium {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has the datapath %q, but these Packages configure Kube-OVN with Cilium behind it. Plan the site with datapath = %q.", p.Site, p.Datapath, site.KubeOVNCilium)
		return artifact.Result{}, problems
	}
	if !p.HasFamily(space.IPv4) {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has no IPv4, but Cozystack's values hold IPv4 ranges only. Add \"ipv4\" to ip_families of the site.", p.Site)
		return artifact.Result{}, problems
	}
	switch o.Text("package") {
	case networking:
		return renderNetworking(p), problems
	case configMap:
		return renderConfigMap(p), problems
	}
	return renderPlatform(p), problems
}

func head(name string) yamledit.Map {
	return yamledit.Map{
		{Key: "apiVersion", Value: "cozystack.io/v1alpha1"},
		{Key: "kind", Value: "Package"},
		{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: name}}},
	}
}

func selector(name string) yamledit.Selector {
	return yamledit.Selector{Kind: "Package", Name: name}
}

func renderPlatform(p *plan.Plan) artifact.Result {
	at := func(key string) yamledit.Path {
		return yamledit.Keys("spec", "components", "platform", "values", "networking", key)
	}
	fields := []yamledit.Field{{Path: at("podCIDR"), Value: first(p, site.RolePod).String()}}
	pod, _ := p.Network(string(site.RolePod))
	if gateway, ok := pod.Gateway(space.IPv4); ok {
		fields = append(fields, yamledit.Field{Path: at("podGateway"), Value: gateway.String()})
	}
	fields = append(fields,
		yamledit.Field{Path: at("serviceCIDR"), Value: first(p, site.RoleService).String()},
		yamledit.Field{Path: at("joinCIDR"), Value: first(p, site.RoleJoin).String()},
	)
	return artifact.Result{Document: selector(platformPackage), Head: head(platformPackage), Fields: fields}
}

// first returns the IPv4 prefix of a network that every plan of this datapath has.
func first(p *plan.Plan, role site.Role) netip.Prefix {
	n, _ := p.Network(string(role))
	prefix, _ := n.First(space.IPv4)
	return prefix
}

func renderNetworking(p *plan.Plan) artifact.Result {
	result := artifact.Result{Document: selector(networkingPackage), Head: head(networkingPackage)}
	result.Fields = append(result.Fields, yamledit.Field{
		Path: yamledit.Keys("metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune"), Value: "disabled",
	})
	fields, guarded := poolFields(p,
		yamledit.Keys("spec", "components", "cilium", "values", "cilium"),
		yamledit.Keys("spec", "components", "kubeovn", "values", "kube-ovn"))
	result.Fields, result.Guarded, result.GuardReason = append(result.Fields, fields...), guarded, ciliumvalues.GuardReason
	return result
}

// poolFields renders Cilium's own pool and its exclusion in Kube-OVN, each below
// the root key of its chart.
func poolFields(p *plan.Plan, cilium, kubeovn yamledit.Path) (fields []yamledit.Field, guarded []yamledit.Path) {
	pool, _ := p.Network(string(site.RoleCiliumPool))
	fields, guarded = ciliumvalues.ClusterPool(cilium, pool, []space.Family{space.IPv4})
	pod, _ := p.Network(string(site.RolePod))
	if excluded := excludedIPv4(pod); len(excluded) > 0 && !p.Existing {
		fields = append(fields, yamledit.Field{
			Path:  kubeovn.With(yamledit.Keys("networking", "EXCLUDE_IPS")...),
			Value: strings.Join(excluded, ","),
		})
	}
	return fields, guarded
}

// renderConfigMap renders the ConfigMap of Cozystack 0.x, which holds the values of
// components as text (WEB v0 configmap.md, components.md).
func renderConfigMap(p *plan.Plan) artifact.Result {
	result := artifact.Result{
		Document: yamledit.Selector{Kind: "ConfigMap", Name: legacyConfigMap},
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "v1"}, {Key: "kind", Value: "ConfigMap"},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: legacyConfigMap}, {Key: "namespace", Value: legacyNamespace}}},
		},
	}
	data := func(key string) yamledit.Path { return yamledit.Keys("data", key) }
	result.Fields = append(result.Fields, yamledit.Field{Path: data("ipv4-pod-cidr"), Value: first(p, site.RolePod).String()})
	pod, _ := p.Network(string(site.RolePod))
	if gateway, ok := pod.Gateway(space.IPv4); ok {
		result.Fields = append(result.Fields, yamledit.Field{Path: data("ipv4-pod-gateway"), Value: gateway.String()})
	}
	result.Fields = append(result.Fields,
		yamledit.Field{Path: data("ipv4-svc-cidr"), Value: first(p, site.RoleService).String()},
		yamledit.Field{Path: data("ipv4-join-cidr"), Value: first(p, site.RoleJoin).String()},
	)
	fields, guarded := poolFields(p,
		data("values-cilium").With(yamledit.Inside(), yamledit.Key("cilium")),
		data("values-kubeovn").With(yamledit.Inside(), yamledit.Key("kube-ovn")))
	result.Fields, result.Guarded, result.GuardReason = append(result.Fields, fields...), guarded, ciliumvalues.GuardReason
	return result
}

// excludedIPv4 returns the exclusions as Kube-OVN's flag takes them: joined by
// commas without blanks, since it splits without trimming.
func excludedIPv4(pod plan.Network) []string {
	var out []string
	texts := pod.ExcludedTexts()
	for i, r := range pod.Excluded {
		if r.Family() == space.IPv4 {
			out = append(out, texts[i])
		}
	}
	return out
}
