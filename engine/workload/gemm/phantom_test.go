package gemm

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// A product without numbers takes the time of one that has them, to the picosecond, and so
// does the wait of every rank.
func TestPhantomsTakeTheSameTime(t *testing.T) {
	machine := cluster.Machine{
		Name: "costs", Emulated: true, Progress: cluster.ProgressCall, Flops: 1e9, MemoryRate: 8e9, NodeRate: 8e9, EagerLimit: 1024,
		Classes: [cluster.Classes]cluster.Link{
			{Latency: 100 * cluster.Nanosecond, Bandwidth: 4e9},
			{Latency: 500 * cluster.Nanosecond, Bandwidth: 2e9},
			{Latency: 2 * cluster.Microsecond, Overhead: 300 * cluster.Nanosecond, Bandwidth: 4e8, Adapters: 1},
		},
	}
	const ranks = 6
	for _, turned := range [][]string{
		{"schedule", "blocking"}, {"ahead", "2", "slices", "4"}, {"transfer", "put"}, {"transfer", "put", "sync-in", "nosync", "slices", "2"},
		{"transfer", "rendezvous", "algorithm", "chain", "segments", "3"},
	} {
		k := gemm.Scenario([]string{"demo"})
		for i := 0; i < len(turned); i += 2 {
			if err := k.Set(turned[i], turned[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		var took [2][ranks]span
		for i, real := range []bool{true, false} {
			spec := cluster.Spec{Machine: machine, Segment: 1 << 20, Modelled: 1 << 21, EagerLimit: -1,
				Layout: cluster.Layout{Nodes: ranks, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}}
			err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
				of := problem{shape{2, 3}, 100, 8}
				teams, err := teamsOf(r, of.shape)
				if err != nil {
					return err
				}
				x, err := newProduct(r, workload.Still{Scenario: &k}, of, teams, cluster.Bytewise(real))
				if err != nil {
					return err
				}
				if real {
					x.fill()
				}
				for range 2 {
					if err := x.multiply(); err != nil {
						return err
					}
				}
				took[i][r.ID()] = x.spans
				return x.free()
			})
			if err != nil {
				t.Fatalf("%v: %v", turned, err)
			}
		}
		if took[0] != took[1] {
			t.Errorf("%v: with numbers\n%+v, without\n%+v", turned, took[0], took[1])
		}
		if took[0][0].all == 0 {
			t.Errorf("%v: takes no time", turned)
		}
	}
}
