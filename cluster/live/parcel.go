package live

import (
	"math/bits"
	"sync"

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
// cell holds, a handshake, an RPC, or anything that happens at a time on the wire.
type parcel struct {
	kind     parcelKind
	src, dst int32
	ctx, tag int32
	size     int64
	buf      []byte // eager bytes (pooled), or the bytes of a put
	pooled   *buffer

	from *engine // of req
	req  *slot   // the operation that waits for this: at the sender or initiator
	recv *slot   // emulated rendezvous: the matched receive

	fn, arg  int32
	a, b     uint64
	off      int64
	sig      int64
	sigOp    cluster.SigOp
	vec      []cluster.Span
	shape    *cluster.Strided
	adapter  bool  // it goes by the adapter inside a node, too
	leaves   bool  // a device's memory, by way of the host's
	enters   bool  // likewise
	packing  int64 // wire: wall ns that pieces take to be packed before they leave
	handling int64 // and to be unpacked, or packed for the answer, once they have come
	unpack   int64 // those of a get's answer
	done     cluster.Done
	barrier  *barrier
	port     *port

	came int64 // wire: when both sides of its message had come, wall ns since launch

	at  int64 // wire: wall ns since launch
	seq uint64
}

var parcelPool = sync.Pool{New: func() any { return new(parcel) }}

func newParcel() *parcel { return parcelPool.Get().(*parcel) }

// free gives the parcel and its bytes back.
func (p *parcel) free() {
	if p.pooled != nil {
		p.pooled.free()
	}
	*p = parcel{}
	parcelPool.Put(p)
}

// hold copies b into a pooled buffer of the parcel.
func (p *parcel) hold(b []byte) {
	p.pooled = newBuffer(len(b))
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
