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
	measure := flow{v: v.Sub(grid.Rect{W: v.W()})} // as wide, and no row to write on
	whyText(&measure, snap, th)
	limit := max(0, measure.y-v.H())
	top := min(a.scroll, limit)
	f := flow{v: v, y: -top}
	whyText(&f, snap, th)
	return top, limit - top
}

func whyText(f *flow, snap *engine.Snapshot, th *grid.Theme) {
	if snap.Phase == engine.Failed {
		f.text(orWords(snap.Failure, "the run failed and gave no reason"), th.Error)
		f.y++
		f.text("Turn a knob to start anew.", th.Text)
	} else {
		f.text(orWords(snap.Why, "The reason stands here as soon as there is something to compare."), th.Title)
	}
	if snap.Change != "" {
		f.text(snap.Change, th.Accent)
	}
	f.y++
	verification(f, &snap.Verification, th)
	for _, w := range snap.Warnings {
		f.text("▲ "+w, th.Warning)
	}
	if len(snap.Metrics) > 0 || snap.MemoryPerNode > 0 {
		f.y++
	}
	for i := range snap.Metrics {
		metric(f, &snap.Metrics[i], th)
	}
	if snap.MemoryPerNode > 0 {
		pair(f, "memory a node", memoryWords(snap), th.Dim, th)
	}
	if x := snap.Virtual; x != nil {
		pair(f, "virtual time", grid.Seconds.String(x.Time.Seconds()), th.Dim, th)
		pair(f, "events", grid.Count.String(float64(x.Events)), th.Dim, th)
		pair(f, "hash", fmt.Sprintf("%016x", x.Hash), th.Dim, th)
	}
	if snap.LaunchLine != "" {
		f.head("Launch line", th.Dim)
		f.text(snap.LaunchLine, th.Text)
	}
}

func memoryWords(snap *engine.Snapshot) string {
	s := grid.Bytes.String(float64(snap.MemoryPerNode))
	if snap.Replicas > 0 {
		s += ", " + strconv.Itoa(snap.Replicas) + " replicas"
	}
	return s
}

func verification(f *flow, v *engine.Verification, th *grid.Theme) {
	switch {
	case !v.Done:
		f.text("– not verified yet", th.Dim)
	case v.OK:
		f.text("✓ verified "+grid.Count.String(float64(v.Checks))+" times: "+v.Detail, th.OK)
	default:
		f.text("✗ wrong: "+v.Detail, th.Error)
	}
}

// metric writes a name, the mark of the kind, and the value.
func metric(f *flow, m *engine.Metric, th *grid.Theme) {
	kind := th.Kind(kindOf(m.Kind))
	name := strings.ReplaceAll(m.Name, "_", " ")
	text := metricUnit(m).String(m.Value)
	n := f.v.TextIn(0, f.y, f.v.W()-grid.Width(text)-4, name, grid.Left, th.Dim)
	f.v.Rune(n+1, f.y, kind.Mark, kind.Style)
	f.v.Text(f.v.W()-grid.Width(text)-1, f.y, text, kind.Style)
	f.y++
}

func pair(f *flow, name, value string, st grid.Style, th *grid.Theme) {
	f.v.Text(0, f.y, name, th.Dim)
	f.v.Text(max(f.v.W()-grid.Width(value)-1, grid.Width(name)+1), f.y, value, st)
	f.y++
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
