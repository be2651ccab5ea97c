package cluster

import (
	"fmt"
	"strconv"
)

// Progress is the progress engine: it advances handshakes, RPC bodies and steps while a rank is not
// inside a call.
type Progress string

// The progress engines.
const (
	ProgressCall    Progress = "call"    // only calls of the rank itself
	ProgressThread  Progress = "thread"  // one extra thread per rank, which needs a core
	ProgressOffload Progress = "offload" // the adapter itself
)

// Link is a connection in LogGP's terms. A message of n bytes takes Overhead at each end and
// Latency + n/Bandwidth between them. Each of the Adapters carries one message at a time.
type Link struct {
	Latency    Time    // L, one way
	Overhead   Time    // o, CPU time per message at each end
	Gap        Time    // g, minimum time between the starts of two messages of one adapter
	Bandwidth  float64 // 1/G, bytes per second and adapter; 0: no cost per byte
	Adapters   int     // per node; 0: as many as needed
	ThreadRate float64 // bytes per second that one thread can inject; 0: the adapter's rate
	Access     Time    // time of a load or store of up to AccessLine bytes inside a node; 0: the cost of a message

	// ReceiveRate is the rate, in bytes per second, at which one thread receives long messages. The
	// thread shares its time between receiving and injecting. 0: receiving costs no time. Only
	// simulations read it.
	ReceiveRate float64

	// HandshakeGap is the time that an adapter needs for an RTS or a CTS; 0: the gap. Only
	// simulations read it.
	HandshakeGap Time

	// The transfer paths through a node's memory; 0: Latency, Overhead and Bandwidth apply. Only
	// simulations read them.
	Inline   Inline
	Uncached Uncached
	// bytes per second of the sender's copy into a buffer and the receiver's copy out of it, up to
	// the eager limit; 0: another core moves the bytes
	EagerCopy float64
	// bytes per second of the receiver's copy from the sender's memory, above the eager limit; 0:
	// the sender sends after a handshake
	SingleCopy float64

	// AccessRate is the rate, in bytes per second, of a load or store beyond AccessLine; 0: the
	// bandwidth. Only simulations read it.
	AccessRate float64
}

// Uncached describes the single copy of long messages that are no longer in their sender's cache.
type Uncached struct {
	// maximum bytes in the cache: of a message and of later messages of its sender that are not
	// copied yet; 0: no limit
	Limit int64
	Copy  float64 // bytes per second of an uncached message
}

// Inline is the transfer path of short messages: the cells of a queue hold their bytes next to
// their headers.
type Inline struct {
	Limit    int64 // bytes; 0: no inline messages
	Latency  Time
	Overhead Time // at each end
	Gap      Time // between the starts of two messages; 0: the link's gap
}

// Server is the message server of a node: one processor that handles all inter-node messages of the
// node, in order of arrival.
type Server struct {
	Send      Time // per outgoing message with data of the program
	Receive   Time // per incoming message with data of the program
	Handshake Time // per message without such data, in each direction: an RTS, a CTS, a request
}

// Takes returns two times in s: busy is the server's time for equally many outgoing and incoming
// messages; before is the delay of the bytes of a message that finds the server free. handshake:
// the messages use rendezvous. At the receiver, the server handles the first message while the
// others follow.
func (s *Server) Takes(messages float64, handshake bool) (busy, before float64) {
	before = s.Send.Seconds()
	if handshake { // out and in there, in and out here
		before += 4 * s.Handshake.Seconds()
	}
	return messages * (before + s.Receive.Seconds()), before
}

// AccessLine is the maximum number of bytes of one access: a cache line of most processors. Further
// bytes cost their bandwidth.
const AccessLine = 64

// Shape is a kind of network.
type Shape string

// The networks.
const (
	Crossbar Shape = "crossbar"       // a separate link between any two nodes
	FatTree  Shape = "fat-tree"       // Dims: children by level, from the leaves; Taper: up-links per down-link
	Torus    Shape = "torus"          // Dims: 3 lengths; dimension-order routes
	Hyper    Shape = "hyper-crossbar" // Dims: lengths; one crossbar per line of nodes, dimension-order routes
	// Dims: nodes per router, routers per chassis, chassis per group, groups; minimal routes
	Dragonfly Shape = "dragonfly"
)

// Topology is the network between nodes. Messages share its links and wait for each other.
type Topology struct {
	Shape         Shape // "": crossbar
	Dims          []int
	Taper         []float64 // of a fat tree, by level above the leaves; of a dragonfly, by rank (1 to 3); nil: 1
	LinkBandwidth float64   // bytes per second of one link in one direction; 0: no limit
	HopLatency    Time      // added for each link after the first
}

