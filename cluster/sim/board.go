package sim

import "github.com/hybridtop/hybridtop/cluster"

// board is the shared control block of a context, with the times of its flags.
type board struct {
	*cluster.Board
	flags [cluster.BoardWords]flag
}

// flag is the time of a flag. Increments are serialized, like atomics.
type flag struct {
	at      cluster.Time // time of its current value
	writer  int32        // the rank whose cache has the line; −1: none yet
	cause   int32
	waiters []flagWaiter
}

// flagWaiter is an operation that waits until a flag is at least n.
type flagWaiter struct {
	n    uint64
	rank int32
	slot uint32
}

// Board implements cluster.Port.
func (t *thread) Board(ctx int32) *cluster.Board {
	t.check()
	b := t.r.memberIn(ctx).b
	for _, id := range b.ranks {
		if t.w.net.nodeOf[id] != t.w.net.nodeOf[t.r.id] {
			return nil
		}
	}
	if b.board == nil {
		b.board = &board{Board: cluster.NewBoard(len(b.ranks))}
		for i := range b.board.flags {
			b.board.flags[i].writer = -1
		}
	}
	return b.board.Board
}

// memberIn returns the rank's side of a context.
func (r *rank) memberIn(ctx int32) *member {
	for i := range r.members {
		if r.members[i].ctx == ctx {
			return &r.members[i]
		}
	}
	panic("sim: unknown context")
}

// lineTime returns the time until a rank has a cache line that another rank has written.
func (w *world) lineTime(rank, by int32) cluster.Time {
	if by < 0 {
		return 0
	}
	way := &w.net.ways[w.net.class(rank, by)]
	if way.access > 0 {
		return way.access
	}
	return way.l
}

// lineConstant returns the constant of lineTime.
func (w *world) lineConstant(rank, by int32) Constant {
	class := w.net.class(rank, by)
	if w.net.ways[class].access > 0 {
		return ofAccess.class(class)
	}
	return ofLatency.class(class)
}

// payLine charges a thread for a cache line that another rank has written.
func (t *thread) payLine(by int32) {
	why := ofLatency
	if t.w.trace.on && by >= 0 {
		why = t.w.lineConstant(t.r.id, by)
	}
	t.spend(t.w.lineTime(t.r.id, by), why)
}

// lineCause returns the cause of the time at which a rank has the line of a flag.
func (w *world) lineCause(x *flag, rank int32) int32 {
	if !w.trace.on || x.writer < 0 {
		return x.cause
	}
	return w.trace.charge(x.cause, w.lineTime(rank, x.writer), w.lineConstant(rank, x.writer), x.writer)
}

// addToFlag adds to a flag. The cache line moves to this rank; increments are serialized.
func (t *thread) addToFlag(op *cluster.Op) cluster.Handle {
	w, b := t.w, t.r.memberIn(op.Ctx).b.board
	if t.id >= 0 && !t.r.stepping {
		t.sync(evResume)
	}
	x := &b.flags[op.Tag]
	t.payLine(x.writer)
	t.pass(x.at, x.cause, AtomicWord, w.atomicTime, ofAtomic)
	x.at = t.now
	x.writer = t.r.id
	x.cause = t.cause
	n := b.Words[op.Tag].N.Add(op.A)
	left := x.waiters[:0]
	for _, v := range x.waiters {
		if v.n > n {
			left = append(left, v)
			continue
		}
		s := &w.ranks[v.rank].slots.list[v.slot]
		s.set(cluster.Done{})
		s.cause = w.lineCause(x, v.rank)
		w.completeAt(max(x.at+w.lineTime(v.rank, x.writer), w.now), v.rank, v.slot)
	}
	x.waiters = left
	return t.finish(op, cluster.Done{})
}

// waitFlag waits for a flag.
func (t *thread) waitFlag(op *cluster.Op) cluster.Handle {
	w, b := t.w, t.r.memberIn(op.Ctx).b.board
	if t.id >= 0 && !t.r.stepping {
		t.sync(evResume)
	}
	x := &b.flags[op.Tag]
	there := b.Words[op.Tag].N.Load() >= op.A
	if there && x.at <= t.now {
		t.payLine(x.writer)
		return t.finish(op, cluster.Done{})
	}
	s, id := t.takeSlot(op)
	if !there {
		x.waiters = append(x.waiters, flagWaiter{n: op.A, rank: t.r.id, slot: id})
		return t.postResult(op, id)
	}
	s.set(cluster.Done{})
	s.cause = w.lineCause(x, t.r.id)
	w.completeAt(max(x.at+w.lineTime(t.r.id, x.writer), w.now), t.r.id, id)
	return t.postResult(op, id)
}

// loadBuffers charges one access to the exposed buffer of each of some members.
func (t *thread) loadBuffers(op *cluster.Op) cluster.Handle {
	w, ranks := t.w, t.r.memberIn(op.Ctx).b.ranks
	begin, each := t.now, op.Size/int64(max(op.A, 1))
	memory := &w.net.memories[w.net.nodeOf[t.r.id]]
	use := t.useMemory(memory)
	var lines, bytes cluster.Time
	for i := range op.A {
		from := ranks[(uint64(op.Tag)+i)%uint64(len(ranks))]
		class := w.net.class(t.r.id, from)
		beyond := w.net.ways[class].bandwidth.time(each - cluster.AccessLine)
		if w.trace.on {
			t.payLine(from)
			t.spend(beyond, ofBandwidth.class(class))
			continue
		}
		lines += w.lineTime(t.r.id, from)
		bytes += beyond
	}
	t.spend(lines+bytes, ofLatency)
	t.spend(t.r.shared(w.flops.time(int64(min(op.B, 1<<62))), 1), ofKernel)
	if memory.rate > 0 && op.Size > 0 {
		use.need = memory.rate.time(op.Size)
		t.endMemory(&use, memory.serve(begin, 1, op.Size, t.now-begin))
	}
	return t.finish(op, cluster.Done{})
}
