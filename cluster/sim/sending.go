package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// send starts a message.
func (t *thread) send(op *cluster.Op) cluster.Handle {
	w, n := t.w, op.Bytes()
	class := w.net.class(t.r.id, op.Peer)
	i, m := w.newMsg()
	m.class = class
	m.src = t.r.id
	m.dst = op.Peer
	m.ctx = op.Ctx
	m.tag = op.Tag
	m.size = n
	way := &w.net.ways[class]
	if op.From == cluster.DeviceMemory {
		t.pay(w.devices.messageTime, ofDeviceMessage)
	}
	if !w.isEager(op.Ctx, n) || op.Kind == cluster.KindSsend {
		t.pay(way.o, ofOverhead.class(class))
		_, req := t.takeSlot(op)
		m.kind, m.req = msgRTS, req
		if w.staged && op.From == cluster.DeviceMemory {
			m.more = w.transfer()
			m.more.from = op.From
		}
		w.net.countUncopied(m)
		w.dispatch(i, t)
		return t.postResult(op, req)
	}
	t.pay(way.overhead(n), way.overheadConstant(n).class(class))
	m.kind = msgEager
	m.hold(w, op.Buf)
	if way.copy > 0 && op.From == cluster.HostMemory {
		t.payCopies(class, 1, n)
	}
	if w.staged && op.From == cluster.DeviceMemory { // complete when the bytes are in host memory
		_, source := t.takeSlot(op)
		m.more = w.transfer()
		m.more.from, m.more.source = op.From, source+1
		w.dispatch(i, t)
		return t.postResult(op, source)
	}
	w.dispatch(i, t)
	setResult(op, cluster.Done{Peer: op.Peer, Tag: op.Tag, Size: n})
	if op.Then != nil {
		t.queueContinuation(op)
	}
	return 0
}

// payCopies charges a thread for copying a number of messages of n bytes into or out of the eager
// buffer. Inline messages need no copy. An adapter that makes progress by itself copies for free.
func (t *thread) payCopies(class cluster.Class, many, n int64) {
	way := &t.w.net.ways[class]
	if n > way.inline && !(t.id < 0 && t.w.progress == cluster.ProgressOffload) {
		t.spend(cluster.Time(many)*way.copy.time(n), ofCopy.class(class))
	}
}
