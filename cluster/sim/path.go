package sim

import (
	"maps"
	"slices"
	"sort"

	"github.com/hybridtop/hybridtop/cluster"
)

// Segment is one piece of a critical path.
type Segment struct {
	Rank     int
	Start    cluster.Time
	Span     cluster.Time
	Constant Constant
	Note     Note // NoteNoise, NoteSlow or NoNote
	// of the first piece after a change of rank or a wait for a resource: why the path comes here, and
	// the resource that was held
	Reason   Note
	Resource Resource
	Phase    string
}

// Path is the chain of causes of a time.
type Path struct {
	Total    cluster.Time
	Share    [Causes]cluster.Time // parts of Total, by cause
	Segments []Segment            // in the order of time
	// time by constant; as segments may begin before the explained time, only these add up to it
	// exactly
	Spans [Constants]cluster.Time
	// Notes has the parts of Spans that noise and slow parts add.
	Noise, Slow cluster.Time
	Rank        int // the rank that ends last
	Account     Account
	Choices     uint64 // hash of all choices
	Records     int    // of the whole trace; each has 16 bytes
	Explained   bool   // the time between two marks, not the whole run
	Whole       bool   // the trace did not exceed its limit
}

// piece is a span of a chain, or a reason without time.
type piece struct {
	span cluster.Time
	why  Constant
	note Note
	rank int32
}

// walk calls visit for the pieces of a chain, from its end on. It stops at the end of the chain, or
// if visit returns false. id is the record of the piece, or noCause inside a barrier.
func (w *world) walk(from int32, visit func(id int32, p piece) bool) {
	t, shift := &w.trace, int32(0)
	rankOf := func(r *record) int32 { return (r.rank() + shift) % int32(len(w.ranks)) }
	for i := from; i != noCause; {
		r := t.at(i)
		if before, shifted, ok := t.follow(r, shift); ok {
			i, shift = before, shifted
			continue
		}
		if r.note() == NoNote && r.constant() == ofBarrier {
			if !visit(i, piece{rank: rankOf(r), why: ofBarrier}) {
				return
			}
			var ok bool
			if i, ok = w.walkBarrier(&t.snapshots[r.before], rankOf(r), visit); !ok {
				return
			}
			continue
		}
		if !visit(i, piece{span: r.span, why: r.constant(), note: r.note(), rank: rankOf(r)}) {
			return
		}
		i = r.before
	}
}

// path returns the chain that ends with a record.
func (w *world) path(from int32, total cluster.Time) Path {
	p := Path{Total: total, Choices: w.trace.choices(), Records: int(w.trace.records), Whole: !w.trace.full}
	w.collect(&p, from, total, func(_, _ int32) bool { return false })
	return p
}

// collect adds the pieces of a chain up to a record at which stop returns true, and returns it.
func (w *world) collect(p *Path, from int32, end cluster.Time, stop func(id, rank int32) bool) (last int32) {
	at := end
	last = noCause
	var pieces []piece // from the end on
	w.walk(from, func(id int32, x piece) bool {
		if id != noCause && stop(id, x.rank) {
			last = id
			return false
		}
		if x.why == ofBarrier && x.span == 0 {
			return true
		}
		at -= x.span
		if x.note < NoteSender {
			p.add(x, 1)
		}
		pieces = append(pieces, x)
		return true
	})
	p.Segments = joined(pieces, at)
	return last
}

// add adds the time of a piece to the sums.
func (p *Path) add(x piece, sign cluster.Time) {
	p.Spans[x.why] += sign * x.span
	p.Share[x.why.Cause()] += sign * x.span
	switch x.note {
	case NoteNoise:
		p.Noise += sign * x.span
	case NoteSlow:
		p.Slow += sign * x.span
	}
}

