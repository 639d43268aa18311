// SPDX-License-Identifier: MPL-2.0

package site

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Conventional returns the well-known networks that a datapath always has,
// declared or not.
func (d Datapath) Conventional() []Role {
	switch d {
	case KubeOVNCilium:
		return []Role{RolePod, RoleService, RoleJoin, RoleTransit, RoleCiliumPool}
	case KubeOVN:
		return []Role{RolePod, RoleService, RoleJoin}
	case CiliumClusterPool, CiliumKubernetes, NodeIPAM:
		return []Role{RolePod, RoleService}
	default:
		return nil
	}
}

func (p *parser) networks(d Declaration) {
	seen := map[string]int{}
	for i, nd := range d.Networks {
		path := At("network").Index(i)
		if first, twice := seen[nd.Name]; twice {
			p.problems.Add(path.Attribute("name"), SummaryDuplicateName,
				"The network %q is declared twice, in the blocks %d and %d. Join the blocks, or give this one a name of its own.", nd.Name, first+1, i+1)
			continue
		}
		seen[nd.Name] = i
		before := len(p.problems)
		network := p.network(nd, path)
		if len(p.problems) > before {
			p.site.Broken[nd.Name] = true
			continue
		}
		p.addresses(&network, nd)
		p.site.Networks = append(p.site.Networks, network)
	}
	p.parents(d)
}

// network parses what decides about the ranges of one block; whatever is wrong
// is added to the problems.
func (p *parser) network(nd NetworkDeclaration, path Path) Network {
	n := Network{Name: nd.Name, CarvedFrom: nd.CarvedFrom, Link: nd.Link, Formerly: nd.Formerly, Path: path}
	if !namePattern.MatchString(nd.Name) {
		p.problems.Add(path.Attribute("name"), SummaryInvalidName,
			"The network name %q is not usable. A name has 1 to 63 letters, digits, dashes, dots or underscores and starts and ends with a letter or digit, for example \"ingress0\".", nd.Name)
	}
	n.Role = p.role(nd, path)
	if nd.Allocator != "" {
		n.Allocator = oneOf(p, path.Attribute("allocator"), "allocator", nd.Allocator, Allocators())
	}
	n.Pinned = p.pinned(nd, n.Role, path)
	p.lengths(&n, nd)
	p.nodeLengths(&n, nd)
	p.bounded(&n.Growth, path.Attribute("growth"), nd.Growth, 0, 8)
	if nd.Formerly != "" && nd.Formerly == nd.Name {
		p.problems.Add(path.Attribute("formerly"), SummaryContradiction, "The network %q names itself as its former name. formerly is the name under which the lock file still records it.", nd.Name)
	}
	return n
}

// addresses parses what stands inside the ranges of a network. A fault there is
// a problem too, but the ranges still count for everything else.
func (p *parser) addresses(n *Network, nd NetworkDeclaration) {
	p.bounded(&n.VLAN, n.Path.Attribute("vlan_id"), nd.VLANID, 1, 4094)
	n.Gateways = p.gateways(nd, *n, n.Path)
	n.DHCP = p.dhcp(nd, *n, n.Path)
	n.VIPs = p.vips(nd, *n, n.Path)
	p.reach(n, nd)
}

// reach parses how a network is reached from outside.
func (p *parser) reach(n *Network, nd NetworkDeclaration) {
	if nd.Announce != "" {
		n.Announce = oneOf(p, n.Path.Attribute("announce"), "announcement", nd.Announce, Announcements())
		if n.Role != RoleLoadBalancer {
			p.problems.Add(n.Path.Attribute("announce"), SummaryNotApplicable, "Only a LoadBalancer pool is announced; the network %q has the role %q. Remove announce.", n.Name, n.Role)
		}
	}
	n.VPC = nd.VPC
	if nd.VPC != "" && (n.Role != RolePod || n.Name == string(RolePod) || !p.site.Datapath.Kubeovn()) {
		p.problems.Add(n.Path.Attribute("vpc"), SummaryNotApplicable, "Only a further network of role \"pod\" under Kube-OVN lies in a VPC of its own; the network \"pod\" is in the default one. Remove vpc from %q.", n.Name)
	}
	n.DefaultRoute = nd.DefaultRoute
	switch at := n.Path.Attribute("default_route"); {
	case !nd.DefaultRoute:
	case n.Role != RoleNode:
		p.problems.Add(at, SummaryNotApplicable, "Only a network of role \"node\" carries the nodes' default route; %q has the role %q. Remove default_route.", n.Name, n.Role)
	case len(n.Gateways) == 0:
		p.problems.Add(at, SummaryContradiction, "The network %q carries the default route, but has no gateway to send packets to. State gateway.", n.Name)
	}
}

