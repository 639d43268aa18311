// SPDX-License-Identifier: MPL-2.0

// Package kubeadmconfig renders the networking of kubeadm's ClusterConfiguration.
package kubeadmconfig

import (
	"fmt"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/plan"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/yamledit"
)

const (
	v1beta3 = "v1beta3"
	v1beta4 = "v1beta4"

	group = "kubeadm.k8s.io/"
	kind  = "ClusterConfiguration"
)

// Consumer returns the consumer. Fields and limits are those of kubeadm
// (cmd/kubeadm/app/apis/kubeadm, validation).
func Consumer() artifact.Consumer {
	return artifact.Consumer{
		Name: "kubeadm_config",
		Purpose: "Keeps the ranges of pods and Services in kubeadm's ClusterConfiguration, and the length of node ranges where it is not kubeadm's own. Two families are joined by a comma, as kubeadm takes them. Only the named fields are touched; other documents of the file stay as they are. " +
			"kubeadm reads the file once: on an installed cluster the ranges cannot change, and `kubeadm-config` in `kube-system` holds what was installed.",
		Fragment:  "The ClusterConfiguration with the planned fields alone.",
		Documents: []yamledit.Selector{selector(v1beta4), selector(v1beta3)},
		Options: []artifact.Option{
			{Name: "api_version", Type: artifact.String, Default: v1beta4, Allowed: []string{v1beta3, v1beta4}, Description: "Version of the ClusterConfiguration: `v1beta4` (Kubernetes 1.31 and later) or `v1beta3`. Default: `v1beta4`."},
			{Name: "controller_manager_args", Type: artifact.StringList, Description: "Other arguments of kube-controller-manager, `name=value`. In `v1beta4` arguments are a list, which is owned as a whole with them, or with node ranges that are not /24 and /64. Default: none."},
			artifact.AllocateNodeCIDRsOption(),
		},
		Render: render,
		Read:   Read,
	}
}

func selector(version string) yamledit.Selector {
	return yamledit.Selector{APIVersion: group + version, Kind: kind}
}

func render(p *plan.Plan, o artifact.Options) (artifact.Result, site.Problems) {
	problems := artifact.CheckAllocateNodeCIDRs(p, o)
	if p.Distribution != "" && p.Distribution != site.Kubeadm {
		problems.Add(site.At("plan"), artifact.SummaryUnsuitable, "The site %q runs %s, which reads no ClusterConfiguration of kubeadm. Use the writer of its own distribution.", p.Site, p.Distribution)
	}
	version := o.Text("api_version")
	if version == "" {
		version = v1beta4
	}
	fields := []yamledit.Field{
		{Path: yamledit.Keys("networking", "podSubnet"), Value: strings.Join(artifact.Prefixes(p, "pod"), ",")},
		{Path: yamledit.Keys("networking", "serviceSubnet"), Value: strings.Join(artifact.Prefixes(p, "service"), ",")},
	}
	fields = append(fields, argumentFields(version, arguments(p, o, &problems))...)
	return artifact.Result{
		Document: selector(version),
		Head:     yamledit.Map{{Key: "apiVersion", Value: group + version}, {Key: "kind", Value: kind}},
		Fields:   fields,
	}, problems
}

// arguments returns those of kube-controller-manager that are stated.
func arguments(p *plan.Plan, o artifact.Options, problems *site.Problems) []artifact.Argument {
	var out []artifact.Argument
	for i, text := range o.List("controller_manager_args") {
		name, value, found := strings.Cut(text, "=")
		at := site.At("controller_manager_args").Index(i)
		switch {
		case !found || name == "":
			problems.Add(at, artifact.SummaryUnsuitable, "%q is no argument. Write name=value, without dashes, such as \"bind-address=0.0.0.0\".", text)
		case strings.HasPrefix(name, "node-cidr-mask-size") || name == "cluster-cidr" || name == "allocate-node-cidrs" || name == "service-cluster-ip-range":
			problems.Add(at, artifact.SummaryUnsuitable, "%q is decided by the plan. Leave it out here, and set ipv4_node_prefix_length or cidrs on the network \"pod\" of the site, or allocate_node_cidrs here.", text)
		default:
			out = append(out, artifact.Argument{Name: name, Value: value})
		}
	}
	if allocate, given := o.Flag("allocate_node_cidrs"); given {
		out = append(out, artifact.Argument{Name: "allocate-node-cidrs", Value: fmt.Sprint(allocate)})
	}
	return append(out, artifact.NodeMaskArguments(p)...)
}

// argumentFields renders arguments: a mapping up to v1beta3, a list since v1beta4.
func argumentFields(version string, arguments []artifact.Argument) []yamledit.Field {
	at := yamledit.Keys("controllerManager", "extraArgs")
	if version == v1beta3 {
		var out []yamledit.Field
		for _, a := range arguments {
			out = append(out, yamledit.Field{Path: at.With(yamledit.Key(a.Name)), Value: a.Value})
		}
		return out
	}
	if len(arguments) == 0 {
		return nil
	}
	list := make([]any, len(arguments))
	for i, a := range arguments {
		list[i] = yamledit.Map{{Key: "name", Value: a.Name}, {Key: "value", Value: a.Value}}
	}
	return []yamledit.Field{{Path: at, Value: list}}
}

// Read returns the facts of a ClusterConfiguration, also of the one that kubeadm
// keeps in the ConfigMap kubeadm-config. A podSubnet that is not stated leaves node
// ranges out; a serviceSubnet that is not is 10.96.0.0/12.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		config := d.Node
		if d.Kind == "ConfigMap" && d.Name == "kubeadm-config" {
			config = d.Get("data", kind).Inside()
		}
		if config.Get("kind").Text() == kind && strings.HasPrefix(config.Get("apiVersion").Text(), group) {
			read(&facts, config)
		}
	}
	return facts.InOrder(), nil
}

func read(facts *artifact.Facts, config artifact.Node) {
	networking := config.Get("networking")
	facts.Ranges(networking.Get("podSubnet"), artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectCIDRs})
	service := artifact.Fact{Role: site.RoleService, Allocator: site.AllocatorKubeAPIServer, Subject: artifact.SubjectCIDRs}
	if !facts.Ranges(networking.Get("serviceSubnet"), service) {
		facts.Implicit(service, "kubeadm", "10.96.0.0/12")
	}
	extra := config.Get("controllerManager", "extraArgs")
	for _, name := range extra.Keys() {
		readArgument(facts, name, extra.Get(name))
	}
	for _, item := range extra.Items() {
		readArgument(facts, item.Get("name").Text(), item.Get("value"))
	}
}

func readArgument(facts *artifact.Facts, name string, value artifact.Node) {
	fact := artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectNodeLength}
	switch name {
	case "node-cidr-mask-size-ipv4":
		fact.Name = "ipv4"
	case "node-cidr-mask-size-ipv6":
		fact.Name = "ipv6"
	case "allocate-node-cidrs":
		fact.Subject = artifact.SubjectNodeCIDRs
	case "cluster-cidr":
		fact.Subject = artifact.SubjectCIDRs
		facts.Ranges(value, fact)
		return
	default:
		return
	}
	facts.Add(value, fact)
}
