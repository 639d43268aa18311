// SPDX-License-Identifier: MPL-2.0

package discovery

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/repository"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
)

// FromFiles turns the facts of a repository's files into a site. Where files
// disagree the first one counts and the rest is a doubt.
func FromFiles(facts *repository.Facts) *Site {
	s := &Site{Hosts: map[string]int64{}}
	mode, ovn := "", false
	for _, f := range facts.List {
		if f.Subject == artifact.SubjectMode && f.Origin != artifact.Unknown {
			mode = f.Value
		}
		ovn = ovn || f.Allocator == site.AllocatorKubeOVN
	}
	switch {
	case ovn && mode != "":
		s.Datapath = site.KubeOVNCilium
	case ovn && slices.ContainsFunc(facts.List, func(f repository.Fact) bool { return f.Consumer == "cozystack_values" }):
		s.Datapath = site.KubeOVNCilium
	case ovn:
		s.Datapath = site.KubeOVN
	case mode == "cluster-pool":
		s.Datapath = site.CiliumClusterPool
	case mode == "kubernetes":
		s.Datapath = site.CiliumKubernetes
	}
	s.Distribution = distributionOfFiles(facts)
	stated := map[string]bool{}
	for _, f := range facts.List {
		if f.Origin == artifact.Declared {
			stated[key(f)] = true
		}
	}
	for _, f := range facts.List {
		switch {
		case f.Origin == artifact.Unknown:
			s.doubt("%s:%d %s does not show: %s.", f.File, f.Line, f.KeyPath, f.Source)
		case f.Origin == artifact.Implicit && stated[key(f)]:
		default:
			s.fact(f)
		}
	}
	s.finish()
	return s
}

func key(f repository.Fact) string { return f.Consumer + string(f.Role) + string(f.Subject) }

func distributionOfFiles(facts *repository.Facts) site.Distribution {
	for _, f := range facts.List {
		switch f.Consumer {
		case "talos_patch", "talm_values":
			return site.Talos
		case "k3s_config", "ansible_vars":
			return site.K3s
		case "kubeadm_config":
			return site.Kubeadm
		}
	}
	return ""
}

// networkOf names the network that a fact belongs to; empty for one that is no
// network of a site.
func (s *Site) networkOf(f repository.Fact) string {
	switch f.Role {
	case site.RolePod:
		// Under Kube-OVN only its own range is the pods'; what Cilium's operator cuts
		// is the agents', and the cluster CIDR is read by nobody else.
		switch {
		case !s.Datapath.Kubeovn(), f.Allocator == site.AllocatorKubeOVN:
		case f.Allocator == site.AllocatorCiliumOperator:
			return "cilium_pool"
		default:
			return ""
		}
		if s.Datapath == site.CiliumClusterPool && f.Allocator == site.AllocatorKubeControllerManager {
			return ""
		}
		return "pod"
	case site.RoleService, site.RoleJoin, site.RoleCiliumPool:
		return string(f.Role)
	case site.RoleLoadBalancer:
		return identifier("lb-" + f.Name)
	case site.RoleNode:
		return "node"
	}
	return ""
}

func (s *Site) fact(f repository.Fact) {
	name := s.networkOf(f)
	if name == "" {
		return
	}
	role := f.Role
	if name == "cilium_pool" {
		role = site.RoleCiliumPool
	}
	place := fmt.Sprintf("%s:%d", f.File, f.Line)
	switch f.Subject {
	case artifact.SubjectCIDRs:
		n := s.network(name, role)
		if len(n.CIDRs) > 0 && !slices.Contains(n.CIDRs, f.Value) && role != site.RoleLoadBalancer && sameFamily(n.CIDRs, f.Value) && role != site.RoleCiliumPool && s.Datapath != site.CiliumClusterPool {
			s.doubt("%s says %s of the network %q, but %s says %s.", place, f.Value, name, n.Places[0], n.CIDRs[0])
			return
		}
		n.add(string(f.Origin), place, f.Value)
		if f.Allocator == site.AllocatorMetalLB {
			n.Allocator = f.Allocator
		}
	case artifact.SubjectGateway:
		n := s.network(name, role)
		if f.Value != "" && !slices.Contains(n.Gateways, f.Value) {
			n.Gateways = append(n.Gateways, f.Value)
		}
	case artifact.SubjectNodeLength:
		n := s.network(name, role)
		length, err := strconv.Atoi(f.Value)
		switch {
		case err != nil:
		case f.Name == "ipv6":
			n.NodePrefix6 = length
		default:
			n.NodePrefix4 = length
		}
	}
}

func sameFamily(list []string, text string) bool {
	return slices.ContainsFunc(list, func(other string) bool { return familyOf(other) == familyOf(text) })
}
