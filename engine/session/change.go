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

// minIterations is the number of iterations before results of measured and most emulated runs are compared,
// because their times vary.
const minIterations = 3

// requiredIterations returns the number of iterations before the results of a run are compared. One is enough
// for a simulation, which is exact. One is also enough for an emulated bandwidth: it is the mean of many
// rounds, and an iteration can take half a minute.
func requiredIterations(s *engine.Snapshot) int {
	if _, ok := bandwidth(s); s.Kind == engine.Simulated || s.Kind == engine.Emulated && ok {
		return 1
	}
	return minIterations
}

// bandwidth returns the metric of the first study. It reports whether the metric is a positive bandwidth.
func bandwidth(s *engine.Snapshot) (engine.Metric, bool) {
	if len(s.Studies) == 0 {
		return engine.Metric{}, false
	}
	m, ok := s.Metric(s.Studies[0].Metric)
	return m, ok && m.Unit == "B/s" && m.Value > 0
}

// alikeSim is the ratio of simulated times below which two runs count as equally fast, because it
// would print as 1.
const alikeSim = 1.005

// Change describes how knob changes affect the time of an iteration, from one run to a later run
// of the same workload. An example is "multiple, m = 1: 1.46× faster: 11.2 → 7.70 ms for an iteration
// (simulated)". If the workload's first study is about a bandwidth, Change compares the bandwidths
// instead. It returns "" if there is nothing to
// compare: a run lacks iterations, or no knob that affects the program differs.
func Change(before, after *engine.Snapshot) string {
	if before == nil || before.Scenario.Workload != after.Scenario.Workload ||
		!knobsDiffer(&before.Scenario, &after.Scenario, func(k *engine.Knob) bool {
			return changesRun(k) && !lacksEffect(before, after, k.Name)
		}) {
		return ""
	}
	a, okA := iterationTime(before)
	b, okB := iterationTime(after)
	if !okA || !okB {
		return ""
	}
	label := Difference(before, after)
	if text := describeRates(before, after); text != "" {
		return label + ": " + text
	}
	from, to := timedStudy(before), timedStudy(after)
	if to != nil && !knobsDiffer(&before.Scenario, &after.Scenario, func(k *engine.Knob) bool {
		return !slices.Contains(to.Chooses, k.Name)
	}) {
		if from != nil {
			a *= drift(from, to)
		}
		if to.Scheme != "" && (from == nil || from.Scheme != to.Scheme) {
			label = to.Scheme
		}
	}
	text := label + ": " + describeRatio(a, b, before, after)
	if to != nil && to.Gain != "" {
		text += "; " + to.Gain
	}
	if alike(a, b, before, after) {
		text += whyAlike(before, after)
	}
	return text
}

// whyAlike returns the workload's reason for equal times, if only one knob differs and the workload
// has a reason for it: "; the models send the same messages". Otherwise it returns "".
func whyAlike(before, after *engine.Snapshot) string {
	name := ""
	for i := range after.Scenario.Table {
		k := &after.Scenario.Table[i]
		if before.Scenario.Values[k.Name] == after.Scenario.Values[k.Name] || !changesRun(k) {
			continue
		}
		if name != "" {
			return ""
		}
		name = k.Name
	}
	if reason := workload.Alike(after.Scenario.Workload, name); reason != "" {
		return "; " + reason
	}
	return ""
}

// describeRates states the ratio of two bandwidths: "1.33× higher effective bandwidth: 183 → 243 GB/s
// (simulated)". It returns "" if the first study of the runs is not about a bandwidth of the same kind.
func describeRates(before, after *engine.Snapshot) string {
	b, ok := bandwidth(after)
	a, okA := before.Metric(b.Name)
	if !ok || !okA || before.Kind != after.Kind || a.Unit != b.Unit || !(a.Value > 0) {
		return ""
	}
	what := b.Name
	if w, err := workload.Find(after.Scenario.Workload); err == nil {
		what = w.Phrase(b.Name)
	}
	rates := fmt.Sprintf("%.3g → %.3g GB/s (%s)", a.Value/1e9, b.Value/1e9, after.Kind)
	switch {
	case alike(a.Value, b.Value, before, after):
		return fmt.Sprintf("no difference: %s %s", what, rates)
	case b.Value > a.Value:
		return fmt.Sprintf("%s× higher %s: %s", ratio(b.Value/a.Value), what, rates)
	}
	return fmt.Sprintf("%s× lower %s: %s", ratio(a.Value/b.Value), what, rates)
}

// Headline returns the result that Change compares: the bandwidth of the workload's first study, or the
// time of an iteration. It returns false if the run has none.
func Headline(s *engine.Snapshot) (engine.Metric, bool) {
	if m, ok := bandwidth(s); ok && !s.Late() {
		return m, true
	}
	x, ok := iterationTime(s)
	return engine.Metric{Name: metricIteration, Value: x, Unit: "s", Kind: s.Kind}, ok
}

