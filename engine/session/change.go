package session

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Live iterations vary: so many are needed before one speaks of their time. A
// simulation's are exact.
const enoughIterations = 3

// alikeSim is the ratio of simulated times below which two runs count as equally fast:
// it would be written as 1.
const alikeSim = 1.005

// Change puts into words what turning knobs has done to the time of an iteration,
// from a run to a later one of the same workload: "multiple, m = 1: 1.46× faster
// (11.2 ms → 7.70 ms an iteration); 6.10 ms of 7.90 ms communication now hidden". It
// is "" where there is nothing to compare: either run lacks iterations, or no knob
// differs that the program knows of.
func Change(before, after *engine.Snapshot) string {
	if before == nil || before.Scenario.Workload != after.Scenario.Workload || !differ(&before.Scenario, &after.Scenario, func(k *engine.Knob) bool {
		return changesRun(k) && !without(before, after, k.Name)
	}) {
		return ""
	}
	a, okA := iterationTime(before)
	b, okB := iterationTime(after)
	if !okA || !okB {
		return ""
	}
	label := difference(&before.Scenario, &after.Scenario, before.Kind, after.Kind)
	from, to := timed(before), timed(after)
	if to != nil && !differ(&before.Scenario, &after.Scenario, func(k *engine.Knob) bool { return !slices.Contains(to.Chooses, k.Name) }) {
		if from != nil {
			a *= drift(from, to)
		}
		if to.Scheme != "" && (from == nil || from.Scheme != to.Scheme) {
			label = to.Scheme
		}
	}
	text := label + ": " + faster(a, b, before, after)
	if to != nil && to.Gain != "" {
		text += "; " + to.Gain
	}
	return text
}

// without says that a knob has no effect in either run.
func without(before, after *engine.Snapshot, knob string) bool {
	return workload.Idle(&before.Scenario, before.Kind, knob) != "" && workload.Idle(&after.Scenario, after.Kind, knob) != ""
}

// Changes gives for each row of a sweep its Change from the first row before it that did
// not fail and whose iterations do the same work; "" where there is none.
func Changes(rows []Row) []string {
	all := make([]string, len(rows))
	for i := range rows {
		for j := range i {
			if rows[j].Snapshot.Failure == "" && sameWork(&rows[j].Snapshot.Scenario, &rows[i].Snapshot.Scenario) {
				all[i] = Change(rows[j].Snapshot, rows[i].Snapshot)
				break
			}
		}
	}
	return all
}

// timed is the first study that has a time of its own, in place of the iteration's;
// nil: none has.
func timed(s *engine.Snapshot) *engine.StudyView {
	for i := range s.Studies {
		if s.Studies[i].Time > 0 {
			return &s.Studies[i]
		}
	}
	return nil
}

// iterationTime is the median of the latest iterations, s, or the time that a study
// has in its place.
func iterationTime(s *engine.Snapshot) (float64, bool) {
	least := enoughIterations
	if s.Kind == engine.Simulated {
		least = 1
	}
	if s.Iteration < least || len(s.IterationTimes) == 0 || s.Keeping != engine.Kept {
		return 0, false
	}
	if v := timed(s); v != nil {
		return v.Time, true
	}
	sorted := slices.Sorted(slices.Values(s.IterationTimes))
	median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	return median, median > 0
}

// drift is how much longer the reference takes in the later run than in the earlier
// one, where both have run it beside their schemes: on a live host it is not 1, and
// then a scheme's time has changed by as much without any merit of its own.
func drift(before, after *engine.StudyView) float64 {
	if d := after.Reference / before.Reference; d > 0 && !math.IsInf(d, 1) {
		return d
	}
	return 1
}

// differ says that a knob differs of those that count.
func differ(from, to *engine.Scenario, counts func(*engine.Knob) bool) bool {
	for i := range to.Table {
		if k := &to.Table[i]; from.Values[k.Name] != to.Values[k.Name] && counts(k) {
			return true
		}
	}
	return false
}

// changesRun says that the program notices a knob: others turn how it is looked at.
func changesRun(k *engine.Knob) bool { return k.Role != engine.View || k.Scope == engine.ScopeBody }

// sameWork says that an iteration computes the same: no knob of the problem differs.
func sameWork(from, to *engine.Scenario) bool {
	return !differ(from, to, func(k *engine.Knob) bool { return k.Role == engine.Problem })
}

// faster words the ratio of two times.
func faster(a, b float64, before, after *engine.Snapshot) string {
	near := study.Alike
	if before.Kind == engine.Simulated && after.Kind == engine.Simulated {
		near = alikeSim
	}
	of, longer, shorter := "an iteration", "longer iterations", "shorter iterations"
	if v := timed(after); v != nil && v.Of != of {
		of, longer, shorter = v.Of, "longer", "shorter"
	}
	from, to := cluster.FromSeconds(a).String(), cluster.FromSeconds(b).String()
	times := fmt.Sprintf("%s for %s (%s)", timeSpan(from, to), of, after.Kind)
	if before.Kind != after.Kind {
		times = fmt.Sprintf("%s %s → %s %s for %s", from, before.Kind, to, after.Kind, of)
	}
	if sameWork(&before.Scenario, &after.Scenario) {
		longer, shorter = "slower", "faster"
	}
	switch {
	case a >= b*near:
		return fmt.Sprintf("%s× %s: %s", ratio(a/b), shorter, times)
	case b >= a*near:
		return fmt.Sprintf("%s× %s: %s", ratio(b/a), longer, times)
	}
	return "no difference: " + times
}

// timeSpan joins two times with an arrow: "12.3 → 8.84 ms". It omits the first unit if both
// units are equal.
func timeSpan(from, to string) string {
	if number, unit, _ := strings.Cut(from, " "); strings.HasSuffix(to, " "+unit) {
		from = number
	}
	return from + " → " + to
}

// ratio prints a factor with three digits, whole from a hundred on.
func ratio(x float64) string {
	if x >= 99.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
