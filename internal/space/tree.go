// SPDX-License-Identifier: MPL-2.0

package space

import "slices"

// tree is an ordered set of disjoint, non-adjacent spans. It is a treap: a
// search tree by address whose nodes also form a heap by a random number, which
// keeps its expected depth logarithmic whatever the order of changes. Each node
// knows the best fit of its subtree, so the lowest or highest span into which a
// block fits is one walk from the root to it. A walk along spans, instead of
// one along the bits of an address, makes IPv6 cost what IPv4 costs.
//
// The random numbers come from a fixed seed and decide nothing but the shape of
// the tree: no result depends on them.
//
// The zero value is an empty tree.
type tree struct {
	nodes []node // by index; number 0 is the absent node: fit and best are 0
	root  uint32
	spare uint32 // head of the list of unused nodes, linked by right
	seed  uint32
	path  []uint32 // where find went; kept for its memory
}

type node struct {
	span
	left, right uint32
	priority    uint32 // not below that of left and right
	fit         uint8  // of the span
	best        uint8  // the best fit in this subtree
}

// find returns the lowest or the highest aligned block of 1<<n addresses in the
// tree, and leaves the way to its span in path.
func (t *tree) find(n int, highest bool) (span, bool) {
	want := uint8(n + 1)
	if t.best() < want {
		return span{}, false
	}
	t.path = t.path[:0]
	at := t.root
	for {
		t.path = append(t.path, at)
		nd := &t.nodes[at]
		near, far := nd.left, nd.right
		if highest {
			near, far = far, near
		}
		switch {
		case t.nodes[near].best >= want:
			at = near
		case nd.fit >= want:
			return nd.block(n, highest), true
		default:
			at = far
		}
	}
}

// carve takes the lowest or the highest aligned block of 1<<n addresses out of
// the tree.
func (t *tree) carve(n int, highest bool) (span, bool) {
	s, ok := t.find(n, highest)
	if !ok {
		return span{}, false
	}
	last := len(t.path) - 1
	at := t.path[last]
	nd := &t.nodes[at]
	switch {
	case nd.span == s:
		t.unlink(at, t.merge(nd.left, nd.right))
		last--
	case nd.from == s.from:
		nd.from = s.to.next()
		nd.fit = nd.span.fit()
	case nd.to == s.to:
		nd.to = s.from.prev()
		nd.fit = nd.span.fit()
	default:
		t.remove(s)
		return s, true
	}
	for last >= 0 && t.update(t.path[last]) {
		last--
	}
	return s, true
}

// unlink puts the subtree at instead in the place of the node n, at which path ends.
func (t *tree) unlink(n, instead uint32) {
	t.discard(n)
	if len(t.path) == 1 {
		t.root = instead
		return
	}
	if parent := &t.nodes[t.path[len(t.path)-2]]; parent.left == n {
		parent.left = instead
	} else {
		parent.right = instead
	}
}

// best returns the fit of the largest block in the tree, 0 if it is empty.
func (t *tree) best() uint8 {
	if t.root == 0 {
		return 0
	}
	return t.nodes[t.root].best
}

// floor returns the highest span that starts at or before at.
func (t *tree) floor(at uint128) (found span, ok bool) {
	for n := t.root; n != 0; {
		if nd := &t.nodes[n]; at.less(nd.from) {
			n = nd.left
		} else {
			found, ok = nd.span, true
			n = nd.right
		}
	}
	return found, ok
}

// ceiling returns the lowest span that starts at or after at.
func (t *tree) ceiling(at uint128) (found span, ok bool) {
	for n := t.root; n != 0; {
		if nd := &t.nodes[n]; nd.from.less(at) {
			n = nd.right
		} else {
			found, ok = nd.span, true
			n = nd.left
		}
	}
	return found, ok
}

// covers reports whether all of s is in the tree.
func (t *tree) covers(s span) bool {
	found, ok := t.floor(s.from)
	return ok && !found.to.less(s.to)
}

// overlap returns the lowest part of s that is in the tree.
func (t *tree) overlap(s span) (span, bool) {
	found, ok := t.floor(s.from)
	if !ok || found.to.less(s.from) {
		if found, ok = t.ceiling(s.from); !ok || s.to.less(found.from) {
			return span{}, false
		}
		s.from = found.from
	}
	if found.to.less(s.to) {
		s.to = found.to
	}
	return s, true
}

// gap returns the lowest part of s that is not in the tree.
func (t *tree) gap(s span) (span, bool) {
	if below, ok := t.floor(s.from); ok && !below.to.less(s.from) {
		if !below.to.less(s.to) {
			return span{}, false
		}
		s.from = below.to.next()
	}
	if above, ok := t.ceiling(s.from); ok && !s.to.less(above.from) {
		s.to = above.from.prev()
	}
	return s, true
}

