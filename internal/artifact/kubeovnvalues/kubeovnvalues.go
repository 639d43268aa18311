// SPDX-License-Identifier: MPL-2.0

// Package kubeovnvalues renders the ranges of Kube-OVN: values of its chart, v1
// and v2, and Subnet manifests. Keys and formats are those of Kube-OVN v1.15 and
// v1.16 (charts/kube-ovn, charts/kube-ovn-v2, pkg/apis/kubeovn/v1/subnet.go).
package kubeovnvalues

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const (
	formHelmRelease = "helm_release"
	formValues      = "values"
	formSubnet      = "subnet"

	chartV1 = "v1"
	chartV2 = "v2"

	podSubnet  = "ovn-default"
	joinSubnet = "join"
)

// Consumer returns the consumer.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "kubeovn_values",
		Purpose: "Keeps the ranges of Kube-OVN in the values of its chart, or in a Subnet manifest. Kube-OVN reads ranges and exclusions from its values only when it creates its Subnets: later it ignores them, so that the exclusions of carve-outs are stated in values of a new cluster only, and for an `existing` site in the Subnet, with `form = \"subnet\"`. " +
			"Exclusions are written as single addresses or `first..last`, sorted and with the gateway, as the controller itself stores them: a prefix or a dash there stops the Subnet's validation.",
		Fragment:  "The Helm values as YAML, without the object around them, or the Subnet manifest with the planned fields alone.",
		Guards:    true,
		Documents: []yamledit.Selector{helmRelease(), {Kind: "Subnet", Name: podSubnet}, {Kind: "Subnet", Name: joinSubnet}},
		Options: []artifact.Option{
			{Name: "form", Type: artifact.String, Default: formValues, Allowed: []string{formHelmRelease, formValues, formSubnet}, Description: "What the file holds: `helm_release`, a Flux HelmRelease, by default the one named `kube-ovn`; `values`, a plain values file; or `subnet`, a Subnet manifest. Default: `values`."},
			{Name: "chart", Type: artifact.String, Allowed: []string{chartV1, chartV2}, Description: "Version of the chart whose values they are: `v1` (`kube-ovn`, which Cozystack ships) or `v2` (`kube-ovn-v2`). Default: `v1`."},
			{Name: "root_key", Type: artifact.String, Description: "Key that the chart's values stand under, such as `kube-ovn` where the chart is a dependency of another one; several keys are joined by dots. Default: none, the values stand at the top."},
			{Name: "network", Type: artifact.String, Description: "Network that the Subnet manifest is for: `pod` is the Subnet `ovn-default`, `join` is `join`, any other network of role `pod` has its own name. Default: `pod`."},
		},
		Render: render,
		Read:   Read,
	}
}

func helmRelease() yamledit.Selector {
	return yamledit.Selector{Kind: "HelmRelease", Name: "kube-ovn"}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	if !p.Datapath.Kubeovn() {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has the datapath %q, in which no Kube-OVN runs. Plan it with datapath = %q or %q.", p.Site, p.Datapath, site.KubeOVN, site.KubeOVNCilium)
		return artifact.Result{}, problems
	}
	if o.Text("form") == formSubnet {
		for _, name := range []string{"chart", "root_key"} {
			if o.Text(name) != "" {
				problems.Add(site.At(name), artifact.SummaryNoEffect, "%s is about values of the chart and does nothing for a Subnet manifest. Leave it out.", name)
			}
		}
		return subnet(p, o, &problems), problems
	}
	if o.Text("network") != "" {
		problems.Add(site.At("network"), artifact.SummaryNoEffect, "network chooses the Subnet of a manifest and does nothing in values of the chart. Leave it out, or set form = %q.", formSubnet)
	}
	return values(p, o), problems
}

// values renders the values of a chart.
func values(p *plan.Plan, o artifact.Options) artifact.Result {
	var result artifact.Result
	if o.Text("form") == formHelmRelease {
		result = artifact.Result{
			Document: helmRelease(), Root: yamledit.Keys("spec", "values"),
			Head: yamledit.Map{
				{Key: "apiVersion", Value: "helm.toolkit.fluxcd.io/v2"}, {Key: "kind", Value: "HelmRelease"},
				{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: helmRelease().Name}}},
			},
		}
	}
	root := result.Root
	if key := o.Text("root_key"); key != "" {
		root = root.With(yamledit.Keys(strings.Split(key, ".")...)...)
	}
	if o.Text("chart") == chartV2 {
		result.Fields = v2(root, p)
	} else {
		result.Fields = v1(root, p)
	}
	return result
}

