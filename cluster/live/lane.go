package live

import (
	"math/bits"
	"runtime"

	"github.com/hybridtop/hybridtop/cluster"
)

// VCIs (virtual communication interfaces) keep threads independent. If all threads of a rank may
// communicate (MPI_THREAD_MULTIPLE), the messages of a context pass a VCI: an engine with its own
// lock, queues, requests, and rings to the same VCI of other ranks. Contexts are assigned to VCIs
// round-robin, so threads with a separate communicator or endpoint share nothing. A context that
// several threads use belongs to one VCI, and its messages stay in order. The main engine, VCI 0,
// runs all other operations: one-sided operations, RPCs, barriers and steps.
//
// A VCI's lock is held only for the work of a call, never while waiting or while code of the
// program runs. The holder of the main engine's lock may take a VCI's lock, but not the other way
// round.
//
// A waiting thread makes progress for the VCIs of its handles. Arrivals in another VCI may stay
// there, unless another thread depends on them: a rendezvous whose sender waits, a continuation, an
// unpublished batch. The first two make the VCI urgent. A batch is always published before a thread
// parks.

// maxLanes is the maximum number of VCIs, so that a number fits in four bits of a handle.
const maxLanes = 8

// lanesOf returns the number of VCIs of a rank in addition to its main engine.
func lanesOf(spec *cluster.Spec) int {
	m, threads := &spec.Machine, spec.Layout.ThreadsPerRank
	if threads == 1 || m.Progress == cluster.ProgressThread {
		return 0
	}
	for _, level := range []cluster.ThreadLevel{m.Threading, spec.Threading} {
		if level != cluster.ThreadUnset && level != cluster.ThreadMultiple {
			return 0
		}
	}
	return min(threads, maxLanes)
}

func (e *engine) addLanes(n int) {
	e.plain, e.shared = false, true
	e.lanes = append(e.lanes, e)
	for k := 1; k <= n; k++ {
		l := e.w.bareEngine(e.id)
		l.main, l.lane, l.slots.lane, l.shared = e, uint8(k), uint32(k), true
		e.lanes = append(e.lanes, l)
	}
}

// laneOf returns the VCI of a context.
func (e *engine) laneOf(ctx int32) int {
	return 1 + e.w.spec.Layout.Series(ctx)%(len(e.lanes)-1)
}

// laneFor returns the VCI of an operation.
func (e *engine) laneFor(op *cluster.Op) int {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv,
		cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe:
		return e.laneOf(op.Ctx)
	case cluster.KindMrecv:
		return int(op.A>>32) % len(e.lanes) // a number that is not from a probe finds no message in any VCI
	}
	return 0
}

// grab takes the lock. Its holder is about to release it or has been preempted, so grab lets other
// goroutines run meanwhile.
func (e *engine) grab() {
	for range 16 {
		if e.mu.TryLock() {
			return
		}
		runtime.Gosched()
	}
	e.mu.Lock()
}

// pressed reports whether a batch must be published now, because this thread may block outside the
// library and wait for a thread that is parked inside it.
func (e *engine) pressed() bool { return e.multi && e.main.attention.Load() != 0 }

// urge marks a VCI of the rank as urgent.
func (e *engine) urge(lane uint8) {
	if bit := uint32(1) << lane; e.urgent.Load()&bit == 0 {
		e.urgent.Or(bit)
	}
}

// rush marks a VCI as urgent and wakes the rank.
func (e *engine) rush() {
	e.main.urge(e.lane)
	if e.main.attention.Load() != 0 {
		e.main.wake()
	}
}

// completeShared finishes a slot of a rank with VCIs.
func (e *engine) completeShared(s *slot, d cluster.Done) {
	switch {
	case s.detached && e.lane != 0:
		e.completeFrom(s, d)
	case s.detached:
		e.steps = append(e.steps, pendingStep{then: s.then, arg: s.thenArg, done: d})
		e.slots.give(s)
	default:
		s.done = d
		s.state = slotDone
		if e.lane == 0 && e.attention.Load() != 0 {
			e.wake() // arrivals are not the only completions here
		}
	}
}

