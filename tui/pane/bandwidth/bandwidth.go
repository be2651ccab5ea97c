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

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "bandwidth", Title: "Bandwidth", Doc: "the bandwidth over time", Place: pane.Rates,
	Now: hasTraffic,
	New: func() pane.Pane { return &Pane{baseline: newBaseline()} },
}

// hasTraffic reports whether the run has transferred anything.
func hasTraffic(s *engine.Snapshot) bool {
	none := [cluster.Classes]float64{}
	return slices.ContainsFunc(s.Series, func(x engine.Sample) bool { return x.Rate != none })
}

// Pane is the chart and its view settings.
type Pane struct {
	wall    bool // show wall time instead of a simulation's virtual time
	log     bool
	cross   bool
	crossAt float64     // position of the crosshair on the axis
	moment  pane.Moment // shared moment that crossAt shows
	axis    axis

	chart    grid.LineChart
	x        []float64
	y        [cluster.Classes][]float64
	baseline baseline
	text     []byte
	cap      string
	capOf    caption
}

// legendH is the minimum height at which the baseline has its own row in the legend.
const legendH = 9

// caption holds the values that the text on the right side of the border depends on.
type caption struct {
	kind  engine.Kind
	clock bool
	log   bool
	th    *grid.Theme
}

// Inputs returns the snapshot, the style of curves and the moment of the crosshair.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Markers: h.Markers, Moment: h.Moment, Window: h.Window}
}

// caption returns the kind of the numbers and, for a simulation, the clock of the axis.
func (p *Pane) caption(h *pane.Host) string {
	if of := (caption{kind: h.Snap.Kind, clock: p.axis.isVirtual, log: p.log, th: h.Theme}); of != p.capOf {
		p.capOf = of
		p.cap = h.KindWords()
		switch {
		case of.clock:
			p.cap += ", virtual time"
		case of.kind == engine.Simulated:
			p.cap += ", wall time"
		}
		if of.log {
			p.cap += ", log"
		}
	}
	return p.cap
}

// Draw draws the legend and the chart below it.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	snap, th := h.Snap, h.Theme
	from, to := p.span(h)
	p.followMoment(h)
	samples := p.visible(from, to)
	b := pane.Border{Right: p.caption(h)}
	if h.Window.End > 0 {
		b.Right = "held: " + h.Keys("follow") + " follow  " + b.Right
	}
	if snap.Phase == engine.Paused {
		b.Banner = " ┃┃ paused "
	}
	if len(samples) == 0 {
		h.Empty(v)
		return b
	}
	if v.H() >= 4 {
		rows := p.drawLegend(v, samples[len(samples)-1], h.Units, th)
		v = v.Sub(grid.Rect{Y: rows, W: v.W(), H: v.H() - rows})
	}
	if h.Base != nil && v.H() >= legendH {
		p.writeBaseline(v.Sub(grid.Rect{W: v.W(), H: 1}), samples, h)
		v = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	p.computePoints(samples, snap.Marks, (to-from)/float64(max(v.W(), 1)))
	c := &p.chart
	c.X = grid.Axis{Unit: grid.Seconds, Fixed: true, Min: from, Max: to}
	c.Y.FromZero, c.Y.Unit = true, h.Units.Rate()
	c.Y.Scale = grid.Linear
	if p.log {
		c.Y.Scale = grid.Log10
	}
	c.Series = c.Series[:0]
	for i := range p.y {
		c.Series = append(c.Series,
			grid.Series{Name: pane.ClassNames[i], X: p.x, Y: p.y[i], Style: th.Role(grid.Role(i)), Glyph: pane.ClassSymbols[i]})
	}
	p.addBaseline(h, from, to, (to-from)/float64(max(v.W(), 1)))
	c.VLines = c.VLines[:0]
	for i := range snap.Marks {
		if t, ok := p.axis.markerPosition(&snap.Marks[i]); ok && t >= from {
			line := grid.VLine{X: t, Label: snap.Marks[i].Label, Style: th.Focus}
			if snap.Marks[i].IsMinor() {
				line.Label, line.Style = "", th.Dim
			}
			c.VLines = append(c.VLines, line)
		}
	}
	c.Cross, c.CrossX = p.cross, p.crossAt
	c.Markers = h.Markers
	c.Draw(v, th)
	return b
}