// remove takes the addresses of s out of the tree. Those that are not in it
// are none of its business.
func (t *tree) remove(s span) {
	t.nodes = slices.Grow(t.nodes, 1) // for rest, so that cut can hold on to its node
	root, rest := t.cut(t.root, s)
	t.root = root
	if rest != 0 {
		t.add(rest)
	}
}

// cut removes s from the subtree at n and returns what has become of it. When s
// lies in the middle of a span, the part above s is returned as a new node: its
// priority says where in the whole tree it belongs.
func (t *tree) cut(n uint32, s span) (root, rest uint32) {
	if n == 0 {
		return 0, 0
	}
	nd := &t.nodes[n]
	if s.from.less(nd.from) {
		nd.left, rest = t.cut(nd.left, s)
	}
	if nd.to.less(s.to) {
		nd.right, rest = t.cut(nd.right, s)
	}
	head, tail := nd.from.less(s.from), s.to.less(nd.to)
	switch {
	case nd.to.less(s.from) || s.to.less(nd.from):
		// Only a subtree is concerned.
	case head && tail:
		rest = t.create(span{s.to.next(), nd.to})
		nd.to = s.from.prev()
	case head:
		nd.to = s.from.prev()
	case tail:
		nd.from = s.to.next()
	default:
		left, right := nd.left, nd.right
		t.discard(n)
		return t.merge(left, right), rest
	}
	nd.fit = nd.span.fit()
	t.update(n)
	return n, rest
}

// add puts the node n, whose span must lie in a gap of the tree, where it belongs.
func (t *tree) add(n uint32) {
	before, after := t.split(t.root, t.nodes[n].from)
	t.root = t.merge(t.merge(before, n), after)
}

// insert puts s, which must not overlap any span of the tree, into it, and
// joins it with its neighbours.
func (t *tree) insert(s span) {
	if below, ok := t.floor(s.from); ok && below.to.next() == s.from {
		t.remove(below)
		s.from = below.from
	}
	if above, ok := t.ceiling(s.to); ok && s.to.next() == above.from {
		t.remove(above)
		s.to = above.to
	}
	t.add(t.create(s))
}

// split parts the subtree at n into the spans that start before at and the rest.
func (t *tree) split(n uint32, at uint128) (before, rest uint32) {
	if n == 0 {
		return 0, 0
	}
	if t.nodes[n].from.less(at) {
		before, rest = t.split(t.nodes[n].right, at)
		t.nodes[n].right = before
		t.update(n)
		return n, rest
	}
	before, rest = t.split(t.nodes[n].left, at)
	t.nodes[n].left = rest
	t.update(n)
	return before, n
}

// merge joins two subtrees; all spans of a are below those of b.
func (t *tree) merge(a, b uint32) uint32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case t.nodes[a].priority >= t.nodes[b].priority:
		t.nodes[a].right = t.merge(t.nodes[a].right, b)
		t.update(a)
		return a
	default:
		t.nodes[b].left = t.merge(a, t.nodes[b].left)
		t.update(b)
		return b
	}
}

// update computes the best fit of the subtree at n from its parts and reports
// whether it changed.
func (t *tree) update(n uint32) bool {
	nd := &t.nodes[n]
	was := nd.best
	nd.best = max(nd.fit, t.nodes[nd.left].best, t.nodes[nd.right].best)
	return nd.best != was
}

// create returns a new node for s, in no tree yet.
func (t *tree) create(s span) uint32 {
	n := t.spare
	if n != 0 {
		t.spare = t.nodes[n].right
	} else {
		if len(t.nodes) == 0 {
			t.nodes, t.seed = make([]node, 1, 16), 0x9E3779B9
		}
		n = uint32(len(t.nodes))
		t.nodes = append(t.nodes, node{})
	}
	// Marsaglia's xorshift: 32 bits of state, never 0, period 2^32-1.
	t.seed ^= t.seed << 13
	t.seed ^= t.seed >> 17
	t.seed ^= t.seed << 5
	fit := s.fit()
	t.nodes[n] = node{span: s, priority: t.seed, fit: fit, best: fit}
	return n
}

// discard gives the node n back for [tree.create].
func (t *tree) discard(n uint32) {
	t.nodes[n] = node{right: t.spare}
	t.spare = n
}

// ascend calls yield for each span of the subtree at n in ascending order,
// until it returns false.
func (t *tree) ascend(n uint32, yield func(span) bool) bool {
	if n == 0 {
		return true
	}
	nd := t.nodes[n]
	return t.ascend(nd.left, yield) && yield(nd.span) && t.ascend(nd.right, yield)
}
