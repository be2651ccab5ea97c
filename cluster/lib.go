package cluster

import (
	"maps"
	"sync/atomic"
)

// Lib is the interface for libraries on top of a Rank, for example windows and shared arrays. Its
// transfers do not inherit the memory kinds and paths of a scope that the program has opened (see
// Using).
type Lib struct{ r *Rank }

// Lib returns the rank's interface for libraries.
func (r *Rank) Lib() Lib { return Lib{r} }

// Errorf returns an error that names the rank, and the thread if it is not the first.
func (l Lib) Errorf(format string, args ...any) error { return l.r.errorf(format, args...) }

// End ends the body of the rank with an error, for calls that return none.
func (l Lib) End(err error) { panic(misuse{err}) }

// Member returns an error if the rank may not use the team for a call. The rank is not a member, or
// it has no MPI rank in the execution model (paper 1, section 3).
func (l Lib) Member(call string, t *Team) error { return l.r.member(call, t) }

// Target returns an error if UPC access does not reach rank to. A rank can access UPC memory only
// inside its own group (paper 1, section 3).
func (l Lib) Target(call string, to int) error { return l.r.target(call, to) }

// Parallel reports whether the rank, or this thread of it, is in a parallel region.
func (l Lib) Parallel() bool { return l.r.gate != gateOpen }

// Dup returns a team with the same members and name and with separate contexts. Every member calls
// it. Errors name the given call.
func (l Lib) Dup(call string, t *Team) (*Team, error) {
	return l.r.dup(call, t, t.name)
}

// Enter begins a collective of the thread on the team, if the active thread level permits it and no
// other thread of the rank is inside one. Leave ends the call.
func (l Lib) Enter(call string, t *Team) error {
	if err := l.r.member(call, t); err != nil {
		return err
	}
	return l.r.enterAlone(call, t)
}

// Leave ends a call that Enter began.
func (l Lib) Leave(t *Team) {
	l.r.release(t)
	l.r.leave()
}

// Kept returns the value that a library has stored in the rank's view of a team; nil: none.
func (l Lib) Kept(t *Team) any { return t.kept }

// Keep stores a library's value in the rank's view of a team.
func (l Lib) Keep(t *Team, what any) { t.kept = what }

// Send sends data to a member inside a call that Enter began, and waits for local completion. Its
// context is separate from messages of programs. Tags are as in Notify.
func (l Lib) Send(call string, t *Team, to int, tag int32, d Data) error {
	return l.r.send(call, t, to, tagLibrary+tag, d)
}

// Recv receives a message of Send. A message with another length than d is an error.
func (l Lib) Recv(call string, t *Team, from int, tag int32, d Data) error {
	return l.r.recv(call, t, from, tagLibrary+tag, d)
}

// Allgather collects in of all members, of equal length, into out on every member, in the order of
// their numbers. It is for a library that cannot use collectives yet.
func (l Lib) Allgather(call string, t *Team, in, out []byte) error {
	return l.r.allgather(call, t, in, out)
}

// Notify sends an empty message to each of the peers except the caller; Noticed receives one from
// each. Peers are numbers in the team. Notify does not wait for Noticed. Tags start at 0, on a team
// that the library made.
func (l Lib) Notify(call string, t *Team, tag int, peers []int) error {
	return l.r.notices(call, t, tagLibrary+int32(tag), peers)
}

// Noticed receives one message of Notify from each of the peers except the caller.
func (l Lib) Noticed(call string, t *Team, tag int, peers []int) error {
	return l.r.noticed(call, t, tagLibrary+int32(tag), peers)
}

// Put calls Rank.Put without the program's memory kinds and paths.
func (l Lib) Put(at Target, d Data) error { return l.contiguous(KindPut, at, d) }

// Get calls Rank.Get without the program's memory kinds and paths.
func (l Lib) Get(at Target, d Data) error { return l.contiguous(KindGet, at, d) }

func (l Lib) contiguous(kind Kind, at Target, d Data) error {
	was := l.r.means(Means{})
	err := l.r.contiguous(kind, at, d)
	l.r.means(was)
	return err
}

// PutImplicit starts a put that Quiet completes, in any UPC group. The put is not counted as
// traffic.
func (l Lib) PutImplicit(at Target, d Data) error { return l.later(KindPut, at, d) }

// GetImplicit starts a get that Quiet completes, in any UPC group. The get is not counted as
// traffic.
func (l Lib) GetImplicit(at Target, d Data) error { return l.later(KindGet, at, d) }

func (l Lib) later(kind Kind, at Target, d Data) error {
	was := l.r.means(Means{})
	l.r.onesided(kind, at, d)
	err := l.r.implicit(at.Rank, false)
	l.r.means(was)
	return err
}

