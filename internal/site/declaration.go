// SPDX-License-Identifier: MPL-2.0

// Package site holds what the user declares: a site with its networks, sizes
// and reserved ranges, parsed once into valid types.
package site

// Declaration is a site as the user wrote it: nothing is parsed or checked yet.
// Pointers are nil where nothing was said.
type Declaration struct {
	Name          string
	Datapath      string
	Distribution  string
	Existing      bool
	GatewayAPI    *bool
	IPFamilies    []string
	MaxNodes      *int64
	PodsPerNode   *int64
	MaxServices   *int64
	AddressSpace  []string
	Reserved      map[string][]string
	Networks      []NetworkDeclaration
	Hosts         map[string]int64
	Versions      map[string]string
	Accept        map[string]string // rule/network to reason
	AllowMove     map[string]string // network to the prefix that it may leave
	NativeRouting []string          // what Cilium routes without masquerading
}

// NetworkDeclaration is a network block as the user wrote it.
type NetworkDeclaration struct {
	Name                 string
	Role                 string
	Allocator            string
	CIDRs                []string // nil: not pinned
	CarvedFrom           string
	IPv4PrefixLength     *int64
	IPv6PrefixLength     *int64
	IPv4NodePrefixLength *int64
	IPv6NodePrefixLength *int64
	Gateway              string // one address, or one of each family joined by a comma
	VLANID               *int64
	Link                 string
	DHCP                 []string
	VIPs                 map[string]string
	Formerly             string
	Growth               *int64
	VPC                  string // of a pod network of Kube-OVN
	Announce             string // of a LoadBalancer network: l2 or bgp
	DefaultRoute         bool   // of a node network: it carries the main default route
}