// Actions returns the actions that choose the time window and read values.
func (p *Pane) Actions() []pane.Action {
	return []pane.Action{
		{Name: "longer", Do: func(h *pane.Host) { p.widen(h, +1) }},
		{Name: "shorter", Do: func(h *pane.Host) { p.widen(h, -1) }},
		{Name: "log", Do: func(*pane.Host) { p.log = !p.log }},
		{Name: "clock", Do: p.switchClock, Ready: func(h *pane.Host) bool { return h.Snap.Kind == engine.Simulated }},
		{Name: "crosshair", Do: p.toggleCross},
		{Name: "crosshair-left", Do: func(h *pane.Host) { p.moveCross(h, -1./60) }},
		{Name: "crosshair-right", Do: func(h *pane.Host) { p.moveCross(h, +1./60) }},
		{Name: "earlier", Do: func(h *pane.Host) { p.scroll(h, -0.25) }},
		{Name: "later", Do: func(h *pane.Host) { p.scroll(h, +0.25) }},
		{Name: "follow", Do: func(h *pane.Host) { h.Window.Follow() }},
		{Name: "back", Do: p.back, Ready: func(h *pane.Host) bool { return p.cross || h.Moment.Marked || h.Window.End > 0 }},
	}
}

// Wheel shortens or lengthens the time window.
func (p *Pane) Wheel(h *pane.Host, _, _, by int) bool {
	p.widen(h, -by)
	return true
}

// ownWindow is the time that the chart shows on the wall clock until the user zooms.
const ownWindow = 30 * time.Second

// maxZoom is the largest ratio of the whole run to the time that is shown.
const maxZoom = 1000

// widen lengthens the window of all panes by a step of 1, 2, 5 (n > 0), or shortens it.
func (p *Pane) widen(h *pane.Host, n int) {
	from, to := p.span(h)
	span, whole := p.axis.duration(to-from), p.axis.duration(p.axis.newest)
	next := pane.Shorter(span)
	if n > 0 {
		next = pane.Longer(span)
	}
	if n > 0 && next > pane.RoundUp(whole) || n < 0 && next < whole/maxZoom {
		return
	}
	h.Window.Span = next
}

// scroll holds the window of all panes and moves it by a fraction of its width.
func (p *Pane) scroll(h *pane.Host, by float64) {
	from, to := p.span(h)
	end := min(to, p.axis.newest)
	h.Window.Scroll(p.axis.duration(to-from), p.axis.timeAt(end), p.axis.timeAt(p.axis.newest), by)
}

// back hides the crosshair; without one, it follows the run again.
func (p *Pane) back(h *pane.Host) {
	if p.cross || h.Moment.Marked {
		p.toggleCross(h)
		return
	}
	h.Window.Follow()
}

// switchClock switches between the virtual clock of a simulation and the wall clock. The crosshair keeps its moment.
func (p *Pane) switchClock(h *pane.Host) {
	p.wall, p.cross, p.moment = !p.wall, false, pane.Moment{}
	p.updateAxis(h.Snap)
}

// span returns the time interval that the chart shows, in seconds on the axis: the window of all panes. Until the user
// zooms, it is the whole run in virtual time, and the last seconds on the wall clock. If the run is younger than the
// window, the chart fills from the left.
func (p *Pane) span(h *pane.Host) (from, to float64) {
	p.updateAxis(h.Snap)
	a := &p.axis
	to = a.newest
	wide := ownWindow.Seconds()
	switch {
	case h.Picture && a.isVirtual:
		return 0, max(to, 1e-9)
	case h.Picture:
		return 0, max(to, 1)
	case h.Window.Span > 0:
		wide = h.Window.Span.Seconds() * a.rate
	case a.isVirtual:
		wide = pane.RoundUp(cluster.FromSeconds(max(to, 1e-9))).Seconds()
	}
	if h.Window.End > 0 {
		to = min(a.positionAt(h.Window.End), a.newest)
	}
	from = max(0, to-wide)
	return from, from + wide
}

