package live

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// parcelKind says what a parcel does.
type parcelKind uint8

const (
	parcelEager    parcelKind = iota // message with its bytes
	parcelRendez                     // announcement of a message whose bytes wait at the sender
	parcelRPC                        // run fn at the receiver
	parcelClear                      // emulated rendezvous: the receiver is ready
	parcelData                       // wire: bytes of a rendezvous arrive
	parcelPut                        // wire: bytes arrive at the target
	parcelGet                        // wire: the target's bytes are read
	parcelAtomic                     // wire: the target's word changes
	parcelComplete                   // wire: an operation completes
	parcelBarrier                    // wire: a barrier opens
	parcelRaise                      // wire: a word of a board grows
	parcelWake                       // wire: a computing thread goes on
)

// parcel is what passes between engines by reference: a message longer than a
// cell holds, a handshake, an RPC, or anything that happens at a time on the wire. What a
// message needs stands in its first two cache lines, because each goes from core to core.
type parcel struct {
	kind     parcelKind
	src, dst int32
	ctx, tag int32
	size     int64
	buf      []byte // eager bytes (pooled), or the bytes of a put
	pooled   *buffer

	from    *engine // of req
	req     *slot   // the operation that waits for this: at the sender or initiator
	recv    *slot   // emulated rendezvous: the matched receive
	home    *engine // that sent it, of a message
	next    *parcel // in a list of spare ones
	came    int64   // wire: when both sides of its message had come, wall ns since launch
	adapter bool    // it goes by the adapter inside a node, too
	leaves  bool    // a device's memory, by way of the host's
	enters  bool    // likewise

	fn, arg  int32
	a, b     uint64
	off      int64
	sig      int64
	sigOp    cluster.SigOp
	vec      []cluster.Span
	shape    *cluster.Strided
	packing  int64 // wire: wall ns that pieces take to be packed before they leave
	handling int64 // and to be unpacked, or packed for the answer, once they have come
	unpack   int64 // those of a get's answer
	done     cluster.Done
	barrier  *barrier
	port     *port

	at  int64 // wire: wall ns since launch
	seq uint64
}

var parcelPool = sync.Pool{New: func() any { return new(parcel) }}

func newParcel() *parcel { return parcelPool.Get().(*parcel) }

// spares are an engine's parcels of messages, with their buffers. What it received serves
// what it sends next, because it stands in its core's cache; what is too many goes home to
// its sender. A pool alone would leave all with the receiver where messages go one way, and
// senders would have to look for them there.
type spares struct {
	own  *parcel
	many int // of own
	_    [128]byte
	back atomic.Pointer[parcel] // that receivers sent home
	came atomic.Int32           // how many of them, at most
	_    [128]byte
}

// longestKept is the longest buffer that a spare parcel keeps.
const longestKept = 16 << 10

// spareParcels is how many an engine keeps that it received, and how many it takes back:
// all engines together stay within 40 MiB, or two parcels each.
func spareParcels(engines int) (own, back int) {
	own = min(max(1024/engines, 1), 64)
	return own, own
}

// message gives the engine a parcel for a message.
func (e *engine) message() *parcel {
	s := &e.spares
	if s.own == nil && s.back.Load() != nil {
		s.own = s.back.Swap(nil)
		for p := s.own; p != nil; p = p.next {
			s.many++
		}
		s.came.Add(int32(-s.many))
	}
	p := s.own
	if p == nil {
		p = newParcel()
		p.home = e
		return p
	}
	s.own = p.next
	s.many--
	p.home = e
	return p
}

// release gives a parcel back whose message the engine has received.
func (e *engine) release(p *parcel) {
	if p.pooled != nil && len(p.pooled.b) > longestKept {
		p.pooled.free()
		p.pooled = nil
	}
	p.buf, p.req, p.from, p.leaves, p.came = nil, nil, nil, false, 0 // else it is as new
	if s := &e.spares; s.many < e.w.spareOwn {
		p.next, s.own = s.own, p
		s.many++
		return
	}
	home := &p.home.spares
	if home.came.Load() >= e.w.spareBack {
		p.free()
		return
	}
	home.came.Add(1)
	for {
		p.next = home.back.Load()
		if home.back.CompareAndSwap(p.next, p) {
			return
		}
	}
}

// free gives the parcel and its bytes to the pool.
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
