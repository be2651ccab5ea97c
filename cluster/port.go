package cluster

import "context"

// Poster accepts operations.
type Poster interface {
	// Post starts an operation. Handle 0 means that it is complete and op.Done has its result. The
	// port does not keep op. It keeps op.Buf until completion (for a put: until local completion).
	Post(op *Op) Handle
	// ID returns the number of the rank in the cluster, 0 to ranks − 1.
	ID() int
}

// Port is the interface of a fabric to one thread of execution. A port belongs to one goroutine. A
// Step or an RPC body may call only Post.
//
// When the run is aborted (cancelled, deadlocked, a rank failed), each method that can block
// unwinds its goroutine with a panic. The fabric recovers the panic; programs must not. Methods
// that a program may poll do the same: Now, Test, Cancel, Progress, Reach, a Wait for no handle,
// every Post. ID, Segment and Direct return the same value in each call.
type Port interface {
	Poster
	// Now returns the time since launch, divided by the time dilation. It costs time on a simulated
	// fabric.
	Now() Time
	// Wait blocks until need of the handles are complete (need ≤ len(hs)). Complete handles stay
	// valid until Test frees them. Handle 0 counts as complete. With need 0 it only injects batched
	// sends.
	Wait(hs []Handle, need int)
	// Test polls one handle, and reports whether its operation is complete. If so, Test frees the handle
	// and sets d to the result. The poll costs time on a simulated fabric and makes progress.
	Test(h Handle, d *Done) bool
	// Peek reports whether the port already knows that a handle is complete, for instance from a
	// Wait. It costs no time, frees nothing and makes no progress.
	Peek(h Handle) bool
	// Cancel cancels a receive that has not matched, and reports whether it did. The handle then
	// completes as Cancelled.
	Cancel(h Handle) bool
	// Progress advances handshakes, RPC bodies and steps.
	Progress()
	// Compute runs body as a computation. Other threads may make progress for this rank meanwhile.
	// A fabric with modelled time charges w.
	Compute(w Work, body func())
	// Fork runs body on n threads and joins them. The caller is thread 0.
	Fork(n int, body func(p Port, thread int))
	// Segment returns the rank's segment, 8-byte aligned.
	Segment() []byte
	// Reach returns the segment of a rank if loads and stores reach it, otherwise nil.
	Reach(rank int) []byte
	// Direct reports whether puts and gets to a segment of Reach may be done in place without a
	// charge, because the fabric has a wall clock.
	Direct() bool
	// Team registers the members of a context before its first barrier. Every member calls it with
	// the same list of cluster ranks. An empty list removes the context. A member removes it after
	// its barriers there are complete; the context is never used again.
	Team(ctx int32, ranks []int32)
	// Board returns the shared control block of a context if loads and stores reach all members,
	// otherwise nil.
	Board(ctx int32) *Board
	// Serve installs the function that runs arriving RPC bodies. It returns false if no body has
	// the number.
	Serve(func(RPC) (uint64, bool))
}

// Mover is a port that observes the puts and gets that a rank makes in place.
type Mover interface {
	// Move copies from buf to a rank's segment for a put, and back for a get.
	Move(kind Kind, peer int, segment, buf []byte)
}

// RPC is an arrived call: Fn on Data (valid during the call) with Arg from rank Src. The body may
// post through Poster and must not wait.
type RPC struct {
	Poster Poster
	Src    int32
	Fn     int32
	Arg    int32
	Data   []byte
}

// State is the current activity of a rank.
type State uint8

// The states of a rank, as shown on screens.
const (
	Idle      State = iota // not started, or finished
	Computing              // in the program or in Compute
	Calling                // inside a call, working or polling
	Waiting                // parked inside a call
)

var stateNames = [...]string{"idle", "compute", "call", "wait"}

// String returns the name of the state.
func (s State) String() string { return stateNames[s] }

// States is the number of states.
const States = 4

// Fabric runs programs.
type Fabric interface {
	// Name returns the name of the fabric, for messages. Do not derive capabilities from it.
	Name() string
	// Clock returns the kind of time of a run on a machine.
	Clock(m *Machine) Clock
	// Overhead returns the approximate host memory of a run in bytes, without segments and the
	// program's own data.
	Overhead(spec *Spec) int64
	// Start runs body on one port per rank. It checks the spec against the machine before it
	// allocates memory.
	Start(ctx context.Context, spec Spec, body func(Port) error) (Run, error)
}

// Distributed is a fabric that distributes the nodes of a run over processes, as Layout.ProcessOf states.
// Loads and stores reach only ranks of the same process.
type Distributed interface {
	Fabric
	// Process returns the number of this process.
	Process() int
	// Processes returns the number of processes.
	Processes() int
	// OnHost returns the layout of the nodes on this host, or a larger one.
	OnHost(l Layout) Layout
}

// ProcessesOf returns the number of processes of a fabric's runs.
func ProcessesOf(f Fabric) int {
	if d, ok := f.(Distributed); ok {
		return d.Processes()
	}
	return 1
}

// Spread is a Run of a Distributed fabric.
type Spread interface {
	Run
	// Publish sends bytes of this process to process 0, which keeps the latest ones. Process 0 has
	// them at the end of the run if a rank of this process publishes them before its body returns.
	Publish(b []byte)
	// Published returns the latest bytes that another process has published, or nil. Only process 0 has
	// them. The caller must not change them.
	Published(process int) []byte
}

// Run is a running program. A run on a virtual clock is also a [Virtual].
type Run interface {
	// Wait waits until every rank has ended. It returns the first failure; after a cancel, a panic
	// or a deadlock, this is an *Abort.
	Wait() error
	// Cancel ends every rank.
	Cancel(cause error)
	// States fills dst with the current state of each rank. Any goroutine may call it.
	States(dst []State) []State
	// Dilation returns the time dilation factor of an emulated run; 1: none.
	Dilation() float64
	// Warnings describes how the host failed to keep up; empty: it kept up.
	Warnings() []string
}
