package cluster_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

func TestViewsAndBytesAreTheSameMemory(t *testing.T) {
	words := make([]uint64, 4)
	b := cluster.Bytes(words)
	cluster.View[float32](b)[3] = 1
	if len(b) != 32 || words[1] != 0x3f800000<<32 && words[1] != 0x3f800000 {
		t.Errorf("a float32 written through a view: words %x", words)
	}
	if got := len(cluster.View[complex128](b[:31])); got != 1 {
		t.Errorf("31 B hold %d numbers of 16 B, want 1", got)
	}
	if cluster.View[uint64](b[:7]) != nil || cluster.Bytes[int8](nil) != nil {
		t.Error("too few bytes, or no numbers, are not nil")
	}
	defer func() {
		if recover() == nil {
			t.Error("a view of misaligned bytes does not panic")
		}
	}()
	cluster.View[uint16](b[1:])
}

func TestAlloc(t *testing.T) {
	s := flat(2)
	s.Segment = 256
	run(t, s, func(r *cluster.Rank) error {
		var got []int64
		for _, n := range []int64{1, 8, 0, 65, 3, 64} { // 8-byte steps, cache lines from 64 B on
			off, err := r.Alloc(n)
			if err != nil {
				return err
			}
			got = append(got, off)
		}
		if d := cmp.Diff([]int64{0, 8, 16, 64, 136, 192}, got); d != "" {
			return fmt.Errorf("offsets: %s", d)
		}
		_, negative := r.Alloc(-1)
		_, full := r.Alloc(1)
		for want, err := range map[string]error{
			"alloc of -1 B: must not be negative":                                     negative,
			"alloc of 1 B: 0 of the segment's 256 B are free; raise the segment size": full,
		} {
			if err := clustertest.Refused(err, fmt.Sprintf("rank %d: %s", r.ID(), want)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Memory that was released is allocated again, and the latest is released first.
func TestRelease(t *testing.T) {
	s := flat(2)
	s.Segment = 256
	run(t, s, func(r *cluster.Rank) error {
		first, err := r.Alloc(200)
		if err != nil {
			return err
		}
		inner := r.Lib().Heap()
		if err := r.Release(first); err != nil {
			return err
		}
		again, err := r.Alloc(64)
		if err != nil || again != first {
			return fmt.Errorf("rank %d: %d after the release, want %d: %v", r.ID(), again, first, err)
		}
		for _, mark := range []int64{inner, -1} {
			want := fmt.Sprintf("rank %d: release from %d on: 64 B of the segment are in use (use an offset from Alloc, "+
				"the latest first)", r.ID(), mark)
			if err := clustertest.Refused(r.Release(mark), want); err != nil {
				return err
			}
		}
		return nil
	})
}

// Loads and stores reach the rank's group on this host, and its node on an emulated machine. UPC
// access ends at the group even if memory is reachable.
func TestReach(t *testing.T) {
	s := grouped(cluster.NestedMultiple, 2, 4, 0) // 4 nodes × 2 ranks
	for name, c := range map[string]struct {
		spec cluster.Spec
		want func(from, to int) bool
	}{
		"this host": {s, func(from, to int) bool { return from/4 == to/4 }},
		"emulated":  {emulated(s), func(from, to int) bool { return from/2 == to/2 }},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, c.spec, func(r *cluster.Rank) error {
				for to := range r.Ranks() {
					if got := r.Reach(to) != nil; got != c.want(r.ID(), to) {
						return fmt.Errorf("rank %d reaches %d: %t", r.ID(), to, got)
					}
				}
				if r.Reach(-1) != nil || r.Reach(r.Ranks()) != nil {
					return fmt.Errorf("a rank that does not exist is reached")
				}
				return nil
			})
		})
	}
}

// An access that may not be made ends the body with the error that Put would give.
func TestWordAccessMisuse(t *testing.T) {
	s := grouped(cluster.NestedMultiple, 2, 1, 0)
	s.Segment = 64
	const far = math.MaxInt/4 + 1 // 8·far is 0 in as many bits
	for want, access := range map[string]func(r *cluster.Rank){
		fmt.Sprintf("rank 0: put at rank 0: 8 B from %d on reach beyond the end of its segment of 64 B",
			8*min(int64(far), math.MaxInt64/8)): func(r *cluster.Rank) { r.PutUint64(0, far, 1) },
		"rank 0: put at rank 1: in UPC group 1, not in the caller's group 0 (send an MPI message, or use " +
			"larger groups)": func(r *cluster.Rank) { r.PutUint64(1, 0, 1) },
		"rank 0: get at rank 0: 8 B from 64 on reach beyond the end of its segment of 64 B": func(r *cluster.Rank) {
			r.GetUint64(0, 8)
		},
	} {
		err := launch(t, s, func(r *cluster.Rank) error {
			if r.ID() == 0 {
				access(r)
			}
			return nil
		})
		if err := clustertest.Refused(err, want); err != nil {
			t.Error(err)
		}
	}
}
