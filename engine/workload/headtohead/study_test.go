package headtohead

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// The explanation does not depend on the times of the messages; without an iteration there is
// none.
func TestExplanationWithoutTimes(t *testing.T) {
	w, err := workload.Find("headtohead")
	if err != nil {
		t.Fatal(err)
	}
	table := study.NewTable(overSizes)
	s := &engine.Snapshot{Scenario: w.Scenario([]string{"demo"}), Kind: engine.Emulated,
		Metrics: []engine.Metric{{Name: "exchange_time", Value: 1e-6, Kind: engine.Emulated}}}
	table.Begin(&s.Scenario, &cluster.Machine{EagerLimit: 8192}, s.Kind)
	for _, keeping := range []engine.Keeping{engine.Kept, engine.Unproven, engine.Behind, engine.Beyond} {
		for _, iterations := range []int{0, 1} {
			s.Keeping, s.Iteration = keeping, iterations
			why := table.Look(s).Why
			if came := strings.HasPrefix(why, "Messages of 1 KiB are sent before"); came != (iterations > 0) {
				t.Errorf("times %q after %d iterations: %q", keeping, iterations, why)
			}
		}
	}
}

// Both ranks start each exchange at the same time, so the mean does not depend on the number of iterations.
func TestAnExchangeTakesTheSameTimeInEachIteration(t *testing.T) {
	var first float64
	for _, iterations := range []int{1, 10} {
		s, err := sessiontest.Run("headtohead", nil, iterations, "fabric", "sim", "machine", "demo")
		if err != nil {
			t.Fatal(err)
		}
		m, ok := s.Metric("exchange_time")
		if !ok || !s.Verification.OK {
			t.Fatalf("%d iterations: failure %q, verification %+v", iterations, s.Failure, s.Verification)
		}
		if first == 0 {
			first = m.Value
		}
		if math.Abs(m.Value-first) > 1e-3*first {
			t.Errorf("an exchange takes %g s in 1 iteration and %g s in %d", first, m.Value, iterations)
		}
	}
}