func (p *parser) role(nd NetworkDeclaration, path Path) Role {
	implied, wellKnown := WellKnown(nd.Name)
	role := implied
	switch {
	case nd.Role == "" && !wellKnown:
		role = RoleOther
	case nd.Role != "":
		role = oneOf(p, path.Attribute("role"), "role", nd.Role, Roles())
	}
	if wellKnown && role != "" && role != implied {
		p.problems.Add(path.Attribute("role"), SummaryContradiction,
			"The name %q is well known and implies the role %q, but the role is %q. Leave the role out, or give the network another name.", nd.Name, implied, role)
	}
	if p.site.Datapath == "" {
		return role
	}
	switch {
	case role == RoleCiliumPool && (p.site.Datapath == CiliumClusterPool || p.site.Datapath == CiliumKubernetes):
		p.problems.Add(path, SummaryNotApplicable,
			"In the datapath %q Cilium gives pods their addresses, so its pool is the network \"pod\" and there is no separate \"cilium_pool\". Set the ranges and ipv4_node_prefix_length on the network \"pod\".", p.site.Datapath)
	case (role == RoleCiliumPool || role == RoleJoin) && !slices.Contains(p.site.Datapath.Conventional(), role):
		p.problems.Add(path, SummaryNotApplicable,
			"The datapath %q has no network of role %q. Remove the block, or choose the datapath that has one, %q.", p.site.Datapath, role, KubeOVNCilium)
	}
	return role
}

// rangesAllowed reports whether the cidrs of a role may be ranges that are no prefix.
func rangesAllowed(role Role) bool { return role == RoleLoadBalancer }

// grows reports whether a network of this role may have several prefixes of one
// family: a pool grows by an appended prefix, a container may have any parts.
func (p *parser) grows(role Role) bool {
	switch role {
	case RoleCiliumPool, RoleLoadBalancer, RoleContainer, RoleOther:
		return true
	case RolePod:
		return p.site.Datapath == CiliumClusterPool
	default:
		return false
	}
}

func (p *parser) pinned(nd NetworkDeclaration, role Role, path Path) []netipx.IPRange {
	if nd.CIDRs != nil && len(nd.CIDRs) == 0 {
		p.problems.Add(path.Attribute("cidrs"), SummaryOutOfBounds, "cidrs of the network %q is empty. Leave it out to let the plan choose, or name a prefix.", nd.Name)
	}
	var out []netipx.IPRange
	count := map[space.Family]int{}
	for i, text := range nd.CIDRs {
		at := path.Attribute("cidrs").Index(i)
		r, err := parsePinned(text, role)
		if err != nil {
			p.problems.Add(at, SummaryInvalidPrefix, "%s", sentence(err))
			continue
		}
		family := space.FamilyOf(r.From())
		if !p.site.HasFamily(family) && len(p.site.Families) > 0 {
			p.problems.Add(at, SummaryWrongFamily,
				"%s is %s, but the site has only %s. Remove it, or add the family to ip_families.", text, family, familyNames(p.site.Families))
			continue
		}
		count[family]++
		if count[family] == 2 && !p.grows(role) {
			p.problems.Add(at, SummaryTooManyPrefixes,
				"The network %q has more than one %s prefix. A network of role %q has one for each family; only pools grow by an appended prefix.", nd.Name, family, role)
		}
		out = append(out, r)
	}
	if a, b, overlap := firstOverlap(out); overlap {
		p.problems.Add(path.Attribute("cidrs").Index(b), SummaryOverlappingRanges,
			"%s overlaps %s in the same network. Remove one of them.", space.FormatRange(out[b]), space.FormatRange(out[a]))
	}
	return out
}