// Atomic changes a word at the target in any UPC group, and returns the old word. It is not counted
// as traffic. b is the second operand of AtomicCompare.
func (l Lib) Atomic(to Target, op AtomicOp, a, b uint64) (uint64, error) {
	return l.r.rawAtomic(to, op, a, b)
}

// services are the bodies that run on a rank for other ranks: the bodies of libraries (see Serve) by context of a
// team, and the registered functions of RPCs.
type services struct {
	byTeam    atomic.Pointer[map[int32]func(RPC) uint64]
	functions []func(RPC) uint64
}

// Serve installs the body that runs for Ask of members of the team on this rank; nil removes it.
// The members synchronize between Serve and the first Ask. A fabric runs one body at a time on a
// rank, possibly concurrently with the rank's own code. A body must not wait.
func (l Lib) Serve(t *Team, body func(RPC) uint64) {
	all := map[int32]func(RPC) uint64{}
	if old := l.r.services.byTeam.Load(); old != nil {
		all = maps.Clone(*old)
	}
	if all[t.ctx] = body; body == nil {
		delete(all, t.ctx)
	}
	l.r.services.byTeam.Store(&all)
}

// Ask runs the body that a member of the team has installed with Serve on data, and returns the
// word that it returned. The message counts as traffic.
func (l Lib) Ask(t *Team, member int, data Data) (uint64, error) {
	var q Request
	to := t.Global(member)
	l.r.Account(to, 1, data.n)
	l.r.rpc(&q, to, serviceOf(t.ctx), 0, data)
	st, err := l.r.Wait(&q)
	return st.Word, err
}

// serviceOf returns the RPC function number of the service of a context. It is below 0, where
// programs have no functions.
func serviceOf(ctx int32) int { return -1 - int(ctx) }

// run runs the service of an RPC for the fabric. It reports whether there is one.
func (s *services) run(c RPC) (uint64, bool) {
	if all := s.byTeam.Load(); all != nil {
		if body := (*all)[-1-c.Fn]; body != nil {
			return body(c), true
		}
	}
	return 0, false
}

// Context returns the context for messages of libraries on the team, separate from messages of
// programs. A library that posts messages itself uses tags of a team that it made.
func (l Lib) Context(t *Team) int32 { return t.ctx + 1 }

// BoardContext returns the context of the team's board.
func (l Lib) BoardContext(t *Team) int32 { return t.ctx }

// Port returns the interface between the rank and its fabric.
func (l Lib) Port() Port { return l.r.port }

// Await blocks until an operation that was posted to the port is complete.
func (l Lib) Await(h Handle) {
	l.r.handles = append(l.r.handles[:0], h)
	l.r.port.Wait(l.r.handles, 1)
	l.r.port.Test(h, &l.r.op.Done)
}

// AwaitAll blocks until several operations that were posted are complete, as Waitall does,
// and returns the first failure among them. A handle of 0 is complete.
func (l Lib) AwaitAll(hs []Handle) Code {
	l.r.port.Wait(hs, len(hs))
	failed := OK
	for _, h := range hs {
		if h == 0 {
			continue
		}
		l.r.port.Test(h, &l.r.op.Done)
		if failed == OK {
			failed = l.r.op.Done.Err
		}
	}
	return failed
}

// Test reports whether a posted operation is complete. A complete handle becomes invalid.
func (l Lib) Test(h Handle) bool {
	return l.r.port.Test(h, &l.r.op.Done)
}

// Shared returns the value that the launch stores for a key. The first rank that calls Shared makes
// it. A value that another rank makes at the same time is dropped.
func (l Lib) Shared(key any, made func() any) any {
	kept := &l.r.launch.kept
	for {
		now := kept.Load()
		if now != nil {
			if v, ok := (*now)[key]; ok {
				return v
			}
		}
		next := map[any]any{}
		if now != nil {
			next = maps.Clone(*now)
		}
		v := made()
		next[key] = v
		if kept.CompareAndSwap(now, &next) {
			return v
		}
	}
}

// Heap returns the number of bytes of the segment in use. Alloc allocates the bytes after them.
func (l Lib) Heap() int64 { return l.r.heap }

// Raise sets the number of bytes of the segment in use to at least heap. Ranks that agree on a
// maximum then allocate at the same offset.
func (l Lib) Raise(heap int64) { l.r.heap = max(l.r.heap, heap) }

// Scratch returns n bytes of scratch space, aligned for any number, valid until the next call of a
// library or a collective.
func (l Lib) Scratch(n int) []byte { return l.r.work(n) }
