package live

import (
	"math/bits"
	"runtime"

	"github.com/hybridtop/hybridtop/cluster"
)

// testLaned is Test for a rank with VCIs.
func (p *port) testLaned(h cluster.Handle) (cluster.Done, bool) {
	e := p.e
	if !p.saw(h) && !p.look(h) {
		p.poll()
		p.checkAsking(h)
		if e.w.busy() {
			runtime.Gosched()
		}
		return cluster.Done{}, false
	}
	if h&barrierBit != 0 {
		return cluster.Done{}, true
	}
	s := e.slotOf(h)
	d := s.done
	k := laneOfHandle(h)
	s.clear()
	s.next, p.spare[k] = p.spare[k], s.index+1
	return d, true
}

// saw reports whether a wait of this thread has seen the operation complete.
func (p *port) saw(h cluster.Handle) bool {
	if h&barrierBit != 0 {
		return false
	}
	s := p.e.lanes[uint32(h)>>laneShift].slots.at(uint32(h) & (1<<laneShift - 1))
	return s.seen == uint32(h>>32) // another thread may write the other fields
}

// look reports whether the operation of a handle is complete. If not, it makes progress and checks
// again.
func (p *port) look(h cluster.Handle) bool {
	p.flush()
	l := p.e.lanes[laneOfHandle(h)]
	p.hold(l)
	done := p.e.isDone(h) || l.progress() && p.e.isDone(h)
	p.release(l)
	return done
}

// returnSpare returns the slots that an ending thread has freed.
func (p *port) returnSpare() {
	for k, head := range p.spare {
		if head == 0 {
			continue
		}
		l := p.e.lanes[k]
		l.grab()
		s := l.slots.at(head - 1)
		for s.next != 0 {
			s = l.slots.at(s.next - 1)
		}
		s.next, l.slots.free = l.slots.free, head
		l.mu.Unlock()
		p.spare[k] = 0
	}
}

// serve makes progress for the urgent VCIs. It reports whether there was any work.
func (p *port) serve() bool {
	e, worked := p.e, false
	for marks := e.urgent.Swap(0); marks != 0; marks &= marks - 1 {
		k := bits.TrailingZeros32(marks)
		l := e.lanes[k]
		if !p.tryHold(l) {
			e.urge(uint8(k)) // the holder may have checked before
			continue
		}
		if l.progress() {
			worked = true
			e.urge(uint8(k)) // there may be more work
		}
		p.release(l)
	}
	return worked
}

// progressAll makes progress for every VCI and publishes the batches of other threads. It reports
// whether there was any work.
func (p *port) progressAll() bool {
	p.flush()
	if p.e.urgent.Load() != 0 {
		p.e.urgent.Store(0)
	}
	worked := false
	for _, l := range p.e.lanes {
		p.hold(l)
		if len(l.batch) > 0 {
			l.flush()
		}
		if l.progress() {
			worked = true
		}
		p.release(l)
	}
	return worked
}

// watchOf returns the set of VCIs of handles.
func watchOf(hs []cluster.Handle) uint32 {
	var lanes uint32
	for _, h := range hs {
		if h != 0 {
			lanes |= 1 << laneOfHandle(h)
		}
	}
	return lanes
}

// laneYields is the number of yields of a waiting thread before it parks, if there are more threads
// than cores. Others are then parked for long, or not at all.
const laneYields = 100

// crowdedSpins is the number of polls before a thread yields, if there are more threads than cores.
// It is fitted on two neighbouring cores with two threads in each of two ranks: 98 ns per message
// with 1 to 10 polls, 140 ns with 60 and more.
const crowdedSpins = 5

// laneSpins is the number of polls before a thread with a separate core yields.
const laneSpins = 2000

