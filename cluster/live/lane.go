package live

import (
	"math/bits"
	"runtime"

	"github.com/hybridtop/hybridtop/cluster"
)

// Lanes are what keeps threads out of each other's way: where a rank has threads
// that may all communicate (MPI_THREAD_MULTIPLE), the messages of a context pass
// an engine of their own, with its own lock, queues, requests and rings to the
// same lane of other ranks. Contexts are dealt to lanes in turn, so that threads
// with a communicator or an endpoint each share nothing; a context that several
// threads use is still one lane's, and everything in it stays in order. What is not
// a message (one-sided operations, RPCs, barriers, steps) is the main engine's,
// lane 0.
//
// A lane's lock is held for a call's own work only: never while waiting, and never
// while code of the program runs. Who holds the main engine's lock may take a
// lane's, not the other way round.
//
// A thread that waits looks after the lanes of what it waits for. What arrives in
// another one may stay there, unless another thread depends on it: a rendezvous
// whose sender waits, a step, a batch that is not published. The first two make
// the lane urgent; the last is not left behind while a thread is parked.

// maxLanes keeps a lane's number within a handle's four bits.
const maxLanes = 8

// lanesOf is how many lanes a rank has beside its main engine.
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

// laneOf is the lane of a context.
func (e *engine) laneOf(ctx int32) int {
	return 1 + e.w.spec.Layout.Series(ctx)%(len(e.lanes)-1)
}

// laneFor is the lane of an operation.
func (e *engine) laneFor(op *cluster.Op) int {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv,
		cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe:
		return e.laneOf(op.Ctx)
	case cluster.KindMrecv:
		return int(op.A>>32) % len(e.lanes) // a number that no probe gave finds no message in any lane
	}
	return 0
}

// grab takes the lock. Its holder is about to let go, or has been preempted:
// others may run meanwhile, itself among them.
func (e *engine) grab() {
	for range 16 {
		if e.mu.TryLock() {
			return
		}
		runtime.Gosched()
	}
	e.mu.Lock()
}

// pressed says that a batch may not wait: this thread may block outside the
// library now, on one that is parked inside it.
func (e *engine) pressed() bool { return e.multi && e.main.attention.Load() != 0 }

// urge marks a lane of the rank as urgent.
func (e *engine) urge(lane uint8) {
	if bit := uint32(1) << lane; e.urgent.Load()&bit == 0 {
		e.urgent.Or(bit)
	}
}

// rush marks a lane as urgent and wakes the rank.
func (e *engine) rush() {
	e.main.urge(e.lane)
	if e.main.attention.Load() != 0 {
		e.main.wake()
	}
}

// completeShared finishes a slot of a rank that has lanes.
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
			e.wake() // not only arrivals complete things here
		}
	}
}

// stepOf makes the step due of an operation that was completed elsewhere.
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

// postInside posts from a step or an RPC body, which hold the main engine.
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

// settle looks at what has arrived before a sender could know that an operation
// has a step.
func (l *engine) settle(op *cluster.Op) {
	if op.Then != nil {
		l.progress()
	}
}

// slotOf is the slot of a handle that is no barrier's.
func (e *engine) slotOf(h cluster.Handle) *slot {
	if e.lanes == nil {
		return e.slots.find(h)
	}
	s := e.lanes[uint32(h)>>laneShift].slots.at(uint32(h) & (1<<laneShift - 1))
	if s.gen != uint32(h>>32) || s.state == slotFree {
		panic("live: a handle that was freed, or never given, is used")
	}
	return s
}

// laneOfHandle is the lane that a handle depends on.
func laneOfHandle(h cluster.Handle) int {
	if h&barrierBit != 0 {
		return 0
	}
	return int(uint32(h) >> laneShift)
}

// hold and release bracket what a port does with a lane. The port remembers it: code
// of the program runs in the main engine, and a panic in any lane must not leave it
// locked.
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

// postLaned is Post of a rank that has lanes.
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

// poll looks after other lanes on behalf of a thread that asks without waiting:
// after the urgent ones always, after all now and then.
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
