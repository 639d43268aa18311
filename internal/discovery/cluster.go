// SPDX-License-Identifier: MPL-2.0

package discovery

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/artifact"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/cluster"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

const observed = "observed"

// FromCluster turns a snapshot into a site.
func FromCluster(c *cluster.Snapshot) *Site {
	s := &Site{Hosts: map[string]int64{}}
	config, hasCilium := c.ConfigMap("cilium-config")
	s.Datapath = datapathOf(c, config.Data["ipam"], hasCilium)
	s.Distribution = distributionOf(c)
	s.subnets(c)
	s.pool(config)
	s.clusterCIDR(c)
	for _, services := range c.ServiceCIDRs {
		for _, prefix := range services.CIDRs {
			s.network("service", site.RoleService).add(observed, "ServiceCIDR/"+services.Name.Name, prefix.String())
		}
	}
	s.pools(c)
	s.nodes(c)
	for _, g := range c.NotInspected {
		s.doubt("%s could not be inspected: %s.", g.Kind, g.Reason)
	}
	s.finish()
	return s
}

func datapathOf(c *cluster.Snapshot, mode string, hasCilium bool) site.Datapath {
	switch {
	case len(c.Subnets) > 0 && hasCilium:
		return site.KubeOVNCilium
	case len(c.Subnets) > 0:
		return site.KubeOVN
	case hasCilium && mode == "cluster-pool":
		return site.CiliumClusterPool
	case hasCilium && mode == "kubernetes":
		return site.CiliumKubernetes
	case hasCilium || len(c.Nodes) == 0:
		return "" // a mode that no datapath stands for
	}
	return site.NodeIPAM
}

func distributionOf(c *cluster.Snapshot) site.Distribution {
	if _, ok := c.ConfigMap("kubeadm-config"); ok {
		return site.Kubeadm
	}
	for _, n := range c.Nodes {
		if len(n.Arguments) > 0 {
			return site.K3s
		}
	}
	return ""
}

// subnets takes the ranges of Kube-OVN.
func (s *Site) subnets(c *cluster.Snapshot) {
	for _, n := range c.Subnets {
		name, role := identifier(n.Name.Name), site.RoleOther
		switch n.Name.Name {
		case "ovn-default":
			name, role = "pod", site.RolePod
		case "join":
			name, role = "join", site.RoleJoin
		}
		network := s.network(name, role)
		for _, prefix := range n.CIDRs {
			network.add(observed, "Subnet/"+n.Name.Name, prefix.String())
		}
		for _, gateway := range n.Gateways {
			network.Gateways = append(network.Gateways, gateway.String())
		}
	}
}

// pool takes the range that Cilium's operator cuts: the agents' own under Kube-OVN,
// the pods' otherwise.
func (s *Site) pool(config cluster.ConfigMap) {
	if config.Data["ipam"] != "cluster-pool" {
		return
	}
	name, role := "pod", site.RolePod
	if s.Datapath == site.KubeOVNCilium {
		name, role = "cilium_pool", site.RoleCiliumPool
	}
	n := s.network(name, role)
	for _, key := range []string{"cluster-pool-ipv4-cidr", "cluster-pool-ipv6-cidr"} {
		for _, text := range strings.FieldsFunc(config.Data[key], func(r rune) bool { return r == ' ' || r == ',' }) {
			if r, ok := artifact.LooseRange(text); ok {
				n.add(observed, "ConfigMap/"+config.String(), space.FormatRange(r))
			}
		}
	}
	n.NodePrefix4, _ = strconv.Atoi(config.Data["cluster-pool-ipv4-mask-size"])
	n.NodePrefix6, _ = strconv.Atoi(config.Data["cluster-pool-ipv6-mask-size"])
}

// clusterCIDR takes the range that kube-controller-manager cuts, where pods draw from
// it.
func (s *Site) clusterCIDR(c *cluster.Snapshot) {
	if s.Datapath != site.CiliumKubernetes && s.Datapath != site.NodeIPAM {
		return
	}
	n := s.network("pod", site.RolePod)
	for _, argument := range arguments(c) {
		if value, ok := strings.CutPrefix(argument.text, "--cluster-cidr="); ok {
			for text := range strings.SplitSeq(value, ",") {
				if r, ok := artifact.LooseRange(text); ok {
					n.add(observed, argument.object, space.FormatRange(r))
				}
			}
		}
	}
	for _, node := range c.Nodes {
		for _, prefix := range node.PodCIDRs {
			if prefix.Addr().Is4() {
				n.NodePrefix4 = prefix.Bits()
			} else {
				n.NodePrefix6 = prefix.Bits()
			}
		}
	}
	if len(n.CIDRs) == 0 {
		s.Networks = s.Networks[:len(s.Networks)-1]
		s.doubt("The cluster CIDR of kube-controller-manager does not show; nodes have ranges of it. Pin cidrs of the network \"pod\".")
	}
}

type argument struct{ text, object string }

func arguments(c *cluster.Snapshot) []argument {
	var out []argument
	for _, p := range c.Pods {
		for _, text := range p.Command {
			out = append(out, argument{text, "Pod/" + p.Name.String()})
		}
	}
	for _, n := range c.Nodes {
		for _, text := range n.Arguments {
			out = append(out, argument{text, "Node/" + n.Name.Name})
		}
	}
	return out
}

// pools takes LoadBalancer pools; the only one has the well-known name.
func (s *Site) pools(c *cluster.Snapshot) {
	for _, p := range c.LoadBalancerPools {
		name := "load_balancer"
		if len(c.LoadBalancerPools) > 1 {
			name = identifier("lb-" + p.Name.Name)
		}
		n := s.network(name, site.RoleLoadBalancer)
		kind := "CiliumLoadBalancerIPPool/"
		if p.MetalLB {
			n.Allocator, kind = site.AllocatorMetalLB, "IPAddressPool/"
		}
		for _, text := range p.Blocks {
			if r, ok := artifact.LooseRange(text); ok {
				n.add(observed, kind+p.Name.String(), space.FormatRange(r))
			}
		}
	}
}

// nodes takes the nodes' addresses. The length of their network no API shows: where
// all of them lie in one /24, or /64, that is taken and said.
func (s *Site) nodes(c *cluster.Snapshot) {
	guesses := map[netip.Prefix]bool{}
	numbers := map[string]int64{}
	for _, n := range c.Nodes {
		for _, addr := range n.InternalIPs {
			length := 24
			if addr.Is6() {
				length = 64
			}
			prefix := netip.PrefixFrom(addr, length).Masked()
			guesses[prefix] = true
			if addr.Is4() {
				bytes := addr.As4()
				numbers[n.Name.Name] = int64(bytes[3])
			}
		}
	}
	four, six := 0, 0
	for prefix := range guesses {
		if prefix.Addr().Is4() {
			four++
		} else {
			six++
		}
	}
	if len(guesses) == 0 || four > 1 || six > 1 {
		if len(guesses) > 0 {
			s.doubt("The nodes' addresses lie in several networks. Declare each with role \"node\".")
		}
		return
	}
	network := s.network("node", site.RoleNode)
	for _, f := range []bool{true, false} {
		for prefix := range guesses {
			if prefix.Addr().Is4() == f {
				network.add(observed, "Nodes", prefix.String())
			}
		}
	}
	s.Hosts = numbers
	s.doubt("The nodes' network was taken as %s, from their addresses; no API shows its length, its gateway or what DHCP hands out there. Check it.", strings.Join(network.CIDRs, ", "))
}
