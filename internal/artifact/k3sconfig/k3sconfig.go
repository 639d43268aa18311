// SPDX-License-Identifier: MPL-2.0

// Package k3sconfig renders the address settings of a K3s or RKE2 server.
package k3sconfig

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

// Consumer returns the consumer. Keys and defaults are those of k3s
// (pkg/cli/cmds/server.go); lists may be comma-joined strings, which is how
// people write two families.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "k3s_config",
		Purpose: "Keeps the ranges of pods and Services in the `config.yaml` of K3s or RKE2 servers. Both must be the same on all servers, and neither can be changed once the cluster is installed. " +
			"Only the named keys are touched; flannel, the network policy controller and everything else stay as they are.",
		Fragment: "The settings as YAML.",
		Options: []artifact.Option{
			{Name: "cluster_dns", Type: artifact.Bool, Description: "Whether to state the address of the DNS service as `cluster-dns`. It is the tenth of the service range, which K3s takes by itself. Default: not written."},
			{Name: "controller_manager_args", Type: artifact.StringList, Description: "Other arguments of kube-controller-manager, `name=value`. With them, or with node ranges that are not /24 and /64, the list `kube-controller-manager-arg` is owned as a whole. Default: none."},
		},
		Render: render,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	fields := []yamledit.Field{
		{Path: yamledit.Keys("cluster-cidr"), Value: strings.Join(artifact.Prefixes(p, "pod"), ",")},
		{Path: yamledit.Keys("service-cidr"), Value: strings.Join(artifact.Prefixes(p, "service"), ",")},
	}
	if wanted, _ := o.Flag("cluster_dns"); wanted {
		fields = append(fields, yamledit.Field{Path: yamledit.Keys("cluster-dns"), Value: strings.Join(dnsAddresses(p), ",")})
	}
	arguments := append([]string{}, o.List("controller_manager_args")...)
	for i, argument := range arguments {
		if strings.HasPrefix(argument, "node-cidr-mask-size") || strings.HasPrefix(argument, "cluster-cidr=") {
			problems.Add(site.At("controller_manager_args").Index(i), artifact.SummaryUnsuitable, "%q is decided by the plan. Leave it out here, and set ipv4_node_prefix_length or cidrs on the network \"pod\" of the site.", argument)
		}
	}
	for _, argument := range artifact.NodeMaskArguments(p) {
		arguments = append(arguments, argument.Name+"="+argument.Value)
	}
	if len(arguments) > 0 {
		fields = append(fields, yamledit.Field{Path: yamledit.Keys("kube-controller-manager-arg"), Value: artifact.List(arguments)})
	}
	if p.Distribution != "" && !p.Distribution.Rancher() {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, which reads no config.yaml of K3s. Use the writer of its own distribution.", p.Site, p.Distribution)
	}
	return artifact.Result{Fields: fields}, problems
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
