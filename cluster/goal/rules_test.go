package goal_test

import (
	"container/heap"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster/goal"
)

// constants has the parameters of the model. Times are in nanoseconds.
type constants struct{ L, o, g, G, S int64 }

// bytes returns the time of the bytes of a message behind its first one.
func (c *constants) bytes(size int64) int64 { return (size - 1) * c.G }

// rules are the differences of LogGOPSim from this simulator. The zero value has none.
type rules struct {
	waits     bool // a send begins o when the adapter is free; until then, others may use the processor
	occupies  bool // the bytes of an arriving message occupy the processor, also before a receive matches
	immediate bool // the bytes of a rendezvous leave with its request, and the answer takes no time
}

var loggopsim = rules{waits: true, occupies: true, immediate: true}

// ruled runs a program by rules.
type ruled struct {
	constants
	rules
	ranks   []ruledRank
	rank    *ruledRank // of the text
	events  ruledEvents
	created int64
}

type ruledRank struct {
	id           int32
	ops          []ruledOp
	cpu          int64 // next free time
	in, out      ruledAdapter
	posted, kept []*ruledEvent // receives, and messages without a receive
	complete     []int32       // operations whose successors have not started
}

type ruledOp struct {
	goal.Op
	left int
	next []int32
}

// ruledEvent is an operation that can start, or a message.
type ruledEvent struct {
	at, order int64
	rank      *ruledRank // where it happens
	op        int32      // of the rank, or of the sender
	from      *ruledRank // sender of a message
	step      step
	whole     bool  // all bytes have arrived
	recv      int32 // of a rendezvous
}

// step is the kind of a message.
type step uint8

const (
	matchable step = iota // a message with its bytes
	request               // RTS, which a receive matches as well
	answer                // CTS
	payload               // the bytes of a rendezvous
	sent                  // the sender's adapter has sent the bytes
)

// ruledAdapter is one direction of an adapter. RTS and CTS go between the bytes of a rendezvous.
type ruledAdapter struct{ free, behind, between int64 }

func (a *ruledAdapter) start(at int64, s step, g, carry int64) int64 {
	if s == request || s == answer {
		at = max(at, a.behind, a.between)
		a.behind, a.between, a.free = at+g, at+g, max(a.free, at)+g
		return at
	}
	at = max(at, a.free)
	a.free, a.between = at+g+carry, at+g
	if s != payload {
		a.behind = a.free
	}
	return at
}

type ruledEvents []*ruledEvent

func (e ruledEvents) Len() int      { return len(e) }
func (e ruledEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e ruledEvents) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].order < e[j].order
}
func (e *ruledEvents) Push(x any) { *e = append(*e, x.(*ruledEvent)) }
func (e *ruledEvents) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// Ranks, Rank, Op and Requires implement goal.Visitor.
func (w *ruled) Ranks(n int32) error { w.ranks = make([]ruledRank, n); return nil }

func (w *ruled) Rank(r int32) error { w.rank = &w.ranks[r]; w.rank.id = r; return nil }

func (w *ruled) Op(o goal.Op) error { w.rank.ops = append(w.rank.ops, ruledOp{Op: o}); return nil }

func (w *ruled) Requires(op, before int32, _ bool) error {
	w.rank.ops[op].left++
	w.rank.ops[before].next = append(w.rank.ops[before].next, op)
	return nil
}

// timeByRules returns the time of a program's last rank.
func timeByRules(t *testing.T, text string, c constants, by rules) int64 {
	t.Helper()
	w := &ruled{constants: c, rules: by}
	if err := goal.Read(strings.NewReader(text), w); err != nil {
		t.Fatal(err)
	}
	for i := range w.ranks {
		r := &w.ranks[i]
		var ready []int32
		for op := range r.ops {
			if r.ops[op].left == 0 {
				ready = append(ready, int32(op))
			}
		}
		w.start(r, ready)
	}
	for len(w.events) > 0 {
		e := heap.Pop(&w.events).(*ruledEvent)
		switch {
		case e.from != nil:
			w.message(e)
		case e.step == sent:
			e.rank.cpu = max(e.rank.cpu, e.at)
			w.done(e.rank, e.op)
		case w.waits:
			w.operation(e)
		}
	}
	last := int64(0)
	for i := range w.ranks {
		r := &w.ranks[i]
		if len(r.posted)+len(r.kept) > 0 {
			t.Fatalf("rank %d has %d receives and %d messages left", r.id, len(r.posted), len(r.kept))
		}
		last = max(last, r.cpu)
	}
	return last
}

func (w *ruled) push(e *ruledEvent, at int64) {
	if e.order == 0 {
		w.created++
		e.order = w.created
	}
	e.at = at
	heap.Push(&w.events, e)
}

