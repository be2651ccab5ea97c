package cluster

import (
	"maps"
	"sync/atomic"
)

// Lib is what a library over a Rank needs beyond the calls of a program: windows and
// shared arrays are such libraries. What it moves does not inherit the means of a
// scope that the program has opened (see Using).
type Lib struct{ r *Rank }

// Lib is the rank's handle for libraries.
func (r *Rank) Lib() Lib { return Lib{r} }

// Errorf makes an error that names the rank, and the thread if it is not the first.
func (l Lib) Errorf(format string, args ...any) error { return l.r.errorf(format, args...) }

// End ends the body of the rank with an error, for calls that return none.
func (l Lib) End(err error) { panic(misuse{err}) }

// Member is an error where the rank may not use the team for a call: it is no member,
// or the model gives it no MPI rank (paper 1, section 3).
func (l Lib) Member(call string, t *Team) error { return l.r.member(call, t) }

// Target is an error where UPC access does not reach rank to: it ends at the own
// group (paper 1, section 3).
func (l Lib) Target(call string, to int) error { return l.r.target(call, to) }

// Parallel reports whether the rank, or this thread of it, is in a parallel region.
func (l Lib) Parallel() bool { return l.r.gate != gateOpen }

// Dup gives a team of the same members and name with contexts of its own, for the
// named call. Every member calls it.
func (l Lib) Dup(call string, t *Team) (*Team, error) {
	return l.r.dup(call, t, t.name)
}

// Enter lets the thread's call on the team in, if the thread level in force does; Leave
// ends it.
func (l Lib) Enter(call string, t *Team) error {
	if err := l.r.member(call, t); err != nil {
		return err
	}
	return l.r.enter(call, t)
}

// Leave ends a call that Enter let in.
func (l Lib) Leave() { l.r.leave() }

// Kept is what a library keeps at the rank's own side of a team; nil: nothing yet.
func (l Lib) Kept(t *Team) any { return t.kept }

// Keep keeps it.
func (l Lib) Keep(t *Team, what any) { t.kept = what }

// Send sends buf to a member in a call that was let in, where no message of a program
// can be, and waits until buf may be written again. Tags are as in Notify.
func (l Lib) Send(call string, t *Team, to int, tag int32, d Data) error {
	return l.r.send(call, t, to, tagLibrary+tag, d)
}

// Recv receives what Send sent: an error if it is not as long as buf.
func (l Lib) Recv(call string, t *Team, from int, tag int32, d Data) error {
	return l.r.recv(call, t, from, tagLibrary+tag, d)
}

// Allgather collects the members' in, all equally long, into everyone's out, in the
// order of their numbers, for a library that is not ready for collectives yet.
func (l Lib) Allgather(call string, t *Team, in, out []byte) error {
	return l.r.allgather(call, t, in, out)
}

// Notify sends an empty message to each of the peers, numbers in the team, but the
// caller; Noticed receives one from each. Neither waits for the other. Tags, from 0,
// are those of a team that the library made.
func (l Lib) Notify(call string, t *Team, tag int, peers []int) error {
	return l.r.notices(call, t, tagLibrary+int32(tag), peers)
}

// Noticed receives what Notify sends.
func (l Lib) Noticed(call string, t *Team, tag int, peers []int) error {
	return l.r.noticed(call, t, tagLibrary+int32(tag), peers)
}

// Put is Rank.Put.
func (l Lib) Put(at Target, d Data) error { return l.contiguous(KindPut, at, d) }

// Get is Rank.Get.
func (l Lib) Get(at Target, d Data) error { return l.contiguous(KindGet, at, d) }

func (l Lib) contiguous(kind Kind, at Target, d Data) error {
	was := l.r.means(Means{})
	err := l.r.contiguous(kind, at, d)
	l.r.means(was)
	return err
}

// PutImplicit starts a put that Quiet completes, in any UPC group. It counts no traffic.
func (l Lib) PutImplicit(at Target, d Data) error { return l.later(KindPut, at, d) }

// GetImplicit starts a get that Quiet completes, as PutImplicit does a put.
func (l Lib) GetImplicit(at Target, d Data) error { return l.later(KindGet, at, d) }

func (l Lib) later(kind Kind, at Target, d Data) error {
	was := l.r.means(Means{})
	l.r.onesided(kind, at, d)
	err := l.r.implicit(at.Rank, false)
	l.r.means(was)
	return err
}

// Atomic changes a word at the target in any UPC group, and returns the word before. It
// counts no traffic. b is the second operand of AtomicCompare.
func (l Lib) Atomic(to Target, op AtomicOp, a, b uint64) (uint64, error) {
	return l.r.rawAtomic(to, op, a, b)
}

// services are the bodies of libraries that others may ask, by context of a team.
type services struct {
	byTeam atomic.Pointer[map[int32]func(RPC) uint64]
}

// Serve installs the body that answers what members of the team ask this rank; nil
// removes it. The members synchronize between Serve and the first Ask. A fabric runs
// one body at a time on a rank, perhaps beside the rank itself; a body never waits.
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

// Ask runs what a member of the team has installed with Serve on data there, and
// gives the word that it returned. The message counts as traffic.
func (l Lib) Ask(t *Team, member int, data Data) (uint64, error) {
	var q Request
	to := t.Global(member)
	l.r.Account(to, 1, data.n)
	l.r.rpc(&q, to, serviceOf(t.ctx), 0, data)
	st, err := l.r.Wait(&q)
	return st.Word, err
}

// serviceOf is the RPC function that stands for the service of a context: numbers
// below 0, where a program has none.
func serviceOf(ctx int32) int { return -1 - int(ctx) }

// service runs one for the fabric; false: there is none.
func (s *services) run(c RPC) (uint64, bool) {
	if all := s.byTeam.Load(); all != nil {
		if body := (*all)[-1-c.Fn]; body != nil {
			return body(c), true
		}
	}
	return 0, false
}

// Context is where messages of libraries on the team are: no message of a program can
// be there. Those that a library posts itself have tags of a team that it made.
func (l Lib) Context(t *Team) int32 { return t.ctx + 1 }

// BoardContext is where its words are.
func (l Lib) BoardContext(t *Team) int32 { return t.ctx }

// Port returns the interface between the rank and its fabric.
func (l Lib) Port() Port { return l.r.port }

// Await blocks until an operation that was posted to the port is complete.
func (l Lib) Await(h Handle) {
	l.r.handles = append(l.r.handles[:0], h)
	l.r.port.Wait(l.r.handles, 1)
	l.r.port.Test(h)
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
		if d, _ := l.r.port.Test(h); failed == OK {
			failed = d.Err
		}
	}
	return failed
}

// Test reports whether it is complete, and forgets it if so.
func (l Lib) Test(h Handle) bool {
	_, ok := l.r.port.Test(h)
	return ok
}

// Shared gives what the launch keeps by a key, made by whichever rank asks first; what
// another one made at the same time is dropped.
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

// Heap is how many bytes of the segment are in use; Alloc takes those that follow.
func (l Lib) Heap() int64 { return l.r.heap }

// Raise says that at least so many bytes of the segment are in use, so that ranks
// which agree on a maximum allocate at one offset.
func (l Lib) Raise(heap int64) { l.r.heap = max(l.r.heap, heap) }

// Scratch lends n bytes, aligned for any number, until the next call of a library or
// a collective.
func (l Lib) Scratch(n int) []byte { return l.r.work(n) }
