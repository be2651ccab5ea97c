package clustertest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/rma"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

func (s *suite) testSharedArrays(t *testing.T) {
	t.Run("an array holds what is put", s.sharedArrayHoldsWhatIsPut)
	t.Run("each group has a replica", s.sharedArraysAreReplicasOfGroups)
	t.Run("parts stand at one offset", s.sharedArraysAreSymmetric)
	t.Run("accesses count by class", s.sharedAccessesCountByClass)
	t.Run("a range of a block is one access", s.sharedRanges)
	t.Run("arguments that cannot be are refused", s.sharedArraysRefuse)
	t.Run("a number that is no element ends the body", s.sharedIndexMisuse)
	t.Run("threads of a region", s.sharedOnThreads)
	t.Run("pointers follow a list", s.globalPointersFollowAList)
	t.Run("pointers end at the group", s.globalPointersEndAtTheGroup)
}

// Each thread fills its own elements, then everyone reads all of them, and writes
// its neighbour's.
func (s *suite) sharedArrayHoldsWhatIsPut(t *testing.T) {
	for _, c := range []struct{ n, block int }{{0, 1}, {1, 1}, {3, 0}, {17, 1}, {17, 3}, {100, 7}, {5, 1000}} {
		t.Run(fmt.Sprintf("n=%d block=%d", c.n, c.block), func(t *testing.T) {
			s.must(t, s.grouped(cluster.NestedMultiple, 2, 4, 1), func(r *cluster.Rank) error {
				a, err := upc.NewShared[int32](r, c.n, c.block)
				if err != nil {
					return err
				}
				if err := sharedHolds(r, a, max(c.block, 1)); err != nil {
					return err
				}
				z, err := upc.NewShared[complex128](r, c.n, c.block) // beside the first
				if err != nil {
					return err
				}
				return sharedHolds(r, z, max(c.block, 1))
			})
		})
	}
}

func sharedHolds[T cluster.Number](r *cluster.Rank, a *upc.Shared[T], block int) error {
	value := func(i int) T { var v T; b := cluster.Bytes([]T{v}); b[0] = byte(i); return cluster.View[T](b)[0] }
	threads, me := r.Group().Size(), r.Group().Rank()
	own := 0
	var err error
	a.ForAll(func(i int) {
		if a.Affinity(i) != me || i/block%threads != me || a.Owner(i) != r.ID() || a.Index(own) != i {
			err = fmt.Errorf("rank %d: element %d has affinity to thread %d, owner %d", r.ID(), i, a.Affinity(i), a.Owner(i))
		}
		own++
		if e := a.Put(i, value(i)); e != nil {
			err = e
		}
	})
	if err != nil {
		return err
	}
	if own != a.LocalLen() || own != len(a.Local()) {
		return fmt.Errorf("rank %d: forall saw %d elements of %d, local are %d", r.ID(), own, a.LocalLen(), len(a.Local()))
	}
	if err := r.Barrier(r.Group()); err != nil {
		return err
	}
	for i := range a.Len() {
		v, err := a.Get(i)
		if err != nil {
			return err
		}
		if v != value(i) {
			return fmt.Errorf("rank %d: element %d is %v, want %v", r.ID(), i, v, value(i))
		}
	}
	if err := r.Barrier(r.Group()); err != nil {
		return err
	}
	for i := range a.Len() {
		if a.Affinity(i) == (me+1)%threads {
			if err := a.Put(i, value(i+1)); err != nil {
				return err
			}
		}
	}
	if err := r.Barrier(r.Group()); err != nil {
		return err
	}
	for local, v := range a.Local() {
		if v != value(a.Index(local)+1) {
			return fmt.Errorf("rank %d: local element %d is %v, want %v", r.ID(), local, v, value(a.Index(local)+1))
		}
	}
	return r.Barrier(r.Group())
}

// Each group has a replica of its own (paper 1, section 4.1, figure 5b).
func (s *suite) sharedArraysAreReplicasOfGroups(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedMultiple, 3, 2, 0), func(r *cluster.Rank) error {
		a, err := upc.NewShared[float64](r, 10, 1)
		if err != nil {
			return err
		}
		group := float64(r.Spec().Layout.GroupOf(r.ID()))
		a.ForAll(func(i int) { a.Local()[i/2] = group })
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		for i := range a.Len() {
			if v, err := a.Get(i); err != nil || v != group {
				return fmt.Errorf("rank %d: element %d is %g, %v; the group is %g", r.ID(), i, v, err, group)
			}
		}
		return nil
	})
}

// Parts stand at one offset even where ranks have allocated different amounts
// before, as masters of funneled groups do.
func (s *suite) sharedArraysAreSymmetric(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedFunneled, 2, 3, 0), func(r *cluster.Rank) error {
		if r.Group().Rank() == 0 {
			if _, err := rma.NewWindow(r, r.World(), 1000); err != nil {
				return err
			}
		}
		a, err := upc.NewShared[uint16](r, 50, 4)
		if err != nil {
			return err
		}
		return sharedHolds(r, a, 4)
	})
}

