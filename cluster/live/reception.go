package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live/far"
)

// Fail implements far.Receiver.
func (x *remote) Fail(origin int, err error) {
	if x.w.running.Load() == 0 {
		return // all bodies have returned
	}
	if origin < 0 {
		var l *far.Lost
		if errors.As(err, &l) {
			err = fmt.Errorf("%s: %w", x.w.spec.Layout.ListProcess(l.Process, x.run.Processes()), err)
		}
		x.run.Abort(err)
	} else if x.run != nil {
		x.run.Aborted()
	}
	x.w.abort(err)
}

// Sleeps implements far.Receiver. It counts parked threads, so several threads of a rank count like ranks.
func (x *remote) Sleeps() bool { return x.hasCores.Load() && x.w.parked.Load() >= x.local }

// Receive implements far.Receiver. It runs in the goroutine that polls.
func (x *remote) Receive(from int, f *far.Frame, rank int32) error {
	x.from, x.poller = int32(from), rank
	switch f.Kind {
	case far.Messages:
		err := f.Unpack(x.receiveMessage)
		x.publish()
		return err
	case far.Done:
		x.w.returned()
		return nil
	case far.Barrier:
		x.received[len(x.process)].Add(1)
		return x.arriveBarrier(f)
	case far.Ask:
		select {
		case x.asked <- f.A:
		default: // the request before is not answered yet
		}
		return nil
	case far.Asleep:
		x.asleep.Store(true)
		return nil
	case far.Publication:
		b := slices.Clone(f.Data)
		x.published[from].Store(&b)
		return nil
	case far.Report:
		return x.arriveReport(from, f.Data)
	}
	if err := x.checkRanks(f.Src, f.Dst); err != nil {
		return err
	}
	defer x.received[f.Dst].Add(1)
	e := x.w.engines[f.Dst]
	switch f.Kind {
	case far.Eager, far.RTS, far.RPC:
		x.pass(f)
		return nil
	case far.Put:
		return x.receivePut(e, f)
	case far.Get:
		return x.receiveGet(e, f)
	case far.Atomic:
		if code := x.w.checkWord(f.Off); code != cluster.OK {
			return fmt.Errorf("atomic at %d of rank %d: want an 8-byte aligned word in the segment", f.Off, f.Dst)
		}
		a := e.applyAtomic(&e.words[f.Off/8], cluster.AtomicOp(f.Arg), f.A, f.B)
		x.send(&far.Frame{Kind: far.Reply, Src: f.Dst, Dst: f.Src, Req: f.Req, A: a, Size: 8, Sized: true})
		return nil
	case far.Alert:
		e.sleeping.alerted.Store(0) // a later change sends another Alert
		e.alert()
		return nil
	case far.Reply:
		o, err := x.take(f.Req)
		if err != nil {
			return err
		}
		copy(o.s.buf, f.Data)
		o.e.completeFrom(o.s, cluster.Done{Peer: f.Src, Tag: f.Tag, Size: f.Size, A: f.A, Err: f.Err})
		return nil
	}
	return fmt.Errorf("a frame of kind %d is not for a rank", f.Kind)
}

// checkRanks returns an error if a frame of process from is not from one of its ranks to a rank of this process.
func (x *remote) checkRanks(src, dst int32) error {
	if p := x.process; uint(dst) >= uint(len(p)) || p[dst] != x.me || uint(src) >= uint(len(p)) || p[src] != x.from {
		return fmt.Errorf("from rank %d to rank %d: want a rank of process %d, and one of this process", src, dst, x.from)
	}
	return nil
}

// pass puts the parcel of a frame into the ring from its sender.
func (x *remote) pass(f *far.Frame) {
	e, r := x.ringFrom(f.Src, f.Dst)
	e.enqueueLast(r, x.parcelOf(f))
}

// enqueueLast puts a parcel of another process into a ring, behind the messages that are not published.
func (e *engine) enqueueLast(r *ring, p *parcel) {
	if r.batch > 0 {
		e.publish(r)
	}
	e.enqueue(r, p, r.hasFree(1))
}

