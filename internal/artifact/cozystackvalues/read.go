// SPDX-License-Identifier: MPL-2.0

package cozystackvalues

import (
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/kubeovnvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// platformDefault is whose the defaults of the platform chart are
// (packages/core/platform/values.yaml of Cozystack v1.6).
const platformDefault = "Cozystack's platform chart"

// setting is one range of the platform, under the name that a kind of object has
// for it.
type setting struct {
	key, unsaid string
	fact        artifact.Fact
}

func settings(pod, gateway, service, join string) []setting {
	ovn := func(role site.Role, subject artifact.Subject) artifact.Fact {
		return artifact.Fact{Role: role, Allocator: site.AllocatorKubeOVN, Subject: subject}
	}
	return []setting{
		{pod, "10.244.0.0/16", ovn(site.RolePod, artifact.SubjectCIDRs)},
		{gateway, "10.244.0.1", ovn(site.RolePod, artifact.SubjectGateway)},
		{service, "10.96.0.0/16", artifact.Fact{Role: site.RoleService, Subject: artifact.SubjectCIDRs}},
		{join, "100.64.0.0/16", ovn(site.RoleJoin, artifact.SubjectCIDRs)},
	}
}

// Read returns the facts of Cozystack's Packages and of the ConfigMap of 0.x. What
// the platform Package leaves unsaid is the platform chart's; keys of a component
// that its source does not define are ignored by Cozystack, and so here.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		components := d.Get("spec", "components")
		switch {
		case d.Kind == "Package" && d.Name == platformPackage && withoutNetworking(d):
		case d.Kind == "Package" && d.Name == platformPackage:
			readSettings(&facts, components.Get("platform", "values", "networking"), settings("podCIDR", "podGateway", "serviceCIDR", "joinCIDR"), true)
		case d.Kind == "Package" && d.Name == networkingPackage:
			readComponents(&facts, components.Get("cilium", "values", "cilium"), components.Get("kubeovn", "values", "kube-ovn"))
		case d.Kind == "ConfigMap" && d.Name == legacyConfigMap && (d.Namespace == "" || d.Namespace == legacyNamespace):
			data := d.Get("data")
			readSettings(&facts, data, settings("ipv4-pod-cidr", "ipv4-pod-gateway", "ipv4-svc-cidr", "ipv4-join-cidr"), false)
			readComponents(&facts, data.Get("values-cilium").Inside().Get("cilium"), data.Get("values-kubeovn").Inside().Get("kube-ovn"))
		}
	}
	return facts.InOrder(), nil
}

// withoutNetworking reports whether the variant installs no CNI, so that the ranges
// have no effect.
func withoutNetworking(d artifact.Document) bool {
	return d.Get("spec", "variant").Text() == "isp-hosted"
}

func readSettings(facts *artifact.Facts, values artifact.Node, settings []setting, whole bool) {
	for _, s := range settings {
		if !facts.Ranges(values.Get(s.key), s.fact) && whole {
			facts.Implicit(s.fact, platformDefault, s.unsaid)
		}
	}
}

// readComponents reads what is laid over the values that Cozystack ships, whose
// mode is kubernetes and whose Cilium is chained behind Kube-OVN.
func readComponents(facts *artifact.Facts, cilium, kubeovn artifact.Node) {
	if cilium.Exists() {
		ciliumvalues.ReadChained(facts, cilium, ciliumvalues.Chart{Mode: "kubernetes", Source: "Cozystack's Cilium values"})
	}
	if kubeovn.Exists() {
		kubeovnvalues.ReadValues(facts, kubeovn, true)
	}
}