// inOrder returns a text for each family of the site, IPv4 first, which is the
// order that Kube-OVN wants whatever family is primary.
func inOrder(p *plan.Plan, text func(space.Family) string) []string {
	var out []string
	for _, f := range space.Families() {
		if p.HasFamily(f) {
			if t := text(f); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

func prefixText(n plan.Network) func(space.Family) string {
	return func(f space.Family) string {
		if prefix, ok := n.First(f); ok {
			return prefix.String()
		}
		return ""
	}
}

func gatewayText(n plan.Network) func(space.Family) string {
	return func(f space.Family) string {
		if gateway, ok := n.Gateway(f); ok {
			return gateway.String()
		}
		return ""
	}
}

// v1 renders the values of charts/kube-ovn: a block for each stack.
func v1(root yamledit.Path, p *plan.Plan) []yamledit.Field {
	block, stack := "ipv4", "ipv4"
	switch {
	case len(p.Families) > 1:
		block, stack = "dual_stack", "dual_stack"
	case p.HasFamily(space.IPv6):
		block, stack = "ipv6", "ipv6"
	}
	pod, service, join := networks(p)
	fields := []yamledit.Field{{Path: root.With(yamledit.Keys("networking", "NET_STACK")...), Value: stack}}
	if excluded := excludedTexts(pod); len(excluded) > 0 && !p.Existing {
		fields = append(fields, yamledit.Field{Path: root.With(yamledit.Keys("networking", "EXCLUDE_IPS")...), Value: strings.Join(excluded, ",")})
	}
	for _, value := range []struct {
		key   string
		texts []string
	}{
		{"POD_CIDR", inOrder(p, prefixText(pod))},
		{"POD_GATEWAY", inOrder(p, gatewayText(pod))},
		{"SVC_CIDR", inOrder(p, prefixText(service))},
		{"JOIN_CIDR", inOrder(p, prefixText(join))},
	} {
		fields = append(fields, yamledit.Field{Path: root.With(yamledit.Keys(block, value.key)...), Value: strings.Join(value.texts, ",")})
	}
	return fields
}

// v2 renders the values of charts/kube-ovn-v2: a field for each family.
func v2(root yamledit.Path, p *plan.Plan) []yamledit.Field {
	stack := "IPv4"
	switch {
	case len(p.Families) > 1:
		stack = "Dual"
	case p.HasFamily(space.IPv6):
		stack = "IPv6"
	}
	pod, service, join := networks(p)
	networking := root.With(yamledit.Key("networking"))
	fields := []yamledit.Field{{Path: networking.With(yamledit.Key("stack")), Value: stack}}
	for _, value := range []struct {
		keys []string
		text func(space.Family) string
	}{
		{[]string{"pods", "cidr"}, prefixText(pod)},
		{[]string{"pods", "gateways"}, gatewayText(pod)},
		{[]string{"services", "cidr"}, prefixText(service)},
		{[]string{"join", "cidr"}, prefixText(join)},
	} {
		for _, f := range space.Families() {
			if text := value.text(f); text != "" && p.HasFamily(f) {
				fields = append(fields, yamledit.Field{Path: networking.With(yamledit.Keys(value.keys...)...).With(yamledit.Key(versionKey(f))), Value: text})
			}
		}
	}
	if excluded := excludedTexts(pod); len(excluded) > 0 && !p.Existing {
		fields = append(fields, yamledit.Field{Path: networking.With(yamledit.Key("excludeIps")), Value: strings.Join(excluded, ",")})
	}
	return fields
}

func versionKey(f space.Family) string {
	if f == space.IPv6 {
		return "v6"
	}
	return "v4"
}

func networks(p *plan.Plan) (pod, service, join plan.Network) {
	pod, _ = p.Network(string(site.RolePod))
	service, _ = p.Network(string(site.RoleService))
	join, _ = p.Network(string(site.RoleJoin))
	return pod, service, join
}

// excludedTexts returns the carve-outs of a network, joined by commas without
// blanks where the flag takes them: it splits without trimming.
func excludedTexts(n plan.Network) []string { return n.ExcludedTexts() }

// subnet renders a Subnet manifest.
func subnet(p *plan.Plan, o artifact.Options, problems *site.Problems) artifact.Result {
	n, name, ok := subnetNetwork(p, o, problems)
	if !ok {
		return artifact.Result{}
	}
	at := func(key string) yamledit.Path { return yamledit.Keys("spec", key) }
	cidrs := inOrder(p, prefixText(n))
	protocol := "IPv4"
	switch {
	case len(cidrs) > 1:
		protocol = "Dual"
	case len(n.Family(space.IPv6)) > 0:
		protocol = "IPv6"
	}
	fields := []yamledit.Field{{Path: at("protocol"), Value: protocol}, {Path: at("cidrBlock"), Value: strings.Join(cidrs, ",")}}
	if n.VPC != "" {
		fields = append([]yamledit.Field{{Path: at("vpc"), Value: n.VPC}}, fields...)
	}
	gateways := inOrder(p, gatewayText(n))
	if len(gateways) > 0 {
		fields = append(fields, yamledit.Field{Path: at("gateway"), Value: strings.Join(gateways, ",")})
	}
	fields = append(fields, yamledit.Field{Path: at("excludeIps"), Value: artifact.List(excludeIPs(n, gateways))})
	return artifact.Result{
		Document: yamledit.Selector{Kind: "Subnet", Name: name},
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "kubeovn.io/v1"}, {Key: "kind", Value: "Subnet"},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: name}}},
		},
		Fields:      fields,
		Guarded:     []yamledit.Path{at("cidrBlock"), at("gateway")},
		GuardReason: "Kube-OVN takes a changed range of a Subnet at once: pods of the old range lose their routes until every one of them is recreated, and a changed join range needs a procedure of its own.",
	}
}

