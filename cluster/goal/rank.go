package goal

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// A rankRecorder records one rank.
type rankRecorder struct {
	recorder *Recorder
	id       int32
	ops      int32 // recorded operations
	buf      []byte
	chunks   []chunk
	trouble  error // of a continuation, which cannot end the rank

	last      int32        // the last operation that the program has posted, or −1
	completed []int32      // the operations that the program has found complete since
	waited    bool         // for one of them
	computed  cluster.Time // computation since, and the remainder of a nanosecond

	requests []request // by number of the handle
	free     []uint32
	inner    []cluster.Handle // scratch of a wait
	teams    map[int32][]int32
	graphs   map[cluster.Step]*graphState
}

// request is an operation of which the program has a handle.
type request struct {
	handle   cluster.Handle // the fabric's; 0: the operation was complete at once
	done     cluster.Done   // in that case
	ops      [2]int32       // the recorded operations that it completes, or −1
	more     []int32        // the same for an event
	gen      uint32
	used     bool
	receives bool
}

// graph is a continuation whose operations are nodes that wait for each other, as in a
// schedule. Next lists the nodes that wait for one; the number of a node is its ThenArg.
type graph interface {
	cluster.Step
	Next(node int) []int32
}

// graphState holds the complete operations of a graph in progress.
type graphState struct {
	needs map[int32][]int32 // by node: the complete operations that it waits for
	ends  []int32           // complete operations of the last nodes
}

func newRankRecorder(t *Recorder, id int32) *rankRecorder {
	return &rankRecorder{recorder: t, id: id, last: -1, teams: map[int32][]int32{}, graphs: map[cluster.Step]*graphState{}}
}

// flushComputation records the computation since the last operation.
func (s *rankRecorder) flushComputation() {
	ns := wholeNs(s.computed)
	if ns <= 0 {
		return
	}
	s.computed -= cluster.Time(ns) * cluster.Nanosecond
	i := s.add(record{Op: Op{Kind: Calc, Size: ns}})
	s.completed = append(s.completed, i)
}

// beginWait records the computation before a wait. After another wait it records an empty
// calculation, because the order of waits determines when the rank pays for arrived messages.
func (s *rankRecorder) beginWait() {
	s.flushComputation()
	if s.waited {
		s.completed = append(s.completed, s.add(record{Op: Op{Kind: Calc}}))
	}
}

// add records the next operation of the program.
func (s *rankRecorder) add(r record) int32 {
	slices.Sort(s.completed)
	r.requires = slices.Compact(s.completed)
	r.after = s.last
	if slices.Contains(r.requires, s.last) {
		r.after = -1
	}
	s.last = s.recorder.add(s, r)
	s.completed, s.waited = s.completed[:0], false
	return s.last
}

// message returns the record of a send or a receive. GOAL has no empty messages.
func (s *rankRecorder) message(op *cluster.Op) record {
	t := s.recorder
	t.usesRendezvous = t.usesRendezvous || op.Bytes() > t.eager && op.Kind == cluster.KindSend
	r := record{Op: Op{Kind: Send, Peer: op.Peer, Size: max(op.Bytes(), 1), Tag: t.tagOf(op.Ctx, op.Tag)}, after: -1}
	if op.Kind == cluster.KindRecv {
		r.Kind = Recv
	}
	return r
}

// barrier records the messages of a barrier, and returns the last two.
func (s *rankRecorder) barrier(ctx int32) (ends [2]int32) {
	ranks := s.teams[ctx]
	n, me := len(ranks), slices.Index(ranks, s.id)
	ends = [2]int32{-1, -1}
	number := s.recorder.tagOf(ctx, cluster.AnyTag)
	first := int32(-1)
	for distance := 1; distance < n; distance *= 2 {
		out := record{Op: Op{Kind: Send, Peer: ranks[(me+distance)%n], Tag: number, Size: 1}, after: -1}
		in := record{Op: Op{Kind: Recv, Peer: ranks[(me+n-distance)%n], Tag: number, Size: 1}}
		if first < 0 {
			ends[0] = s.add(out)
		} else {
			out.requires = ends[:]
			ends[0] = s.recorder.add(s, out)
		}
		in.after = ends[0]
		ends[1] = s.recorder.add(s, in)
		if first < 0 {
			first = ends[1]
			s.last = first
		}
	}
	return ends
}

// hold returns the program's handle of a request.
func (s *rankRecorder) hold(h request) cluster.Handle {
	var i uint32
	if n := len(s.free); n > 0 {
		i, s.free = s.free[n-1], s.free[:n-1]
	} else {
		i = uint32(len(s.requests))
		s.requests = append(s.requests, request{})
	}
	h.gen, h.used = s.requests[i].gen+1, true
	s.requests[i] = h
	return cluster.Handle(h.gen)<<32 | cluster.Handle(i+1)
}

// find returns the request of a handle.
func (s *rankRecorder) find(h cluster.Handle) *request {
	i := uint32(h) - 1
	if int(i) >= len(s.requests) || !s.requests[i].used || s.requests[i].gen != uint32(h>>32) {
		panic("goal: a handle without an operation in progress")
	}
	return &s.requests[i]
}

// complete frees the handle of an operation that the program has found complete.
func (s *rankRecorder) complete(h cluster.Handle) {
	x := s.find(h)
	for _, i := range append(x.ops[:], x.more...) {
		if i >= 0 {
			s.completed = append(s.completed, i)
			s.waited = s.waited || x.handle != 0
		}
	}
	*x = request{gen: x.gen}
	s.free = append(s.free, uint32(h)-1)
}

// refused returns the error about a call that GOAL does not have.
func (s *rankRecorder) refused(call, hint string) error {
	return fmt.Errorf("rank %d: %s: not in GOAL: %s", s.id, call, hint)
}

// callOf names an operation.
func callOf(op *cluster.Op) string {
	way := " to "
	if op.Kind == cluster.KindRecv || op.Kind == cluster.KindGet ||
		op.Kind >= cluster.KindIprobe && op.Kind <= cluster.KindMprobe {
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

// hint returns the alternative to an operation that GOAL does not have, or "".
func hint(op *cluster.Op) string {
	switch op.Kind {
	case cluster.KindRecv:
		if op.Tag == cluster.AnyTag {
			return "a tag belongs to one team: give the tag"
		}
	case cluster.KindSsend:
		return "no send always waits for its receive: use a send"
	case cluster.KindIprobe, cluster.KindProbe, cluster.KindImprobe, cluster.KindMprobe, cluster.KindMrecv:
		return "it has no probes: use a receive"
	case cluster.KindPut, cluster.KindGet, cluster.KindAtomic, cluster.KindAwait, cluster.KindRPC:
		return "it has only messages: use two-sided ones (of a collective, transfer two-sided)"
	case cluster.KindFlagAdd, cluster.KindFlagWait, cluster.KindLoad:
		return "it has messages, and no loads from other ranks: use an algorithm of messages"
	case cluster.KindTree:
		return "it has messages, and no collective network: use an algorithm of messages"
	case cluster.KindLaunch:
		return "it has no devices: leave them out"
	}
	return ""
}
