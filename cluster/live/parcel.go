package live

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// parcelKind is the type of a parcel.
type parcelKind uint8

const (
	parcelEager    parcelKind = iota // message with its bytes
	parcelRTS                        // RTS: announces a message whose bytes wait at the sender
	parcelRPC                        // run fn at the receiver
	parcelCTS                        // emulated rendezvous: CTS, the receiver is ready
	parcelSent                       // wire: bytes of a rendezvous have left
	parcelData                       // wire: bytes of a rendezvous arrive
	parcelPut                        // wire: bytes arrive at the target
	parcelGet                        // wire: the target's bytes are read
	parcelAtomic                     // wire: the target's word changes
	parcelComplete                   // wire: an operation completes
	parcelBarrier                    // wire: a barrier opens
	parcelRaise                      // wire: a flag of a board is incremented
	parcelWake                       // wire: a computing thread continues
)

// parcel is data that passes between engines by reference: a message that does not fit in cells, a
// handshake, an RPC, or an event on the wire. The fields of messages are in the first two cache
// lines, because each line moves from core to core.
type parcel struct {
	kind     parcelKind
	src, dst int32
	ctx, tag int32
	size     int64
	buf      []byte // eager bytes (pooled), or the bytes of a put
	pooled   *buffer

	from        *engine // engine of req
	req         *slot   // the waiting operation at the sender or initiator
	recv        *slot   // emulated rendezvous: the matched receive
	home        *engine // sender of a message
	next        *parcel // next spare parcel
	peerArrival int64   // wire: arrival of the later side of its message, wall ns since launch
	adapter     bool    // uses the adapter also inside a node
	fromDevice  bool    // leaves device memory through host memory
	toDevice    bool    // enters device memory through host memory
	batch       bool    // a later call of the sender waits, tests, probes or computes

	fn, arg  int32
	a, b     uint64
	off      int64
	sig      int64
	sigOp    cluster.SigOp
	vec      []cluster.Span
	shape    *cluster.Strided
	handling int64 // wire: time to unpack pieces, or to pack the answer, after the arrival
	unpack   int64 // time to unpack a get's answer

	first, last int32 // wire: ranks at the ends of the transfer
	wire        int64 // bytes of the transfer, at least 1; of a computation: its bytes of memory
	end         int64 // wire: arrival of the last byte without waiting, wall ns; of a computation: its minimum time
	phase       uint8
	done        cluster.Done
	barrier     *barrier
	port        *port

	at  int64 // wire: time of the event, wall ns since launch
	seq uint64
}

var parcelPool = sync.Pool{New: func() any { return new(parcel) }}

func newParcel() *parcel { return parcelPool.Get().(*parcel) }

// newCompletion returns a parcel that completes an operation of an engine.
func newCompletion(e *engine, s *slot) *parcel {
	p := newParcel()
	p.kind, p.src, p.dst, p.from, p.req = parcelComplete, e.id, e.id, e, s
	return p
}

// spares are an engine's free parcels with their buffers. It reuses received parcels for its next
// sends, because they are in its core's cache. Excess parcels return to their senders. With only a
// pool, one-way traffic would leave all parcels with the receiver, and senders would have to fetch
// them from there.
type spares struct {
	list     *parcel
	count    int // number of parcels in list
	_        [128]byte
	back     atomic.Pointer[parcel] // parcels returned by receivers
	returned atomic.Int32           // maximum number of returned parcels
	_        [128]byte
}

// maxKept is the maximum size of a buffer that a spare parcel keeps.
const maxKept = 16 << 10

// spareParcels returns the number of received parcels that an engine keeps, and the number that it
// accepts back. All engines together use at most 40 MiB, or two parcels each.
func spareParcels(engines int) (kept, back int) {
	kept = min(max(1024/engines, 1), 64)
	return kept, kept
}

// message returns a parcel for a message.
func (e *engine) message() *parcel {
	s := &e.spares
	if s.list == nil && s.back.Load() != nil {
		s.list = s.back.Swap(nil)
		for p := s.list; p != nil; p = p.next {
			s.count++
		}
		s.returned.Add(int32(-s.count))
	}
	p := s.list
	if p == nil {
		p = newParcel()
		p.home = e
		return p
	}
	s.list = p.next
	s.count--
	p.home = e
	return p
}

// release frees a parcel whose message the engine has received.
func (e *engine) release(p *parcel) {
	if p.pooled != nil && len(p.pooled.b) > maxKept {
		p.pooled.free()
		p.pooled = nil
	}
	p.buf = nil // all other fields are already zero
	p.req = nil
	p.from = nil
	p.fromDevice = false
	p.batch = false
	p.peerArrival = 0
	if s := &e.spares; s.count < e.w.spareKept {
		p.next, s.list = s.list, p
		s.count++
		return
	}
	home := &p.home.spares
	if home.returned.Load() >= e.w.spareBack {
		p.free()
		return
	}
	home.returned.Add(1)
	for {
		p.next = home.back.Load()
		if home.back.CompareAndSwap(p.next, p) {
			return
		}
	}
}

// free returns the parcel and its bytes to the pool.
func (p *parcel) free() {
	if p.pooled != nil {
		p.pooled.free()
	}
	*p = parcel{}
	parcelPool.Put(p)
}

// hold copies b into a pooled buffer of the parcel.
func (p *parcel) hold(b []byte) {
	if p.pooled != nil && len(p.pooled.b) < len(b) {
		p.pooled.free()
		p.pooled = nil
	}
	if p.pooled == nil {
		p.pooled = newBuffer(len(b))
	}
	p.buf = p.pooled.b[:len(b)]
	copy(p.buf, b)
}

// buffer is a pooled piece of memory.
type buffer struct {
	b     []byte
	class int // −1: not pooled
}

// Pooled sizes are powers of four from 64 B to 64 KiB.
const bufferClasses = 6

var bufferPools [bufferClasses]sync.Pool

func newBuffer(n int) *buffer {
	class := 0
	if n > 64 {
		class = (bits.Len(uint(n-1)) - 5) / 2
	}
	if class >= bufferClasses {
		return &buffer{b: make([]byte, n), class: -1}
	}
	if v := bufferPools[class].Get(); v != nil {
		return v.(*buffer)
	}
	return &buffer{b: make([]byte, 64<<(2*class)), class: class}
}

func (b *buffer) free() {
	if b.class >= 0 {
		bufferPools[b.class].Put(b)
	}
}
