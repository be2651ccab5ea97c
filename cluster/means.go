package cluster

// Memory is a kind of memory of a node.
type Memory uint8

// The kinds of memory. A kind changes only the cost of moving bytes on the machine, not the
// location of the program's bytes.
const (
	HostMemory Memory = iota
	DeviceMemory
)

// Path is the transfer path of a put or a get inside a node.
type Path uint8

// The paths. Without a machine's costs all paths are the same.
const (
	PathLoads    Path = iota // loads and stores if the machine has them, otherwise messages
	PathMessages             // messages through the node's memory
	PathAdapter              // messages through the node's adapter, like inter-node messages
)

// Means selects the memory kinds and the path of a rank's transfers. The zero value is the default
// of all transfers. Means changes the cost of moving bytes, not the bytes.
type Means struct {
	Own  Memory // memory of the buffers of sends, receives, puts and gets
	Far  Memory // memory of the target's bytes of puts and gets
	Path Path   // path of puts and gets inside a node
}

// Using runs body with the given memory kinds and path for its transfers. The setting ends with
// body, also after an error or a panic. In nested scopes only the inner setting applies.
//
// A scope covers the sends, receives, puts and gets that body posts on this Rank, and on the
// threads of regions that body forks. This includes strided, indexed and size-only transfers and
// puts with signal. It does not cover the transfers inside other calls: collectives, barriers,
// neighbour syncs, splits, windows, shared arrays and pointers move host memory, as do atomics and
// the data of RPCs. A nonblocking transfer keeps the setting that it was started with.
func (r *Rank) Using(m Means, body func() error) error {
	if m.Own > DeviceMemory || m.Far > DeviceMemory {
		return r.errorf("using memory %d and %d: want HostMemory or DeviceMemory", m.Own, m.Far)
	}
	if m.Path > PathAdapter {
		return r.errorf("means with path %d: want PathLoads, PathMessages or PathAdapter", m.Path)
	}
	was := r.means(m)
	defer r.means(was)
	return body()
}

// means changes the setting of later transfers, and returns the previous setting.
func (r *Rank) means(m Means) (was Means) {
	was = Means{Own: r.op.From, Far: r.op.To, Path: r.op.Path}
	r.op.From, r.op.To, r.op.Path = m.Own, m.Far, m.Path
	return was
}
