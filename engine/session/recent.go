package session

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// recentCounts are those that a second of samples can need, and the one before.
const recentCounts = 32

// recentTime is how long ago, on the session's clock, recent traffic began.
const recentTime = time.Second

// recent keeps the counts of the last samples that counted anything: what they differ by
// is the traffic of the last second. Counts are never written after they were taken.
type recent struct {
	ring  [recentCounts]counted
	taken int
}

// counted is what a launch had counted at one moment.
type counted struct {
	at      time.Duration
	spent   cluster.Time // by the ranks' mean
	traffic [cluster.Classes]int64
	pairs   [][]int64 // nil: none yet, or not counted
}

// take takes in the counts of a sample.
func (r *recent) take(at time.Duration, f *frame) {
	spent := f.spent / cluster.Time(max(f.ranks, 1))
	if r.taken > 0 && spent <= r.last(0).spent {
		return
	}
	r.ring[r.taken%recentCounts] = counted{at, spent, f.traffic.Bytes, f.pairs}
	r.taken++
}

// last is the latest but n.
func (r *recent) last(n int) *counted { return &r.ring[(r.taken-1-n)%recentCounts] }

// view is the traffic of the last second that ended in a sample.
func (r *recent) view(l *cluster.Layout) engine.Recent {
	var v engine.Recent
	blocks, shift := l.Blocks()
	if blocks > 0 {
		v.Nodes = 1 << shift
	}
	if r.taken < 2 {
		return v
	}
	now, was := r.last(0), r.last(1)
	for n := 2; n < min(r.taken, recentCounts) && was.at > now.at-recentTime; n++ {
		was = r.last(n)
	}
	v.Span = now.spent - was.spent
	for c := range v.Class {
		v.Class[c] = now.traffic[c] - was.traffic[c]
	}
	if now.pairs == nil {
		return v
	}
	v.Pairs = make([]int64, 0, blocks*blocks)
	for from, row := range now.pairs {
		v.Pairs = append(v.Pairs, row...)
		if was.pairs != nil {
			sent := v.Pairs[from*blocks:]
			for to, b := range was.pairs[from] {
				sent[to] -= b
			}
		}
	}
	return v
}
