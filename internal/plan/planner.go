// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// Summaries of what makes a plan impossible.
const (
	SummaryExhausted      = "Address Space Exhausted"
	SummaryCannotMove     = "Network Cannot Move"
	SummaryCannotGrow     = "Network Cannot Grow in Place"
	SummaryCarveOut       = "Carve-Out Outside Its Network"
	SummaryForeignLock    = "Lock File of Another Site"
	SummaryImpossibleSize = "Impossible Prefix Length"
)

// Compute plans a site. The lock is the plan that was decided before, or nil for
// a first plan; what it records stays. Compute is a pure function: the same site
// and lock give the same plan, and a plan that is computed with itself as lock is
// itself, byte for byte.
//
// All problems are returned at once. The plan holds every network that could be
// placed, so that rules can find more in the same run; with any problem it must
// not be published.
func Compute(s *site.Site, lock *Plan) (*Plan, site.Problems) {
	pl := newPlanner(s, lock)
	pl.clearSpace()
	pl.collect()
	pl.checkFamilies()
	pl.fix()
	pl.placeConventions()
	pl.placeByName()
	pl.placeCarveOuts()
	return pl.finish(), pl.problems.Sorted()
}

// wanted is a network on its way to a place.
type wanted struct {
	name     string
	role     site.Role
	declared site.Network // zero where the network exists by convention alone
	recorded *Network     // what the lock holds, nil if nothing
	path     site.Path    // where problems of this network are shown
	ranges   map[space.Family][]Range
	lengths  map[space.Family]int
	reasons  []string
	origin   Origin
	failed   bool
}

func (w *wanted) carved() bool { return w.declared.CarvedFrom != "" }

// attribute returns where a problem with one attribute of the network is shown.
// A network that no block declares is brought by the datapath.
func (w *wanted) attribute(name string) site.Path {
	if len(w.declared.Path) == 0 {
		return w.path
	}
	return w.path.Attribute(name)
}

func (w *wanted) placed(f space.Family) bool { return len(w.ranges[f]) > 0 }

// all returns the ranges of both families in the order of the site's families.
func (w *wanted) all(families []space.Family) []Range {
	var out []Range
	for _, f := range families {
		out = append(out, w.ranges[f]...)
	}
	return out
}

type planner struct {
	site     *site.Site
	lock     *Plan
	wanted   []*wanted
	index    map[string]*wanted      // wanted by name
	declared map[string]site.Network // declared networks by name
	avoid    []netip.Prefix          // what automatic places keep clear of, once it is known
	free     *space.Free             // the address space less everything that has a place
	headroom []headroom              // what is kept free for the growth of a network
	unplaced int                     // how many networks found no place
	problems site.Problems
}

func newPlanner(s *site.Site, lock *Plan) *planner {
	pl := &planner{
		site: s, lock: lock,
		index: map[string]*wanted{}, declared: make(map[string]site.Network, len(s.Networks)),
	}
	for _, n := range s.Networks {
		pl.declared[n.Name] = n
	}
	return pl
}

// clearSpace sets up the free space without what nobody may be given, after it
// has made sure that the lock is of this site.
func (pl *planner) clearSpace() {
	s, lock := pl.site, pl.lock
	if lock != nil && lock.Site != s.Name {
		pl.problems.Add(site.At("lock_file"), SummaryForeignLock,
			"The lock records the site %q, but this is the site %q. Its ranges must not be taken over: name the lock file of %q, or leave lock_file out for a first plan.", lock.Site, s.Name, s.Name)
		pl.lock = nil
	}
	pl.free = space.NewFree(s.AddressSpace...)
	for _, prefix := range unusable() {
		pl.free.ReservePrefix(prefix)
	}
	for _, reserved := range s.Reserved {
		for _, r := range reserved.Ranges {
			pl.free.Reserve(r)
		}
	}
}

