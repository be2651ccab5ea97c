package live

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
)

// wire is the network and the clock of an emulated machine. One goroutine completes each transfer
// and continues each computing thread after the machine's time, multiplied by the time dilation.
type wire struct {
	w        *world
	dilation float64
	smallest int64 // the shortest modelled time, in wall ns

	mu       sync.Mutex
	heap     []*parcel // by (at, seq): equal times in the order of posting
	seq      uint64
	adapters [][]int64 // time at which each adapter of a node is free, wall ns
	deviceOf []int32   // by rank
	free     []int64   // time at which each device is free, wall ns
	last     [][]int64 // by source and target: the latest arrival; later messages follow it
	until    int64     // planned end of the loop's sleep; 0: it does not sleep
	kick     chan struct{}
	changed  atomic.Bool

	delays    atomic.Int64 // sum of delays, ns
	events    atomic.Int64
	computed  atomic.Int64 // number of bodies that ran
	overruns  atomic.Int64 // number of bodies that took longer than modelled
	overTook  atomic.Int64 // sum of their wall ns
	overModel atomic.Int64 // sum of their modelled wall ns
}

// resolution is the time resolution of the host's scheduler, per rank on a core.
const resolution = 500 * time.Nanosecond

// margin is the minimum ratio of the smallest modelled time to the resolution.
const margin = 10

func newWire(w *world, cores int) *wire {
	x := &wire{w: w, kick: make(chan struct{}, 1), until: math.MaxInt64}
	m, l := &w.spec.Machine, &w.spec.Layout
	smallest := cluster.Time(math.MaxInt64)
	for c := range cluster.Classes {
		present := c == int(cluster.InRank) || c == int(cluster.InNode) && l.RanksPerNode > 1 ||
			c == int(cluster.Remote) && l.Nodes > 1
		if t := m.Classes[c].Latency; present && t > 0 {
			smallest = min(smallest, t)
		}
	}
	if smallest == math.MaxInt64 {
		smallest = cluster.Microsecond
	}
	x.dilation = w.spec.Dilation
	if x.dilation <= 0 {
		perCore := max(1, float64(len(w.engines))/float64(cores))
		x.dilation = roundUp(margin * perCore * float64(resolution.Nanoseconds()) * float64(cluster.Nanosecond) /
			float64(smallest))
		if f := w.spec.DilationFactor; f > 1 {
			x.dilation = roundUp(x.dilation * f)
		}
	}
	x.smallest = max(1, x.wallTime(smallest))
	adapters := max(1, m.Classes[cluster.Remote].Adapters)
	x.adapters = make([][]int64, l.Nodes)
	for i := range x.adapters {
		x.adapters[i] = make([]int64, adapters)
	}
	x.last = make([][]int64, len(w.engines))
	var devices int
	x.deviceOf, devices = l.Devices(m.Device.Count)
	x.free = make([]int64, devices)
	return x
}

// roundUp returns the next number of the series 1, 2, 5, 10, 20, ….
func roundUp(d float64) float64 {
	if d <= 1 {
		return 1
	}
	step := math.Pow(10, math.Floor(math.Log10(d)))
	for _, f := range []float64{1, 2, 5, 10} {
		if f*step >= d*(1-1e-9) {
			return f * step
		}
	}
	return d
}

// wallTime converts a machine's time to wall ns.
func (x *wire) wallTime(t cluster.Time) int64 {
	return int64(math.Round(float64(t) * x.dilation / float64(cluster.Nanosecond)))
}

// machineTime converts wall time to the machine's time.
func (x *wire) machineTime(d time.Duration) cluster.Time {
	return cluster.Time(math.Round(float64(d) * float64(cluster.Nanosecond) / x.dilation))
}

func (x *wire) now() int64 { return int64(time.Since(x.w.began)) }

func (x *wire) class(from, to int32) cluster.Class {
	switch {
	case from == to:
		return cluster.InRank
	case x.w.node[from] == x.w.node[to]:
		return cluster.InNode
	}
	return cluster.Remote
}

// classOf returns the class of a parcel's transfer from one rank to another.
func (x *wire) classOf(p *parcel, from, to int32) cluster.Class {
	if p.adapter {
		return cluster.Remote
	}
	return x.class(from, to)
}

