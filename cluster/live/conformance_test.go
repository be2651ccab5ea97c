package live_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// The live fabric keeps the contract on this host, with and without a thread for
// progress, with lanes for threads, and on a small emulated machine.
func TestConformance(t *testing.T) {
	host := cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall, EagerLimit: 8192}
	threaded := host
	threaded.Progress = cluster.ProgressThread
	emulated := cluster.Machine{
		Name: "emulated", Emulated: true, Progress: cluster.ProgressCall, EagerLimit: 8192,
		Flops: 1e9, MemoryRate: 1e9,
		Classes: [cluster.Classes]cluster.Link{
			cluster.InRank: {},
			cluster.InNode: {Latency: 500 * cluster.Nanosecond, Bandwidth: 8e9},
			cluster.Remote: {Latency: 2 * cluster.Microsecond, Bandwidth: 4e9, Adapters: 1},
		},
	}
	t.Run("host", func(t *testing.T) { clustertest.Run(t, live.New(), host) })
	t.Run("host, progress threads", func(t *testing.T) { clustertest.Run(t, live.New(), threaded) })
	t.Run("host, lanes", func(t *testing.T) { clustertest.Run(t, live.New(), host, clustertest.Threads(4)) })
	t.Run("emulated", func(t *testing.T) { clustertest.Run(t, live.New(), emulated, clustertest.Smaller(3)) })
}
