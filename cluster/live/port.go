package live

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// port is one thread's access to its rank's engine.
type port struct {
	e      *engine
	thread int
	ch     chan struct{} // wakes the parked thread
	timer  chan int64    // emulated: wakes the sleeping thread with the time of the event
	cpu    cpu
	parked atomic.Bool

	waitMu sync.Mutex // guards the fields that the monitor reads of a parked thread
	hs     []cluster.Handle
	need   int
	asleep bool
	sleeps uint64 // number of parks

	// The fields below are for ranks with VCIs.
	ctx     int32               // context of the last message
	ctxVCI  int                 // its VCI; 0: none yet
	batched uint32              // VCIs with possibly unpublished messages of this thread
	watched atomic.Uint32       // VCIs that the parked thread waits for
	spare   [maxVCIs + 1]uint32 // freed slots by VCI, lists by index + 1
	polls   uint32

	joining    atomic.Bool // waits for the other threads of its parallel region
	holds      uint32      // held locks of the rank's VCIs, by bit; only this goroutine uses it; bit 0: the engine
	finalizing bool        // the body has returned
	returned   bool        // the goroutine ends normally
	observer   *observed   // records the thread's activity; nil: no recording

	// unpublished is set if the thread of a region has held the engine since it last published. It may
	// then have messages in a batch.
	unpublished bool
}

// newPort returns a port for a thread. Call open before the thread uses it.
func newPort(e *engine, thread int) *port {
	return &port{e: e, thread: thread, ch: make(chan struct{}, 1), timer: make(chan int64, 1)}
}

// open adds the port to the open ports of its rank, and close removes it.
func (p *port) open() {
	p.e.portsMu.Lock()
	p.e.ports = append(p.e.ports, p)
	p.e.portsMu.Unlock()
}

func (p *port) close() {
	e := p.e
	e.portsMu.Lock()
	for i, q := range e.ports {
		if q == p {
			e.ports = append(e.ports[:i], e.ports[i+1:]...)
			break
		}
	}
	e.portsMu.Unlock()
}

// lock takes the engine for this goroutine, and unlock releases it.
func (p *port) lock() {
	p.e.mu.Lock()
	p.holds = 1
	p.e.cpu = &p.cpu
	p.unpublished = true
}

func (p *port) unlock() {
	p.holds = 0
	p.e.mu.Unlock()
}

// unlockAll releases the locks that a panic has left.
func (p *port) unlockAll() {
	for ; p.holds != 0; p.holds &= p.holds - 1 {
		l := p.e
		if k := bits.TrailingZeros32(p.holds); k > 0 {
			l = p.e.vcis[k]
		}
		l.mu.Unlock()
	}
}

// enter begins a call, and leave ends it. Outside parallel regions the caller already owns the
// engine.
func (p *port) enter() {
	if !p.e.lockless {
		p.lock()
	}
}

func (p *port) leave() {
	if !p.e.lockless {
		p.unlock()
	}
}

// unwound ends a rank's goroutine after an abort.
type unwound struct{}

// check unwinds if the run was aborted.
func (p *port) check() {
	if p.e.w.aborted.Load() {
		panic(unwound{})
	}
}

// ID implements cluster.Port.
func (p *port) ID() int { return int(p.e.id) }

// Segment implements cluster.Port.
func (p *port) Segment() []byte { return p.e.seg }

// Reach implements cluster.Port.
func (p *port) Reach(rank int) []byte {
	w := p.e.w
	p.check()
	if !w.transport.reaches(p.e.id, int32(rank)) {
		return nil
	}
	return w.engines[rank].seg
}

// Direct implements cluster.Port.
func (p *port) Direct() bool { return p.e.w.transport.inPlace() }

// Team implements cluster.Port.
func (p *port) Team(ctx int32, ranks []int32) {
	p.enter()
	if ranks == nil {
		p.e.removeMember(ctx)
	} else {
		p.e.join(ctx, ranks)
	}
	p.leave()
}

// Serve implements cluster.Port.
func (p *port) Serve(f func(cluster.RPC) (uint64, bool)) { p.e.serve = f }

// Now implements cluster.Port.
func (p *port) Now() cluster.Time {
	w := p.e.w
	p.check()
	if w.wire == nil {
		return w.transport.machineTime(time.Since(w.began))
	}
	p.cpu.until(w.wire.now()) // a thread's clock never goes back
	return w.wire.machineTime(time.Duration(p.cpu.at))
}

// Post implements cluster.Port.
func (p *port) Post(op *cluster.Op) cluster.Handle {
	e := p.e
	if e.w.aborted.Load() {
		p.unwind(op.Kind, op.Peer, op.Tag)
	}
	p.enterWire()
	if e.lockless {
		return e.post(op)
	}
	if op.Kind >= cluster.KindThreadBarrier {
		return p.regional(op)
	}
	if e.vcis != nil {
		return p.postVCI(op)
	}
	p.lockToPost(e)
	p.holds = 1
	e.cpu = &p.cpu
	h := e.post(op)
	p.unpublished = true
	p.unlock()
	return h
}

// post starts an operation; the caller holds the engine.
func (e *engine) post(op *cluster.Op) cluster.Handle {
	h := e.start(op)
	if len(e.steps) > 0 {
		e.runSteps()
	}
	return h
}

