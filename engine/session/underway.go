package session

import (
	"math"
	"sync/atomic"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// fraction is how much of an iteration a rank has done; the zero one: it does not say.
type fraction struct{ bits atomic.Uint64 } // of the share, and 1

func (s *fraction) none() { s.bits.Store(0) }

func (s *fraction) set(done, of int) {
	s.bits.Store(1 + math.Float64bits(float64(done)/float64(max(of, 1))))
}

// get gives the share, NaN: the rank does not say.
func (s *fraction) get() float64 {
	if b := s.bits.Load(); b != 0 {
		return math.Float64frombits(b - 1)
	}
	return math.NaN()
}

// least is the smaller of two shares that are known.
func least(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

// underway follows the iteration under way on the wall clock.
type underway struct {
	at    time.Duration // of the last look, since the session began
	spent time.Duration // on this iteration until then, pauses left out
	done  int           // iterations before this one
	took  time.Duration // that the one before took; 0: there was none, or several since the last look
	first step          // that was seen in this iteration
	last  step
}

// step is a share and when it was seen first.
type step struct {
	share float64
	spent time.Duration
	seen  bool
}

// pass takes in what a run's ranks have done by now. Only what happened counts as
// spent: a look at the beginning of a pause takes the time before it.
func (u *underway) pass(now time.Duration, running bool, f *frame, handle cluster.Run) engine.Progress {
	if running {
		u.spent += now - u.at
	}
	u.at = now
	if n := f.iterations - u.done; n > 0 {
		took := u.spent
		if n > 1 {
			took = 0
		}
		*u = underway{at: now, done: f.iterations, took: took}
	}
	if !math.IsNaN(f.share) && (!u.last.seen || f.share > u.last.share) {
		u.last = step{f.share, u.spent, true}
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

// left estimates by the steps done since the first one that was seen, or else by the
// iteration before; 0: neither tells.
func (u *underway) left() time.Duration {
	if gone := u.last.share - u.first.share; gone > 0 {
		each := float64(u.last.spent-u.first.spent) / gone
		return max(0, time.Duration((1-u.last.share)*each)-(u.spent-u.last.spent))
	}
	return max(0, u.took-u.spent)
}
