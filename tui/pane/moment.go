package pane

import (
	"cmp"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Moment is the time that crosshairs mark, on the fabric's clock of the latest launch. All panes with an axis of time
// mark the same moment.
type Moment struct {
	Marked bool
	At     cluster.Time
	Path   bool // on the clock of the explained run, which has the critical path
}

// Window is the span of time that all panes with an axis of time show, on the fabric's clock of the latest launch. The
// zero Window lets each pane choose: the latest iterations, or the last seconds.
type Window struct {
	Span cluster.Time // 0: chosen by the pane
	End  cluster.Time // right edge; 0: the present
}

// Scroll moves a window that ends at end by a fraction of its width, and holds it there. At the present it follows the
// run again.
func (w *Window) Scroll(span, end, present cluster.Time, by float64) {
	w.Span = span
	if w.End = max(end+cluster.Time(by*float64(span)), 1); w.End >= present {
		w.End = 0
	}
}

// Follow shows the present. If it is shown already, it lets each pane choose its span.
func (w *Window) Follow() {
	if w.End == 0 {
		w.Span = 0
	}
	w.End = 0
}

// Longer returns the least of 1, 2, 5, 10, … ps that is more than t.
func Longer(t cluster.Time) cluster.Time { return RoundUp(t + 1) }

// RoundUp rounds t up to 1, 2, 5, 10, … ps.
func RoundUp(t cluster.Time) cluster.Time {
	for step := cluster.Time(1); ; step *= 10 {
		for _, f := range [...]cluster.Time{1, 2, 5} {
			if f*step >= t || step >= 1e17 {
				return f * step
			}
		}
	}
}

// Shorter returns the largest of 1, 2, 5, 10, … ps that is less than t, but at least 1 ps.
func Shorter(t cluster.Time) cluster.Time {
	best := cluster.Time(1)
	for step := cluster.Time(1); step < t; step *= 10 {
		for _, f := range [...]cluster.Time{1, 2, 5} {
			if f*step < t {
				best = f * step
			}
		}
	}
	return best
}

// LatestLaunch returns the samples of the latest launch.
func LatestLaunch(all []engine.Sample) []engine.Sample {
	first := len(all)
	for first > 0 && (first == len(all) || all[first-1].Fabric <= all[first].Fabric) {
		first--
	}
	return all[first:]
}

// ClockOf converts a wall-clock time, in seconds since the start of the session, to the fabric's clock. It interpolates
// between the samples of a launch, and returns false outside of them.
func ClockOf(launch []engine.Sample, wall float64) (cluster.Time, bool) {
	i, _ := slices.BinarySearchFunc(launch, wall, func(s engine.Sample, x float64) int { return cmp.Compare(s.At.Seconds(), x) })
	if i == len(launch) || i == 0 && wall < launch[0].At.Seconds() {
		return 0, false
	}
	if i == 0 {
		return launch[0].Fabric, true
	}
	a, b := &launch[i-1], &launch[i]
	part := (wall - a.At.Seconds()) / (b.At - a.At).Seconds()
	return a.Fabric + cluster.Time(part*float64(b.Fabric-a.Fabric)), true
}

// WallOf converts a time of the fabric's clock to the wall clock. It is the inverse of ClockOf.
func WallOf(launch []engine.Sample, at cluster.Time) (float64, bool) {
	i, _ := slices.BinarySearchFunc(launch, at, func(s engine.Sample, x cluster.Time) int { return cmp.Compare(s.Fabric, x) })
	if i == len(launch) || i == 0 && at < launch[0].Fabric {
		return 0, false
	}
	if i == 0 {
		return launch[0].At.Seconds(), true
	}
	a, b := &launch[i-1], &launch[i]
	part := float64(at-a.Fabric) / float64(b.Fabric-a.Fabric)
	return a.At.Seconds() + part*(b.At-a.At).Seconds(), true
}
