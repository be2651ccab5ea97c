package workload

import "github.com/hybridtop/hybridtop/cluster"

// marker is a port whose trace explains the last timed part.
type marker interface{ Mark(begin bool) }

// BeginNow begins a timed part without waiting for other ranks, and returns the time. A traced
// simulation explains the last part that has ended.
func BeginNow(r *cluster.Rank) cluster.Time {
	now := r.Now()
	mark(r, true)
	return now
}

// End ends a timed part and returns the time.
func End(r *cluster.Rank) cluster.Time {
	now := r.Now()
	mark(r, false)
	return now
}

// MarkEnd ends a timed part without a reading of the clock.
func MarkEnd(r *cluster.Rank) { mark(r, false) }

func mark(r *cluster.Rank, begin bool) {
	if m, ok := r.Lib().Port().(marker); ok {
		m.Mark(begin)
	}
}
