package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
)

// barrier is the shared data of the members of a context. It costs a dissemination: ⌈log₂ n⌉ rounds
// in which member i sends to i + 2ᵏ and receives from i − 2ᵏ. Each message is small, costs 2o + L
// and has no contention.
type barrier struct {
	ranks      []int32
	left       int // number of members that have removed the context
	gen        uint32
	count      int
	in         []cluster.Time // time at which each member entered; nil before the first entry, like out and waiter
	out        []cluster.Time // time at which each member may continue
	next       []cluster.Time
	waiter     []*thread
	gates      []gate               // barriers with a continuation
	gatherings map[int32]*gathering // on the collective network, by tag
	board      *board               // nil: not used yet
	causes     []int32              // of the entries, if traced
	snapshot   int32                // number of the last completed barrier in the trace
}

// gate is a continuation that waits for a barrier.
type gate struct {
	rank  int32
	slot  uint32
	index int32
}

// member is one rank's side of a barrier.
type member struct {
	ctx   int32
	index int32
	gen   uint32 // number of barriers that it has entered
	b     *barrier
}

// Team implements cluster.Port.
func (t *thread) Team(ctx int32, ranks []int32) {
	w := t.w
	if ranks == nil {
		t.r.removeMember(ctx)
		return
	}
	b := w.barriers[ctx]
	if b == nil {
		b = &barrier{ranks: ranks}
		w.barriers[ctx] = b
	}
	m := member{ctx: ctx, index: indexOf(ranks, t.r.id), b: b}
	for i := range t.r.members {
		if t.r.members[i].b == nil { // the entry of a removed context
			t.r.members[i] = m
			return
		}
	}
	if t.r.members == nil {
		t.r.members = make([]member, 0, usualTeams)
	}
	t.r.members = append(t.r.members, m)
}

// usualTeams is a typical number of teams of a rank: three of the launch, and two for collectives.
const usualTeams = 5

// removeMember removes a context. The last member removes the barrier.
func (r *rank) removeMember(ctx int32) {
	for i := range r.members {
		if m := &r.members[i]; m.ctx == ctx && m.b != nil {
			if m.b.left++; m.b.left == len(m.b.ranks) {
				delete(r.w.barriers, ctx)
			}
			*m = member{ctx: -1}
			return
		}
	}
	panic("sim: removal of an unknown context")
}

func indexOf(ranks []int32, id int32) int32 {
	if int(id) < len(ranks) && ranks[id] == id {
		return id
	}
	if len(ranks) > 0 && id >= ranks[0] && int(id-ranks[0]) < len(ranks) && ranks[id-ranks[0]] == id {
		return id - ranks[0]
	}
	for i, r := range ranks {
		if r == id {
			return int32(i)
		}
	}
	panic("sim: a team without its member")
}

// barrierBit marks the handle of a barrier. The handle has the index of its member in the rank's
// list, and the generation that it waits for.
const barrierBit cluster.Handle = 1 << 63

func (r *rank) memberOf(h cluster.Handle) *member { return &r.members[h&^barrierBit>>32] }

func (r *rank) hasOpened(h cluster.Handle) bool { return r.memberOf(h).b.gen != uint32(h) }

// leave advances a thread to the end of the barrier.
func (t *thread) leave(m *member) {
	b := m.b
	out := b.out[m.index]
	if out <= t.now {
		return
	}
	t.until(out, t.w.exitOf(b, t.r.id))
}

// enter arrives at a barrier. The last member computes the time at which each member may continue.
func (t *thread) enter(op *cluster.Op) cluster.Handle {
	r, w := t.r, t.w
	at := -1
	for i := range r.members {
		if r.members[i].ctx == op.Ctx {
			at = i
			break
		}
	}
	if at < 0 {
		panic("sim: barrier on an unknown context")
	}
	m := &r.members[at]
	b := m.b
	gen := b.gen
	m.gen++
	if b.in == nil { // most teams have no barrier
		n := len(b.ranks)
		b.in, b.out, b.waiter = make([]cluster.Time, n), make([]cluster.Time, n), make([]*thread, n)
	}
	b.in[m.index] = t.now
	if w.trace.on {
		w.trace.noteEntry(b, m.index, t.cause)
	}
	b.count++
	if op.Then != nil {
		_, id := t.takeSlot(op)
		b.gates = append(b.gates, gate{rank: r.id, slot: id, index: m.index})
	}
	if b.count == len(b.ranks) {
		w.open(b)
	}
	if op.Then != nil {
		return 0
	}
	return barrierBit | cluster.Handle(at)<<32 | cluster.Handle(gen)
}

// open continues the members, each at its time.
func (w *world) open(b *barrier) {
	b.count = 0
	b.gen++
	if w.trace.on {
		w.trace.snapshot(b)
	}
	w.disseminate(b)
	for i, rank := range b.ranks {
		w.count(stepLeave, b.out[i], rank, rank, 0)
	}
	for i, waiter := range b.waiter {
		if waiter != nil {
			w.push(max(b.out[i], w.now), evBarrier, waiter.id)
		}
	}
	for _, g := range b.gates {
		s := &w.ranks[g.rank].slots.list[g.slot]
		s.set(cluster.Done{})
		s.cause = w.exitOf(b, g.rank)
		w.completeAt(max(b.out[g.index], w.now), g.rank, g.slot)
	}
	b.gates = b.gates[:0]
}

// disseminate computes the time at which each member leaves.
func (w *world) disseminate(b *barrier) {
	n := len(b.ranks)
	copy(b.out, b.in)
	if n == 1 {
		return
	}
	w.eachRound(b, func([]cluster.Time) {})
}

// exitOf returns the cause of a rank's exit from a barrier.
func (w *world) exitOf(b *barrier, rank int32) int32 {
	if !w.trace.on {
		return noCause
	}
	return w.trace.exit(b, rank)
}

// eachRound computes the times of the members after each round of a dissemination, from b.in on.
func (w *world) eachRound(b *barrier, after func(out []cluster.Time)) {
	n := len(b.ranks)
	copy(b.out, b.in)
	if b.next == nil {
		b.next = make([]cluster.Time, n)
	}
	for step := 1; step < n; step *= 2 {
		for i := range n {
			from := i - step
			if from < 0 {
				from += n
			}
			way := &w.net.ways[w.net.class(b.ranks[from], b.ranks[i])]
			o, l := way.overhead(0), way.latency(0)
			b.next[i] = min(max(b.out[i]+o, b.out[from]+o+l)+o, 2*end) // saturate
		}
		b.out, b.next = b.next, b.out
		after(b.out)
	}
}

// release ends a thread's wait at a barrier, unless another event ended the wait before.
func (w *world) release(t *thread, at cluster.Time) {
	released := false
	for _, h := range t.hs {
		if h == 0 || h&barrierBit == 0 || !t.r.hasOpened(h) {
			continue
		}
		m := t.r.memberOf(h)
		if m.b.waiter[m.index] == t && m.b.out[m.index] <= at {
			m.b.waiter[m.index] = nil
			t.chargeHandle(h)
			t.left--
			released = true
		}
	}
	if released && t.left <= 0 {
		w.dueThread = t
	}
}
