package live

import (
	"math/bits"
	"runtime"

	"github.com/hybridtop/hybridtop/cluster"
)

// testVCI is Test for a rank with VCIs.
func (p *port) testVCI(h cluster.Handle, d *cluster.Done) bool {
	e := p.e
	if !p.hasSeen(h) && !p.testHandle(h) {
		p.pollVCIs()
		p.checkPolling(h)
		if e.w.isOversubscribed() {
			runtime.Gosched()
		}
		return false
	}
	if h&barrierBit != 0 {
		*d = cluster.Done{}
		return true
	}
	s := e.slotOf(h)
	d.Set(&s.done)
	k := vciOfHandle(h)
	s.invalidate()
	s.next, p.spare[k] = p.spare[k], s.index+1
	return true
}

// hasSeen reports whether a wait of this thread has seen the operation complete.
func (p *port) hasSeen(h cluster.Handle) bool {
	if h&barrierBit != 0 {
		return false
	}
	s := p.e.vcis[uint32(h)>>vciShift].slots.at(uint32(h) & (1<<vciShift - 1))
	return s.seenGen == uint32(h>>32) // another thread may write the other fields
}

// testHandle reports whether the operation of a handle is complete. If not, it makes progress and
// checks again.
func (p *port) testHandle(h cluster.Handle) bool {
	p.flush()
	l := p.e.vcis[vciOfHandle(h)]
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
		l := p.e.vcis[k]
		l.lock()
		s := l.slots.at(head - 1)
		for s.next != 0 {
			s = l.slots.at(s.next - 1)
		}
		s.next, l.slots.free = l.slots.free, head
		l.mu.Unlock()
		p.spare[k] = 0
	}
}

