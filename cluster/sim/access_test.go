package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// An access in the node that is a load takes Machine.AccessTime. An atomic also takes AtomicTime.
func TestAccessTime(t *testing.T) {
	for seed := range uint64(60) {
		m := anyMachine(seed)
		m.NodeRate = 0
		m.Sockets = 0
		m.Slow = nil
		for c, l := range map[cluster.Class]cluster.Time{cluster.InRank: 7_000, cluster.InNode: 91_000} {
			m.Classes[c].Access = l + cluster.Time(seed)
		}
		for class, to := range map[cluster.Class]int{cluster.InRank: 0, cluster.InNode: 1} {
			for _, n := range []int64{1, 8, 64, 65, 4000} {
				for _, put := range []bool{false, true} {
					run := simulated(t, clustertest.Spec(m, 1, 2), func(r *cluster.Rank) error {
						switch {
						case r.ID() != 0:
							return nil
						case put:
							return r.Put(cluster.At(to, 8), cluster.Of(make([]byte, n)))
						}
						return r.Get(cluster.At(to, 8), cluster.Of(make([]byte, n)))
					})
					if got, want := run.Total(), m.AccessTime(class, n); max(got-want, want-got) > 1 {
						t.Errorf("seed %d: %v, %d B, put %v: %d ps, want %d", seed, class, n, put, got, want)
					}
				}
			}
			run := simulated(t, clustertest.Spec(m, 1, 2), func(r *cluster.Rank) error {
				if r.ID() != 0 {
					return nil
				}
				_, err := r.Atomic(cluster.At(to, 0), cluster.AtomicAdd, 1)
				return err
			})
			if got, want := run.Total(), m.AccessTime(class, 8)+m.AtomicTime; got != want {
				t.Errorf("seed %d: %v, an atomic: %d ps, want %d", seed, class, got, want)
			}
		}
	}
}
