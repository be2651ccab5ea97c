package sim

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/hybridtop/hybridtop/cluster"
)

// msgKind says what a message is for.
type msgKind uint8

const (
	msgEager  msgKind = iota
	msgAsk            // rendezvous: the sender asks
	msgClear          // the receiver answers
	msgData           // the bytes follow
	msgPut            // bytes for the target's segment
	msgGet            // asks for bytes
	msgAtomic         // changes a word
	msgReply          // brings a get's bytes or an atomic's word
	msgRPC            // runs a body
)

// msg is one message under way, in one cache line.
type msg struct {
	kind     msgKind
	class    cluster.Class // or sameSocket
	train    uint16        // messages that it stands for; 0: one
	src, dst int32
	ctx, tag int32
	req      uint32 // slot at the sender or initiator; of a free message, the next, index + 1
	recv     uint32 // slot at the receiver
	cause    int32  // until its arrival
	thread   int32  // that injects it; noThread: no thread's limit holds
	size     int64  // of the program's message
	buf      unsafe.Pointer
	more     *transfer
}

// noThread is the thread of what an adapter sends by itself.
const noThread int32 = -1

// transfer is what a one-sided message carries besides.
type transfer struct {
	off, sig int64
	sigOp    cluster.SigOp
	vec      []cluster.Span
	data     []byte // of an RPC: the caller's
	a, b     uint64
	arg, fn  int32
	reply    int64 // bytes that the answer brings
	from, to cluster.Memory
	done     cluster.Done
}

// wire is the bytes that travel: at least one.
func (m *msg) wire() int64 {
	switch m.kind {
	case msgAsk, msgClear:
		return 1
	case msgReply:
		return m.more.reply
	case msgGet, msgAtomic:
		if m.class == cluster.Remote {
			return 1 // the request; an atomic's operands ride in it
		}
	}
	return max(m.size, 1)
}

// brings reports whether the message carries the program's bytes.
func (m *msg) brings() bool {
	switch m.kind {
	case msgEager, msgData, msgPut, msgReply:
		return true
	}
	return false
}

// hold copies bytes into the message.
func (m *msg) hold(w *world, b []byte) {
	if b != nil {
		m.buf = unsafe.Pointer(unsafe.SliceData(w.buffers.hold(b)))
	}
}

// bytes is what the message holds.
func (m *msg) bytes() []byte {
	if m.buf == nil {
		return nil
	}
	return unsafe.Slice((*byte)(m.buf), m.size)
}

// drop gives the bytes back.
func (m *msg) drop(w *world) {
	if m.buf != nil {
		w.buffers.give(m.bytes())
		m.buf = nil
	}
}

func (w *world) newMsg() (int32, *msg) {
	if w.freeMsg != 0 {
		i := w.freeMsg - 1
		w.freeMsg = int32(w.msgs[i].req)
		return i, &w.msgs[i]
	}
	if len(w.msgs) == maxRef {
		w.abort(fmt.Errorf("more than %d messages under way at %v", maxRef, w.now))
		return 0, &w.msgs[0]
	}
	w.msgs = append(w.msgs, msg{})
	return int32(len(w.msgs) - 1), &w.msgs[len(w.msgs)-1]
}

func (w *world) dropMsg(i int32) {
	w.msgs[i] = msg{req: uint32(w.freeMsg)}
	w.freeMsg = i + 1
}

// buffers are bytes under way, by powers of two from 64 on.
type buffers [26][]unsafe.Pointer

func bufferClass(n int) int { return bits.Len(uint(max(n, 64)-1)) - 6 }

func (b *buffers) hold(p []byte) []byte {
	k := bufferClass(len(p))
	if k >= len(b) {
		return append([]byte(nil), p...)
	}
	var q []byte
	if n := len(b[k]); n > 0 {
		q = unsafe.Slice((*byte)(b[k][n-1]), len(p))
		b[k] = b[k][:n-1]
	} else {
		q = make([]byte, max(len(p), 1), 64<<k)[:len(p)]
	}
	copy(q, p)
	return q
}

func (b *buffers) give(p []byte) {
	if k := bufferClass(len(p)); k < len(b) {
		b[k] = append(b[k], unsafe.Pointer(unsafe.SliceData(p)))
	}
}

