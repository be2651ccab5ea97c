package live

import (
	"encoding/binary"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// isEager reports whether a message of n bytes may leave before its receive is posted. A limit of 0
// makes every send of the program synchronous. Empty messages in the contexts of collectives, which
// are odd, are always eager.
func (w *world) isEager(ctx int32, n int64) bool {
	return n <= w.eager && (w.eager > 0 || ctx&1 == 1)
}

// batchCells is the maximum number of unpublished cells to one rank. The next call that waits,
// tests, probes or computes publishes them.
const batchCells = 16

// send starts a message.
func (e *engine) send(op *cluster.Op) cluster.Handle {
	n := op.Bytes()
	if !e.w.isEager(op.Ctx, n) || op.Kind == cluster.KindSsend {
		s := e.takeSlot(op)
		p := e.message()
		p.kind = parcelRTS
		p.src = e.id
		p.dst = op.Peer
		p.ctx = op.Ctx
		p.tag = op.Tag
		p.size = n
		p.req, p.from = s, e
		p.batch = op.Batch && !e.mustPublish()
		p.fromDevice = e.w.staged && op.From == cluster.DeviceMemory
		e.w.transport.carry(e, p, 0)
		return postResult(s)
	}
	done := cluster.Done{Peer: op.Peer, Tag: op.Tag, Size: n}
	if n <= inlineBytes && (op.Buf != nil || n == 0) && op.Tag <= maxField && op.Ctx <= maxField {
		r := e.ringTo(op.Peer)
		if r != nil && !r.spilled.Load() && e.waitForCells(r, cellsOf(int(n))) {
			batch := op.Batch && !e.mustPublish()
			if r.batch == 0 && batch {
				e.batch = append(e.batch, r)
			}
			if n == 8 {
				r.put(cellFirst, 8, op.Ctx, op.Tag, binary.NativeEndian.Uint64(op.Buf))
			} else {
				r.putBytes(op.Ctx, op.Tag, op.Buf)
			}
			if !batch || r.batch >= batchCells {
				e.publish(r)
			}
			return e.finish(op, done)
		}
	}
	if n <= far.MaxPacked && e.w.remote != nil && e.w.remote.pack(e, op, n) {
		return e.finish(op, done)
	}
	p := e.message()
	p.kind = parcelEager
	p.src = e.id
	p.dst = op.Peer
	p.ctx = op.Ctx
	p.tag = op.Tag
	p.size = n
	if op.Buf != nil {
		p.hold(op.Buf)
	}
	p.fromDevice = e.w.staged && op.From == cluster.DeviceMemory
	e.w.transport.carry(e, p, n)
	return e.finish(op, done)
}

// unmatchedMessage is a message without a receive yet.
type unmatchedMessage struct {
	src, ctx, tag int32
	size          int64
	data          [inlineBytes]byte
	parcel        *parcel // nil: data has the bytes
	next          uint32  // of the free list, index + 1
	claimed       bool    // taken by a matched probe
}

// unmatched is the table of such messages. The matching queues have indices into it.
type unmatched struct {
	list []unmatchedMessage
	free uint32
}

func (u *unmatched) add(m unmatchedMessage) uint32 {
	if u.free != 0 {
		i := u.free - 1
		u.free = u.list[i].next
		u.list[i] = m
		return i
	}
	u.list = append(u.list, m)
	return uint32(len(u.list) - 1)
}

func (u *unmatched) drop(i uint32) {
	u.list[i] = unmatchedMessage{next: u.free}
	u.free = i + 1
}

func (m *unmatchedMessage) envelope() cluster.Done {
	return cluster.Done{Peer: m.src, Tag: m.tag, Size: m.size, Found: true}
}

// recv posts a receive, or takes an arrived message.
func (e *engine) recv(op *cluster.Op) cluster.Handle {
	if e.queues.Unexpected() > 0 {
		if i, ok := e.queues.Take(op.Ctx, op.Peer, op.Tag); ok {
			return e.claim(op, i)
		}
	}
	s := e.takeSlot(op)
	s.toDevice = e.w.staged && op.From == cluster.DeviceMemory
	e.queues.Post(op.Ctx, op.Peer, op.Tag, s.index)
	return postResult(s)
}

// mrecv receives a message that a matched probe took.
func (e *engine) mrecv(op *cluster.Op) cluster.Handle {
	n := uint64(uint32(op.A))
	i := uint32(n - 1)
	if n == 0 || n > uint64(len(e.unmatched.list)) || !e.unmatched.list[i].claimed {
		return e.finish(op, cluster.Done{Err: cluster.NoMessage})
	}
	return e.claim(op, i)
}

// claim delivers unmatched message i to a receive that is being posted.
func (e *engine) claim(op *cluster.Op, i uint32) cluster.Handle {
	m := &e.unmatched.list[i]
	device := e.w.staged && op.From == cluster.DeviceMemory
	if p := m.parcel; p != nil && p.kind == parcelRTS {
		e.unmatched.drop(i)
		if d, moved := e.w.transport.moveMatched(e, p, op.Buf, op.Bytes()); moved {
			return e.finish(op, d)
		}
		s := e.takeSlot(op)
		s.peer = p.src // a matched receive names none
		s.ctx = p.ctx
		s.tag = p.tag
		s.toDevice = device
		p.peerArrival = 0
		e.sendCTS(p, s)
		return postResult(s)
	}
	d := received(m.src, m.tag, m.size, op.Bytes())
	if m.parcel != nil {
		e.w.transport.charge(e, nil, m.parcel)
		copy(op.Buf, m.parcel.buf)
		e.release(m.parcel)
	} else {
		copy(op.Buf, m.data[:m.size])
	}
	e.unmatched.drop(i)
	if device {
		s := e.takeSlot(op)
		e.w.transport.toDevice(e, s, d)
		return postResult(s)
	}
	return e.finish(op, d)
}

func received(src, tag int32, size, capacity int64) (d cluster.Done) {
	d.Peer, d.Tag, d.Size = src, tag, size
	if size > capacity {
		d.Err = cluster.Truncated
	}
	return d
}

// sendCTS answers a rendezvous whose receive is posted: the sender may send.
func (e *engine) sendCTS(p *parcel, s *slot) {
	p.kind, p.recv = parcelCTS, s
	p.src, p.dst = p.dst, p.src
	e.w.transport.carry(e, p, 0)
}

// sendBytes sends the bytes of a rendezvous after its CTS.
func (e *engine) sendBytes(p *parcel) {
	p.kind = parcelData
	p.src, p.dst = p.dst, p.src
	e.w.transport.carry(e, p, p.size)
}

// completeFrom finishes a slot of this engine from another goroutine. A detached operation runs its
// continuation on this engine.
func (e *engine) completeFrom(s *slot, d cluster.Done) {
	s.done = d
	if s.detached {
		p := newParcel()
		p.kind = parcelComplete
		p.req = s
		p.from = e
		e.main.deliver(p)
		return
	}
	s.doneOutside.Store(s.gen)
	e.alert()
}

// arriveInline receives a small message from the cells at the ring's position.
func (e *engine) arriveInline(r *ring, h uint64) {
	ctx := headCtx(h)
	tag := headTag(h)
	size := headSize(h)
	var data [inlineBytes]byte
	if id, ok := e.queues.Arrive(ctx, r.src, tag); ok {
		s := e.slots.at(id)
		d := cluster.Done{Peer: r.src, Tag: tag, Size: int64(size)}
		if size == 8 && len(s.buf) >= 8 {
			binary.NativeEndian.PutUint64(s.buf, r.cells[r.pos&r.mask].data)
		} else {
			if int64(size) > s.size {
				d.Err = cluster.Truncated
			}
			r.getBytes(data[:size])
			copy(s.buf, data[:size])
		}
		r.consumed(cellsOf(size))
		e.complete(s, d)
		return
	}
	m := unmatchedMessage{src: r.src, ctx: ctx, tag: tag, size: int64(size)}
	r.getBytes(m.data[:size])
	r.consumed(cellsOf(size))
	e.keep(m)
}

// arrive receives a message that arrived as a parcel.
func (e *engine) arrive(p *parcel) {
	if id, ok := e.queues.Arrive(p.ctx, p.src, p.tag); ok {
		s := e.slots.at(id)
		switch {
		case p.kind == parcelEager:
			d := received(p.src, p.tag, p.size, s.size)
			copy(s.buf, p.buf)
			s.peerArrival = p.peerArrival
			e.w.transport.charge(e, s, p)
			e.release(p)
			e.completeReceive(s, d)
		default:
			if d, moved := e.w.transport.moveMatched(e, p, s.buf, s.size); moved {
				if e.w.wire != nil {
					s.at = e.cpu.at
				}
				e.complete(s, d)
			} else {
				e.sendCTS(p, s)
			}
		}
		return
	}
	e.keep(unmatchedMessage{src: p.src, ctx: p.ctx, tag: p.tag, size: p.size, parcel: p})
}

// keep stores a message without a receive, and completes waiting probes.
func (e *engine) keep(m unmatchedMessage) {
	i := e.unmatched.add(m)
	e.queues.Keep(m.ctx, m.src, m.tag, i)
	for k := 0; k < len(e.probes); k++ {
		s := e.probes[k]
		if d, ok := e.findMessage(s.kind == cluster.KindMprobe, s.ctx, s.peer, s.tag); ok {
			e.probes = append(e.probes[:k], e.probes[k+1:]...)
			k--
			e.complete(s, d)
		}
	}
}

// findMessage looks for a message. With take it removes the message from the queue and returns its
// number.
func (e *engine) findMessage(take bool, ctx, src, tag int32) (cluster.Done, bool) {
	if !take {
		i, ok := e.queues.Peek(ctx, src, tag)
		if !ok {
			return cluster.Done{}, false
		}
		return e.unmatched.list[i].envelope(), true
	}
	i, ok := e.queues.Take(ctx, src, tag)
	if !ok {
		return cluster.Done{}, false
	}
	e.unmatched.list[i].claimed = true
	d := e.unmatched.list[i].envelope()
	d.A = uint64(e.vci)<<32 | uint64(i) + 1
	return d, true
}

// startProbe runs the four kinds of probes.
func (e *engine) startProbe(op *cluster.Op) cluster.Handle {
	take := op.Kind == cluster.KindMprobe || op.Kind == cluster.KindImprobe
	d, ok := e.findMessage(take, op.Ctx, op.Peer, op.Tag)
	if !ok {
		e.progress()
		d, ok = e.findMessage(take, op.Ctx, op.Peer, op.Tag)
	}
	if ok || op.Kind == cluster.KindIprobe || op.Kind == cluster.KindImprobe {
		return e.finish(op, d)
	}
	s := e.takeSlot(op)
	e.probes = append(e.probes, s)
	return postResult(s)
}
