package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// machine is a small machine with a cost for everything.
func machine() cluster.Machine {
	return cluster.Machine{
		Name: "small", Progress: cluster.ProgressCall, EagerLimit: 8192,
		Flops: 1e9, MemoryRate: 4e9, NodeRate: 10e9,
		AtomicTime: 50 * cluster.Nanosecond, HandlerTime: 100 * cluster.Nanosecond, PollTime: 20 * cluster.Nanosecond,
		Classes: [cluster.Classes]cluster.Link{
			cluster.InRank: {Latency: 50 * cluster.Nanosecond, Bandwidth: 10e9},
			cluster.InNode: {Latency: 200 * cluster.Nanosecond, Overhead: 100 * cluster.Nanosecond, Bandwidth: 8e9},
			cluster.Remote: {Latency: 1 * cluster.Microsecond, Overhead: 300 * cluster.Nanosecond, Gap: 100 * cluster.Nanosecond, Bandwidth: 4e9, Adapters: 1},
		},
	}
}

// The simulator keeps the contract, however it progresses.
func TestConformance(t *testing.T) {
	for _, p := range []cluster.Progress{cluster.ProgressCall, cluster.ProgressOffload, cluster.ProgressThread} {
		t.Run(string(p), func(t *testing.T) {
			m := machine()
			m.Progress = p
			clustertest.Run(t, sim.New(), m, clustertest.OneAtATime())
		})
	}
}
