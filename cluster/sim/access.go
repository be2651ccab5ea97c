package sim

import "github.com/hybridtop/hybridtop/cluster"

// direct reports whether an operation is a load or a store of the thread itself: a put, a get or an
// atomic inside the node, on a machine with an access time.
func (t *thread) direct(op *cluster.Op) bool {
	w := t.w
	if !w.hasLoads || op.Kind != cluster.KindAtomic && op.Path != cluster.PathLoads || op.Then != nil || t.r.stepping {
		return false
	}
	if class := w.net.class(t.r.id, op.Peer); class == cluster.Remote || w.net.ways[class].access == 0 {
		return false
	}
	if op.Kind == cluster.KindAtomic {
		return true
	}
	// A handler at the target, and memory that loads do not reach, need a message.
	return !(op.Kind == cluster.KindPut && op.Fn != 0) &&
		!(w.staged && (op.From != cluster.HostMemory || op.To != cluster.HostMemory))
}

// access runs a direct operation. The thread is busy with it, and the world is at the thread's time
// when it reads or changes memory. The operation is not a library call: it takes no lock and makes
// no progress for others.
func (t *thread) access(op *cluster.Op) cluster.Handle {
	w, n := t.w, op.Bytes()
	r := &w.ranks[op.Peer]
	op.Source = 0
	d := cluster.Done{Peer: op.Peer, Size: n}
	if op.Kind == cluster.KindAtomic {
		n = 8
		d.Size = 8
		d.Err = r.checkWord(op.Off)
	} else {
		d.Err = r.checkTarget(op)
	}
	if d.Err != cluster.OK {
		return t.finish(op, d)
	}
	class := w.net.class(t.r.id, op.Peer)
	way := &w.net.ways[class]
	switch {
	case op.Kind == cluster.KindAtomic:
		t.load(class, way, 1, n)
	case op.Shape != nil && (op.Kind == cluster.KindPut && op.Train > 1 || !op.Shape.Contiguous()):
		t.load(class, way, cluster.Time(op.Shape.Blocks()), op.Shape.Block)
	case op.Vec == nil:
		t.load(class, way, 1, n)
	default:
		for _, s := range op.Vec {
			t.load(class, way, 1, s.Len)
		}
	}
	if op.Kind == cluster.KindPut && op.SigOp != cluster.SigNone {
		t.load(class, way, 1, 8) // the flag
	}
	why := evResume
	if op.Kind == cluster.KindAtomic && t.reloads(op) {
		why = evPoll
	} else if op.Kind != cluster.KindAtomic {
		w.idlePolls, t.polls = 0, 0
	}
	t.sync(why)
	switch op.Kind {
	case cluster.KindPut:
		if op.Buf != nil {
			r.move(op.Off, op.Vec, op.Shape, op.Buf, true)
		}
		r.signal(op.SigOp, op.Sig, op.A)
		r.checkAwaits(t.now, t.cause)
	case cluster.KindGet:
		if op.Buf != nil {
			r.move(op.Off, op.Vec, op.Shape, op.Buf, false)
		}
	case cluster.KindAtomic:
		free, by := r.atomics, w.trace.atomicBy(r.id)
		r.atomics = max(t.now, r.atomics) + w.atomicTime
		d.A = r.change(op.Off, cluster.AtomicOp(op.Arg), op.A, op.B)
		r.checkAwaits(t.now, t.cause)
		t.pass(free, by, AtomicWord, w.atomicTime, ofAtomic)
		w.trace.setAtomic(r.id, t.cause, t.r.id)
	}
	return t.finish(op, d)
}

// load charges the time of direct accesses to n bytes each. All threads of the node share its
// memory.
func (t *thread) load(class cluster.Class, way *way, times cluster.Time, n int64) {
	beyond := way.accessRate.time(n - cluster.AccessLine)
	minTime := times * (way.access + beyond)
	var done cluster.Time
	var use memoryUse
	if memory := &t.w.net.memories[t.w.net.nodeOf[t.r.id]]; memory.rate > 0 {
		t.sync(evResume)
		use = t.useMemory(memory)
		done = memory.serve(t.now, times, n, minTime)
		use.need = times * memory.rate.time(n)
	}
	t.spend(times*way.access, ofAccess.class(class))
	t.spend(times*beyond, ofAccessRate.class(class))
	t.endMemory(&use, done)
}
