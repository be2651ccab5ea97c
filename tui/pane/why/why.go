package why

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "why", Title: "Why", Doc: "the explanation and the metrics", Place: pane.Reasons,
	New: func() pane.Pane { return &Pane{} },
}

// Pane is the scroll position of the text.
type Pane struct {
	top    int
	failed bool
}

// Inputs returns the snapshot and the modelled rows.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Forecasts: h.Forecasts}
}

// Draw writes the text. A failure is shown from its beginning.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	var b pane.Border
	if failed := h.Snap.Phase == engine.Failed; failed != p.failed {
		p.failed, p.top = failed, 0
	}
	if p.failed {
		b.Title = "Failed"
	}
	measure := grid.Flow{V: v.Sub(grid.Rect{W: v.W()})} // the same width, but no rows: only measures
	writeAll(&measure, h)
	limit := max(0, measure.Y-v.H())
	p.top = min(p.top, limit)
	writeAll(&grid.Flow{V: v, Y: -p.top}, h)
	b.Above, b.Below = p.top > 0, p.top < limit
	return b
}

// Actions returns the actions that scroll.
func (p *Pane) Actions() []pane.Action {
	return []pane.Action{
		{Name: "scroll-up", Do: func(*pane.Host) { p.scroll(-4) }},
		{Name: "scroll-down", Do: func(*pane.Host) { p.scroll(+4) }},
	}
}

// Wheel scrolls by one row.
func (p *Pane) Wheel(_ *pane.Host, _, _, by int) bool {
	p.scroll(-by)
	return true
}

// scroll moves the text. Draw limits it to the end.
func (p *Pane) scroll(by int) { p.top = max(0, p.top+by) }

func writeAll(f *grid.Flow, h *pane.Host) {
	snap := h.Snap
	th := h.Theme
	u := h.Units
	var w *workload.Workload
	if i := slices.IndexFunc(workload.All(), func(w *workload.Workload) bool {
		return w.Name == snap.Scenario.Workload
	}); i >= 0 {
		w = workload.All()[i]
	}
	if snap.Phase == engine.Failed {
		f.Text(u.Text(pane.Or(snap.Failure, "the run failed without a message")), th.Error)
		f.Y++
		f.Text("Press "+h.Keys("pause")+" to restart, or change a knob.", th.Text)
	} else if text := pane.Progress(snap); text != "" && snap.Why == "" {
		f.Text(text, th.Title)
	} else {
		question := workload.Question(&snap.Scenario, snap.Kind)
		if snap.Change == "" && question != "" {
			f.Text(question, th.Focus)
		}
		if text := snap.Why; text != "" || question == "" {
			f.Text(u.Text(pane.Or(text, "Change a knob to see what it does and why.")), th.Title)
		}
	}
	if snap.Change != "" {
		f.Text(u.Text(snap.Change), th.Accent)
	}
	f.Y++
	writeVerification(f, &snap.Verification, u, th)
	if !snap.Late() { // otherwise the screen has one warning about the host
		for _, w := range snap.Warnings {
			f.Text("▲ "+u.Text(w), th.Warning)
		}
	}
	if len(snap.Metrics) > 0 || snap.MemoryPerNode > 0 {
		f.Y++
	}
	for i := range snap.Metrics {
		writeMetric(f, &snap.Metrics[i], w.Phrase(snap.Metrics[i].Name), h)
	}
	if h.Base != nil && h.Base.Inaccurate {
		f.Text("▲ no ratios: timings of this run or the baseline are inaccurate or too few", th.Warning)
	}
	if _, hasMetric := snap.Metric("memory_per_node"); snap.MemoryPerNode > 0 && !hasMetric {
		f.Pair("memory per node", describeMemory(snap, u), th.Dim, th.Dim)
	}
	if x := snap.Virtual; x != nil {
		f.Pair("virtual time", grid.Seconds.String(x.Time.Seconds()), th.Dim, th.Dim)
		f.Pair("events", grid.Count.String(float64(x.Events)), th.Dim, th.Dim)
		f.Pair("run hash", fmt.Sprintf("%016x", x.Hash), th.Dim, th.Dim)
	}
	writeForecasts(f, w, h)
	if len(h.Assumed) > 0 {
		f.Text("▲ sketch: the machine's file assumes "+strings.Join(h.Assumed, ", "), th.Warning)
	}
	if snap.LaunchLine != "" {
		f.Head("Launch command (paper 1)", th.Dim)
		f.Text(snap.LaunchLine, th.Text)
	}
}

