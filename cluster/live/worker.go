package live

import (
	"runtime"
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// worker is a goroutine that runs one thread of each parallel region of a rank. Between two regions
// it spins for a while and then parks, as the threads of OpenMP runtimes do.
type worker struct {
	port *port
	body func(cluster.Port, int) // of the current region; nil: the worker ends
	turn atomic.Uint32           // number of calls of begin
	idle parker
}

// workersOf returns the first n workers of a rank.
func (e *engine) workersOf(n int) []*worker {
	w := e.w
	for len(e.workers) < n {
		k := &worker{port: newPort(e, len(e.workers)+1), idle: newParker()}
		e.workers = append(e.workers, k)
		w.threads.Add(1)
		w.ranks.Add(1)
		go k.run()
	}
	return e.workers[:n]
}

// endWorkers ends the workers of a rank. No region may be running.
func (e *engine) endWorkers() {
	for _, k := range e.workers {
		k.begin(nil)
	}
}

// begin begins the worker's thread of a region. It reports whether the worker slept.
func (k *worker) begin(body func(cluster.Port, int)) bool {
	k.body = body
	k.turn.Add(1)
	return k.idle.unpark()
}

// run runs the thread of each region until the worker ends.
func (k *worker) run() {
	w := k.port.e.w
	defer w.ranks.Done()
	for turn := uint32(1); ; turn++ {
		k.idle.waitUntil(w, func() bool { return k.turn.Load() == turn })
		if k.body == nil {
			return
		}
		k.runThread()
	}
}

// runThread runs one thread of a region.
func (k *worker) runThread() {
	p := k.port
	g := &p.e.region
	defer func() {
		if g.running.Add(-1) == 0 {
			g.joining.unpark()
		}
	}()
	defer p.close()
	defer p.returnSpare()
	defer p.e.w.catch(p)
	p.returned = false
	k.body(p, p.thread)
	k.body = nil
	p.publish()
	p.returned = true
}

// parker is the state of a goroutine that waits for others.
type parker struct {
	asleep atomic.Bool
	ch     chan struct{}
}

func newParker() parker { return parker{ch: make(chan struct{}, 1)} }

// yieldEvery is the number of polls after which a polling thread yields once: it may share its processor with the thread
// that it waits for. Measured with multigrid on two cores, 50 to 4,000 polls differ little.
const yieldEvery = 1000

// poll polls a condition for a while, and reports whether it became true. It does not poll if there are more threads than
// cores.
func (w *world) poll(isTrue func() bool) bool {
	if w.isOversubscribed() {
		return false
	}
	for n := 1; n <= w.spins; n++ {
		if isTrue() {
			return true
		}
		if n%yieldEvery == 0 {
			runtime.Gosched()
		}
		pause()
	}
	return false
}

// waitUntil returns when a condition is true. It spins, yields, and then parks until unpark.
func (s *parker) waitUntil(w *world, isTrue func() bool) {
	if isTrue() || w.poll(isTrue) {
		return
	}
	for range w.yields {
		runtime.Gosched()
		if isTrue() {
			return
		}
	}
	for !isTrue() { // a late unpark of an earlier wait may wake it
		s.asleep.Store(true)
		if isTrue() && s.asleep.CompareAndSwap(true, false) {
			return
		}
		<-s.ch
	}
}

// unpark wakes the goroutine if it sleeps, and reports whether it did. The caller has made its
// condition true.
func (s *parker) unpark() bool {
	if !s.asleep.Load() || !s.asleep.CompareAndSwap(true, false) {
		return false
	}
	s.ch <- struct{}{}
	return true
}
