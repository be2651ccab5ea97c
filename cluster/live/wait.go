package live

import (
	"runtime"

	"github.com/hybridtop/hybridtop/cluster"
)

// areDone reports whether need of the handles are complete. If all are needed, donePrefix is the
// number of first handles that are known to be complete, and is updated.
func (p *port) areDone(hs []cluster.Handle, need int, donePrefix *int) bool {
	if need == len(hs) {
		for *donePrefix < need && (hs[*donePrefix] == 0 || p.e.checkDone(hs[*donePrefix])) {
			*donePrefix++
		}
		return *donePrefix == need
	}
	for _, h := range hs {
		if h == 0 || p.e.checkDone(h) {
			need--
		}
	}
	return need <= 0
}

// Wait implements cluster.Port.
func (p *port) Wait(hs []cluster.Handle, need int) {
	e := p.e
	if need <= 0 {
		p.check()
	}
	if e.vcis != nil {
		p.waitVCIs(hs, need)
		return
	}
	p.enterWire()
	p.enter()
	if e.stepping {
		panic("live: wait inside an RPC body or a step, which may only post")
	}
	if len(e.batch) > 0 {
		e.flush()
	}
	if !e.inRegion && need == 1 && len(hs) == 1 && hs[0]&barrierBit != 0 && (e.w.crowded && p.yieldFor(hs[0]) ||
		!e.w.crowded && e.spinFor(hs[0])) {
		return
	}
	p.await(hs, need)
	p.leave()
}

// yieldFor yields once before any polling, so that other ranks can enter a barrier or increment a
// flag. If ranks share cores, the wait depends on them.
func (p *port) yieldFor(h cluster.Handle) bool {
	e := p.e
	for range e.w.yields {
		if e.hasOpened(h) {
			return true
		}
		runtime.Gosched()
	}
	return e.hasOpened(h)
}

// barrierSpins is the number of polls in which a rank with a separate core checks only its barrier
// or flag. An early change is then detected at once.
const barrierSpins = 200

// spinFor polls briefly until a barrier completes or a flag is reached.
func (e *engine) spinFor(h cluster.Handle) bool {
	b := e.memberOf(h).b
	if h&boardBit != 0 {
		s := b.board.Load()
		for range barrierSpins {
			if s.hasReached(h) {
				return true
			}
		}
		return false
	}
	for range barrierSpins {
		if b.gen.Load() != uint32(h) {
			return true
		}
	}
	return false
}

// await is the main loop of a rank inside a call: progress, spin, yield, park.
func (p *port) await(hs []cluster.Handle, need int) {
	e, w := p.e, p.e.w
	idle, donePrefix := 0, 0
	for !p.areDone(hs, need, &donePrefix) {
		if e.progress() {
			idle = 0
			continue
		}
		idle++
		if idle == 64 {
			e.state.Store(uint32(cluster.Calling))
			p.check()
		}
		switch {
		case idle < w.spins:
			if e.inRegion {
				p.leave()
				p.enter()
			}
		case idle < w.spins+w.yields:
			p.leave()
			runtime.Gosched()
			p.enter()
			p.check()
		default:
			p.park(hs, need)
			p.check()
			idle = 0
		}
	}
	if e.state.Load() != uint32(cluster.Computing) {
		e.state.Store(uint32(cluster.Computing))
	}
}

// park sleeps until another goroutine wakes the engine. A goroutine that publishes work for this
// rank and then reads sleeping either sees the parked thread, or the thread sees the work.
func (p *port) park(hs []cluster.Handle, need int) {
	e := p.e
	p.beginPark(hs, need)
	e.sleeping.Add(1)
	p.parked.Store(true)
	if e.inRegion && len(e.batch) > 0 {
		e.flush() // batches of threads that could not know that this one parks
	}
	e.announceSleep(hs)
	stay := !e.pending() && !p.areDone(hs, need, new(int)) && !p.mustReturn()
	switch {
	case stay:
		held := p.holds&1 != 0
		if held {
			p.unlock()
		}
		<-p.ch
		if held {
			p.lock()
		}
	case p.parked.CompareAndSwap(true, false):
		e.sleeping.Add(-1)
	default:
		<-p.ch
	}
	p.endPark()
}

// beginPark shows the monitor what the thread is about to wait for, and endPark reverts this.
func (p *port) beginPark(hs []cluster.Handle, need int) {
	e := p.e
	p.waitMu.Lock()
	p.hs = hs
	p.need = need
	p.asleep = true
	p.sleeps++
	e.parks.Add(1)
	p.waitMu.Unlock()
	e.state.Store(uint32(cluster.Waiting))
	e.w.parked.Add(1)
}

func (p *port) endPark() {
	e := p.e
	e.w.parked.Add(-1)
	p.waitMu.Lock()
	p.watched.Store(0)
	p.hs, p.asleep = nil, false
	p.waitMu.Unlock()
	e.state.Store(uint32(cluster.Calling))
}

// mustReturn reports whether a wait ends without its handles: the run was aborted, or all bodies
// have returned while the thread only makes progress for others.
func (p *port) mustReturn() bool {
	return p.e.w.aborted.Load() || p.finalizing && p.e.w.running.Load() == 0
}
