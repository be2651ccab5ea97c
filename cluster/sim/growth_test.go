package sim

import (
	"context"
	"runtime"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// TestSurveyGrowsWithTheRanks tests that a search for stuck ranks takes memory, and therefore steps, in
// proportion to the ranks. One half of the team waits in a barrier, the other half for a message.
func TestSurveyGrowsWithTheRanks(t *testing.T) {
	perRank := func(ranks int) float64 {
		m := cluster.Machine{Name: "one node", EagerLimit: 8192, Progress: cluster.ProgressOffload, Flops: 1e9}
		m.Classes[cluster.InRank] = cluster.Link{Latency: 100 * cluster.Nanosecond, Bandwidth: 1e10}
		m.Classes[cluster.InNode] = m.Classes[cluster.InRank]
		spec := cluster.Spec{Machine: m, Layout: cluster.Layout{Nodes: 1, RanksPerNode: ranks, ThreadsPerRank: 1,
			Model: cluster.Flat, Ranking: cluster.Sequential}, Segment: 8}
		var w *world
		var bytes uint64
		run, err := cluster.Start(context.Background(), New(), spec, func(r *cluster.Rank) error {
			switch me := r.ID(); {
			case me == 0: // all others wait when the message of the last one arrives
				if _, err := r.Recv(r.World(), ranks-1, 0, cluster.Data{}); err != nil {
					return err
				}
				w = r.Lib().Port().(*thread).w
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				stuck := w.stuck()
				runtime.ReadMemStats(&after)
				bytes = after.TotalAlloc - before.TotalAlloc
				if len(stuck) > 0 {
					t.Errorf("%d ranks: %d of them are stuck", ranks, len(stuck))
				}
				for to := ranks / 2; to < ranks; to++ {
					if err := r.Send(r.World(), to, 0, cluster.Data{}); err != nil {
						return err
					}
				}
			case me >= ranks/2:
				if me == ranks-1 {
					if err := r.Send(r.World(), 0, 0, cluster.Data{}); err != nil {
						return err
					}
				}
				if _, err := r.Recv(r.World(), 0, 0, cluster.Data{}); err != nil {
					return err
				}
			}
			return r.Barrier(r.World())
		})
		if err == nil {
			err = run.Wait()
		}
		if err != nil {
			t.Fatal(err)
		}
		return float64(bytes) / float64(ranks)
	}
	few, many := perRank(500), perRank(4000)
	t.Logf("%.0f B per rank of 500, %.0f B per rank of 4000", few, many)
	if many > 1.5*few {
		t.Errorf("a search takes %.0f B per rank of 500, and %.0f B per rank of 4000", few, many)
	}
}
