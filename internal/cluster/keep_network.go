// SPDX-License-Identifier: MPL-2.0

package cluster

import (
	"encoding/json"
	"strings"
)

type ciliumNodeWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Addresses []typedAddress `json:"addresses"`
		IPAM      struct {
			PodCIDRs []string `json:"podCIDRs"`
			Pools    struct {
				Allocated []struct {
					CIDRs []string `json:"cidrs"`
				} `json:"allocated"`
			} `json:"pools"`
		} `json:"ipam"`
		Ingress families `json:"ingress"`
		Health  families `json:"health"`
	} `json:"spec"`
	Status struct {
		IPAM struct {
			OperatorStatus struct {
				Error string `json:"error"`
			} `json:"operator-status"`
		} `json:"ipam"`
	} `json:"status"`
}

type families struct {
	IPv4 string `json:"ipv4"`
	IPv6 string `json:"ipv6"`
}

func keepCiliumNode(s *Snapshot, w ciliumNodeWire) {
	n := CiliumNode{
		Name: w.Metadata.named(), PodCIDRs: prefixes(w.Spec.IPAM.PodCIDRs...),
		Ingress: addresses(w.Spec.Ingress.IPv4, w.Spec.Ingress.IPv6), Health: addresses(w.Spec.Health.IPv4, w.Spec.Health.IPv6),
		OperatorError: w.Status.IPAM.OperatorStatus.Error, Ignored: w.Metadata.Annotations["ipam.cilium.io/ignore"] == "true",
	}
	for _, pool := range w.Spec.IPAM.Pools.Allocated {
		n.PodCIDRs = append(n.PodCIDRs, prefixes(pool.CIDRs...)...)
	}
	for _, a := range w.Spec.Addresses {
		switch a.Type {
		case "CiliumInternalIP":
			n.Router = append(n.Router, addresses(a.IP)...)
		case "InternalIP":
			n.InternalIPs = append(n.InternalIPs, addresses(a.IP)...)
		}
	}
	s.CiliumNodes = append(s.CiliumNodes, n)
}

type ciliumNodeConfigWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Defaults map[string]string `json:"defaults"`
	} `json:"spec"`
}

func keepCiliumNodeConfig(s *Snapshot, w ciliumNodeConfigWire) {
	c := CiliumNodeConfig{Name: w.Metadata.named(), Defaults: map[string]string{}}
	for key, value := range w.Spec.Defaults {
		if ciliumKey(key) {
			c.Defaults[key] = value
		}
	}
	s.CiliumNodeConfigs = append(s.CiliumNodeConfigs, c)
}

type namedWire struct {
	Metadata meta `json:"metadata"`
}

func keepCiliumEndpoint(s *Snapshot, w namedWire) {
	s.CiliumEndpoints = append(s.CiliumEndpoints, w.Metadata.named())
}

func keepPackage(s *Snapshot, w namedWire) { s.Packages = append(s.Packages, w.Metadata.named()) }

type podIPPoolWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		IPv4 struct {
			CIDRs []string `json:"cidrs"`
		} `json:"ipv4"`
		IPv6 struct {
			CIDRs []string `json:"cidrs"`
		} `json:"ipv6"`
	} `json:"spec"`
}

func keepPodIPPool(s *Snapshot, w podIPPoolWire) {
	s.PodIPPools = append(s.PodIPPools, PodIPPool{Name: w.Metadata.named(), CIDRs: append(prefixes(w.Spec.IPv4.CIDRs...), prefixes(w.Spec.IPv6.CIDRs...)...)})
}

type ciliumPoolWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Blocks            []poolBlock `json:"blocks"`
		CIDRs             []poolBlock `json:"cidrs"` // their name before 1.16
		Disabled          bool        `json:"disabled"`
		AllowFirstLastIPs string      `json:"allowFirstLastIPs"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type poolBlock struct {
	CIDR  string `json:"cidr"`
	Start string `json:"start"`
	Stop  string `json:"stop"`
}

func keepCiliumPool(s *Snapshot, w ciliumPoolWire) {
	p := LoadBalancerPool{Name: w.Metadata.named(), Disabled: w.Spec.Disabled, InnerOnly: w.Spec.AllowFirstLastIPs == "No"}
	for _, b := range append(w.Spec.Blocks, w.Spec.CIDRs...) {
		switch {
		case b.CIDR != "":
			p.Blocks = append(p.Blocks, b.CIDR)
		case b.Stop != "":
			p.Blocks = append(p.Blocks, b.Start+"-"+b.Stop)
		case b.Start != "":
			p.Blocks = append(p.Blocks, b.Start)
		}
	}
	for _, c := range w.Status.Conditions {
		if c.Type == "cilium.io/PoolConflict" && c.Status == "True" {
			p.Conflict = c.Message
		}
	}
	s.LoadBalancerPools = append(s.LoadBalancerPools, p)
}

type metalLBPoolWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Addresses []string `json:"addresses"`
	} `json:"spec"`
}

func keepMetalLBPool(s *Snapshot, w metalLBPoolWire) {
	s.LoadBalancerPools = append(s.LoadBalancerPools, LoadBalancerPool{Name: w.Metadata.named(), MetalLB: true, Blocks: w.Spec.Addresses})
}

type subnetWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		VPC            string   `json:"vpc"`
		VLAN           string   `json:"vlan"`
		LogicalGateway bool     `json:"logicalGateway"`
		CIDRBlock      string   `json:"cidrBlock"`
		Gateway        string   `json:"gateway"`
		ExcludeIPs     []string `json:"excludeIps"`
		Namespaces     []string `json:"namespaces"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

