// SPDX-License-Identifier: MPL-2.0

// Package k3sconfig renders the address settings of K3s and RKE2: the server's
// config.yaml, and the HelmChartConfig that lays values over RKE2's Cilium chart.
package k3sconfig

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const (
	formConfig          = "config"
	formHelmChartConfig = "helm_chart_config"

	ciliumChart    = "rke2-cilium"
	chartNamespace = "kube-system"
)

// Consumer returns the consumer. Keys and defaults are those of k3s
// (pkg/cli/cmds/server.go); lists may be comma-joined strings, which is how
// people write two families. RKE2's chart is that of rke2-charts
// (packages/rke2-cilium).
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "k3s_config",
		Purpose: "Keeps the ranges of pods and Services in the `config.yaml` of K3s or RKE2 servers. Both must be the same on all servers, and neither can be changed once the cluster is installed. " +
			"With `form = \"helm_chart_config\"` it keeps Cilium's address management in the HelmChartConfig `rke2-cilium`, which RKE2 lays over its chart: there the mode is `kubernetes` unless something else is stated. " +
			"Only the named keys are touched; flannel, the network policy controller and everything else stay as they are.",
		Fragment:  "The settings as YAML, or the HelmChartConfig as a manifest.",
		Guards:    true,
		Documents: []yamledit.Selector{chartSelector()},
		Options: []artifact.Option{
			{Name: "form", Type: artifact.String, Default: formConfig, Allowed: []string{formConfig, formHelmChartConfig}, Description: "What the file holds: `config`, the `config.yaml` of servers, or `helm_chart_config`, RKE2's HelmChartConfig for Cilium, which stands among the server's manifests. Default: `config`."},
			{Name: "cluster_dns", Type: artifact.Bool, Description: "Whether to state the address of the DNS service as `cluster-dns`. It is the tenth of the service range, which K3s takes by itself. Default: not written."},
			{Name: "controller_manager_args", Type: artifact.StringList, Description: "Other arguments of kube-controller-manager, `name=value`. With them, or with node ranges that are not /24 and /64, the list `kube-controller-manager-arg` is owned as a whole. Default: none."},
		},
		Render: render,
		Read:   Read,
	}
}

func chartSelector() yamledit.Selector {
	return yamledit.Selector{Kind: "HelmChartConfig", Name: ciliumChart}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	if p.Distribution != "" && !p.Distribution.Rancher() {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, which reads no config.yaml of K3s. Use the writer of its own distribution.", p.Site, p.Distribution)
	}
	if o.Text("form") == formHelmChartConfig {
		return helmChartConfig(p, o, &problems), problems
	}
	fields := Fields(nil, p)
	if wanted, _ := o.Flag("cluster_dns"); wanted {
		fields = append(fields, yamledit.Field{Path: yamledit.Keys("cluster-dns"), Value: strings.Join(dnsAddresses(p), ",")})
	}
	if list := arguments(p, o, &problems); len(list) > 0 {
		fields = append(fields, yamledit.Field{Path: yamledit.Keys("kube-controller-manager-arg"), Value: artifact.List(list)})
	}
	return artifact.Result{Fields: fields}, problems
}

// Fields returns the ranges of pods and Services below root.
func Fields(root yamledit.Path, p *plan.Plan) []yamledit.Field {
	return []yamledit.Field{
		{Path: root.With(yamledit.Key("cluster-cidr")), Value: strings.Join(artifact.Prefixes(p, "pod"), ",")},
		{Path: root.With(yamledit.Key("service-cidr")), Value: strings.Join(artifact.Prefixes(p, "service"), ",")},
	}
}

// arguments returns those of kube-controller-manager: the user's, and the plan's.
func arguments(p *plan.Plan, o artifact.Options, problems *site.Problems) []string {
	out := append([]string{}, o.List("controller_manager_args")...)
	for i, argument := range out {
		if strings.HasPrefix(argument, "node-cidr-mask-size") || strings.HasPrefix(argument, "cluster-cidr=") {
			problems.Add(site.At("controller_manager_args").Index(i), artifact.SummaryUnsuitable, "%q is decided by the plan. Leave it out here, and set ipv4_node_prefix_length or cidrs on the network \"pod\" of the site.", argument)
		}
	}
	for _, argument := range artifact.NodeMaskArguments(p) {
		out = append(out, argument.Name+"="+argument.Value)
	}
	return out
}

// helmChartConfig lays Cilium's address management over RKE2's chart.
func helmChartConfig(p *plan.Plan, o artifact.Options, problems *site.Problems) artifact.Result {
	for _, name := range []string{"cluster_dns", "controller_manager_args"} {
		if _, given := o[name]; given {
			problems.Add(site.At(name), artifact.SummaryNoEffect, "%s is a setting of config.yaml and does nothing in a HelmChartConfig. Leave it out.", name)
		}
	}
	if p.Distribution == site.K3s {
		problems.Add(site.At("form"), artifact.SummaryUnsuitable, "The site %q runs k3s, which installs no Cilium chart of its own; rke2 does. Use cidrplan_cilium_values for what installs Cilium here.", p.Site)
	}
	root := yamledit.Keys("spec", "valuesContent").With(yamledit.Inside())
	result := artifact.Result{
		Document: chartSelector(),
		Head: yamledit.Map{
			{Key: "apiVersion", Value: "helm.cattle.io/v1"}, {Key: "kind", Value: "HelmChartConfig"},
			{Key: "metadata", Value: yamledit.Map{{Key: "name", Value: ciliumChart}, {Key: "namespace", Value: chartNamespace}}},
		},
	}
	result.Fields, result.Guarded, result.Hollow = ciliumvalues.Fields(root, p, problems)
	result.GuardReason = ciliumvalues.GuardReason
	return result
}

func dnsAddresses(p *plan.Plan) []string {
	service, _ := p.Network(string(site.RoleService))
	var out []string
	for _, f := range p.Families {
		if addr, ok := service.DNSAddress(f); ok {
			out = append(out, addr.String())
		}
	}
	return out
}
