package clustertest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

var sharedArrayCases = []testCase{
	{"an array holds what is put, whatever its block size", (*suite).sharedArrayHolds},
	{"each UPC group has its own replica", (*suite).sharedReplicas},
	{"the parts of an array stand at one offset", (*suite).sharedArraysAreSymmetric},
	{"accesses count by locality class", (*suite).sharedAccessesCount},
	{"a range inside a block is one access", (*suite).sharedRanges},
	{"arguments of an array are checked", (*suite).sharedArguments},
	{"an element that does not exist ends the body", (*suite).sharedIndexMisuse},
	{"threads of a region access an array", onRanks(2, sharedOnThreads)},
	{"threads follow a list of pointers to shared", onRanks(3, pointersFollowList)},
	{"access by a pointer ends at the UPC group", (*suite).pointersEndAtGroup},
}

// shared makes a shared array that must not fail.
func shared[T cluster.Number](p *proc, n, block int) *upc.Shared[T] {
	a, err := upc.NewShared[T](p.Rank, n, block)
	p.ok(err)
	return a
}

// element returns an element that must be accessible.
func element[T cluster.Number](p *proc, a *upc.Shared[T], i int) T {
	v, err := a.Get(i)
	p.ok(err)
	return v
}

func (s *suite) sharedArrayHolds(t *testing.T) {
	for _, c := range []struct{ n, block int }{{0, 1}, {1, 1}, {3, 0}, {17, 1}, {17, 3}, {100, 7}, {5, 1000}} {
		t.Run(fmt.Sprintf("n=%d block=%d", c.n, c.block), func(t *testing.T) {
			s.run(t, s.grouped(cluster.NestedMultiple, 2, 4, 1), func(p *proc) {
				sharedHolds(p, shared[int32](p, c.n, c.block), max(c.block, 1))
				sharedHolds(p, shared[complex128](p, c.n, c.block), max(c.block, 1)) // behind the first
			})
		})
	}
}

// Each thread fills its own elements. Then all threads read all elements, and write the elements of
// their neighbour.
func sharedHolds[T cluster.Number](p *proc, a *upc.Shared[T], block int) {
	value := func(i int) T { var v T; b := cluster.Bytes([]T{v}); b[0] = byte(i); return cluster.View[T](b)[0] }
	threads := p.Group().Size()
	me := p.Group().Rank()
	local := 0
	a.ForAll(func(i int) {
		p.check(a.Affinity(i) == me && i/block%threads == me && a.Owner(i) == p.ID() && a.Index(local) == i,
			"element %d has affinity to thread %d, owner %d", i, a.Affinity(i), a.Owner(i))
		local++
		p.ok(a.Put(i, value(i)))
	})
	same(p, "number of local elements", a.LocalLen(), local)
	same(p, "length of the local part", len(a.Local()), local)
	p.ok(p.Barrier(p.Group()))
	for i := range a.Len() {
		same(p, "element", element(p, a, i), value(i))
	}
	p.ok(p.Barrier(p.Group()))
	for i := range a.Len() {
		if a.Affinity(i) == (me+1)%threads {
			p.ok(a.Put(i, value(i+1)))
		}
	}
	p.ok(p.Barrier(p.Group()))
	for local, v := range a.Local() {
		same(p, "local element", v, value(a.Index(local)+1))
	}
	p.ok(p.Barrier(p.Group()))
}

// Paper 1, section 4.1, figure 5b.
func (s *suite) sharedReplicas(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedMultiple, 3, 2, 0), func(p *proc) {
		a, group := shared[float64](p, 10, 1), float64(p.Spec().Layout.GroupOf(p.ID()))
		a.ForAll(func(i int) { a.Local()[i/2] = group })
		p.ok(p.Barrier(p.World()))
		for i := range a.Len() {
			same(p, "element of the group", element(p, a, i), group)
		}
	})
}

// Masters of funneled groups have allocated more than the other ranks.
func (s *suite) sharedArraysAreSymmetric(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedFunneled, 2, 3, 0), func(p *proc) {
		if p.Group().Rank() == 0 {
			p.newWindow(1000)
		}
		sharedHolds(p, shared[uint16](p, 50, 4), 4)
	})
}

