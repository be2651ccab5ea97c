package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// overlapped returns the time of two allreduces in progress while each rank computes in slices,
// with a test between two slices.
func overlapped(t *testing.T, p cluster.Progress, compute cluster.Time, slices int) cluster.Time {
	m := clustertest.With(clustertest.Priced(), p)
	m.Flops = 1e12
	m.MemoryRate = 0
	m.NodeRate = 0
	m.CoresPerNode = 2
	run := simulated(t, clustertest.Spec(m, 32, 1), func(r *cluster.Rank) error {
		c, err := coll.New(r, r.All())
		if err != nil {
			return err
		}
		a, err := coll.Find(coll.OpAllreduce, "rabenseifner")
		if err != nil {
			return err
		}
		k, err := a.Key(coll.Parameters{Ranks: 32})
		if err != nil {
			return err
		}
		var runs [2]*coll.Run
		var done [2]bool
		for i := range runs {
			runs[i], err = c.Start(k.Sized(false, 64<<10, 8))
			if err != nil {
				return err
			}
		}
		for slice := range slices {
			r.Compute(cluster.Work{Flops: compute.Seconds() * 1e12 / float64(slices)}, nil)
			for i := 0; i < len(runs) && slice < slices-1; i++ {
				if !done[i] {
					done[i], err = runs[i].Test()
					if err != nil {
						return err
					}
				}
			}
		}
		for i, x := range runs {
			if !done[i] {
				if err := x.Wait(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return run.Total()
}

// The machine's progress engine advances collectives while a rank computes. With the rank's own
// calls, more slices hide more of the collectives, and each test costs time. A thread or the
// adapter hides them completely.
func TestCollectivesOverlapWithComputing(t *testing.T) {
	const compute = 400 * cluster.Microsecond
	alone := overlapped(t, cluster.ProgressCall, 0, 1)
	call := overlapped(t, cluster.ProgressCall, compute, 1)
	few, many := overlapped(t, cluster.ProgressCall, compute, 8), overlapped(t, cluster.ProgressCall, compute, 64)
	endless := overlapped(t, cluster.ProgressCall, compute, 50_000)
	thread, offload := overlapped(t, cluster.ProgressThread, compute, 1),
		overlapped(t, cluster.ProgressOffload, compute, 1)
	t.Logf("alone %s; call %s, 8 slices %s, 64 slices %s, 50000 slices %s; thread %s, offload %s", alone, call, few,
		many, endless, thread, offload)
	if !(call > compute+alone/2 && few < call && many < few) {
		t.Errorf("by calls %s, in 8 slices %s, in 64 %s: each hides more of %s", call, few, many, alone)
	}
	if endless < many {
		t.Errorf("in 50,000 slices %s, in 64 %s: tests cost nothing", endless, many)
	}
	for name, got := range map[string]cluster.Time{"a thread": thread, "offload": offload} {
		if got < compute || got > compute+compute/20 {
			t.Errorf("by %s %s, want %s and little more", name, got, compute)
		}
	}
}
