package explain

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

const us = cluster.Microsecond

// pairMachine is the machine of the pairs.
func pairMachine() cluster.Machine {
	return cluster.Machine{
		Name: "tested", Progress: cluster.ProgressCall, EagerLimit: 8192, Flops: 1e9, MemoryRate: 4e9, LockTime: us / 10,
		AtomicTime: us / 20, PollTime: us / 50, ClockTime: new(cluster.Time), CoresPerNode: 8,
		Classes: [cluster.Classes]cluster.Link{
			cluster.InNode: {Latency: us / 5, Overhead: us / 10, Bandwidth: 8e9},
			cluster.Remote: {Latency: us, Overhead: us / 3, Gap: us / 10, Bandwidth: 1e9, Adapters: 1},
		},
	}
}

// explainBody explains a program.
func explainBody(t *testing.T, m *cluster.Machine, nodes, perNode int, body func(r *cluster.Rank) error) *Run {
	t.Helper()
	s := clustertest.Spec(*m, nodes, perNode)
	run, err := cluster.Start(t.Context(), &sim.Fabric{Trace: true}, s, body)
	if err == nil {
		err = run.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := explained(&engine.Scenario{}, m, run.(*sim.Run).Explained(), s.Layout)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// work computes for a time.
func work(r *cluster.Rank, t cluster.Time) { r.Compute(cluster.Work{Flops: t.Seconds() * 1e9}, nil) }

// exchange sends n bytes from rank 0 to rank 1, after times of computing on both.
func exchange(n int, first, second cluster.Time) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		if r.ID() == 0 {
			work(r, first)
			return r.Send(r.World(), 1, 0, cluster.Sized(int64(n)))
		}
		if r.ID() == 1 {
			work(r, second)
			_, err := r.Recv(r.World(), 0, 0, cluster.Sized(int64(n)))
			return err
		}
		return nil
	}
}

// farther sends to another switch.
func farther(r *cluster.Rank) error {
	switch r.ID() {
	case 0:
		return r.Send(r.World(), 3, 0, cluster.Sized(8000))
	case 3:
		_, err := r.Recv(r.World(), 0, 0, cluster.Sized(8000))
		return err
	}
	return nil
}

// lateReceive lets rank 0 compute after a long send, so that the receiver's delay is on its path.
func lateReceive(late cluster.Time) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		if r.ID() == 0 {
			if err := r.Send(r.World(), 1, 0, cluster.Sized(20000)); err != nil {
				return err
			}
			work(r, 50*us)
			return nil
		}
		work(r, late)
		_, err := r.Recv(r.World(), 0, 0, cluster.Sized(20000))
		return err
	}
}

// unpolled lets rank 0 post a long send, and compute before the next call. Rank 1 waits for the bytes.
func unpolled(t cluster.Time) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		var q cluster.Request
		if r.ID() == 0 {
			if err := r.Isend(&q, r.World(), 1, 0, cluster.Sized(20000)); err != nil {
				return err
			}
			work(r, t)
		} else if err := r.Irecv(&q, r.World(), 0, 0, cluster.Sized(20000)); err != nil {
			return err
		}
		_, err := r.Wait(&q)
		return err
	}
}

