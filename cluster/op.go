package cluster

// Handle identifies a posted operation that is not yet complete. Its low half is a slot of the
// port. Its high half is the generation of that slot, which distinguishes a stale handle from a
// live one. Zero means that the operation completed inside Post; Op.Done has its result.
type Handle uint64

// Kind is the type of an Op.
type Kind uint8

// The operations of a port. The comment of each kind lists the fields that it reads; the other
// fields are ignored. Kinds up to KindEvent also read Then and ThenArg.
const (
	KindNone    Kind = iota
	KindSend         // Ctx Peer Tag Buf Size From Batch: eager up to the spec's limit, rendezvous above
	KindSsend        // as KindSend, completes only once the receive has started
	KindRecv         // Ctx Peer|AnySource Tag|AnyTag Buf Size From
	KindIprobe       // Ctx Peer Tag: completes at once; Done.Found: a message has arrived
	KindProbe        // Ctx Peer Tag: completes when a message waits, leaves it in place
	KindImprobe      // as KindIprobe, and takes the message; Done.A names it
	KindMprobe       // as KindProbe, and takes the message; Done.A names it
	KindMrecv        // A (from a matched probe) Buf Size From
	KindPut          // Peer Off Buf Size Vec Shape Train From To Path; SigOp, with Sig A; Fn, with Arg
	KindGet          // Peer Off Buf Size Vec Shape From To Path
	KindAtomic       // Peer Off Arg(AtomicOp) A B: Done.A is the word before
	KindAwait        // Off Arg(Cmp) A: completes when the local word Cmp A holds; Done.A is that word
	KindRPC          // Peer Fn Arg Buf Size: completes when the body has run; Done.A is its result
	KindBarrier      // Ctx: Post notifies, Wait waits
	// A B: a computation of A flops that moves B bytes of memory, on the thread that runs the step
	// or the call; no time on a wall clock
	KindWork
	// Ctx Tag A: adds A to flag Tag of the context's board; 0: wakes the members that sleep until
	// the flag changes (Board.Raise)
	KindFlagAdd
	KindFlagWait // Ctx Tag A: completes when flag Tag of the context's board is at least A
	// Ctx Tag A Size B: loads Size bytes in equal parts from the buffers of A members, starting
	// with member Tag, and computes B flops; as KindWork
	KindLoad
	// Tag A B: a kernel of A flops that moves B bytes of the device's memory, on stream Tag of the
	// rank's device
	KindLaunch
	KindTree  // Ctx Tag A Size: a call of A members of the context on the machine's collective network; Size 0: a barrier
	KindEvent // Arg: a handle that completes after that many fires
	KindFire  // Event: fires an event of this port once

	// In a parallel region, among its threads.
	KindThreadBarrier // a barrier: Post arrives, Wait waits
	// Arg A: adds A to counter Arg of the region; Done.A is its old value; each thread barrier
	// resets all counters to 0
	KindDraw
	KindEnter // takes the library's lock for the thread; Done.Found: it succeeded; Done.Peer: the thread that has the lock
	KindLeave // releases the lock
)

// peered is the set of kinds that name a Peer.
const peered = 1<<KindSend | 1<<KindSsend | 1<<KindRecv | 1<<KindIprobe | 1<<KindProbe | 1<<KindImprobe | 1<<
	KindMprobe |
	1<<KindPut | 1<<KindGet | 1<<KindAtomic | 1<<KindRPC

// HasPeer reports whether an operation of the kind names another rank. The Peer of other kinds is
// left over from an earlier operation.
func (k Kind) HasPeer() bool { return peered>>k&1 != 0 }

var kindNames = [...]string{
	"none", "send", "ssend", "recv", "iprobe", "probe", "improbe", "mprobe", "mrecv",
	"put", "get", "atomic", "await", "rpc", "barrier", "work", "raise", "wait at a board", "load", "kernel",
	"collective network", "event", "fire",
	"thread barrier", "draw", "enter", "leave",
}

// String returns the name of the call.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind?"
}

// Wildcards of a receive or a probe.
const (
	AnySource = -1
	AnyTag    = -1
)

// AtomicOp is a read-modify-write on one aligned 64-bit word.
type AtomicOp int32

// The atomics. All are sequentially consistent.
const (
	AtomicLoad    AtomicOp = iota // returns the word
	AtomicStore                   // word = A
	AtomicAdd                     // word += A
	AtomicSwap                    // word = A; returns the old word
	AtomicCompare                 // if word == B: word = A; returns the old word
)

// Cmp compares the local word with an operand, both unsigned.
type Cmp int32

// The comparisons of an await.
const (
	CmpEqual Cmp = iota
	CmpNotEqual
	CmpGreaterEqual
	CmpGreater
	CmpLessEqual
	CmpLess
)

