package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// arrive processes the event of a message at its target.
func (w *world) arrive(i int32) {
	m := &w.msgs[i]
	r := &w.ranks[m.dst]
	w.countMessage(stepArrive, w.now, m, m.dst, m.src)
	w.trace.reason = NoNote
	switch m.kind {
	case msgEager:
		w.match(i, r)
	case msgRTS:
		r.countArrival()
		w.match(i, r)
	case msgData:
		s := &r.slots.list[m.recv]
		s.set(received(m.src, m.tag, m.size, s.size))
		w.endReceive(i, r, m.recv)
	case msgPut:
		switch {
		case w.stageAtTarget(i):
		case m.more.packed:
			r.countArrival()
			w.handleOrDefer(i, r, w.now)
		default:
			w.land(i, r, w.now)
		}
	case msgGet:
		if m.more.packed {
			r.countArrival()
			w.handleOrDefer(i, r, w.now)
			return
		}
		w.read(i, r)
	case msgAtomic:
		w.countAsPoll(m)
		w.read(i, r)
	case msgReply:
		if !w.stageAtTarget(i) {
			w.countAsPoll(m)
			w.endOneSided(i, r)
		}
	case msgCTS, msgRPC:
		r.countArrival()
		w.handleOrDefer(i, r, w.now)
	}
}

// endReceive frees a delivered message and completes its receive, whose slot has the result. Bytes
// for device memory are copied there first.
func (w *world) endReceive(i int32, r *rank, id uint32) {
	m := &w.msgs[i]
	size, cause := m.size, m.cause
	w.recordArrival(r, id, i)
	w.dropMsg(i)
	if r.slots.list[id].forDevice() {
		r.toDevice(id, w.now, size, cause)
		return
	}
	w.dueThread = r.finishSlot(id, w.now, cause)
}

// endOneSided completes a one-sided operation whose reply has arrived.
func (w *world) endOneSided(i int32, r *rank) {
	m := &w.msgs[i]
	s := &r.slots.list[m.req]
	copy(s.bytes(), m.bytes())
	m.drop(w)
	done := m.more.done
	req := m.req
	cause := m.cause
	w.dropMsg(i)
	s.set(done)
	w.dueThread = r.finishSlot(req, w.now, cause)
}

// handleOrDefer lets the actor of the rank handle a message. Without an actor, the message waits
// for the rank's next call.
func (w *world) handleOrDefer(i int32, r *rank, at cluster.Time) {
	if w.trace.recorder != nil && w.progress == cluster.ProgressCall {
		w.recordBothReady(&w.msgs[i], r.inCall())
	}
	if t := r.actor(at, w.msgs[i].cause); t != nil {
		if w.trace.on && w.onlyCalls && t.now > at && w.trace.reason == NoNote {
			w.trace.reason = NotePoll // it computed until now
		}
		w.handle(i, t)
		return
	}
	r.deferred = append(r.deferred, i)
}

// handle processes a message that needs the target's CPU: RTS, CTS and RPC.
func (w *world) handle(i int32, t *thread) {
	m := &w.msgs[i]
	t.pay(w.net.ways[m.class].o, ofOverhead.class(m.class))
	reason := NoteContinue
	if w.trace.on {
		reason = w.trace.takeReason(m, t.r.id)
	}
	switch m.kind {
	case msgRTS: // m.recv is its receive
		uncopied := int64(0)
		if m.class != cluster.Remote {
			uncopied = w.net.takeUncopied(m)
		}
		if w.net.ways[m.class].pull > 0 && !w.fromDevice(m) && !w.ranks[m.dst].slots.list[m.recv].forDevice() {
			w.pull(i, t, uncopied, reason)
			return
		}
		w.trace.reason = reason
		m.kind = msgCTS
		m.src, m.dst = m.dst, m.src
		w.dispatch(i, t)
	case msgCTS:
		m.kind = msgData
		m.src, m.dst = m.dst, m.src
		if m.class == cluster.Remote {
			w.net.takeUncopied(m)
		}
		if reason == NotePoll {
			w.trace.reason = reason
		}
		w.dispatch(i, w.ranks[m.src].injector(m, t))
	case msgRPC:
		w.trace.reason = reason
		w.call(i, t)
	case msgPut, msgGet:
		w.trace.reason = reason
		w.unpack(i, t)
	default:
		panic("sim: a message that needs no CPU")
	}
}

// pull copies the bytes of a rendezvous from the sender's memory, which the receiver reaches, and
// notifies the sender. uncopied is the number of bytes that wait to be copied; the bytes written
// last are in the sender's cache.
func (w *world) pull(i int32, t *thread, uncopied int64, reason Note) {
	m := &w.msgs[i]
	way := &w.net.ways[m.class]
	send, recv := &w.ranks[m.src].slots.list[m.req], &w.ranks[m.dst].slots.list[m.recv]
	if w.trace.recorder != nil {
		w.recordPull(m, t)
	}
	why := ofPull
	if uncopied > way.cached {
		why = ofUncached
	}
	if w.trace.on {
		w.trace.ofRank(orderMoved, m.src, uint64(why))
	}
	class := m.class
	t.spend(way.pullTime(uncopied, min(m.size, recv.size)), why.class(class))
	copy(recv.bytes(), send.bytes())
	recv.set(received(m.src, m.tag, m.size, recv.size))
	recv.fee, recv.cause = feeNone, t.cause
	send.set(cluster.Done{Peer: m.dst, Tag: m.tag, Size: m.size})
	send.cause = w.trace.charge(w.trace.because(t.cause, reason, NoResource, m.dst), way.l, ofLatency.class(class), m.dst)
	src := m.src
	req := m.req
	dst := m.dst
	into := m.recv
	done := t.now
	w.dropMsg(i)
	w.completeAt(done, dst, into)
	w.completeAt(done+way.l, src, req)
}

