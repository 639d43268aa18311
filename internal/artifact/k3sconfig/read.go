// SPDX-License-Identifier: MPL-2.0

package k3sconfig

import (
	"slices"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact/ciliumvalues"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// The defaults of K3s and RKE2 (k3s pkg/cli/cmds/server.go).
const (
	serverDefault    = "K3s"
	defaultPods4     = "10.42.0.0/16"
	defaultServices4 = "10.43.0.0/16"
)

// serverKeys are keys of config.yaml by which a file is one of a server.
func serverKeys() []string {
	return []string{
		"cluster-cidr", "service-cidr", "cluster-dns", "flannel-backend", "disable-network-policy", "cluster-init",
		"tls-san", "disable-kube-proxy", "write-kubeconfig-mode", "kube-controller-manager-arg", "kube-apiserver-arg", "cni",
	}
}

// Read returns the facts of a config.yaml, and of HelmChartConfigs of RKE2. A
// server's file that leaves the ranges unsaid has K3s' own; an agent's has none.
func Read(src []byte) ([]artifact.Fact, error) {
	documents, err := artifact.ReadDocuments(src)
	if err != nil {
		return nil, err
	}
	var facts artifact.Facts
	for _, d := range documents {
		facts.In(d)
		switch {
		case d.Kind == "HelmChartConfig":
			readHelmChartConfig(&facts, d)
		case d.Kind == "" && slices.ContainsFunc(d.Keys(), func(key string) bool { return slices.Contains(serverKeys(), key) }):
			ReadSettings(&facts, d.Node)
		}
	}
	return facts.InOrder(), nil
}

func readHelmChartConfig(facts *artifact.Facts, d artifact.Document) {
	if d.Name != ciliumChart {
		return
	}
	values := d.Get("spec", "valuesContent").Inside()
	if !values.Exists() {
		values = d.Get("spec")
	}
	ciliumvalues.ReadValues(facts, values, ciliumvalues.Chart{Mode: "kubernetes", Source: "RKE2's Cilium chart"})
}

// ReadSettings reads the settings of a server, wherever their text stands.
func ReadSettings(facts *artifact.Facts, settings artifact.Node) {
	pod := artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectCIDRs}
	service := artifact.Fact{Role: site.RoleService, Allocator: site.AllocatorKubeAPIServer, Subject: artifact.SubjectCIDRs}
	if !facts.Ranges(settings.Get("cluster-cidr"), pod) {
		facts.Implicit(pod, serverDefault, defaultPods4)
	}
	if !facts.Ranges(settings.Get("service-cidr"), service) {
		facts.Implicit(service, serverDefault, defaultServices4)
	}
	facts.Ranges(settings.Get("cluster-dns"), artifact.Fact{Role: site.RoleService, Subject: artifact.SubjectDNS})
	arguments := settings.Get("kube-controller-manager-arg")
	for _, item := range append(arguments.Items(), arguments) {
		name, value, _ := strings.Cut(strings.TrimPrefix(item.Text(), "--"), "=")
		fact := artifact.Fact{Role: site.RolePod, Allocator: site.AllocatorKubeControllerManager, Subject: artifact.SubjectNodeLength, Value: value}
		switch name {
		case "node-cidr-mask-size-ipv4":
			fact.Name = "ipv4"
		case "node-cidr-mask-size-ipv6":
			fact.Name = "ipv6"
		case "node-cidr-mask-size":
		case "allocate-node-cidrs":
			fact.Subject = artifact.SubjectNodeCIDRs
		default:
			continue
		}
		facts.Add(item, fact)
	}
}