// serveUrgent makes progress for the urgent VCIs. It reports whether there was any work.
func (p *port) serveUrgent() bool {
	e, worked := p.e, false
	for urgent := e.urgent.Swap(0); urgent != 0; urgent &= urgent - 1 {
		k := bits.TrailingZeros32(urgent)
		l := e.vcis[k]
		if !p.tryHold(l) {
			e.markUrgent(uint8(k)) // the holder may have checked before
			continue
		}
		if l.progress() {
			worked = true
			e.markUrgent(uint8(k)) // there may be more work
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
	for _, l := range p.e.vcis {
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
	var vcis uint32
	for _, h := range hs {
		if h != 0 {
			vcis |= 1 << vciOfHandle(h)
		}
	}
	return vcis
}

// vciYields is the number of yields of a waiting thread before it parks, if there are more threads
// than cores. Others are then parked for long, or not at all.
const vciYields = 100

// crowdedSpins is the number of polls before a thread yields, if there are more threads than cores.
// It is fitted on two neighbouring cores with two threads in each of two ranks: 98 ns per message
// with 1 to 10 polls, 140 ns with 60 and more.
const crowdedSpins = 5

// vciSpins is the number of polls before a thread with a separate core yields.
const vciSpins = 2000

// waitVCIs is Wait for a rank with VCIs.
func (p *port) waitVCIs(hs []cluster.Handle, need int) {
	e, donePrefix := p.e, 0
	if p.holds&1 != 0 {
		panic("live: wait inside an RPC body or a step, which may only post")
	}
	p.flush()
	if need <= 0 {
		return
	}
	vcis, spins := watchOf(hs), 1
	for idle := 0; ; {
		var done, worked bool
		if vcis&(vcis-1) == 0 && vcis != 0 {
			done, worked = p.progressOne(e.vcis[bits.TrailingZeros32(vcis)], hs, need, &donePrefix)
		} else {
			worked = p.progressSet(vcis)
			done = p.areDoneLocked(vcis, hs, need, &donePrefix)
		}
		if done {
			break
		}
		if e.urgent.Load() != 0 {
			worked = p.serveUrgent() || worked
		}
		if worked {
			idle = 0
			continue
		}
		switch idle++; {
		case idle == 1:
			spins = crowdedSpins
			if !e.w.isOversubscribed() {
				spins = vciSpins
			}
		case idle < spins:
		case idle < spins+vciYields:
			if idle == spins+vciYields/2 {
				e.state.Store(uint32(cluster.Calling))
			}
			runtime.Gosched()
			p.check()
		default:
			p.parkVCIs(hs, need, vcis)
			p.check()
			idle = 0
		}
	}
	if e.state.Load() != uint32(cluster.Computing) {
		e.state.Store(uint32(cluster.Computing))
	}
}

// progressOne makes progress for a VCI that all handles belong to, unless another thread holds it.
// It reports whether need of the handles are complete, and whether there was any work.
func (p *port) progressOne(l *engine, hs []cluster.Handle, need int, donePrefix *int) (done, worked bool) {
	if !p.tryHold(l) {
		return false, false
	}
	done = p.areDone(hs, need, donePrefix)
	if !done && l.progress() {
		worked = true
		done = p.areDone(hs, need, donePrefix)
	}
	p.release(l)
	return done, worked
}

// progressSet makes progress for the VCIs of a set that no other thread holds. It reports whether
// there was any work.
func (p *port) progressSet(vcis uint32) (worked bool) {
	for m := vcis; m != 0; m &= m - 1 {
		if l := p.e.vcis[bits.TrailingZeros32(m)]; p.tryHold(l) {
			worked = l.progress() || worked
			p.release(l)
		}
	}
	return worked
}

// areDoneLocked is areDone under the locks of the VCIs of the handles. It takes several locks in
// order and only checks.
func (p *port) areDoneLocked(vcis uint32, hs []cluster.Handle, need int, donePrefix *int) bool {
	for m := vcis; m != 0; m &= m - 1 {
		p.hold(p.e.vcis[bits.TrailingZeros32(m)])
	}
	done := p.areDone(hs, need, donePrefix)
	for m := vcis; m != 0; m &= m - 1 {
		p.release(p.e.vcis[bits.TrailingZeros32(m)])
	}
	return done
}

// parkVCIs sleeps until another thread wakes this one. There may be no other thread to make
// progress for the rank, so it first makes progress for all VCIs.
func (p *port) parkVCIs(hs []cluster.Handle, need int, vcis uint32) {
	e := p.e
	if p.progressAll() {
		return
	}
	p.beginPark(hs, need)
	p.watched.Store(vcis)
	for m := vcis &^ 1; m != 0; m &= m - 1 {
		e.vcis[bits.TrailingZeros32(m)].sleeping.Add(1)
	}
	e.sleeping.Add(1)
	p.parked.Store(true)
	e.announceSleep(hs)
	stay := p.allQuiet() && e.urgent.Load() == 0 && !p.areDoneLocked(vcis, hs, need, new(int)) && !p.mustReturn()
	if !stay && p.parked.CompareAndSwap(true, false) {
		p.cancelParking()
	} else {
		<-p.ch
	}
	p.endPark()
}

// allQuiet publishes batches that other threads wrote before they could know that this thread
// parks. It reports whether progress would find no work.
func (p *port) allQuiet() bool {
	quiet := true
	for _, l := range p.e.vcis {
		p.hold(l)
		if len(l.batch) > 0 {
			l.flush()
		}
		quiet = quiet && !l.pending()
		p.release(l)
	}
	return quiet
}

// cancelParking reverts the announcement of parking.
func (p *port) cancelParking() {
	e := p.e
	e.sleeping.Add(-1)
	for m := p.watched.Load() &^ 1; m != 0; m &= m - 1 {
		e.vcis[bits.TrailingZeros32(m)].sleeping.Add(-1)
	}
}

// pendingWatched is pending for a rank with VCIs and only parked threads. Arrivals in a VCI without
// a waiter wake no thread.
func (e *engine) pendingWatched() bool {
	if e.urgent.Load() != 0 || e.pending() {
		return true
	}
	var vcis uint32
	for _, p := range e.ports {
		vcis |= p.watched.Load()
	}
	for m := vcis &^ 1; m != 0; m &= m - 1 {
		if e.vcis[bits.TrailingZeros32(m)].pending() {
			return true
		}
	}
	return false
}

// isOversubscribed reports whether there are more threads than cores.
func (w *world) isOversubscribed() bool { return w.threads.Load() > w.cores }
