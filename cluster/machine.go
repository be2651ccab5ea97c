package cluster

import (
	"fmt"
	"strconv"
)

// Progress says who advances handshakes, RPC bodies and steps while a rank is
// not inside a call.
type Progress string

// The ways to progress.
const (
	ProgressCall    Progress = "call"    // only calls of the rank itself
	ProgressThread  Progress = "thread"  // a thread beside each rank, which takes a core
	ProgressOffload Progress = "offload" // the adapter itself
)

// Link is a way between two places, in LogGP's terms: a message of n bytes takes
// Overhead at each end and Latency + n/Bandwidth between them, and each of Adapters
// carries one at a time.
type Link struct {
	Latency    Time    // L, one way
	Overhead   Time    // o, of a processor for a message, at each end
	Gap        Time    // g, least time from start to start of two messages of an adapter
	Bandwidth  float64 // 1/G, bytes per second and adapter; 0: no cost a byte
	Adapters   int     // a node; 0: as many as needed
	ThreadRate float64 // bytes per second that one thread can inject; 0: an adapter's
	Access     Time    // of a load or store of up to AccessLine bytes, inside a node; 0: it costs what a message does

	// ReceiveRate is bytes per second that one thread takes in of the long messages that it
	// receives, in turn with what it injects; 0: receiving takes none of its rate.
	// Simulations read it.
	ReceiveRate float64

	// HandshakeGap is what an adapter takes for a message of a rendezvous that brings no
	// bytes; 0: the gap. Simulations read it.
	HandshakeGap Time

	// How messages pass a node's memory; 0: as Latency, Overhead and Bandwidth say.
	// Simulations read it.
	Inline     Inline
	Uncached   Uncached
	EagerCopy  float64 // bytes per second of each of two copies up to the eager limit: the sender's into a buffer, the receiver's out of it; 0: a core beside them moves the bytes
	SingleCopy float64 // likewise of the one copy beyond: the receiver's, out of the sender's memory; 0: the sender is asked, and sends

	// AccessRate is bytes per second of a load or store beyond AccessLine; 0: the bandwidth.
	// Simulations read it.
	AccessRate float64
}

// Uncached is what of the one copy of long messages changes with those that no longer stand
// in their sender's own cache.
type Uncached struct {
	Limit int64   // bytes that stand there at most: of a message, with those of its sender that came later and are not copied yet; 0: all do
	Copy  float64 // bytes per second of the others
}

// Inline is a way of short messages: in the cells of a queue, beside their heads.
type Inline struct {
	Limit    int64 // bytes; 0: there is none
	Latency  Time
	Overhead Time // at each end
	Gap      Time // from start to start; 0: as of other messages
}

// Server is a processor of a node that all its messages to and from other nodes pass,
// one after another, each in the order in which it comes.
type Server struct {
	Send      Time // of a message that leaves with the program's bytes
	Receive   Time // of one that comes in
	Handshake Time // of one that brings none of these bytes, each way: of a rendezvous, a request
}

// Takes is how long the server of a node is busy, in s, with as many messages out as in, by
// rendezvous if they ask first; and how long before its bytes one that finds it free waits.
// Where they come in, the server handles the first one while the others follow.
func (s *Server) Takes(messages float64, handshake bool) (busy, before float64) {
	before = s.Send.Seconds()
	if handshake { // out and in there, in and out here
		before += 4 * s.Handshake.Seconds()
	}
	return messages * (before + s.Receive.Seconds()), before
}

// AccessLine is how many bytes one access moves at most: a cache line of most
// processors. Those beyond it cost their bandwidth.
const AccessLine = 64

// Shape is a kind of network.
type Shape string

// The networks.
const (
	Crossbar  Shape = "crossbar"       // every node to every other, no shared link
	FatTree   Shape = "fat-tree"       // Dims: children by level, from the leaves; Taper: up-links by down-links
	Torus     Shape = "torus"          // Dims: 3 lengths; dimension-order routes
	Hyper     Shape = "hyper-crossbar" // Dims: lengths; a crossbar for each line of nodes, dimension-order routes
	Dragonfly Shape = "dragonfly"      // Dims: nodes a router, routers a chassis, chassis a group, groups; minimal routes
)

// Topology is the network between nodes. Each of its links is a resource in time.
type Topology struct {
	Shape         Shape // "": crossbar
	Dims          []int
	Taper         []float64 // of a fat tree, by level above the leaves; of a dragonfly, by rank (1 to 3); nil: 1
	LinkBandwidth float64   // bytes per second of one link in one direction; 0: no limit
	HopLatency    Time      // added for each link after the first
}