func (e *engine) start(op *cluster.Op) cluster.Handle {
	switch op.Kind {
	case cluster.KindSend, cluster.KindSsend:
		return e.send(op)
	case cluster.KindRecv:
		return e.recv(op)
	}
	if len(e.batch) > 0 {
		e.flush()
	}
	switch op.Kind {
	case cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe:
		return e.startProbe(op)
	case cluster.KindMrecv:
		return e.mrecv(op)
	case cluster.KindPut:
		return e.put(op)
	case cluster.KindGet:
		return e.get(op)
	case cluster.KindAtomic:
		return e.atomic(op)
	case cluster.KindAwait:
		return e.await(op)
	case cluster.KindRPC:
		return e.rpc(op)
	case cluster.KindBarrier:
		return e.enter(op)
	case cluster.KindWork:
		return e.w.transport.work(e, op)
	case cluster.KindFlagAdd:
		return e.addToFlag(op)
	case cluster.KindFlagWait:
		return e.waitFlag(op)
	case cluster.KindLoad:
		return e.w.transport.load(e, op)
	case cluster.KindLaunch:
		return e.w.transport.launch(e, op)
	case cluster.KindEvent:
		return e.event(op)
	case cluster.KindFire:
		return e.fire(op)
	}
	if op.Kind >= cluster.KindThreadBarrier {
		return e.regionalAlone(op)
	}
	panic("live: post of an unknown kind")
}

// isDone reports whether the operation of a handle is complete.
func (e *engine) isDone(h cluster.Handle) bool {
	if h&barrierBit != 0 {
		return e.hasOpened(h)
	}
	return e.slotOf(h).isDone()
}

// checkDone is isDone for a waiting thread. With VCIs it records the result under the VCI's lock,
// so the test after the wait needs no lock.
func (e *engine) checkDone(h cluster.Handle) bool {
	if h&barrierBit != 0 {
		return e.hasOpened(h)
	}
	s := e.slotOf(h)
	if !s.isDone() {
		return false
	}
	if e.hasVCIs {
		s.seenGen = s.gen
	}
	return true
}

// Test implements cluster.Port.
func (p *port) Test(h cluster.Handle, d *cluster.Done) bool {
	e := p.e
	if e.vcis != nil {
		return p.testVCI(h, d)
	}
	p.enterWire()
	p.enter()
	if !e.isDone(h) {
		if len(e.batch) > 0 {
			e.flush()
		}
		e.progress()
		if !e.isDone(h) {
			p.leave()
			p.checkPolling(h)
			if e.w.crowded {
				runtime.Gosched()
			}
			return false
		}
	}
	if h&barrierBit != 0 {
		*d = cluster.Done{}
	} else {
		s := e.slots.find(h)
		d.Set(&s.done)
		if s.at != 0 {
			p.cpu.until(s.at)
			p.cpu.at += s.fee
		}
		e.slots.give(s)
	}
	p.leave()
	return true
}

// Peek implements cluster.Port.
func (p *port) Peek(h cluster.Handle) bool {
	switch {
	case h == 0:
		return true
	case h&barrierBit != 0:
		return p.e.hasOpened(h)
	case p.e.vcis != nil:
		return p.hasSeen(h)
	}
	p.enter()
	done := p.e.isDone(h)
	p.leave()
	return done
}

// Cancel implements cluster.Port.
func (p *port) Cancel(h cluster.Handle) bool {
	e := p.e
	p.check()
	if h&barrierBit != 0 {
		return false
	}
	if e.vcis != nil {
		e = e.vcis[vciOfHandle(h)]
		p.hold(e)
		defer p.release(e)
	} else {
		p.enter()
		defer p.leave()
	}
	s := p.e.slotOf(h)
	if s.isDone() {
		return false
	}
	if s.kind != cluster.KindRecv || !e.queues.Cancel(s.ctx, s.peer, s.tag, s.index) {
		return false
	}
	e.complete(s, cluster.Done{Peer: s.peer, Tag: s.tag, Err: cluster.Cancelled})
	return true
}

// Progress implements cluster.Port.
func (p *port) Progress() {
	if p.e.vcis != nil {
		p.progressAll()
	} else {
		p.enterWire()
		p.enter()
		if len(p.e.batch) > 0 {
			p.e.flush()
		}
		p.e.progress()
		p.leave()
	}
	p.check()
	if p.e.w.crowded {
		runtime.Gosched()
	}
}

// Compute implements cluster.Port.
func (p *port) Compute(work cluster.Work, body func()) {
	e, w := p.e, p.e.w
	p.publish()
	p.check()
	lend := e.hasHelper && !e.inRegion
	if lend {
		e.away.Store(true)
		e.sleeping.Add(1)
		late := e.pending()
		p.unlock()
		if late {
			e.wake()
		}
	}
	if work.Until > 0 {
		work = cluster.Work{Until: work.Until}
	}
	w.transport.compute(p, work, body)
	for p.Now() < work.Until {
		p.check()
		runtime.Gosched()
	}
	if lend {
		p.lock()
		e.away.Store(false)
		e.sleeping.Add(-1)
	}
}