// toggleCross shows the crosshair in the middle of the data, or hides it.
func (p *Pane) toggleCross(h *pane.Host) {
	from, to := p.span(h)
	p.followMoment(h)
	p.cross = !p.cross
	p.crossAt = (from + min(to, p.axis.newest)) / 2
	p.shareMoment(h)
}

// moveCross shows the crosshair and moves it by a fraction of the window.
func (p *Pane) moveCross(h *pane.Host, by float64) {
	from, to := p.span(h)
	p.followMoment(h)
	if !p.cross {
		p.cross, p.crossAt = true, p.axis.newest
	}
	p.crossAt = min(max(p.crossAt+by*(to-from), from), min(to, p.axis.newest))
	p.shareMoment(h)
}

// shareMoment marks the moment of the crosshair in the other panes. If it is in an earlier launch, they mark nothing.
func (p *Pane) shareMoment(h *pane.Host) {
	h.Moment = pane.Moment{}
	if at, ok := p.axis.clock(p.crossAt); ok && p.cross {
		h.Moment = pane.Moment{Marked: true, At: at}
	}
	p.moment = h.Moment
}

// followMoment moves the crosshair to the moment that another pane has marked since the last call.
func (p *Pane) followMoment(h *pane.Host) {
	if h.Moment == p.moment {
		return
	}
	p.moment, p.cross = h.Moment, false
	if x, ok := p.axis.positionOf(h.Moment.At); ok && h.Moment.Marked && !h.Moment.Path {
		p.cross, p.crossAt = true, x
	}
}

// computePoints computes the points of the curves: the mean of the samples in each column. Columns
// have fixed positions in time, because the curves would shimmer otherwise. A marker begins a new
// column, so that a change shows at once as a sharp step.
func (p *Pane) computePoints(samples []engine.Sample, markers []engine.Mark, column float64) {
	p.x = p.x[:0]
	for i := range p.y {
		p.y[i] = p.y[i][:0]
	}
	for len(samples) > 0 {
		first, begin := samples[0].At, p.axis.position(&samples[0])
		for len(markers) > 0 && markers[0].At < first {
			markers = markers[1:]
		}
		var sum [cluster.Classes]float64
		n := 0
		for n < len(samples) {
			at := samples[n].At
			if math.Floor(p.axis.position(&samples[n])/column) != math.Floor(begin/column) ||
				len(markers) > 0 && markers[0].At < at && n > 0 {
				break
			}
			for i, r := range samples[n].Rate {
				sum[i] += r
			}
			n++
		}
		p.x = append(p.x, p.axis.position(&samples[n-1]))
		for i := range sum {
			p.y[i] = append(p.y[i], sum[i]/float64(n))
		}
		samples = samples[n:]
	}
}

// drawLegend writes the locality classes, with their newest values if there is room. It returns the
// number of rows that it used.
func (p *Pane) drawLegend(v grid.View, s engine.Sample, u grid.Units, th *grid.Theme) (rows int) {
	words := func(c int, values bool) {
		p.text = append(p.text[:0], pane.ClassNames[c]...)
		if values {
			p.text = u.Rate().Append(append(p.text, ' '), s.Rate[c], 10)
		}
	}
	total := -gap
	for c := range pane.ClassNames {
		words(c, true)
		total += grid.Width(string(p.text)) + 2 + gap
	}
	values := total <= v.W() || v.H() >= twoRowsH
	x, space := 0, gap
	if !values {
		space = 1
	}
	for c := range pane.ClassNames {
		words(c, values)
		if n := grid.Width(string(p.text)) + 2; x > 0 && x+n > v.W() {
			x = 0
			if !values {
				break
			}
			rows++
		}
		v.Rune(x, rows, pane.ClassSymbols[c], th.Role(grid.Role(c)))
		x += 2 + space + v.Bytes(x+2, rows, p.text, th.Text)
	}
	return rows + 1
}

const (
	gap      = 2  // columns between entries of the legend
	twoRowsH = 12 // minimum height at which the legend may use two rows
)
