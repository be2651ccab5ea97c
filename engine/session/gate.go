package session

import (
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
)

// verdict is the decision of rank 0 between iterations. The largest verdict of all ranks applies;
// the other ranks always contribute proceed.
type verdict int64

const (
	proceed       verdict = iota
	publishCounts         // every rank publishes its counts, all of complete iterations
	hold                  // likewise, and rank 0 waits at the gate
	end
)

// gate decides before each iteration whether rank 0 may continue. It outlives a run: a paused
// session stays paused when a knob rebuilds the cluster.
type gate struct {
	mu      sync.Mutex
	change  sync.Cond
	paused  bool
	steps   int          // iterations that may pass despite the pause
	closed  bool         // no further iteration in this run
	expired bool         // no further iteration after the first
	waiting bool         // rank 0 waits at the gate
	limit   int          // iterations per run; 0: no limit
	until   cluster.Time // the fabric's time from which no iteration starts; 0: no limit
	linger  bool         // until pauses instead of ending the run
	arrived func()       // called when rank 0 begins to wait; nil: not called
}

func newGate(l Limits, linger bool) *gate {
	g := &gate{limit: l.Iterations, until: l.Until, linger: linger}
	g.change.L = &g.mu
	return g
}

// ask returns the verdict for the next iteration after done ones, at time now of the fabric's
// clock.
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
		return proceed
	case g.steps > 0:
		g.steps--
		return proceed
	}
	return hold
}

// wait blocks until ask returns another verdict than hold.
func (g *gate) wait() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.paused && g.steps == 0 && !g.closed && !g.expired {
		if !g.waiting && g.arrived != nil {
			g.arrived()
		}
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

// step lets one iteration pass and then pauses. In a running session the current iteration counts
// as that one.
func (g *gate) step() {
	g.set(func() {
		if g.paused {
			g.steps++
		}
		g.paused = true
	})
}

// takeSteps returns whether the session is paused, and the steps that were requested since the last call.
func (g *gate) takeSteps() (paused bool, steps int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	steps, g.steps = g.steps, 0
	return g.paused, steps
}

// isPaused reports whether no further iteration may start until the user resumes.
func (g *gate) isPaused() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.paused && g.steps == 0 && !g.closed && !g.expired
}

// isWaiting reports whether rank 0 waits at the gate.
func (g *gate) isWaiting() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.waiting && g.paused && g.steps == 0 && !g.closed && !g.expired
}
