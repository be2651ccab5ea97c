package live

import (
	"math/bits"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// usesRing implements transport: all messages pass the wire.
func (x *wire) usesRing(int32, int32) bool { return false }

// carry implements transport.
func (x *wire) carry(e *engine, p *parcel, n int64) {
	if p.peerArrival == 0 { // the sender has arrived; a later receiver updates the time
		p.peerArrival = x.now()
	}
	x.pay(e, p, n)
	if p.kind == parcelRTS && !p.fromDevice {
		x.mu.Lock()
		x.uncopied[p.src] += p.size
		x.mu.Unlock()
	}
	x.send(p, p.src, p.dst, n, e.cpu.at)
}

// moveMatched implements transport. Inside a node, the receiver may copy the bytes from the sender's
// memory, and notify the sender. Otherwise the bytes are sent separately.
func (x *wire) moveMatched(e *engine, p *parcel, buf []byte, capacity int64) (d cluster.Done, moved bool) {
	way := x.price(p, p.src, p.dst)
	x.mu.Lock()
	uncopied := p.size
	if !p.fromDevice { // also the bytes that the sender wrote since then
		uncopied = x.uncopied[p.src]
		x.uncopied[p.src] -= p.size
	}
	x.mu.Unlock()
	if !way.pulls || p.fromDevice {
		return d, false
	}
	rate := way.pull
	if uncopied > way.cached {
		rate = way.uncached
	}
	d = received(p.src, p.tag, p.size, capacity)
	e.cpu.at += x.handling(way) + rate.time(min(p.size, capacity))
	copy(buf, p.req.buf)
	p.kind = parcelComplete
	p.phase = arriving
	p.done = cluster.Done{Peer: e.id, Tag: p.tag, Size: p.size}
	x.mu.Lock()
	x.push(p, e.cpu.at+way.l)
	x.mu.Unlock()
	return d, true
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
			e.cpu.at += copies
			p.handling = x.bodyTime(p) + copies
		}
		x.post(e, p, n, !op.Packed())
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
			x.post(e, x.newPut(e, nil, one, one.Size), one.Size, true)
			return
		}
		p := x.newPut(e, s, one, one.Size)
		p.sig = op.Sig
		p.sigOp = op.SigOp
		p.fn = op.Fn
		p.done.Size = n
		x.post(e, p, one.Size, true)
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
	p.handling = p.unpack
	if x.classOf(p, p.src, p.dst) != cluster.Remote {
		p.complete()
		return
	}
	x.send(p, p.dst, p.src, n, p.at)
}

// complete ends an operation at its initiator. For a train, only the last message does this.
func (p *parcel) complete() {
	if p.req != nil {
		p.req.at = p.at
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
	p.handling = 0
	x.send(p, e.id, p.src, 1, e.cpu.at)
}

// get requests bytes. Inside a node the bytes take one transfer. For another node a request is sent
// first.
func (x *wire) get(e *engine, op *cluster.Op, n int64) cluster.Handle {
	s := e.takeSlot(op)
	p := x.transfer(e, s, op, parcelGet, n)
	if op.Packed() { // packed by a handler at the target, and unpacked here
		copies := x.copyTime(n)
		p.handling, p.unpack = x.bodyTime(p)+copies, copies
		if x.classOf(p, p.src, p.dst) != cluster.Remote { // immediate inside a node
			p.handling += copies
		}
	}
	x.post(e, p, n, false)
	return postResult(s)
}

// post sends the message of a one-sided operation: n bytes, or a request for them. copied: the
// thread copies the bytes of a short put first. Inside a node it may be a load or store of the
// thread.
func (x *wire) post(e *engine, p *parcel, n int64, copied bool) {
	way := x.price(p, p.src, p.dst)
	if class := x.classOf(p, p.src, p.dst); class == cluster.Remote {
		if p.kind != parcelPut {
			n = 0
		} else if copied && n <= x.w.eager && !p.fromDevice {
			e.cpu.at += way.copies(n)
		}
	} else if way.access > 0 && p.fn == 0 && !p.fromDevice && !p.toDevice {
		x.access(e, p, way, n)
		return
	}
	e.cpu.at += way.o
	from, to := p.src, p.dst
	if p.kind == parcelGet && x.classOf(p, from, to) != cluster.Remote { // the bytes go in the other direction
		from, to = to, from
	}
	x.send(p, from, to, n, e.cpu.at)
}

// access occupies the thread with loads or stores of n bytes, and of the flag of a put.
func (x *wire) access(e *engine, p *parcel, way *price, n int64) {
	times, each := int64(1), n
	switch {
	case p.shape != nil && !p.shape.Contiguous():
		times, each = int64(p.shape.Blocks()), p.shape.Block
	case len(p.vec) > 1:
		times, each = int64(len(p.vec)), n/int64(len(p.vec))
	}
	took := way.loads(times, each)
	x.mu.Lock()
	defer x.mu.Unlock()
	e.cpu.at = x.passMemory(x.w.node[p.dst], e.cpu.at, times*each, took)
	if p.sigOp != cluster.SigNone {
		e.cpu.at += way.access
	}
	p.phase = arriving
	x.push(p, e.cpu.at)
}

func (x *wire) atomic(e *engine, op *cluster.Op) cluster.Handle {
	s := e.takeSlot(op)
	p := x.transfer(e, s, op, parcelAtomic, 8)
	x.post(e, p, 8, false)
	return postResult(s)
}

// read reads the target's segment for a get or an atomic.
func (x *wire) read(p *parcel) {
	t, n := x.w.engines[p.dst], p.size
	if p.kind == parcelGet {
		t.gather(p.off, p.vec, p.shape, p.req.buf)
	} else {
		p.done.A = t.applyAtomic(&t.words[p.off/8], cluster.AtomicOp(p.arg), p.a, p.b)
		at := max(p.at, x.atomics[p.dst]) + x.wallTime(x.w.spec.Machine.AtomicTime)
		x.atomics[p.dst] = at
		p.at = at
		n = 1
	}
	x.answer(p, p.done, n)
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
	rounds := int64(bits.Len(uint(len(b.ranks) - 1)))
	way := &x.prices[class]
	p := newParcel()
	p.kind, p.barrier = parcelBarrier, b
	x.mu.Lock()
	x.push(p, b.entered.Swap(0)+rounds*(2*way.overhead(0)+way.latency(0)))
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
	x.push(p, e.cpu.at+x.wallTime(x.w.spec.Machine.AccessTime(cluster.InNode, 8)))
	x.mu.Unlock()
	return false
}
