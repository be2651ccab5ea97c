package live

import (
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// barrier is the shared data of the members of a context.
type barrier struct {
	ranks  []int32
	left   int            // number of members that have removed it, under barrierMu
	local  int            // number of members in this process
	remote *remoteBarrier // nil: all members are in this process
	_      [64]byte
	count  atomic.Int32
	_      [64]byte
	gen    atomic.Uint32
	board  atomic.Pointer[board] // nil: not used yet

	entered atomic.Int64 // wire: time at which the last member has entered, wall ns
}

// member is one rank's side of a barrier.
type member struct {
	ctx int32
	b   *barrier
	// notified is the number of barriers that this rank has entered; the monitor
	// reads it.
	entered atomic.Uint32
}

// join registers a context's barrier with the engine.
func (e *engine) join(ctx int32, ranks []int32) {
	w := e.w
	w.barrierMu.Lock()
	b := w.barriers[ctx]
	if b == nil {
		b = &barrier{ranks: ranks, local: len(ranks)}
		if w.remote != nil {
			w.remote.extend(ctx, b)
		}
		w.barriers[ctx] = b
	}
	w.barrierMu.Unlock()
	m := &member{ctx: ctx, b: b}
	w.membersMu.Lock()
	defer w.membersMu.Unlock()
	for i := range e.members {
		if e.members[i].b == nil { // the entry of a removed context
			e.members[i] = m
			return
		}
	}
	e.members = append(e.members, m)
}

// removedMember replaces a removed context.
var removedMember = &member{ctx: -1}

// removeMember removes a context. The last member removes the barrier.
func (e *engine) removeMember(ctx int32) {
	m, i := e.member(ctx)
	w := e.w
	w.membersMu.Lock()
	e.members[i] = removedMember
	w.membersMu.Unlock()
	w.barrierMu.Lock()
	if m.b.left++; m.b.left == m.b.local {
		delete(w.barriers, ctx)
		if m.b.remote != nil {
			w.remote.forget(ctx)
		}
	}
	w.barrierMu.Unlock()
}

func (e *engine) member(ctx int32) (*member, int) {
	for i, m := range e.members {
		if m.ctx == ctx {
			return m, i
		}
	}
	panic("live: barrier on an unknown context")
}

// barrierBit marks the handle of a barrier, which has no slot. The handle has the index of its
// member in the engine's list, and the generation that it waits for.
const barrierBit cluster.Handle = 1 << 63

func (e *engine) memberOf(h cluster.Handle) *member {
	if h&boardBit != 0 {
		return e.members[(h&^(barrierBit|boardBit))>>boardShift]
	}
	return e.members[(h&^barrierBit)>>32]
}

// hasOpened reports whether the barrier of a handle is complete, or its flag reached.
func (e *engine) hasOpened(h cluster.Handle) bool {
	m := e.memberOf(h)
	if h&boardBit != 0 {
		return m.b.board.Load().hasReached(h)
	}
	return m.b.gen.Load() != uint32(h)
}

// enter arrives at a barrier. The last member completes it.
func (e *engine) enter(op *cluster.Op) cluster.Handle {
	m, i := e.member(op.Ctx)
	b := m.b
	m.entered.Add(1)
	gen := b.gen.Load()
	if e.w.wire != nil {
		b.enterAt(e.cpu.at)
	}
	last := int(b.count.Add(1)) == b.local
	if last {
		b.count.Store(0)
		if e.w.transport.open(b) {
			b.open(e.w)
			return e.finish(op, cluster.Done{})
		}
	}
	if op.Then == nil {
		return barrierBit | cluster.Handle(i)<<32 | cluster.Handle(gen)
	}
	s := e.takeSlot(op)
	s.member, s.count = m, gen
	e.gates = append(e.gates, s)
	return 0
}

// enterAt records that a member enters at a time.
func (b *barrier) enterAt(at int64) {
	for {
		was := b.entered.Load()
		if was >= at || b.entered.CompareAndSwap(was, at) {
			return
		}
	}
}

// isOpen reports whether the barrier of a continuation is complete, or its flag reached. If not,
// the member that increments the flag will wake this rank.
func (s *slot) isOpen() bool {
	if s.kind == cluster.KindFlagWait {
		b := s.member.b.board.Load()
		return b.Words[s.tag].N.Load() >= s.a || b.requestWake(s.member.b, s.tag, s.a)
	}
	return s.member.b.gen.Load() != s.count
}

// checkGates completes the barriers that continuations wait for.
func (e *engine) checkGates() int {
	n := 0
	for i := 0; i < len(e.gates); i++ {
		if s := e.gates[i]; s.isOpen() {
			e.gates = append(e.gates[:i], e.gates[i+1:]...)
			i--
			n++
			e.complete(s, cluster.Done{})
		}
	}
	return n
}

// open continues the members.
func (b *barrier) open(w *world) {
	b.gen.Add(1)
	b.alert(w)
}

// alert wakes the members of this process. A barrier opens in each process.
func (b *barrier) alert(w *world) {
	if w.vcis > 0 {
		for _, r := range b.ranks {
			w.engines[r].markUrgent(0) // a continuation may wait for it
		}
	}
	// a computing rank is not parked, and its progress thread may help
	if w.parked.Load() == 0 && w.spec.Machine.Progress != cluster.ProgressThread {
		return
	}
	for _, r := range b.ranks {
		if w.isLocal(r) {
			w.engines[r].alert()
		}
	}
}
