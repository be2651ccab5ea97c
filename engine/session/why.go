package session

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// why explains the bottleneck and the effect of another choice, using only numbers of the
// snapshot. It returns the text of the first study that has one. If no study has a row of the run,
// it describes the states of the ranks. A progress engine other than the machine's own is named.
func why(s *engine.Snapshot, m *cluster.Machine) string {
	text := whyTime(s)
	if by := workload.ExplainProgress(&s.Scenario, m, s.Kind); text != "" && by != "" {
		text += " " + by
	}
	return text
}

// whyTime explains where the time goes.
func whyTime(s *engine.Snapshot) string {
	present := false
	for i := range s.Studies {
		if v := &s.Studies[i]; v.Why != "" {
			return v.Why
		} else if v.Present() != nil {
			present = true
		}
	}
	if present || s.Kind == engine.Simulated && s.Phase == engine.Ended {
		return "" // the moment of the last look is not a result of the simulation
	}
	return whyStates(s)
}

// whyStates describes how the ranks spent the last second.
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
