package session

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
)

// verdict is what rank 0 decides between iterations. The largest of all ranks'
// verdicts rules, and only rank 0 says more than goOn.
type verdict int64

const (
	goOn verdict = iota
	look         // every rank leaves its counts, which are those of whole iterations
	hold         // likewise, and rank 0 waits at the gate
	end
)

// gate is where rank 0 asks before each iteration whether it may go on. It
// outlasts a run: a session that is paused stays so when a knob rebuilds the
// cluster.
type gate struct {
	mu      sync.Mutex
	change  sync.Cond
	paused  bool
	steps   int          // iterations that may pass although paused
	closed  bool         // no further iteration in this run
	expired bool         // nor one after the first
	waiting bool         // rank 0 stands at the gate
	limit   int          // iterations a run; 0: none
	until   cluster.Time // the fabric's time from which no iteration starts; 0: none
	linger  bool         // it is a pause, not an end
}

func newGate(l Limits, linger bool) *gate {
	g := &gate{limit: l.Iterations, until: l.Until, linger: linger}
	g.change.L = &g.mu
	return g
}

// ask whether another iteration may start after done ones, at a time of the
// fabric's clock.
func (g *gate) ask(done int, now cluster.Time) verdict {
	g.mu.Lock()
	defer g.mu.Unlock()
	if late := g.until > 0 && now >= g.until; late && g.linger {
		g.paused, g.until = true, 0
	} else if late && done > 0 {
		return end
	}
	switch {
	case g.closed || g.expired && done > 0 || g.limit > 0 && done >= g.limit:
		return end
	case !g.paused || g.expired:
		return goOn
	case g.steps > 0:
		g.steps--
		return goOn
	}
	return hold
}

// wait blocks until ask has another answer than hold.
func (g *gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.paused && g.steps == 0 && !g.closed && !g.expired {
		g.waiting = true
		g.change.Wait()
	}
	g.waiting = false
}

func (g *gate) set(change func()) {
	g.mu.Lock()
	change()
	g.mu.Unlock()
	g.change.Broadcast()
}

func (g *gate) pause()  { g.set(func() { g.paused, g.steps = true, 0 }) }
func (g *gate) resume() { g.set(func() { g.paused, g.steps = false, 0 }) }
func (g *gate) close()  { g.set(func() { g.closed = true }) }
func (g *gate) expire() { g.set(func() { g.expired = true }) }
func (g *gate) reopen() { g.set(func() { g.closed, g.expired = false, false }) }

// step lets one iteration pass and pauses after it; the iteration under way of a
// session that runs counts as that one.
func (g *gate) step() {
	g.set(func() {
		if g.paused {
			g.steps++
		}
		g.paused = true
	})
}

// shut reports whether no further iteration may start until a user says so.
func (g *gate) shut() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.paused && g.steps == 0 && !g.closed && !g.expired
}

// standing reports whether rank 0 waits at the gate.
func (g *gate) standing() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting && g.paused && g.steps == 0 && !g.closed && !g.expired
}
