package bandwidth

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// ghost is the baseline's curves, moved so that they end where the run's do.
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

// points takes the baseline's samples over, the mean of those in a column. Columns are
// counted from the end: the ghost moves with the run and does not change.
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
		if n == 0 { // a time that is no number
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

// ghosts adds the baseline's curves to those of the run. A single value is a line.
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
		s := grid.Series{Name: g.names[c], X: g.x, Y: g.y[c], Shape: grid.Dashed, Style: h.Theme.SeriesStyle(c).With(grid.Faint), Glyph: pane.ClassMarks[c]}
		p.chart.Series = append(p.chart.Series, s)
	}
	if h.Markers == grid.Lines { // curves of lines lie over each other in their order
		all := p.chart.Series
		for c := range cluster.Classes {
			all[c], all[c+cluster.Classes] = all[c+cluster.Classes], all[c]
		}
	}
}
