package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// Constant is a number of the machine for which time passes, such as remote.overhead_s. The
// constants of links are a class and a field: class<<4 | field. Classes are the locality classes,
// sameSocket and onDevice.
type Constant uint8

// onDevice is the class of the link between host and device memory.
const onDevice = sameSocket + 1

// The fields of a link.
const (
	ofLatency Constant = iota
	ofOverhead
	ofGap
	ofBandwidth
	ofThreadRate
	ofReceiveRate
	ofHandshakeGap
	ofAccess
	ofAccessRate
	ofInlineLatency
	ofInlineOverhead
	ofInlineGap
	ofCopy
	ofPull
	ofUncached
)

// The other constants.
const (
	ofKernel Constant = 80 + iota // plus the kernel; the first one is flops_per_core
	_
	_
	_
	_
	_
	_
	ofMemoryRate
	ofNodeRate
	ofLoop
	ofHop
	ofLink
	ofTreeRate
	ofTreeLatency
	ofTreeBarrier
	ofServerSend
	ofServerReceive
	ofServerHandshake
	ofAtomic
	ofHandler
	ofLock
	ofPoll
	ofClock
	ofFork
	ofThreadBarrier
	ofDeviceRate
	ofDeviceFlops
	ofLaunch
	ofFence
	ofDeviceMessage
	ofFixed  // a cost of the simulator itself: the poll of a machine whose polls cost nothing
	ofClocks // computing that ends at a time of the clock
	ofBarrier
	ofDetour
	// Constants is the number of constants.
	Constants
)

// class returns the constant of a field of a class.
func (c Constant) class(k cluster.Class) Constant { return Constant(k)<<4 | c }

var classNames = [...]string{cluster.InRank: "in_rank", cluster.InNode: "in_node", cluster.Remote: "remote",
	sameSocket: "in_socket", onDevice: "device.link"}

var fieldNames = [16]string{ofLatency: "latency_s", ofOverhead: "overhead_s", ofGap: "gap_s",
	ofBandwidth: "bandwidth_bytes_per_s", ofThreadRate: "thread_rate_bytes_per_s",
	ofReceiveRate: "thread_receive_rate_bytes_per_s", ofHandshakeGap: "handshake_gap_s", ofAccess: "access_s",
	ofAccessRate: "access_rate_bytes_per_s", ofInlineLatency: "inline.latency_s", ofInlineOverhead: "inline.overhead_s",
	ofInlineGap: "inline.gap_s", ofCopy: "eager_copy_rate_bytes_per_s", ofPull: "single_copy_rate_bytes_per_s",
	ofUncached: "uncached.copy_rate_bytes_per_s"}

var otherNames = [Constants]string{ofKernel: "flops_per_core", ofMemoryRate: "memory_rate_per_core_bytes_per_s",
	ofNodeRate: "memory_rate_per_node_bytes_per_s", ofLoop: "loop_time_s", ofHop: "topology.hop_latency_s",
	ofLink: "topology.link_bandwidth_bytes_per_s", ofTreeRate: "collective_network.bandwidth_bytes_per_s",
	ofTreeLatency: "collective_network.latency_s", ofTreeBarrier: "collective_network.barrier_s",
	ofServerSend: "message_server.send_s", ofServerReceive: "message_server.receive_s",
	ofServerHandshake: "message_server.handshake_s", ofAtomic: "atomic_time_s", ofHandler: "handler_time_s",
	ofLock: "lock_time_s", ofPoll: "poll_time_s", ofClock: "clock_time_s", ofFork: "fork_time_s",
	ofThreadBarrier: "thread_barrier_time_s", ofDeviceRate: "device.memory_rate_bytes_per_s", ofDeviceFlops: "device.flops",
	ofLaunch: "device.launch_s", ofFence: "device.fence_s", ofDeviceMessage: "device.message_overhead_s",
	ofFixed: "fixed cost of a poll", ofClocks: "computing until a time", ofBarrier: "barrier",
	ofDetour: "detour_length_s"}

