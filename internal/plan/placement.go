// SPDX-License-Identifier: MPL-2.0

package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"go4.org/netipx"

	"github.com/cidrplan/terraform-provider-cidrplan/internal/site"
	"github.com/cidrplan/terraform-provider-cidrplan/internal/space"
)

// A network that has no convention gets a place that follows from its own name:
// the hash of site, network and family chooses among the aligned blocks of the
// address space. So the place of one network does not depend on which others
// exist, and adding, removing, renaming or reordering one moves another only if
// both hashes meet. What was once written to a lock file is not placed again.

// attempts is how many places a name proposes before the lowest free block is taken.
const attempts = 64

// placeByName places what has neither a pinned, a recorded nor a conventional
// range: larger networks first, so that small ones do not fragment the space
// that they need, and by name among equals.
func (pl *planner) placeByName() {
	type job struct {
		w *wanted
		f space.Family
	}
	var jobs []job
	for _, w := range pl.wanted {
		for _, f := range pl.familiesOf(w) {
			if !w.carved() && !w.placed(f) {
				jobs = append(jobs, job{w, f})
			}
		}
	}
	slices.SortStableFunc(jobs, func(a, b job) int {
		if d := (a.f.Bits() - a.w.lengths[a.f]) - (b.f.Bits() - b.w.lengths[b.f]); d != 0 {
			return -d
		}
		return compareStrings(a.w.name, b.w.name)
	})
	pl.avoid = pl.avoided()
	for _, j := range jobs {
		pl.placeOne(j.w, j.f)
	}
}

func (pl *planner) placeOne(w *wanted, f space.Family) {
	length := w.lengths[f]
	// The block with its headroom is what must be free; the network is its start.
	if cut := cutLength(pl.site, *w, f); cut > length && !pl.conventional(w, f) {
		length = cut
	}
	wide := max(1, length-w.declared.Growth)
	block, how, ok := propose(pl.site, pl.free, pl.avoid, w.name, f, wide)
	if !ok {
		pl.exhausted(w, f, wide)
		return
	}
	prefix := netip.PrefixFrom(block.Addr(), length)
	pl.put(w, f, prefix, OriginPlanned, how)
}

// conventional reports whether the convention of a network lies in the address
// space, so that its length is that of the convention at least, wherever it goes.
func (pl *planner) conventional(w *wanted, f space.Family) bool {
	prefix, _, ok := convention(pl.site, w.role, f, w.lengths[f])
	return ok && insideAny(prefix, pl.site.AddressSpace)
}

// avoided are the ranges that an automatic place keeps clear of while there is
// other room.
func (pl *planner) avoided() []netip.Prefix {
	out := othersConventions()
	for _, w := range pl.wanted {
		if w.role == site.RoleContainer {
			for _, r := range w.all(pl.site.Families) {
				out = append(out, r.Prefixes()...)
			}
		}
	}
	return out
}

// propose finds the place of a name in the free space: first among the blocks
// that no tool takes by default, then among all, then the lowest free one.
func propose(s *site.Site, free *space.Free, avoid []netip.Prefix, name string, f space.Family, length int) (netip.Prefix, string, bool) {
	spaces := spacesOf(s.AddressSpace, f, length)
	for _, careful := range []bool{true, false} {
		for attempt := range attempts {
			candidate, ok := slot(spaces, length, hash(s.Name, name, f, attempt))
			if !ok {
				break
			}
			if !free.IsFree(candidate) || careful && overlapsAny(candidate, avoid) {
				continue
			}
			return candidate, fmt.Sprintf("placed by name in %s", enclosing(spaces, candidate)), true
		}
	}
	prefix, err := free.Allocate(f, length)
	if err != nil {
		return netip.Prefix{}, "", false
	}
	return prefix, "the lowest free block, since the places of its name are taken", true
}

func overlapsAny(p netip.Prefix, others []netip.Prefix) bool {
	return slices.ContainsFunc(others, p.Overlaps)
}

func enclosing(spaces []netip.Prefix, p netip.Prefix) netip.Prefix {
	for _, s := range spaces {
		if s.Overlaps(p) {
			return s
		}
	}
	return p
}

