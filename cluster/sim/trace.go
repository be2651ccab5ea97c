package sim

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
)

// Cause is the reason for which time passed.
type Cause uint8

// The causes, in the order of reports.
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

var causeNames = [Causes]string{"compute", "o", "L", "g", "G", "adapter", "link", "memory", "lock", "synchronization",
	"noise", "message server", "copy", "kernel"}

// String returns the name of the cause.
func (c Cause) String() string { return causeNames[c] }

const noCause int32 = -1

// record is a piece of time in a chain of dependencies.
type record struct {
	before int32
	rank   int32
	why    Cause
	span   cluster.Time
}

// trace records the causes of time: a tree of records whose leaves are the current times, and the
// timeline of threads.
type trace struct {
	on       bool // records are kept
	watched  bool // records or a timeline are kept
	arrows   bool // the timeline has messages
	recorder *timeline.Recorder
	voyages  []voyage   // by message, if recorded
	bySlot   [][]voyage // by rank and slot, if recorded
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

// charge records a span of time with its cause, and returns the record for the following time. All
// parts of the simulation call it.
func (t *trace) charge(before int32, span cluster.Time, why Cause, rank int32) int32 {
	if !t.on || span <= 0 {
		return before
	}
	return t.add(before, span, why, rank)
}

func (t *trace) add(before int32, span cluster.Time, why Cause, rank int32) int32 {
	t.records = append(t.records, record{before: before, rank: rank, why: why, span: span})
	return int32(len(t.records) - 1)
}

// way charges the way of a message up to its arrival, except for the first part, which its
// thread has already paid for.
func (t *trace) way(m *msg, p *passage, g, paid cluster.Time) {
	if t.on {
		t.pieces(m, p, g, paid)
	}
}

func (t *trace) pieces(m *msg, p *passage, g, paid cluster.Time) {
	bytes, gap := min(p.leftLinks-p.start, p.carry), min(p.reserved-p.begin, g)
	for _, x := range [...]piece{
		{CauseMemory, p.staged - p.at}, {CauseServer, p.served - p.staged}, {CauseBytes, p.begin - p.served},
		{CauseGap, gap}, {CauseAdapter, p.reserved - p.begin - gap}, {CauseLink, p.start - p.reserved},
		{CauseBytes, bytes}, {p.rest, p.leftLinks - p.start - bytes},
		{CauseLatency, p.latency - max(p.jitter, 0)}, {CauseNoise, max(p.jitter, 0)},
	} {
		cut := min(paid, max(x.span, 0))
		paid -= cut
		m.cause = t.charge(m.cause, x.span-cut, x.why, m.src)
	}
}

// departure returns the cause of the time at which the last byte of a message leaves its adapter.
func (t *trace) departure(m *msg, p *passage, g cluster.Time) int32 {
	if !t.on {
		return m.cause
	}
	bytes, gap := min(p.left-p.reserved, p.carry), min(p.reserved-p.begin, g)
	left := m.cause
	for _, x := range [...]piece{
		{CauseMemory, p.staged - p.at}, {CauseServer, p.served - p.staged}, {CauseBytes, p.begin - p.served},
		{CauseGap, gap}, {CauseAdapter, p.reserved - p.begin - gap}, {CauseBytes, bytes},
		{p.rest, p.left - p.reserved - bytes},
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

// Path is the chain of causes of the last event of a run.
type Path struct {
	Total    cluster.Time
	Share    [Causes]cluster.Time // parts of Total, by cause
	Segments []Segment            // in the order of time
}

// path returns the chain that ends with a record.
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