func keepSubnet(s *Snapshot, w subnetWire) {
	n := Subnet{
		Name: w.Metadata.named(), VPC: w.Spec.VPC, VLAN: w.Spec.VLAN, LogicalGateway: w.Spec.LogicalGateway,
		CIDRs: prefixes(strings.Split(w.Spec.CIDRBlock, ",")...), Gateways: addresses(strings.Split(w.Spec.Gateway, ",")...),
		ExcludeIPs: w.Spec.ExcludeIPs, Namespaces: w.Spec.Namespaces,
	}
	for _, c := range w.Status.Conditions {
		if c.Type == "Validated" && c.Status == "False" || c.Type == "Error" && c.Status == "True" {
			n.Errors = append(n.Errors, strings.TrimSpace(c.Reason+" "+c.Message))
		}
	}
	s.Subnets = append(s.Subnets, n)
}

type ipWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		PodName   string `json:"podName"`
		Namespace string `json:"namespace"`
		Subnet    string `json:"subnet"`
		NodeName  string `json:"nodeName"`
		IPAddress string `json:"ipAddress"`
		V4        string `json:"v4IpAddress"`
		V6        string `json:"v6IpAddress"`
		PodType   string `json:"podType"`
	} `json:"spec"`
}

func keepIP(s *Snapshot, w ipWire) {
	ip := IP{Name: w.Metadata.named(), Subnet: w.Spec.Subnet, Node: w.Spec.NodeName, Pod: Name{w.Spec.Namespace, w.Spec.PodName}, Type: w.Spec.PodType, IPs: addresses(w.Spec.V4, w.Spec.V6)}
	if len(ip.IPs) == 0 {
		ip.IPs = addresses(strings.Split(w.Spec.IPAddress, ",")...)
	}
	s.IPs = append(s.IPs, ip)
}

type releaseWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Suspend bool                       `json:"suspend"`
		Values  map[string]json.RawMessage `json:"values"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// keepRelease keeps whether Flux works on an object, and of Cilium's values the part
// that decides ranges. The rest of values may hold secrets.
func keepRelease(kind string) func(*Snapshot, releaseWire) {
	return func(s *Snapshot, w releaseWire) {
		r := Release{Name: w.Metadata.named(), Kind: kind, Suspended: w.Spec.Suspend, Ready: is(w.Status.Conditions, "Ready")}
		if !r.Ready {
			for _, c := range w.Status.Conditions {
				if c.Type == "Ready" {
					r.Message = c.Reason
				}
			}
		}
		values := w.Spec.Values
		if nested, ok := values["cilium"]; ok {
			var below map[string]json.RawMessage
			if json.Unmarshal(nested, &below) == nil {
				values = below
			}
		}
		if ipam, ok := values["ipam"]; ok && kind == "HelmRelease" {
			r.Values = canonical(ipam)
		}
		s.Releases = append(s.Releases, r)
	}
}

// canonical sorts the keys of a JSON value.
func canonical(raw json.RawMessage) string {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return string(text)
}

type networkAttachmentWire struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Config string `json:"config"`
	} `json:"spec"`
}

// keepNetworkAttachment reads the ranges of whereabouts and host-local IPAM.
func keepNetworkAttachment(s *Snapshot, w networkAttachmentWire) {
	var config struct {
		IPAM struct {
			Range  string `json:"range"`
			Subnet string `json:"subnet"`
			Ranges [][]struct {
				Subnet string `json:"subnet"`
			} `json:"ranges"`
		} `json:"ipam"`
	}
	if json.Unmarshal([]byte(w.Spec.Config), &config) != nil {
		return
	}
	n := NetworkAttachment{Name: w.Metadata.named(), CIDRs: prefixes(config.IPAM.Range, config.IPAM.Subnet)}
	for _, set := range config.IPAM.Ranges {
		for _, r := range set {
			n.CIDRs = append(n.CIDRs, prefixes(r.Subnet)...)
		}
	}
	s.NetworkAttachments = append(s.NetworkAttachments, n)
}
