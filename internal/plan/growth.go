// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"fmt"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// growRecorded enlarges a recorded network that has become too small for the
// declared sizes. It never moves: a pool gets one more prefix, anything else
// becomes the prefix around it, if that is free.
func (pl *planner) growRecorded(w *wanted) {
	for _, f := range pl.familiesOf(w) {
		if w.recorded == nil || !w.placed(f) || w.declared.PinnedIn(f) {
			continue
		}
		if growsByEntries(pl.site.Datapath, w.role) {
			pl.appendPrefix(w, f)
			continue
		}
		pl.growInPlace(w, f)
	}
}

// growsByEntries reports whether a network grows by one more prefix. Cilium
// accepts no change of a pool entry, only a new one (Cilium docs, cluster-pool;
// LB-IPAM re-creates a changed block and may hand out new addresses).
func growsByEntries(d site.Datapath, role site.Role) bool {
	return role == site.RoleCiliumPool || role == site.RoleLoadBalancer || role == site.RolePod && d == site.CiliumClusterPool
}

func (pl *planner) growInPlace(w *wanted, f space.Family) {
	current, isPrefix := w.ranges[f][0].Prefix()
	length := w.lengths[f]
	if w.declared.Length(f) == 0 {
		// Only the sizes count here: a convention that changed is no reason to grow.
		length = neededLength(pl.site, *w, f)
	}
	if !isPrefix || length >= current.Bits() {
		return
	}
	grown := netip.PrefixFrom(current.Addr(), length).Masked()
	for _, half := range halves(current, grown) {
		if pl.free.IsFree(half) && !pl.keptForOther(w, half) {
			continue
		}
		pl.problems.Add(w.path, SummaryCannotGrow,
			"The network %q holds %s and needs a /%d now, which in place would be %s, but %s %s. Make room there, or ask for less; moving the network is no way out. %s",
			w.name, current, length, grown, half, pl.inTheWay(half), whyIfImmovable(pl.site, w.role))
		return
	}
	for _, half := range halves(current, grown) {
		pl.free.ReservePrefix(half)
	}
	w.ranges[f] = []Range{RangeOf(grown)}
	w.origin = OriginPlanned
	w.reasons = append(w.reasons, fmt.Sprintf("grown in place from %s", current))
}

// headroom is a block that is kept free for the growth of a network.
type headroom struct {
	owner  string
	prefix netip.Prefix
}

// withHeadroom returns the block around a prefix that holds its doublings.
func withHeadroom(p netip.Prefix, doublings int) netip.Prefix {
	return netip.PrefixFrom(p.Addr(), max(1, p.Bits()-doublings)).Masked()
}

// keep notes the headroom of one prefix of a network.
func (pl *planner) keep(w *wanted, prefix netip.Prefix) {
	if w.declared.Growth > 0 && w.role != site.RoleContainer {
		pl.headroom = append(pl.headroom, headroom{w.name, withHeadroom(prefix, w.declared.Growth)})
	}
}

// keepHeadroom notes the headroom of everything that a network holds already.
func (pl *planner) keepHeadroom(w *wanted) {
	for _, r := range w.all(pl.site.Families) {
		if prefix, ok := r.Prefix(); ok {
			pl.keep(w, prefix)
		}
	}
}

// keptForOther reports whether a prefix is headroom of another network.
func (pl *planner) keptForOther(w *wanted, prefix netip.Prefix) bool {
	return slices.ContainsFunc(pl.headroom, func(h headroom) bool { return h.owner != w.name && h.prefix.Overlaps(prefix) })
}

func whyIfImmovable(s *site.Site, role site.Role) string {
	if !role.Immovable() {
		return ""
	}
	return WhyImmovable(s, role)
}

// halves returns the prefixes that a prefix has to gain, one for each bit, to
// become the larger one around it.
func halves(from, to netip.Prefix) []netip.Prefix {
	var out []netip.Prefix
	for bits := from.Bits(); bits > to.Bits(); bits-- {
		current := netip.PrefixFrom(from.Addr(), bits).Masked()
		parent := netip.PrefixFrom(from.Addr(), bits-1).Masked()
		sibling := netip.PrefixFrom(parent.Addr(), bits)
		if sibling == current {
			sibling = netip.PrefixFrom(space.Last(parent), bits).Masked()
		}
		out = append(out, sibling)
	}
	return out
}

// appendPrefix adds one prefix to a pool whose node ranges no longer suffice.
func (pl *planner) appendPrefix(w *wanted, f space.Family) {
	node := nodeLength(pl.site, *w, f)
	if node == 0 {
		return
	}
	blocks := 0
	for _, r := range w.ranges[f] {
		for _, prefix := range r.Prefixes() {
			if prefix.Bits() <= node {
				blocks += 1 << min(node-prefix.Bits(), 30)
			}
		}
	}
	missing := pl.site.MaxNodes - blocks
	if missing <= 0 {
		return
	}
	length := node - log2Ceil(missing)
	if w.carved() {
		if parent := pl.byName(w.declared.CarvedFrom); parent != nil && parent.placed(f) {
			pl.carveFamily(w, parent, f, length)
			w.reasons = append(w.reasons, fmt.Sprintf("grown by a /%d for %d more nodes", length, missing))
		}
		return
	}
	prefix, _, ok := propose(pl.site, pl.free, pl.avoided(), fmt.Sprintf("%s\x00%d", w.name, len(w.ranges[f])), f, length)
	if !ok {
		pl.exhausted(w, f, length)
		return
	}
	pl.put(w, f, prefix, OriginPlanned, fmt.Sprintf("grown by a /%d for %d more nodes", length, missing))
}

// Moved lists the networks of a former plan that the new one places elsewhere,
// with what they would leave. A network that is gone has not moved. One that has
// grown around its former range has not either, except a pool: Cilium takes a
// changed entry for another one.
func Moved(former, now *Plan) []Move {
	var out []Move
	for _, old := range former.Networks {
		n, ok := now.Network(old.Name)
		if !ok {
			continue
		}
		var held netipx.IPSetBuilder
		for _, r := range n.Ranges {
			held.AddRange(r.IPRange)
		}
		set := build(&held)
		left := slices.DeleteFunc(slices.Clone(old.Ranges), func(r Range) bool {
			if growsByEntries(former.Datapath, old.Role) {
				return slices.Contains(n.Ranges, r)
			}
			return set.ContainsRange(r.IPRange)
		})
		if len(left) > 0 {
			out = append(out, Move{Network: old.Name, Role: old.Role, From: left, To: n.Ranges})
		}
	}
	return out
}

// Move is a network that would leave a range.
type Move struct {
	Network  string
	Role     site.Role
	From, To []Range
}
