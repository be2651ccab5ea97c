package goal

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// side is one rank's part of a trace.
type side struct {
	trace   *Trace
	id      int32
	ops     int32
	buf     []byte
	chunks  []chunk
	trouble error // of a step, which cannot end the rank

	last   int32        // that the program has posted; −1: none
	seen   []int32      // that it has seen complete since
	waited bool         // for one of them
	rest   cluster.Time // that it has computed since, and the remainder of a ns before

	held  []held // by number of the handle
	free  []uint32
	inner []cluster.Handle // scratch of a wait
	teams map[int32][]int32
	steps map[cluster.Step]*steps
}

// held is an operation that the program has a handle of.
type held struct {
	handle   cluster.Handle // the fabric's; 0: it was complete at once
	done     cluster.Done   // in that case
	ops      [2]int32       // that are complete with it; −1: none
	more     []int32        // likewise, of an event
	gen      uint32
	used     bool
	receives bool
}

// graph is a step whose operations are nodes that wait for each other, as those of a
// schedule do: Next lists, by ThenArg, those that wait for one.
type graph interface {
	cluster.Step
	Next(node int) []int32
}

// steps is what is known of a graph under way.
type steps struct {
	needs map[int32][]int32 // by node: what it waits for, as far as that is complete
	ends  []int32           // complete operations that no node waits for
}

func newSide(t *Trace, id int32) *side {
	return &side{trace: t, id: id, last: -1, teams: map[int32][]int32{}, steps: map[cluster.Step]*steps{}}
}

// end ends the program of the rank: what it has computed last is a calculation.
func (s *side) end() { s.computes() }

// computes writes down what the program has computed since its last operation.
func (s *side) computes() {
	ns := (s.rest + cluster.Nanosecond/2) / cluster.Nanosecond
	if ns <= 0 {
		return
	}
	s.rest -= ns * cluster.Nanosecond
	i := s.follows(record{kind: calc, size: int64(ns)})
	s.seen = append(s.seen, i)
}

// waits writes down what comes before a wait of the program: what it has computed, or else an
// empty calculation after what it has waited for since its last operation, as the order of
// waits says when it pays for what.
func (s *side) waits() {
	s.computes()
	if s.waited {
		s.seen = append(s.seen, s.follows(record{kind: calc}))
	}
}

// follows writes down the next operation of the program.
func (s *side) follows(r record) int32 {
	slices.Sort(s.seen)
	r.requires = slices.Compact(s.seen)
	r.after = s.last
	if slices.Contains(r.requires, s.last) {
		r.after = -1
	}
	s.last = s.trace.add(s, r)
	s.seen, s.waited = s.seen[:0], false
	return s.last
}

// message is a send or a receive as it is written. GOAL knows no empty ones.
func (s *side) message(op *cluster.Op) record {
	s.trace.asked = s.trace.asked || op.Bytes() > s.trace.eager && op.Kind == cluster.KindSend
	r := record{kind: send, peer: op.Peer, size: max(op.Bytes(), 1), tag: s.trace.tagOf(op.Ctx, op.Tag), after: -1}
	if op.Kind == cluster.KindRecv {
		r.kind = recv
	}
	return r
}

// barrier writes down a barrier's messages, and gives the two with which it ends.
func (s *side) barrier(ctx int32) (ends [2]int32) {
	ranks := s.teams[ctx]
	n, me := len(ranks), slices.Index(ranks, s.id)
	ends = [2]int32{-1, -1}
	number := s.trace.tagOf(ctx, cluster.AnyTag)
	first := int32(-1)
	for step := 1; step < n; step *= 2 {
		out := record{kind: send, peer: ranks[(me+step)%n], tag: number, size: 1, after: -1}
		in := record{kind: recv, peer: ranks[(me+n-step)%n], tag: number, size: 1}
		if first < 0 {
			ends[0] = s.follows(out)
		} else {
			out.requires = ends[:]
			ends[0] = s.trace.add(s, out)
		}
		in.after = ends[0]
		if ends[1] = s.trace.add(s, in); first < 0 {
			first = ends[1]
			s.last = first
		}
	}
	return ends
}

// hold gives the program a handle.
func (s *side) hold(h held) cluster.Handle {
	var i uint32
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		i = uint32(len(s.held))
		s.held = append(s.held, held{})
	}
	h.gen, h.used = s.held[i].gen+1, true
	s.held[i] = h
	return cluster.Handle(h.gen)<<32 | cluster.Handle(i+1)
}

// find gives what a handle names.
func (s *side) find(h cluster.Handle) *held {
	i := uint32(h) - 1
	if int(i) >= len(s.held) || !s.held[i].used || s.held[i].gen != uint32(h>>32) {
		panic("goal: a handle that names nothing under way")
	}
	return &s.held[i]
}

// sees takes back a handle whose operation the program knows to be complete.
func (s *side) sees(h cluster.Handle) {
	x := s.find(h)
	for _, i := range append(x.ops[:], x.more...) {
		if i >= 0 {
			s.seen = append(s.seen, i)
			s.waited = s.waited || x.handle != 0
		}
	}
	*x = held{gen: x.gen}
	s.free = append(s.free, uint32(h)-1)
}

// refused is the error about a call that GOAL cannot say.
func (s *side) refused(call, hint string) error {
	return fmt.Errorf("rank %d: %s: not in GOAL: %s", s.id, call, hint)
}

// callOf names an operation.
func callOf(op *cluster.Op) string {
	way := " to "
	if op.Kind == cluster.KindRecv || op.Kind == cluster.KindGet || op.Kind >= cluster.KindIprobe && op.Kind <= cluster.KindMprobe {
		way = " from "
	}
	switch {
	case !op.Kind.HasPeer():
		return op.Kind.String()
	case op.Peer < 0:
		return op.Kind.String() + way + "any"
	}
	return op.Kind.String() + way + fmt.Sprint(op.Peer)
}

// hint says what a program may use in place of an operation; "": GOAL can say that.
func hint(op *cluster.Op) string {
	switch op.Kind {
	case cluster.KindRecv:
		if op.Tag == cluster.AnyTag {
			return "a tag there is of one team: give the tag"
		}
	case cluster.KindSsend:
		return "no send waits for its receive whatever its size: use a send"
	case cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe, cluster.KindMrecv:
		return "it has no probes: use a receive"
	case cluster.KindPut, cluster.KindGet, cluster.KindAtomic, cluster.KindAwait, cluster.KindRPC:
		return "it has messages alone: use two-sided ones (of a collective, transfer two-sided)"
	case cluster.KindRaise, cluster.KindReached, cluster.KindLoad:
		return "it has messages, and no loads of what others have: use an algorithm of messages"
	case cluster.KindTree:
		return "it has messages, and no collective network: use an algorithm of messages"
	case cluster.KindLaunch:
		return "it has no devices: leave them out"
	}
	return ""
}