// Nodes returns the number of nodes in the network; 0: any number.
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

// Device describes the accelerators of a node and their memory.
type Device struct {
	Count  int     // per node
	Memory int64   // bytes, each
	Rate   float64 // bytes per second of its memory, each
	Flops  float64 // flop/s, each
	Link   Link    // between host and device memory
	Direct bool    // adapters reach device memory without staging in the host's
	Launch Time    // CPU time to start a kernel
	Fence  Time    // CPU time to detect the end of a kernel

	// MessageOverhead is the additional CPU time of a send or a receive on device memory. Puts do
	// not have it. Only simulations read it.
	MessageOverhead Time
}

// Slow is a node or an adapter that is slower than the others by Factor. The factor applies to the
// computing time of the node's processors, or to the adapter's time for the bytes and the gap of a
// message.
type Slow struct {
	Node    int
	Adapter int     // number in the node; −1: the node's processors
	Factor  float64 // slowdown, at least 1
}

// CollectiveNetwork is a separate network for broadcasts and reductions, like the tree of BlueGene
// (paper 5, section 3.5). All nodes of a run share it.
type CollectiveNetwork struct {
	Latency   Time    // from the arrival of the last node to the first bytes at all nodes
	Bandwidth float64 // bytes per second; 0: there is no such network
	Barrier   Time    // from the arrival of the last node at a barrier to its end
}

// Carry returns the transfer time of n bytes.
func (c *CollectiveNetwork) Carry(n int64) Time {
	if c.Bandwidth <= 0 {
		return 0
	}
	return FromSeconds(float64(n) / c.Bandwidth)
}

// MaxVCIs is the maximum number of VCIs of a rank.
const MaxVCIs = 64

// Machine is the cluster on which a program runs, or which the fabric emulates or simulates.
type Machine struct {
	Name  string
	Title string

	// Emulated: transfers and computing take this machine's time, multiplied by the time dilation.
	// Otherwise they take the host's own time.
	Emulated bool

	Nodes         int              // 0: no limit
	CoresPerNode  int              // 0: unknown
	MemoryPerNode int64            // bytes; 0: unknown
	Flops         float64          // flop/s per core, sustained; 0: unknown
	MemoryRate    float64          // bytes per second and core; 0: unknown
	Kernels       [Kernels]float64 // fraction of Flops that a kernel reaches; 0: 1
	LoopTime      Time             // to start an innermost loop, in addition to its operations
	Progress      Progress
	Threading     ThreadLevel // highest level of the MPI library; unset: multiple
	EagerLimit    int64       // largest eager send, in bytes

	// VCIs is the number of virtual communication interfaces of a rank at MPI_THREAD_MULTIPLE, at most MaxVCIs.
	// Each has a lock. The messages of a context use one VCI. 0: in simulations one, on a host the fabric chooses.
	VCIs int

	// Processes is the number of processes over which the fabric distributes the nodes of a run (see
	// Distributed). 0 means one.
	Processes int

	Classes [Classes]Link // costs by locality class; Adapters applies only to Remote

	// Only simulations read the fields below.
	Sockets  int      // per node; 0 or 1: one
	Socket   Link     // between ranks of one socket; zero: as between ranks of one node
	Topology Topology // between nodes
	// bytes per second of one thread's copy into or out of an eager buffer; 0: free copies
	CopyRate          float64
	Server            Server            // message server of a node
	CollectiveNetwork CollectiveNetwork // in addition to the network for messages; zero: none
	NodeRate          float64           // memory bandwidth of a node, bytes per second; 0: no limit
	AtomicTime        Time              // per atomic, at its target
	HandlerTime       Time              // to start an RPC body at its target
	LockTime          Time              // to take the lock of a VCI, for each other thread that contends
	PollTime          Time              // of a test or a probe; 0: 10 ns, because a loop of free polls would never end
	ClockTime         *Time             // to read the clock; nil: PollTime
	ForkTime          Time              // to fork and join the threads of a parallel region
	ThreadBarrierTime Time              // of a thread barrier
	ComputeNoise      float64           // relative standard deviation of computing time
	LinkNoise         float64           // relative standard deviation of latencies
	DetourRate        float64           // interruptions of each thread by the operating system, per second
	DetourLength      Time              // of an interruption
	Slow              []Slow            // slow nodes and adapters
	Device            Device            // Count 0: no devices

	// Source maps a key of the machine file to the source of its number.
	Source map[string]string
}

