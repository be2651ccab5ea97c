package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// dispatch sends a message on its way at a thread's time. Where nothing happens
// until then, its adapter is reserved here; else in the order of time: even an
// adapter that is one rank's alone may have to answer somebody before.
func (w *world) dispatch(i int32, t *thread) {
	m := &w.msgs[i]
	m.thread, m.cause = t.id, t.cause
	if w.queue.quietUntil(t.now) || m.class != cluster.Remote && w.nodes[0].memory.rate == 0 {
		w.depart(i, t.now)
		return
	}
	w.push(t.now, evInject, i)
}

// inject is the event of a message that asks for its adapter.
func (w *world) inject(i int32) { w.depart(i, w.now) }

// depart reserves the way of a message at a time, and lets it arrive.
func (w *world) depart(i int32, at cluster.Time) {
	m := &w.msgs[i]
	way := &w.ways[m.class]
	wire := m.wire()
	carry := way.carry(wire)
	if m.train > 1 { // the last one's bytes leave after all before it
		n := cluster.Time(m.train)
		piece := way.carry(wire / int64(n))
		carry = (n-1)*(way.g+piece) + piece
	}
	start := at
	if w.staged && m.more != nil && m.more.from == cluster.DeviceMemory && m.brings() {
		start = w.stage(m.src, start, wire)
	}
	staged, reserved := start, start
	var links, passed cluster.Time
	if m.class != cluster.Remote && m.class != cluster.InRank && (m.kind == msgEager || m.kind == msgData) {
		// Inside a node a core moves the bytes, one message after another.
		r := &w.ranks[m.src]
		start = max(start, r.moves)
		r.moves = start + way.g + carry
		reserved = start
	}
	if m.class == cluster.Remote {
		start = w.reserve(m, way, start, carry)
		reserved = start
		if w.network != nil {
			start, passed, links = w.route(m, start, wire)
		}
	}
	// A thread injects no faster than it can, whatever the adapter does.
	inject := carry
	if way.threadRate > 0 && m.class == cluster.Remote && m.thread >= 0 {
		t := w.threads[m.thread]
		own := way.threadRate.time(wire - 1)
		begin := max(at, t.inject)
		t.inject = begin + own
		inject = max(carry, begin+own-start)
	}
	late := max(start+inject, passed)
	if memory := &w.nodes[w.ranks[m.src].node].memory; m.class != cluster.Remote && memory.rate > 0 {
		late = memory.serve(start, wire, carry)
	}
	if w.staged && m.more != nil && m.more.to == cluster.DeviceMemory && m.brings() {
		late = w.stage(m.dst, late, wire)
	}
	latency := way.l + links
	var jitter cluster.Time
	if w.linkNoise > 0 && m.class == cluster.Remote {
		jitter = w.linkRand.jitter(way.l, w.linkNoise)
		latency += jitter
	}
	if (m.kind == msgEager || m.kind == msgAsk) && (w.overtaking || m.class != cluster.Remote) {
		late = w.ranks[m.src].lanes.arrive(m.dst, late+latency, w.now) - latency
	}
	left := m.cause // of the time at which the last byte has left
	if w.trace != nil {
		rest := CauseMemory // what the bytes took beyond their own time
		if m.class == cluster.Remote {
			rest = CauseBytes
			if passed > start+inject {
				rest = CauseLink
			}
		}
		own, gap := min(late-start, carry), min(reserved-staged, way.g)
		left = w.trace.chain(m.cause, m.src, []piece{
			{CauseMemory, staged - at}, {CauseGap, gap}, {CauseAdapter, reserved - staged - gap}, {CauseLink, start - reserved},
			{CauseBytes, own}, {rest, late - start - own},
		})
		m.cause = w.trace.chain(left, m.src, []piece{{CauseLatency, latency - max(jitter, 0)}, {CauseNoise, max(jitter, 0)}})
	}
	if m.kind == msgData {
		// The bytes are taken here, so that the sender may write again; the
		// receiver does not look before they have arrived.
		s := &w.ranks[m.src].slots.list[m.req]
		copy(w.ranks[m.dst].slots.list[m.recv].bytes(), s.bytes())
		s.set(cluster.Done{Peer: m.dst, Tag: m.tag, Size: m.size})
		s.cause = left
		w.completeAt(late, m.src, m.req)
	}
	w.push(late+latency, evArrive, i)
}

// reserve takes the first adapter that is free; starts are g + (n − 1)G apart.
func (w *world) reserve(m *msg, way *way, at, carry cluster.Time) cluster.Time {
	free := w.nodes[w.ranks[m.src].node].adapters
	best := 0
	for k := 1; k < len(free); k++ {
		if free[k] < free[best] {
			best = k
		}
	}
	start := max(at, free[best])
	busy := way.g + carry
	if w.slow != nil {
		busy = w.slow.adapter(w.ranks[m.src].node, best, busy)
	}
	free[best] = start + busy
	return start
}

// stage copies bytes between a device's memory and the host's, over the rank's
// own way to its device, and gives the end.
func (w *world) stage(rank int32, at cluster.Time, n int64) cluster.Time {
	r := &w.ranks[rank]
	begin := max(at, r.device)
	r.device = begin + w.device.carry(n)
	return r.device + w.device.l
}

// route passes the links between two nodes one after another, each as soon as it
// is free, and gives the times at which the first byte has passed the last and the
// last byte has passed them all, and the latency of the links after the first.
func (w *world) route(m *msg, start cluster.Time, wire int64) (first, last, latency cluster.Time) {
	w.path = w.network.Route(int(w.ranks[m.src].node), int(w.ranks[m.dst].node), w.path[:0])
	for _, l := range w.path {
		start = max(start, w.linkFree[l])
		w.linkFree[l] = start + w.linkRate[l].time(wire)
		last = max(last, start+w.linkRate[l].time(wire-1))
	}
	return start, last, w.hop * cluster.Time(max(0, len(w.path)-1))
}