// writeForecasts writes the modelled values of choices that have not run, if the first study draws curves. A study with bars
// draws them itself.
func writeForecasts(f *grid.Flow, w *workload.Workload, h *pane.Host) {
	if len(h.Snap.Studies) == 0 {
		return
	}
	s := &h.Snap.Studies[0]
	all := h.Forecast(s)
	metric := slices.IndexFunc(s.Columns, func(c engine.Column) bool { return c.Name == s.Metric })
	if len(all) == 0 || metric < 0 || len(s.Charts) == 0 || s.Charts[0].Shape != engine.Curve {
		return
	}
	kind := h.Theme.Kind(grid.Modelled)
	f.Head(w.Phrase(s.Metric)+", choices that have not run", h.Theme.Dim)
	for i := range all {
		value := h.Units.Of(s.Columns[metric].Unit).String(all[i].Cells[metric])
		f.Pair(h.Units.Text(all[i].Label)+" "+string(kind.Symbol), value, h.Theme.Dim, kind.Style)
	}
}

func describeMemory(snap *engine.Snapshot, u grid.Units) string {
	s := u.Bytes().String(float64(snap.MemoryPerNode))
	if snap.Replicas > 0 {
		s += ", " + strconv.Itoa(snap.Replicas) + " replicas"
	}
	return s
}

func writeVerification(f *grid.Flow, v *engine.Verification, u grid.Units, th *grid.Theme) {
	switch {
	case !v.Done:
		f.Text("– not verified yet", th.Dim)
	case v.OK:
		f.Text("✓ verified "+grid.Count.String(float64(v.Checks))+" times: "+u.Text(v.Detail), th.OK)
	default:
		f.Text("✗ wrong: "+u.Text(v.Detail), th.Error)
	}
}

// writeMetric writes the name of a metric, the symbol of its kind, its value and, with a baseline,
// the ratio to it. The ratio is after the value if there is room, otherwise on the next row. An
// inaccurate emulated time has a warning symbol.
func writeMetric(f *grid.Flow, m *engine.Metric, name string, h *pane.Host) {
	th := h.Theme
	kind := th.Kind(pane.KindOf(m.Kind))
	if m.Kind == engine.Emulated && strings.Contains(m.Unit, "s") && h.Snap.Late() {
		kind.Symbol, kind.Style = '▲', th.Dim
	}
	text := metricUnit(m, name, h.Units).String(m.Value)
	end := f.V.W() - 1
	below := ""
	if h.Base != nil {
		if r, ok := h.Base.Ratio(m); ok {
			below = r.String()
			if n := grid.Width(below); grid.Width(name)+grid.Width(text)+n+8 <= end {
				f.V.Text(end-n, f.Y, below, th.Accent)
				end, below = end-n-2, ""
			}
		}
	}
	if width := end - grid.Width(text) - 3; grid.Width(name) > width && f.V.W() > 3 {
		f.V.TextIn(0, f.Y, f.V.W(), name, grid.Left, th.Dim)
		f.Y++
		name = ""
	}
	n := f.V.TextIn(0, f.Y, end-grid.Width(text)-3, name, grid.Left, th.Dim)
	f.V.Rune(n+1, f.Y, kind.Symbol, kind.Style)
	f.V.Text(end-grid.Width(text), f.Y, text, kind.Style)
	f.Y++
	if below != "" {
		f.Text("  "+below, th.Accent)
	}
}

// metricUnit returns the format of a metric's values.
func metricUnit(m *engine.Metric, name string, u grid.Units) grid.Unit {
	switch m.Unit {
	case "1", "":
		if strings.Contains(name, "share") {
			return grid.Share
		}
		return grid.Unit{Kind: grid.Plain}
	}
	return u.Of(m.Unit)
}
