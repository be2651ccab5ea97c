package sim

import "github.com/hybridtop/hybridtop/cluster"

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
)

// Causes is the number of causes.
const Causes = 11

var causeNames = [Causes]string{"compute", "o", "L", "g", "G", "adapter", "link", "memory", "lock", "synchronization", "noise"}

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

// trace is the records of a run: a tree whose leaves are the present times.
type trace struct{ records []record }

func (t *trace) add(before int32, span cluster.Time, why Cause, rank int32) int32 {
	t.records = append(t.records, record{before, rank, why, span})
	return int32(len(t.records) - 1)
}

// piece is a part of a message's way.
type piece struct {
	why  Cause
	span cluster.Time
}

// chain adds pieces one after another, but for those that took no time.
func (t *trace) chain(before, rank int32, pieces []piece) int32 {
	for _, p := range pieces {
		if p.span > 0 {
			before = t.add(before, p.span, p.why, rank)
		}
	}
	return before
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
