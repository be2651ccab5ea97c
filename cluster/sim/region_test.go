package sim_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// crew returns a machine and three of its times: a region F, a thread barrier B and an atomic A. A
// flop takes a nanosecond; o, L and g are one microsecond each.
func crew() (m cluster.Machine, F, B, A cluster.Time) {
	const us = cluster.Microsecond
	F = 7 * us
	B = 3 * us
	A = 100 * cluster.Nanosecond
	m = cluster.Machine{Name: "crew", Emulated: true, Flops: 1e9, EagerLimit: 1 << 20,
		ForkTime: F, ThreadBarrierTime: B, AtomicTime: A, PollTime: 10 * cluster.Nanosecond,
		Progress: cluster.ProgressOffload}
	for c := range m.Classes {
		m.Classes[c] = cluster.Link{Latency: us, Overhead: us, Gap: us}
	}
	return m, F, B, A
}

func work(t cluster.Time) cluster.Work {
	return cluster.Work{Flops: float64(t / cluster.Nanosecond)}
}

// TestRegion checks the costs of a parallel region's constructs, to the picosecond.
func TestRegion(t *testing.T) {
	m, F, B, A := crew()
	const us = cluster.Microsecond
	for _, c := range []struct {
		name    string
		threads int
		body    func(th *cluster.Thread) error
		want    cluster.Time
	}{
		{"a region of one thread is free", 1, func(th *cluster.Thread) error { th.Compute(work(5*us), nil); return nil },
			5 * us},
		{"a region ends with its slowest thread", 4, func(th *cluster.Thread) error {
			th.Compute(work(cluster.Time(th.Number())*us), nil)
			return nil
		}, F + 3*us},
		{"a thread barrier waits for the last thread and has a cost", 4, func(th *cluster.Thread) error {
			th.Compute(work(cluster.Time(th.Number())*us), nil)
			th.Meet()
			th.Compute(work(cluster.Time(4-th.Number())*us), nil)
			return nil
		}, F + 3*us + B + 4*us},
		{"a static loop takes the longest share", 4, func(th *cluster.Thread) error {
			return th.For(10, cluster.Loop{}, func(lo, hi int) error {
				th.Compute(work(cluster.Time(hi-lo)*us), nil)
				return nil
			})
		}, F + 3*us + B}, // 10 over 4: 3, 3, 2, 2
		{"with one reserved thread, the others share the loop and it waits", 4, func(th *cluster.Thread) error {
			return th.For(12, cluster.Loop{Reserved: 1}, func(lo, hi int) error {
				th.Compute(work(cluster.Time(hi-lo)*us), nil)
				return nil
			})
		}, F + 4*us + B},
		// Each draw is an atomic on one word, and atomics are serialized: thread k gets its first
		// chunk at (k + 1)A. Two threads have 3 chunks each, and a last draw finds no chunk.
		{"a dynamic loop draws", 2, func(th *cluster.Thread) error {
			return th.For(6, cluster.Loop{Schedule: cluster.Dynamic}, func(lo, hi int) error {
				th.Compute(work(us), nil)
				return nil
			})
		}, F + 2*A + 3*us + 3*A + B},
		{"one thread runs a single section; the others wait at its barrier", 3, func(th *cluster.Thread) error {
			return th.Single(func() error { th.Compute(work(9*us), nil); return nil })
		}, F + A + 9*us + B}, // the first thread enters at A
		{"the master's section has no barrier", 3, func(th *cluster.Thread) error {
			if err := th.Master(func() error { th.Compute(work(2*us), nil); return nil }); err != nil {
				return err
			}
			th.Compute(work(5*us), nil)
			return nil
		}, F + 7*us},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := simulated(t, clustertest.Spec(m, 1, 1), func(r *cluster.Rank) error { return r.Fork(c.threads, c.body) })
			if got := run.Total(); got != c.want {
				t.Errorf("took %v, want %v", got, c.want)
			}
		})
	}
}

// TestSerializedInVirtualTime checks that virtual time decides whether two calls overlap, not the
// order of coroutines.
func TestSerializedInVirtualTime(t *testing.T) {
	m, _, _, _ := crew()
	const us = cluster.Microsecond
	for _, c := range []struct {
		name    string
		later   cluster.Time // time of the second thread's send; the first send takes from 0 to 1 µs
		refused bool
	}{
		{"while the first is inside", us / 2, true},
		{"as the first leaves", us, false},
		{"after it", 2 * us, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := clustertest.Spec(m, 2, 1)
			spec.Threading = cluster.ThreadSerialized
			_, err := simulate(t, sim.New(), spec, func(r *cluster.Rank) error {
				if r.ID() == 1 {
					return nil
				}
				return r.Fork(2, func(th *cluster.Thread) error {
					if th.Number() == 1 {
						th.Compute(work(c.later), nil)
					}
					return th.Send(th.World(), 1, 0, cluster.Of(make([]byte, 8)))
				})
			})
			if refused := err != nil && strings.Contains(err.Error(),
				"rank 0 thread 1: send: thread 0 is inside an MPI call"); refused != c.refused || err != nil && !refused {
				t.Errorf("error %v, refused should be %v", err, c.refused)
			}
		})
	}
}

// TestBlockingCallStaysInside: a wait that overlaps a send violates SERIALIZED
// (paper 2, section 3: only one thread may execute an MPI routine at a time).
func TestBlockingCallStaysInside(t *testing.T) {
	m, _, _, _ := crew()
	spec := clustertest.Spec(m, 2, 1)
	spec.Threading = cluster.ThreadSerialized
	_, err := simulate(t, sim.New(), spec, func(r *cluster.Rank) error {
		if r.ID() == 1 {
			r.Compute(work(50*cluster.Microsecond), nil)
			return r.Send(r.World(), 0, 1, cluster.Data{})
		}
		var q cluster.Request
		if err := r.Irecv(&q, r.World(), 1, 1, cluster.Data{}); err != nil {
			return err
		}
		return r.Fork(2, func(th *cluster.Thread) error {
			if th.Number() == 0 {
				_, err := th.Wait(&q)
				return err
			}
			th.Compute(work(20*cluster.Microsecond), nil)
			return th.Send(th.World(), 1, 0, cluster.Data{})
		})
	})
	if err == nil || !strings.Contains(err.Error(), "rank 0 thread 1: send: thread 0 is inside an MPI call") {
		t.Errorf("error %v, want an error of the send", err)
	}
}