// arrival reserves the resources of a class for n bytes that are ready at a time, and returns their
// arrival. The caller holds mu.
func (x *wire) arrival(c cluster.Class, from, to int32, n, start int64) int64 {
	link := &x.w.spec.Machine.Classes[c]
	var carry int64
	if link.Bandwidth > 0 {
		carry = x.wallTime(cluster.FromSeconds(float64(n) / link.Bandwidth))
	}
	if c == cluster.Remote && link.Adapters > 0 {
		free := x.adapters[x.w.node[from]]
		best := 0
		for i := range free {
			if free[i] < free[best] {
				best = i
			}
		}
		start = max(start, free[best])
		free[best] = start + carry
	}
	at := start + carry + x.wallTime(link.Latency)
	if x.last[from] == nil {
		x.last[from] = make([]int64, len(x.w.engines))
	}
	at = max(at, x.last[from][to])
	x.last[from][to] = at
	return at
}

// countInflight counts the pending events of a rank.
func (x *wire) countInflight(p *parcel, by int32) {
	if p.barrier != nil {
		for _, r := range p.barrier.ranks {
			x.w.engines[r].inflight.Add(by)
		}
		return
	}
	if p.port != nil {
		return
	}
	d := x.w.engines[p.dst]
	d.inflight.Add(by)
	if p.from != nil && p.from != d {
		p.from.inflight.Add(by)
	}
}

// push schedules p at a time. The caller holds mu.
func (x *wire) push(p *parcel, at int64) {
	x.countInflight(p, 1)
	x.seq++
	p.at, p.seq = at, x.seq
	h := append(x.heap, p)
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h[up].before(h[i]) {
			break
		}
		h[up], h[i] = h[i], h[up]
		i = up
	}
	x.heap = h
	if i == 0 {
		x.changed.Store(true)
		if x.until != 0 && at < x.until {
			select {
			case x.kick <- struct{}{}:
			default:
			}
		}
	}
}

func (p *parcel) before(q *parcel) bool {
	return p.at < q.at || p.at == q.at && p.seq < q.seq
}

func (x *wire) pop() *parcel {
	h := x.heap
	p := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h[last] = nil
	h = h[:last]
	for i := 0; ; {
		k := 2*i + 1
		if k >= last {
			break
		}
		if k+1 < last && h[k+1].before(h[k]) {
			k++
		}
		if h[i].before(h[k]) {
			break
		}
		h[i], h[k] = h[k], h[i]
		i = k
	}
	x.heap = h
	return p
}

// send sends a parcel from one rank to another as n bytes.
func (x *wire) send(p *parcel, from, to int32, n int64) {
	first, last := from, to // source and target of the bytes
	if p.kind == parcelGet {
		first, last = to, from
	}
	class := x.classOf(p, from, to) // an invalid rank panics here, without the lock
	x.mu.Lock()
	at := x.now() + p.packing
	if p.fromDevice && n > 0 {
		at = x.stage(first, at, n)
	}
	at = x.arrival(class, from, to, n, at)
	if p.toDevice && n > 0 {
		at = x.stage(last, at, n)
	}
	x.push(p, at+p.handling)
	x.mu.Unlock()
}

// start implements clock.
func (x *wire) start() {
	x.w.others.Add(1)
	go x.loop()
}

// dilationFactor implements clock.
func (x *wire) dilationFactor() float64 { return x.dilation }

// maxSpin is the maximum wait that the loop spends polling the clock, because time.Sleep is a
// millisecond off.
const maxSpin = 1500 * time.Microsecond

// loop runs the events of the wire.
func (x *wire) loop() {
	defer x.w.others.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		x.mu.Lock()
		x.changed.Store(false)
		x.until = 0
		now := x.now()
		var wait time.Duration
		switch {
		case len(x.heap) == 0:
			wait = time.Hour
			x.until = math.MaxInt64
		case x.heap[0].at > now:
			wait = time.Duration(x.heap[0].at - now)
			if wait > maxSpin {
				x.until = x.heap[0].at
			}
		default:
			p := x.pop()
			x.mu.Unlock()
			x.delays.Add(now - p.at)
			x.events.Add(1)
			x.process(p)
			continue
		}
		until := now + int64(wait)
		x.mu.Unlock()
		if wait > maxSpin {
			timer.Reset(wait - maxSpin)
			select {
			case <-timer.C:
			case <-x.kick:
			case <-x.w.over:
				return
			}
			continue
		}
		for x.now() < until && !x.changed.Load() {
			if x.w.aborted.Load() {
				return
			}
			runtime.Gosched()
		}
	}
}

