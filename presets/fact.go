package presets

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
)

// need states whether a fact is required in a file.
type need int

const (
	needed need = iota // required, with a value
	stated             // required, with a value or as unknown
	free               // optional
	leads              // required if its table has another key
)

// fact is one number of a machine file, or one list of numbers, word or flag.
type fact struct {
	key      string // ends with the unit
	unit     string // in words, for errors
	min, max float64
	need     need
	cost     bool // a cost of emulation or simulation; a machine has all costs or none
	// *int, *int64, *float64, *cluster.Time, **cluster.Time, *[]int, *[]float64, *[]cluster.Slow,
	// *cluster.Shape, *cluster.ThreadLevel, *bool
	field func(m *cluster.Machine) (p any)
}

// Units in words.
const (
	count     = "a whole number"
	wholeB    = "whole bytes"
	perSecond = "bytes per second"
	flops     = "floating-point operations per second"
	seconds   = "seconds"
	relative  = "a share of 1"

	perSecondTimes = "times per second"
)

// symbols are the unit symbols printed after a number.
var symbols = map[string]string{wholeB: "B", perSecond: "B/s", flops: "flop/s", seconds: "s", perSecondTimes: "1/s"}

// facts is the table of numbers, in the order of listings. The bounds detect numbers in a wrong
// unit.
var facts = slices.Concat(
	[]fact{
		{key: "nodes", unit: count, min: 1, max: 1e7, need: stated,
			field: func(m *cluster.Machine) any { return &m.Nodes }},
		{key: "cores_per_node", unit: count, min: 1, max: 1e5, need: stated,
			field: func(m *cluster.Machine) any { return &m.CoresPerNode }},
		{key: "sockets_per_node", unit: count, min: 1, max: 1024, need: free,
			field: func(m *cluster.Machine) any { return &m.Sockets }},
		{key: "memory_per_node_bytes", unit: wholeB, min: 65536, max: 1e15, need: stated,
			field: func(m *cluster.Machine) any { return &m.MemoryPerNode }},
		{key: "eager_limit_bytes", unit: wholeB, min: 0, max: 1e12,
			field: func(m *cluster.Machine) any { return &m.EagerLimit }},
		{key: "thread_level", unit: words(levels), need: free,
			field: func(m *cluster.Machine) any { return &m.Threading }},
		{key: "vcis", unit: count, min: 1, max: cluster.MaxVCIs, need: free,
			field: func(m *cluster.Machine) any { return &m.VCIs }},
		{key: "flops_per_core", unit: flops, min: 1e3, max: 1e18, need: stated, cost: true,
			field: func(m *cluster.Machine) any { return &m.Flops }},
		kernel(cluster.Dgemm), kernel(cluster.Potrf), kernel(cluster.Trsm), kernel(cluster.FFT),
		kernel(cluster.Stencil), kernel(cluster.Chain),
		{key: "memory_rate_per_core_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: stated, cost: true,
			field: func(m *cluster.Machine) any { return &m.MemoryRate }},
		{key: "memory_rate_per_node_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.NodeRate }},
		{key: "copy_rate_per_thread_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.CopyRate }},
	},
	[]fact{span("loop_time_s", func(m *cluster.Machine) *cluster.Time { return &m.LoopTime })},
	link("in_rank", needed, func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.InRank] }),
	access("in_rank", func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.InRank] }),
	link("in_socket", leads, func(m *cluster.Machine) *cluster.Link { return &m.Socket }),
	memory("in_socket", func(m *cluster.Machine) *cluster.Link { return &m.Socket }),
	link("in_node", needed, func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.InNode] }),
	memory("in_node", func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.InNode] }),
	link("remote", needed, func(m *cluster.Machine) *cluster.Link { return &m.Classes[cluster.Remote] }),
	[]fact{
		{key: "remote.thread_receive_rate_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Classes[cluster.Remote].ReceiveRate }},
		{key: "remote.handshake_gap_s", unit: seconds, min: 1e-12, max: 1, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Classes[cluster.Remote].HandshakeGap }},
		{key: "remote.adapters_per_node", unit: count, min: 1, max: 1024, need: stated, cost: true,
			field: func(m *cluster.Machine) any { return &m.Classes[cluster.Remote].Adapters }},
		{key: "topology.shape", unit: words(shapes), need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Topology.Shape }},
		{key: "topology.dims", unit: "a list of whole numbers", min: 1, max: 1e6, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Topology.Dims }},
		{key: "topology.taper", unit: "a list of numbers, up-links by down-links", min: 1e-3, max: 100, need: free,
			cost:  true,
			field: func(m *cluster.Machine) any { return &m.Topology.Taper }},
		{key: "topology.link_bandwidth_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Topology.LinkBandwidth }},
		span("topology.hop_latency_s", func(m *cluster.Machine) *cluster.Time { return &m.Topology.HopLatency }),
		{key: "collective_network.bandwidth_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &m.CollectiveNetwork.Bandwidth }},
		{key: "collective_network.latency_s", unit: seconds, min: 1e-12, max: 1, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &m.CollectiveNetwork.Latency }},
		{key: "collective_network.barrier_s", unit: seconds, min: 0, max: 1, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &m.CollectiveNetwork.Barrier }},
		span("message_server.send_s", func(m *cluster.Machine) *cluster.Time { return &m.Server.Send }),
		span("message_server.receive_s", func(m *cluster.Machine) *cluster.Time { return &m.Server.Receive }),
		span("message_server.handshake_s", func(m *cluster.Machine) *cluster.Time { return &m.Server.Handshake }),
		span("atomic_time_s", func(m *cluster.Machine) *cluster.Time { return &m.AtomicTime }),
		span("handler_time_s", func(m *cluster.Machine) *cluster.Time { return &m.HandlerTime }),
		span("lock_time_s", func(m *cluster.Machine) *cluster.Time { return &m.LockTime }),
		span("poll_time_s", func(m *cluster.Machine) *cluster.Time { return &m.PollTime }),
		{key: "clock_time_s", unit: seconds, min: 0, max: 1, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.ClockTime }},
		span("fork_time_s", func(m *cluster.Machine) *cluster.Time { return &m.ForkTime }),
		span("thread_barrier_time_s", func(m *cluster.Machine) *cluster.Time { return &m.ThreadBarrierTime }),
		{key: "compute_noise", unit: relative, min: 0, max: 10, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.ComputeNoise }},
		{key: "link_noise", unit: relative, min: 0, max: 10, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.LinkNoise }},
		{key: "detour_rate_per_s", unit: perSecondTimes, min: 0, max: 1e6, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.DetourRate }},
		span("detour_length_s", func(m *cluster.Machine) *cluster.Time { return &m.DetourLength }),
		{key: "device.per_node", unit: count, min: 1, max: 1024, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &m.Device.Count }},
		{key: "device.memory_bytes", unit: wholeB, min: 65536, max: 1e15, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Device.Memory }},
		{key: "device.memory_rate_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Device.Rate }},
		{key: "device.flops", unit: flops, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &m.Device.Flops }},
		{key: "device.direct", unit: "true (adapters reach device memory) or false (through the host's)", need: free,
			cost:  true,
			field: func(m *cluster.Machine) any { return &m.Device.Direct }},
		span("device.launch_s", func(m *cluster.Machine) *cluster.Time { return &m.Device.Launch }),
		span("device.fence_s", func(m *cluster.Machine) *cluster.Time { return &m.Device.Fence }),
		span("device.message_overhead_s", func(m *cluster.Machine) *cluster.Time { return &m.Device.MessageOverhead }),
	},
	link("device.link", leads, func(m *cluster.Machine) *cluster.Link { return &m.Device.Link }),
	[]fact{{key: "slow", unit: "a list of slow parts", need: free, cost: true,
		field: func(m *cluster.Machine) any { return &m.Slow }}},
)