func parsePinned(text string, role Role) (netipx.IPRange, error) {
	if rangesAllowed(role) {
		return space.ParseRange(text)
	}
	prefix, err := space.ParsePrefix(text)
	if err != nil {
		return netipx.IPRange{}, err
	}
	return netipx.RangeOfPrefix(prefix), nil
}

func familyNames(families []space.Family) string {
	names := make([]string, len(families))
	for i, f := range families {
		names[i] = f.String()
	}
	return strings.Join(names, " and ")
}

// lengths parses the wanted prefix lengths and holds them against what is pinned.
func (p *parser) lengths(n *Network, nd NetworkDeclaration) {
	for _, l := range []struct {
		name   string
		value  *int64
		target *int
		family space.Family
	}{
		{"ipv4_prefix_length", nd.IPv4PrefixLength, &n.Length4, space.IPv4},
		{"ipv6_prefix_length", nd.IPv6PrefixLength, &n.Length6, space.IPv6},
	} {
		if l.value == nil {
			continue
		}
		path := n.Path.Attribute(l.name)
		p.bounded(l.target, path, l.value, 1, int64(l.family.Bits()))
		p.familyUsed(path, l.family)
		for _, r := range n.Pinned {
			if prefix, ok := r.Prefix(); ok && space.FamilyOf(r.From()) == l.family && prefix.Bits() != int(*l.value) {
				p.problems.Add(path, SummaryContradiction, "The network %q is pinned to %s, but %s is %d. Leave one of the two out.", n.Name, prefix, l.name, *l.value)
			}
		}
	}
}

func (p *parser) nodeLengths(n *Network, nd NetworkDeclaration) {
	for _, l := range []struct {
		name   string
		value  *int64
		target *int
		family space.Family
	}{
		{"ipv4_node_prefix_length", nd.IPv4NodePrefixLength, &n.NodeLen4, space.IPv4},
		{"ipv6_node_prefix_length", nd.IPv6NodePrefixLength, &n.NodeLen6, space.IPv6},
	} {
		if l.value == nil {
			continue
		}
		path := n.Path.Attribute(l.name)
		p.bounded(l.target, path, l.value, 1, int64(l.family.Bits()))
		p.familyUsed(path, l.family)
		if !(n.Role == RoleCiliumPool || n.Role == RolePod && p.site.Datapath.PerNode()) {
			p.problems.Add(path, SummaryNotApplicable,
				"Nodes get no range of their own out of the network %q: in the datapath %q only %s is cut into node ranges. Remove %s.",
				n.Name, p.site.Datapath, cutNetwork(p.site.Datapath), l.name)
		}
		for _, r := range n.Pinned {
			if prefix, ok := r.Prefix(); ok && space.FamilyOf(r.From()) == l.family && prefix.Bits() > int(*l.value) {
				p.problems.Add(path, SummaryContradiction,
					"Each node is to get a /%d out of %s, which is smaller than that. Use a node prefix length of at least %d.", *l.value, prefix, prefix.Bits())
			}
		}
	}
}

// cutNetwork names the network that is cut into node ranges.
func cutNetwork(d Datapath) string {
	switch d {
	case KubeOVNCilium:
		return `"cilium_pool"`
	case KubeOVN:
		return "none"
	default:
		return `"pod"`
	}
}

func (p *parser) familyUsed(path Path, family space.Family) {
	if len(p.site.Families) > 0 && !p.site.HasFamily(family) {
		p.problems.Add(path, SummaryWrongFamily, "%s is set, but the site has only %s. Remove it, or add the family to ip_families.", path, familyNames(p.site.Families))
	}
}

func (p *parser) gateways(nd NetworkDeclaration, n Network, path Path) []netip.Addr {
	if nd.Gateway == "" {
		return nil
	}
	at := path.Attribute("gateway")
	var out []netip.Addr
	for text := range strings.SplitSeq(nd.Gateway, ",") {
		addr, ok := p.address(at, strings.TrimSpace(text))
		if !ok {
			continue
		}
		if slices.ContainsFunc(out, func(have netip.Addr) bool { return have.Is4() == addr.Is4() }) {
			p.problems.Add(at, SummaryTooManyPrefixes, "The network %q has two %s gateways. Name one for each family, joined by a comma: \"10.0.0.1,fd00::1\".", nd.Name, space.FamilyOf(addr))
			continue
		}
		if detail := GatewayFault(addr, n.Pinned); detail != "" {
			p.problems.Add(at, SummaryOutsideNetwork, "%s", detail)
		}
		out = append(out, addr)
	}
	return out
}