// stepOf makes the continuation due of an operation that another goroutine completed.
func (e *engine) stepOf(p *parcel) {
	s, l := p.req, p.from
	if l.lane == 0 {
		e.complete(s, s.done)
		return
	}
	l.grab()
	e.steps = append(e.steps, pendingStep{then: s.then, arg: s.thenArg, done: s.done})
	l.slots.give(s)
	l.mu.Unlock()
	l.detached.Add(-1)
}

// postInside posts from a step or an RPC body. The caller holds the main engine.
func (e *engine) postInside(op *cluster.Op) cluster.Handle {
	k := e.laneFor(op)
	if k == 0 {
		return e.post(op)
	}
	l := e.lanes[k]
	l.grab()
	defer l.mu.Unlock()
	h := l.start(op)
	l.settle(op)
	if len(l.batch) > 0 {
		l.flush()
	}
	return h
}

// settle checks arrivals from the time before senders could know that an operation has a
// continuation.
func (l *engine) settle(op *cluster.Op) {
	if op.Then != nil {
		l.progress()
	}
}

// slotOf returns the slot of a handle that does not belong to a barrier.
func (e *engine) slotOf(h cluster.Handle) *slot {
	if e.lanes == nil {
		return e.slots.find(h)
	}
	s := e.lanes[uint32(h)>>laneShift].slots.at(uint32(h) & (1<<laneShift - 1))
	if s.gen != uint32(h>>32) || s.state == slotFree {
		panic("live: invalid or freed handle")
	}
	return s
}

// laneOfHandle returns the VCI of a handle.
func laneOfHandle(h cluster.Handle) int {
	if h&barrierBit != 0 {
		return 0
	}
	return int(uint32(h) >> laneShift)
}

// hold locks a VCI for a port, and release unlocks it. The port records the lock: code of the
// program runs in the main engine, and a panic must not leave a VCI locked.
func (p *port) hold(l *engine) {
	l.grab()
	p.holds |= 1 << l.lane
}

func (p *port) tryHold(l *engine) bool {
	if !l.mu.TryLock() {
		return false
	}
	p.holds |= 1 << l.lane
	return true
}

func (p *port) release(l *engine) {
	p.holds &^= 1 << l.lane
	l.mu.Unlock()
}

// postLaned is Post for a rank with VCIs.
func (p *port) postLaned(op *cluster.Op) cluster.Handle {
	e := p.e
	if p.holds&1 != 0 {
		return e.postInside(op)
	}
	k := 0
	switch op.Kind {
	case cluster.KindSend, cluster.KindRecv:
		if op.Ctx != p.ctx || p.ctxLane == 0 {
			p.ctx, p.ctxLane = op.Ctx, e.laneOf(op.Ctx)
		}
		k = p.ctxLane
	default:
		k = e.laneFor(op)
		p.flush()
	}
	if k == 0 {
		p.grab(e)
		p.holds |= 1
		h := e.post(op)
		p.release(e)
		return h
	}
	l := e.lanes[k]
	p.grab(l)
	p.holds |= 1 << k
	if l.slots.free == 0 {
		l.slots.free, p.spare[k] = p.spare[k], 0
	}
	h := l.start(op)
	if op.Batch {
		p.batched |= 1 << k
	}
	l.settle(op)
	p.release(l)
	if op.Then != nil && e.delivered.Load() {
		p.hold(e)
		e.progress()
		p.release(e)
	}
	if op.Kind == cluster.KindIprobe || op.Kind == cluster.KindImprobe {
		p.poll()
	}
	return h
}

// poll makes progress for other VCIs when a thread polls: always for urgent VCIs, and periodically
// for all.
func (p *port) poll() {
	if p.polls++; p.polls%8 == 0 {
		p.progressAll()
	} else if p.e.urgent.Load() != 0 {
		p.serve()
	}
}

// flush publishes what the thread has batched.
func (p *port) flush() {
	for ; p.batched != 0; p.batched &= p.batched - 1 {
		l := p.e.lanes[bits.TrailingZeros32(p.batched)]
		p.hold(l)
		l.flush()
		p.release(l)
	}
}
