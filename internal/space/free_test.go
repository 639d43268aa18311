// SPDX-License-Identifier: MPL-2.0

package space

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"go4.org/netipx"
)

// window is what the oracle can see: the parts of one prefix that are eight
// bits longer, called its cells.
type window struct{ netip.Prefix }

// The windows in which the allocator is held against the oracle: both
// families, single addresses and large blocks, both ends of the address space,
// and the border between the two halves of a 128-bit number.
var windows = []window{
	{netip.MustParsePrefix("192.0.2.0/24")},
	{netip.MustParsePrefix("10.0.0.0/8")},
	{netip.MustParsePrefix("255.255.255.0/24")},
	{netip.MustParsePrefix("0.0.0.0/0")},
	{netip.MustParsePrefix("2001:db8::/120")},
	{netip.MustParsePrefix("fd00::/48")},
	{netip.MustParsePrefix("fd00:0:0:ff0::/60")},
	{netip.MustParsePrefix("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ff00/120")},
	{netip.MustParsePrefix("::/0")},
}

const cellCount = 256

func (w window) family() Family { return FamilyOf(w.Addr()) }

// block returns 1<<n cells from the cell at on, aligned.
func (w window) block(at, n int) netip.Prefix {
	p, err := Child(w.Prefix, w.Bits()+8-n, uint64(at>>n))
	if err != nil {
		panic(err)
	}
	return p
}

func (w window) cells(from, to int) netipx.IPRange {
	return netipx.IPRangeFrom(First(w.block(from, 0)), Last(w.block(to, 0)))
}

// oracle is the allocator as one would explain it: a row of cells.
type oracle struct {
	window
	inside, free [cellCount]bool
}

// lacks returns the lowest run of cells in [from, to] that are not in the row.
func lacks(row *[cellCount]bool, from, to int, want bool) (int, int, bool) {
	for ; from <= to; from++ {
		if row[from] != want {
			end := from
			for end < to && row[end+1] != want {
				end++
			}
			return from, end, true
		}
	}
	return 0, 0, false
}

func (o *oracle) set(from, to int, free bool) {
	for i := from; i <= to; i++ {
		o.free[i] = free && o.inside[i]
	}
}

func (o *oracle) allocate(n int, last bool) (netip.Prefix, bool) {
	for k := range cellCount >> n {
		at := k << n
		if last {
			at = cellCount - (k+1)<<n
		}
		if _, _, used := lacks(&o.free, at, at+1<<n-1, true); !used {
			o.set(at, at+1<<n-1, false)
			return o.block(at, n), true
		}
	}
	return netip.Prefix{}, false
}

// change takes or releases a block and returns the error that is expected.
func (o *oracle) change(at, n int, release bool) error {
	end := at + 1<<n - 1
	conflict := func(from, to int, reason error) error {
		return &ConflictError{o.block(at, n), o.cells(from, to), reason}
	}
	if from, to, ok := lacks(&o.inside, at, end, true); ok {
		return conflict(from, to, ErrOutside)
	}
	if from, to, ok := lacks(&o.free, at, end, !release); ok {
		reason := ErrOccupied
		if release {
			reason = ErrOverlap
		}
		return conflict(from, to, reason)
	}
	o.set(at, end, release)
	return nil
}

// ranges returns the runs of free cells.
func (o *oracle) ranges() []netipx.IPRange {
	var ranges []netipx.IPRange
	for at := 0; at < cellCount; {
		from, to, ok := lacks(&o.free, at, cellCount-1, false)
		if !ok {
			break
		}
		ranges = append(ranges, o.cells(from, to))
		at = to + 1
	}
	return ranges
}

// trial is an allocator beside its oracle.
type trial struct {
	oracle
	f     *Free
	given []netip.Prefix // what was handed out and not given back
}

// newTrial makes an address space of the parts of w that mask names: bit i
// stands for the i-th eighth.
func newTrial(w window, mask byte) *trial {
	tr := &trial{oracle: oracle{window: w}}
	var parts []netip.Prefix
	for i := range 8 {
		if mask>>i&1 == 1 {
			parts = append(parts, w.block(32*i, 5))
			for c := range 32 {
				tr.inside[32*i+c] = true
			}
		}
	}
	tr.free = tr.inside
	tr.f = NewFree(parts...)
	return tr
}

