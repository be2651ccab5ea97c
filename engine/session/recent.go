package session

import (
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// recentCounts is the number of samples in a second, plus the one before.
const recentCounts = 32

// recentTime is the span of recent traffic on the session's clock.
const recentTime = time.Second

// recent holds the counts of the latest samples in which time passed. Their difference is the
// traffic of the last second. Counts are immutable once taken.
type recent struct {
	ring  [recentCounts]countsAt
	taken int
}

// countsAt holds the counts of a launch at one moment.
type countsAt struct {
	at      time.Duration
	spent   cluster.Time // mean over ranks
	traffic [cluster.Classes]int64
	pairs   [][]int64 // nil: none yet, or not counted
}

// take stores the counts of a sample.
func (r *recent) take(at time.Duration, f *frame) {
	spent := f.spent / cluster.Time(max(f.ranks, 1))
	if r.taken > 0 && spent <= r.last(0).spent {
		return
	}
	r.ring[r.taken%recentCounts] = countsAt{at: at, spent: spent, traffic: f.traffic.Bytes, pairs: f.pairs}
	r.taken++
}

// last returns the nth latest counts; 0 is the latest.
func (r *recent) last(n int) *countsAt { return &r.ring[(r.taken-1-n)%recentCounts] }

// view returns the traffic of the last second before the latest sample.
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
