package sim_test

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// A thread that injects a long message answers an RTS. The CTS has one byte and is not queued
// behind the million bytes that the thread still has to inject. Rank 0 injects for 10 ms; rank 2,
// whose RTS arrives after 1 ms, ends 10 ms later.
func TestAnswersAreNotQueuedBehindBytes(t *testing.T) {
	spec := cluster.Spec{
		Layout: cluster.Layout{Nodes: 3, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat},
		EagerLimit: 1024,
	}
	spec.Machine.Progress = cluster.ProgressCall
	spec.Machine.Flops = 1e9
	spec.Machine.Classes[cluster.Remote] = cluster.Link{Latency: cluster.Microsecond, Bandwidth: 1e9, Adapters: 1,
		ThreadRate: 1e8}
	var done cluster.Time
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		world := r.World()
		switch r.ID() {
		case 0:
			var qs [2]cluster.Request
			if err := r.Irecv(&qs[0], world, 2, 0, cluster.Sized(1e6)); err != nil {
				return err
			}
			if err := r.Isend(&qs[1], world, 1, 0, cluster.Sized(1e6)); err != nil {
				return err
			}
			return r.Waitall(qs[:], nil)
		case 1:
			_, err := r.Recv(world, 0, 0, cluster.Sized(1e6))
			return err
		}
		r.Compute(cluster.Work{Flops: 1e6}, nil)
		err := r.Send(world, 0, 0, cluster.Sized(1e6))
		done = r.Now()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	// 1 ms, a round trip, 10 ms of injection. The CTS waits for the bytes in rank 0's adapter, 1
	// ms.
	if done < 11*cluster.Millisecond || done > 12100*cluster.Microsecond {
		t.Errorf("rank 2 ends at %v, want 11 to 12.1 ms", done)
	}
}

// Each of two threads that wait for a long send injects its own bytes, on a separate adapter.
// Together they take as long as one thread.
func TestThreadsInjectWhatTheyWaitFor(t *testing.T) {
	spec := cluster.Spec{
		Layout: cluster.Layout{Nodes: 2, RanksPerNode: 1, ThreadsPerRank: 2, Ranking: cluster.Sequential,
			Model: cluster.Flat},
		EagerLimit: 1024,
	}
	spec.Machine.Progress = cluster.ProgressCall
	spec.Machine.Classes[cluster.Remote] = cluster.Link{Latency: cluster.Microsecond, Bandwidth: 1e9, Adapters: 2,
		ThreadRate: 1e8}
	took := make(map[int]cluster.Time)
	for _, threads := range []int{1, 2} {
		err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
			err := r.Fork(threads, func(t *cluster.Thread) error {
				if t.ID() == 1 {
					_, err := t.Recv(t.World(), 0, t.Number(), cluster.Sized(1e6))
					return err
				}
				return t.Send(t.World(), 1, t.Number(), cluster.Sized(1e6))
			})
			took[threads] = max(took[threads], r.Now())
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if took[1] < 10*cluster.Millisecond || took[2] > took[1]+took[1]/100 {
		t.Errorf("one thread sends 1 MB in %v, two send 2 MB in %v", took[1], took[2])
	}
}
