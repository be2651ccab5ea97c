package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// Cause is why time passed.
type Cause uint8

// The causes, in the order in which they are reported.
const (
	CauseCompute Cause = iota
	CauseOverhead
	CauseLatency
	CauseGap
	CauseBytes
	CauseAdapter
	CauseLink
	CauseMemory
	CauseLock
	CauseSync
	CauseNoise
	CauseServer
	CauseCopy
	CauseKernel
)

// Causes is the number of causes.
const Causes = 14

var causeNames = [Causes]string{"compute", "o", "L", "g", "G", "adapter", "link", "memory", "lock", "synchronization", "noise", "message server", "copy", "kernel"}

// String names the cause.
func (c Cause) String() string { return causeNames[c] }

const noCause int32 = -1

// record is a piece of time on a chain of what had to happen before what.
type record struct {
	before int32
	rank   int32
	why    Cause
	span   cluster.Time
}

// trace is why time passed, for those who ask: a tree of records whose leaves are the
// present times, and the timeline of what threads do.
type trace struct {
	on       bool // records are kept
	watched  bool // records or a timeline are kept
	arrows   bool // the timeline has messages
	recorder *timeline.Recorder
	voyages  []voyage   // by message, where they are written down
	bySlot   [][]voyage // likewise by rank and its slots
	records  []record
}

func newTrace(on bool, s *cluster.Spec) trace {
	t := trace{on: on, recorder: timeline.Of(s)}
	if t.recorder != nil {
		t.bySlot = make([][]voyage, s.Layout.Ranks())
	}
	t.watched, t.arrows = on || t.recorder != nil, t.recorder != nil && t.recorder.Arrows()
	return t
}

// charge writes down that a span of time passed for a reason, and gives the cause of
// what follows it. It is the one place that all parts of the simulation call.
func (t *trace) charge(before int32, span cluster.Time, why Cause, rank int32) int32 {
	if !t.on || span <= 0 {
		return before
	}
	return t.add(before, span, why, rank)
}

func (t *trace) add(before int32, span cluster.Time, why Cause, rank int32) int32 {
	t.records = append(t.records, record{before, rank, why, span})
	return int32(len(t.records) - 1)
}

// way charges the way of a message up to its arrival, but for what lies in the time known
// at its front, which its thread has paid for.
func (t *trace) way(m *msg, p *passage, g, known cluster.Time) {
	if t.on {
		t.pieces(m, p, g, known)
	}
}

func (t *trace) pieces(m *msg, p *passage, g, known cluster.Time) {
	own, gap := min(p.late-p.start, p.carry), min(p.reserved-p.begin, g)
	for _, x := range [...]piece{
		{CauseMemory, p.staged - p.at}, {CauseServer, p.served - p.staged}, {CauseBytes, p.begin - p.served},
		{CauseGap, gap}, {CauseAdapter, p.reserved - p.begin - gap}, {CauseLink, p.start - p.reserved},
		{CauseBytes, own}, {p.rest, p.late - p.start - own},
		{CauseLatency, p.latency - max(p.jitter, 0)}, {CauseNoise, max(p.jitter, 0)},
	} {
		cut := min(known, max(x.span, 0))
		known -= cut
		m.cause = t.charge(m.cause, x.span-cut, x.why, m.src)
	}
}

// departure gives the cause of the time at which the last byte of a message leaves its
// adapter.
func (t *trace) departure(m *msg, p *passage, g cluster.Time) int32 {
	if !t.on {
		return m.cause
	}
	own, gap := min(p.left-p.reserved, p.carry), min(p.reserved-p.begin, g)
	left := m.cause
	for _, x := range [...]piece{
		{CauseMemory, p.staged - p.at}, {CauseServer, p.served - p.staged}, {CauseBytes, p.begin - p.served},
		{CauseGap, gap}, {CauseAdapter, p.reserved - p.begin - gap}, {CauseBytes, own}, {p.rest, p.left - p.reserved - own},
	} {
		left = t.charge(left, x.span, x.why, m.src)
	}
	return left
}

// piece is a part of a message's way.
type piece struct {
	why  Cause
	span cluster.Time
}

// Segment is one piece of a critical path.
type Segment struct {
	Rank  int
	Start cluster.Time
	Span  cluster.Time
	Why   Cause
}

// Path is the chain of causes behind the last event of a run.
type Path struct {
	Total    cluster.Time
	Share    [Causes]cluster.Time // of Total, by cause
	Segments []Segment            // in order of time
}

// path walks back from a record.
func (t *trace) path(from int32, total cluster.Time) Path {
	p := Path{Total: total}
	at := total
	for i := from; i != noCause; i = t.records[i].before {
		r := &t.records[i]
		p.Share[r.why] += r.span
		at -= r.span
		p.Segments = append(p.Segments, Segment{Rank: int(r.rank), Start: at, Span: r.span, Why: r.why})
	}
	for i, j := 0, len(p.Segments)-1; i < j; i, j = i+1, j-1 {
		p.Segments[i], p.Segments[j] = p.Segments[j], p.Segments[i]
	}
	return p
}
