package cluster

// Handle names an operation that was posted and is not yet complete. Its low
// half is a slot of the port, its high half the generation of that slot, so that
// a stale handle is told from a live one. Zero says that the operation completed
// inside Post, and its result stands in Op.Done.
type Handle uint64

// Kind says what an Op asks for.
type Kind uint8

// The operations of a port. The fields that each one reads are named beside it;
// all others may hold anything. Those up to KindEvent take a Then as well, with
// its ThenArg.
const (
	KindNone    Kind = iota
	KindSend         // Ctx Peer Tag Buf Size From Batch: eager up to the spec's limit, rendezvous above
	KindSsend        // as KindSend, completes only once the receive has started
	KindRecv         // Ctx Peer|AnySource Tag|AnyTag Buf Size From
	KindIprobe       // Ctx Peer Tag: completes at once, Done.Found says whether a message waits
	KindProbe        // Ctx Peer Tag: completes when a message waits, leaves it in place
	KindImprobe      // as KindIprobe, and takes the message; Done.A names it
	KindMprobe       // as KindProbe, and takes the message; Done.A names it
	KindMrecv        // A (from a matched probe) Buf Size From
	KindPut          // Peer Off Buf Size Vec Shape Train From To Path; SigOp, with Sig A; Fn, with Arg
	KindGet          // Peer Off Buf Size Vec Shape From To Path
	KindAtomic       // Peer Off Arg(AtomicOp) A B: Done.A is the word before
	KindAwait        // Off Arg(Cmp) A: completes when own word Cmp A, Done.A is the word seen
	KindRPC          // Peer Fn Arg Buf Size: completes when the body has run, Done.A is what it returned
	KindBarrier      // Ctx: Post notifies, Wait waits
	KindWork         // A B: computing of A flops that moves B bytes of memory, by whoever runs the step or the call; where time is the host's own it takes none
	KindRaise        // Ctx Tag A: word Tag of the context's board grows by A; by 0: those who sleep for it are woken (Board.Raise)
	KindReached      // Ctx Tag A: completes when word Tag of the context's board has A or more
	KindLoad         // Ctx Tag A Size B: Size bytes in all, an equal part from what each of A members from number Tag on has exposed, and B flops; as KindWork
	KindLaunch       // Tag A B: a kernel of A flops that moves B bytes of the device's memory, on stream Tag of the rank's device
	KindTree         // Ctx Tag A Size: a call on the machine's collective network that A members of the context come to; Size 0: a barrier
	KindEvent        // Arg: a handle that completes after that many fires
	KindFire         // Event: fires the event once, on the own port

	// In a parallel region, among its threads.
	KindMeet  // a barrier: Post arrives, Wait waits
	KindDraw  // Arg A: counter Arg of the region grows by A, Done.A is what it was; each meeting sets all counters to 0
	KindEnter // takes the library for the thread; Done.Found says whether it could, Done.Peer which thread has it
	KindLeave // gives it back
)

// peered is the set of kinds that name a Peer.
const peered = 1<<KindSend | 1<<KindSsend | 1<<KindRecv | 1<<KindIprobe | 1<<KindProbe | 1<<KindImprobe | 1<<KindMprobe |
	1<<KindPut | 1<<KindGet | 1<<KindAtomic | 1<<KindRPC

// HasPeer reports whether an operation of the kind names another rank. The Peer of
// the others is what an earlier operation left there.
func (k Kind) HasPeer() bool { return peered>>k&1 != 0 }

var kindNames = [...]string{
	"none", "send", "ssend", "recv", "iprobe", "probe", "improbe", "mprobe", "mrecv",
	"put", "get", "atomic", "await", "rpc", "barrier", "work", "raise", "wait at a board", "load", "kernel", "collective network", "event", "fire",
	"thread barrier", "draw", "enter", "leave",
}

// String gives the name of the call.
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
	AtomicLoad    AtomicOp = iota // gives the word
	AtomicStore                   // word = A
	AtomicAdd                     // word += A
	AtomicSwap                    // word = A, gives the word before
	AtomicCompare                 // if word == B: word = A; gives the word before
)

// Cmp compares the own word with an operand, as unsigned unless it says signed.
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

// SigOp says how a signaling put changes its flag word.
type SigOp uint8

