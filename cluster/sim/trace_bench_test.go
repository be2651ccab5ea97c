package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// ringSteps exchanges messages with both neighbours on a ring, and computes between two steps.
func ringSteps(steps int, size int64) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		w, me, n := r.World(), r.ID(), r.Ranks()
		qs := make([]cluster.Request, 4)
		for range steps {
			r.Compute(cluster.Work{Flops: float64(1000 + me%7)}, nil)
			for i, peer := range [...]int{(me + n - 1) % n, (me + 1) % n} {
				if err := r.Irecv(&qs[i], w, peer, 1-i, cluster.Sized(size)); err != nil {
					return err
				}
				if err := r.Isend(&qs[2+i], w, peer, i, cluster.Sized(size)); err != nil {
					return err
				}
			}
			if err := r.Waitall(qs, nil); err != nil {
				return err
			}
		}
		return nil
	}
}

// TestTraceSize checks that a trace takes at most 64 bytes per event.
func TestTraceSize(t *testing.T) {
	for _, size := range []int64{8, 8192, 100_000} {
		run := traced(t, clustertest.Spec(clustertest.Priced(), 64, 2), ringSteps(50, size))
		if per := 16 * float64(run.Path().Records) / float64(run.Events()); per > 64 {
			t.Errorf("messages of %d B: %g bytes per event, want at most 64", size, per)
		} else {
			t.Logf("messages of %d B: %.1f bytes per event", size, per)
		}
	}
}

// BenchmarkTrace runs the same programs with and without a trace.
func BenchmarkTrace(b *testing.B) {
	for _, c := range []struct {
		name string
		size int64
	}{{"eager", 1024}, {"rendezvous", 100_000}} {
		for _, on := range []bool{false, true} {
			name := c.name + "/off"
			if on {
				name = c.name + "/on"
			}
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					run, err := simulate(b, &sim.Fabric{Trace: on}, clustertest.Spec(clustertest.Priced(), 256, 2), ringSteps(50, c.size))
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(run.Events()), "events")
				}
			})
		}
	}
}