func (w *world) class(from, to int32) cluster.Class {
	switch {
	case from == to:
		return cluster.InRank
	case w.ranks[from].node != w.ranks[to].node:
		return cluster.Remote
	case w.sockets && w.ranks[from].socket == w.ranks[to].socket:
		return sameSocket
	}
	return cluster.InNode
}

// sameSocket is a class besides the contract's: in the node, and in one socket.
const sameSocket cluster.Class = cluster.Classes

func (w *world) isEager(ctx int32, n int64) bool {
	return n <= w.eager && (w.eager > 0 || ctx&1 == 1)
}

// send starts a message.
func (t *thread) send(op *cluster.Op) cluster.Handle {
	w, n := t.w, op.Bytes()
	class := w.class(t.r.id, op.Peer)
	i, m := w.newMsg()
	m.class, m.src, m.dst, m.ctx, m.tag, m.size = class, t.r.id, op.Peer, op.Ctx, op.Tag, n
	t.pay(w.ways[class].o)
	if !w.isEager(op.Ctx, n) || op.Kind == cluster.KindSsend {
		_, req := t.pend(op)
		m.kind, m.req = msgAsk, req
		if w.staged && op.From == cluster.DeviceMemory {
			m.more = &transfer{from: op.From}
		}
		w.dispatch(i, t)
		return t.pended(op, req)
	}
	m.kind = msgEager
	if w.staged && op.From == cluster.DeviceMemory {
		m.more = &transfer{from: op.From}
	}
	m.hold(w, op.Buf)
	w.dispatch(i, t)
	return t.finish(op, cluster.Done{Peer: op.Peer, Tag: op.Tag, Size: n})
}

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

// arrive is the event of a message at its target.
func (w *world) arrive(i int32) {
	m := &w.msgs[i]
	r := &w.ranks[m.dst]
	switch m.kind {
	case msgEager:
		w.match(i, r)
	case msgAsk:
		w.match(i, r)
	case msgData:
		s := &r.slots.list[m.recv]
		d := received(m.src, m.tag, m.size, s.size)
		recv, cause := m.recv, m.cause
		w.dropMsg(i)
		r.complete(recv, w.now, d, cause)
	case msgPut:
		w.land(i, r)
	case msgGet, msgAtomic:
		w.read(i, r)
	case msgReply:
		s := &r.slots.list[m.req]
		copy(s.bytes(), m.bytes())
		m.drop(w)
		d, req, cause := m.more.done, m.req, m.cause
		w.dropMsg(i)
		r.complete(req, w.now, d, cause)
	case msgClear, msgRPC:
		w.attend(i, r, w.now)
	}
}

// attend has a message handled by whoever acts for the rank; if nobody does, it
// waits for the rank's next call.
func (w *world) attend(i int32, r *rank, at cluster.Time) {
	if t := r.actor(at, w.msgs[i].cause); t != nil {
		w.handle(i, t)
		return
	}
	r.deferred = append(r.deferred, i)
}

// handle acts on a message that costs the target a hand: the answers of a
// rendezvous, and RPC.
func (w *world) handle(i int32, t *thread) {
	m := &w.msgs[i]
	t.pay(w.ways[m.class].o)
	switch m.kind {
	case msgAsk: // its receive is m.recv
		m.kind = msgClear
		m.src, m.dst = m.dst, m.src
		w.dispatch(i, t)
	case msgClear:
		m.kind = msgData
		m.src, m.dst = m.dst, m.src
		w.dispatch(i, t)
	case msgRPC:
		w.call(i, t)
	default:
		panic("sim: a message that nobody has to handle")
	}
}

// match pairs a message with a receive, or keeps it.
func (w *world) match(i int32, r *rank) {
	m := &w.msgs[i]
	if id, ok := r.queues.Arrive(m.ctx, m.src, m.tag); ok {
		w.deliver(i, r, id)
		return
	}
	r.queues.Keep(m.ctx, m.src, m.tag, uint32(i))
	r.checkProbes(m.cause)
}

// checkProbes completes the probes that a message satisfies. Each completion may
// resume a thread, which may probe and receive.
func (r *rank) checkProbes(cause int32) {
	for k := 0; k < len(r.probes); {
		id := r.probes[k]
		s := &r.slots.list[id]
		d, ok := r.probe(s.kind == cluster.KindMprobe, s.ctx, s.peer, s.tag)
		if !ok {
			k++
			continue
		}
		r.probes = append(r.probes[:k], r.probes[k+1:]...)
		r.complete(id, r.w.now, d, cause)
		k = 0
	}
}

