package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Messages of a rank inside its node start g and their bytes apart: the last of n arrives (n − 1)·g
// later than without a gap.
func TestGapInsideANode(t *testing.T) {
	const n, gap = 5, 3 * cluster.Microsecond
	last := func(g cluster.Time) (at cluster.Time) {
		s := clustertest.Spec(clustertest.Priced(), 1, 2)
		s.Machine.Classes[cluster.InNode].Gap = g
		s.Machine.NodeRate = 0
		simulated(t, s, func(r *cluster.Rank) error {
			var qs [n]cluster.Request
			for i := range qs {
				var err error
				if r.ID() == 0 {
					err = r.Isend(&qs[i], r.World(), 1, i, cluster.Sized(1000))
				} else {
					err = r.Irecv(&qs[i], r.World(), 0, i, cluster.Sized(1000))
				}
				if err != nil {
					return err
				}
			}
			err := r.Waitall(qs[:], nil)
			if r.ID() == 1 {
				at = r.Now()
			}
			return err
		})
		return at
	}
	// Without a gap a message follows when the previous bytes have been moved, or when the sender
	// has posted it: 125 ns compared with its overhead of 100.
	if got := last(gap) - last(0); got != (n-1)*gap {
		t.Errorf("a gap of %v delays the last of %d messages by %v, want %v", gap, n, got, (n-1)*gap)
	}
}