// Nodes is how many the network holds; 0: any number.
func (t *Topology) Nodes() int {
	if len(t.Dims) == 0 {
		return 0
	}
	n := 1
	for _, d := range t.Dims {
		n *= d
	}
	return n
}

// Device is the accelerators of a node and their memory.
type Device struct {
	Count  int     // a node
	Memory int64   // bytes, each
	Rate   float64 // bytes per second of its memory, each
	Flops  float64 // flop/s, each
	Link   Link    // between host and device memory
	Direct bool    // adapters reach device memory without staging in the host's
	Launch Time    // of a processor, to start a kernel
	Fence  Time    // likewise, to see that one has ended

	// MessageOverhead is what a send or a receive from or to device memory takes of the
	// processor beside what one of the host's takes: puts do not. Simulations read it.
	MessageOverhead Time
}

// Slow is a node or an adapter that is slower than its kind: its processors compute
// so many times as long, or it takes so many times as long with a message's bytes
// and gap.
type Slow struct {
	Node    int
	Adapter int     // of the node; −1: its processors
	Factor  float64 // how many times slower, at least 1
}

// CollectiveNetwork is one of its own that broadcasts and reduces, as the tree of
// BlueGene (paper 5, section 3.5). All nodes of a run share it.
type CollectiveNetwork struct {
	Latency   Time    // from the last node that comes to the first bytes at all
	Bandwidth float64 // bytes per second; 0: there is no such network
	Barrier   Time    // from the last node that comes to a barrier until all know
}

// Carry is the time of n bytes.
func (c *CollectiveNetwork) Carry(n int64) Time {
	if c.Bandwidth <= 0 {
		return 0
	}
	return FromSeconds(float64(n) / c.Bandwidth)
}

// Machine is the cluster that is run on, or pretended to be.
type Machine struct {
	Name  string
	Title string

	// Emulated: transfers and computing take this machine's time, stretched by a
	// dilation that the host can keep. Not emulated: the host's own time.
	Emulated bool

	Nodes         int              // nodes there are; 0: no limit
	CoresPerNode  int              // 0: unknown
	MemoryPerNode int64            // bytes; 0: unknown
	Flops         float64          // flop/s a core, sustained; 0: unknown
	MemoryRate    float64          // bytes per second a core; 0: unknown
	Kernels       [Kernels]float64 // share of Flops that a kernel reaches; 0: all
	Progress      Progress
	Threading     ThreadLevel // most that the MPI library provides; unset: multiple
	EagerLimit    int64       // bytes up to which a send is eager

	Classes [Classes]Link // cost by locality class; Adapters counts for Remote only

	// What follows is read by simulations.
	Sockets           int               // a node; 0 or 1: the node is one
	Socket            Link              // between ranks of one socket; zero: as in node
	Topology          Topology          // between nodes
	CopyRate          float64           // bytes per second that one thread copies into an eager buffer, or out of it; 0: copies cost nothing
	Server            Server            // of a node's messages
	CollectiveNetwork CollectiveNetwork // beside the one for messages; zero: there is none
	NodeRate          float64           // bytes per second of memory that a whole node sustains; 0: no limit
	AtomicTime        Time              // of an atomic at its target
	HandlerTime       Time              // of starting an RPC body at its target
	LockTime          Time              // of the library's lock, for each further thread that contends
	PollTime          Time              // of a test or a probe; 0: 10 ns, because a poll for nothing would never end
	ClockTime         *Time             // of a look at the clock; nil: as a poll
	ForkTime          Time              // of a parallel region: to fork its threads and join them
	MeetTime          Time              // of a barrier among a region's threads
	ComputeNoise      float64           // relative standard deviation of computing times
	LinkNoise         float64           // relative standard deviation of latencies
	Slow              []Slow            // parts that are slower than their kind
	Device            Device            // Count 0: none

	// Source tells where each number comes from, by key of the machine file.
	Source map[string]string
}

// InSocket is the way between ranks of one socket. What it does not say of loads and
// stores, or of how messages pass memory, is as in the node.
func (m *Machine) InSocket() Link {
	l, node := m.Socket, &m.Classes[InNode]
	if l.Access == 0 {
		l.Access = node.Access
	}
	if l.AccessRate == 0 {
		l.AccessRate = node.AccessRate
	}
	if l.Inline == (Inline{}) && l.EagerCopy == 0 && l.SingleCopy == 0 {
		l.Inline, l.Uncached, l.EagerCopy, l.SingleCopy = node.Inline, node.Uncached, node.EagerCopy, node.SingleCopy
	}
	return l
}