// link returns the facts of a communication path. A latency must be positive, and where the latency
// is required the cost per byte is required, too.
func link(table string, latency need, at func(m *cluster.Machine) *cluster.Link) []fact {
	bandwidth := stated
	if latency == leads {
		bandwidth = free
	}
	return []fact{
		{key: table + ".latency_s", unit: seconds, min: 1e-12, max: 1, need: latency, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).Latency }},
		span(table+".overhead_s", func(m *cluster.Machine) *cluster.Time { return &at(m).Overhead }),
		span(table+".gap_s", func(m *cluster.Machine) *cluster.Time { return &at(m).Gap }),
		{key: table + ".bandwidth_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: bandwidth, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).Bandwidth }},
		{key: table + ".thread_rate_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).ThreadRate }},
	}
}

// access returns the fact of the time of a load or store, which must be positive.
func access(table string, at func(m *cluster.Machine) *cluster.Link) []fact {
	return []fact{{key: table + ".access_s", unit: seconds, min: 1e-12, max: 1, need: free, cost: true,
		field: func(m *cluster.Machine) any { return &at(m).Access }}}
}

// memory returns the facts of accesses and messages through a node's memory.
func memory(table string, at func(m *cluster.Machine) *cluster.Link) []fact {
	rate := func(key string, of func(l *cluster.Link) *float64) fact {
		return fact{key: table + "." + key + "_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: free, cost: true,
			field: func(m *cluster.Machine) any { return of(at(m)) }}
	}
	return append(access(table, at),
		rate("access_rate", func(l *cluster.Link) *float64 { return &l.AccessRate }),
		fact{key: table + ".inline.limit_bytes", unit: wholeB, min: 1, max: 65536, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).Inline.Limit }},
		fact{key: table + ".inline.latency_s", unit: seconds, min: 1e-12, max: 1, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).Inline.Latency }},
		span(table+".inline.overhead_s", func(m *cluster.Machine) *cluster.Time { return &at(m).Inline.Overhead }),
		span(table+".inline.gap_s", func(m *cluster.Machine) *cluster.Time { return &at(m).Inline.Gap }),
		rate("eager_copy_rate", func(l *cluster.Link) *float64 { return &l.EagerCopy }),
		rate("single_copy_rate", func(l *cluster.Link) *float64 { return &l.SingleCopy }),
		fact{key: table + ".uncached.limit_bytes", unit: wholeB, min: 1, max: 1e12, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).Uncached.Limit }},
		fact{key: table + ".uncached.copy_rate_bytes_per_s", unit: perSecond, min: 1e3, max: 1e18, need: leads, cost: true,
			field: func(m *cluster.Machine) any { return &at(m).Uncached.Copy }},
	)
}

