// SPDX-License-Identifier: MPL-2.0

// Package ansiblevars renders group variables of Ansible: those of the Cozystack
// role, and those of the playbooks that install K3s.
package ansiblevars

import (
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/k3sconfig"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const (
	roleCozystack = "cozystack"
	roleK3s       = "k3s"

	defaultConfigVariable = "server_config_yaml"
)

// Consumer returns the consumer. Variables are those of ansible-cozystack v1.5
// (roles/cozystack/defaults/main.yml, examples/*/prepare-*.yml) and of the K3s
// playbooks that write server_config_yaml to config.yaml.
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "ansible_vars",
		Purpose: "Keeps the ranges of a site in group variables of Ansible. `role = \"cozystack\"` sets the variables of the Cozystack role: the ranges of pods, Services and joins, and the pods' gateway, which the role does not derive. `role = \"k3s\"` sets `cluster-cidr` and `service-cidr` in the YAML text that becomes the server's `config.yaml`. " +
			"A Cozystack site on K3s needs both, in their two files: with the role's ranges alone K3s keeps its own. The role has no variable for Cilium's pool; that is the Package `cozystack.networking` of `cidrplan_cozystack_values`.",
		Fragment: "The variables as YAML.",
		Options: []artifact.Option{
			{Name: "role", Type: artifact.String, Required: true, Allowed: []string{roleCozystack, roleK3s}, Description: "Whose variables they are: `cozystack` or `k3s`."},
			{Name: "config_variable", Type: artifact.String, Description: "Variable of the K3s playbooks that holds the server's configuration as text, such as `cozystack_k3s_server_config_yaml`. Default: `" + defaultConfigVariable + "`."},
		},
		Render: render,
		Read:   Read,
	}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	var problems site.Problems
	if o.Text("role") == roleK3s {
		variable := o.Text("config_variable")
		if variable == "" {
			variable = defaultConfigVariable
		}
		if p.Distribution != "" && !p.Distribution.Rancher() {
			problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, which no playbook of K3s installs.", p.Site, p.Distribution)
		}
		return artifact.Result{Fields: k3sconfig.Fields(yamledit.Keys(variable).With(yamledit.Inside()), p)}, problems
	}
	if o.Text("config_variable") != "" {
		problems.Add(site.At("config_variable"), artifact.SummaryNoEffect, "config_variable is of the K3s playbooks and does nothing with role = %q. Leave it out.", roleCozystack)
	}
	return cozystack(p, &problems), problems
}

func cozystack(p *plan.Plan, problems *site.Problems) artifact.Result {
	if p.Datapath != site.KubeOVNCilium {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has the datapath %q, but the Cozystack role configures Kube-OVN with Cilium behind it. Plan the site with datapath = %q.", p.Site, p.Datapath, site.KubeOVNCilium)
		return artifact.Result{}
	}
	if !p.HasFamily(space.IPv4) {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q has no IPv4, but the variables of the Cozystack role hold IPv4 ranges only. Add \"ipv4\" to ip_families of the site.", p.Site)
		return artifact.Result{}
	}
	var fields []yamledit.Field
	for _, v := range []struct {
		name string
		role site.Role
	}{{"cozystack_pod_cidr", site.RolePod}, {"cozystack_svc_cidr", site.RoleService}, {"cozystack_join_cidr", site.RoleJoin}} {
		n, _ := p.Network(string(v.role))
		if prefix, ok := n.First(space.IPv4); ok {
			fields = append(fields, yamledit.Field{Path: yamledit.Keys(v.name), Value: prefix.String()})
		}
		if gateway, ok := n.Gateway(space.IPv4); ok && v.role == site.RolePod {
			fields = append(fields, yamledit.Field{Path: yamledit.Keys("cozystack_pod_gateway"), Value: gateway.String()})
		}
	}
	return artifact.Result{Fields: fields}
}

// Read returns the facts of group variables, of inventories and of playbooks:
// wherever one of the known variables stands in a mapping.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		if d.Kind == "" {
			facts.In(d)
			walk(&facts, d.Node)
		}
	}
	return facts.InOrder(), nil
}

// walk goes through mappings and lists, since variables stand at the top of a
// group's file, below vars in an inventory, and inside plays.
func walk(facts *artifact.Facts, n artifact.Node) {
	if n.IsAlias() {
		return // it is read where its anchor stands
	}
	for _, item := range n.Items() {
		walk(facts, item)
	}
	for _, key := range n.Keys() {
		value := n.Get(key)
		switch {
		case key == "cozystack_pod_cidr":
			facts.Ranges(value, artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectCIDRs})
		case key == "cozystack_pod_gateway":
			facts.Ranges(value, artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectGateway})
		case key == "cozystack_svc_cidr":
			facts.Ranges(value, artifact.Fact{Role: site.RoleService, Subject: artifact.SubjectCIDRs})
		case key == "cozystack_join_cidr":
			facts.Ranges(value, artifact.Fact{Role: site.RoleJoin, Allocator: site.AllocatorKubeOVN, Subject: artifact.SubjectCIDRs})
		case strings.HasSuffix(key, defaultConfigVariable):
			k3sconfig.ReadSettings(facts, value.Inside())
		default:
			walk(facts, value)
		}
	}
}
