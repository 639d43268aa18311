// SPDX-License-Identifier: MPL-2.0

package site

import (
	"crypto/sha256"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// The defaults of a declaration.
const (
	DefaultMaxNodes    = 256
	DefaultPodsPerNode = 110 // kubelet's maxPods
	DefaultMaxServices = 4000
)

// Site is a declaration after parsing: every range is valid and canonical,
// every name is known, every default is filled in.
type Site struct {
	Name          string
	Datapath      Datapath
	Distribution  Distribution
	Existing      bool
	GatewayAPI    bool
	Families      []space.Family // at least one; the first is primary
	MaxNodes      int
	PodsPerNode   int
	MaxServices   int
	AddressSpace  []netip.Prefix // in the order of preference
	Reserved      []Reserved     // by name
	Networks      []Network      // in the order of the declaration; only those that parsed
	Hosts         map[string]int64
	Versions      map[string]string
	Accept        map[string]string
	AllowMove     map[string][]netip.Prefix
	NativeRouting []netip.Prefix // what Cilium routes without masquerading; empty if not stated
	// Broken names the networks that did not parse. They are left out of
	// Networks, so nothing may be concluded from their absence.
	Broken map[string]bool
}

// Reserved is a set of addresses that belongs to somebody else.
type Reserved struct {
	Name   string
	Ranges []netipx.IPRange
	Path   Path
}

// Network is a declared network.
type Network struct {
	Name         string
	Role         Role
	Allocator    Allocator        // empty: as the datapath says
	Pinned       []netipx.IPRange // empty: the planner chooses
	CarvedFrom   string
	Length4      int // wanted prefix length; 0: as the sizes say
	Length6      int
	NodeLen4     int // wanted length of the range of each node; 0: as the sizes say
	NodeLen6     int
	Gateways     []netip.Addr // empty: the first host where one is needed
	VLAN         int
	Link         string
	DHCP         []netipx.IPRange
	VIPs         map[string]netip.Addr
	Formerly     string
	Growth       int    // doublings that are to stay free around each prefix
	VPC          string // Kube-OVN VPC of a pod network; empty for the default one
	Announce     Announcement
	DefaultRoute bool
	Path         Path // of the network block
}

// Length returns the wanted prefix length of one family, or 0.
func (n Network) Length(f space.Family) int {
	if f == space.IPv6 {
		return n.Length6
	}
	return n.Length4
}

// NodeLength returns the wanted length of the range of each node, or 0.
func (n Network) NodeLength(f space.Family) int {
	if f == space.IPv6 {
		return n.NodeLen6
	}
	return n.NodeLen4
}

// PinnedIn reports whether the network is pinned in this family.
func (n Network) PinnedIn(f space.Family) bool {
	for _, r := range n.Pinned {
		if space.FamilyOf(r.From()) == f {
			return true
		}
	}
	return false
}

// Network returns the declared network of this name.
func (s *Site) Network(name string) (Network, bool) {
	for _, n := range s.Networks {
		if n.Name == name {
			return n, true
		}
	}
	return Network{}, false
}

// HasFamily reports whether the site uses this address family.
func (s *Site) HasFamily(f space.Family) bool {
	return slices.Contains(s.Families, f)
}

// ULA returns the site's own unique local /48, derived from its name alone, so
// that two sites with different names do not meet (RFC 4193 section 3.2 wants a
// pseudo-random global id; a hash of the name is one that needs no state).
func ULA(name string) netip.Prefix {
	sum := sha256.Sum256([]byte("cidrplan ula " + name))
	bytes := [16]byte{0: 0xfd}
	copy(bytes[1:6], sum[:5])
	return netip.PrefixFrom(netip.AddrFrom16(bytes), 48)
}

// DefaultAddressSpace returns the address space of a site that declares none:
// the private ranges of RFC 1918, the shared range of RFC 6598, and its own ULA.
func DefaultAddressSpace(name string) []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"),
		netip.MustParsePrefix("172.16.0.0/12"),
		netip.MustParsePrefix("192.168.0.0/16"),
		netip.MustParsePrefix("100.64.0.0/10"),
		ULA(name),
	}
}