// waitLaned is Wait for a rank with VCIs.
func (p *port) waitLaned(hs []cluster.Handle, need int) {
	e, known := p.e, 0
	if p.holds&1 != 0 {
		panic("live: wait inside an RPC body or a step, which may only post")
	}
	p.flush()
	if need <= 0 {
		return
	}
	lanes, spins := watchOf(hs), 1
	for idle := 0; ; {
		worked := false
		if lanes&(lanes-1) == 0 && lanes != 0 {
			if l := e.lanes[bits.TrailingZeros32(lanes)]; p.tryHold(l) {
				done := p.enough(hs, need, &known)
				if !done && l.progress() {
					worked, done = true, p.enough(hs, need, &known)
				}
				p.release(l)
				if done {
					break
				}
			}
		} else {
			for m := lanes; m != 0; m &= m - 1 {
				if l := e.lanes[bits.TrailingZeros32(m)]; p.tryHold(l) {
					worked = l.progress() || worked
					p.release(l)
				}
			}
			if p.enoughOf(lanes, hs, need, &known) {
				break
			}
		}
		if e.urgent.Load() != 0 {
			worked = p.serve() || worked
		}
		if worked {
			idle = 0
			continue
		}
		switch idle++; {
		case idle == 1:
			spins = crowdedSpins
			if !e.w.busy() {
				spins = laneSpins
			}
		case idle < spins:
		case idle < spins+laneYields:
			if idle == spins+laneYields/2 {
				e.state.Store(uint32(cluster.Calling))
			}
			runtime.Gosched()
			p.check()
		default:
			p.parkLaned(hs, need, lanes)
			p.check()
			idle = 0
		}
	}
	if e.state.Load() != uint32(cluster.Computing) {
		e.state.Store(uint32(cluster.Computing))
	}
}

// enoughOf is enough under the locks of the VCIs of the handles. It takes several locks in order
// and only checks.
func (p *port) enoughOf(lanes uint32, hs []cluster.Handle, need int, known *int) bool {
	for m := lanes; m != 0; m &= m - 1 {
		p.hold(p.e.lanes[bits.TrailingZeros32(m)])
	}
	done := p.enough(hs, need, known)
	for m := lanes; m != 0; m &= m - 1 {
		p.release(p.e.lanes[bits.TrailingZeros32(m)])
	}
	return done
}

// parkLaned sleeps until another thread wakes this one. There may be no other thread to make
// progress for the rank, so it first makes progress for all VCIs.
func (p *port) parkLaned(hs []cluster.Handle, need int, lanes uint32) {
	e := p.e
	if p.progressAll() {
		return
	}
	p.waitMu.Lock()
	p.hs, p.need, p.asleep = hs, need, true
	p.sleeps++
	e.parks.Add(1)
	p.waitMu.Unlock()
	e.state.Store(uint32(cluster.Waiting))
	e.w.parked.Add(1)
	p.watched.Store(lanes)
	for m := lanes &^ 1; m != 0; m &= m - 1 {
		e.lanes[bits.TrailingZeros32(m)].attention.Add(1)
	}
	e.attention.Add(1)
	p.parked.Store(true)
	e.want(hs)
	stay := p.allQuiet() && e.urgent.Load() == 0 && !p.enoughOf(lanes, hs, need, new(int)) && !e.w.aborted.Load() &&
		!(p.finalizing && e.w.running.Load() == 0)
	if !stay && p.parked.CompareAndSwap(true, false) {
		p.inattentive()
	} else {
		<-p.ch
	}
	e.w.parked.Add(-1)
	p.waitMu.Lock()
	p.watched.Store(0)
	p.hs, p.asleep = nil, false
	p.waitMu.Unlock()
	e.state.Store(uint32(cluster.Calling))
}

// allQuiet publishes batches that other threads wrote before they could know that this thread
// parks. It reports whether progress would find no work.
func (p *port) allQuiet() bool {
	quiet := true
	for _, l := range p.e.lanes {
		p.hold(l)
		if len(l.batch) > 0 {
			l.flush()
		}
		quiet = quiet && !l.pending()
		p.release(l)
	}
	return quiet
}

// inattentive reverts the announcement of parking.
func (p *port) inattentive() {
	e := p.e
	e.attention.Add(-1)
	for m := p.watched.Load() &^ 1; m != 0; m &= m - 1 {
		e.lanes[bits.TrailingZeros32(m)].attention.Add(-1)
	}
}

// pendingWatched is pending for a rank with VCIs and only parked threads. Arrivals in a VCI without
// a waiter wake no thread.
func (e *engine) pendingWatched() bool {
	if e.urgent.Load() != 0 || e.pending() {
		return true
	}
	var lanes uint32
	for _, p := range e.ports {
		lanes |= p.watched.Load()
	}
	for m := lanes &^ 1; m != 0; m &= m - 1 {
		if e.lanes[bits.TrailingZeros32(m)].pending() {
			return true
		}
	}
	return false
}

// busy reports whether there are more threads than cores.
func (w *world) busy() bool { return w.threads.Load() > w.cores }
