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

// baseline holds the baseline curves, shifted in time so that they end where the curves of the run
// end.
type baseline struct {
	x     []float64
	y     [cluster.Classes][]float64
	names [cluster.Classes]string
}

func newBaseline() (b baseline) {
	for c, name := range pane.ClassNames {
		b.names[c] = name + ", baseline"
	}
	return b
}

// computePoints computes the points of the baseline curves: the mean of the samples in each column.
// Columns are counted from the end, so that the curves move with the run and keep their shape.
func (b *baseline) computePoints(base *engine.Baseline, fabric bool, from, end, column float64) {
	b.x = b.x[:0]
	for c := range b.y {
		b.y[c] = b.y[c][:0]
	}
	at := func(s *engine.Sample) float64 {
		if fabric {
			return (s.Fabric - base.Series[len(base.Series)-1].Fabric).Seconds() + end
		}
		return s.At.Seconds() - base.End.Seconds() + end
	}
	i := 0
	for k := 1; fabric && k < len(base.Series); k++ { // only the last launch has the same clock
		if base.Series[k].Fabric < base.Series[k-1].Fabric {
			i = k
		}
	}
	for i < len(base.Series) {
		x := at(&base.Series[i])
		n := 0
		var sum [cluster.Classes]float64
		bin := math.Ceil((x - end) / column)
		for ; i < len(base.Series) && math.Ceil((at(&base.Series[i])-end)/column) == bin; i++ {
			for c, r := range base.Series[i].Rate {
				sum[c] += r
			}
			x = at(&base.Series[i])
			n++
		}
		if n == 0 { // the time is NaN
			return
		}
		if x < from {
			continue
		}
		b.x = append(b.x, x)
		for c := range sum {
			b.y[c] = append(b.y[c], sum[c]/float64(n))
		}
	}
}

// writeBaseline writes the name of the baseline run, and the ratio of the bandwidths since the last
// marker, summed over all classes.
func (p *Pane) writeBaseline(v grid.View, samples []engine.Sample, h *pane.Host) {
	h.BaseLegend(v, p.chart.DashSymbol(v, h.Theme))
	if n := len(h.Snap.Marks); n > 0 {
		i, _ := slices.BinarySearchFunc(samples, h.Snap.Marks[n-1].At, func(s engine.Sample, at time.Duration) int {
			return cmp.Compare(s.At, at)
		})
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
	if n := utf8.RuneCount(p.text); grid.Width("baseline: "+h.Base.NameAndKind)+4+n <= v.W() {
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

// addBaseline adds the baseline curves to the chart. A single value becomes a horizontal line.
func (p *Pane) addBaseline(h *pane.Host, from, to, column float64) {
	if h.Base == nil || p.axis.isVirtual && h.Base.Kind != engine.Simulated {
		return
	}
	b := &p.baseline
	b.computePoints(h.Base.Baseline, p.axis.isVirtual, from, p.axis.newest, column)
	if len(b.x) == 1 {
		b.x = append(b.x, b.x[0])
		b.x[0] = from
		for c := range b.y {
			b.y[c] = append(b.y[c], b.y[c][0])
		}
	}
	for c := range b.y {
		s := grid.Series{Name: b.names[c], X: b.x, Y: b.y[c], Shape: grid.Dashed,
			Style: h.Theme.Role(grid.Role(c)).With(grid.Faint), Glyph: pane.ClassSymbols[c]}
		p.chart.Series = append(p.chart.Series, s)
	}
	if h.Markers == grid.Lines { // later lines cover earlier ones
		all := p.chart.Series
		for c := range cluster.Classes {
			all[c], all[c+cluster.Classes] = all[c+cluster.Classes], all[c]
		}
	}
}
