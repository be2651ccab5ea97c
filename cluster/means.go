package cluster

// Memory is a kind of memory of a node.
type Memory uint8

// The kinds of memory. Bytes are where the program has them all the same; the
// kind says what moving them costs on the machine.
const (
	HostMemory Memory = iota
	DeviceMemory
)

// Path is how a put or a get goes inside a node.
type Path uint8

// The paths. On this host's own memory, with no machine's costs, all are the same.
const (
	PathLoads    Path = iota // loads and stores where the machine has them, else messages
	PathMessages             // messages through the node's memory
	PathAdapter              // messages through the node's adapter, as if to another node
)

// Means says how a rank's transfers go, where a machine has several ways. The zero
// value is the way of all transfers that nothing is said of. It changes what moving
// bytes costs, not what is moved.
type Means struct {
	Own  Memory // where the buffers of sends, receives, puts and gets are
	Far  Memory // where the target's bytes of puts and gets are
	Path Path   // how puts and gets go inside a node
}

// Using runs body, whose transfers go by the given means; they end with body, however
// it ends. Inside another scope, the inner one holds alone.
//
// A scope covers the sends, receives, puts and gets (strided, indexed, signaling and
// phantom ones too) that body posts on this Rank, and on the threads of regions that
// body forks. It does not cover what other calls are made of: collectives, barriers,
// neighbour syncs, splits, windows, shared arrays and pointers move host memory, as
// do atomics and the data of RPCs. A nonblocking transfer keeps the means that it was
// started with.
func (r *Rank) Using(m Means, body func() error) error {
	if m.Own > DeviceMemory || m.Far > DeviceMemory {
		return r.errorf("means with memory %d and %d: there are HostMemory and DeviceMemory", m.Own, m.Far)
	}
	if m.Path > PathAdapter {
		return r.errorf("means with path %d: there are PathLoads, PathMessages and PathAdapter", m.Path)
	}
	was := r.means(m)
	defer r.means(was)
	return body()
}

// means changes how transfers go from now on, and gives how they went.
func (r *Rank) means(m Means) (was Means) {
	was = Means{Own: r.op.From, Far: r.op.To, Path: r.op.Path}
	r.op.From, r.op.To, r.op.Path = m.Own, m.Far, m.Path
	return was
}
