package live

import (
	"runtime"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// region is the data that the threads of a parallel region share in addition to the engine.
type region struct {
	threads  int
	running  atomic.Int32  // workers that have not finished the region
	joining  parker        // the master's wait for them
	arrived  atomic.Int32  // threads at the barrier
	barriers atomic.Uint32 // completed thread barriers
	waiting  []*slot       // slots of the threads that wait for the barrier with a handle
	counters []uint64      // counters of the work-sharing constructs since the last thread barrier
	holder   atomic.Int32
}

// regional runs the operations of a region's threads.
func (p *port) regional(op *cluster.Op) cluster.Handle {
	g := &p.e.region
	switch op.Kind {
	case cluster.KindThreadBarrier:
		if p.e.vcis != nil {
			p.flush()
		}
		return p.meet()
	case cluster.KindDraw:
		p.lock()
		g.draw(op)
		p.unlock()
	case cluster.KindEnter:
		op.Done = cluster.Done{Found: true}
		if !g.holder.CompareAndSwap(0, int32(p.thread)+1) {
			op.Done = cluster.Done{Peer: max(g.holder.Load()-1, 0)}
		}
	case cluster.KindLeave:
		g.holder.Store(0)
	}
	return 0
}

func (g *region) draw(op *cluster.Op) {
	for int(op.Arg) >= len(g.counters) {
		g.counters = append(g.counters, 0)
	}
	op.Done = cluster.Done{A: g.counters[op.Arg]}
	g.counters[op.Arg] += op.A
}

// regionalAlone is regional for a region of one thread, which needs no lock.
func (e *engine) regionalAlone(op *cluster.Op) cluster.Handle {
	switch op.Kind {
	case cluster.KindThreadBarrier:
		e.region.counters = e.region.counters[:0]
		op.Done = cluster.Done{}
	case cluster.KindDraw:
		e.region.draw(op)
	case cluster.KindEnter:
		op.Done = cluster.Done{Found: true}
	}
	return 0
}

// meet enters the thread barrier. The last thread completes it. The others spin before they take a
// slot, unless threads share cores. meet returns 0 if the barrier is complete.
func (p *port) meet() cluster.Handle {
	e, g := p.e, &p.e.region
	if p.unpublished || e.vcis != nil {
		p.lock()
		if len(e.batch) > 0 {
			e.flush()
		}
		p.unlock()
		p.unpublished = false
	}
	before := g.barriers.Load()
	if g.arrived.Add(1) == int32(g.threads) {
		p.lock()
		g.completeBarrier(e)
		p.unlock()
		p.unpublished = false
		return 0
	}
	if e.w.poll(func() bool { return g.barriers.Load() != before }) {
		return 0
	}
	p.lock()
	defer p.unlock()
	if g.barriers.Load() != before {
		return 0
	}
	s := e.slots.take(cluster.KindThreadBarrier)
	s.peer = e.id
	g.waiting = append(g.waiting, s)
	return postResult(s)
}

// completeBarrier releases the threads at the thread barrier. The caller holds the engine's lock.
func (g *region) completeBarrier(e *engine) {
	for i, s := range g.waiting {
		e.complete(s, cluster.Done{Peer: e.id})
		g.waiting[i] = nil
	}
	hasWaiters := len(g.waiting) > 0
	g.waiting, g.counters = g.waiting[:0], g.counters[:0]
	g.arrived.Store(0)
	g.barriers.Add(1)
	if hasWaiters {
		e.alert()
	}
}

// Fork implements cluster.Port.
func (p *port) Fork(n int, body func(cluster.Port, int)) {
	e, g := p.e, &p.e.region
	if e.inRegion {
		panic("live: fork inside a parallel region")
	}
	p.publish()
	if p.holds&1 != 0 {
		p.unlock()
	}
	e.setInRegion(n > 1 || e.hasHelper)
	workers := e.workersOf(n - 1)
	g.threads, g.counters = n, g.counters[:0]
	g.arrived.Store(0)
	g.running.Store(int32(n - 1))
	wokeOne := false
	for _, k := range workers {
		k.port.cpu = p.cpu
		k.port.open()
		wokeOne = k.begin(body) || wokeOne
	}
	if wokeOne {
		runtime.Gosched() // the worker runs on this core at once, and the rank soon on another one
	}
	func() {
		defer p.join(workers)
		defer func() { p.returned = false }() // the rank's body continues
		defer e.w.catch(p)
		body(p, 0)
		p.publish()
		p.returned = true
	}()
	e.setInRegion(false)
	if e.hasHelper {
		p.lock()
	}
	e.state.Store(uint32(cluster.Computing))
	p.check()
}

// join waits until all workers have finished the region.
func (p *port) join(workers []*worker) {
	e := p.e
	p.joining.Store(true)
	e.parks.Add(1)
	e.region.joining.waitUntil(e.w, func() bool { return e.region.running.Load() == 0 })
	for _, k := range workers {
		p.cpu.until(k.port.cpu.at)
	}
	if !e.hasHelper { // otherwise the lock that follows sets it; the helper may hold the lock now
		e.cpu = &p.cpu
	}
	p.joining.Store(false)
}

// setInRegion begins and ends a parallel region.
func (e *engine) setInRegion(multi bool) {
	e.inRegion, e.lockless = multi, !multi && e.vcis == nil
	for i := 1; i < len(e.vcis); i++ {
		e.vcis[i].inRegion = multi
	}
}

// publish publishes the thread's batched messages.
func (p *port) publish() {
	if p.e.vcis != nil {
		p.flush()
		return
	}
	if p.e.inRegion && !p.unpublished {
		return
	}
	p.enter()
	defer p.leave()
	if len(p.e.batch) > 0 {
		p.e.flush()
	}
	p.unpublished = false
}
