package live

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/memory"
)

// cpu is a thread's clock on an emulated machine, in wall ns since the launch. A call costs the
// machine's time of the thread's processor. The thread does not sleep for that time: its clock runs
// ahead of the host's, and its next message leaves at the time of this clock. On the host itself
// the clock stays 0.
type cpu struct{ at int64 }

// until advances the clock to a time.
func (c *cpu) until(at int64) { c.at = max(c.at, at) }

// maxAhead is the maximum time by which a thread's clock may be ahead of the host's.
const maxAhead = maxSpin

// enterWire begins a call of a thread on an emulated machine: the thread has used the host's time up
// to now.
func (p *port) enterWire() {
	x := p.e.w.wire
	if x == nil {
		return
	}
	now := x.now()
	if p.cpu.at-now > int64(maxAhead) {
		x.sleep(p, p.cpu.at)
		now = x.now()
	}
	p.cpu.until(now)
}

// sleep suspends a thread until a time.
func (x *wire) sleep(pt *port, until int64) {
	p := newParcel()
	p.kind, p.port = parcelWake, pt
	x.mu.Lock()
	x.push(p, until)
	x.mu.Unlock()
	pt.awaitWake()
}

// awaitWake waits for the event that wakes the thread, and returns its time.
func (p *port) awaitWake() int64 {
	select {
	case at := <-p.timer:
		return at
	case <-p.e.w.over:
		panic(unwound{})
	}
}

// compute runs a body and waits until the machine's time for it has passed.
func (x *wire) compute(pt *port, work cluster.Work, body func()) {
	begin := x.now()
	start := max(begin, pt.cpu.at)
	modelled, kernel := x.shared(pt.e, x.wallTime(x.w.spec.Machine.ComputeTime(work)), work.Cores), false
	end, later := start+modelled, false
	if x.memory > 0 && work.Bytes > 0 && modelled > 0 {
		end, later = x.shareMemory(pt, start, bytesOf(work.Bytes), modelled)
	}
	if body != nil {
		body()
	}
	if k := pt.e.kernels; k != nil && work == (cluster.Work{}) { // the body of a running kernel
		modelled, kernel = k.model.Swap(0), true
	}
	if modelled == 0 {
		return
	}
	x.computed.Add(1)
	took := x.now() - begin
	if took >= modelled {
		x.overruns.Add(1)
		x.overTook.Add(took)
		x.overModel.Add(modelled)
	}
	switch {
	case later:
		end = pt.awaitWake()
	case kernel || took >= end-start:
		return
	default:
		x.sleep(pt, end)
	}
	pt.cpu.until(end)
}

// shared returns the time of a computation that takes t on its own cores, in wall ns. If the node has more
// threads than cores, each thread gets its share of a core. Progress threads count as threads. shared assumes
// that all ranks of the node have as many threads, and cores per thread, as this one.
func (x *wire) shared(e *engine, t int64, cores int) int64 {
	m := &x.w.spec.Machine
	threads := max(cores, 1)
	if e.inRegion {
		threads *= e.main.region.threads
	}
	if m.Progress == cluster.ProgressThread {
		threads++
	}
	threads *= x.w.spec.Layout.RanksPerNode
	if m.CoresPerNode == 0 || threads <= m.CoresPerNode {
		return t
	}
	return int64(math.Round(float64(t) * float64(threads) / float64(m.CoresPerNode)))
}

// shareMemory reserves the node's memory for a computation of a thread, and returns its end. If an earlier
// event may use the memory first, it reserves nothing yet and later is true. Then an event reserves the memory
// at the start, and another one wakes the thread at the end.
func (x *wire) shareMemory(pt *port, start, n, minTime int64) (end int64, later bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.isNext(start) {
		return x.memories[x.w.node[pt.e.id]].Work(start, x.memory.time(n), minTime), false
	}
	p := newParcel()
	p.kind, p.port, p.phase = parcelWake, pt, computing
	p.wire, p.end = n, minTime
	x.push(p, start)
	return 0, true
}

// isNext reports whether a time is before all events. An event at the same time was posted before. The
// caller holds mu.
func (x *wire) isNext(at int64) bool { return len(x.heap) == 0 || at < x.heap[0].at }

// bytesOf returns a number of bytes as an integer, at most half of the largest one.
func bytesOf(n float64) int64 { return int64(min(n, math.MaxInt64/2)) }

// work completes after the machine's time for it. The node's memory serves work in the order of posts.
func (x *wire) work(e *engine, op *cluster.Op) cluster.Handle {
	t := x.w.spec.Machine.ComputeTime(cluster.Work{Flops: float64(op.A), Bytes: float64(op.B)})
	return x.occupy(e, op, x.shared(e, x.wallTime(t), 1), bytesOf(float64(op.B)), (*memory.Server[int64]).Work)
}

// load charges one access to the exposed buffer of each of some members.
func (x *wire) load(e *engine, op *cluster.Op) cluster.Handle {
	machine := &x.w.spec.Machine
	m, _ := e.member(op.Ctx)
	t := cluster.Time(0)
	for i := range op.A {
		from := m.b.ranks[(uint64(op.Tag)+i)%uint64(len(m.b.ranks))]
		class := x.class(e.id, from)
		if class == sameSocket {
			class = cluster.InNode
		}
		t += machine.AccessTime(class, op.Size/int64(op.A))
	}
	combine := x.shared(e, x.wallTime(machine.ComputeTime(cluster.Work{Flops: float64(op.B)})), 1)
	return x.occupy(e, op, x.wallTime(t)+combine, op.Size, (*memory.Server[int64]).Serve)
}

// occupy occupies the rank's CPU for at least the modelled time, and its node's memory for n bytes.
func (x *wire) occupy(e *engine, op *cluster.Op, modelled, n int64,
	serve func(m *memory.Server[int64], t, need, minTime int64) int64,
) cluster.Handle {
	if modelled == 0 {
		return e.finish(op, cluster.Done{})
	}
	s := e.takeSlot(op)
	p := newCompletion(e, s)
	end := e.cpu.at + modelled
	x.mu.Lock()
	if x.memory > 0 && n > 0 {
		end = serve(&x.memories[x.w.node[e.id]], e.cpu.at, x.memory.time(n), modelled)
	}
	e.cpu.at = end
	x.push(p, end)
	x.mu.Unlock()
	return postResult(s)
}
