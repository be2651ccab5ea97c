package live

import (
	"encoding/binary"
	"math/bits"
	"sync"
	"sync/atomic"
)

// InlineBytes is the longest payload that travels inside cells.
const InlineBytes = 32

const inlineBytes = InlineBytes

// cell is eight bytes of a message in a ring, four cells to a cache line. head is
// lap (12 bits), kind (2), the message's length (6), context (22) and tag (22);
// the receiver knows a fresh cell by its lap, so that it never writes to one.
type cell struct {
	head uint64
	data uint64
}

// The kinds of cell.
const (
	cellFirst  = iota // first cell of a message whose payload is in this and the following cells
	cellMore          // a following cell
	cellParcel        // a parcel by reference
)

const (
	lapMask  = 1<<12 - 1
	maxField = 1<<22 - 1 // maximum context or tag in a head
)

func makeHead(lap uint64, kind, size int, ctx, tag int32) uint64 {
	return lap | uint64(kind)<<12 | uint64(size)<<14 | uint64(uint32(ctx))<<20 | uint64(uint32(tag))<<42
}

func headKind(h uint64) int  { return int(h >> 12 & 3) }
func headSize(h uint64) int  { return int(h >> 14 & 63) }
func headCtx(h uint64) int32 { return int32(h >> 20 & maxField) }
func headTag(h uint64) int32 { return int32(h >> 42) }

// cellsOf returns the number of cells for n bytes.
func cellsOf(n int) uint32 { return uint32(max(1, (n+7)/8)) }

// ring carries messages from one rank to another, in order. The cells of a batch are written with
// normal stores, except the head of its first cell. An atomic store of that head publishes the
// batch, so a burst of small messages costs one atomic store. If the ring is full, a message spills
// to a list. As long as the list is not empty, all later messages also go there.
type ring struct {
	src   int32
	to    *engine
	mask  uint32
	shift uint8
	cells []cell
	refs  []*parcel

	_ [128]byte
	// Fields of the sender.
	tail      uint32 // next cell to write
	limit     uint32 // limit of tail, as far as the sender knows
	batch     uint32 // cells written and not yet published
	firstPos  uint32
	firstHead uint64

	_ [128]byte
	// Fields of the receiver.
	pos uint32

	_    [128]byte
	head atomic.Uint32 // consumed cells, published periodically by the receiver

	spilled atomic.Bool
	mu      sync.Mutex
	spill   []*parcel
	spare   []*parcel // receiver's list, swapped with spill
}

func newRing(src int32, to *engine, cells int) *ring {
	return &ring{src: src, to: to, mask: uint32(cells - 1), shift: uint8(bits.TrailingZeros(uint(cells))),
		cells: make([]cell, cells), limit: uint32(cells)}
}

func (r *ring) lap(pos uint32) uint64 { return uint64(pos>>r.shift+1) & lapMask }

// hasFree reports whether the sender may write n more cells.
func (r *ring) hasFree(n uint32) bool {
	if r.limit-r.tail >= n {
		return true
	}
	r.limit = r.head.Load() + r.mask + 1
	return r.limit-r.tail >= n
}

// put writes a cell at the tail. The receiver sees it after publish.
func (r *ring) put(kind, size int, ctx, tag int32, data uint64) {
	c := &r.cells[r.tail&r.mask]
	c.data = data
	h := makeHead(r.lap(r.tail), kind, size, ctx, tag)
	if r.batch == 0 {
		r.firstPos, r.firstHead = r.tail, h
	} else {
		c.head = h
	}
	r.batch++
	r.tail++
}

// putBytes writes a message of up to inlineBytes.
func (r *ring) putBytes(ctx, tag int32, b []byte) {
	var data [inlineBytes]byte
	copy(data[:], b)
	for i := range cellsOf(len(b)) {
		kind := cellMore
		if i == 0 {
			kind = cellFirst
		}
		r.put(kind, len(b), ctx, tag, binary.NativeEndian.Uint64(data[i*8:]))
	}
}

// getBytes reads the message at the receiver's position.
func (r *ring) getBytes(b []byte) {
	var data [inlineBytes]byte
	for i := range cellsOf(len(b)) {
		binary.NativeEndian.PutUint64(data[i*8:], r.cells[(r.pos+i)&r.mask].data)
	}
	copy(b, data[:])
}

// publish publishes the batch to the receiver.
func (r *ring) publish() {
	atomic.StoreUint64(&r.cells[r.firstPos&r.mask].head, r.firstHead)
	r.batch = 0
}

// isReady reports whether there is a message for the receiver.
func (r *ring) isReady() bool {
	return atomic.LoadUint64(&r.cells[r.pos&r.mask].head)&lapMask == r.lap(r.pos) || r.spilled.Load()
}

// consumed advances the receiver. It notifies the sender every quarter of a ring.
func (r *ring) consumed(cells uint32) {
	before := r.pos
	r.pos += cells
	if (before^r.pos)&^(r.mask>>2) != 0 {
		r.head.Store(r.pos)
	}
}

// overflow appends a parcel to the spill list. The ring must be full or the list not empty, and the
// batch must be published.
func (r *ring) overflow(p *parcel) {
	r.mu.Lock()
	r.spill = append(r.spill, p)
	r.spilled.Store(true)
	r.mu.Unlock()
}

// takeSpill returns the spilled parcels to the receiver. Earlier cells must have been drained.
func (r *ring) takeSpill() []*parcel {
	r.mu.Lock()
	list := r.spill
	r.spill = r.spare[:0]
	r.spilled.Store(false)
	r.mu.Unlock()
	r.spare = list
	return list
}

// ringCells returns the number of cells of a ring. The rings of all pairs together use at most 256
// MiB.
func ringCells(ranks int) int {
	switch {
	case ranks <= 4:
		return 2048
	case ranks <= 16:
		return 512
	case ranks <= 64:
		return 128
	case ranks <= 256:
		return 32
	}
	return 16
}
