package goal

import (
	"cmp"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// clocked is a port or a poster whose clock can be seen without a look that costs time.
type clocked interface{ Clock() cluster.Time }

// port writes down what the program of a rank posts.
type port struct {
	cluster.Port
	clock  clocked
	s      *side
	region bool // it is a thread's in a parallel region, which has no messages
}

// Clock is the thread's own time.
func (p *port) Clock() cluster.Time { return p.clock.Clock() }

// goesOn ends the rank if one of its steps or threads has done what GOAL cannot say.
func (p *port) goesOn() {
	if p.s.trouble != nil && !p.region {
		panic(refusal{p.s.trouble})
	}
}

// refuses ends the rank, or lets a region that it is in end first.
func (p *port) refuses(call, hint string) {
	if p.s.trouble == nil {
		p.s.trouble = p.s.refused(call, hint)
	}
	p.goesOn()
}

// alone is the hint about messages of one thread among several.
const alone = "a rank has one thread of messages there: leave parallel regions first, or use one thread a rank"

// Post implements cluster.Port.
func (p *port) Post(op *cluster.Op) cluster.Handle {
	p.goesOn()
	s := p.s
	if h := hint(op); h != "" {
		p.refuses(callOf(op), h)
	}
	h := held{ops: [2]int32{-1, -1}}
	switch op.Kind {
	case cluster.KindSend, cluster.KindRecv, cluster.KindBarrier, cluster.KindEvent, cluster.KindFire, cluster.KindWork:
		if p.region && op.Kind != cluster.KindWork {
			p.refuses(callOf(op), alone)
		}
	default:
		if h.handle = p.Port.Post(op); h.handle == 0 {
			return 0
		}
		return s.hold(h)
	}
	if op.Then != nil && !p.region {
		return p.begins(op)
	}
	switch op.Kind {
	case cluster.KindWork:
		before := p.Clock()
		p.Port.Post(op)
		p.computed(before)
		return 0
	case cluster.KindSend, cluster.KindRecv:
		s.computes()
		h.ops[0], h.receives = s.follows(s.message(op)), op.Kind == cluster.KindRecv
	case cluster.KindBarrier:
		s.computes()
		h.ops = s.barrier(op.Ctx)
	case cluster.KindFire:
		s.computes()
		s.fires(p.Port, op, s.follows(record{kind: calc}))
		return 0
	}
	h.handle = p.Port.Post(op)
	h.done = op.Done
	return s.hold(h)
}

// fires fires an event, for which so many more operations are complete.
func (s *side) fires(to cluster.Poster, op *cluster.Op, complete ...int32) {
	of := op.Event
	at := s.find(of)
	at.more = append(at.more, complete...)
	op.Event = at.handle
	to.Post(op)
	op.Event = of
}

// computed counts what the program has computed since a time.
func (p *port) computed(since cluster.Time) {
	if !p.region {
		p.s.rest += p.Clock() - since
	}
}

// unknown is the hint about steps that do not tell what waits for what.
const unknown = "what goes on with it does not tell what waits for what: wait for it in the program"

// begins posts an operation whose step goes on without the program.
func (p *port) begins(op *cluster.Op) cluster.Handle {
	s := p.s
	g, is := op.Then.(graph)
	if !is || op.Kind != cluster.KindWork || op.A != 0 || op.B != 0 {
		p.refuses(callOf(op), unknown)
	}
	s.computes()
	s.trace.stepped = true
	return s.detached(p.Port, op, g, s.follows(record{kind: calc}))
}

// detached posts an operation whose step is written down as well.
func (s *side) detached(to cluster.Poster, op *cluster.Op, g graph, number int32) cluster.Handle {
	x := s.steps[g]
	if x == nil {
		x = &steps{needs: map[int32][]int32{}}
		s.steps[g] = x
	}
	then := op.Then
	op.Then = &step{s, g, x, number}
	h := to.Post(op)
	op.Then = then
	return h
}

// step goes on for a graph, and writes down what it posts.
type step struct {
	s      *side
	of     graph
	known  *steps
	number int32 // of the operation that is complete
}

// Step implements cluster.Step.
func (x *step) Step(p cluster.Poster, arg int32, d cluster.Done) {
	if arg >= 0 {
		next := x.of.Next(int(arg))
		for _, i := range next {
			x.known.needs[i] = append(x.known.needs[i], x.number)
		}
		if len(next) == 0 {
			x.known.ends = append(x.known.ends, x.number)
		}
	}
	x.of.Step(poster{p, p.(clocked), x}, arg, d)
}

// poster writes down what a step posts.
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
		s.fires(p.Poster, op, x.known.ends...)
		x.known.ends = x.known.ends[:0]
		return 0
	}
	why := hint(op)
	if g, is := op.Then.(graph); !is || g != x.of || op.Kind != cluster.KindSend && op.Kind != cluster.KindRecv && op.Kind != cluster.KindWork {
		why = cmp.Or(why, unknown)
	}
	if why != "" {
		if s.trouble == nil {
			s.trouble = s.refused(callOf(op), why)
		}
		return p.Poster.Post(op)
	}
	requires := x.known.needs[op.ThenArg]
	delete(x.known.needs, op.ThenArg)
	if len(requires) == 0 {
		requires = append(requires, x.number)
	}
	if op.Kind != cluster.KindWork {
		r := s.message(op)
		r.requires = requires
		return s.detached(p.Poster, op, x.of, s.trace.add(s, r))
	}
	before := p.clock.Clock()
	h := s.detached(p.Poster, op, x.of, s.ops)
	ns := (p.clock.Clock() - before + cluster.Nanosecond/2) / cluster.Nanosecond
	s.trace.add(s, record{kind: calc, size: int64(ns), after: -1, requires: requires})
	return h
}