// Holds reports whether word c a.
func (c Cmp) Holds(word, a uint64) bool {
	switch c {
	case CmpEqual:
		return word == a
	case CmpNotEqual:
		return word != a
	case CmpGreaterEqual:
		return word >= a
	case CmpGreater:
		return word > a
	case CmpLessEqual:
		return word <= a
	case CmpLess:
		return word < a
	}
	return false
}

// SigOp is the change that a put with signal makes to its flag word.
type SigOp uint8

// The ways to signal.
const (
	SigNone SigOp = iota
	SigSet        // word = A
	SigAdd        // word += A
)

// Span is a piece of a segment: Len bytes at Off. A vector of spans describes a strided or indexed
// transfer, whose bytes are packed in Op.Buf.
type Span struct{ Off, Len int64 }

// Op is one operation: plain data except Buf, Vec and Then. A fabric reads it only during Post, so
// a rank can reuse one Op for all calls. The fields of messages come first, because with many ranks
// each Op is out of every cache.
type Op struct {
	Kind  Kind
	SigOp SigOp
	// send: may leave together with later sends, at the latest in the next call that waits, tests,
	// probes or computes
	Batch bool
	Early bool   // put with a step and without Fn: the step runs at local completion (Buf can be reused)
	From  Memory // memory of Buf: the source of a send or put, the destination of a receive or get
	To    Memory // memory at the peer: the destination of a put, the source of a get
	Path  Path   // put, get: the transfer path inside a node
	Ctx   int32  // communication context
	Peer  int32  // the other rank, by number in the cluster
	Tag   int32

	// Then runs inside the fabric when the operation completes. It detaches the operation: Post
	// returns 0, and only the step receives the result, with ThenArg.
	ThenArg int32
	Then    Step

	Buf   []byte // the bytes; nil with a Size: size-only
	Size  int64  // bytes; read only when Buf is nil
	Done  Done   // the result of an operation that completed inside Post
	Event Handle // fire: which event

	// The fields below are not used by sends and receives.
	Off    int64    // offset in the segment of Peer (await: in the local segment)
	Sig    int64    // offset of the flag word that a put signals at Peer, with SigOp
	A, B   uint64   // operands
	Arg    int32    // atomic, comparison, argument of an RPC
	Fn     int32    // RPC function by number; 0: none
	Vec    []Span   // target side of a strided or indexed put or get
	Shape  *Strided // likewise, of equal blocks, packed in Buf; read during Post, like the Buf of a put
	Train  int32    // put: the number of equal small puts that this one represents, at their separate costs; 0: one
	Source Handle   // put, a result: completes at local completion; 0: already complete
}

// Bytes returns the length of the payload in bytes, also of a size-only one.
func (o *Op) Bytes() int64 {
	if o.Buf != nil {
		return int64(len(o.Buf))
	}
	return o.Size
}

// Packed reports whether a put or a get consists of several pieces that form one message. One end
// packs them, and the CPU of the other end unpacks them.
func (o *Op) Packed() bool {
	return len(o.Vec) > 1 || o.Shape != nil && (o.Kind == KindGet || o.Train <= 1) && !o.Shape.Contiguous()
}

// Code is the reason why an operation failed.
type Code uint8

// The failures of an operation after its rank accepted it.
const (
	OK           Code = iota
	Truncated         // the message was longer than the receive; Done.Size is the message's length
	Cancelled         // cancelled before it matched
	OutOfSegment      // the target's segment ends before the transfer does
	Misaligned        // an atomic or flag word not on 8 bytes
	NoFunction        // no RPC function of that number at the target
	NoMessage         // a matched receive of a message that no probe took
)

// Done is the result of an operation.
type Done struct {
	Peer, Tag int32  // envelope of the message
	Size      int64  // bytes of the message or transfer
	A         uint64 // old word, returned word, or message number
	Err       Code
	Found     bool // probe: a message waits
}

// Set copies o field by field, as it was written a moment ago. Wider loads would wait until those
// stores reach the cache. The order of the fields keeps the compiler from joining two of them.
func (d *Done) Set(o *Done) {
	d.Peer, d.Err, d.Tag, d.Size, d.Found, d.A = o.Peer, o.Err, o.Tag, o.Size, o.Found, o.A
}

// Step is the continuation of an operation inside the fabric. It may Post and must not Wait. It
// runs on the rank that posted the operation, while that rank or its progress thread is inside a
// call. arg is the Op's ThenArg.
type Step interface {
	Step(p Poster, arg int32, d Done)
}

// Work describes a computation to a machine's cost model.
type Work struct {
	Flops  float64 // floating-point operations
	Bytes  float64 // bytes moved between processor and memory
	Kernel Kernel  // the library routine that computes; NoKernel: the machine's sustained rate
	Loops  float64 // innermost loops that are started: rows of a grid, rows of a strided copy
	Cores  int     // cores used by the routine's own threads, without a Fork; 0: one
	Until  Time    // 0, or the time at which the computation ends, regardless of its other fields, noise and slow parts
}
