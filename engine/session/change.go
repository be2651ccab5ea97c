package session

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Live iterations vary: so many are needed before one speaks of their time. A
// simulation's are exact.
const enoughIterations = 3

// Ratios of times below which two runs count as equally fast, live and simulated.
const (
	alikeLive = alike
	alikeSim  = 1.001
)

// Change puts into words what turning knobs has done to the time of an iteration,
// from a run to a later one of the same workload: "multiple, m = 1: 1.46× faster
// (11.2 ms → 7.70 ms an iteration); 6.10 ms of 7.90 ms communication now hidden". It
// is "" where there is nothing to compare: either run lacks iterations, or no knob
// differs.
func Change(before, after *engine.Snapshot) string {
	if before == nil || before.Scenario.Workload != after.Scenario.Workload {
		return ""
	}
	if only(&before.Scenario, &after.Scenario, "timeline", "pace") {
		return "" // how it is looked at
	}
	label := turned(&before.Scenario, &after.Scenario)
	a, okA := iterationTime(before)
	b, okB := iterationTime(after)
	if label == "" || !okA || !okB {
		return ""
	}
	if only(&before.Scenario, &after.Scenario, "threading", "reserved") {
		a *= drift(before, after)
	}
	return label + ": " + faster(a, b, before, after) + hidden(after)
}

// Changes gives for each row of a sweep its Change from the first row before it whose
// iterations do the same work; "" where there is none.
func Changes(rows []Row) []string {
	all := make([]string, len(rows))
	for i := range rows {
		for j := range i {
			if sameWork(&rows[j].Snapshot.Scenario, &rows[i].Snapshot.Scenario) {
				all[i] = Change(rows[j].Snapshot, rows[i].Snapshot)
				break
			}
		}
	}
	return all
}

// iterationTime is the median of the latest iterations, s; of a workload that runs
// masteronly beside the scheme in each iteration, the scheme's own time.
func iterationTime(s *engine.Snapshot) (float64, bool) {
	least := enoughIterations
	if s.Kind == engine.Simulated {
		least = 1
	}
	if s.Iteration < least || len(s.IterationTimes) == 0 {
		return 0, false
	}
	if m, ok := s.Metric("time_scheme"); ok && m.Value > 0 {
		return m.Value, true
	}
	sorted := slices.Sorted(slices.Values(s.IterationTimes))
	median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	return median, median > 0
}

// drift is how much longer masteronly takes in the later run than in the earlier one,
// where both have run it beside their schemes: on a live host it is not 1, and then a
// scheme's time has changed by as much without any merit of its own.
func drift(before, after *engine.Snapshot) float64 {
	a, okA := before.Metric("time_masteronly")
	b, okB := after.Metric("time_masteronly")
	if d := b.Value / a.Value; okA && okB && d > 0 && !math.IsInf(d, 1) {
		return d
	}
	return 1
}

// turned says what was turned, a threading scheme by its name alone.
func turned(from, to *engine.Scenario) string {
	label := difference(from, to)
	if label == "" || !only(from, to, "threading", "reserved") {
		return label
	}
	level := to.Values["threading"]
	if m, there := to.Values["reserved"]; there && level == "multiple" {
		return level + ", m = " + m
	}
	if level == "" || level == from.Values["threading"] {
		return label
	}
	return level
}

// only says that no knob differs but these.
func only(from, to *engine.Scenario, names ...string) bool {
	for i := range to.Table {
		if name := to.Table[i].Name; from.Values[name] != to.Values[name] && !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

// sameWork says that an iteration computes the same: no knob of the problem differs.
func sameWork(from, to *engine.Scenario) bool {
	return !slices.ContainsFunc(to.Table, func(k engine.Knob) bool {
		return k.Role == engine.Problem && from.Values[k.Name] != to.Values[k.Name]
	})
}

// faster words the ratio of two times of an iteration.
func faster(a, b float64, before, after *engine.Snapshot) string {
	near := alikeLive
	if before.Kind == engine.Simulated && after.Kind == engine.Simulated {
		near = alikeSim
	}
	from, to := cluster.FromSeconds(a).String(), cluster.FromSeconds(b).String()
	times := fmt.Sprintf("(%s → %s an iteration, %s)", from, to, after.Kind)
	if before.Kind != after.Kind {
		times = fmt.Sprintf("(%s %s → %s %s an iteration)", from, before.Kind, to, after.Kind)
	}
	words := [2]string{"faster", "slower"}
	if !sameWork(&before.Scenario, &after.Scenario) {
		words = [2]string{"shorter iterations", "longer iterations"}
	}
	switch {
	case a >= b*near:
		return fmt.Sprintf("%s× %s %s", ratio(a/b), words[0], times)
	case b >= a*near:
		return fmt.Sprintf("%s× %s %s", ratio(b/a), words[1], times)
	}
	return "as fast as before " + times
}

// ratio prints a factor with three digits, whole from a hundred on.
func ratio(x float64) string {
	if x >= 99.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// hidden says how much of masteronly's communication the scheme no longer takes
// time for: what it gains on masteronly, at most all of the communication. Computing
// on fewer threads has been charged to it already. "": the metrics do not tell.
func hidden(s *engine.Snapshot) string {
	share, ok := s.Metric("f_comm")
	masteronly, okM := s.Metric("time_masteronly")
	scheme, okS := s.Metric("time_scheme")
	comm := share.Value * masteronly.Value
	if !ok || !okM || !okS || !(comm > 0) || math.IsInf(comm, 1) || math.IsNaN(scheme.Value) {
		return ""
	}
	all := cluster.FromSeconds(comm).String()
	gain := min(masteronly.Value-scheme.Value, comm)
	switch {
	case !overlaps(s):
		return fmt.Sprintf("; %s communication in the open", all)
	case gain <= 0.005*comm:
		return fmt.Sprintf("; none of %s communication hidden", all)
	}
	return fmt.Sprintf("; %s of %s communication now hidden", cluster.FromSeconds(gain), all)
}