// Now implements cluster.Port. A look at the clock takes time where it takes some.
func (p *port) Now() cluster.Time {
	p.goesOn()
	before := p.Clock()
	t := p.Port.Now()
	p.computed(before)
	return t
}

// Wait implements cluster.Port.
func (p *port) Wait(hs []cluster.Handle, need int) {
	p.goesOn()
	s := p.s
	inner := s.inner
	if p.region {
		inner = nil
	} else if need > 0 {
		s.waits()
	}
	for _, h := range hs {
		if h == 0 {
			need--
			continue
		}
		p.looksAt(s.find(h))
		if s.find(h).handle == 0 {
			need--
			continue
		}
		inner = append(inner, s.find(h).handle)
	}
	s.inner = inner[:0] // threads of a region wait one beside the other
	if need <= 0 {
		p.Port.Wait(nil, 0)
	} else {
		p.Port.Wait(inner, need)
	}
	p.goesOn()
}

// looksAt refuses to let a thread of a region wait for messages.
func (p *port) looksAt(x *held) {
	if p.region && x.ops[0] >= 0 {
		p.refuses("wait", alone)
	}
}

// Test implements cluster.Port.
func (p *port) Test(h cluster.Handle) (d cluster.Done, ok bool) {
	p.goesOn()
	if h == 0 {
		return p.Port.Test(h)
	}
	x := p.s.find(h)
	p.looksAt(x)
	if x.handle == 0 {
		d, ok = x.done, true
	} else {
		d, ok = p.Port.Test(x.handle)
	}
	if ok {
		if !p.region {
			p.s.computes() // before it found out
		}
		p.s.sees(h)
	}
	return d, ok
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
		p.refuses("cancel of a receive", "every receive there has its message: receive it")
	}
	return false
}

// Progress implements cluster.Port.
func (p *port) Progress() {
	p.goesOn()
	p.Port.Progress()
}

// Compute implements cluster.Port.
func (p *port) Compute(w cluster.Work, body func()) {
	p.goesOn()
	before := p.Clock()
	p.Port.Compute(w, body)
	p.computed(before)
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

// Reach implements cluster.Port: loads and stores cannot be seen.
func (p *port) Reach(rank int) []byte {
	p.goesOn()
	b := p.Port.Reach(rank)
	if b != nil && rank != p.ID() {
		load := cluster.Op{Kind: cluster.KindLoad}
		p.refuses(fmt.Sprintf("loads and stores at rank %d", rank), hint(&load))
	}
	return b
}

// Fork implements cluster.Port. A region of several threads is a calculation, and has
// no messages.
func (p *port) Fork(n int, body func(cluster.Port, int)) {
	p.goesOn()
	before := p.Clock()
	p.Port.Fork(n, func(q cluster.Port, thread int) { body(&port{q, q.(clocked), p.s, n > 1}, thread) })
	if n > 1 {
		p.computed(before)
	}
	p.goesOn()
}
