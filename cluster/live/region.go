package live

import (
	"sync"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// region is the data that the threads of a parallel region share in addition to the engine.
type region struct {
	threads  int
	waiting  []*slot  // slots of the threads at the barrier, except the last
	counters []uint64 // counters of the work-sharing constructs since the last thread barrier
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

// meet enters the thread barrier; the last thread completes it.
func (p *port) meet() cluster.Handle {
	e, g := p.e, &p.e.region
	p.lock()
	defer p.unlock()
	if len(e.batch) > 0 {
		e.flush()
	}
	if len(g.waiting)+1 < g.threads {
		s := e.slots.take(cluster.KindThreadBarrier)
		s.peer = e.id
		g.waiting = append(g.waiting, s)
		return postResult(s)
	}
	for i, s := range g.waiting {
		e.complete(s, cluster.Done{Peer: e.id})
		g.waiting[i] = nil
	}
	g.waiting, g.counters = g.waiting[:0], g.counters[:0]
	e.alert()
	return 0
}

// Fork implements cluster.Port.
func (p *port) Fork(n int, body func(cluster.Port, int)) {
	e := p.e
	if e.inRegion {
		panic("live: fork inside a parallel region")
	}
	p.publish()
	if p.holds&1 != 0 {
		p.unlock()
	}
	e.setInRegion(n > 1 || e.hasHelper)
	e.w.threads.Add(int32(n - 1))
	e.region.threads, e.region.counters = n, e.region.counters[:0]
	var wg sync.WaitGroup
	var threads []*port
	for i := 1; i < n; i++ {
		q := newPort(e, i)
		q.cpu = p.cpu
		threads = append(threads, q)
		wg.Go(func() {
			defer q.close()
			defer q.returnSpare()
			defer e.w.catch(q)
			body(q, i)
			q.publish()
			q.returned = true
		})
	}
	func() {
		defer func() {
			p.joining.Store(true)
			e.parks.Add(1)
			wg.Wait()
			for _, q := range threads {
				p.cpu.until(q.cpu.at)
			}
			if !e.hasHelper { // otherwise the lock below sets it; the helper may hold the lock now
				e.cpu = &p.cpu
			}
			p.joining.Store(false)
			e.w.threads.Add(int32(1 - n))
		}()
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
	p.check()
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
	p.enter()
	defer p.leave()
	if len(p.e.batch) > 0 {
		p.e.flush()
	}
}