// A range is put, and read by the next thread, as one access; it ends with its block.
func (s *suite) sharedRanges(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedMultiple, 1, 4, 0), func(r *cluster.Rank) error {
		const block, n = 5, 5*4*2 - 2
		a, err := upc.NewShared[float64](r, n, block)
		if err != nil {
			return err
		}
		next := (r.Group().Rank() + 1) % r.Group().Size()
		want := []float64{1, 2, 3}
		i := next*block + 2
		if err := a.PutRange(i, want); err != nil {
			return err
		}
		if err := r.Barrier(r.Group()); err != nil {
			return err
		}
		got, before := make([]float64, block), *r.Traffic()
		if err := a.GetRange(next*block, got); err != nil {
			return err
		}
		c := r.Spec().Layout.ClassOf(r.ID(), a.Owner(i))
		if ops, bytes := r.Traffic().Ops[c]-before.Ops[c], r.Traffic().Bytes[c]-before.Bytes[c]; ops != 1 || bytes != 8*block {
			return fmt.Errorf("a range of %d elements is %d accesses of %d B, want one of %d", block, ops, bytes, 8*block)
		}
		if !slices.Equal(got, []float64{0, 0, 1, 2, 3}) {
			return fmt.Errorf("rank %d: range %v", r.ID(), got)
		}
		for _, c := range []struct {
			i, n int
			want string
		}{
			{block - 1, 2, "get of 2 elements from 4 on of a shared array: they are in several blocks of 5"},
			{n - 1, 2, "get of 2 elements from 37 on of a shared array: it has 38 elements"},
			{-1, 1, "get of 1 elements from -1 on of a shared array: it has 38 elements"},
		} {
			if err := a.GetRange(c.i, make([]float64, c.n)); err == nil || !strings.Contains(err.Error(), c.want) {
				return fmt.Errorf("%d elements from %d on: %v, want %q", c.n, c.i, err, c.want)
			}
		}
		return a.GetRange(n, nil)
	})
}

func (s *suite) sharedAccessesCountByClass(t *testing.T) {
	s.must(t, s.grouped(cluster.NestedMultiple, 1, 4, 0), func(r *cluster.Rank) error { // 2 nodes × 2 ranks
		a, err := upc.NewShared[float64](r, 8, 1)
		if err != nil {
			return err
		}
		before := *r.Traffic()
		for i := range a.Len() {
			if _, err := a.Get(i); err != nil {
				return err
			}
		}
		after := *r.Traffic()
		for c, want := range [cluster.Classes]int64{2, 2, 4} {
			if ops, b := after.Ops[c]-before.Ops[c], after.Bytes[c]-before.Bytes[c]; ops != want || b != 8*want {
				return fmt.Errorf("rank %d: %d accesses of %d B count as %s, want %d of %d B", r.ID(), ops, b, cluster.Class(c), want, 8*want)
			}
		}
		return nil
	})
}

func (s *suite) sharedArraysRefuse(t *testing.T) {
	spec := s.grouped(cluster.NestedMultiple, 1, 2, 0)
	spec.Segment = 4096
	s.must(t, spec, func(r *cluster.Rank) error {
		who := fmt.Sprintf("rank %d: ", r.ID())
		tooMany := "shared array of 9223372036854775807 elements of 8 B over 2 threads: more than can be addressed"
		if math.MaxInt == math.MaxInt32 {
			tooMany = "shared array of 2147483647 elements of 8 B: its part of 8589934592 B is larger than the segment of 4096 B; raise the segment size, or use larger groups"
		}
		for _, c := range []struct {
			n, block int
			want     string
		}{
			{-1, 1, "shared array of -1 elements: must not be negative"},
			{10, -1, "shared array in blocks of -1 elements: must be at least 1, or 0 for the default of 1"},
			{math.MaxInt, 1, tooMany},
			{1025, 1, "shared array of 1025 elements of 8 B: its part of 4104 B is larger than the segment of 4096 B; raise the segment size, or use larger groups"},
			{513, 1000, "shared array of 513 elements of 8 B: its part of 4104 B is larger than the segment of 4096 B; raise the segment size, or use larger groups"},
			{10 + r.ID(), 1, fmt.Sprintf("shared array with %d elements here: the threads of the group gave 10 to 11; all must give the same", 10+r.ID())},
			{10, 2 - r.ID(), fmt.Sprintf("shared array with %d elements a block here: the threads of the group gave 1 to 2; all must give the same", 2-r.ID())},
		} {
			_, err := upc.NewShared[float64](r, c.n, c.block)
			if err := Refused(err, who+c.want); err != nil {
				return err
			}
		}
		a, err := upc.NewShared[float64](r, 600, 1)
		if err != nil {
			return err
		}
		if _, err := upc.NewShared[float64](r, 600, 1); err == nil || len(a.Local()) != 300 {
			return fmt.Errorf("a second array of 2400 B fits into the rest of 4096 B (%v)", err)
		}
		_, getErr := a.Get(600)
		if err := Refused(getErr, who+"get of element 600 of a shared array: it has 600 elements, numbered from 0"); err != nil {
			return err
		}
		return Refused(a.Put(-1, 0), who+"put of element -1 of a shared array: it has 600 elements, numbered from 0")
	})
}