// step does one operation, of which the three bytes say what, where and how
// large, on both and reports any difference.
func (tr *trial) step(op, where, size byte) error {
	n := int(size) % 9
	at := int(where) >> n << n
	switch op % 6 {
	case 0, 1:
		return tr.stepAllocate(n, op%6 == 1)
	case 2:
		err := tr.f.Take(tr.block(at, n))
		if err == nil {
			tr.given = append(tr.given, tr.block(at, n))
		}
		return same("take", err, tr.change(at, n, false))
	case 3:
		tr.given = slices.DeleteFunc(tr.given, func(p netip.Prefix) bool { return p.Overlaps(tr.block(at, n)) })
		return same("release", tr.f.Release(tr.block(at, n)), tr.change(at, n, true))
	case 4:
		if len(tr.given) == 0 {
			return nil
		}
		return tr.stepGiveBack(int(where) % len(tr.given))
	default:
		from, to := int(where), min(int(where)+int(size), cellCount-1)
		tr.f.Reserve(tr.cells(from, to))
		tr.set(from, to, false)
		return nil
	}
}

func (tr *trial) stepAllocate(n int, last bool) error {
	largest, _ := tr.f.Largest(tr.family())
	allocate := tr.f.Allocate
	if last {
		allocate = tr.f.AllocateLast
	}
	bits := tr.Bits() + 8 - n
	got, err := allocate(tr.family(), bits)
	want, ok := tr.allocate(n, last)
	var exhausted *ExhaustedError
	switch {
	case ok && (err != nil || got != want):
		return fmt.Errorf("allocate: got %v, %v, want %v", got, err, want)
	case !ok && (!errors.As(err, &exhausted) || exhausted.Largest != largest || largest.IsValid() && largest.Bits() <= bits):
		return fmt.Errorf("allocate: got %v, %v, want it to be exhausted with %v left", got, err, largest)
	case !ok:
		return nil
	}
	for _, p := range tr.given {
		if p.Overlaps(got) {
			return fmt.Errorf("allocate: got %v, which overlaps %v", got, p)
		}
	}
	tr.given = append(tr.given, got)
	return nil
}

// stepGiveBack releases a prefix that was handed out, takes it again and
// releases it: what is free before and after must be the same.
func (tr *trial) stepGiveBack(i int) error {
	p := tr.given[i]
	tr.given = slices.Delete(tr.given, i, i+1)
	before := slices.Collect(tr.f.Ranges(tr.family()))
	if err := errors.Join(tr.f.Release(p), tr.f.Take(p)); err != nil {
		return err
	}
	if after := slices.Collect(tr.f.Ranges(tr.family())); !slices.Equal(before, after) {
		return fmt.Errorf("release and take of %v: %v became %v", p, before, after)
	}
	at := int(fromAddr(p.Addr()).minus(spanOfPrefix(tr.Prefix).from).shr(tr.family().Bits() - tr.Bits() - 8).lo)
	return same("give back", tr.f.Release(p), tr.change(at, tr.Bits()+8-p.Bits(), true))
}

// shr is the inverse of shl, which only tests need.
func (u uint128) shr(n int) uint128 {
	return fromBig(new(big.Int).Rsh(u.big(), uint(n)))
}

