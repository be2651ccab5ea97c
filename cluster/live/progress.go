package live

import (
	"runtime"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// drainBurst is the maximum number of messages taken from one ring before other rings are drained.
const drainBurst = 64

// progress receives arrivals and runs due continuations. It reports whether there was any work.
func (e *engine) progress() bool {
	n := 0
	if x := e.w.remote; x != nil {
		n += x.run.Poll(e.id)
	}
	if e.dirty == nil {
		for _, r := range *e.inbound.Load() {
			n += e.drain(r)
		}
	} else {
		n += e.drainDirty()
	}
	if e.delivered.Load() {
		n += e.takeInbox()
	}
	if len(e.awaits) > 0 {
		n += e.checkAwaits()
	}
	if len(e.gates) > 0 {
		n += e.checkGates()
	}
	if len(e.steps) > 0 && !e.stepping { // otherwise one of them is posting, or has panicked
		n += len(e.steps)
		e.runSteps()
	}
	return n > 0
}

// drain receives messages from a ring.
func (e *engine) drain(r *ring) int {
	n := 0
	spilled := r.spilled.Load() // read before the cells: spilled messages follow them
	for spilled || n < drainBurst {
		h := atomic.LoadUint64(&r.cells[r.pos&r.mask].head)
		if h&lapMask != r.lap(r.pos) {
			break
		}
		if headKind(h) == cellFirst {
			e.arriveInline(r, h)
		} else {
			i := r.pos & r.mask
			p := r.refs[i]
			r.refs[i] = nil
			r.consumed(1)
			e.take(p)
		}
		n++
	}
	if spilled {
		list := r.takeSpill()
		for i, p := range list {
			list[i] = nil
			e.take(p)
		}
		n += len(list)
	}
	return n
}

// drainDirty drains the rings whose senders have set a bit in dirty.
func (e *engine) drainDirty() int {
	n := 0
	for w := range e.dirty {
		if e.dirty[w].Load() == 0 {
			continue
		}
		bits := e.dirty[w].Swap(0)
		for b := 0; bits != 0; b, bits = b+1, bits>>1 {
			if bits&1 == 0 {
				continue
			}
			r := e.bySource[w*64+b].Load()
			n += e.drain(r)
			if r.isReady() { // an incomplete burst
				e.dirty[w].Or(1 << b)
			}
		}
	}
	return n
}

// deliver passes a parcel to the engine, from any goroutine.
func (e *engine) deliver(p *parcel) {
	e.inMu.Lock()
	e.inbox = append(e.inbox, p)
	e.delivered.Store(true)
	e.inMu.Unlock()
	e.alert()
}

func (e *engine) takeInbox() int {
	e.inMu.Lock()
	list := e.inbox
	e.inbox = e.inboxOld[:0]
	e.delivered.Store(false)
	e.inMu.Unlock()
	for i, p := range list {
		list[i] = nil
		e.take(p)
	}
	e.inboxOld = list
	return len(list)
}

// take processes an arrived parcel.
func (e *engine) take(p *parcel) {
	if p.at != 0 {
		e.cpu.until(p.at)
	}
	switch p.kind {
	case parcelEager, parcelRTS:
		e.arrive(p)
	case parcelRPC:
		e.steps = append(e.steps, pendingStep{call: p, at: p.at, fee: e.w.transport.bodyTime(p)})
	case parcelCTS:
		e.sendBytes(p)
	case parcelData:
		p.recv.peerArrival = p.peerArrival
		e.w.transport.charge(e, p.recv, p)
		e.completeReceive(p.recv, received(p.src, p.tag, p.size, p.recv.size))
		p.free()
	case parcelComplete:
		e.queueStep(p)
		p.free()
	default:
		panic("live: a wire parcel reached an engine")
	}
}

// checkAwaits completes the awaits whose comparison holds.
func (e *engine) checkAwaits() int {
	n := 0
	for i := 0; i < len(e.awaits); i++ {
		s := e.awaits[i]
		if word := atomic.LoadUint64(&e.words[s.off/8]); cluster.Cmp(s.arg).Holds(word, s.a) {
			e.awaits = append(e.awaits[:i], e.awaits[i+1:]...)
			i--
			n++
			e.complete(s, cluster.Done{Peer: e.id, A: word, Size: 8})
		}
	}
	return n
}

// pending reports whether progress would find work. It is the last check before a thread parks.
func (e *engine) pending() bool {
	if e.delivered.Load() || len(e.steps) > 0 {
		return true
	}
	if e.dirty == nil {
		for _, r := range *e.inbound.Load() {
			if r.isReady() {
				return true
			}
		}
	}
	for w := range e.dirty {
		if e.dirty[w].Load() != 0 {
			return true
		}
	}
	for _, s := range e.awaits {
		if cluster.Cmp(s.arg).Holds(atomic.LoadUint64(&e.words[s.off/8]), s.a) {
			return true
		}
	}
	for _, s := range e.gates {
		if s.isOpen() {
			return true
		}
	}
	return false
}

// runHelper is a rank's progress thread: it makes progress while the owner computes.
func (e *engine) runHelper() {
	p := &port{e: e}
	defer e.w.others.Done()
	defer e.w.catch(p)
	for {
		select {
		case <-e.wakeHelper:
		case <-e.w.over:
			p.returned = true
			return
		}
		for e.away.Load() {
			if !e.mu.TryLock() {
				runtime.Gosched() // the owner is about to release the engine, or is back
				continue
			}
			p.holds, e.cpu = 1, &p.cpu
			for e.away.Load() && e.progress() {
			}
			p.unlock()
			break
		}
	}
}
