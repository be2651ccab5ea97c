package bandwidth

import (
	"math"
	"slices"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the line of the registry.
var Spec = pane.Spec{
	Name: "bandwidth", Title: "Bandwidth", Doc: "the bandwidth", Place: pane.Rates,
	New: func() pane.Pane { return &Pane{window: 30 * time.Second, ghost: newGhost()} },
}

// Pane is the chart, and how it is looked at.
type Pane struct {
	window time.Duration // 0: all there is
	log    bool
	cross  bool
	at     float64 // of the crosshair, s since the session began

	chart grid.LineChart
	x     []float64
	y     [cluster.Classes][]float64
	ghost ghost
	text  []byte
	cap   string
	capOf caption
}

// legendH is the rows from which the baseline has one of its own.
const legendH = 9

// caption is what the words at the right of the border depend on.
type caption struct {
	kind engine.Kind
	unit string
	log  bool
	th   *grid.Theme
}

// Inputs are the snapshot and how curves are drawn.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Markers: h.Markers}
}

// right is the kind and the unit of the numbers.
func (p *Pane) right(h *pane.Host, samples []engine.Sample) string {
	top := 0.0
	for _, s := range samples {
		for _, r := range s.Rate {
			top = max(top, r)
		}
	}
	var unit string
	p.chart.Y.Unit, unit = grid.BytesPerSecond.Common(top)
	if of := (caption{h.Snap.Kind, unit, p.log, h.Theme}); of != p.capOf {
		p.capOf = of
		p.cap = unit
		if of.kind != "" {
			p.cap = h.KindWords() + ", " + unit
		}
		if of.log {
			p.cap += ", log"
		}
	}
	return p.cap
}

// visible gives the samples of a span of time, and the one before it, so that
// lines come in from the edge.
func visible(s []engine.Sample, from, to float64) []engine.Sample {
	i, _ := slices.BinarySearchFunc(s, from, func(s engine.Sample, t float64) int {
		if s.At.Seconds() < t {
			return -1
		}
		return 1
	})
	j := len(s)
	for j > i && s[j-1].At.Seconds() > to {
		j--
	}
	return s[max(0, i-1):j]
}

// Draw draws the chart under its legend.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	snap, th := h.Snap, h.Theme
	from, to := p.span(h)
	samples := visible(snap.Series, from, to)
	b := pane.Border{Right: p.right(h, samples)}
	if snap.Phase == engine.Paused {
		b.Banner = " ┃┃ paused "
	}
	if len(samples) == 0 {
		h.Empty(v)
		return b
	}
	if v.H() >= 4 {
		p.legend(v, samples[len(samples)-1], th)
		v = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	if h.Base != nil && v.H() >= legendH {
		h.BaseLegend(v.Sub(grid.Rect{W: v.W(), H: 1}))
		v = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	p.points(samples, snap.Marks, (to-from)/float64(max(v.W(), 1)))
	c := &p.chart
	c.X = grid.Axis{Unit: grid.Seconds, Fixed: true, Min: from, Max: to}
	c.Y.FromZero = true
	c.Y.Scale = grid.Linear
	if p.log {
		c.Y.Scale = grid.Log10
	}
	c.Series = c.Series[:0]
	for i := range p.y {
		c.Series = append(c.Series, grid.Series{Name: pane.ClassNames[i], X: p.x, Y: p.y[i], Style: th.SeriesStyle(i), Glyph: pane.ClassMarks[i]})
	}
	p.ghosts(h, from, to, (to-from)/float64(max(v.W(), 1)))
	c.VLines = c.VLines[:0]
	for _, m := range snap.Marks {
		if t := m.At.Seconds(); t >= from {
			c.VLines = append(c.VLines, grid.VLine{X: t, Label: m.Label, Style: th.Focus})
		}
	}
	c.Cross, c.CrossX = p.cross, p.at
	c.Markers = h.Markers
	c.Draw(v, th)
	return b
}

// Actions choose the time that is shown, and read values.
func (p *Pane) Actions() []pane.Action {
	return []pane.Action{
		{Name: "longer", Do: func(*pane.Host) { p.widen(+1) }},
		{Name: "shorter", Do: func(*pane.Host) { p.widen(-1) }},
		{Name: "log", Do: func(*pane.Host) { p.log = !p.log }},
		{Name: "crosshair", Do: p.toggleCross},
		{Name: "crosshair-left", Do: func(h *pane.Host) { p.moveCross(h, -1./60) }},
		{Name: "crosshair-right", Do: func(h *pane.Host) { p.moveCross(h, +1./60) }},
		{Name: "back", Do: p.toggleCross, Ready: func(*pane.Host) bool { return p.cross }},
	}
}

// Wheel shows a shorter time, or a longer one.
func (p *Pane) Wheel(_ *pane.Host, _, _, by int) bool {
	p.widen(-by)
	return true
}

var windows = []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 0}