// TransferTime is the time for n bytes one way over class c, without contention.
func (m *Machine) TransferTime(c Class, n int64) Time {
	l := m.Classes[c]
	t := l.Latency
	if l.Bandwidth > 0 {
		t += FromSeconds(float64(n) / l.Bandwidth)
	}
	return t
}

// AccessTime is the time of a blocking get, put or atomic of n bytes at class c,
// without contention: a load or store inside the node takes the way once, a
// transfer to another node takes the latency there and back.
func (m *Machine) AccessTime(c Class, n int64) Time {
	if l := m.Classes[c]; c != Remote && l.Access > 0 {
		rate := l.Bandwidth
		if l.AccessRate > 0 {
			rate = l.AccessRate
		}
		if n > AccessLine && rate > 0 {
			return l.Access + FromSeconds(float64(n-AccessLine)/rate)
		}
		return l.Access
	}
	t := m.TransferTime(c, n)
	if c == Remote {
		t += m.Classes[c].Latency
	}
	return t
}

// CopyTime is how long a thread copies n bytes into an eager buffer, or out of it.
func (m *Machine) CopyTime(n int64) Time {
	if m.CopyRate <= 0 {
		return 0
	}
	return FromSeconds(float64(n) / m.CopyRate)
}

// ComputeTime is the machine's time for w: the longer of flops and memory, each by as
// many cores as it takes and a node has.
func (m *Machine) ComputeTime(w Work) Time {
	cores := max(w.Cores, 1)
	if m.CoresPerNode > 0 {
		cores = min(cores, m.CoresPerNode)
	}
	var s float64
	if rate := m.KernelRate(w.Kernel); rate > 0 {
		s = w.Flops / (rate * float64(cores))
	}
	if m.MemoryRate > 0 {
		s = max(s, w.Bytes/(m.MemoryRate*float64(cores)))
	}
	return FromSeconds(s)
}

// Spec is what is launched: a layout on a machine, with what the ranks get.
type Spec struct {
	Machine    Machine
	Layout     Layout
	Segment    int64 // bytes of segment a rank
	Modelled   int64 // end of the size-only memory that follows the segment; less than Segment: there is none
	EagerLimit int64 // bytes; a longer send is a rendezvous; 0: every send is; negative: the machine's
	Seed       uint64
	Dilation   float64     // 0: chosen by the fabric
	Stretch    float64     // factor on what the fabric chooses; up to 1: none
	Threading  ThreadLevel // that ranks start at; unset: the machine's
	Timeline   Recorder    // of what the threads do; nil: nothing is recorded
	Clock      Clock       // of the fabric; Start sets it
}

// Recorder keeps what the threads of a launch do. Package cluster/timeline has the one
// that fabrics write to; here it is only handed on.
type Recorder interface {
	// Close ends the record at a time, once no thread writes to it any more.
	Close(at Time)
}

// Eager is the eager limit in force, in bytes.
func (s *Spec) Eager() int64 {
	if s.EagerLimit < 0 {
		return s.Machine.EagerLimit
	}
	return s.EagerLimit
}

// Extent returns the bytes of a rank's memory on the machine: its segment, and the size-only
// memory that follows.
func (s *Spec) Extent() int64 { return max(s.Segment, s.Modelled) }

// Check refuses a spec that the machine cannot hold, before memory is taken. The
// fabric adds what its host has.
func (s *Spec) Check() error {
	if err := s.Layout.Validate(); err != nil {
		return err
	}
	m, l := &s.Machine, &s.Layout
	if m.Nodes > 0 && l.Nodes > m.Nodes {
		return fmt.Errorf("machine %s has %d nodes, the layout wants %d: use fewer nodes", m.Name, m.Nodes, l.Nodes)
	}
	if s.Segment < 0 || s.Modelled < 0 {
		return fmt.Errorf("segment of %d bytes: must not be negative", min(s.Segment, s.Modelled))
	}
	if m.MemoryPerNode > 0 && s.Extent() > m.MemoryPerNode/int64(l.RanksPerNode) {
		return fmt.Errorf("machine %s has %s a node, %d ranks with segments of %s do not fit: use a smaller problem, larger groups or fewer ranks per node",
			m.Name, SizeText(float64(m.MemoryPerNode)), l.RanksPerNode, SizeText(float64(s.Extent())))
	}
	return nil
}

// SizeText writes a number of bytes with four digits and a binary unit.
func SizeText(n float64) string {
	x, unit := n, 0
	for ; x >= 1024 && unit < len(sizeUnits)-1; unit++ {
		x /= 1024
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + " " + sizeUnits[unit]
}

var sizeUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
