package sim_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// traced runs a program with a trace.
func traced(t *testing.T, s cluster.Spec, body func(*cluster.Rank) error) *sim.Run {
	t.Helper()
	run, err := simulate(t, &sim.Fabric{Trace: true}, s, body)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// wholePath checks that the pieces of a critical path are contiguous from launch to the end of the
// run, and that the shares are their sums.
func wholePath(run *sim.Run) error {
	p := run.Path()
	at := cluster.Time(0)
	var share [sim.Causes]cluster.Time
	var spans [sim.Constants]cluster.Time
	for i, s := range p.Segments {
		if s.Start != at || s.Span <= 0 {
			return fmt.Errorf("segment %d of %d: %d ps of %s on rank %d from %d ps on, want it from %d ps on", i,
				len(p.Segments), s.Span, s.Constant.Cause(), s.Rank, s.Start, at)
		}
		at += s.Span
		share[s.Constant.Cause()] += s.Span
		spans[s.Constant] += s.Span
	}
	if at != p.Total || p.Total != run.Total() || share != p.Share || spans != p.Spans {
		return fmt.Errorf("segments end at %d ps of %d ps, the run took %d ps; shares %v, want %v", at, p.Total,
			run.Total(), p.Share, share)
	}
	return nil
}

// The critical path of small programs, by cause. The sum is the whole run.
func TestPath(t *testing.T) {
	const ns, us = cluster.Nanosecond, cluster.Microsecond
	m := cluster.Machine{
		Name: "tested", Progress: cluster.ProgressCall, EagerLimit: 1 << 20, Flops: 1e9, MemoryRate: 4e9, NodeRate: 5e9,
		AtomicTime: 50 * ns, HandlerTime: 100 * ns, PollTime: 20 * ns,
		Classes: [cluster.Classes]cluster.Link{
			cluster.InNode: {Latency: 200 * ns, Overhead: 100 * ns, Bandwidth: 8e9},
			cluster.Remote: {Latency: 1 * us, Overhead: 300 * ns, Gap: 100 * ns, Bandwidth: 4e9, Adapters: 1},
		},
	}
	type share map[sim.Cause]cluster.Time
	for _, c := range []struct {
		name           string
		nodes, perNode int
		body           func(r *cluster.Rank) error
		want           share
	}{
		{"computing", 1, 1, func(r *cluster.Rank) error {
			r.Compute(cluster.Work{Flops: 5000}, nil)
			return nil
		}, share{sim.CauseCompute: 5 * us}},
		{"a small message", 2, 1, func(r *cluster.Rank) error {
			if r.ID() == 0 {
				return r.Send(r.World(), 1, 0, cluster.Of([]byte{1}))
			}
			_, err := r.Recv(r.World(), 0, 0, cluster.Of(make([]byte, 1)))
			return err
		}, share{sim.CauseOverhead: 600 * ns, sim.CauseLatency: us}},
		{"a long message", 2, 1, func(r *cluster.Rank) error {
			b := make([]byte, 40001)
			if r.ID() == 0 {
				return r.Send(r.World(), 1, 0, cluster.Of(b))
			}
			_, err := r.Recv(r.World(), 0, 0, cluster.Of(b))
			return err
		}, share{sim.CauseOverhead: 600 * ns, sim.CauseLatency: us, sim.CauseBytes: 10 * us}},
		{"a rendezvous", 2, 1, func(r *cluster.Rank) error {
			b := make([]byte, 4001)
			if r.ID() == 0 {
				return r.Ssend(r.World(), 1, 0, cluster.Of(b))
			}
			_, err := r.Recv(r.World(), 0, 0, cluster.Of(b))
			return err
		}, share{sim.CauseOverhead: 1200 * ns, sim.CauseLatency: 3 * us, sim.CauseBytes: us}},
		{"a receiver that computes for longer", 2, 1, func(r *cluster.Rank) error {
			if r.ID() == 0 {
				return r.Send(r.World(), 1, 0, cluster.Of([]byte{1}))
			}
			r.Compute(cluster.Work{Flops: 5000}, nil)
			_, err := r.Recv(r.World(), 0, 0, cluster.Of(make([]byte, 1)))
			return err
		}, share{sim.CauseCompute: 5 * us, sim.CauseOverhead: 300 * ns}},
		{"two ranks that share an adapter", 2, 2, func(r *cluster.Rank) error {
			b := make([]byte, 4001)
			if r.ID() < 2 {
				return r.Send(r.World(), 2+r.ID(), 0, cluster.Of(b))
			}
			_, err := r.Recv(r.World(), r.ID()-2, 0, cluster.Of(b))
			return err
		}, share{sim.CauseOverhead: 600 * ns, sim.CauseLatency: us, sim.CauseBytes: 2 * us, sim.CauseGap: 100 * ns}},
		{"two ranks that share memory", 1, 2, func(r *cluster.Rank) error {
			r.Compute(cluster.Work{Bytes: 40000}, nil)
			return nil
		}, share{sim.CauseMemory: 16 * us}},
		{"a late rank at a barrier", 4, 1, func(r *cluster.Rank) error {
			if r.ID() == 2 {
				r.Compute(cluster.Work{Flops: 5000}, nil)
			}
			return r.Barrier(r.All())
		}, share{sim.CauseCompute: 5 * us, sim.CauseOverhead: 1200 * ns, sim.CauseLatency: 2 * us}},
		{"a put and its acknowledgement", 2, 1, func(r *cluster.Rank) error {
			if r.ID() == 0 {
				return r.Put(cluster.At(1, 0), cluster.Of(make([]byte, 4001)))
			}
			return nil
		}, share{sim.CauseOverhead: 300 * ns, sim.CauseLatency: 2 * us, sim.CauseBytes: us}},
		{"a get", 2, 1, func(r *cluster.Rank) error {
			if r.ID() == 0 {
				return r.Get(cluster.At(1, 0), cluster.Of(make([]byte, 4001)))
			}
			return nil
		}, share{sim.CauseOverhead: 300 * ns, sim.CauseLatency: 2 * us, sim.CauseBytes: us}},
		{"an atomic", 2, 1, func(r *cluster.Rank) error {
			if r.ID() == 0 {
				_, err := r.Atomic(cluster.At(1, 0), cluster.AtomicAdd, 1)
				return err
			}
			return nil
		}, share{sim.CauseOverhead: 300 * ns, sim.CauseLatency: 2 * us, sim.CauseMemory: 50 * ns}},
		{"an RPC", 2, 1, func(r *cluster.Rank) error {
			fn := r.Register(func(cluster.RPC) uint64 { return 0 })
			if r.ID() == 0 {
				_, err := r.RPC(1, fn, 0, cluster.Data{})
				return err
			}
			return nil
		}, share{sim.CauseOverhead: 600 * ns, sim.CauseLatency: 2 * us, sim.CauseCompute: 100 * ns}},
		{"the last of three threads", 1, 1, func(r *cluster.Rank) error {
			return r.Fork(3, func(t *cluster.Thread) error {
				t.Compute(cluster.Work{Flops: []float64{1000, 3000, 5000}[t.Number()]}, nil)
				return nil
			})
		}, share{sim.CauseCompute: 5 * us}},
		{"the longest of three threads", 1, 1, func(r *cluster.Rank) error {
			return r.Fork(3, func(t *cluster.Thread) error {
				t.Compute(cluster.Work{Flops: []float64{1000, 5000, 3000}[t.Number()]}, nil)
				return nil
			})
		}, share{sim.CauseCompute: 5 * us}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := clustertest.Spec(m, c.nodes, c.perNode)
			s.Segment = 8 << 10
			run := traced(t, s, c.body)
			if err := wholePath(run); err != nil {
				t.Error(err)
			}
			for why, span := range run.Path().Share {
				if want := c.want[sim.Cause(why)]; span != want {
					t.Errorf("%s: %v, want %v", sim.Cause(why), span, want)
				}
			}
		})
	}
}

// The critical path of any program has the length of the run, and a trace changes nothing.
func TestPathIsWhole(t *testing.T) {
	for seed := range uint64(60) {
		m := anyMachine(seed)
		p := generate(seed, &m)
		s := clustertest.Spec(m, []int{6, 3, 2}[seed%3], []int{1, 2, 3}[seed%3])
		run := traced(t, p.Spec(s), clustertest.NewPlay(p).Body)
		if err := wholePath(run); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if _, plain := times(t, s, p); plain.Hash() != run.Hash() || plain.Total() != run.Total() {
			t.Errorf("seed %d: hash %016x and %d ps with a trace, %016x and %d ps without", seed, run.Hash(), run.Total(),
				plain.Hash(), plain.Total())
		}
	}
}