// kernel returns the fact of a library routine: its share of a core's flop rate.
func kernel(k cluster.Kernel) fact {
	return fact{key: "kernel." + k.String(), unit: relative, min: 1e-3, max: 1, need: free, cost: true,
		field: func(m *cluster.Machine) any { return &m.Kernels[k] }}
}

// span returns the fact of a time that may be 0.
func span(key string, at func(m *cluster.Machine) *cluster.Time) fact {
	return fact{key: key, unit: seconds, min: 0, max: 1, need: free, cost: true,
		field: func(m *cluster.Machine) any { return at(m) }}
}

// heads are the plain keys of a machine file.
var heads = []string{"title", "emulated", "progress"}

// parts are the keys of a fact.
var parts = slices.Concat([]string{"value", "source"}, origins(), []string{"unknown"})

// isMachineKey reports whether a machine file has a dotted key.
func isMachineKey(key string) bool {
	if slices.Contains(heads, key) {
		return true
	}
	for _, f := range facts {
		if f.key == key || strings.HasPrefix(f.key, key+".") {
			return true
		}
		if part, ok := strings.CutPrefix(key, f.key+"."); ok {
			return slices.Contains(parts, part)
		}
	}
	return false
}

// suggestMachineKey suggests a key for an unknown one: the same name with another unit, or else a
// list.
func suggestMachineKey(key string) string {
	best := -1
	for i, f := range facts {
		if strings.HasPrefix(key, f.key+".") {
			return "a number has value, and source, derived, fitted or assumed; or only unknown"
		}
		s := stem(f.key)
		if strings.EqualFold(key, f.key) || key == s || strings.HasPrefix(key, s+"_") {
			if best < 0 || len(s) > len(stem(facts[best].key)) {
				best = i
			}
		}
	}
	if best >= 0 {
		return "want " + facts[best].key + ", in " + facts[best].unit
	}
	// The keys of the same table, or else the keys at the top level.
	table, _, _ := strings.Cut(key, ".")
	var all []string
	for _, f := range facts {
		if strings.HasPrefix(f.key, table+".") {
			all = append(all, f.key)
		}
	}
	if len(all) == 0 {
		all = slices.Clone(heads)
		for _, f := range facts {
			if top, rest, _ := strings.Cut(f.key, "."); rest == "" {
				all = append(all, top)
			} else if !slices.Contains(all, top+".…") {
				all = append(all, top+".…")
			}
		}
	}
	return "want one of " + strings.Join(all, ", ")
}

// stem returns a fact's key without its unit: remote.latency for remote.latency_s.
func stem(key string) string {
	for _, unit := range []string{"_bytes_per_s", "_bytes", "_s", "_per_core"} {
		if s, ok := strings.CutSuffix(key, unit); ok {
			return s
		}
	}
	return key
}

// shapes are the networks that a file can name.
var shapes = []string{string(cluster.Crossbar), string(cluster.FatTree), string(cluster.Torus), string(cluster.Hyper),
	string(cluster.Dragonfly)}

// levels are the thread levels that a file can name.
var levels = func() []string {
	var all []string
	for _, l := range cluster.ThreadLevels {
		all = append(all, l.String())
	}
	return all
}()

// words returns a quoted list of words.
func words(all []string) string { return `"` + strings.Join(all, `", "`) + `"` }