// address parses an address of a family of the site.
func (p *parser) address(path Path, text string) (netip.Addr, bool) {
	addr, err := space.ParseAddr(text)
	if err != nil {
		p.problems.Add(path, SummaryInvalidAddress, "%s", sentence(err))
		return netip.Addr{}, false
	}
	if len(p.site.Families) > 0 && !p.site.HasFamily(space.FamilyOf(addr)) {
		p.problems.Add(path, SummaryWrongFamily, "%s is %s, but the site has only %s.", addr, space.FamilyOf(addr), familyNames(p.site.Families))
		return netip.Addr{}, false
	}
	return addr, true
}

// GatewayFault says why an address cannot be the gateway of a network with
// these ranges, or returns "". Ranges of the other family do not matter, and
// without any of its own family nothing can be said. Kube-OVN refuses a gateway
// outside the range and one that is the network or the IPv4 broadcast address
// (Kube-OVN v1.15 pkg/util/validator.go, ValidateSubnet).
func GatewayFault(gateway netip.Addr, ranges []netipx.IPRange) string {
	var first netip.Prefix
	for _, r := range ranges {
		prefix, ok := r.Prefix()
		if !ok || space.FamilyOf(r.From()) != space.FamilyOf(gateway) {
			continue
		}
		if !first.IsValid() {
			first = prefix
		}
		if prefix.Contains(gateway) {
			return edgeFault(gateway, prefix)
		}
	}
	if !first.IsValid() {
		return ""
	}
	return "The gateway " + gateway.String() + " lies outside its network " + first.String() +
		", so nothing in it could reach the gateway. Use " + first.Addr().Next().String() + ", the first host of the range."
}

func edgeFault(gateway netip.Addr, prefix netip.Prefix) string {
	hostBits := gateway.BitLen() - prefix.Bits()
	if hostBits < 2 {
		return ""
	}
	edge := ""
	switch {
	case gateway == prefix.Addr():
		edge = "network"
	case gateway.Is4() && gateway == space.Last(prefix):
		edge = "broadcast"
	default:
		return ""
	}
	return "The gateway " + gateway.String() + " is the " + edge + " address of " + prefix.String() +
		", which no machine can hold. Use " + prefix.Addr().Next().String() + ", the first host of the range."
}

func (p *parser) dhcp(nd NetworkDeclaration, n Network, path Path) []netipx.IPRange {
	var out []netipx.IPRange
	for i, text := range nd.DHCP {
		at := path.Attribute("dhcp").Index(i)
		r, err := space.ParseRange(text)
		if err != nil {
			p.problems.Add(at, SummaryInvalidRange, "%s", sentence(err))
			continue
		}
		if !insideOne(r, n.Pinned) {
			p.problems.Add(at, SummaryOutsideNetwork, "The DHCP range %s does not lie inside the network %q (%s). A DHCP server hands out addresses of its own network only.",
				space.FormatRange(r), n.Name, formatRanges(n.Pinned))
			continue
		}
		out = append(out, r)
	}
	if a, b, overlap := firstOverlap(out); overlap {
		p.problems.Add(path.Attribute("dhcp").Index(b), SummaryOverlappingRanges, "The DHCP range %s overlaps %s. Join the two.", space.FormatRange(out[b]), space.FormatRange(out[a]))
	}
	if len(nd.DHCP) > 0 && n.Role != RoleNode && n.Role != RoleOther && n.Role != "" {
		p.problems.Add(path.Attribute("dhcp"), SummaryNotApplicable, "A network of role %q has no DHCP server. dhcp belongs to a network of role \"node\" or \"other\".", n.Role)
	}
	return out
}

