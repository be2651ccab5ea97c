package sim_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// one is a spec of a rank a node on a crossbar of LogGP costs.
func one(ranks int) cluster.Spec {
	return cluster.Spec{
		Machine: cluster.Machine{
			Name: "loggp", Progress: cluster.ProgressOffload, EagerLimit: 65536,
			Classes: [cluster.Classes]cluster.Link{
				cluster.InRank: {Latency: 100 * cluster.Nanosecond, Bandwidth: 10e9},
				cluster.Remote: {Latency: 1 * cluster.Microsecond, Overhead: 200 * cluster.Nanosecond, Gap: 50 * cluster.Nanosecond, Bandwidth: 10e9, Adapters: 1},
			},
		},
		Layout:     cluster.Layout{Nodes: ranks, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat},
		EagerLimit: -1,
	}
}

// halo exchanges faces with the six neighbours in a periodic box.
func halo(side [3]int, steps int, face int64) func(r *cluster.Rank) error {
	return func(r *cluster.Rank) error {
		w := r.World()
		id := r.ID()
		at := [3]int{id % side[0], id / side[0] % side[1], id / (side[0] * side[1])}
		var peers [6]int
		for d := range 3 {
			for s := range 2 {
				to := at
				to[d] = (to[d] + 2*s - 1 + side[d]) % side[d]
				peers[2*d+s] = to[0] + side[0]*(to[1]+side[1]*to[2])
			}
		}
		qs := make([]cluster.Request, 12)
		for range steps {
			for i, p := range peers {
				if err := r.IrecvPhantom(&qs[i], w, p, i^1, face); err != nil {
					return err
				}
			}
			for i, p := range peers {
				if err := r.IsendPhantom(&qs[6+i], w, p, i, face); err != nil {
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

func BenchmarkHalo(b *testing.B) {
	for _, side := range [][3]int{{8, 8, 8}, {16, 16, 16}, {32, 32, 32}} {
		ranks := side[0] * side[1] * side[2]
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			b.ReportAllocs()
			const steps = 50
			for b.Loop() {
				if err := cluster.Launch(b.Context(), sim.New(), one(ranks), halo(side, steps, 8192)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(ranks)*6*steps/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}

// bcast is one binomial broadcast of 8 B over all ranks.
func bcast(r *cluster.Rank) error {
	w, me, p := r.World(), r.ID(), r.Ranks()
	mask := 1
	for ; mask < p && me&mask == 0; mask <<= 1 {
	}
	if me != 0 {
		if _, err := r.RecvPhantom(w, me-mask, 0, 8); err != nil {
			return err
		}
	}
	for mask >>= 1; mask > 0; mask >>= 1 {
		if me+mask < p {
			if err := r.SendPhantom(w, me+mask, 0, 8); err != nil {
				return err
			}
		}
	}
	return nil
}

func BenchmarkBroadcast(b *testing.B) {
	for _, ranks := range []int{1 << 10, 1 << 16, 1 << 20} {
		b.Run(fmt.Sprintf("ranks=%d", ranks), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := cluster.Launch(b.Context(), sim.New(), one(ranks), bcast); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*float64(ranks-1)/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}
