package session

import (
	"math"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// visible is the time that a simulated iteration takes on the screen, unless the user chooses a
// pace. It makes the ranks' changes visible and leaves the host time for other work.
const visible = 50 * time.Millisecond

// pace returns virtual seconds per wall second, or 0 for full speed. With automatic pace, a run
// has full speed until its first iterations show how long one takes.
func pace(sc *engine.Scenario, done *frame, screen bool) float64 {
	if sc.Text("pace") != "auto" {
		return sc.Float("pace") // 0 if max
	}
	if !screen || done.iterations == 0 {
		return 0
	}
	return done.stamp.Seconds() / float64(done.iterations) / visible.Seconds()
}

// keepPace sets the pace of a simulation if it should clearly change. A point of a sweep has full speed.
func (s *Session) keepPace(h *history, r *run) {
	handle, ok := r.handle.(cluster.Virtual)
	if !ok || s.options.unwatched {
		return
	}
	want := pace(&h.set.scenario, h.last, s.options.Linger)
	if want == r.pace ||
		want > 0 && r.pace > 0 && math.Abs(math.Log2(want/r.pace)) < 0.5 && h.set.scenario.Text("pace") == "auto" {
		return
	}
	r.pace = want
	handle.SetPace(want)
}

// patientTicks is the number of ticks that a pause waits for a simulation's iteration to end.
const patientTicks = 50

// freeze stops a simulation's clock immediately if a pause has waited too long. An iteration of
// many ranks or at a slow pace may take minutes. A step lets the iteration finish.
func (s *Session) freeze(r *run) {
	handle, ok := r.handle.(cluster.Virtual)
	if !ok {
		return
	}
	if !s.gate.isPaused() || s.gate.isWaiting() {
		r.pausedTicks = 0
		if r.frozen {
			r.frozen = false
			handle.Resume()
		}
		return
	}
	r.pausedTicks++
	if r.pausedTicks == patientTicks {
		r.frozen = true
		handle.PauseAt(0)
	}
}
