package tui

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// drawWhy tells the reason, what the last turn of a knob has done, whether the results hold, the metrics with their
// kinds, what the host could not keep, and the launch line; of a failed run,
// what failed. It returns how many rows of the text are above the view, and how
// many below.
func drawWhy(v grid.View, a *app) (above, below int) {
	snap, th := a.snap, a.theme
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})} // as wide, and no row to write on
	whyText(&measure, snap, th)
	limit := max(0, measure.Y-v.H())
	top := min(a.scroll, limit)
	f := grid.Flow{V: v, Y: -top}
	whyText(&f, snap, th)
	return top, limit - top
}

func whyText(f *grid.Flow, snap *engine.Snapshot, th *grid.Theme) {
	if snap.Phase == engine.Failed {
		f.Text(orWords(snap.Failure, "the run failed and gave no reason"), th.Error)
		f.Y++
		f.Text("Turn a knob to start anew.", th.Text)
	} else {
		f.Text(orWords(snap.Why, "The reason stands here as soon as there is something to compare."), th.Title)
	}
	if snap.Change != "" {
		f.Text(snap.Change, th.Accent)
	}
	f.Y++
	verification(f, &snap.Verification, th)
	for _, w := range snap.Warnings {
		f.Text("▲ "+w, th.Warning)
	}
	if len(snap.Metrics) > 0 || snap.MemoryPerNode > 0 {
		f.Y++
	}
	for i := range snap.Metrics {
		metric(f, &snap.Metrics[i], th)
	}
	if snap.MemoryPerNode > 0 {
		f.Pair("memory a node", memoryWords(snap), th.Dim, th.Dim)
	}
	if x := snap.Virtual; x != nil {
		f.Pair("virtual time", grid.Seconds.String(x.Time.Seconds()), th.Dim, th.Dim)
		f.Pair("events", grid.Count.String(float64(x.Events)), th.Dim, th.Dim)
		f.Pair("hash", fmt.Sprintf("%016x", x.Hash), th.Dim, th.Dim)
	}
	if snap.LaunchLine != "" {
		f.Head("Launch line", th.Dim)
		f.Text(snap.LaunchLine, th.Text)
	}
}

func memoryWords(snap *engine.Snapshot) string {
	s := grid.Bytes.String(float64(snap.MemoryPerNode))
	if snap.Replicas > 0 {
		s += ", " + strconv.Itoa(snap.Replicas) + " replicas"
	}
	return s
}

func verification(f *grid.Flow, v *engine.Verification, th *grid.Theme) {
	switch {
	case !v.Done:
		f.Text("– not verified yet", th.Dim)
	case v.OK:
		f.Text("✓ verified "+grid.Count.String(float64(v.Checks))+" times: "+v.Detail, th.OK)
	default:
		f.Text("✗ wrong: "+v.Detail, th.Error)
	}
}

// metric writes a name, the mark of the kind, and the value.
func metric(f *grid.Flow, m *engine.Metric, th *grid.Theme) {
	kind := th.Kind(kindOf(m.Kind))
	name := strings.ReplaceAll(m.Name, "_", " ")
	text := metricUnit(m).String(m.Value)
	n := f.V.TextIn(0, f.Y, f.V.W()-grid.Width(text)-4, name, grid.Left, th.Dim)
	f.V.Rune(n+1, f.Y, kind.Mark, kind.Style)
	f.V.Text(f.V.W()-grid.Width(text)-1, f.Y, text, kind.Style)
	f.Y++
}

// metricUnit is how a metric's values are written.
func metricUnit(m *engine.Metric) grid.Unit {
	switch m.Unit {
	case "B":
		return grid.Bytes
	case "1/s":
		return grid.PerSecond
	case "1":
		if strings.Contains(m.Name, "_share") {
			return grid.Share
		}
		return grid.Unit{Kind: grid.Plain}
	}
	return grid.Unit{Symbol: m.Unit}
}

func orWords(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