// spacesOf returns the prefixes of the address space that can hold a block of
// this length.
func spacesOf(addressSpace []netip.Prefix, f space.Family, length int) []netip.Prefix {
	var out []netip.Prefix
	for _, p := range addressSpace {
		if space.FamilyOf(p.Addr()) == f && p.Bits() <= length {
			out = append(out, p)
		}
	}
	return out
}

// hash derives the attempt-th proposal of a name. SHA-256 is stable over
// versions and platforms; 64 bits of it are plenty for a choice of block.
func hash(siteName, network string, f space.Family, attempt int) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "cidrplan place\x00%s\x00%s\x00%d\x00%d", siteName, network, int(f), attempt))
	return binary.BigEndian.Uint64(sum[:8])
}

// slot returns the block that a hash chooses. Most networks land in the first
// prefix of the address space, the one the user named first, since the others
// are tried only by every fourth proposal.
func slot(spaces []netip.Prefix, length int, h uint64) (netip.Prefix, bool) {
	if len(spaces) == 0 {
		return netip.Prefix{}, false
	}
	chosen := spaces[0]
	if len(spaces) > 1 && h%4 == 0 {
		chosen = spaces[1+int(h/4%uint64(len(spaces)-1))]
	}
	// 48 bits choose among more blocks than anybody has networks; in a longer
	// step the first block of each is taken.
	step := chosen.Bits() + min(length-chosen.Bits(), 48)
	block, err := space.Child(chosen, step, h>>16&(1<<(step-chosen.Bits())-1))
	return netip.PrefixFrom(block.Addr(), length), err == nil
}

// mostUnplaced is how many networks without a place are reported one by one.
const mostUnplaced = 10

func (pl *planner) exhausted(w *wanted, f space.Family, length int) {
	w.failed = true
	if pl.unplaced++; pl.unplaced > mostUnplaced {
		return // the first ones say what is missing
	}
	largest := "nothing is free there"
	for bits := 1; bits <= f.Bits(); bits++ {
		if prefix, err := pl.free.Allocate(f, bits); err == nil {
			largest = fmt.Sprintf("the largest free block is %s", prefix)
			_ = pl.free.Release(prefix)
			break
		}
	}
	if !slices.ContainsFunc(pl.site.AddressSpace, func(p netip.Prefix) bool { return space.FamilyOf(p.Addr()) == f }) {
		largest = fmt.Sprintf("the address space has no %s prefix at all", f)
	}
	pl.problems.Add(site.At("address_space"), SummaryExhausted,
		"The network %q needs a free %s /%d, but %s. Add a prefix to address_space, release something in reserved, or ask for less (max_nodes, pods_per_node, max_services, or a longer prefix length).",
		w.name, f, length, largest)
}

// placeCarveOuts places the networks that lie in another one, outer ones first.
// The well-known pools take the tail of their network, where an allocator that
// counts upward comes last; the others get the place of their name.
func (pl *planner) placeCarveOuts() {
	done := map[string]bool{}
	for _, w := range pl.wanted {
		done[w.name] = !w.carved()
	}
	for progress := true; progress; {
		progress = false
		for _, w := range pl.wanted {
			if !done[w.name] && done[w.declared.CarvedFrom] {
				pl.carve(w)
				done[w.name], progress = true, true
			}
		}
	}
}

func (pl *planner) carve(w *wanted) {
	parent := pl.byName(w.declared.CarvedFrom)
	if parent == nil || parent.failed {
		w.failed = true
		return
	}
	for _, f := range pl.familiesOf(w) {
		if w.placed(f) && !w.declared.PinnedIn(f) && !pl.inside(w.ranges[f], parent, f) {
			w.ranges[f] = nil // its network moved, and a carve-out goes with it
		}
		if w.placed(f) {
			pl.checkInside(w, parent, f)
			continue
		}
		pl.carveFamily(w, parent, f, w.lengths[f])
	}
	pl.growRecorded(w)
}

func (pl *planner) byName(name string) *wanted { return pl.index[name] }