// The ways to signal.
const (
	SigNone SigOp = iota
	SigSet        // word = A
	SigAdd        // word += A
)

// Span is a piece of a segment: Len bytes at Off. A vector of spans describes a
// strided or indexed transfer; its bytes stand packed in Op.Buf.
type Span struct{ Off, Len int64 }

// Op is one operation: plain data except Buf, Vec and Then. A fabric reads it
// during Post only, so that one Op can be used again for each call. What messages need
// comes first: of many ranks each finds its own out of every cache.
type Op struct {
	Kind  Kind
	SigOp SigOp
	Batch bool   // send: may leave together with what follows, at the latest on the next call that waits, tests, probes or computes
	Early bool   // of a put with a step and without Fn: the step runs as soon as Buf may be written again
	From  Memory // send, put: where the bytes are; receive, get: where they go
	To    Memory // put: where they go; get: where they are
	Path  Path   // put, get: how they go inside a node
	Ctx   int32  // communication context
	Peer  int32  // the other rank, by number in the cluster
	Tag   int32

	// Then runs inside the fabric when the operation completes. It detaches the
	// operation: Post returns 0, and the result goes to the step alone, with ThenArg.
	ThenArg int32
	Then    Step

	Buf   []byte // the bytes; nil with a Size: phantom, sizes without bytes
	Size  int64  // bytes; read only when Buf is nil
	Done  Done   // the result of an operation that completed inside Post
	Event Handle // fire: which event

	// What neither sends nor receives have.
	Off    int64    // offset in the segment of Peer (await: of the own)
	Sig    int64    // offset of the flag word that a put signals at Peer, with SigOp
	A, B   uint64   // operands
	Arg    int32    // atomic, comparison, argument of an RPC
	Fn     int32    // RPC function by number; 0: none
	Vec    []Span   // target side of a strided or indexed put or get
	Shape  *Strided // likewise, of equal blocks, which stand packed in Buf; read during Post, as Buf of a put is then
	Train  int32    // put: it stands for so many equal small ones, which cost what they would alone; 0: one
	Source Handle   // put, a result: completes when Buf may be written again; 0: already
}

// Bytes is the payload's length in bytes, real or phantom.
func (o *Op) Bytes() int64 {
	if o.Buf != nil {
		return int64(len(o.Buf))
	}
	return o.Size
}

// Packed reports whether a put or a get is of several pieces that go as one message: they
// are packed at the one end, and the other end takes a hand to unpack them.
func (o *Op) Packed() bool {
	return len(o.Vec) > 1 || o.Shape != nil && (o.Kind == KindGet || o.Train <= 1) && !o.Shape.Contiguous()
}

// Code says how an operation failed.
type Code uint8

// The ways in which an operation fails after it was accepted.
const (
	OK           Code = iota
	Truncated         // the message was longer than the receive; Done.Size is the message's length
	Cancelled         // cancelled before it matched
	OutOfSegment      // the target's segment ends before the transfer does
	Misaligned        // an atomic or flag word not on 8 bytes
	NoFunction        // no RPC function of that number at the target
	NoMessage         // a matched receive of a message that nobody holds
)

// Done is what an operation came to.
type Done struct {
	Peer, Tag int32  // envelope of the message
	Size      int64  // bytes of the message or transfer
	A         uint64 // word before, returned word, or message number
	Err       Code
	Found     bool // probe: a message waits
}

// set copies o field by field: it was written so a moment ago, and wider loads
// would wait for those stores to reach the cache. The fields stand in an order in
// which the compiler does not join two of them.
func (d *Done) set(o *Done) {
	d.Peer, d.Err, d.Tag, d.Size, d.Found, d.A = o.Peer, o.Err, o.Tag, o.Size, o.Found, o.A
}

// Step continues an operation inside the fabric: it may Post, and never Wait. It
// runs on the rank that posted the operation, while that rank (or its progress
// thread) is inside a call. arg is the Op's ThenArg.
type Step interface {
	Step(p Poster, arg int32, d Done)
}

// Work describes computing to a machine model.
type Work struct {
	Flops  float64 // floating-point operations
	Bytes  float64 // bytes moved between processor and memory
	Kernel Kernel  // the library routine that computes; NoKernel: the machine's sustained rate
	Cores  int     // that the routine's own threads compute on, without a Fork; 0: one
}
