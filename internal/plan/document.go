// SPDX-License-Identifier: MPL-2.0

// Package plan decides which ranges the networks of a site get, and keeps the
// decision: the planner, the plan document and the lock.
package plan

import (
	"math/big"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Version is the version of the plan document that this package writes, and the
// newest that it reads.
const Version = 1

// SchemaURL identifies the JSON Schema of the plan document.
const SchemaURL = "https://github.com/cidrplan/terraform-provider-cidrplan/blob/main/docs/schema/plan-v1.json"

// Plan is every network of a site with its ranges, its allocator, and why each
// range is where it is. A Plan is never changed once it was computed or parsed.
type Plan struct {
	Site         string
	Datapath     site.Datapath
	Distribution site.Distribution
	Existing     bool
	GatewayAPI   bool
	Families     []space.Family // in the order of the declaration: the first is primary
	MaxNodes     int
	PodsPerNode  int
	MaxServices  int
	AddressSpace []netip.Prefix
	Reserved     []Reserved        // by name
	Networks     []Network         // by name
	Hosts        map[string]int64  // host number of each node
	Versions     map[string]string // versions of components, as declared
	Accepted     map[string]string // rule/network to the reason why the finding is accepted
	Idle         []Idle
	Parent       string // digest of the lock that this plan was computed from; empty for a first plan
	Digest       string // "sha256:" and the hex SHA-256 of the canonical document without this field
}

// Reserved is a set of addresses that belongs to somebody else.
type Reserved struct {
	Name   string
	Ranges []Range
}

// Origin says where a range comes from.
type Origin string

// The origins of a planned range.
const (
	// OriginDeclared is a range that the user wrote.
	OriginDeclared Origin = "declared"
	// OriginConvention is the usual range of this datapath and distribution.
	OriginConvention Origin = "convention"
	// OriginPlanned is a range that the planner found.
	OriginPlanned Origin = "planned"
)

// Range is a range of addresses as the document writes it: a prefix where it is
// one, else first-last (or a single address).
type Range struct{ netipx.IPRange }

// String writes a prefix, a single address, or first-last.
func (r Range) String() string { return space.FormatRange(r.IPRange) }

// Family returns the address family of the range.
func (r Range) Family() space.Family { return space.FamilyOf(r.From()) }

// Prefixes returns the smallest list of prefixes that covers exactly the range.
func (r Range) Prefixes() []netip.Prefix { return r.IPRange.Prefixes() }

// RangeOf returns the range of a prefix.
func RangeOf(p netip.Prefix) Range { return Range{netipx.RangeOfPrefix(p)} }

// Network is a named set of ranges with one allocator.
type Network struct {
	Name       string
	Role       site.Role
	Allocator  site.Allocator
	Ranges     []Range // families in the order of the site; within one family in the order in which they were added
	CarvedFrom string  // the network that this one lies in and is carved out of; empty if none
	Excluded   []Range // what is carved out of this network, ascending, merged where adjacent

	// NodePrefix4 and NodePrefix6 are the lengths of the range that each node
	// gets out of this network; 0 where nodes get none.
	NodePrefix4, NodePrefix6 int

	Gateways []netip.Addr // at most one for each family
	VPC      string       // Kube-OVN VPC of a pod network; empty for the default one
	VLAN     int          // 802.1Q id, 0 for none
	Link     string       // name of the link on the nodes; empty if not stated

	// DefaultRoute says that the nodes' default route in the main table goes to the
	// gateway of this network.
	DefaultRoute bool

	DHCP []Range               // handed out by a DHCP server
	VIPs map[string]netip.Addr // virtual addresses by name

	Origin Origin
	Reason string // why the ranges are where they are, as recorded when they were placed
}

// Idle is an allocator that runs although nobody uses its addresses.
type Idle struct {
	Allocator site.Allocator
	Network   string // the network it cuts its ranges from
	Reason    string
	SwitchOff string // how to stop it
}

// Network returns the network of this name.
func (p *Plan) Network(name string) (Network, bool) {
	i, found := slices.BinarySearchFunc(p.Networks, name, func(n Network, name string) int {
		return compareStrings(n.Name, name)
	})
	if !found {
		return Network{}, false
	}
	return p.Networks[i], true
}

// Role returns the networks of one role, by name.
func (p *Plan) Role(role site.Role) []Network {
	var out []Network
	for _, n := range p.Networks {
		if n.Role == role {
			out = append(out, n)
		}
	}
	return out
}

// HasFamily reports whether the site uses this address family.
func (p *Plan) HasFamily(f space.Family) bool { return slices.Contains(p.Families, f) }

// Prefixes returns the prefixes of the network: each range that is one, and the
// smallest list for each that is not.
func (n Network) Prefixes() []netip.Prefix {
	var out []netip.Prefix
	for _, r := range n.Ranges {
		out = append(out, r.Prefixes()...)
	}
	return out
}

// Family returns the prefixes of one address family.
func (n Network) Family(f space.Family) []netip.Prefix {
	var out []netip.Prefix
	for _, p := range n.Prefixes() {
		if space.FamilyOf(p.Addr()) == f {
			out = append(out, p)
		}
	}
	return out
}

// First returns the first prefix of one address family.
func (n Network) First(f space.Family) (netip.Prefix, bool) {
	prefixes := n.Family(f)
	if len(prefixes) == 0 {
		return netip.Prefix{}, false
	}
	return prefixes[0], true
}

// Gateway returns the gateway of one address family.
func (n Network) Gateway(f space.Family) (netip.Addr, bool) {
	for _, gateway := range n.Gateways {
		if space.FamilyOf(gateway) == f {
			return gateway, true
		}
	}
	return netip.Addr{}, false
}

// NodePrefix returns the length of the range that each node gets in this
// family, or 0 if nodes get none.
func (n Network) NodePrefix(f space.Family) int {
	if f == space.IPv6 {
		return n.NodePrefix6
	}
	return n.NodePrefix4
}

// ExcludedTexts returns what is carved out of the network as first..last, lower
// case and without spaces, the only range form that Kube-OVN's excludeIps takes;
// a prefix or first-last would become the literal <nil> (Kube-OVN
// pkg/controller/subnet.go, formatExcludeIPRanges).
func (n Network) ExcludedTexts() []string {
	out := make([]string, len(n.Excluded))
	for i, r := range n.Excluded {
		out[i] = r.From().String() + ".." + r.To().String()
		if r.From() == r.To() {
			out[i] = r.From().String()
		}
	}
	return out
}

// DNSAddress returns the conventional address of the cluster's DNS service, the
// tenth of the service range: Talos, kubeadm and K3s all use index 10.
func (n Network) DNSAddress(f space.Family) (netip.Addr, bool) { return n.nth(f, 10) }

// APIAddress returns the address of the Service kubernetes.default, the first of
// the service range (kube-apiserver).
func (n Network) APIAddress(f space.Family) (netip.Addr, bool) { return n.nth(f, 1) }

// StaticBand returns the addresses of a service range that the API server hands
// out by itself only when the rest is used up, for Services that name their
// address: the first min(max(16, size/16), 256) of them. A range of 16 addresses or
// fewer has none (Kubernetes pkg/registry/core/service/ipallocator).
func (n Network) StaticBand(f space.Family) (Range, bool) {
	prefix, ok := n.First(f)
	if !ok || n.Role != site.RoleService {
		return Range{}, false
	}
	size := 1 << min(f.Bits()-prefix.Bits(), 30)
	if size <= 16 {
		return Range{}, false
	}
	first, okFirst := n.nth(f, 1)
	last, okLast := n.nth(f, uint64(min(max(16, size/16), 256)))
	return Range{netipx.IPRangeFrom(first, last)}, okFirst && okLast
}

func (n Network) nth(f space.Family, index uint64) (netip.Addr, bool) {
	prefix, ok := n.First(f)
	if !ok {
		return netip.Addr{}, false
	}
	addr, err := space.Nth(prefix, new(big.Int).SetUint64(index))
	return addr, err == nil
}

// HostAddress returns the static address of a host in this network and family:
// the prefix and the host's number.
func (n Network) HostAddress(f space.Family, number int64) (netip.Addr, bool) {
	if n.Role != site.RoleNode || number < 0 {
		return netip.Addr{}, false
	}
	return n.nth(f, uint64(number))
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}