// maxRemoteCells is the maximum number of cells of a ring from another process. It has at most the messages of a few packs.
const maxRemoteCells = 256

// ringFrom returns the engine of a rank of another process, and its ring to a rank of this process. Messages that are
// not delivered at once go through this ring as if the sender were here. Only the goroutine that polls uses such engines.
func (x *remote) ringFrom(src, dst int32) (*engine, *ring) {
	e := x.w.engines[src]
	if e.out == nil {
		e.out = make([]*ring, x.local)
	}
	r := &e.out[x.number[dst]]
	if *r == nil {
		*r = e.connect(dst, min(ringCells(len(x.process)), maxRemoteCells))
	}
	return e, *r
}

// receiveMessage receives a message of a pack. publish must follow.
func (x *remote) receiveMessage(m *far.Message) error {
	if err := x.checkRanks(m.Src, m.Dst); err != nil {
		return err
	}
	if m.Ctx < 0 || m.Tag < 0 {
		return fmt.Errorf("message with context %d and tag %d: want none below 0", m.Ctx, m.Tag)
	}
	if n := len(x.arrived); n > 0 && x.arrived[n-1].dst == m.Dst {
		x.arrived[n-1].count++
	} else {
		x.arrived = append(x.arrived, arrivals{m.Dst, 1})
	}
	e, r := x.ringFrom(m.Src, m.Dst)
	if m.Body != 0 {
		x.meet(m, e, r)
		return nil
	}
	if x.deliver(m, r) {
		return nil
	}
	n := len(m.Data)
	fits := r.hasFree(cellsOf(inlineBytes))
	if m.Size > inlineBytes || int64(n) < m.Size || m.Tag > maxField || m.Ctx > maxField || !fits || r.spilled.Load() {
		x.pass(&far.Frame{Kind: far.Eager, Src: m.Src, Dst: m.Dst, Ctx: m.Ctx, Tag: m.Tag, Size: m.Size, Data: m.Data,
			Sized: m.Data == nil})
		return nil
	}
	if r.batch == 0 {
		x.fresh = append(x.fresh, r)
	}
	if n == 8 {
		r.put(cellFirst, 8, m.Ctx, m.Tag, binary.NativeEndian.Uint64(m.Data))
	} else {
		r.putBytes(m.Ctx, m.Tag, m.Data)
	}
	if r.batch >= batchCells {
		e.publish(r)
	}
	return nil
}

// match returns the receive that a thread of the rank that polls has posted for a message, or nil. It returns nil if an
// earlier message is in the ring. The thread may be parked while another one polls.
func (x *remote) match(r *ring, ctx, tag int32) *slot {
	e := r.to
	if e.id != x.poller || r.batch > 0 || r.isReady() {
		return nil
	}
	id, ok := e.queues.Arrive(ctx, r.src, tag)
	if !ok {
		return nil
	}
	return e.slots.at(id)
}

// deliver delivers a message to its receive. It reports whether there is one.
func (x *remote) deliver(m *far.Message, r *ring) bool {
	s := x.match(r, m.Ctx, m.Tag)
	if s == nil {
		return false
	}
	copy(s.buf, m.Data)
	r.to.complete(s, received(m.Src, m.Tag, m.Size, s.size))
	r.to.alert()
	return true
}

// meet receives the body of a message if there is a receive for the message. Otherwise it passes the message to the rank.
func (x *remote) meet(m *far.Message, e *engine, r *ring) {
	p := e.message()
	p.kind, p.src, p.dst, p.ctx, p.tag, p.size, p.b = parcelRTS, m.Src, m.Dst, m.Ctx, m.Tag, m.Size, uint64(m.Body)
	if s := x.match(r, m.Ctx, m.Tag); s != nil {
		r.to.sendCTS(p, s)
	} else {
		e.enqueueLast(r, p)
	}
}

// publish publishes the messages of a pack, and then counts them. So a rank that waits sees each message before the
// search for deadlocks does.
func (x *remote) publish() {
	for i, r := range x.fresh {
		if r.batch > 0 {
			x.w.engines[r.src].publish(r)
		}
		x.fresh[i] = nil
	}
	x.fresh = x.fresh[:0]
	for _, a := range x.arrived {
		x.received[a.dst].Add(a.count)
	}
	x.arrived = x.arrived[:0]
}