// process processes the event of a parcel.
func (x *wire) process(p *parcel) {
	q := *p // a copy for countInflight: p may be freed or sent on
	switch p.kind {
	case parcelEager, parcelRTS, parcelRPC, parcelCTS:
		x.w.engines[p.dst].deliver(p)
	case parcelData:
		copy(p.recv.buf, p.req.buf)
		p.req.peerArrival = p.peerArrival
		p.from.completeFrom(p.req, cluster.Done{Peer: p.dst, Tag: p.tag, Size: p.size})
		x.w.engines[p.dst].deliver(p)
	case parcelPut:
		x.land(p)
	case parcelGet, parcelAtomic:
		x.read(p)
	case parcelComplete:
		p.complete()
	case parcelBarrier:
		p.barrier.open(x.w)
		p.free()
	case parcelRaise:
		p.barrier.addToFlag(x.w, p.tag, p.a)
		p.free()
	case parcelWake:
		p.port.timer <- struct{}{}
		p.free()
	}
	x.countInflight(&q, -1)
}

// compute runs a body and waits until the machine's time for it has passed.
func (x *wire) compute(pt *port, work cluster.Work, body func()) {
	start := x.now()
	if body != nil {
		body()
	}
	modelled, kernel := x.wallTime(x.w.spec.Machine.ComputeTime(work)), false
	if k := pt.e.kernels; k != nil && work == (cluster.Work{}) { // the body of a running kernel
		modelled, kernel = k.model.Swap(0), true
	}
	if modelled == 0 {
		return
	}
	x.computed.Add(1)
	if took := x.now() - start; took >= modelled {
		x.overruns.Add(1)
		x.overTook.Add(took)
		x.overModel.Add(modelled)
		return
	}
	if kernel {
		return
	}
	p := newParcel()
	p.kind, p.port = parcelWake, pt
	x.mu.Lock()
	x.push(p, start+modelled)
	x.mu.Unlock()
	select {
	case <-pt.timer:
	case <-x.w.over:
		panic(unwound{})
	}
}

// work completes after the machine's time for it.
func (x *wire) work(e *engine, op *cluster.Op) cluster.Handle {
	return x.occupy(e, op, x.w.spec.Machine.ComputeTime(cluster.Work{Flops: float64(op.A), Bytes: float64(op.B)}))
}

// load charges one access to the exposed buffer of each of some members.
func (x *wire) load(e *engine, op *cluster.Op) cluster.Handle {
	machine := &x.w.spec.Machine
	m, _ := e.member(op.Ctx)
	t := machine.ComputeTime(cluster.Work{Flops: float64(op.B)})
	for i := range op.A {
		from := m.b.ranks[(uint64(op.Tag)+i)%uint64(len(m.b.ranks))]
		t += machine.AccessTime(x.class(e.id, from), op.Size/int64(op.A))
	}
	return x.occupy(e, op, t)
}

// occupy occupies the rank's CPU for a time.
func (x *wire) occupy(e *engine, op *cluster.Op, t cluster.Time) cluster.Handle {
	modelled := x.wallTime(t)
	if modelled == 0 {
		return e.finish(op, cluster.Done{})
	}
	s := e.takeSlot(op)
	p := newParcel()
	p.kind = parcelComplete
	p.src = e.id
	p.dst = e.id
	p.from = e
	p.req = s
	e.workEnd = max(e.workEnd, x.now()) + modelled
	x.mu.Lock()
	x.push(p, e.workEnd)
	x.mu.Unlock()
	return postResult(s)
}

// lateness returns the counts of how well the host keeps up.
func (x *wire) lateness() cluster.Lateness {
	return cluster.Lateness{
		Shortest: x.smallest, Events: x.events.Load(), Late: x.delays.Load(),
		Bodies: x.computed.Load(), Overruns: x.overruns.Load(), Took: x.overTook.Load(), Modelled: x.overModel.Load(),
	}
}

// warnings describes how the host failed to keep up.
func (x *wire) warnings() []string {
	l := x.lateness()
	if !l.Proven() || l.Excess() <= 1 {
		return nil
	}
	would := roundUp(x.dilation * l.Excess())
	if l.Slow() {
		return []string{fmt.Sprintf("%.0f%% of the computations took longer than modelled, %.1f times on average (use a "+
			"dilation of %g)",
			100*float64(l.Overruns)/float64(l.Bodies), float64(l.Took)/float64(l.Modelled), would)}
	}
	return []string{fmt.Sprintf("the host fell behind: events were %s late on average, more than a tenth of the "+
		"shortest modelled time (use a dilation of %g)",
		cluster.FromSeconds(l.Mean()/1e9), would)}
}
