package sim

import (
	"encoding/binary"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

func (r *rank) within(off, n int64) bool {
	return off >= 0 && n >= 0 && n <= int64(len(r.seg)) && off <= int64(len(r.seg))-n
}

// checkWord checks that an aligned word is at off.
func (r *rank) checkWord(off int64) cluster.Code {
	switch {
	case !r.within(off, 8):
		return cluster.OutOfSegment
	case off&7 != 0:
		return cluster.Misaligned
	}
	return cluster.OK
}

// checkRange checks that a put or a get fits: a size-only transfer into the machine's segment,
// other transfers into the existing bytes.
func (r *rank) checkRange(op *cluster.Op) cluster.Code {
	n, extent := op.Bytes(), int64(len(r.seg))
	if op.Buf == nil {
		extent = r.w.spec.Extent()
	}
	if op.Shape != nil {
		if !op.Shape.Within(extent) || op.Shape.Bytes() != n {
			return cluster.OutOfSegment
		}
		return cluster.OK
	}
	fits := func(off, n int64) bool { return off >= 0 && n >= 0 && n <= extent && off <= extent-n }
	if op.Vec == nil {
		if !fits(op.Off, n) {
			return cluster.OutOfSegment
		}
		return cluster.OK
	}
	for _, s := range op.Vec {
		if !fits(s.Off, s.Len) {
			return cluster.OutOfSegment
		}
	}
	return cluster.OK
}

// checkTarget checks that a put or a get fits, and the flag of a put with signal.
func (r *rank) checkTarget(op *cluster.Op) cluster.Code {
	code := r.checkRange(op)
	if code == cluster.OK && op.Kind == cluster.KindPut && op.SigOp != cluster.SigNone {
		return r.checkWord(op.Sig)
	}
	return code
}

func (r *rank) load(off int64) uint64     { return binary.NativeEndian.Uint64(r.seg[off:]) }
func (r *rank) store(off int64, v uint64) { binary.NativeEndian.PutUint64(r.seg[off:], v) }

// move copies between a segment and packed bytes.
func (r *rank) move(off int64, vec []cluster.Span, shape *cluster.Strided, buf []byte, in bool) {
	if shape != nil {
		packed := shape.Packed()
		packed.Copy(r.seg, buf, in)
		return
	}
	if vec == nil {
		vec = []cluster.Span{{Off: off, Len: int64(len(buf))}}
	}
	for _, s := range vec {
		n := min(s.Len, int64(len(buf)))
		if in {
			copy(r.seg[s.Off:], buf[:n])
		} else {
			copy(buf[:n], r.seg[s.Off:])
		}
		buf = buf[n:]
	}
}

// newOneSided returns the message of a one-sided operation and its slot at the initiator.
func (t *thread) newOneSided(op *cluster.Op, kind msgKind, class cluster.Class, n int64) (int32, uint32) {
	w := t.w
	train := int32(1)
	if op.Kind == cluster.KindPut && op.Train > 1 {
		train = op.Train
	}
	t.pay(cluster.Time(train)*w.net.ways[class].o, ofOverhead.class(class))
	_, id := t.takeSlot(op)
	i, m := w.newMsg()
	m.train = uint16(train)
	m.kind = kind
	m.class = class
	m.src = t.r.id
	m.dst = op.Peer
	m.size = n
	m.req = id
	x := w.transfer()
	x.off = op.Off
	x.a = op.A
	x.b = op.B
	x.arg = op.Arg
	x.done.Peer = op.Peer
	x.done.Size = n
	m.more = x
	if kind == msgPut || kind == msgGet { // only these kinds have a memory kind
		m.more.from, m.more.to = op.From, op.To
		m.more.packed = op.Packed()
		if op.Shape != nil && op.Buf != nil {
			shape := *op.Shape
			m.more.shape = &shape
		}
	}
	return i, id
}

// classOf returns the class of a put or a get. Inside a node it may also use the adapter.
func (t *thread) classOf(op *cluster.Op) cluster.Class {
	if op.Path == cluster.PathAdapter {
		t.w.minTransit = min(t.w.minTransit, t.w.net.ways[cluster.Remote].l)
		return cluster.Remote
	}
	return t.w.net.class(t.r.id, op.Peer)
}

// payPacking charges the thread that packs or unpacks n bytes. This may be the rank's progress
// engine, because adapters do not pack.
func (t *thread) payPacking(n int64) {
	t.spend(t.w.net.ways[cluster.Remote].copy.time(n), ofCopy.class(cluster.Remote))
}

// buffered reports whether a put of n bytes is first copied from its source.
func (p *protocol) buffered(n int64, from cluster.Memory) bool {
	return n <= p.eager && from == cluster.HostMemory
}

// put sends bytes to a segment. Up to the eager limit the bytes are copied, and local completion is
// immediate. Above the limit, local completion is when the last byte has left, or from device
// memory when the bytes are in host memory. The operation is complete when the target's
// acknowledgement has arrived.
func (t *thread) put(op *cluster.Op) cluster.Handle {
	w, n := t.w, op.Bytes()
	op.Source = 0
	if code := w.ranks[op.Peer].checkTarget(op); code != cluster.OK {
		return t.finish(op, cluster.Done{Peer: op.Peer, Size: n, Err: code})
	}
	class := t.classOf(op)
	t.payPut(op, n, class)
	then := op.Then
	local := op.Early && then != nil // the continuation runs at local completion
	if local {
		op.Then = noContinuation{}
	}
	i, id := t.newOneSided(op, msgPut, class, n)
	m := &w.msgs[i]
	m.hold(w, op.Buf)
	m.more.vec = slices.Clone(op.Vec)
	m.more.sig = op.Sig
	m.more.sigOp = op.SigOp
	m.more.fn = op.Fn
	immediate := n <= w.eager && !(w.staged && op.From == cluster.DeviceMemory) // local completion
	switch {
	case immediate:
	case local:
		op.Then = then
		_, source := t.takeSlot(op)
		m.more.source = source + 1
	case then == nil:
		s, source := t.r.slots.take(cluster.KindPut)
		s.peer = op.Peer
		s.ctx = op.Ctx
		s.tag = op.Tag
		s.size = n
		s.at = t.now
		s.cause = t.cause
		m.more.source = source + 1
		op.Source = t.r.slots.handle(source)
	}
	w.dispatch(i, t)
	if !local {
		return t.postResult(op, id)
	}
	op.Then = then
	if immediate {
		t.finish(op, cluster.Done{Peer: op.Peer, Size: n})
	}
	return 0
}

// payPut charges a thread for packing the pieces of a put, or for copying its bytes.
func (t *thread) payPut(op *cluster.Op, n int64, class cluster.Class) {
	if op.Packed() {
		t.payPacking(n)
		return
	}
	way, messages := &t.w.net.ways[cluster.Remote], int64(max(op.Train, 1))
	one := n / messages
	if class == cluster.Remote && way.copy > 0 && t.w.buffered(one, op.From) {
		t.payCopies(cluster.Remote, messages, one)
	}
}

// noContinuation is the continuation of an operation without a waiter.
type noContinuation struct{}

func (noContinuation) Step(cluster.Poster, int32, cluster.Done) {}

// land writes a put at its target, at a time.
func (w *world) land(i int32, r *rank, at cluster.Time) {
	m := &w.msgs[i]
	x := m.more
	if w.trace.on {
		w.trace.ofRank(orderSegment, r.id, m.taker())
	}
	if b := m.bytes(); b != nil {
		r.move(x.off, x.vec, x.shape, b, true)
		m.drop(w)
	}
	r.signal(x.sigOp, x.sig, x.a)
	cause := m.cause
	if x.fn != 0 {
		m.kind = msgRPC
		if !x.packed {
			r.countArrival()
		}
		w.handleOrDefer(i, r, at)
	} else {
		w.reply(i, at, 1)
	}
	r.checkAwaits(at, cause)
}

// unpack stores the pieces of a put, or gathers the pieces of a get, on an actor's clock.
func (w *world) unpack(i int32, t *thread) {
	m := &w.msgs[i]
	t.spend(w.handlerTime, ofHandler)
	t.payPacking(m.size)
	m.cause = t.cause
	if at := max(t.now, w.now); m.kind == msgPut {
		w.land(i, t.r, at)
	} else {
		w.gather(i, t.r, at)
	}
}

// gather reads the bytes of a get and sends them back at a time.
func (w *world) gather(i int32, r *rank, at cluster.Time) {
	m := &w.msgs[i]
	if s := &w.ranks[m.src].slots.list[m.req]; s.bytes() != nil {
		m.hold(w, s.bytes())
		r.move(m.more.off, m.more.vec, m.more.shape, m.bytes(), false)
	}
	w.reply(i, at, m.size)
}

// signal changes the flag of a put with signal.
func (r *rank) signal(how cluster.SigOp, off int64, v uint64) {
	switch how {
	case cluster.SigAdd:
		r.store(off, r.load(off)+v)
	case cluster.SigSet:
		r.store(off, v)
	}
}

// reply sends a one-sided message back to its initiator at a time: through the
// target's adapter if it brings bytes from another node, at once inside a node.
func (w *world) reply(i int32, at cluster.Time, wire int64) {
	m := &w.msgs[i]
	if m.kind == msgGet { // the bytes go in the other direction
		m.more.from, m.more.to = m.more.to, m.more.from
	} else { // no bytes
		m.more.from, m.more.to = cluster.HostMemory, cluster.HostMemory
	}
	m.kind = msgReply
	m.more.reply = wire
	if w.trace.on {
		m.cause = w.trace.giveReason(m.cause, NoteReply, m.dst)
	}
	m.train = 0
	m.phase = 0
	m.staged = false
	m.src, m.dst = m.dst, m.src
	if m.isPoll() {
		w.realEvents--
	}
	if m.class != cluster.Remote {
		if w.fromDevice(m) {
			at, m.cause = w.stage(m.src, at, wire, m.cause)
		}
		w.push(at, evArrive, i)
		return
	}
	short := wire <= 1 && !w.fromDevice(m)
	m.thread = noThread // the adapter sends it, without a thread's limit
	if short {
		m.cause = w.trace.charge(m.cause, w.net.ways[m.class].l, ofLatency.class(m.class), m.src)
		w.push(at+w.net.ways[m.class].l, evArrive, i)
		return
	}
	w.push(at, evInject, i)
}

// get requests bytes. For another node, a request is sent first.
func (t *thread) get(op *cluster.Op) cluster.Handle {
	w, n := t.w, op.Bytes()
	if code := w.ranks[op.Peer].checkTarget(op); code != cluster.OK {
		return t.finish(op, cluster.Done{Peer: op.Peer, Size: n, Err: code})
	}
	i, id := t.newOneSided(op, msgGet, t.classOf(op), n)
	w.msgs[i].more.vec = slices.Clone(op.Vec)
	if op.Packed() {
		t.r.slots.list[id].fee = feeUnpack
	}
	w.dispatch(i, t)
	return t.postResult(op, id)
}

func (t *thread) atomic(op *cluster.Op) cluster.Handle {
	if code := t.w.ranks[op.Peer].checkWord(op.Off); code != cluster.OK {
		return t.finish(op, cluster.Done{Peer: op.Peer, Size: 8, Err: code})
	}
	again := t.reloads(op)
	i, id := t.newOneSided(op, msgAtomic, t.w.net.class(t.r.id, op.Peer), 8)
	t.w.msgs[i].more.isPoll = again
	t.w.dispatch(i, t)
	return t.postResult(op, id)
}

// read reads the target's segment for a get or an atomic. Atomics on one rank are serialized.
func (w *world) read(i int32, r *rank) {
	m := &w.msgs[i]
	x := m.more
	if m.kind == msgGet {
		w.gather(i, r, w.now)
		return
	}
	cause := m.cause
	if tr := &w.trace; tr.on {
		m.cause = tr.wait(w.now, cause, r.atomics, tr.atomics[r.id], AtomicWord, m.src)
		m.cause = tr.charge(m.cause, w.atomicTime, ofAtomic, m.dst)
		tr.setAtomic(r.id, m.cause, m.src)
	}
	at := max(w.now, r.atomics) + w.atomicTime
	r.atomics = at
	x.done.A = r.change(x.off, cluster.AtomicOp(x.arg), x.a, x.b)
	w.reply(i, at, 1)
	r.checkAwaits(w.now, cause)
}

// change runs an atomic on a word, and returns the old word.
func (r *rank) change(off int64, op cluster.AtomicOp, a, b uint64) uint64 {
	old := r.load(off)
	switch op {
	case cluster.AtomicStore, cluster.AtomicSwap:
		r.store(off, a)
	case cluster.AtomicAdd:
		r.store(off, old+a)
	case cluster.AtomicCompare:
		if old == b {
			r.store(off, a)
		}
	}
	return old
}

// await completes when the comparison of the local word holds.
func (t *thread) await(op *cluster.Op) cluster.Handle {
	r := t.r
	if code := r.checkWord(op.Off); code != cluster.OK {
		return t.finish(op, cluster.Done{Peer: r.id, Err: code, Size: 8})
	}
	if t.id >= 0 && !r.stepping {
		t.sync(evResume)
	}
	if v := r.load(op.Off); cluster.Cmp(op.Arg).Holds(v, op.A) {
		return t.finish(op, cluster.Done{Peer: r.id, A: v, Size: 8})
	}
	_, id := t.takeSlot(op)
	r.awaits = append(r.awaits, id)
	return t.postResult(op, id)
}

// checkAwaits completes the awaits whose comparison now holds, at a time.
func (r *rank) checkAwaits(at cluster.Time, cause int32) {
	for i := 0; i < len(r.awaits); {
		id := r.awaits[i]
		s := &r.slots.list[id]
		v := r.load(s.more.off)
		if !cluster.Cmp(s.more.arg).Holds(v, s.more.a) {
			i++
			continue
		}
		r.awaits = append(r.awaits[:i], r.awaits[i+1:]...)
		r.complete(id, at, cluster.Done{Peer: r.id, A: v, Size: 8}, cause)
		i = 0 // complete may have resumed the rank, which may have posted another await
	}
}

// rpc sends a call to its target.
func (t *thread) rpc(op *cluster.Op) cluster.Handle {
	n := op.Bytes()
	i, id := t.newOneSided(op, msgRPC, t.w.net.class(t.r.id, op.Peer), n)
	m := &t.w.msgs[i]
	m.more.fn, m.more.data = op.Fn, op.Buf
	t.w.dispatch(i, t)
	return t.postResult(op, id)
}

// call runs an RPC's body at its target, on an actor's clock.
func (w *world) call(i int32, t *thread) {
	t.spend(w.handlerTime, ofHandler)
	m := &w.msgs[i]
	x, src := m.more, m.src
	r := t.r
	was := r.stepping
	r.stepping = true
	w.acting = r.id
	reason := w.trace.reason
	w.trace.reason = NoNote
	a, ok := r.serve(cluster.RPC{Poster: inside{t}, Src: src, Fn: x.fn, Arg: x.arg, Data: x.data})
	r.stepping = was
	x.done.Peer, x.done.A = r.id, a
	if !ok {
		x.done.Err = cluster.NoFunction
	}
	m = &w.msgs[i] // the body may have posted
	x.data = nil
	m.cause = t.cause
	w.trace.reason = reason
	w.reply(i, max(t.now, w.now), 1)
	if w.running == nil {
		r.runSteps(t)
	}
}

// event makes an event that completes after a number of fires.
func (t *thread) event(op *cluster.Op) cluster.Handle {
	s, id := t.takeSlot(op)
	s.more.left = int64(max(op.Arg, 1))
	return t.postResult(op, id)
}

// fire fires an event of this rank.
func (t *thread) fire(op *cluster.Op) cluster.Handle {
	s := t.r.slots.find(op.Event)
	if s.kind != cluster.KindEvent {
		panic("sim: fire of a handle that is not an event")
	}
	if s.more.left--; s.more.left == 0 {
		t.r.complete(uint32(op.Event), max(t.now, t.w.now), cluster.Done{Peer: t.r.id}, t.cause)
	}
	op.Done = cluster.Done{}
	return 0
}
