package live

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/memory"
	"github.com/hybridtop/hybridtop/cluster/sim/topology"
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
	prices   [cluster.Classes + 1]price // by class, and within a socket
	socketOf []int32                    // by rank; nil: no separate class
	out, in  [][]wireAdapter            // by node
	servers  []int64                    // by node: time at which its message server is free, wall ns
	memory   perByte                    // of a node's memory
	memories []memory.Server[int64]     // by node, in wall ns
	movers   []int64                    // by rank: earliest start of its next message inside the node
	inject   []int64                    // by rank: time at which its thread has injected and received all
	uncopied []int64                    // by rank: bytes of its sends that receivers have not copied yet
	atomics  []int64                    // by rank: end of the last atomic on it
	shape    *topology.Network          // nil: no shared link
	hop      int64                      // of each link after the first
	path     []int32                    // of the last route
	deviceOf []int32                    // by rank
	free     []int64                    // time at which each device is free, wall ns
	last     [][]pairTimes              // by source and target
	until    int64                      // planned end of the loop's sleep; 0: it does not sleep
	horizon  atomic.Int64               // latest time of the clock
	paused   atomic.Int64               // time for which the clock was paused, ns
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

func newWire(w *world, cores int) (x *wire, err error) {
	x = &wire{w: w, kick: make(chan struct{}, 1), until: math.MaxInt64}
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
	x.horizon.Store(math.MaxInt64)
	x.setPrices(m)
	if err := x.placeResources(m, l); err != nil {
		return nil, err
	}
	var devices int
	x.deviceOf, devices = l.Devices(m.Device.Count)
	x.free = make([]int64, devices)
	return x, nil
}

// placeResources creates the resources of nodes and ranks.
func (x *wire) placeResources(m *cluster.Machine, l *cluster.Layout) (err error) {
	ranks := len(x.w.engines)
	x.out, x.in = make([][]wireAdapter, l.Nodes), make([][]wireAdapter, l.Nodes)
	for i := range x.out {
		adapters := max(1, m.Classes[cluster.Remote].Adapters)
		x.out[i], x.in[i] = make([]wireAdapter, adapters), make([]wireAdapter, adapters)
	}
	x.servers, x.memories = make([]int64, l.Nodes), make([]memory.Server[int64], l.Nodes)
	x.memory = x.perByte(m.NodeRate)
	x.movers, x.inject, x.uncopied = make([]int64, ranks), make([]int64, ranks), make([]int64, ranks)
	x.atomics = make([]int64, ranks)
	x.last = make([][]pairTimes, ranks)
	if shape := m.Topology.Shape; shape != "" && shape != cluster.Crossbar {
		x.shape, err = topology.New(m.Topology, l.Nodes)
		if err != nil {
			return err
		}
		x.hop = x.wallTime(m.Topology.HopLatency)
	}
	if m.Sockets > 1 && m.Socket != (cluster.Link{}) { // sockets have consecutive ranks of a node
		x.socketOf = make([]int32, ranks)
		perSocket := (l.RanksPerNode + m.Sockets - 1) / m.Sockets
		placed := make([]int32, l.Nodes)
		for i := range x.socketOf {
			node := x.w.node[i]
			x.socketOf[i] = placed[node] / int32(perSocket)
			placed[node]++
		}
	}
	return nil
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

// maxLag is the longest time by which the clock passes an event that has not been processed. Then it pauses,
// so that a host that runs other programs adds no more to a time. An idle host is later than this only
// if the program itself needs more time than the machine. If the host stops a
// thread while the thread posts an event, the event can be later. Its delay then counts as maxLag, because one stopped
// thread does not require a larger dilation.
const maxLag = 20 * time.Microsecond

// now returns the time of the clock since the launch, in wall ns. It is the host's time without the times for
// which the clock was paused.
func (x *wire) now() int64 {
	horizon := x.horizon.Load() // before paused: a later horizon needs the later sum
	return min(int64(time.Since(x.w.began))-x.paused.Load(), horizon)
}

// setHorizon follows a change of the first event. The caller holds mu.
func (x *wire) setHorizon() {
	horizon := int64(math.MaxInt64)
	if len(x.heap) > 0 {
		horizon = max(x.heap[0].at+int64(maxLag), x.now())
	}
	x.horizon.Store(horizon)
}

// resume continues a paused clock. The caller holds mu.
func (x *wire) resume() {
	if late := int64(time.Since(x.w.began)) - x.paused.Load() - x.horizon.Load(); late > 0 {
		x.paused.Add(late)
	}
}

func (x *wire) class(from, to int32) cluster.Class {
	switch {
	case from == to:
		return cluster.InRank
	case x.w.node[from] != x.w.node[to]:
		return cluster.Remote
	case x.socketOf != nil && x.socketOf[from] == x.socketOf[to]:
		return sameSocket
	}
	return cluster.InNode
}

// classOf returns the class of a parcel's transfer from one rank to another.
func (x *wire) classOf(p *parcel, from, to int32) cluster.Class {
	if p.adapter {
		return cluster.Remote
	}
	return x.class(from, to)
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
		x.setHorizon()
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

// send sends a parcel from one rank to another as n bytes, ready at a time.
func (x *wire) send(p *parcel, from, to int32, n, at int64) {
	p.first, p.last = from, to // source and target of the bytes
	p.wire = max(n, 1)
	class := x.classOf(p, from, to) // an invalid rank panics here, without the lock
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case class != cluster.Remote:
		if p.fromDevice && n > 0 {
			at = x.stage(p.first, at, n)
		}
		if x.memory > 0 && !x.isNext(at) { // an earlier event may use the memory first
			p.phase = leaving
			x.push(p, at)
			return
		}
		x.finish(p, x.moveInNode(p, class, at))
	case p.kind == parcelComplete && n <= 1: // an acknowledgement, without program data
		p.phase = arriving
		x.push(p, at+x.prices[class].l+p.handling)
	default:
		p.phase = leaving
		x.push(p, at)
	}
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
		x.resume()
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
			x.setHorizon()
			if p.phase != arriving {
				q := *p // a copy for countInflight: the next phase may change p
				x.proceed(p)
				x.mu.Unlock()
				x.countInflight(&q, -1)
				continue
			}
			x.mu.Unlock()
			x.delays.Add(min(now-p.at, int64(maxLag)))
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
	case parcelEager, parcelRTS, parcelRPC, parcelCTS, parcelData:
		x.w.engines[p.dst].deliver(p)
	case parcelSent: // the receiver does not read the bytes before their arrival
		copy(p.recv.buf, p.req.buf)
		p.req.peerArrival = p.peerArrival
		p.req.at = p.at
		p.from.completeFrom(p.req, cluster.Done{Peer: p.dst, Tag: p.tag, Size: p.size})
		p.free()
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
		select {
		case p.port.timer <- p.at:
		case <-x.w.over:
		}
		p.free()
	}
	x.countInflight(&q, -1)
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
