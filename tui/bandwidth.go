package tui

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
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

// kindWords is the mark and the name of the kind of the measured numbers.
func kindWords(a *app) string {
	if a.snap.Kind == "" {
		return ""
	}
	return string(a.theme.Kind(kindOf(a.snap.Kind)).Mark) + " " + string(a.snap.Kind)
}

// classMarks tell the classes apart where colours do not; they are none of the
// marks of the kinds of number.
var classMarks = [cluster.Classes]rune{cluster.InRank: '■', cluster.InNode: '▲', cluster.Remote: '▼'}

var classNames = [cluster.Classes]string{cluster.InRank.String(), cluster.InNode.String(), cluster.Remote.String()}

func (b *bandwidth) caption(a *app) string {
	top := 0.0
	from, to := a.chart.span(a.snap)
	for _, s := range visible(a.snap.Series, from, to) {
		for _, r := range s.Rate {
			top = max(top, r)
		}
	}
	var unit string
	b.chart.Y.Unit, unit = grid.BytesPerSecond.Common(top)
	if of := (bandwidthCaption{a.snap.Kind, unit, a.chart.log, a.theme}); of != b.capOf {
		b.capOf = of
		b.cap = unit
		if of.kind != "" {
			b.cap = kindWords(a) + ", " + unit
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
	snap, th := a.snap, a.theme
	from, to := a.chart.span(snap)
	samples := visible(snap.Series, from, to)
	if len(samples) == 0 {
		emptyChart(v, a)
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
		c.Series = append(c.Series, grid.Series{Name: classNames[i], X: b.x, Y: b.y[i], Style: th.SeriesStyle(i), Glyph: classMarks[i]})
	}
	c.VLines = c.VLines[:0]
	for _, m := range snap.Marks {
		if t := m.At.Seconds(); t >= from {
			c.VLines = append(c.VLines, grid.VLine{X: t, Label: m.Label, Style: th.Focus})
		}
	}
	c.Cross, c.CrossX = a.chart.cross, a.chart.at
	c.Markers = a.chart.markers
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
		b.text = append(append(b.text[:0], classNames[c]...), ' ')
		b.text = grid.BytesPerSecond.Append(b.text, s.Rate[c], 10)
	}
	short := func(c int) {
		b.text = append(append(b.text[:0], classNames[c]...), ' ')
		b.text = b.chart.Y.Unit.Append(b.text, s.Rate[c], 6)
	}
	for _, words := range [...]func(int){full, short, func(c int) { b.text = append(b.text[:0], classNames[c]...) }} {
		total := -2
		for c := range classNames {
			words(c)
			total += grid.Width(string(b.text)) + 4
		}
		if total > v.W() {
			continue
		}
		x := 0
		for c := range classNames {
			words(c)
			v.Rune(x, 0, classMarks[c], th.SeriesStyle(c))
			x += 4 + v.Bytes(x+2, 0, b.text, th.Text)
		}
		return
	}
}

// emptyChart says why a chart has nothing to show.
func emptyChart(v grid.View, a *app) {
	text := "no data yet"
	switch a.snap.Phase {
	case engine.Starting:
		text = "starting…"
	case engine.Paused:
		text = "paused before the first sample: space goes on"
	case engine.Failed:
		text = "no data: the run failed"
	}
	v.TextIn(0, v.H()/2, v.W(), text, grid.Center, a.theme.Dim)
}

// kindOf is the grid's word for a kind of number.
func kindOf(k engine.Kind) grid.Kind {
	return grid.Kind(max(0, slices.Index(engine.Kinds, k)))
}