// since counts the accesses of a class and their bytes.
func (p *proc) since(before cluster.Traffic, c cluster.Class) (ops, bytes int64) {
	return p.Traffic().Ops[c] - before.Ops[c], p.Traffic().Bytes[c] - before.Bytes[c]
}

func (s *suite) sharedRanges(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedMultiple, 1, 4, 0), func(p *proc) {
		const block, n = 5, 5*4*2 - 2
		a := shared[float64](p, n, block)
		first := (p.Group().Rank() + 1) % p.Group().Size() * block // of the next thread
		p.ok(a.PutRange(first+2, []float64{1, 2, 3}))
		p.ok(p.Barrier(p.Group()))
		got, before := make([]float64, block), *p.Traffic()
		p.ok(a.GetRange(first, got))
		ops, bytes := p.since(before, p.Spec().Layout.ClassOf(p.ID(), a.Owner(first)))
		p.check(ops == 1 && bytes == 8*block, "a range of %d elements is %d accesses of %d B, want one of %d", block, ops,
			bytes, 8*block)
		p.check(slices.Equal(got, []float64{0, 0, 1, 2, 3}), "range %v", got)
		p.fails(a.GetRange(block-1, make([]float64, 2)),
			"get of 2 elements from 4 on of a shared array: they span several blocks of 5")
		p.fails(a.GetRange(n-1, make([]float64, 2)), "get of 2 elements from 37 on of a shared array: it has 38 elements")
		p.fails(a.GetRange(-1, make([]float64, 1)), "get of 1 elements from -1 on of a shared array: it has 38 elements")
		p.ok(a.GetRange(n, nil))
	})
}

func (s *suite) sharedAccessesCount(t *testing.T) {
	s.run(t, s.grouped(cluster.NestedMultiple, 1, 4, 0), func(p *proc) { // 2 nodes × 2 ranks
		a, before := shared[float64](p, 8, 1), *p.Traffic()
		for i := range a.Len() {
			element(p, a, i)
		}
		for c, want := range [cluster.Classes]int64{2, 2, 4} {
			ops, b := p.since(before, cluster.Class(c))
			p.check(ops == want && b == 8*want, "%d accesses of %d B count as %s, want %d of %d B", ops, b, cluster.Class(c),
				want, 8*want)
		}
	})
}

func (s *suite) sharedArguments(t *testing.T) {
	spec := s.grouped(cluster.NestedMultiple, 1, 2, 0)
	spec.Segment = 4096
	tooMany := "shared array of 9223372036854775807 elements of 8 B over 2 threads: more than can be addressed"
	if math.MaxInt == math.MaxInt32 {
		tooMany = "shared array of 2147483647 elements of 8 B: its part of 8589934592 B is larger than the segment of " +
			"4096 B; raise the segment size, or use larger groups"
	}
	s.run(t, spec, func(p *proc) {
		for _, c := range []struct {
			n, block int
			want     string
		}{
			{-1, 1, "shared array of -1 elements: must not be negative"},
			{10, -1, "shared array in blocks of -1 elements: must be at least 1, or 0 for the default of 1"},
			{math.MaxInt, 1, tooMany},
			{1025, 1, "shared array of 1025 elements of 8 B: its part of 4104 B is larger than the segment of 4096 B; " +
				"raise the segment size, or use larger groups"},
			{513, 1000, "shared array of 513 elements of 8 B: its part of 4104 B is larger than the segment of 4096 B; " +
				"raise the segment size, or use larger groups"},
			{10 + p.ID(), 1, fmt.Sprintf("shared array with %d elements here: threads of the group have 10 to 11; want the "+
				"same on all", 10+p.ID())},
			{10, 2 - p.ID(), fmt.Sprintf("shared array with %d elements per block here: threads of the group have 1 to 2; "+
				"want the same on all", 2-p.ID())},
		} {
			_, err := upc.NewShared[float64](p.Rank, c.n, c.block)
			p.refused(err, c.want)
		}
		a := shared[float64](p, 600, 1)
		same(p, "local elements", len(a.Local()), 300)
		_, err := upc.NewShared[float64](p.Rank, 600, 1)
		p.check(err != nil, "a second array of 2400 B fits into the rest of 4096 B")
		_, err = a.Get(600)
		p.refused(err, "get of element 600 of a shared array: it has 600 elements, numbered from 0")
		p.refused(a.Put(-1, 0), "put of element -1 of a shared array: it has 600 elements, numbered from 0")
	})
}