// injector returns the thread that injects the bytes of a send whose CTS t has received: the thread
// that waits for the send, if there is one. If the rank has a progress engine, it is this
// engine.
func (r *rank) injector(m *msg, t *thread) *thread {
	if s := &r.slots.list[m.req]; s.waited && t.id >= 0 {
		waiter := r.threadOf(int(s.waiter))
		r.w.recordBothReady(m, waiter)
		waiter.until(t.now, t.cause)
		return waiter
	}
	return t
}

// match matches a message with a receive, or stores it.
func (w *world) match(i int32, r *rank) {
	m := &w.msgs[i]
	if w.trace.on {
		w.trace.ofRank(orderMoved, m.dst, m.taker())
	}
	if id, ok := r.queues.Arrive(m.ctx, m.src, m.tag); ok {
		w.deliver(i, r, id)
		return
	}
	r.queues.Keep(m.ctx, m.src, m.tag, uint32(i))
	r.checkProbes(m.cause)
}

// deliver delivers a message to a receive.
func (w *world) deliver(i int32, r *rank, id uint32) {
	m := &w.msgs[i]
	s := &r.slots.list[id]
	s.class = m.class
	if m.kind == msgRTS {
		m.recv = id
		s.fee = feeO
		w.trace.reason = NoNote
		if s.at > w.now {
			m.cause = s.cause
			w.trace.reason = NoteReceive
		}
		w.handleOrDefer(i, r, max(w.now, s.at))
		return
	}
	s.fee = feeO
	if w.net.ways[m.class].movedByThreads(m.size) && !s.forDevice() && !w.storedByAdapter(m, s) {
		s.fee = feeEager
	}
	copy(s.bytes(), m.bytes())
	m.drop(w)
	if m.size > s.size {
		s.err = cluster.Truncated
	}
	s.peer = m.src
	s.tag = m.tag
	s.size = m.size
	w.endReceive(i, r, id)
}

// storedByAdapter reports whether an adapter stores the bytes of an eager message directly, because
// it finds the receive posted.
func (w *world) storedByAdapter(m *msg, s *slot) bool {
	if w.progress != cluster.ProgressOffload || m.class != cluster.Remote {
		return false
	}
	if w.trace.on {
		w.trace.ofRank(orderHandled, m.dst, m.taker()<<1|uint64(min(max(w.now-s.at, 0), 1)))
	}
	return s.at <= w.now
}

// received returns the result of a receive with a buffer of capacity bytes.
func received(src, tag int32, size, capacity int64) cluster.Done {
	d := cluster.Done{Peer: src, Tag: tag, Size: size}
	if size > capacity {
		d.Err = cluster.Truncated
	}
	return d
}

// recv posts a receive, or takes an arrived message.
func (t *thread) recv(op *cluster.Op) cluster.Handle {
	r := t.r
	if op.From == cluster.DeviceMemory {
		t.pay(t.w.devices.messageTime, ofDeviceMessage)
	}
	device := t.w.staged && op.From == cluster.DeviceMemory
	if device && t.id >= 0 && !r.stepping {
		t.sync(evResume) // the path to the device is reserved in the order of time
	}
	if r.queues.Unexpected() > 0 {
		if i, ok := r.queues.Take(op.Ctx, op.Peer, op.Tag); ok {
			return t.claim(op, int32(i))
		}
	}
	s, id := t.takeSlot(op)
	if device {
		s.toDevice()
	}
	r.queues.Post(op.Ctx, op.Peer, op.Tag, id)
	return t.postResult(op, id)
}

// claim delivers a stored message to a receive that is being posted.
func (t *thread) claim(op *cluster.Op, i int32) cluster.Handle {
	w := t.w
	m := &w.msgs[i]
	if m.kind == msgRTS {
		s, id := t.takeSlot(op)
		s.peer = m.src // a matched receive has no envelope
		s.ctx = m.ctx
		s.tag = m.tag
		s.class, s.fee = m.class, feeO
		if w.staged && op.From == cluster.DeviceMemory {
			s.toDevice()
		}
		m.recv = id
		w.trace.reason = NoteReceive
		if a := t.r.actor(t.now, t.cause); a != nil {
			w.handle(i, a)
		} else {
			w.handle(i, t)
		}
		return t.postResult(op, id)
	}
	device := w.staged && op.From == cluster.DeviceMemory
	way := &w.net.ways[m.class]
	t.spend(way.overhead(m.size), way.overheadConstant(m.size).class(m.class))
	if way.copy > 0 && !device {
		t.payCopies(m.class, 1, m.size)
	}
	copy(op.Buf, m.bytes())
	m.drop(w)
	d := received(m.src, m.tag, m.size, op.Bytes())
	if t.lane != nil {
		t.r.recordTaken(entryOf(&w.trace.voyages, int(i)), t.number, t.now)
	}
	w.dropMsg(i)
	if device {
		s, id := t.takeSlot(op)
		s.set(d)
		t.r.toDevice(id, t.now, d.Size, t.cause)
		return t.postResult(op, id)
	}
	return t.finish(op, d)
}
