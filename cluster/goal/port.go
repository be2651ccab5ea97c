package goal

import (
	"cmp"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// clocked is a port or a poster whose clock can be read without a charge.
type clocked interface{ Clock() cluster.Time }

// port records the operations that the program of a rank posts.
type port struct {
	cluster.Port
	clock  clocked
	s      *rankRecorder
	region bool // a thread of a parallel region, which has no messages
}

// Clock returns the thread's own time.
func (p *port) Clock() cluster.Time { return p.clock.Clock() }

// check ends the rank if one of its continuations or threads was refused.
func (p *port) check() {
	if p.s.trouble != nil && !p.region {
		panic(refusal{p.s.trouble})
	}
}

// refuse ends the rank, a parallel region only at its end.
func (p *port) refuse(call, hint string) {
	if p.s.trouble == nil {
		p.s.trouble = p.s.refused(call, hint)
	}
	p.check()
}

// oneThread is the hint about messages inside a parallel region.
const oneThread = "only one thread of a rank has messages: leave the parallel region first, or use one thread per rank"

// Post implements cluster.Port.
func (p *port) Post(op *cluster.Op) cluster.Handle {
	p.check()
	s := p.s
	if h := hint(op); h != "" {
		p.refuse(callOf(op), h)
	}
	h := request{ops: [2]int32{-1, -1}}
	switch op.Kind {
	case cluster.KindSend, cluster.KindRecv, cluster.KindBarrier, cluster.KindEvent, cluster.KindFire, cluster.KindWork:
		if p.region && op.Kind != cluster.KindWork {
			p.refuse(callOf(op), oneThread)
		}
	default:
		h.handle = p.Port.Post(op)
		if h.handle == 0 {
			return 0
		}
		return s.hold(h)
	}
	if op.Then != nil && !p.region {
		return p.postGraph(op)
	}
	switch op.Kind {
	case cluster.KindWork:
		before := p.Clock()
		p.Port.Post(op)
		p.addComputation(before)
		return 0
	case cluster.KindSend, cluster.KindRecv:
		s.flushComputation()
		h.ops[0], h.receives = s.add(s.message(op)), op.Kind == cluster.KindRecv
	case cluster.KindBarrier:
		s.flushComputation()
		h.ops = s.barrier(op.Ctx)
	case cluster.KindFire:
		s.flushComputation()
		s.fire(p.Port, op, s.add(record{Op: Op{Kind: Calc}}))
		return 0
	}
	h.handle = p.Port.Post(op)
	h.done = op.Done
	return s.hold(h)
}

// fire fires an event, which also completes these operations.
func (s *rankRecorder) fire(to cluster.Poster, op *cluster.Op, complete ...int32) {
	of := op.Event
	at := s.find(of)
	at.more = append(at.more, complete...)
	op.Event = at.handle
	to.Post(op)
	op.Event = of
}

// addComputation adds the computation of the program since a time.
func (p *port) addComputation(since cluster.Time) {
	if !p.region {
		p.s.computed += p.Clock() - since
	}
}

// noGraph is the hint about continuations whose dependencies are not known.
const noGraph = "the dependencies of its continuation are not known: wait for it in the program"

// postGraph posts the first operation of a graph.
func (p *port) postGraph(op *cluster.Op) cluster.Handle {
	s := p.s
	g, is := op.Then.(graph)
	if !is || op.Kind != cluster.KindWork || op.A != 0 || op.B != 0 {
		p.refuse(callOf(op), noGraph)
	}
	s.flushComputation()
	s.recorder.stepped = true
	return s.postNode(p.Port, op, g, s.add(record{Op: Op{Kind: Calc}}))
}

// postNode posts an operation of a graph, and records its continuation.
func (s *rankRecorder) postNode(to cluster.Poster, op *cluster.Op, g graph, number int32) cluster.Handle {
	x := s.graphs[g]
	if x == nil {
		x = &graphState{needs: map[int32][]int32{}}
		s.graphs[g] = x
	}
	then := op.Then
	op.Then = &step{s: s, of: g, state: x, number: number}
	h := to.Post(op)
	op.Then = then
	return h
}

// step is the continuation of a graph, and records what it posts.
type step struct {
	s      *rankRecorder
	of     graph
	state  *graphState
	number int32 // of the complete operation
}

// Step implements cluster.Step.
func (x *step) Step(p cluster.Poster, arg int32, d cluster.Done) {
	if arg >= 0 {
		next := x.of.Next(int(arg))
		for _, i := range next {
			x.state.needs[i] = append(x.state.needs[i], x.number)
		}
		if len(next) == 0 {
			x.state.ends = append(x.state.ends, x.number)
		}
	}
	x.of.Step(poster{Poster: p, clock: p.(clocked), x: x}, arg, d)
}

// poster records what a continuation posts.
type poster struct {
	cluster.Poster
	clock clocked
	x     *step
}

// Post implements cluster.Poster.
func (p poster) Post(op *cluster.Op) cluster.Handle {
	x := p.x
	s := x.s
	if op.Kind == cluster.KindFire {
		s.fire(p.Poster, op, x.state.ends...)
		x.state.ends = x.state.ends[:0]
		return 0
	}
	why := hint(op)
	if g, is := op.Then.(graph); !is || g != x.of ||
		op.Kind != cluster.KindSend && op.Kind != cluster.KindRecv && op.Kind != cluster.KindWork {
		why = cmp.Or(why, noGraph)
	}
	if why != "" {
		if s.trouble == nil {
			s.trouble = s.refused(callOf(op), why)
		}
		return p.Poster.Post(op)
	}
	requires := x.state.needs[op.ThenArg]
	delete(x.state.needs, op.ThenArg)
	if len(requires) == 0 {
		requires = append(requires, x.number)
	}
	if op.Kind != cluster.KindWork {
		r := s.message(op)
		r.requires = requires
		return s.postNode(p.Poster, op, x.of, s.recorder.add(s, r))
	}
	before := p.clock.Clock()
	h := s.postNode(p.Poster, op, x.of, s.ops)
	ns := wholeNs(p.clock.Clock() - before)
	s.recorder.add(s, record{Op: Op{Kind: Calc, Size: ns}, after: -1, requires: requires})
	return h
}

// Now implements cluster.Port. Reading the clock may take time.
func (p *port) Now() cluster.Time {
	p.check()
	before := p.Clock()
	t := p.Port.Now()
	p.addComputation(before)
	return t
}

// Wait implements cluster.Port.
func (p *port) Wait(hs []cluster.Handle, need int) {
	p.check()
	s := p.s
	inner := s.inner
	if p.region {
		inner = nil
	} else if need > 0 {
		s.beginWait()
	}
	for _, h := range hs {
		if h == 0 {
			need--
			continue
		}
		p.checkWait(s.find(h))
		if s.find(h).handle == 0 {
			need--
			continue
		}
		inner = append(inner, s.find(h).handle)
	}
	s.inner = inner[:0]
	if need <= 0 {
		p.Port.Wait(nil, 0)
	} else {
		p.Port.Wait(inner, need)
	}
	p.check()
}

// checkWait refuse to let a thread of a region wait for messages.
func (p *port) checkWait(x *request) {
	if p.region && x.ops[0] >= 0 {
		p.refuse("wait", oneThread)
	}
}

// Test implements cluster.Port.
func (p *port) Test(h cluster.Handle, d *cluster.Done) bool {
	p.check()
	if h == 0 {
		return p.Port.Test(h, d)
	}
	x := p.s.find(h)
	p.checkWait(x)
	if x.handle == 0 {
		*d = x.done
	} else if !p.Port.Test(x.handle, d) {
		return false
	}
	if !p.region {
		p.s.flushComputation() // before the test
	}
	p.s.complete(h)
	return true
}

// Peek implements cluster.Port.
func (p *port) Peek(h cluster.Handle) bool {
	if h == 0 {
		return true
	}
	x := p.s.find(h)
	return x.handle == 0 || p.Port.Peek(x.handle)
}

// Cancel implements cluster.Port.
func (p *port) Cancel(h cluster.Handle) bool {
	if x := p.s.find(h); x.handle != 0 && x.receives && !p.Port.Peek(x.handle) {
		p.refuse("cancel of a receive", "every receive there has its message: receive it")
	}
	return false
}

// Progress implements cluster.Port.
func (p *port) Progress() {
	p.check()
	p.Port.Progress()
}

// Compute implements cluster.Port.
func (p *port) Compute(w cluster.Work, body func()) {
	p.check()
	before := p.Clock()
	p.Port.Compute(w, body)
	p.addComputation(before)
}

// Team implements cluster.Port.
func (p *port) Team(ctx int32, ranks []int32) {
	if ranks == nil {
		delete(p.s.teams, ctx)
	} else {
		p.s.teams[ctx] = ranks
	}
	p.Port.Team(ctx, ranks)
}

// Reach implements cluster.Port. Loads and stores are invisible, so they are refused.
func (p *port) Reach(rank int) []byte {
	p.check()
	b := p.Port.Reach(rank)
	if b != nil && rank != p.ID() {
		load := cluster.Op{Kind: cluster.KindLoad}
		p.refuse(fmt.Sprintf("loads and stores at rank %d", rank), hint(&load))
	}
	return b
}

// Fork implements cluster.Port. A region of several threads is a calculation and has no
// messages.
func (p *port) Fork(n int, body func(cluster.Port, int)) {
	p.check()
	before := p.Clock()
	p.Port.Fork(n, func(q cluster.Port, thread int) {
		body(&port{Port: q, clock: q.(clocked), s: p.s, region: n > 1}, thread)
	})
	if n > 1 {
		p.addComputation(before)
	}
	p.check()
}