// widen moves the time window by n steps.
func (p *Pane) widen(n int) {
	i := slices.Index(windows, p.window)
	p.window = windows[min(max(i+n, 0), len(windows)-1)]
}

// span is the time that the chart shows, in seconds since the session began:
// the window up to now, which fills from the left when the session is younger.
func (p *Pane) span(h *pane.Host) (from, to float64) {
	to = newest(h.Snap)
	if p.window == 0 || h.Whole {
		return 0, max(to, 1)
	}
	from = max(0, to-p.window.Seconds())
	return from, from + p.window.Seconds()
}

// newest is the time of the last sample.
func newest(s *engine.Snapshot) float64 {
	if n := len(s.Series); n > 0 {
		return s.Series[n-1].At.Seconds()
	}
	return s.Elapsed.Seconds()
}

// toggleCross shows the crosshair in the middle of what there is.
func (p *Pane) toggleCross(h *pane.Host) {
	p.cross = !p.cross
	from, _ := p.span(h)
	p.at = (from + newest(h.Snap)) / 2
}

// moveCross moves the crosshair by a share of the window, and shows it.
func (p *Pane) moveCross(h *pane.Host, by float64) {
	from, to := p.span(h)
	if !p.cross {
		p.cross, p.at = true, newest(h.Snap)
	}
	p.at = min(max(p.at+by*(to-from), from), newest(h.Snap))
}

// points takes the samples over, the mean of those in a column where there are
// several. Columns stand still while time goes on, or curves would shimmer, and
// a mark begins a new one, so that a change is seen at once and sharply.
func (p *Pane) points(samples []engine.Sample, marks []engine.Mark, column float64) {
	p.x = p.x[:0]
	for i := range p.y {
		p.y[i] = p.y[i][:0]
	}
	for len(samples) > 0 {
		first := samples[0].At
		for len(marks) > 0 && marks[0].At < first {
			marks = marks[1:]
		}
		var sum [cluster.Classes]float64
		n := 0
		for n < len(samples) {
			at := samples[n].At
			if math.Floor(at.Seconds()/column) != math.Floor(first.Seconds()/column) ||
				len(marks) > 0 && marks[0].At < at && n > 0 {
				break
			}
			for i, r := range samples[n].Rate {
				sum[i] += r
			}
			n++
		}
		p.x = append(p.x, samples[n-1].At.Seconds())
		for i := range sum {
			p.y[i] = append(p.y[i], sum[i]/float64(n))
		}
		samples = samples[n:]
	}
}

// legend shows the classes and their newest values, as fully as there is room.
func (p *Pane) legend(v grid.View, s engine.Sample, th *grid.Theme) {
	full := func(c int) {
		p.text = append(append(p.text[:0], pane.ClassNames[c]...), ' ')
		p.text = grid.BytesPerSecond.Append(p.text, s.Rate[c], 10)
	}
	short := func(c int) {
		p.text = append(append(p.text[:0], pane.ClassNames[c]...), ' ')
		p.text = p.chart.Y.Unit.Append(p.text, s.Rate[c], 6)
	}
	for _, words := range [...]func(int){full, short, func(c int) { p.text = append(p.text[:0], pane.ClassNames[c]...) }} {
		total := -2
		for c := range pane.ClassNames {
			words(c)
			total += grid.Width(string(p.text)) + 4
		}
		if total > v.W() {
			continue
		}
		x := 0
		for c := range pane.ClassNames {
			words(c)
			v.Rune(x, 0, pane.ClassMarks[c], th.SeriesStyle(c))
			x += 4 + v.Bytes(x+2, 0, p.text, th.Text)
		}
		return
	}
}