// start starts operations. LogGOPSim orders them by kind. Here, they begin at once.
func (w *ruled) start(r *ruledRank, ops []int32) {
	if !w.waits {
		for _, op := range ops {
			w.begin(&ruledEvent{at: r.cpu, rank: r, op: op})
		}
		return
	}
	for _, kind := range []goal.Kind{goal.Send, goal.Recv, goal.Calc} {
		for _, op := range ops {
			if r.ops[op].Kind == kind {
				w.push(&ruledEvent{rank: r, op: op}, r.cpu)
			}
		}
	}
}

// done completes an operation. Its successors start after all operations that start now.
func (w *ruled) done(r *ruledRank, op int32) {
	r.complete = append(r.complete, op)
	if len(r.complete) > 1 {
		return
	}
	for i := 0; i < len(r.complete); i++ {
		var ready []int32
		for _, next := range r.ops[r.complete[i]].next {
			if r.ops[next].left--; r.ops[next].left == 0 {
				ready = append(ready, next)
			}
		}
		w.start(r, ready)
	}
	r.complete = r.complete[:0]
}

// operation begins an operation when its resources are free.
func (w *ruled) operation(e *ruledEvent) {
	r, free := e.rank, e.rank.cpu
	switch r.ops[e.op].Kind {
	case goal.Send:
		free = max(free, r.out.free)
	case goal.Recv:
		free = 0
	}
	if free > e.at {
		w.push(e, free)
		return
	}
	w.begin(e)
}

// begin begins an operation.
func (w *ruled) begin(e *ruledEvent) {
	r := e.rank
	o := &r.ops[e.op]
	switch o.Kind {
	case goal.Calc:
		r.cpu = e.at + o.Size
		w.done(r, e.op)
	case goal.Recv:
		for i, m := range r.kept {
			if o.Peer == m.from.id {
				r.kept = append(r.kept[:i:i], r.kept[i+1:]...)
				w.match(m, e.op, e.at)
				return
			}
		}
		r.posted = append(r.posted, e)
	case goal.Send:
		m := &ruledEvent{rank: &w.ranks[o.Peer], op: e.op, from: r}
		eager := o.Size <= w.S
		if !eager && !w.immediate {
			m.step = request
		}
		r.cpu = e.at + w.o
		if w.waits {
			w.push(m, r.out.start(e.at, m.step, w.g, w.carry(m))+w.o+w.L)
		} else {
			w.leave(m, r)
		}
		if eager {
			w.done(r, e.op)
		}
	}
}

// carry returns the time of the bytes of a message.
func (w *ruled) carry(m *ruledEvent) int64 {
	if m.step == request || m.step == answer {
		return 0
	}
	return w.bytes(m.from.ops[m.op].Size)
}

// leave sends a message at a rank's time.
func (w *ruled) leave(m *ruledEvent, r *ruledRank) {
	at := r.out.start(r.cpu, m.step, w.g, w.carry(m))
	w.push(m, at+w.L)
	if m.step == payload {
		w.push(&ruledEvent{rank: r, op: m.op, step: sent}, at+w.carry(m))
	}
}

// message processes the arrival of a message: its first byte, and later its last one.
func (w *ruled) message(m *ruledEvent) {
	r := m.rank
	switch {
	case w.occupies:
		if free := max(r.cpu, r.in.free); free > m.at {
			w.push(m, free)
			return
		}
		r.cpu = r.in.start(m.at, m.step, w.g, w.carry(m)) + w.o + w.carry(m)
	case !m.whole:
		m.whole = true
		if at := r.in.start(m.at, m.step, w.g, w.carry(m)) + w.carry(m); at > m.at {
			w.push(m, at)
			return
		}
	}
	switch m.step {
	case answer:
		r.cpu = max(r.cpu, m.at) + w.o
		w.leave(&ruledEvent{rank: &w.ranks[r.ops[m.op].Peer], op: m.op, from: r, step: payload, recv: m.recv}, r)
	case payload:
		r.cpu = max(r.cpu, m.at) + w.o
		w.done(r, m.recv)
	default:
		for i, p := range r.posted {
			if r.ops[p.op].Peer == m.from.id {
				r.posted = append(r.posted[:i:i], r.posted[i+1:]...)
				w.match(m, p.op, m.at)
				return
			}
		}
		r.kept = append(r.kept, m)
	}
}

// match matches a message with a receive.
func (w *ruled) match(m *ruledEvent, recv int32, at int64) {
	r, from := m.rank, m.from
	if !w.occupies || m.step == request {
		r.cpu = max(r.cpu, at) + w.o
	}
	if m.step == request {
		w.leave(&ruledEvent{rank: from, op: m.op, from: r, step: answer, recv: recv}, r)
		return
	}
	if from.ops[m.op].Size > w.S {
		from.cpu, from.out.free = max(from.cpu, at), max(from.out.free, at)
		w.done(from, m.op)
	}
	w.done(r, recv)
}
