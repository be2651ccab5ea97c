package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Messages from one rank to another match in the order of sending (MPI 4.1, section 3.5), even if
// many adapters and other messages delay them at the target. Every rank sends messages around the
// eager limit to every other rank, mostly to rank 0, and receives from any source.
func TestCrowdedAdaptersKeepOrder(t *testing.T) {
	const ranks, rounds, limit = 12, 30, 64
	for seed := range uint64(40) {
		m := anyMachine(seed)
		if seed%2 == 1 { // equal and round costs, so that many events have equal times
			m = cluster.Machine{Name: "round", Progress: progresses[seed%3], Classes: [cluster.Classes]cluster.Link{
				cluster.InRank: {Latency: 1_000_000, Bandwidth: 1e9},
				cluster.InNode: {Latency: 1_000_000, Bandwidth: 1e9},
				cluster.Remote: {Latency: 1_000_000, Bandwidth: 1e9},
			}}
		}
		m.EagerLimit = limit
		m.Classes[cluster.Remote].Adapters = 1 + int(seed%3)
		nodes := []int{12, 6, 3}[seed%3]
		if m.Topology.Shape != "" {
			m.Topology.Dims = []int{3, 2, 2}
		}
		mix := clustertest.Mix{Ops: clustertest.Messages | clustertest.Wildcards, Ranks: ranks, Limit: limit, Phases: 1,
			Length: ranks * rounds}
		times(t, clustertest.Spec(m, nodes, ranks/nodes), clustertest.Draw(seed, mix))
	}
}
