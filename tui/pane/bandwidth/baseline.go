package bandwidth

import (
	"cmp"
	"math"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// ghost holds the baseline curves, shifted in time so that they end where the curves of the run
// end.
type ghost struct {
	x     []float64
	y     [cluster.Classes][]float64
	names [cluster.Classes]string
}

func newGhost() (g ghost) {
	for c, name := range pane.ClassNames {
		g.names[c] = name + ", baseline"
	}
	return g
}

// points computes the points of the baseline curves: the mean of the samples in each column.
// Columns are counted from the end, so that the curves move with the run and keep their shape.
func (g *ghost) points(b *engine.Baseline, fabric bool, from, end, column float64) {
	g.x = g.x[:0]
	for c := range g.y {
		g.y[c] = g.y[c][:0]
	}
	at := func(s *engine.Sample) float64 {
		if fabric {
			return (s.Fabric - b.Series[len(b.Series)-1].Fabric).Seconds() + end
		}
		return s.At.Seconds() - b.End.Seconds() + end
	}
	for i := 0; i < len(b.Series); {
		x := at(&b.Series[i])
		n := 0
		var sum [cluster.Classes]float64
		for place := math.Ceil((x - end) / column); i < len(b.Series) && math.Ceil((at(&b.Series[i])-end)/column) == place; i++ {
			for c, r := range b.Series[i].Rate {
				sum[c] += r
			}
			x = at(&b.Series[i])
			n++
		}
		if n == 0 { // the time is NaN
			return
		}
		if x < from {
			continue
		}
		g.x = append(g.x, x)
		for c := range sum {
			g.y[c] = append(g.y[c], sum[c]/float64(n))
		}
	}
}

// against writes the name of the baseline run, and the ratio of the bandwidths since the last
// marker, summed over all classes.
func (p *Pane) against(v grid.View, samples []engine.Sample, h *pane.Host) {
	h.BaseLegend(v)
	if n := len(h.Snap.Marks); n > 0 {
		i, _ := slices.BinarySearchFunc(samples, h.Snap.Marks[n-1].At, func(s engine.Sample, at time.Duration) int { return cmp.Compare(s.At, at) })
		samples = samples[i:]
	}
	r := engine.Ratio{Value: h.Base.Over(mean(samples), mean(h.Base.Series)), Kind: h.Snap.Kind, Base: h.Base.Kind}
	if math.IsNaN(r.Value) {
		return
	}
	p.text = append(engine.AppendFactor(append(p.text[:0], "all classes: "...), r.Value), " baseline"...)
	if kinds := r.Kinds(); kinds != "" {
		p.text = append(append(append(p.text, " ("...), kinds...), ')')
	}
	if n := utf8.RuneCount(p.text); grid.Width("baseline: "+h.Base.Told)+4+n <= v.W() {
		v.Bytes(v.W()-n, 0, p.text, h.Theme.Accent)
	}
}

// mean returns the mean rate of all classes together in B/s, or NaN without samples.
func mean(all []engine.Sample) float64 {
	sum := 0.0
	for i := range all {
		for _, r := range all[i].Rate {
			sum += r
		}
	}
	return sum / float64(len(all))
}

// ghosts adds the baseline curves to the chart. A single value becomes a horizontal line.
func (p *Pane) ghosts(h *pane.Host, from, to, column float64) {
	if h.Base == nil || p.axis.fabric && h.Base.Kind != engine.Simulated {
		return
	}
	g := &p.ghost
	g.points(h.Base.Baseline, p.axis.fabric, from, p.axis.newest, column)
	if len(g.x) == 1 {
		g.x = append(g.x, g.x[0])
		g.x[0] = from
		for c := range g.y {
			g.y[c] = append(g.y[c], g.y[c][0])
		}
	}
	for c := range g.y {
		s := grid.Series{Name: g.names[c], X: g.x, Y: g.y[c], Shape: grid.Dashed, Style: h.Theme.SeriesStyle(c).With(grid.Faint), Glyph: pane.ClassSymbols[c]}
		p.chart.Series = append(p.chart.Series, s)
	}
	if h.Markers == grid.Lines { // later lines cover earlier ones
		all := p.chart.Series
		for c := range cluster.Classes {
			all[c], all[c+cluster.Classes] = all[c+cluster.Classes], all[c]
		}
	}
}
