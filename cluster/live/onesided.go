package live

import (
	"sync/atomic"

	"github.com/hybridtop/hybridtop/cluster"
)

// checkWord checks that off is the offset of an aligned word of a segment.
func (w *world) checkWord(off int64) cluster.Code {
	switch {
	case off < 0 || off > w.spec.Segment-8:
		return cluster.OutOfSegment
	case off&7 != 0:
		return cluster.Misaligned
	}
	return cluster.OK
}

// checkTarget checks that a put or get fits the target's segment. A size-only transfer may also use
// the machine's segment.
func (w *world) checkTarget(op *cluster.Op) cluster.Code {
	n, extent := op.Bytes(), w.spec.Segment
	if op.Buf == nil {
		extent = w.spec.Extent()
	}
	if op.Shape != nil {
		if !op.Shape.Within(extent) || op.Shape.Bytes() != n {
			return cluster.OutOfSegment
		}
		return cluster.OK
	}
	if op.Vec == nil {
		if op.Off < 0 || n < 0 || n > extent || op.Off > extent-n {
			return cluster.OutOfSegment
		}
		return cluster.OK
	}
	for _, s := range op.Vec {
		if s.Off < 0 || s.Len < 0 || s.Len > extent || s.Off > extent-s.Len {
			return cluster.OutOfSegment
		}
	}
	return cluster.OK
}

// scatter writes buf to the target. A size-only transfer writes nothing.
func (t *engine) scatter(off int64, vec []cluster.Span, shape *cluster.Strided, buf []byte) {
	if buf == nil {
		return
	}
	if shape != nil {
		packed := shape.Packed()
		packed.Copy(t.seg, buf, true)
		return
	}
	if vec == nil {
		copy(t.seg[off:], buf)
		return
	}
	for _, s := range vec {
		if len(buf) == 0 {
			return
		}
		buf = buf[copy(t.seg[s.Off:s.Off+s.Len], buf):]
	}
}

// gather reads from the target into buf.
func (t *engine) gather(off int64, vec []cluster.Span, shape *cluster.Strided, buf []byte) {
	if buf == nil {
		return
	}
	if shape != nil {
		packed := shape.Packed()
		packed.Copy(t.seg, buf, false)
		return
	}
	if vec == nil {
		copy(buf, t.seg[off:])
		return
	}
	for _, s := range vec {
		if len(buf) == 0 {
			return
		}
		buf = buf[copy(buf, t.seg[s.Off:s.Off+s.Len]):]
	}
}

// signal changes a flag and wakes its waiters.
func (t *engine) signal(off int64, how cluster.SigOp, v uint64) {
	w := &t.words[off/8]
	if how == cluster.SigAdd {
		atomic.AddUint64(w, v)
	} else {
		atomic.StoreUint64(w, v)
	}
	t.alert()
}

// put writes to a rank's segment.
func (e *engine) put(op *cluster.Op) cluster.Handle {
	n := op.Bytes()
	op.Source = 0
	done := cluster.Done{Peer: op.Peer, Size: n, Err: e.w.checkTarget(op)}
	if op.SigOp != cluster.SigNone && done.Err == cluster.OK {
		done.Err = e.w.checkWord(op.Sig)
	}
	if done.Err != cluster.OK {
		return e.finish(op, done)
	}
	return e.w.transport.put(e, op, n)
}

// get reads a rank's segment.
func (e *engine) get(op *cluster.Op) cluster.Handle {
	n := op.Bytes()
	done := cluster.Done{Peer: op.Peer, Size: n, Err: e.w.checkTarget(op)}
	if done.Err != cluster.OK {
		return e.finish(op, done)
	}
	return e.w.transport.get(e, op, n)
}

// applyAtomic runs an atomic on a word of this segment and returns the old word.
func (t *engine) applyAtomic(w *uint64, op cluster.AtomicOp, a, b uint64) uint64 {
	var old uint64
	switch op {
	case cluster.AtomicLoad:
		return atomic.LoadUint64(w)
	case cluster.AtomicStore:
		old = atomic.SwapUint64(w, a)
	case cluster.AtomicAdd:
		old = atomic.AddUint64(w, a) - a
	case cluster.AtomicSwap:
		old = atomic.SwapUint64(w, a)
	case cluster.AtomicCompare:
		for {
			old = atomic.LoadUint64(w)
			if old != b || atomic.CompareAndSwapUint64(w, b, a) {
				break
			}
		}
	}
	t.alert()
	return old
}

func (e *engine) atomic(op *cluster.Op) cluster.Handle {
	if code := e.w.checkWord(op.Off); code != cluster.OK {
		return e.finish(op, cluster.Done{Peer: op.Peer, Size: 8, Err: code})
	}
	return e.w.transport.atomic(e, op)
}

// await completes when the comparison of the local word holds.
func (e *engine) await(op *cluster.Op) cluster.Handle {
	if code := e.w.checkWord(op.Off); code != cluster.OK {
		return e.finish(op, cluster.Done{Peer: e.id, Err: code, Size: 8})
	}
	if v := atomic.LoadUint64(&e.words[op.Off/8]); cluster.Cmp(op.Arg).Holds(v, op.A) {
		return e.finish(op, cluster.Done{Peer: e.id, A: v, Size: 8})
	}
	s := e.takeSlot(op)
	e.awaits = append(e.awaits, s)
	return postResult(s)
}

// rpc sends a call to its target. The caller keeps the bytes until it completes.
func (e *engine) rpc(op *cluster.Op) cluster.Handle {
	s := e.takeSlot(op)
	p := newParcel()
	p.kind = parcelRPC
	p.src = e.id
	p.dst = op.Peer
	p.fn = op.Fn
	p.arg = op.Arg
	p.buf = op.Buf
	p.size = op.Bytes()
	p.req, p.from = s, e
	e.w.transport.carry(e, p, p.size)
	return postResult(s)
}

// runBody runs an RPC's body here and answers.
func (e *engine) runBody(p *parcel) {
	d := cluster.Done{Peer: e.id, Size: p.size}
	var ok bool
	d.A, ok = e.serve(cluster.RPC{Poster: inside{e}, Src: p.src, Fn: p.fn, Arg: p.arg, Data: p.buf})
	if !ok {
		d.Err = cluster.NoFunction
	}
	e.w.transport.reply(e, p, d)
}

// event makes an event that completes after a number of fires.
func (e *engine) event(op *cluster.Op) cluster.Handle {
	s := e.takeSlot(op)
	s.count = uint32(max(op.Arg, 1))
	return postResult(s)
}

// fire fires an event of this engine.
func (e *engine) fire(op *cluster.Op) cluster.Handle {
	s := e.slots.find(op.Event)
	if s.kind != cluster.KindEvent {
		panic("live: fire of a handle that is not an event")
	}
	if s.count--; s.count == 0 {
		e.complete(s, cluster.Done{Peer: e.id})
	}
	op.Done = cluster.Done{}
	return 0
}