// Name returns the key of the constant in the file of a machine. If the machine leaves a number
// out and another one applies, it returns the key of that one.
func (c Constant) Name(m *cluster.Machine) string {
	switch {
	case c < ofKernel:
		return linkName(cluster.Class(c>>4), c&15, m)
	case c < ofMemoryRate:
		if k := cluster.Kernel(c - ofKernel); m.Kernels[k] > 0 && k != cluster.NoKernel {
			return "kernel." + k.String()
		}
		return otherNames[ofKernel]
	case c == ofClock && m.ClockTime == nil:
		c = ofPoll
	}
	if c == ofPoll && m.PollTime <= 0 {
		c = ofFixed
	}
	return otherNames[c]
}

// linkName is Name for a field of a link.
func linkName(class cluster.Class, field Constant, m *cluster.Machine) string {
	if class == cluster.Remote && field == ofCopy {
		return "copy_rate_per_thread_bytes_per_s"
	}
	own, node := &cluster.Link{}, &m.Classes[cluster.InNode]
	switch class {
	case sameSocket:
		own = &m.Socket
	case cluster.InRank, cluster.InNode, cluster.Remote:
		own = &m.Classes[class]
	}
	from := class
	if class == sameSocket {
		paths := own.Inline == (cluster.Inline{}) && own.EagerCopy == 0 && own.SingleCopy == 0
		switch {
		case field == ofAccess && own.Access == 0, field == ofAccessRate && own.AccessRate == 0 && node.AccessRate > 0,
			field >= ofInlineLatency && paths:
			from, own = cluster.InNode, node
		}
	}
	switch {
	case field == ofAccessRate && own.AccessRate == 0:
		field = ofBandwidth
	case field == ofInlineGap && own.Inline.Gap == 0:
		from, field = class, ofGap
	}
	return classNames[from] + "." + fieldNames[field]
}

// Keys returns the keys of the numbers that a span of the constant is proportional to.
func (c Constant) Keys(m *cluster.Machine) []string {
	name := c.Name(m)
	if c > ofKernel && c < ofMemoryRate && name != otherNames[ofKernel] {
		return []string{name, otherNames[ofKernel]}
	}
	if c == ofFixed || c == ofClocks || name == otherNames[ofFixed] {
		return nil
	}
	return []string{name}
}

// Cause is a group of constants.
type Cause uint8

// The causes, in the order of reports.
const (
	CauseCompute Cause = iota
	CauseOverhead
	CauseLatency
	CauseGap
	CauseBytes
	CauseLink
	CauseMemory
	CauseLock
	CauseSync
	CauseServer
	CauseCopy
	CauseKernel
)

// Causes is the number of causes.
const Causes = 12

var causeNames = [Causes]string{"compute", "o", "L", "g", "G", "link", "memory", "lock", "synchronization",
	"message server", "copy", "kernel"}

// String returns the name of the cause.
func (c Cause) String() string { return causeNames[c] }

var linkCauses = [...]Cause{ofLatency: CauseLatency, ofOverhead: CauseOverhead, ofGap: CauseGap, ofBandwidth: CauseBytes,
	ofThreadRate: CauseBytes, ofReceiveRate: CauseBytes, ofHandshakeGap: CauseGap, ofAccess: CauseLatency,
	ofAccessRate: CauseBytes, ofInlineLatency: CauseLatency, ofInlineOverhead: CauseOverhead, ofInlineGap: CauseGap,
	ofCopy: CauseCopy, ofPull: CauseCopy, ofUncached: CauseCopy, 15: CauseBytes}

// Cause returns the group of the constant.
func (c Constant) Cause() Cause {
	switch {
	case Constant(onDevice)<<4 <= c && c < ofKernel, c == ofNodeRate, c == ofAtomic:
		return CauseMemory
	case c < ofKernel:
		return linkCauses[c&15]
	case c <= ofLoop, c == ofHandler, c == ofClocks, c == ofDetour:
		return CauseCompute
	case c == ofHop, c == ofLink:
		return CauseLink
	case c <= ofTreeBarrier:
		return CauseLatency
	case c <= ofServerHandshake:
		return CauseServer
	case c == ofLock:
		return CauseLock
	case c == ofFork, c == ofThreadBarrier, c == ofBarrier:
		return CauseSync
	case c == ofDeviceRate, c == ofDeviceFlops:
		return CauseKernel
	}
	return CauseOverhead
}
