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

// maxVCIs is the maximum number of VCIs, so that a number fits in four bits of a handle.
const maxVCIs = 8

// vcisOf returns the number of VCIs of a rank in addition to its main engine.
func vcisOf(spec *cluster.Spec) int {
	m, threads := &spec.Machine, spec.Layout.ThreadsPerRank
	if threads == 1 || m.Progress == cluster.ProgressThread {
		return 0
	}
	for _, level := range []cluster.ThreadLevel{m.Threading, spec.Threading} {
		if level != cluster.ThreadUnset && level != cluster.ThreadMultiple {
			return 0
		}
	}
	if m.VCIs > 0 {
		threads = min(threads, m.VCIs)
	}
	return min(threads, maxVCIs)
}

func (e *engine) addVCIs(n int) {
	e.lockless, e.hasVCIs = false, true
	e.vcis = append(e.vcis, e)
	for k := 1; k <= n; k++ {
		l := e.w.bareEngine(e.id)
		l.main = e
		l.vci = uint8(k)
		l.slots.vci = uint32(k)
		l.hasVCIs = true
		e.vcis = append(e.vcis, l)
	}
}

// vciOf returns the VCI of a context.
func (e *engine) vciOf(ctx int32) int {
	return 1 + e.w.spec.Layout.Series(ctx)%(len(e.vcis)-1)
}

// vciFor returns the VCI of an operation.
func (e *engine) vciFor(op *cluster.Op) int {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend, cluster.KindRecv,
		cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe:
		return e.vciOf(op.Ctx)
	case cluster.KindMrecv:
		return int(op.A>>32) % len(e.vcis) // a number that is not from a probe finds no message in any VCI
	}
	return 0
}

// lock takes the lock. Its holder is about to release it or has been preempted, so lock lets other
// goroutines run meanwhile.
func (e *engine) lock() {
	for range 16 {
		if e.mu.TryLock() {
			return
		}
		runtime.Gosched()
	}
	e.mu.Lock()
}

// mustPublish reports whether a batch must be published now. This thread may block outside the
// library, and wait there for a thread that is parked inside it.
func (e *engine) mustPublish() bool { return e.inRegion && e.main.sleeping.Load() != 0 }

// markUrgent marks a VCI of the rank as urgent.
func (e *engine) markUrgent(vci uint8) {
	if bit := uint32(1) << vci; e.urgent.Load()&bit == 0 {
		e.urgent.Or(bit)
	}
}

// wakeUrgent marks a VCI as urgent and wakes the rank.
func (e *engine) wakeUrgent() {
	e.main.markUrgent(e.vci)
	if e.main.sleeping.Load() != 0 {
		e.main.wake()
	}
}

// completeShared finishes a slot of a rank with VCIs.
func (e *engine) completeShared(s *slot, d cluster.Done) {
	switch {
	case s.detached && e.vci != 0:
		e.completeFrom(s, d)
	case s.detached:
		e.steps = append(e.steps, pendingStep{then: s.then, arg: s.thenArg, done: d})
		e.slots.give(s)
	default:
		s.done = d
		s.state = slotDone
		if e.vci == 0 && e.sleeping.Load() != 0 {
			e.wake() // arrivals are not the only completions here
		}
	}
}

// queueStep makes the continuation due of an operation that another goroutine completed.
func (e *engine) queueStep(p *parcel) {
	s, l := p.req, p.from
	if l.vci == 0 {
		e.complete(s, s.done)
		return
	}
	l.lock()
	e.steps = append(e.steps, pendingStep{then: s.then, arg: s.thenArg, done: s.done})
	l.slots.give(s)
	l.mu.Unlock()
	l.detached.Add(-1)
}

// postInside posts from a step or an RPC body. The caller holds the main engine.
func (e *engine) postInside(op *cluster.Op) cluster.Handle {
	k := e.vciFor(op)
	if k == 0 {
		return e.post(op)
	}
	l := e.vcis[k]
	l.lock()
	defer l.mu.Unlock()
	h := l.start(op)
	l.checkArrivals(op)
	if len(l.batch) > 0 {
		l.flush()
	}
	return h
}

// checkArrivals checks arrivals from the time before senders could know that an operation has a
// continuation.
func (l *engine) checkArrivals(op *cluster.Op) {
	if op.Then != nil {
		l.progress()
	}
}

// slotOf returns the slot of a handle that does not belong to a barrier.
func (e *engine) slotOf(h cluster.Handle) *slot {
	if e.vcis == nil {
		return e.slots.find(h)
	}
	s := e.vcis[uint32(h)>>vciShift].slots.at(uint32(h) & (1<<vciShift - 1))
	if s.gen != uint32(h>>32) || s.state == slotFree {
		panic("live: invalid or freed handle")
	}
	return s
}

// vciOfHandle returns the VCI of a handle.
func vciOfHandle(h cluster.Handle) int {
	if h&barrierBit != 0 {
		return 0
	}
	return int(uint32(h) >> vciShift)
}

// hold locks a VCI for a port, and release unlocks it. The port records the lock: code of the
// program runs in the main engine, and a panic must not leave a VCI locked.
func (p *port) hold(l *engine) {
	l.lock()
	p.holds |= 1 << l.vci
}

func (p *port) tryHold(l *engine) bool {
	if !l.mu.TryLock() {
		return false
	}
	p.holds |= 1 << l.vci
	return true
}

func (p *port) release(l *engine) {
	p.holds &^= 1 << l.vci
	l.mu.Unlock()
}

// postVCI is Post for a rank with VCIs.
func (p *port) postVCI(op *cluster.Op) cluster.Handle {
	e := p.e
	if p.holds&1 != 0 {
		return e.postInside(op)
	}
	k := 0
	switch op.Kind {
	case cluster.KindSend, cluster.KindRecv:
		if op.Ctx != p.ctx || p.ctxVCI == 0 {
			p.ctx, p.ctxVCI = op.Ctx, e.vciOf(op.Ctx)
		}
		k = p.ctxVCI
	default:
		k = e.vciFor(op)
		p.flush()
	}
	if k == 0 {
		p.lockToPost(e)
		p.holds |= 1
		h := e.post(op)
		p.release(e)
		return h
	}
	l := e.vcis[k]
	p.lockToPost(l)
	p.holds |= 1 << k
	if l.slots.free == 0 {
		l.slots.free, p.spare[k] = p.spare[k], 0
	}
	h := l.start(op)
	if op.Batch {
		p.batched |= 1 << k
	}
	l.checkArrivals(op)
	p.release(l)
	if op.Then != nil && e.delivered.Load() {
		p.hold(e)
		e.progress()
		p.release(e)
	}
	if op.Kind == cluster.KindIprobe || op.Kind == cluster.KindImprobe {
		p.pollVCIs()
	}
	return h
}

// pollVCIs makes progress for other VCIs when a thread polls: always for urgent VCIs, and
// periodically for all.
func (p *port) pollVCIs() {
	if p.polls++; p.polls%8 == 0 {
		p.progressAll()
	} else if p.e.urgent.Load() != 0 {
		p.serveUrgent()
	}
}

// flush publishes what the thread has batched.
func (p *port) flush() {
	for ; p.batched != 0; p.batched &= p.batched - 1 {
		l := p.e.vcis[bits.TrailingZeros32(p.batched)]
		p.hold(l)
		l.flush()
		p.release(l)
	}
}