// deliver gives a message to a receive.
func (w *world) deliver(i int32, r *rank, id uint32) {
	m := &w.msgs[i]
	s := &r.slots.list[id]
	s.class = m.class
	if m.kind == msgAsk {
		m.recv = id
		s.pays = true
		if s.at > w.now {
			m.cause = s.cause
		}
		w.attend(i, r, max(w.now, s.at))
		return
	}
	s.pays = true
	copy(s.bytes(), m.bytes())
	m.drop(w)
	if m.size > s.size {
		s.err = cluster.Truncated
	}
	s.peer, s.tag, s.size = m.src, m.tag, m.size
	cause := m.cause
	w.dropMsg(i)
	r.completed(id, w.now, cause)
}

func received(src, tag int32, size, room int64) cluster.Done {
	d := cluster.Done{Peer: src, Tag: tag, Size: size}
	if size > room {
		d.Err = cluster.Truncated
	}
	return d
}

// recv posts a receive, or takes what has arrived.
func (t *thread) recv(op *cluster.Op) cluster.Handle {
	r := t.r
	if t.w.progress == cluster.ProgressCall && t.id >= 0 && !r.stepping {
		// This call may answer whoever has asked by now; later it is too late.
		t.sync(evResume)
		if len(r.deferred) > 0 {
			t.answer()
		}
	}
	if r.queues.Unexpected() > 0 {
		if i, ok := r.queues.Take(op.Ctx, op.Peer, op.Tag); ok {
			return t.claim(op, int32(i))
		}
	}
	_, id := t.pend(op)
	r.queues.Post(op.Ctx, op.Peer, op.Tag, id)
	return t.pended(op, id)
}

// claim gives a message that waited to a receive that is being posted.
func (t *thread) claim(op *cluster.Op, i int32) cluster.Handle {
	w := t.w
	m := &w.msgs[i]
	if m.kind == msgAsk {
		s, id := t.pend(op)
		s.class, s.pays = m.class, true
		m.recv = id
		if a := t.r.actor(t.now, t.cause); a != nil {
			w.handle(i, a)
		} else {
			w.handle(i, t)
		}
		return t.pended(op, id)
	}
	t.pay(w.ways[m.class].o)
	copy(op.Buf, m.bytes())
	m.drop(w)
	d := received(m.src, m.tag, m.size, op.Bytes())
	w.dropMsg(i)
	return t.finish(op, d)
}

// unmatched holds messages that matched probes took, by number.
type unmatched struct {
	held []int32 // message index + 1; 0: free
}

func (r *rank) probe(take bool, ctx, src, tag int32) (cluster.Done, bool) {
	find := r.queues.Peek
	if take {
		find = r.queues.Take
	}
	i, ok := find(ctx, src, tag)
	if !ok {
		return cluster.Done{}, false
	}
	m := &r.w.msgs[i]
	d := cluster.Done{Peer: m.src, Tag: m.tag, Size: m.size, Found: true}
	if take {
		k := 0
		for k < len(r.unmatched.held) && r.unmatched.held[k] != 0 {
			k++
		}
		if k == len(r.unmatched.held) {
			r.unmatched.held = append(r.unmatched.held, 0)
		}
		r.unmatched.held[k] = int32(i) + 1
		d.A = uint64(k) + 1
	}
	return d, true
}

func (t *thread) probing(op *cluster.Op) cluster.Handle {
	take := op.Kind == cluster.KindMprobe || op.Kind == cluster.KindImprobe
	now := op.Kind == cluster.KindIprobe || op.Kind == cluster.KindImprobe
	if t.id >= 0 && !t.r.stepping {
		t.poll()
	}
	d, ok := t.r.probe(take, op.Ctx, op.Peer, op.Tag)
	if ok || now {
		return t.finish(op, d)
	}
	_, id := t.pend(op)
	t.r.probes = append(t.r.probes, id)
	return t.pended(op, id)
}

// mrecv receives a message that a matched probe took.
func (t *thread) mrecv(op *cluster.Op) cluster.Handle {
	k := op.A - 1
	if op.A == 0 || k >= uint64(len(t.r.unmatched.held)) || t.r.unmatched.held[k] == 0 {
		return t.finish(op, cluster.Done{Err: cluster.NoMessage})
	}
	i := t.r.unmatched.held[k] - 1
	t.r.unmatched.held[k] = 0
	return t.claim(op, i)
}