// parcelOf returns the parcel of a frame, with a copy of the data.
func (x *remote) parcelOf(f *far.Frame) *parcel {
	p := x.w.engines[f.Src].message()
	p.src, p.dst, p.ctx, p.tag, p.size = f.Src, f.Dst, f.Ctx, f.Tag, f.Size
	switch f.Kind {
	case far.Eager:
		p.kind = parcelEager
	case far.RTS:
		p.kind, p.a = parcelRTS, f.Req
	default:
		p.kind, p.a, p.fn, p.arg = parcelRPC, f.Req, f.Fn, f.Arg
	}
	if !f.Sized {
		p.hold(f.Data)
	}
	return p
}

// operationOf returns the operation of a put. It checks the target again, because the frame comes from
// another process.
func (x *remote) operationOf(f *far.Frame) (*cluster.Op, error) {
	op := &cluster.Op{Off: f.Off, Vec: f.Vec, Shape: f.Shape, Buf: f.Data, Size: f.Size}
	if x.w.checkTarget(op) != cluster.OK {
		return nil, fmt.Errorf("%d B at %d of rank %d: outside of the segment", f.Size, f.Off, f.Dst)
	}
	return op, nil
}

// receivePut writes the bytes of a put. Then it signals if the put has a signal, and runs the put's function
// or replies.
func (x *remote) receivePut(e *engine, f *far.Frame) error {
	op, err := x.operationOf(f)
	if err != nil {
		return err
	}
	e.scatter(op.Off, op.Vec, op.Shape, op.Buf)
	if f.SigOp != cluster.SigNone {
		if x.w.checkWord(f.Sig) != cluster.OK {
			return fmt.Errorf("signal at %d of rank %d: want an 8-byte aligned word in the segment", f.Sig, f.Dst)
		}
		e.signal(f.Sig, f.SigOp, f.A)
	}
	switch {
	case f.Fn != 0:
		f.Sized = true // the function has no data
		x.pass(f)
	case f.Req != 0:
		x.send(&far.Frame{Kind: far.Reply, Src: f.Dst, Dst: f.Src, Req: f.Req, Size: f.Size, Sized: true})
	}
	return nil
}

// receiveGet replies with bytes of the segment.
func (x *remote) receiveGet(e *engine, f *far.Frame) error {
	size := f.Size
	op := &cluster.Op{Off: f.Off, Vec: f.Vec, Shape: f.Shape, Size: size}
	answer := far.Frame{Kind: far.Reply, Src: f.Dst, Dst: f.Src, Req: f.Req, Size: size, Sized: true}
	if f.Arg != 0 {
		whole := size <= int64(len(e.seg))
		if f.Shape != nil {
			whole = f.Shape.Within(int64(len(e.seg))) && f.Shape.Bytes() == size
		} else if f.Vec != nil {
			left := size
			for _, s := range f.Vec {
				left -= min(max(s.Len, 0), size+1)
			}
			whole = left == 0
		}
		if !whole || size > far.MaxData {
			return fmt.Errorf("get of %d B of rank %d: outside of the segment, or more than %d B", size, f.Dst, far.MaxData)
		}
		op.Buf = make([]byte, size)
		answer.Data, answer.Sized = op.Buf, false
	}
	if x.w.checkTarget(op) != cluster.OK {
		return fmt.Errorf("get of %d B at %d of rank %d: outside of the segment", size, f.Off, f.Dst)
	}
	e.gather(op.Off, op.Vec, op.Shape, op.Buf)
	x.send(&answer)
	return nil
}

// arriveReport passes a report to the monitor of process 0.
func (x *remote) arriveReport(from int, data []byte) error {
	r := &report{}
	if err := far.Unmarshal(data, r); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	r.from = int32(from)
	if err := x.check(r); err != nil {
		return err
	}
	select {
	case x.reports <- r:
	default: // more reports than process 0 has requested
	}
	return nil
}
