package sim_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// Accesses that are charged at once take the time of the same number of gets, to the picosecond.
// Their counts are equal too.
func TestChargedAccessesAreGets(t *testing.T) {
	for seed := range uint64(24) {
		m := anyMachine(seed)
		m.LinkNoise = 0
		m.Sockets = 0
		m.Slow = nil
		if seed%3 == 0 {
			for _, c := range []cluster.Class{cluster.InRank, cluster.InNode} {
				m.Classes[c].Access = cluster.Time(7_000 + 1_000*seed)
			}
		}
		for to, name := range []string{"in rank", "in node", "remote"} {
			for _, n := range []int64{1, 8, 40, 64, 100} {
				var each, once cluster.Time
				var traffic [2]cluster.Traffic
				const times = 3
				for way := range 2 {
					clustertest.Must(t, sim.New(), clustertest.Spec(m, 2, 2), func(r *cluster.Rank) error {
						if r.ID() != 0 {
							return nil
						}
						start := sim.Clock(r.Lib().Port())
						if way == 0 {
							for range times {
								if err := r.Get(cluster.At(to, 0), cluster.Of(make([]byte, n))); err != nil {
									return err
								}
							}
							each = sim.Clock(r.Lib().Port()) - start
						} else {
							ops := make([]int64, 4)
							ops[to] = times
							if err := r.ChargeAccesses(cluster.Charge{Ops: ops, Bytes: n}); err != nil && !strings.Contains(err.Error(),
								"adapters") {
								return err
							}
							once = sim.Clock(r.Lib().Port()) - start
						}
						traffic[way] = *r.Traffic()
						return nil
					})
				}
				if each != once || traffic[0].Ops != traffic[1].Ops || traffic[0].Bytes != traffic[1].Bytes {
					t.Errorf("seed %d, %s, %d B: %d gets take %d ps, charged at once %d", seed, name, n, times, each, once)
				}
			}
		}
	}
}

// If all ranks read from one node, its adapter is the bottleneck and charging is an error. If each
// rank reads from another node, it is not.
func TestChargeIsRefusedWhereAnAdapterIsBusy(t *testing.T) {
	m := clustertest.Host()
	m.Classes[cluster.Remote] = cluster.Link{Latency: 4 * cluster.Microsecond, Gap: cluster.Microsecond, Bandwidth: 1e9,
		Adapters: 1}
	const ranks = 8
	for _, spread := range []bool{true, false} {
		err := clustertest.Launch(t, sim.New(), clustertest.Spec(m, ranks, 1), func(r *cluster.Rank) error {
			if r.ID() == 0 && !spread {
				return nil
			}
			ops := make([]int64, ranks)
			to := 0
			if spread {
				to = (r.ID() + 1) % ranks
			}
			ops[to] = 100
			return r.ChargeAccesses(cluster.Charge{Ops: ops, Bytes: 8})
		})
		want := "charge of accesses: the adapters of node 0 would send for 5"
		if spread && err != nil || !spread && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("spread %v: %v, want %q if not", spread, err, want)
		}
	}
	served := m
	served.Server = cluster.Server{Send: 1}
	err := clustertest.Launch(t, sim.New(), clustertest.Spec(served, ranks, 1), func(r *cluster.Rank) error {
		return r.ChargeAccesses(cluster.Charge{Ops: make([]int64, ranks), Bytes: 8})
	})
	if err == nil || !strings.Contains(err.Error(), "message servers") ||
		!strings.Contains(err.Error(), "make each access") {
		t.Errorf("on a machine with message servers: %v", err)
	}
	for _, c := range []struct {
		ops  []int64
		n    int64
		want string
	}{{make([]int64, 3), 8, "of 8 B to 3 threads: the group has 8"}, {make([]int64, 8), 0, "of 0 B"},
		{[]int64{0, -1, 0, 0, 0, 0, 0, 0}, 8, "charge of -1 accesses to thread 1"}} {
		err := clustertest.Launch(t, sim.New(), clustertest.Spec(m, ranks, 1), func(r *cluster.Rank) error {
			return r.ChargeAccesses(cluster.Charge{Ops: c.ops, Bytes: c.n})
		})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v of %d B: %v, want %q", c.ops, c.n, err, c.want)
		}
	}
}
