package latency

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// legendH is the minimum height at which the baseline has its own row in the legend.
const legendH = 11

// isDrawable reports whether a distribution can be placed on the axis.
func isDrawable(q *engine.Quantiles) bool {
	return q.Count > 0 && q.Min >= 0 && q.P99 < math.MaxFloat64 && !math.IsNaN(q.P50) &&
		!slices.ContainsFunc(q.Buckets, func(b engine.Bucket) bool { return math.IsNaN(b.Upper) })
}

// drawBaseline draws the outline of the baseline distribution. The distribution of the run is drawn
// over it.
func (p *Pane) drawBaseline(v grid.View, q *engine.Quantiles, in span, th *grid.Theme) {
	w := v.W()
	if w <= 0 || !isDrawable(q) {
		return
	}
	if isSingleBucket(q) {
		for y := range v.H() {
			v.Rune(min(int(in.column(q.P50, w)), w-1), y, '╎', th.Dim)
		}
		return
	}
	if cap(p.baselineBins) < w {
		p.baselineBins = make([]float64, w)
	}
	bins := p.baselineBins[:w]
	top := spread(bins, q, in)
	for x, n := range bins {
		if n > 0 && n >= top/32 {
			v.Rune(x, v.H()-1-min(int(n/top*float64(v.H())), v.H()-1), '╌', th.Dim)
		}
	}
}
