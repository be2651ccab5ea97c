package cluster

import "context"

// Poster accepts operations.
type Poster interface {
	// Post starts an operation. Handle 0 says that it is complete and its result
	// stands in op.Done. The port keeps no pointer to op; it keeps op.Buf until
	// completion (for a put: until source completion).
	Post(op *Op) Handle
	// ID is the number of the rank in the cluster, 0 to ranks − 1.
	ID() int
}

// Port is what a fabric gives to one thread of execution. A port belongs to one
// goroutine; only Post may be called from within a Step or an RPC body.
//
// When the run is aborted (cancelled, deadlocked, a rank failed), each method
// that can block unwinds its goroutine with a panic that the fabric recovers;
// programs must not recover it. So do all those that a program may call again and
// again until something holds: Now, Test, Cancel, Progress, Reach, a Wait for
// nothing, every Post. ID, Segment and Direct give the same each time.
type Port interface {
	Poster
	// Now is the time since launch, with any dilation divided out. It costs time
	// on a simulated fabric.
	Now() Time
	// Wait blocks until need of the handles are complete (need ≤ len(hs)).
	// Complete handles stay valid until Test frees them; handle 0 counts as complete.
	// With need 0 it only lets batched sends leave.
	Wait(hs []Handle, need int)
	// Test polls one handle: true frees it and gives its result. The poll costs
	// time on a simulated fabric and progresses the port.
	Test(h Handle) (Done, bool)
	// Peek reports whether a handle is known to be complete, as after a Wait that it was
	// among. It takes no time, frees nothing and progresses nothing.
	Peek(h Handle) bool
	// Cancel takes back a receive that has not matched: true, and the handle
	// completes as Cancelled. False: it has matched or is complete.
	Cancel(h Handle) bool
	// Progress lets handshakes, RPC bodies and steps advance.
	Progress()
	// Compute runs body as computing: the fabric may let others progress this
	// rank meanwhile, and charges w where time is a model's.
	Compute(w Work, body func())
	// Fork runs body on n threads, the caller's being thread 0, and joins them.
	Fork(n int, body func(p Port, thread int))
	// Segment is the own segment, 8-byte aligned.
	Segment() []byte
	// Reach is the segment of a rank where plain loads and stores reach it, else
	// nil.
	Reach(rank int) []byte
	// Direct says that a put or get to a segment in Reach may be done in place,
	// uncharged: the fabric's time is the host's own.
	Direct() bool
	// Team makes the members of a context known, before it is used in a barrier.
	// Every member calls it with the same list (ranks of the cluster). With no list it
	// is forgotten: a member does that once its barriers there are complete, and the
	// context is never used again.
	Team(ctx int32, ranks []int32)
	// Board is what the members of a context share, where loads and stores reach all of
	// them; else nil.
	Board(ctx int32) *Board
	// Serve installs the function that runs RPC bodies that arrive here; false
	// says that no body has that number.
	Serve(func(RPC) (uint64, bool))
}

// Mover is a port that wants to see the puts and gets that a rank makes in place.
type Mover interface {
	// Move copies from buf to a rank's segment for a put, and back for a get.
	Move(kind Kind, peer int, segment, buf []byte)
}

// RPC is a call that arrived: Fn on Data (valid during the call) with Arg from
// rank Src. Poster may be used to post, never to wait.
type RPC struct {
	Poster Poster
	Src    int32
	Fn     int32
	Arg    int32
	Data   []byte
}

// State is what a rank does at this moment.
type State uint8

// The states of a rank, as a screen shows them.
const (
	Idle      State = iota // not started, or finished
	Computing              // in the program or in Compute
	Calling                // inside a call, working or polling
	Waiting                // parked inside a call
)

var stateNames = [...]string{"idle", "compute", "call", "wait"}

// String names the state.
func (s State) String() string { return stateNames[s] }

// States is the number of states.
const States = 4

// Fabric runs programs.
type Fabric interface {
	// Name is for messages: what a fabric can do is asked of it, and not told by its
	// name.
	Name() string
	// Clock is what a run's time on a machine is.
	Clock(m *Machine) Clock
	// Overhead is about how many bytes of the host a run takes beside the segments
	// and what the program makes.
	Overhead(spec *Spec) int64
	// Start launches body on one port a rank. It checks the spec against the
	// machine before it takes memory.
	Start(ctx context.Context, spec Spec, body func(Port) error) (Run, error)
}

// Run is a program under way. One on a virtual clock is [Virtual] as well.
type Run interface {
	// Wait returns when every rank has ended: nil, or the reason (the first
	// failure; an *Abort for cancel, panic and deadlock).
	Wait() error
	// Cancel ends every rank.
	Cancel(cause error)
	// States fills dst with what each rank does now. Any goroutine may ask.
	States(dst []State) []State
	// Dilation is the factor by which emulated time is stretched; 1: not at all.
	Dilation() float64
	// Warnings tells what the host could not keep, in words; empty: all well.
	Warnings() []string
}
