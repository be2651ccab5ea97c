package clustertest

import "github.com/hybridtop/hybridtop/cluster"

// Host is a host as it is: time is its own wall clock, and a rank progresses in its
// own calls.
func Host() cluster.Machine {
	return cluster.Machine{Name: "this-host", Progress: cluster.ProgressCall, EagerLimit: 8192}
}

// Emulated is a small machine whose links and processors take their time on a host.
func Emulated() cluster.Machine {
	return cluster.Machine{
		Name: "emulated", Emulated: true, Progress: cluster.ProgressCall, EagerLimit: 8192,
		Flops: 1e9, MemoryRate: 1e9,
		Classes: [cluster.Classes]cluster.Link{
			cluster.InRank: {},
			cluster.InNode: {Latency: 500 * cluster.Nanosecond, Bandwidth: 8e9},
			cluster.Remote: {Latency: 2 * cluster.Microsecond, Bandwidth: 4e9, Adapters: 1},
		},
	}
}

// Priced is a small machine with a cost for everything that a simulation charges.
func Priced() cluster.Machine {
	return cluster.Machine{
		Name: "small", Progress: cluster.ProgressCall, EagerLimit: 8192,
		Flops: 1e9, MemoryRate: 4e9, NodeRate: 10e9,
		CollectiveNetwork: cluster.CollectiveNetwork{Latency: 2 * cluster.Microsecond, Bandwidth: 1e9,
			Barrier: 1500 * cluster.Nanosecond},
		AtomicTime: 50 * cluster.Nanosecond, HandlerTime: 100 * cluster.Nanosecond, PollTime: 20 * cluster.Nanosecond,
		Classes: [cluster.Classes]cluster.Link{
			cluster.InRank: {Latency: 50 * cluster.Nanosecond, Bandwidth: 10e9},
			cluster.InNode: {Latency: 200 * cluster.Nanosecond, Overhead: 100 * cluster.Nanosecond, Bandwidth: 8e9},
			cluster.Remote: {Latency: 1 * cluster.Microsecond, Overhead: 300 * cluster.Nanosecond,
				Gap: 100 * cluster.Nanosecond, Bandwidth: 4e9, Adapters: 1},
		},
	}
}

// Lagging is a machine whose puts outlast barriers: a word takes longer than the
// latencies of a small barrier, and two adapters let a short message pass a long one.
// It reports false where transfers take the host's own time.
func Lagging(m cluster.Machine) (cluster.Machine, bool) {
	for _, c := range []cluster.Class{cluster.InNode, cluster.Remote} {
		if m.Classes[c].Latency == 0 {
			return m, false
		}
		m.Classes[c].Bandwidth = 2e6
	}
	m.Classes[cluster.Remote].Adapters = 2
	return m, true
}

// With is a machine whose ranks progress in another way.
func With(m cluster.Machine, p cluster.Progress) cluster.Machine {
	m.Progress = p
	return m
}