// subnetNetwork returns the network of a Subnet manifest, and the Subnet's name.
func subnetNetwork(p *plan.Plan, o artifact.Options, problems *site.Problems) (plan.Network, string, bool) {
	name := o.Text("network")
	if name == "" {
		name = string(site.RolePod)
	}
	n, ok := p.Network(name)
	at := site.At("network")
	switch {
	case !ok:
		problems.Add(at, artifact.SummaryUnknownNetwork, "%s", artifact.UnknownNetwork(p, name))
		return n, "", false
	case n.Allocator != site.AllocatorKubeOVN:
		problems.Add(at, artifact.SummaryUnsuitable, "Addresses of the network %q are handed out by %s, so that Kube-OVN has no Subnet for it. Name a network of role pod, or join.", name, orNobody(n.Allocator))
		return n, "", false
	}
	switch {
	case name == string(site.RolePod):
		name = podSubnet
	case n.Role == site.RoleJoin:
		name = joinSubnet
	default:
		name = strings.ReplaceAll(name, "_", "-")
	}
	if reason := artifact.ObjectNameProblem(name); reason != "" || name[0] >= '0' && name[0] <= '9' {
		problems.Add(at, artifact.SummaryInvalidName, "A Subnet cannot be named %q: Kube-OVN takes lower-case letters, digits and '-', and no digit in front. Rename the network with formerly, which moves nothing.", name)
		return n, "", false
	}
	return n, name, true
}

func orNobody(a site.Allocator) string {
	if a == "" {
		return "nobody"
	}
	return string(a)
}

// excludeIPs returns the exclusions as the controller stores them, so that it does
// not rewrite what a file states: the gateways with the carve-outs, sorted as texts
// (pkg/controller/subnet.go, formatExcludeIPs).
func excludeIPs(n plan.Network, gateways []string) []string {
	out := excludedTexts(n)
	for _, gateway := range gateways {
		if !covered(n, gateway) {
			out = append(out, gateway)
		}
	}
	slices.Sort(out)
	return out
}

func covered(n plan.Network, address string) bool {
	addr, err := space.ParseAddr(address)
	if err != nil {
		panic(fmt.Sprintf("kubeovnvalues: the gateway %q of a plan is no address: %v", address, err))
	}
	return slices.ContainsFunc(n.Excluded, func(r plan.Range) bool { return r.Contains(addr) })
}
