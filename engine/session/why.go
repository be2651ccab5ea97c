package session

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// why puts into words what rules, and what another choice would give, only from
// numbers that stand in the snapshot: what the first study says that has words, and of
// a run that none has a row of, what its ranks do.
func why(s *engine.Snapshot) string {
	present := false
	for i := range s.Studies {
		if v := &s.Studies[i]; v.Why != "" {
			return v.Why
		} else if v.Present() != nil {
			present = true
		}
	}
	switch s.Keeping {
	case engine.Behind:
		return "The host is too busy to emulate this machine: no valid timings yet."
	case engine.Beyond:
		return "The host is too busy to emulate this machine at any practical time dilation. Simulate it instead: simulated times do not depend on the host."
	}
	if present || s.Kind == engine.Simulated && s.Phase == engine.Ended {
		return "" // when the session looked is no part of what was simulated
	}
	return whyStates(s)
}

// whyStates says what the ranks spent the last second on.
func whyStates(s *engine.Snapshot) string {
	var sum [cluster.States]float64
	n := 0.0
	for i := range s.Ranks {
		for state, share := range s.Ranks[i].Share {
			sum[state] += share
			n += share
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("In the last second, ranks spent %s of the time computing, %s in calls and %s waiting.",
		study.Percent(sum[cluster.Computing]/n), study.Percent(sum[cluster.Calling]/n), study.Percent(sum[cluster.Waiting]/n))
}