func (pl *planner) carveFamily(w, parent *wanted, f space.Family, length int) {
	if !parent.placed(f) {
		return
	}
	free := pl.freeInside(parent)
	for _, h := range pl.headroom {
		if sibling := pl.byName(h.owner); h.owner != w.name && sibling != nil && sibling.declared.CarvedFrom == parent.name {
			free.ReservePrefix(h.prefix)
		}
	}
	prefix, reason, err := pl.carveFrom(free, w, parent, f, length)
	if err != nil {
		w.failed = true
		pl.problems.Add(w.path, SummaryExhausted,
			"The network %q needs a free /%d inside the network %q (%s), but %s. Enlarge %q, or ask for less.",
			w.name, length, parent.name, join(parent.ranges[f]), err, parent.name)
		return
	}
	w.ranges[f] = append(w.ranges[f], RangeOf(prefix))
	w.reasons = append(w.reasons, reason)
	w.origin = OriginPlanned
	pl.keep(w, prefix)
	if parent.role != site.RoleContainer {
		return
	}
	pl.free.ReservePrefix(prefix)
}

// carveFrom chooses the place of a carve-out: the tail for a well-known pool, the
// place of its name for any other.
func (pl *planner) carveFrom(free *space.Free, w, parent *wanted, f space.Family, length int) (netip.Prefix, string, error) {
	if w.name == string(w.role) {
		prefix, err := free.AllocateLast(f, length)
		return prefix, fmt.Sprintf("carved from the tail of %s %s", parent.name, join(parent.ranges[f])), err
	}
	prefix, err := carveByName(pl.site, free, parent, w.name, f, length)
	return prefix, fmt.Sprintf("carved from %s %s", parent.name, join(parent.ranges[f])), err
}

func carveByName(s *site.Site, free *space.Free, parent *wanted, name string, f space.Family, length int) (netip.Prefix, error) {
	var spaces []netip.Prefix
	for _, r := range parent.ranges[f] {
		spaces = append(spaces, r.Prefixes()...)
	}
	spaces = spacesOf(spaces, f, length)
	for attempt := range attempts {
		candidate, ok := slot(spaces, length, hash(s.Name, name, f, attempt))
		if ok && free.IsFree(candidate) {
			return candidate, nil
		}
	}
	return free.AllocateLast(f, length)
}

// freeInside returns what a network can still give away: its ranges less its
// gateway, DHCP ranges, virtual and host addresses, and the other carve-outs.
func (pl *planner) freeInside(parent *wanted) *space.Free {
	var prefixes []netip.Prefix
	for _, r := range parent.all(pl.site.Families) {
		prefixes = append(prefixes, r.Prefixes()...)
	}
	free := space.NewFree(prefixes...)
	n := pl.network(parent)
	for _, gateway := range n.Gateways {
		free.Reserve(netipx.IPRangeFrom(gateway, gateway))
	}
	for _, r := range n.DHCP {
		free.Reserve(r.IPRange)
	}
	for _, vip := range n.VIPs {
		free.Reserve(netipx.IPRangeFrom(vip, vip))
	}
	for _, number := range pl.site.Hosts {
		for _, f := range pl.site.Families {
			if addr, ok := n.HostAddress(f, number); ok {
				free.Reserve(netipx.IPRangeFrom(addr, addr))
			}
		}
	}
	for _, other := range pl.wanted {
		if other != parent && (parent.role == site.RoleContainer || other.declared.CarvedFrom == parent.name) {
			for _, r := range other.all(pl.site.Families) {
				free.Reserve(r.IPRange)
			}
		}
	}
	return free
}

// inside reports whether all ranges lie in a network.
func (pl *planner) inside(ranges []Range, parent *wanted, f space.Family) bool {
	var outer netipx.IPSetBuilder
	for _, r := range parent.ranges[f] {
		outer.AddRange(r.IPRange)
	}
	set := build(&outer)
	return !slices.ContainsFunc(ranges, func(r Range) bool { return !set.ContainsRange(r.IPRange) })
}

// checkInside refuses a pinned carve-out that does not lie in its network.
func (pl *planner) checkInside(w, parent *wanted, f space.Family) {
	for _, r := range w.ranges[f] {
		if pl.inside([]Range{r}, parent, f) {
			continue
		}
		suggestion := ""
		if prefix, err := pl.freeInside(parent).AllocateLast(f, w.lengths[f]); err == nil {
			suggestion = fmt.Sprintf(" A range that works is %s.", prefix)
		}
		pl.problems.Add(w.attribute("cidrs"), SummaryCarveOut,
			"The network %q is carved from %q, but %s does not lie in %s.%s", w.name, parent.name, r, join(parent.ranges[f]), suggestion)
		w.failed = true
	}
}