// These calls have no error to return.
func (s *suite) sharedIndexMisuse(t *testing.T) {
	for want, call := range map[string]func(a *upc.Shared[int64]) int{
		"rank 0: affinity of element 9 of a shared array: it has 9 elements, numbered from 0":  func(a *upc.Shared[int64]) int { return a.Affinity(9) },
		"rank 0: affinity of element -1 of a shared array: it has 9 elements, numbered from 0": func(a *upc.Shared[int64]) int { return a.Owner(-1) },
		"rank 0: shared array: local index 9: the local part has 9 elements":                   func(a *upc.Shared[int64]) int { return a.Index(9) },
	} {
		err := s.launch(t, s.spec(1), func(p *proc) {
			p.failf("the call returned %d", call(shared[int64](p, 9, 2)))
		})
		if err := Refused(err, want); err != nil {
			t.Error(err)
		}
	}
}

func sharedOnThreads(p *proc) {
	const threads = 4
	a := shared[int64](p, 400, 1)
	p.ok(p.Fork(threads, func(th *cluster.Thread) error {
		mine := a.On(th)
		for i := th.Number(); i < mine.Len(); i += threads {
			if mine.Owner(i) == p.ID() {
				if err := mine.Put(i, int64(i)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
	p.ok(p.Barrier(p.World()))
	for i := range a.Len() {
		same(p, "element", element(p, a, i), int64(i))
	}
}

// Pointers to shared can link a list through the segments of a group (paper 1, section 2.1).
func pointersFollowList(p *proc) {
	const n = 30
	a := shared[int64](p, n, 2)
	for q, i := a.Ptr(0), 0; i < n; q, i = q.Add(1), i+1 { // the next element of each is 7 on
		if q.Thread() == p.ID() {
			p.ok(q.Store(p.Rank, int64((i+7)%n)))
		}
	}
	p.ok(p.Barrier(p.World()))
	seen := 0
	for q, first := a.Ptr(0), true; first || q != a.Ptr(0); first = false {
		next, err := q.Load(p.Rank)
		p.ok(err)
		if l := q.Local(p.Rank); l != nil {
			same(p, "element through a plain pointer", *l, next)
		} else {
			p.check(p.Spec().Layout.ClassOf(p.ID(), q.Rank()) == cluster.Remote, "no plain pointer reaches %s", q)
		}
		seen++
		q = a.Ptr(int(next))
	}
	same(p, "elements of the list", seen, n)
}

// A pointer may travel to another group, but UPC access does not.
func (s *suite) pointersEndAtGroup(t *testing.T) {
	ptrs := make([]upc.GlobalPtr[int64], 2)
	s.run(t, s.grouped(cluster.NestedMultiple, 2, 1, 0), func(p *proc) {
		me, other := p.ID(), 1-p.ID()
		ptrs[me] = shared[int64](p, 4, 1).Ptr(1)
		p.ok(p.Barrier(p.World()))
		p.ok(ptrs[me].Store(p.Rank, 5))
		for call, f := range map[string]func(q upc.GlobalPtr[int64]) error{
			"load":  func(q upc.GlobalPtr[int64]) error { _, err := q.Load(p.Rank); return err },
			"store": func(q upc.GlobalPtr[int64]) error { return q.Store(p.Rank, 6) },
		} {
			p.refused(f(ptrs[other]), fmt.Sprintf("%s at rank %d: in UPC group %d, not in the caller's group %d (send an "+
				"MPI message, or use larger groups)", call, other, other, me))
			p.refused(f(upc.GlobalPtr[int64]{}), call+" through the null pointer to shared")
		}
		p.check(ptrs[other].Local(p.Rank) == nil && *ptrs[me].Local(p.Rank) == 5,
			"plain pointers reach another group, or do not reach their own")
	})
}