// lacksEffect reports whether a knob has no effect in either run.
func lacksEffect(before, after *engine.Snapshot, knob string) bool {
	return workload.Idle(&before.Scenario, before.Kind, knob) != "" && workload.Idle(&after.Scenario, after.Kind,
		knob) != ""
}

// Changes returns the Change of each row of a sweep. It compares a row with the first earlier row
// that did not fail and whose iterations do the same work, and is "" if there is none.
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

// timedStudy returns the first study with its own time, which replaces the time of an iteration. It
// returns nil if there is none.
func timedStudy(s *engine.Snapshot) *engine.StudyView {
	for i := range s.Studies {
		if s.Studies[i].Time > 0 {
			return &s.Studies[i]
		}
	}
	return nil
}

// iterationTime returns the median of the latest iterations in seconds, or the time that a study
// defines instead. It reports whether there is one.
func iterationTime(s *engine.Snapshot) (float64, bool) {
	if s.Iteration < requiredIterations(s) || len(s.IterationTimes) == 0 || s.Keeping != engine.Kept {
		return 0, false
	}
	if v := timedStudy(s); v != nil {
		return v.Time, true
	}
	sorted := slices.Sorted(slices.Values(s.IterationTimes))
	median := (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	return median, median > 0
}

// drift returns the time of the reference in the later run relative to the earlier one, if both
// ran it alongside their schemes, otherwise 1. On a live host it differs from 1; the time of a
// scheme then changes by the same factor for that reason alone.
func drift(before, after *engine.StudyView) float64 {
	if d := after.Reference / before.Reference; d > 0 && !math.IsInf(d, 1) {
		return d
	}
	return 1
}

// knobsDiffer reports whether any knob that counts has different values.
func knobsDiffer(from, to *engine.Scenario, counts func(*engine.Knob) bool) bool {
	for i := range to.Table {
		if k := &to.Table[i]; from.Values[k.Name] != to.Values[k.Name] && counts(k) {
			return true
		}
	}
	return false
}

// changesRun reports whether a knob affects the program. Other knobs only change how it is
// observed.
func changesRun(k *engine.Knob) bool { return k.Role != engine.View || k.Scope == engine.ScopeBody }

// sameWork reports whether an iteration computes the same: no knob of the problem differs.
func sameWork(from, to *engine.Scenario) bool {
	return !knobsDiffer(from, to, func(k *engine.Knob) bool { return k.Role == engine.Problem })
}

// describeRatio states the ratio of two times.
func describeRatio(a, b float64, before, after *engine.Snapshot) string {
	unit := "an iteration"
	longer := "longer iterations"
	shorter := "shorter iterations"
	if v := timedStudy(after); v != nil && v.Of != unit {
		unit = v.Of
		longer = "longer"
		shorter = "shorter"
	}
	from, to := cluster.FromSeconds(a).String(), cluster.FromSeconds(b).String()
	times := fmt.Sprintf("%s for %s (%s)", timeSpan(from, to), unit, after.Kind)
	if before.Kind != after.Kind {
		times = fmt.Sprintf("%s %s → %s %s for %s", from, before.Kind, to, after.Kind, unit)
	}
	if sameWork(&before.Scenario, &after.Scenario) {
		longer, shorter = "slower", "faster"
	}
	switch {
	case alike(a, b, before, after):
		return "no difference: " + times
	case a > b:
		return fmt.Sprintf("%s× %s: %s", ratio(a/b), shorter, times)
	}
	return fmt.Sprintf("%s× %s: %s", ratio(b/a), longer, times)
}

// alike reports whether the results a and b of two runs count as equal, or print the same three digits.
func alike(a, b float64, before, after *engine.Snapshot) bool {
	if before.Kind == engine.Simulated && after.Kind == engine.Simulated {
		return AlikeSimulated(a, b)
	}
	return within(a, b, study.Alike)
}

// AlikeSimulated reports whether two simulated times or rates count as equal: they differ by less than 0.5 %, or print the
// same three digits.
func AlikeSimulated(a, b float64) bool { return within(a, b, alikeSim) }

// within reports whether the ratio of two numbers is below a threshold, or whether they print the same three digits.
func within(a, b, threshold float64) bool {
	return max(a, b) < min(a, b)*threshold || fmt.Sprintf("%.3g", a) == fmt.Sprintf("%.3g", b)
}

// timeSpan joins two times with an arrow: "12.3 → 8.84 ms". It omits the first unit if both
// units are equal.
func timeSpan(from, to string) string {
	if number, unit, _ := strings.Cut(from, " "); strings.HasSuffix(to, " "+unit) {
		from = number
	}
	return from + " → " + to
}

// ratio prints a factor with three digits, as a whole number from 100.
func ratio(x float64) string {
	if x >= 99.5 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}
