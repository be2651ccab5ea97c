package tui

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// bandwidth draws bytes per second over time, a line a locality class, with a
// mark wherever a knob was turned:
//
//	● in rank 12.3 GB/s   ○ in node 3.1 GB/s   ◆ remote 0.4 GB/s
//	12┤           ╭──╮ ╭───
//	 8┤   ╭───────╯  ╰─╯
//	 4┤───╯  ┆group 2→4
type bandwidth struct {
	chart grid.LineChart
	x     []float64
	y     [cluster.Classes][]float64
	text  []byte
	cap   string
	capOf bandwidthCaption
}

type bandwidthCaption struct {
	kind engine.Kind
	unit string
	log  bool
	th   *grid.Theme
}

func (b *bandwidth) caption(a *app) string {
	top := 0.0
	from, to := a.chart.span(a.Snap)
	for _, s := range visible(a.Snap.Series, from, to) {
		for _, r := range s.Rate {
			top = max(top, r)
		}
	}
	var unit string
	b.chart.Y.Unit, unit = grid.BytesPerSecond.Common(top)
	if of := (bandwidthCaption{a.Snap.Kind, unit, a.chart.log, a.Theme}); of != b.capOf {
		b.capOf = of
		b.cap = unit
		if of.kind != "" {
			b.cap = a.KindWords() + ", " + unit
		}
		if of.log {
			b.cap += ", log"
		}
	}
	return b.cap
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

func (b *bandwidth) draw(v grid.View, a *app) {
	snap, th := a.Snap, a.Theme
	from, to := a.chart.span(snap)
	samples := visible(snap.Series, from, to)
	if len(samples) == 0 {
		a.Empty(v)
		return
	}
	if v.H() >= 4 {
		b.legend(v, samples[len(samples)-1], th)
		v = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	b.points(samples, snap.Marks, (to-from)/float64(max(v.W(), 1)))
	c := &b.chart
	c.X = grid.Axis{Unit: grid.Seconds, Fixed: true, Min: from, Max: to}
	c.Y.FromZero = true
	c.Y.Scale = grid.Linear
	if a.chart.log {
		c.Y.Scale = grid.Log10
	}
	c.Series = c.Series[:0]
	for i := range b.y {
		c.Series = append(c.Series, grid.Series{Name: pane.ClassNames[i], X: b.x, Y: b.y[i], Style: th.SeriesStyle(i), Glyph: pane.ClassMarks[i]})
	}
	c.VLines = c.VLines[:0]
	for _, m := range snap.Marks {
		if t := m.At.Seconds(); t >= from {
			c.VLines = append(c.VLines, grid.VLine{X: t, Label: m.Label, Style: th.Focus})
		}
	}
	c.Cross, c.CrossX = a.chart.cross, a.chart.at
	c.Markers = a.Markers
	c.Draw(v, th)
}

// points takes the samples over, the mean of those in a column where there are
// several. Columns stand still while time goes on, or curves would shimmer, and
// a mark begins a new one, so that a change is seen at once and sharply.
func (b *bandwidth) points(samples []engine.Sample, marks []engine.Mark, column float64) {
	b.x = b.x[:0]
	for i := range b.y {
		b.y[i] = b.y[i][:0]
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
		b.x = append(b.x, samples[n-1].At.Seconds())
		for i := range sum {
			b.y[i] = append(b.y[i], sum[i]/float64(n))
		}
		samples = samples[n:]
	}
}

// legend shows the classes and their newest values, as fully as there is room.
func (b *bandwidth) legend(v grid.View, s engine.Sample, th *grid.Theme) {
	full := func(c int) {
		b.text = append(append(b.text[:0], pane.ClassNames[c]...), ' ')
		b.text = grid.BytesPerSecond.Append(b.text, s.Rate[c], 10)
	}
	short := func(c int) {
		b.text = append(append(b.text[:0], pane.ClassNames[c]...), ' ')
		b.text = b.chart.Y.Unit.Append(b.text, s.Rate[c], 6)
	}
	for _, words := range [...]func(int){full, short, func(c int) { b.text = append(b.text[:0], pane.ClassNames[c]...) }} {
		total := -2
		for c := range pane.ClassNames {
			words(c)
			total += grid.Width(string(b.text)) + 4
		}
		if total > v.W() {
			continue
		}
		x := 0
		for c := range pane.ClassNames {
			words(c)
			v.Rune(x, 0, pane.ClassMarks[c], th.SeriesStyle(c))
			x += 4 + v.Bytes(x+2, 0, b.text, th.Text)
		}
		return
	}
}
