package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// Concurrent calls of an exchange may take longer than consecutive ones. Messages of different
// rounds arrive at a receiver, whose adapter receives them one by one, while another adapter is
// idle. The calls take at least the time of an adapter for its messages, k(n−1)(3g + (s−1)G), and
// here at most twice that time. The adapter that ends last is idle only while the sender of its
// last message sends to other receivers, which takes at most the same time again. With two ranks
// there is no such contention.
func TestCallsSideBySide(t *testing.T) {
	const maxRounds = 5
	m := clustertest.Priced()
	m.MemoryRate, m.NodeRate = 0, 0 // the copy of the local block is free
	link := m.Classes[cluster.Remote]
	for _, progress := range []cluster.Progress{cluster.ProgressCall, cluster.ProgressOffload} {
		m.Progress = progress
		for _, ranks := range []int{2, 4, 8} {
			for _, size := range []int64{256 << 10, 1 << 20} {
				carry := cluster.Time(float64(size-1) / link.Bandwidth * float64(cluster.Second))
				for k := 1; k <= maxRounds; k++ {
					took := sideBySide(t, m, ranks, size, k)
					least := cluster.Time(k*(ranks-1)) * (3*link.Gap + carry)
					bound := 2 * least
					if ranks == 2 {
						bound = least + 2*(3*link.Latency+6*link.Overhead)
					}
					if took < least || took > bound {
						t.Errorf("%d calls among %d, %d B, progress by %v: %v, want %v to %v", k, ranks, size, progress, took, least,
							bound)
					}
				}
			}
		}
	}
}

// sideBySide returns the time of calls of a pairwise exchange that all members start at once.
func sideBySide(t *testing.T, m cluster.Machine, ranks int, size int64, calls int) (took cluster.Time) {
	t.Helper()
	simulated(t, clustertest.Spec(m, ranks, 1), func(r *cluster.Rank) error {
		comm, err := coll.New(r, r.All())
		if err != nil {
			return err
		}
		a, err := coll.Find(coll.OpExchange, "pairwise")
		if err != nil {
			return err
		}
		key, err := a.Key(coll.Parameters{Ranks: ranks})
		if err != nil {
			return err
		}
		begin := sim.Clock(r.Lib().Port())
		var pending []*coll.Run
		for range calls {
			x, err := comm.Start(key.Sized(false, size, 8))
			if err != nil {
				return err
			}
			pending = append(pending, x)
		}
		for _, x := range pending {
			if err := x.Wait(); err != nil {
				return err
			}
		}
		took = max(took, sim.Clock(r.Lib().Port())-begin)
		return nil
	})
	return took
}
