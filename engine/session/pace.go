package session

import (
	"math"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// visible is how long an iteration of a simulation takes on the screen, unless the
// user chooses a pace: ranks are seen to change, and the host has time for others.
const visible = 50 * time.Millisecond

// pace is in virtual seconds for a wall second; 0: as fast as it goes. Paced by
// itself, a run is as fast as it goes until its first iterations tell how long one
// takes.
func pace(sc *engine.Scenario, done *frame, screen bool) float64 {
	if sc.Text("pace") != "auto" {
		return sc.Float("pace") // max: 0
	}
	if !screen || done.iterations == 0 {
		return 0
	}
	return done.stamp.Seconds() / float64(done.iterations) / visible.Seconds()
}

// keepPace sets the pace of a simulation, if it should be clearly another one.
func (s *Session) keepPace(h *history, r *run) {
	handle, ok := r.handle.(cluster.Virtual)
	if !ok {
		return
	}
	want := pace(&h.set.scenario, h.last, s.options.Linger)
	if want == r.pace || want > 0 && r.pace > 0 && math.Abs(math.Log2(want/r.pace)) < 0.5 && h.set.scenario.Text("pace") == "auto" {
		return
	}
	r.pace = want
	handle.SetPace(want)
}

// patientTicks is how long a pause waits for a simulation's iteration to end.
const patientTicks = 50

// freeze stops a simulation's clock wherever it is, if a pause has waited for long:
// an iteration of many ranks, or at a slow pace, may take minutes. A step lets it
// go on to the end of the iteration.
func (s *Session) freeze(r *run) {
	handle, ok := r.handle.(cluster.Virtual)
	if !ok {
		return
	}
	if !s.gate.shut() || s.gate.standing() {
		r.shut = 0
		if r.frozen {
			r.frozen = false
			handle.Resume()
		}
		return
	}
	if r.shut++; r.shut == patientTicks {
		r.frozen = true
		handle.PauseAt(0)
	}
}