// IsNoisy reports whether times depend on the seed.
func (m *Machine) IsNoisy() bool { return m.ComputeNoise > 0 || m.DetourRate > 0 || m.LinkNoise > 0 }

// InSocket returns the link between ranks of one socket. If Socket does not set the costs of loads
// and stores or the transfer paths, the node's values apply.
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

// TransferTime returns the one-way time of n bytes over class c, without contention.
func (m *Machine) TransferTime(c Class, n int64) Time {
	l := m.Classes[c]
	t := l.Latency
	if l.Bandwidth > 0 {
		t += FromSeconds(float64(n) / l.Bandwidth)
	}
	return t
}

// AccessTime returns the time of a blocking get, put or atomic of n bytes at class c, without
// contention. A load or store inside the node costs one transfer. A transfer to another node also
// costs the latency of the way back.
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

// CopyTime returns the time of a thread's copy of n bytes into or out of an eager buffer.
func (m *Machine) CopyTime(n int64) Time {
	if m.CopyRate <= 0 {
		return 0
	}
	return FromSeconds(float64(n) / m.CopyRate)
}

// ComputeTime returns the machine's time for w: the larger of the times for flops and for memory,
// and the time to start its loops. All use w.Cores cores, but at most the cores of a node.
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
	return FromSeconds(s + w.Loops*m.LoopTime.Seconds()/float64(cores))
}

// Spec describes a launch: a layout on a machine, and the memory and options of the ranks.
type Spec struct {
	Machine        Machine
	Layout         Layout
	Segment        int64 // bytes of the segment of a rank
	Modelled       int64 // end of the size-only memory that follows the segment; less than Segment: none
	EagerLimit     int64 // bytes; a longer send uses rendezvous; 0: every send; negative: the machine's limit
	Seed           uint64
	Dilation       float64     // 0: the fabric chooses
	DilationFactor float64     // factor on the dilation that the fabric chooses; up to 1: none
	Threading      ThreadLevel // initial thread level of the ranks; unset: the machine's
	Timeline       Recorder    // records the activity of threads; nil: no recording
	Clock          Clock       // of the fabric; Start sets it
	PairRanks      bool        // Traffic.Nodes has the bytes by rank instead of by block of nodes
	Program        string      // names the program and its settings, one per line, which all processes of a job must share
}

// Recorder records the activity of the threads of a launch. Package cluster/timeline has the
// implementation; this package only passes it to the fabric.
type Recorder interface {
	// Close ends the record at a time. No thread may write to it any more.
	Close(at Time)
}

// Eager returns the active eager limit in bytes.
func (s *Spec) Eager() int64 {
	if s.EagerLimit < 0 {
		return s.Machine.EagerLimit
	}
	return s.EagerLimit
}

// Extent returns the bytes of a rank's memory on the machine: its segment, and the size-only
// memory that follows.
func (s *Spec) Extent() int64 { return max(s.Segment, s.Modelled) }

// Check returns an error if the spec exceeds the machine, before memory is allocated. The fabric
// also checks the limits of its host.
func (s *Spec) Check() error {
	if err := s.Layout.Validate(); err != nil {
		return err
	}
	m, l := &s.Machine, &s.Layout
	if m.Nodes > 0 && l.Nodes > m.Nodes {
		return fmt.Errorf("machine %s has %d nodes, the layout needs %d: use fewer nodes", m.Name, m.Nodes, l.Nodes)
	}
	if s.Segment < 0 || s.Modelled < 0 {
		return fmt.Errorf("segment of %d bytes: must not be negative", min(s.Segment, s.Modelled))
	}
	if m.MemoryPerNode > 0 && s.Extent() > m.MemoryPerNode/int64(l.RanksPerNode) {
		size := SizeText(float64(s.Extent()))
		what := fmt.Sprintf("%d ranks with segments of %s do", l.RanksPerNode, size)
		if l.RanksPerNode == 1 {
			what = fmt.Sprintf("1 rank with a segment of %s does", size)
		}
		return fmt.Errorf("machine %s has %s per node: %s not fit (use a smaller problem, larger groups or fewer ranks per node)",
			m.Name, SizeText(float64(m.MemoryPerNode)), what)
	}
	return nil
}

// SizeText formats a number of bytes with four digits and a binary unit.
func SizeText(n float64) string {
	x, unit := n, 0
	for ; x >= 1024 && unit < len(sizeUnits)-1; unit++ {
		x /= 1024
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + " " + sizeUnits[unit]
}

var sizeUnits = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