// locks lets threads send at once.
func locks(r *cluster.Rank) error {
	if r.ID() == 0 {
		return r.Fork(4, func(t *cluster.Thread) error {
			for k := range 8 {
				if err := t.Send(t.World(), 1, 8*t.Number()+k, cluster.Sized(8)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return nil
}

// incast lets all other ranks send to rank 0.
func incast(n int) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		if r.ID() > 0 {
			if r.ID() <= n {
				return r.Send(r.World(), 0, 0, cluster.Sized(8000))
			}
			return nil
		}
		for k := range n {
			if _, err := r.Recv(r.World(), k+1, 0, cluster.Sized(8000)); err != nil {
				return err
			}
		}
		return nil
	}
}

// barrier lets rank 2 enter last.
func barrier(late cluster.Time) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		if r.ID() == 2 {
			work(r, late)
		}
		return r.Barrier(r.All())
	}
}

// TestPairs checks thirteen pairs of runs with one change. The largest bar of the path, its note and
// its reason name the change and its rank.
func TestPairs(t *testing.T) {
	compute := func(r *cluster.Rank) error {
		work(r, 20*us)
		return r.Barrier(r.All())
	}
	memory := func(r *cluster.Rank) error {
		r.Compute(cluster.Work{Bytes: 40000}, nil)
		return nil
	}
	same := func(*cluster.Machine) {}
	for _, c := range []struct {
		name           string
		nodes, perNode int
		a, b           func(r *cluster.Rank) error
		change         func(m *cluster.Machine)
		bar, where     string
		why            string
	}{
		{"slow node", 4, 1, compute, compute, func(m *cluster.Machine) { m.Slow = []cluster.Slow{{Node: 3, Adapter: -1, Factor: 3}} },
			"flops_per_core slow part", "node 3", "last at the barrier"},
		{"slow adapter", 2, 1, exchange(8000, 0, 0), exchange(8000, 0, 0),
			func(m *cluster.Machine) { m.Slow = []cluster.Slow{{Node: 0, Adapter: 0, Factor: 3}} },
			"remote.bandwidth_bytes_per_s slow part", "node 0", "late sender"},
		{"slow link", 4, 1, farther, farther, func(m *cluster.Machine) { m.Topology.LinkBandwidth = 2e8 },
			"topology.link_bandwidth_bytes_per_s", "node 0", "late sender"},
		{"receive not posted", 2, 1, exchange(20000, 0, 0), exchange(20000, 0, 40*us), same, "flops_per_core", "rank 1", "late receive"},
		{"late receive", 2, 1, lateReceive(0), lateReceive(40 * us), same, "flops_per_core", "rank 1", "late receive"},
		{"late sender", 2, 1, exchange(8, 0, 0), exchange(8, 40*us, 0), same, "flops_per_core", "rank 0", "late sender"},
		{"no rank polls", 2, 1, unpolled(0), unpolled(40 * us), same, "flops_per_core", "rank 0", "no rank polled"},
		{"lock", 2, 1, locks, locks, func(m *cluster.Machine) { m.LockTime = 2 * us }, "lock_time_s", "rank 0", ""},
		{"incast", 8, 1, incast(1), incast(7), same, "remote.bandwidth_bytes_per_s", "rank 0", "receiving adapter"},
		{"last at a barrier", 4, 1, barrier(0), barrier(40 * us), same, "flops_per_core", "rank 2", "last at the barrier"},
		{"detours", 4, 1, compute, compute, func(m *cluster.Machine) { m.DetourRate, m.DetourLength = 2e4, 20*us }, "detour_length_s", "", "last at the barrier"},
		{"noise", 4, 1, compute, compute, func(m *cluster.Machine) { m.ComputeNoise = 0.5 }, "flops_per_core noise", "", "last at the barrier"},
		{"shared memory", 1, 2, memory, memory, func(m *cluster.Machine) { m.NodeRate = 5e9 },
			"memory_rate_per_node_bytes_per_s", "rank 0", "held by another message: memory"},
		{"message server", 2, 4, func(r *cluster.Rank) error {
			if r.ID() < 4 {
				return r.Send(r.World(), r.ID()+4, 0, cluster.Sized(8))
			}
			_, err := r.Recv(r.World(), r.ID()-4, 0, cluster.Sized(8))
			return err
		}, nil, func(m *cluster.Machine) { m.Server = cluster.Server{Send: 5 * us, Receive: us, Handshake: us} },
			"message_server.send_s", "node 0", "message server"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := pairMachine()
			if c.name == "slow link" {
				m.Topology = cluster.Topology{Shape: cluster.FatTree, Dims: []int{2, 2}, LinkBandwidth: 1e9}
			}
			next := m
			c.change(&next)
			if c.b == nil {
				c.b = c.a
			}
			w := Compare(explainBody(t, &m, c.nodes, c.perNode, c.a), explainBody(t, &next, c.nodes, c.perNode, c.b))
			var sum cluster.Time
			for i := range w.Constants {
				sum += w.Constants[i].Span()
			}
			if sum != w.B-w.A || sum <= 0 {
				t.Errorf("bars add up to %d ps, want %d ps", sum, w.B-w.A)
			}
			b := &w.Constants[0]
			if name := strings.TrimSpace(b.Name + " " + b.Note); name != c.bar || !strings.Contains(b.Where, c.where) ||
				!strings.Contains(b.Why, c.why) {
				t.Errorf("largest bar: %s, %q, %q, want %s, %q, %q", name, b.Where, b.Why, c.bar, c.where, c.why)
			}
		})
	}
}