// A number that is no element ends the body with an error where the call has
// none to return.
func (s *suite) sharedIndexMisuse(t *testing.T) {
	for want, call := range map[string]func(a *upc.Shared[int64]) int{
		"rank 0: affinity of element 9 of a shared array: it has 9 elements, numbered from 0":  func(a *upc.Shared[int64]) int { return a.Affinity(9) },
		"rank 0: affinity of element -1 of a shared array: it has 9 elements, numbered from 0": func(a *upc.Shared[int64]) int { return a.Owner(-1) },
		"rank 0: shared array: local index 9: the own part has 9 elements":                     func(a *upc.Shared[int64]) int { return a.Index(9) },
	} {
		err := Launch(t, s.fabric, s.spec(1), func(r *cluster.Rank) error {
			a, err := upc.NewShared[int64](r, 9, 2)
			if err != nil {
				return err
			}
			return fmt.Errorf("gave %d", call(a))
		})
		if err := Refused(err, want); err != nil {
			t.Error(err)
		}
	}
}

// A thread of a parallel region has the array for itself with On.
func (s *suite) sharedOnThreads(t *testing.T) {
	s.must(t, s.spec(2), func(r *cluster.Rank) error {
		a, err := upc.NewShared[int64](r, 400, 1)
		if err != nil {
			return err
		}
		const threads = 4
		err = r.Fork(threads, func(th *cluster.Thread) error {
			mine := a.On(th)
			for i := th.Number(); i < mine.Len(); i += threads {
				if mine.Owner(i) == r.ID() {
					if err := mine.Put(i, int64(i)); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		for i := range a.Len() {
			if v, err := a.Get(i); err != nil || v != int64(i) {
				return fmt.Errorf("rank %d: element %d is %d (%v)", r.ID(), i, v, err)
			}
		}
		return nil
	})
}

// A linked list through the segments of a group, followed by every thread: what
// pointers to shared are for (paper 1, section 2.1).
func (s *suite) globalPointersFollowAList(t *testing.T) {
	s.must(t, s.spec(3), func(r *cluster.Rank) error {
		const n = 30
		a, err := upc.NewShared[int64](r, n, 2)
		if err != nil {
			return err
		}
		for p, i := a.Ptr(0), 0; i < n; p, i = p.Add(1), i+1 { // the next element of each, 7 on
			if p.Thread() == r.ID() {
				if err := p.Store(r, int64((i+7)%n)); err != nil {
					return err
				}
			}
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		p := a.Ptr(0)
		seen := 0
		for {
			next, err := p.Load(r)
			if err != nil {
				return err
			}
			if l := p.Local(r); l == nil {
				if r.Spec().Layout.ClassOf(r.ID(), p.Rank()) != cluster.Remote {
					return fmt.Errorf("rank %d does not reach %s", r.ID(), p)
				}
			} else if *l != next {
				return fmt.Errorf("rank %d: %s holds %d, and %d through a plain pointer", r.ID(), p, next, *l)
			}
			seen++
			if p = a.Ptr(int(next)); next == 0 {
				break
			}
		}
		if seen != n {
			return fmt.Errorf("rank %d: the list has %d elements, want %d", r.ID(), seen, n)
		}
		return nil
	})
}

// A pointer may travel to another group, but UPC access does not.
func (s *suite) globalPointersEndAtTheGroup(t *testing.T) {
	ptrs := make([]upc.GlobalPtr[int64], 2)
	s.must(t, s.grouped(cluster.NestedMultiple, 2, 1, 0), func(r *cluster.Rank) error {
		a, err := upc.NewShared[int64](r, 4, 1)
		if err != nil {
			return err
		}
		ptrs[r.ID()] = a.Ptr(1)
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		if err := ptrs[r.ID()].Store(r, 5); err != nil {
			return err
		}
		other := 1 - r.ID()
		for call, f := range map[string]func(p upc.GlobalPtr[int64]) error{
			"load":  func(p upc.GlobalPtr[int64]) error { _, err := p.Load(r); return err },
			"store": func(p upc.GlobalPtr[int64]) error { return p.Store(r, 6) },
		} {
			if err := Refused(f(ptrs[other]), fmt.Sprintf("rank %d: %s at rank %d: it is in UPC group %d, and UPC access from group %d ends at its own group; send an MPI message, or use larger groups",
				r.ID(), call, other, other, r.ID())); err != nil {
				return err
			}
			if err := Refused(f(upc.GlobalPtr[int64]{}), fmt.Sprintf("rank %d: %s through the null pointer to shared", r.ID(), call)); err != nil {
				return err
			}
		}
		if ptrs[other].Local(r) != nil || *ptrs[r.ID()].Local(r) != 5 {
			return fmt.Errorf("rank %d: plain pointers reach another group, or do not reach its own", r.ID())
		}
		return nil
	})
}