// same compares two errors, of which want may be a ConflictError.
func same(what string, got, want error) error {
	if (got == nil) != (want == nil) || got != nil && got.Error() != want.Error() {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}

// compare holds all that the allocator tells against the oracle.
func (tr *trial) compare() error {
	fam, want := tr.family(), tr.ranges()
	if got := slices.Collect(tr.f.Ranges(fam)); !slices.Equal(got, want) {
		return fmt.Errorf("free ranges: got %v, want %v", got, want)
	}
	if got, want := slices.Collect(tr.f.Prefixes(fam)), Prefixes(want...); !slices.Equal(got, want) {
		return fmt.Errorf("free prefixes: got %v, want %v", got, want)
	}
	if got, want := tr.f.Count(fam), Count(want...); got.Cmp(want) != 0 {
		return fmt.Errorf("count: got %v, want %v", got, want)
	}
	for i := range cellCount {
		if p := tr.block(i, 0); tr.f.IsFree(p) != tr.free[i] {
			return fmt.Errorf("%v free: got %v", p, tr.f.IsFree(p))
		}
	}
	for _, p := range tr.given {
		if netipx.IPRangeFrom(First(p), Last(p)) != netipx.RangeOfPrefix(p) || !tr.Overlaps(p) {
			return fmt.Errorf("%v was handed out and is no part of %v", p, tr.Prefix)
		}
	}
	return tr.f.family(fam).free.check()
}

// check reports what is wrong with the structure of the tree.
func (t *tree) check() error {
	var last *span
	var walk func(n uint32) (uint8, error)
	walk = func(n uint32) (uint8, error) {
		if n == 0 {
			return 0, nil
		}
		nd := t.nodes[n]
		left, err := walk(nd.left)
		if err != nil {
			return 0, err
		}
		if nd.to.less(nd.from) || last != nil && !last.to.next().less(nd.from) {
			return 0, fmt.Errorf("span %v after %v", nd.span, last)
		}
		last = &nd.span
		right, err := walk(nd.right)
		if err != nil {
			return 0, err
		}
		if best := max(nd.fit, left, right); nd.best != best || nd.fit != nd.span.fit() {
			return 0, fmt.Errorf("span %v: best fit is %d, want %d", nd.span, nd.best, best)
		}
		if max(t.nodes[nd.left].priority, t.nodes[nd.right].priority) > nd.priority {
			return 0, fmt.Errorf("span %v: a child has a higher priority", nd.span)
		}
		return nd.best, nil
	}
	_, err := walk(t.root)
	return err
}

// run does all operations; the first byte chooses the space, and each operation
// is three bytes. It does so twice and wants the same prefixes.
func run(w window, ops []byte) error {
	if len(ops) == 0 {
		return nil
	}
	var first []netip.Prefix
	for round := range 2 {
		tr := newTrial(w, ops[0])
		for rest := ops[1:]; len(rest) >= 3; rest = rest[3:] {
			if err := tr.step(rest[0], rest[1], rest[2]); err != nil {
				return fmt.Errorf("operation %v: %w", rest[:3], err)
			}
		}
		if err := tr.compare(); err != nil {
			return err
		}
		if round == 1 && !slices.Equal(tr.given, first) {
			return fmt.Errorf("the same operations gave %v and then %v", first, tr.given)
		}
		first = tr.given
	}
	return nil
}

func TestFree_againstOracle(t *testing.T) {
	for _, w := range windows {
		t.Run(w.String(), func(t *testing.T) {
			for seed := range uint64(300) {
				random := rand.New(rand.NewPCG(seed, 0))
				ops := make([]byte, 1+3*random.IntN(200))
				for i := range ops {
					ops[i] = byte(random.Uint32())
				}
				ops[0] |= 1 // an empty space is one seed in the corpus
				if err := run(w, ops); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

// FuzzFree: every sequence of operations gives what the oracle gives. So
// prefixes are disjoint, inside, not reserved and of the right length, and
// releasing restores what was free.
func FuzzFree(f *testing.F) {
	f.Add(byte(0), []byte{0xff})
	f.Fuzz(func(t *testing.T, which byte, ops []byte) {
		if err := run(windows[int(which)%len(windows)], ops); err != nil {
			t.Error(err)
		}
	})
}

// A space is filled to the last block, emptied in another order, and filled again.
func TestFree_refill(t *testing.T) {
	for _, w := range windows {
		t.Run(w.String(), func(t *testing.T) {
			f, random := NewFree(w.Prefix), rand.New(rand.NewPCG(1, 2))
			for range 3 {
				var given []netip.Prefix
				for i := range cellCount {
					p, err := f.Allocate(w.family(), w.Bits()+8)
					if want := w.block(i, 0); err != nil || p != want {
						t.Fatalf("block %d: got %v, %v, want %v", i, p, err, want)
					}
					given = append(given, p)
				}
				if p, err := f.Allocate(w.family(), w.Bits()+8); !errors.Is(err, ErrExhausted) {
					t.Fatalf("full, and yet: %v, %v", p, err)
				}
				if n := f.Count(w.family()); n.Sign() != 0 {
					t.Fatalf("full, and yet %v are free", n)
				}
				random.Shuffle(len(given), func(i, j int) { given[i], given[j] = given[j], given[i] })
				for _, p := range given {
					if err := f.Release(p); err != nil {
						t.Fatal(err)
					}
				}
				if got := slices.Collect(f.Prefixes(w.family())); !slices.Equal(got, []netip.Prefix{w.Prefix}) {
					t.Fatalf("emptied: got %v, want %v", got, w.Prefix)
				}
			}
		})
	}
}

// What is wrong is said with the part that is in the way.
func TestFree_errors(t *testing.T) {
	f := NewFree(mustPrefix(t, "10.0.0.0/16"), mustPrefix(t, "10.0.128.0/17"), mustPrefix(t, "fd00::/48"))
	f.Reserve(netipx.MustParseIPRange("10.0.4.10-10.0.4.20"))
	f.Reserve(netipx.MustParseIPRange("fd00:0:0:8000::-fd00:0:0:8000::1"))
	take := func(s string) error { return f.Take(mustPrefix(t, s)) }
	release := func(s string) error { return f.Release(mustPrefix(t, s)) }
	allocate := func(fam Family, bits int) error { _, err := f.Allocate(fam, bits); return err }
	for _, tc := range []struct {
		name string
		err  error
		is   error
		want string
	}{
		{"take outside IPv4", take("10.1.0.0/24"), ErrOutside, "10.1.0.0/24 is outside the address space"},
		{"take partly outside", take("10.0.0.0/15"), ErrOutside, "10.1.0.0/16 of 10.0.0.0/15 is outside the address space"},
		{"take outside IPv6", take("fd00:0:1::/64"), ErrOutside, "fd00:0:1::/64 is outside the address space"},
		{"take used IPv4", take("10.0.4.0/24"), ErrOccupied, "10.0.4.10-10.0.4.20 of 10.0.4.0/24 is not free"},
		{"take used IPv6", take("fd00:0:0:8000::/64"), ErrOccupied, "fd00:0:0:8000::/127 of fd00:0:0:8000::/64 is not free"},
		{"release free", release("10.0.4.0/24"), ErrOverlap, "10.0.4.0-10.0.4.9 of 10.0.4.0/24 is free already"},
		{"release all free", release("10.0.5.0/24"), ErrOverlap, "10.0.5.0/24 is free already"},
		{"release outside", release("192.0.2.0/24"), ErrOutside, "192.0.2.0/24 is outside the address space"},
		{"too large IPv4", allocate(IPv4, 16), ErrExhausted,
			"no free prefix is large enough: a /16 was asked for and the largest free IPv4 block is the /17 10.0.128.0/17"},
		{"too large IPv6", allocate(IPv6, 40), ErrExhausted,
			"no free prefix is large enough: a /40 was asked for and the largest free IPv6 block is the /49 fd00::/49"},
		{"too long", allocate(IPv4, 33), ErrOutside, "/33 is outside: IPv4 has /0 to /32"},
		{"no family", allocate(0, 8), errFamily, "neither an IPv4 nor an IPv6 prefix"},
		{"no prefix", f.Take(netip.Prefix{}), errFamily, "neither an IPv4 nor an IPv6 prefix"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if !errors.Is(tc.err, tc.is) || tc.err.Error() != tc.want {
				t.Errorf("\n got %v\nwant %s", tc.err, tc.want)
			}
		})
	}
}

// The zero value gives nothing and panics nowhere.
func TestFree_zero(t *testing.T) {
	for _, w := range windows {
		var f Free
		f.ReservePrefix(w.Prefix)
		f.Reserve(netipx.IPRange{})
		_, lowest := f.Allocate(w.family(), 24)
		_, highest := f.AllocateLast(w.family(), 24)
		for what, err := range map[string]error{"allocate": lowest, "allocate last": highest} {
			if want := fmt.Sprintf("no free prefix is large enough: a /24 was asked for and no %v address is left", w.family()); err == nil || err.Error() != want {
				t.Errorf("%s: got %v, want %s", what, err, want)
			}
		}
		if err := f.Take(w.Prefix); !errors.Is(err, ErrOutside) {
			t.Errorf("take %v: %v", w, err)
		}
		if f.IsFree(w.Prefix) || f.Count(w.family()).Sign() != 0 || len(slices.Collect(f.Prefixes(w.family()))) != 0 {
			t.Errorf("%v: something is free in nothing", w)
		}
	}
}

// A tree that changes in the order that is worst for an unbalanced one stays
// shallow: this is what keeps the cost of an allocation from growing.
func TestTree_depth(t *testing.T) {
	var tr tree
	for i := range uint64(1 << 16) {
		tr.insert(span{uint128{i, 0}, uint128{i, 7}})
	}
	var depth func(n uint32) int
	depth = func(n uint32) int {
		if n == 0 {
			return 0
		}
		return 1 + max(depth(tr.nodes[n].left), depth(tr.nodes[n].right))
	}
	if got := depth(tr.root); got > 60 {
		t.Errorf("65536 spans are %d deep, want about 40", got)
	}
	if err := tr.check(); err != nil {
		t.Error(err)
	}
	for i := range uint64(1 << 16) {
		tr.remove(span{uint128{i, 0}, uint128{i, 7}})
	}
	nodes := len(tr.nodes)
	for i := range uint64(1 << 16) {
		tr.insert(span{uint128{i, 0}, uint128{i, 7}})
	}
	if len(tr.nodes) != nodes {
		t.Errorf("%d nodes became %d: removed ones are not used again", nodes, len(tr.nodes))
	}
}