// joined returns the pieces of a path that begins at a time. It removes reasons without time and negative
// pieces, and joins equal neighbours. all begins with the last piece.
func joined(all []piece, begin cluster.Time) []Segment {
	var out []Segment
	reason, of := NoNote, NoResource
	for k := len(all) - 1; k >= 0; k-- {
		x := &all[k]
		if x.note >= NoteSender {
			reason, of = x.note, Resource(x.why)
			continue
		}
		s := Segment{Rank: int(x.rank), Constant: x.why, Note: x.note, Span: x.span}
		if s.Span < 0 { // time that a thread has spent on later messages of a packet train
			out = without(out, s)
			continue
		}
		if s.Span == 0 {
			continue
		}
		if n := len(out); n > 0 {
			last := &out[n-1]
			if last.Rank == s.Rank && reason == NoteHeld {
				s.Reason, s.Resource = reason, of
				reason, of = NoNote, NoResource
			} else if last.Rank == s.Rank {
				if last.Constant == s.Constant && last.Note == s.Note {
					last.Span += s.Span
					continue
				}
			} else {
				s.Reason, s.Resource = reason, of
				if reason == NoNote {
					s.Reason = last.Constant.handover()
				}
				reason, of = NoNote, NoResource
			}
		}
		out = append(out, s)
	}
	for i := range out {
		out[i].Start = begin
		begin += out[i].Span
	}
	return out
}

// without takes the span of a negative piece from the last pieces with its constant.
func without(out []Segment, s Segment) []Segment {
	for i := len(out) - 1; i >= 0 && s.Span < 0; i-- {
		if x := &out[i]; x.Constant == s.Constant && x.Rank == s.Rank {
			cut := min(x.Span, -s.Span)
			x.Span -= cut
			s.Span += cut
			if x.Span == 0 {
				out = slices.Delete(out, i, i+1)
			}
		}
	}
	return out
}

// handover returns why a path changes the rank after a piece without a recorded reason.
func (c Constant) handover() Note {
	if c < ofKernel && c&15 != ofOverhead {
		return NoteSender
	}
	return NoteContinue
}

// explained returns the path of the marked time that ends last, or of the whole run without marks.
func (w *world) explained(from int32, total cluster.Time) Path {
	t := &w.trace
	var last *interval
	rank := 0
	begins := maps.Clone(t.endless)
	for r, i := range t.last {
		if i == nil || i.part != t.parts {
			continue
		}
		begins[i.begin.cause] = i.begin.at
		if last == nil || i.end.at > last.end.at {
			last, rank = i, r
		}
	}
	if last == nil {
		return w.path(from, total)
	}
	p := Path{Rank: rank, Account: last.account, Choices: t.choices(), Records: int(t.records), Explained: true, Whole: !t.full}
	isBegin := func(id, _ int32) bool { _, ok := begins[id]; return ok }
	begin := last.begin
	if hit := w.collect(&p, last.end.cause, last.end.at, isBegin); hit != noCause {
		begin = moment{at: begins[hit], cause: hit}
	} else {
		// The chain does not contain the begin of a rank. The chains of the begin and of the end
		// have a common part, which does not count.
		// A record of a call that is alike belongs to a rank of each node.
		ancestors := map[[2]int32]bool{}
		w.walk(begin.cause, func(id int32, x piece) bool { ancestors[[2]int32{id, x.rank}] = id != noCause; return true })
		commonRank := noCause
		p = Path{Rank: rank, Account: last.account, Choices: p.Choices, Records: p.Records, Explained: true, Whole: p.Whole}
		common := w.collect(&p, last.end.cause, last.end.at, func(id, rank int32) bool {
			if ancestors[[2]int32{id, rank}] {
				commonRank = rank
				return true
			}
			return false
		})
		w.walk(begin.cause, func(id int32, x piece) bool {
			if id == common && id != noCause && x.rank == commonRank {
				return false
			}
			if x.note < NoteSender && !(x.why == ofBarrier && x.span == 0) {
				p.add(x, -1)
			}
			return true
		})
		p.Segments = after(p.Segments, begin.at)
	}
	p.Total = last.end.at - begin.at
	for i := range p.Segments {
		p.Segments[i].Phase = t.phaseAt(int32(p.Segments[i].Rank), p.Segments[i].Start)
	}
	return p
}

// after returns the pieces after a time.
func after(all []Segment, at cluster.Time) []Segment {
	for len(all) > 0 && all[0].Start < at {
		cut := min(at-all[0].Start, all[0].Span)
		all[0].Start += cut
		all[0].Span -= cut
		if all[0].Span > 0 {
			break
		}
		all = all[1:]
	}
	return all
}

// phaseAt returns the name of the part of the program in which a rank was at a time.
func (t *trace) phaseAt(rank int32, at cluster.Time) string {
	i := t.last[rank]
	if i == nil {
		return ""
	}
	k := sort.Search(len(i.phases), func(k int) bool { return i.phases[k].at > at })
	if k == 0 {
		return ""
	}
	return i.phases[k-1].name
}
