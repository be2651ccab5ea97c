package live

import (
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// usesRing implements transport: all messages pass the wire.
func (x *wire) usesRing(int32, int32) bool { return false }

// carry implements transport.
func (x *wire) carry(_ *engine, p *parcel, n int64) {
	if p.peerArrival == 0 { // the sender has arrived; a later receiver updates the time
		p.peerArrival = x.now()
	}
	x.send(p, p.src, p.dst, n)
}

// moveMatched implements transport: the bytes are sent separately.
func (x *wire) moveMatched(*engine, *parcel, []byte, int64) (d cluster.Done, moved bool) {
	return d, false
}

// inPlace implements transport.
func (x *wire) inPlace() bool { return false }

// reaches implements transport: loads and stores of an emulated machine reach only the node.
func (x *wire) reaches(from, to int32) bool { return x.w.node[from] == x.w.node[to] }

// transfer returns the parcel of a one-sided operation, which completes slot s. s is nil for all
// messages of a train except the last.
func (x *wire) transfer(e *engine, s *slot, op *cluster.Op, kind parcelKind, n int64) *parcel {
	p := newParcel()
	p.kind = kind
	p.src = e.id
	p.dst = op.Peer
	p.req = s
	p.from = e
	p.size = n
	p.off = op.Off
	p.a = op.A
	p.b = op.B
	p.arg = op.Arg
	if kind != parcelAtomic {
		p.vec = slices.Clone(op.Vec)
		if op.Shape != nil && op.Buf != nil {
			shape := *op.Shape
			p.shape = &shape
		}
		p.adapter = op.Path == cluster.PathAdapter
		p.fromDevice = x.w.staged && op.From == cluster.DeviceMemory
		p.toDevice = x.w.staged && op.To == cluster.DeviceMemory
		if kind == parcelGet { // the bytes go in the other direction
			p.fromDevice, p.toDevice = p.toDevice, p.fromDevice
		}
	}
	p.done = cluster.Done{Peer: op.Peer, Size: n}
	return p
}

// put sends bytes to a segment. They are copied here, so local completion is immediate.
func (x *wire) put(e *engine, op *cluster.Op, n int64) cluster.Handle {
	then := op.Then
	early := op.Early && then != nil
	if early {
		op.Then = noContinuation{}
	}
	s := e.takeSlot(op)
	if op.Train > 1 {
		x.train(e, s, op)
	} else {
		p := x.newPut(e, s, op, n)
		p.sig = op.Sig
		p.sigOp = op.SigOp
		p.fn = op.Fn
		if op.Packed() {
			copies := x.copyTime(n)
			now := x.now()
			e.workEnd = max(e.workEnd, now) + copies
			p.packing, p.handling = e.workEnd-now, x.wallTime(x.w.spec.Machine.HandlerTime)+copies
		}
		x.send(p, e.id, op.Peer, n)
	}
	if early {
		op.Then = then
		return e.finish(op, cluster.Done{Peer: op.Peer, Size: n})
	}
	return postResult(s)
}

// newPut returns the parcel of a put, with a copy of its bytes.
func (x *wire) newPut(e *engine, s *slot, op *cluster.Op, n int64) *parcel {
	p := x.transfer(e, s, op, parcelPut, n)
	if op.Buf != nil {
		p.hold(op.Buf)
	}
	return p
}

// train sends each block of a packet train as a separate message. Messages between two ranks arrive
// in order, so the last one signals, runs the function and completes the put.
func (x *wire) train(e *engine, s *slot, op *cluster.Op) {
	left, n := op.Shape.Blocks(), op.Bytes()
	e.eachBlock(op, func(one *cluster.Op) {
		left--
		if left > 0 {
			x.send(x.newPut(e, nil, one, one.Size), e.id, op.Peer, one.Size)
			return
		}
		p := x.newPut(e, s, one, one.Size)
		p.sig = op.Sig
		p.sigOp = op.SigOp
		p.fn = op.Fn
		p.done.Size = n
		x.send(p, e.id, op.Peer, one.Size)
	})
}

// eachBlock calls put with each block of a train as a separate put, without an action.
func (e *engine) eachBlock(op *cluster.Op, put func(one *cluster.Op)) {
	s := op.Shape
	buf := op.Buf
	one := &e.block
	*one = *op
	one.Shape = nil
	one.Train = 0
	one.Size = s.Block
	for j := range max(s.Count[1], 1) {
		for i := range max(s.Count[0], 1) {
			one.Off = s.Far.At(i, j)
			if buf != nil {
				one.Buf, buf = buf[:s.Block:s.Block], buf[s.Block:]
			}
			put(one)
		}
	}
}

// copyTime returns the time to pack or unpack n bytes, in wall ns.
func (x *wire) copyTime(n int64) int64 { return x.wallTime(x.w.spec.Machine.CopyTime(n)) }

// noContinuation is the continuation of an operation without a waiter.
type noContinuation struct{}

func (noContinuation) Step(cluster.Poster, int32, cluster.Done) {}

// land writes a put's bytes at the target, signals, and notifies the initiator.
func (x *wire) land(p *parcel) {
	t := x.w.engines[p.dst]
	t.scatter(p.off, p.vec, p.shape, p.buf)
	if p.sigOp != cluster.SigNone {
		t.signal(p.sig, p.sigOp, p.a)
	}
	if p.fn != 0 {
		if p.pooled != nil {
			p.pooled.free()
		}
		p.kind = parcelRPC
		p.buf = nil
		p.pooled = nil
		t.deliver(p)
		return
	}
	x.answer(p, p.done, 0)
}

// answer completes an operation at its initiator: at once inside a node, a
// message of n bytes later from another one.
func (x *wire) answer(p *parcel, d cluster.Done, n int64) {
	p.kind = parcelComplete
	p.done = d
	p.packing = 0
	p.handling = p.unpack
	if x.classOf(p, p.src, p.dst) != cluster.Remote {
		p.complete()
		return
	}
	x.send(p, p.dst, p.src, n)
}

// complete ends an operation at its initiator. For a train, only the last message does this.
func (p *parcel) complete() {
	if p.req != nil {
		p.from.completeFrom(p.req, p.done)
	}
	p.free()
}

// reply answers an RPC.
func (x *wire) reply(e *engine, p *parcel, d cluster.Done) {
	p.buf = nil
	p.pooled = nil
	p.kind = parcelComplete
	p.done = d
	p.packing = 0
	p.handling = 0
	x.send(p, e.id, p.src, 8)
}

// get requests bytes. Inside a node the bytes take one transfer. For another node a request is sent
// first.
func (x *wire) get(e *engine, op *cluster.Op, n int64) cluster.Handle {
	s := e.takeSlot(op)
	p := x.transfer(e, s, op, parcelGet, n)
	if op.Packed() { // packed by a handler at the target, and unpacked here
		copies := x.copyTime(n)
		p.handling, p.unpack = x.wallTime(x.w.spec.Machine.HandlerTime)+copies, copies
		if x.classOf(p, p.src, p.dst) != cluster.Remote { // immediate inside a node
			p.handling += copies
		}
	}
	x.request(p, n)
	return postResult(s)
}

func (x *wire) request(p *parcel, n int64) {
	if x.classOf(p, p.src, p.dst) == cluster.Remote {
		n = 0
	}
	x.send(p, p.src, p.dst, n)
}

func (x *wire) atomic(e *engine, op *cluster.Op) cluster.Handle {
	s := e.takeSlot(op)
	p := x.transfer(e, s, op, parcelAtomic, 8)
	x.request(p, 8)
	return postResult(s)
}

// read reads the target's segment for a get or an atomic.
func (x *wire) read(p *parcel) {
	t := x.w.engines[p.dst]
	if p.kind == parcelGet {
		t.gather(p.off, p.vec, p.shape, p.req.buf)
	} else {
		p.done.A = t.applyAtomic(&t.words[p.off/8], cluster.AtomicOp(p.arg), p.a, p.b)
	}
	x.answer(p, p.done, p.size)
}

// open completes a barrier after the time of a dissemination: ⌈log2 n⌉ messages after the last rank
// has entered.
func (x *wire) open(b *barrier) (now bool) {
	if len(b.ranks) == 1 {
		return true
	}
	class := cluster.InNode
	for _, r := range b.ranks {
		if x.w.node[r] != x.w.node[b.ranks[0]] {
			class = cluster.Remote
		}
	}
	rounds := cluster.Time(bits.Len(uint(len(b.ranks) - 1)))
	p := newParcel()
	p.kind, p.barrier = parcelBarrier, b
	x.mu.Lock()
	x.push(p, x.now()+x.wallTime(rounds*x.w.spec.Machine.Classes[class].Latency))
	x.mu.Unlock()
	return false
}

// addToFlag adds to a flag after the time of an access inside the node.
func (x *wire) addToFlag(e *engine, b *barrier, op *cluster.Op) (now bool) {
	if len(b.ranks) == 1 {
		return true
	}
	p := newParcel()
	p.kind = parcelRaise
	p.src = e.id
	p.barrier = b
	p.tag = op.Tag
	p.a = op.A
	x.mu.Lock()
	x.push(p, x.now()+x.wallTime(x.w.spec.Machine.AccessTime(cluster.InNode, 8)))
	x.mu.Unlock()
	return false
}
