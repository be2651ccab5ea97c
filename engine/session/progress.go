package session

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// fraction is the finished part of an iteration of a rank. The zero value means unknown.
type fraction struct{ bits atomic.Uint64 } // of the share, plus 1

func (s *fraction) clear() { s.bits.Store(0) }

func (s *fraction) set(done, of int) {
	s.bits.Store(1 + math.Float64bits(float64(done)/float64(max(of, 1))))
}

// get returns the share, or NaN if it is unknown.
func (s *fraction) get() float64 {
	if b := s.bits.Load(); b != 0 {
		return math.Float64frombits(b - 1)
	}
	return math.NaN()
}

// smallerShare returns the smaller of two shares, ignoring NaN in a or b.
func smallerShare(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

// iterationProgress follows the current iteration on the wall clock.
type iterationProgress struct {
	at    time.Duration // last look, since the start of the session
	spent time.Duration // on this iteration until then, without pauses
	done  int           // iterations before this one
	took  time.Duration // duration of the previous iteration; 0: there was none, or several since the last look
	first progressPoint // first step seen in this iteration
	last  progressPoint
}

// progressPoint is a share and the time when it was first seen.
type progressPoint struct {
	share float64
	spent time.Duration
	seen  bool
}

// update evaluates the progress of a run's ranks. Pauses do not count as spent time. A look at the
// beginning of a pause counts the time before it.
func (u *iterationProgress) update(now time.Duration, running bool, f *frame, handle cluster.Run) engine.Progress {
	if running {
		u.spent += now - u.at
	}
	u.at = now
	if n := f.iterations - u.done; n > 0 {
		took := u.spent
		if n > 1 {
			took = 0
		}
		*u = iterationProgress{at: now, done: f.iterations, took: took}
	}
	if !math.IsNaN(f.share) && (!u.last.seen || f.share > u.last.share) {
		u.last = progressPoint{share: f.share, spent: u.spent, seen: true}
		if !u.first.seen {
			u.first = u.last
		}
	}
	p := engine.Progress{Spent: u.spent, Share: math.NaN(), Left: u.left()}
	if u.last.seen {
		p.Share = u.last.share
	}
	if x, ok := handle.(cluster.Virtual); ok {
		p.Clock, p.Events = x.Seen()
	}
	return p
}

// left estimates the remaining time from the steps done since the first observed one, or else from
// the previous iteration. It returns 0 if neither is known.
func (u *iterationProgress) left() time.Duration {
	if finished := u.last.share - u.first.share; finished > 0 {
		each := float64(u.last.spent-u.first.spent) / finished
		return max(0, time.Duration((1-u.last.share)*each)-(u.spent-u.last.spent))
	}
	return max(0, u.took-u.spent)
}