// collect lists the networks of the site: those of the datapath first, in a
// fixed order, then the user's by name.
func (pl *planner) collect() {
	for _, role := range pl.site.Datapath.Conventional() {
		if !pl.site.Broken[string(role)] {
			pl.add(string(role), role)
		}
	}
	var names []string
	for _, n := range pl.site.Networks {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	for _, name := range names {
		if pl.index[name] == nil {
			pl.add(name, pl.declared[name].Role)
		}
	}
}

func (pl *planner) add(name string, role site.Role) {
	declared, isDeclared := pl.declared[name]
	w := &wanted{
		name: name, role: role, declared: declared, path: declared.Path,
		ranges: map[space.Family][]Range{}, lengths: map[space.Family]int{},
	}
	if !isDeclared {
		w.declared.Name, w.declared.Role, w.path = name, role, site.At("datapath")
	}
	if role == site.RoleCiliumPool && w.declared.CarvedFrom == "" && len(w.declared.Pinned) == 0 {
		w.declared.CarvedFrom = string(site.RolePod)
	}
	if pl.site.Broken[w.declared.CarvedFrom] {
		return
	}
	w.recorded = pl.record(w)
	for _, f := range pl.familiesOf(w) {
		w.lengths[f] = pl.length(w, f)
	}
	pl.wanted = append(pl.wanted, w)
	pl.index[name] = w
}

// familiesOf returns the families that a network has ranges in. Kilo's transit
// network is IPv4 only, and so is a pinned network that names one family.
func (pl *planner) familiesOf(w *wanted) []space.Family {
	return slices.DeleteFunc(slices.Clone(pl.site.Families), func(f space.Family) bool {
		if len(w.declared.Pinned) > 0 && !w.declared.PinnedIn(f) && w.role != site.RolePod && w.role != site.RoleService {
			return true
		}
		return w.role == site.RoleTransit && f == space.IPv6 && !w.declared.PinnedIn(f)
	})
}

// length returns the prefix length that a network is to have, and reports one
// that no consumer could cut into node ranges.
func (pl *planner) length(w *wanted, f space.Family) int {
	length := prefixLength(pl.site, *w, f)
	node := nodeLength(pl.site, *w, f)
	if node != 0 && node < length && !w.declared.PinnedIn(f) {
		pl.problems.Add(w.path, SummaryImpossibleSize,
			"Each node is to get a /%d out of the network %q, which is a /%d in %s and smaller than that. Use a shorter prefix for the network, at most /%d, or a longer one for the nodes.",
			node, w.name, length, f, node)
	}
	return max(length, 1)
}

// record returns what the lock holds for a network, under its own or its former name.
func (pl *planner) record(w *wanted) *Network {
	if pl.lock == nil {
		return nil
	}
	for _, name := range []string{w.name, w.declared.Formerly} {
		if n, ok := pl.lock.Network(name); ok && name != "" {
			return &n
		}
	}
	return nil
}

// checkFamilies refuses to take a family away from an installed cluster, or to
// make another one primary.
func (pl *planner) checkFamilies() {
	if pl.lock == nil || len(pl.site.Families) == 0 || len(pl.lock.Families) == 0 {
		return
	}
	for _, w := range pl.wanted {
		if w.recorded == nil || !w.role.Immovable() || w.name != string(w.role) {
			continue
		}
		for _, r := range w.recorded.Ranges {
			if !pl.site.HasFamily(r.Family()) && !pl.mayLeave(w, r) {
				pl.problems.Add(site.At("ip_families"), SummaryCannotMove,
					"The lock records %s for the network %q, but %s is not in ip_families any more. %s Put the family back, or permit it with allow_move = { %s = %q }.",
					r, w.name, r.Family(), WhyImmovable(pl.site, w.role), w.name, r)
			}
		}
	}
	if was, is := pl.lock.Families[0], pl.site.Families[0]; was != is && pl.site.HasFamily(was) && pl.lock.HasFamily(is) {
		pl.problems.Add(site.At("ip_families").Index(0), SummaryCannotMove,
			"The lock records %s as the primary family, but %s is first now. The API server's own address and kubernetes.default are of the primary family, and neither K3s nor kubeadm nor Talos changes that on an installed cluster. Put %s first.",
			was, is, was)
	}
}

// fix gives every network its pinned and recorded ranges, which stay whatever
// else is decided.
func (pl *planner) fix() {
	for _, w := range pl.wanted {
		for _, f := range pl.familiesOf(w) {
			pl.fixFamily(w, f)
		}
		pl.occupy(w)
	}
	for _, w := range pl.wanted {
		pl.keepHeadroom(w)
	}
	for _, w := range pl.wanted {
		if !w.carved() {
			pl.growRecorded(w)
		}
	}
	for _, h := range pl.headroom {
		pl.free.ReservePrefix(h.prefix)
	}
}

func (pl *planner) fixFamily(w *wanted, f space.Family) {
	recorded := recordedIn(w.recorded, f)
	if pinned := pinnedIn(w.declared, f); len(pinned) > 0 {
		pl.checkMove(w, recorded, pinned)
		w.ranges[f] = pinned
		if !slices.Equal(recorded, pinned) {
			w.origin = OriginDeclared
			w.reasons = append(w.reasons, "declared")
		}
		return
	}
	if len(recorded) > 0 && !pl.released(w, recorded) {
		w.ranges[f] = recorded
	}
}

func recordedIn(n *Network, f space.Family) []Range {
	if n == nil {
		return nil
	}
	return rangesIn(n.Ranges, f)
}

func rangesIn(ranges []Range, f space.Family) []Range {
	var out []Range
	for _, r := range ranges {
		if r.Family() == f {
			out = append(out, r)
		}
	}
	return out
}

func pinnedIn(n site.Network, f space.Family) []Range {
	var out []Range
	for _, r := range n.Pinned {
		if space.FamilyOf(r.From()) == f {
			out = append(out, Range{r})
		}
	}
	return out
}

// released reports whether the user permits the network to leave its recorded
// ranges without saying where to.
func (pl *planner) released(w *wanted, recorded []Range) bool {
	return slices.ContainsFunc(recorded, func(r Range) bool { return pl.mayLeave(w, r) })
}

func (pl *planner) mayLeave(w *wanted, r Range) bool {
	prefix, ok := r.Prefix()
	return ok && slices.Contains(pl.site.AllowMove[w.name], prefix)
}

// checkMove refuses a pinned range that makes a network leave a recorded one
// which cannot be left after installation.
func (pl *planner) checkMove(w *wanted, recorded, pinned []Range) {
	if !w.role.Immovable() {
		return
	}
	var covered netipx.IPSetBuilder
	for _, r := range pinned {
		covered.AddRange(r.IPRange)
	}
	set := build(&covered)
	for _, r := range recorded {
		if set.ContainsRange(r.IPRange) || pl.mayLeave(w, r) {
			continue
		}
		pl.problems.Add(w.attribute("cidrs"), SummaryCannotMove,
			"The lock records %s for the network %q, but the declaration pins it to %s. %s Put back %q, or permit this one move with allow_move = { %s = %q }.",
			r, w.name, join(pinned), WhyImmovable(pl.site, w.role), r, w.name, r)
	}
}

// WhyImmovable says what happens when a network of this role is renumbered on an
// installed cluster, from the source of the component that holds it.
func WhyImmovable(s *site.Site, role site.Role) string {
	switch {
	case role == site.RoleService:
		return "The API server keeps the range in its ServiceCIDR objects and every Service keeps its ClusterIP, kubernetes.default and the DNS service first: after a changed flag it only warns (KubernetesDefaultServiceCIDRInconsistent) and clients keep the old addresses."
	case role == site.RoleJoin:
		return "Kube-OVN ignores a changed join range once the Subnet \"join\" exists, while 1.15 still recomputes the default route's next hop from it: pods lose their way out of the cluster (Kube-OVN pkg/controller/init.go)."
	case s.Datapath.Kubeovn():
		return "Kube-OVN ignores a changed POD_CIDR once the Subnet \"ovn-default\" exists (Kube-OVN pkg/controller/init.go): the file would say one thing and every pod another."
	case s.Datapath == site.CiliumClusterPool:
		return "Cilium accepts no change of a pool entry: the operator keeps what stands in each CiliumNode and refuses it as outside the pool, and pods of the old range lose their network at the next restart of their agent."
	default:
		return "kube-controller-manager exits when a Node holds a podCIDR outside its cluster CIDR (\"is out the range of cluster cidr\"), and Node.spec.podCIDR is immutable."
	}
}

// occupy takes the ranges of a network out of the free space. A carve-out lies
// in its network, and a container holds nothing itself.
func (pl *planner) occupy(w *wanted) {
	if w.role == site.RoleContainer || pl.partOf(w) {
		return
	}
	for _, r := range w.all(pl.site.Families) {
		pl.free.Reserve(r.IPRange)
	}
}

// partOf reports whether a network lies in one that occupies the space for it.
func (pl *planner) partOf(w *wanted) bool {
	parent := pl.byName(w.declared.CarvedFrom)
	return parent != nil && parent.role != site.RoleContainer
}

func join(ranges []Range) string {
	texts := make([]string, len(ranges))
	for i, r := range ranges {
		texts[i] = r.String()
	}
	return strings.Join(texts, ", ")
}

// placeConventions gives the networks of the datapath their usual ranges where
// these are free, and another place where they are not.
func (pl *planner) placeConventions() {
	for _, w := range pl.wanted {
		if w.carved() {
			continue
		}
		for _, f := range pl.familiesOf(w) {
			if w.placed(f) {
				continue
			}
			prefix, whose, ok := convention(pl.site, w.role, f, w.lengths[f])
			if !ok || w.name != string(w.role) {
				continue
			}
			if pl.site.Existing && w.role.Immovable() {
				// What an installed cluster runs does not give way to anything: if it
				// meets something, that is to be found.
				pl.put(w, f, installed(pl.site, w.role, f, prefix), OriginConvention, "assumed of the installed cluster: convention of "+whose)
				continue
			}
			if block := withHeadroom(prefix, w.declared.Growth); !pl.free.IsFree(block) {
				prefix = block
				w.reasons = append(w.reasons, fmt.Sprintf("the convention of %s, %s, %s", whose, prefix, pl.inTheWay(prefix)))
				continue
			}
			pl.put(w, f, prefix, OriginConvention, "convention of "+whose)
		}
	}
}

func (pl *planner) put(w *wanted, f space.Family, prefix netip.Prefix, origin Origin, reason string) {
	w.ranges[f] = append(w.ranges[f], RangeOf(prefix))
	w.reasons = append(w.reasons, reason)
	if w.origin == "" || origin == OriginPlanned {
		w.origin = origin
	}
	if w.role != site.RoleContainer {
		pl.free.ReservePrefix(withHeadroom(prefix, w.declared.Growth))
		pl.keep(w, prefix)
	}
}

// inTheWay says why a prefix is not free.
func (pl *planner) inTheWay(prefix netip.Prefix) string {
	for _, reserved := range pl.site.Reserved {
		for _, r := range reserved.Ranges {
			if r.Overlaps(netipx.RangeOfPrefix(prefix)) {
				return fmt.Sprintf("meets %s, which is reserved for %s", space.FormatRange(r), reserved.Name)
			}
		}
	}
	for _, w := range pl.wanted {
		if w.role == site.RoleContainer || w.carved() {
			continue
		}
		for _, r := range w.all(pl.site.Families) {
			if r.Overlaps(netipx.RangeOfPrefix(prefix)) {
				return fmt.Sprintf("meets %s of the network %q", r, w.name)
			}
		}
	}
	for _, h := range pl.headroom {
		if h.prefix.Overlaps(prefix) {
			return fmt.Sprintf("meets %s, which is kept free for the growth of the network %q", h.prefix, h.owner)
		}
	}
	return "lies outside the address space of the site"
}

// finish makes the document of what was placed.
func (pl *planner) finish() *Plan {
	s := pl.site
	p := &Plan{
		Site: s.Name, Datapath: s.Datapath, Distribution: s.Distribution, Existing: s.Existing, GatewayAPI: s.GatewayAPI,
		Families: slices.Clone(s.Families), MaxNodes: s.MaxNodes, PodsPerNode: s.PodsPerNode, MaxServices: s.MaxServices,
		AddressSpace: slices.Clone(s.AddressSpace),
		Hosts:        maps.Clone(s.Hosts), Versions: maps.Clone(s.Versions), Accepted: maps.Clone(s.Accept),
		Idle: idle(s),
	}
	for _, reserved := range s.Reserved {
		entry := Reserved{Name: reserved.Name}
		for _, r := range reserved.Ranges {
			entry.Ranges = append(entry.Ranges, Range{r})
		}
		p.Reserved = append(p.Reserved, entry)
	}
	for _, w := range pl.wanted {
		if !w.failed && len(w.all(s.Families)) > 0 {
			p.Networks = append(p.Networks, pl.network(w))
		}
	}
	slices.SortFunc(p.Networks, func(a, b Network) int { return compareStrings(a.Name, b.Name) })
	exclude(p.Networks)
	return p.seal(pl.lock)
}

func (pl *planner) network(w *wanted) Network {
	n := Network{
		Name: w.name, Role: w.role, Allocator: allocatorOf(pl.site, *w),
		Ranges: w.all(pl.site.Families), CarvedFrom: w.declared.CarvedFrom,
		VPC: w.declared.VPC, VLAN: w.declared.VLAN, Link: w.declared.Link, DefaultRoute: w.declared.DefaultRoute, VIPs: maps.Clone(w.declared.VIPs),
	}
	for _, r := range w.declared.DHCP {
		n.DHCP = append(n.DHCP, Range{r})
	}
	for _, f := range pl.familiesOf(w) {
		if length := nodeLength(pl.site, *w, f); f == space.IPv4 {
			n.NodePrefix4 = length
		} else {
			n.NodePrefix6 = length
		}
	}
	n.Gateways = pl.gateways(w, n)
	n.Origin, n.Reason = w.origin, strings.Join(slices.Compact(w.reasons), "; ")
	if w.recorded != nil && slices.Equal(w.recorded.Ranges, n.Ranges) && w.recorded.CarvedFrom == n.CarvedFrom {
		n.Origin, n.Reason = w.recorded.Origin, w.recorded.Reason
	}
	return n
}

// gateways returns the declared gateways, and the first host where the datapath
// needs one: Kube-OVN's pod network and its join network have a gateway address.
func (pl *planner) gateways(w *wanted, n Network) []netip.Addr {
	if len(w.declared.Gateways) > 0 {
		return slices.Clone(w.declared.Gateways)
	}
	if n.Allocator != site.AllocatorKubeOVN {
		return nil
	}
	var out []netip.Addr
	for _, f := range pl.site.Families {
		if prefix, ok := n.First(f); ok && prefix.Bits() < f.Bits()-1 {
			out = append(out, prefix.Addr().Next())
		}
	}
	return out
}

// exclude enters each carve-out in the network that it lies in.
func exclude(networks []Network) {
	inside := map[string]*netipx.IPSetBuilder{}
	for _, child := range networks {
		if child.CarvedFrom == "" {
			continue
		}
		if inside[child.CarvedFrom] == nil {
			inside[child.CarvedFrom] = &netipx.IPSetBuilder{}
		}
		for _, r := range child.Ranges {
			inside[child.CarvedFrom].AddRange(r.IPRange)
		}
	}
	for i := range networks {
		parent := &networks[i]
		if b := inside[parent.Name]; b != nil && parent.Role != site.RoleContainer {
			for _, r := range build(b).Ranges() {
				parent.Excluded = append(parent.Excluded, Range{r})
			}
		}
	}
}
