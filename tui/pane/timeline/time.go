package timeline

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// autoColumn returns the time of a cell with which w cells show the latest iterations, or
// everything that is kept if none has ended.
func autoColumn(snap *engine.Snapshot, tl *timeline.View, w int) cluster.Time {
	span := tl.Edge - tl.From
	if n := len(snap.IterationTimes); n > 0 {
		last := slices.Clone(snap.IterationTimes[max(0, n-9):])
		slices.Sort(last)
		if all := cluster.FromSeconds(autoIterates * last[len(last)/2]); all > 0 {
			span = min(span, all)
		}
	}
	return fitTime((span + cluster.Time(w) - 1) / cluster.Time(max(w, 1)))
}

// columnOf returns the time of a cell with which w cells show a span. It is 0 for a span of 0.
func columnOf(span cluster.Time, w int) cluster.Time {
	if span == 0 {
		return 0
	}
	return fitTime((span + cluster.Time(w) - 1) / cluster.Time(max(w, 1)))
}

// fitTime rounds t up to a time with two significant digits. The steps are finer than in the zoom,
// so that the data fills most of the width.
func fitTime(t cluster.Time) cluster.Time {
	if t <= 10 {
		return max(t, 1)
	}
	for step := cluster.Time(1); ; step *= 10 {
		for _, f := range [...]cluster.Time{10, 12, 15, 20, 25, 30, 40, 50, 60, 80} {
			if f*step >= t || step >= 1e16 {
				return f * step
			}
		}
	}
}

// drawAxis labels the time axis: the first tick with its time, the others relative to it.
func (t *Pane) drawAxis(v grid.View, th *grid.Theme) {
	s := &t.shown
	if v.H() == 0 {
		return
	}
	step := pane.RoundUp(s.column * tickCols)
	first := (s.begin + step - 1) / step * step
	for at := first; at < s.end; at += step {
		x := int((at - s.begin) / s.column)
		v.Rune(x, 0, '╵', th.Dim)
		text := "+" + plainTime(at-first, step)
		if at == first {
			text = exactTime(at, step)
		}
		if x+1+grid.Width(text) <= v.W() {
			v.Text(x+1, 0, text, th.Dim)
		}
	}
}

// timeUnits are the units in which the timeline writes times.
var timeUnits = []struct {
	name string
	unit cluster.Time
}{{"s", cluster.Second}, {"ms", cluster.Millisecond}, {"µs", cluster.Microsecond}, {"ns", cluster.Nanosecond},
	{"ps", cluster.Picosecond}}

// plainTime formats a time in the largest unit that is not larger than the step.
func plainTime(t, step cluster.Time) string {
	for _, u := range timeUnits {
		if step >= u.unit || u.unit == 1 {
			return fmt.Sprintf("%g %s", float64(t)/float64(u.unit), u.name)
		}
	}
	return ""
}

// exactTime formats a time with the precision of a step.
func exactTime(t, step cluster.Time) string {
	if t == 0 {
		return "0 s"
	}
	i := len(timeUnits) - 1
	for i > 0 && t >= timeUnits[i-1].unit {
		i--
	}
	unit, decimals := timeUnits[i].unit, 0
	for p := unit; p > step && p > 1; p /= 10 {
		decimals++
	}
	return fmt.Sprintf("%.*f %s", decimals, float64(t)/float64(unit), timeUnits[i].name)
}
