package live

import (
	"math/bits"
	"sync"
	"sync/atomic"
	"unsafe"
)

// inlineBytes is the longest payload that travels inside a cell.
const inlineBytes = 16

// cell is one message in a ring, two to a cache line. head is lap (16 bits), kind
// (8), payload length (8) and context (32); the receiver knows a fresh cell by its
// lap, so that it never writes to one.
type cell struct {
	head uint64
	tag  int32
	_    uint32
	data [2]uint64
}

func (c *cell) bytes() []byte { return (*[inlineBytes]byte)(unsafe.Pointer(&c.data))[:] }

// The kinds of cell.
const (
	cellInline = iota // payload in data
	cellParcel        // a parcel by reference
)

func makeHead(lap uint16, kind, size uint8, ctx int32) uint64 {
	return uint64(lap) | uint64(kind)<<16 | uint64(size)<<24 | uint64(uint32(ctx))<<32
}

// ring carries messages from one rank to another, in order. Cells of a batch are
// written plainly while the head of its first cell is held back; publishing that
// head publishes them all, so that a burst of small messages costs one atomic
// store. A message that finds the ring full is spilled to a list; while anything
// is spilled all later messages follow it there.
type ring struct {
	src   int32
	dst   int32
	mask  uint32
	shift uint8
	cells []cell
	refs  []*parcel

	_ [128]byte
	// The sender's.
	tail      uint32 // next cell to write
	limit     uint32 // tail may go up to here by what the sender knows
	batch     uint32 // cells written and not yet published
	firstPos  uint32
	firstHead uint64

	_ [128]byte
	// The receiver's.
	pos uint32

	_    [128]byte
	head atomic.Uint32 // cells consumed, published now and then by the receiver

	spilled atomic.Bool
	mu      sync.Mutex
	spill   []*parcel
	spare   []*parcel // the receiver's, to swap with spill
}

func newRing(src, dst int32, cells int) *ring {
	return &ring{src: src, dst: dst, mask: uint32(cells - 1), shift: uint8(bits.TrailingZeros(uint(cells))), cells: make([]cell, cells), limit: uint32(cells)}
}

func (r *ring) lap(pos uint32) uint16 { return uint16(pos>>r.shift) + 1 }

// room reports whether the sender may write one more cell.
func (r *ring) room() bool {
	if r.tail != r.limit {
		return true
	}
	r.limit = r.head.Load() + r.mask + 1
	return r.tail != r.limit
}

// put writes the head of the cell at tail, whose other fields are written. The
// cell is seen by the receiver after publish.
func (r *ring) put(c *cell, kind, size uint8, ctx int32) {
	h := makeHead(r.lap(r.tail), kind, size, ctx)
	if r.batch == 0 {
		r.firstPos, r.firstHead = r.tail, h
	} else {
		c.head = h
	}
	r.batch++
	r.tail++
}

// publish shows the batch to the receiver.
func (r *ring) publish() {
	atomic.StoreUint64(&r.cells[r.firstPos&r.mask].head, r.firstHead)
	r.batch = 0
}

// ready reports whether the receiver has something to take.
func (r *ring) ready() bool {
	return uint16(atomic.LoadUint64(&r.cells[r.pos&r.mask].head)) == r.lap(r.pos) || r.spilled.Load()
}

// consumed moves the receiver on by one cell. It tells the sender every quarter
// of a ring.
func (r *ring) consumed() {
	r.pos++
	if r.pos&(r.mask>>2) == 0 {
		r.head.Store(r.pos)
	}
}

// overflow appends a parcel to the spill list; only when the ring is full, or
// something is spilled already. The batch must be published.
func (r *ring) overflow(p *parcel) {
	r.mu.Lock()
	r.spill = append(r.spill, p)
	r.spilled.Store(true)
	r.mu.Unlock()
}

// takeSpill gives the receiver what was spilled. Cells that were written before
// must have been drained.
func (r *ring) takeSpill() []*parcel {
	r.mu.Lock()
	list := r.spill
	r.spill = r.spare[:0]
	r.spilled.Store(false)
	r.mu.Unlock()
	r.spare = list
	return list
}

// ringCells is the size of a pair's ring in a cluster of so many ranks: all pairs
// together stay within 256 MiB.
func ringCells(ranks int) int {
	switch {
	case ranks <= 4:
		return 1024
	case ranks <= 16:
		return 256
	case ranks <= 64:
		return 64
	case ranks <= 256:
		return 16
	}
	return 8
}