func (p *parser) vips(nd NetworkDeclaration, n Network, path Path) map[string]netip.Addr {
	if len(nd.VIPs) == 0 {
		return nil
	}
	if n.Role != RoleNode && n.Role != "" {
		p.problems.Add(path.Attribute("vips"), SummaryNotApplicable, "A network of role %q has no virtual addresses of nodes. vips belongs to a network of role \"node\".", n.Role)
	}
	out := map[string]netip.Addr{}
	owner := map[netip.Addr]string{}
	for _, name := range slices.Sorted(maps.Keys(nd.VIPs)) {
		at := path.Attribute("vips").Key(name)
		addr, ok := p.address(at, nd.VIPs[name])
		if !ok {
			continue
		}
		if len(n.Pinned) > 0 && !insideOne(netipx.IPRangeFrom(addr, addr), n.Pinned) {
			p.problems.Add(at, SummaryOutsideNetwork, "The virtual address %s (%s) does not lie inside the network %q (%s), so no node could answer for it there.", addr, name, n.Name, formatRanges(n.Pinned))
			continue
		}
		if other, taken := owner[addr]; taken {
			p.problems.Add(at, SummaryDuplicateName, "%s is the virtual address of both %q and %q.", addr, other, name)
			continue
		}
		owner[addr], out[name] = name, addr
	}
	return out
}

func insideOne(r netipx.IPRange, ranges []netipx.IPRange) bool {
	return slices.ContainsFunc(ranges, func(outer netipx.IPRange) bool {
		return outer.Contains(r.From()) && outer.Contains(r.To())
	})
}

func formatRanges(ranges []netipx.IPRange) string {
	if len(ranges) == 0 {
		return "which has no pinned range to lie in"
	}
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		texts[i] = space.FormatRange(r)
	}
	return strings.Join(texts, ", ")
}

// parents checks that each carve-out names a network that exists, and that no
// network lies in itself.
func (p *parser) parents(d Declaration) {
	names := p.site.names()
	for _, nd := range d.Networks {
		names = append(names, nd.Name)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	kept := p.site.Networks[:0]
	for _, n := range p.site.Networks {
		switch at := n.Path.Attribute("carved_from"); {
		case n.CarvedFrom == "":
		case n.CarvedFrom == n.Name:
			p.problems.Add(at, SummaryMissingParent, "The network %q is carved out of itself. Name the network that it lies in.", n.Name)
			p.site.Broken[n.Name] = true
			continue
		case !slices.Contains(names, n.CarvedFrom):
			hint := ""
			if near := Nearest(n.CarvedFrom, names); near != "" {
				hint = " Did you mean \"" + near + "\"?"
			}
			p.problems.Add(at, SummaryMissingParent, "The network %q is carved out of %q, which this site does not have.%s Its networks are %s.", n.Name, n.CarvedFrom, hint, quoted(names))
			p.site.Broken[n.Name] = true
			continue
		case p.cyclic(d, n):
			p.problems.Add(at, SummaryMissingParent, "The network %q is carved out of %q, which is itself carved out of %q. One of them must be the outer one.", n.Name, n.CarvedFrom, n.Name)
			p.site.Broken[n.Name] = true
			continue
		}
		kept = append(kept, n)
	}
	p.site.Networks = kept
	p.orphans()
}

// orphans takes out the networks whose parent did not parse.
func (p *parser) orphans() {
	for changed := true; changed; {
		changed = false
		p.site.Networks = slices.DeleteFunc(p.site.Networks, func(n Network) bool {
			orphan := n.CarvedFrom != "" && p.site.Broken[n.CarvedFrom]
			if orphan {
				p.site.Broken[n.Name], changed = true, true
			}
			return orphan
		})
	}
}

func (p *parser) cyclic(d Declaration, n Network) bool {
	parent := map[string]string{}
	for _, nd := range d.Networks {
		parent[nd.Name] = nd.CarvedFrom
	}
	at := n.CarvedFrom
	for range d.Networks {
		if at == n.Name {
			return true
		}
		at = parent[at]
	}
	return false
}

// names lists the networks of the site: the declared ones that parsed and those
// of the datapath.
func (s *Site) names() []string {
	var names []string
	for _, n := range s.Networks {
		names = append(names, n.Name)
	}
	for _, role := range s.Datapath.Conventional() {
		names = append(names, string(role))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (s *Site) knows(name string) bool { return slices.Contains(s.names(), name) }
