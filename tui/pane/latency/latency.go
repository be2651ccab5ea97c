package latency

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "latency", Title: "Latency", Doc: "the access latency", Place: pane.Times,
	// A run that has tables and records no accesses shows its tables here.
	Offered: func(s *engine.Snapshot) bool { return !engine.Drawn(s) || hasRecorded(s) },
	Now:     hasRecorded,
	New:     func() pane.Pane { return &Pane{} },
}

// Pane shows the quantiles and the distributions.
type Pane struct {
	bins         [cluster.Classes][]float64
	baselineBins []float64 // bins of the baseline distribution
	spark        grid.Sparkline
	boxes        boxes
	ticks        []float64
	text         []byte
}

// Inputs returns the snapshot.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap} }

// Actions returns nil.
func (p *Pane) Actions() []pane.Action { return nil }

// columns are the columns of the numbers. compared are the columns with a baseline: they include
// the ratio of the medians.
var (
	columns  = []string{"p50", "p99", "mean", "count"}
	compared = []string{"p50", ratio, "p99", "mean", "count"}
)

const ratio = "× base"

const (
	nameCols  = 13 // width of the class names
	valueCols = 9  // width of a number
)

// Draw draws as much as there is room for.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	p.draw(v, h)
	return pane.Border{Right: h.KindWords()}
}

func (p *Pane) draw(v grid.View, h *pane.Host) {
	snap, th := h.Snap, h.Theme
	in := spanOf(h)
	if in.lo > in.hi {
		if p.boxes.drawAlone(v, snap, th) {
			return
		}
		if snap.Phase != engine.Starting && snap.Iteration > 0 {
			v.TextIn(0, v.H()/2, v.W(), "no individual accesses timed", grid.Center, th.Dim)
			return
		}
		h.Empty(v)
		return
	}
	columns := columns
	if h.Base != nil {
		columns = compared
	}
	shown := max(min((v.W()-nameCols)/valueCols, len(columns)), 0)
	left := v.W() - shown*valueCols // the numbers are at the right edge
	y := 0
	if v.H() > cluster.Classes {
		for i := range shown {
			v.TextIn(left+i*valueCols, 0, valueCols, columns[i], grid.Right, th.Dim)
		}
		y++
	}
	if h.Base != nil && v.H() >= legendH {
		h.BaseLegend(v.Sub(grid.Rect{Y: v.H() - 1, W: v.W(), H: 1}), '╌')
		v = v.Sub(grid.Rect{W: v.W(), H: v.H() - 1})
	}
	v = p.boxes.draw(v, snap, th)
	// The distributions and their axis share the remaining rows.
	filled := 0
	for c := range cluster.Classes {
		if p.hasDistribution(c, h) {
			filled++
		}
	}
	stripH := (v.H() - y - cluster.Classes - 1) / max(filled, 1)
	if stripH < 1 || v.W() < 12 {
		stripH = 0
	}
	stripH = min(stripH, 8)
	for c := range cluster.Classes {
		p.drawRow(v.Sub(grid.Rect{Y: y, W: v.W(), H: 1}), c, left, columns[:shown], h)
		y++
		if stripH > 0 && p.hasDistribution(c, h) {
			at := v.Sub(grid.Rect{X: 1, Y: y, W: v.W() - 2, H: stripH})
			if h.Base != nil {
				p.drawBaseline(at, &h.Base.Latency[c], in, th)
			}
			p.drawDistribution(at, c, &snap.Latency[c], in, th)
			y += stripH
		}
	}
	if stripH > 0 {
		p.drawAxis(v.Sub(grid.Rect{X: 1, Y: y, W: v.W() - 2, H: 1}), in, th)
	}
}

// hasRecorded reports whether the run has recorded any access.
func hasRecorded(s *engine.Snapshot) bool {
	for c := range s.Latency {
		if s.Latency[c].Count > 0 {
			return true
		}
	}
	return false
}

// hasDistribution reports whether a class has a distribution, of the run or of the baseline.
func (p *Pane) hasDistribution(c int, h *pane.Host) bool {
	return h.Snap.Latency[c].Count > 0 || h.Base != nil && h.Base.Latency[c].Count > 0
}

// drawRow writes the numbers of a class in one row, from column left on.
func (p *Pane) drawRow(v grid.View, c, left int, columns []string, h *pane.Host) {
	th, q := h.Theme, &h.Snap.Latency[c]
	v.Rune(0, 0, pane.ClassSymbols[c], th.Role(grid.Role(c)))
	v.Text(2, 0, pane.ClassNames[c], th.Text)
	for i, name := range columns {
		st := th.Text
		unit := grid.Seconds
		x := math.NaN()
		switch name {
		case "p50":
			st, x = th.Role(grid.Role(c)).With(grid.Bold), q.P50
		case "p99":
			x = q.P99
		case "mean":
			x = q.Mean
		case "count":
			unit, x = grid.Count, float64(q.Count)
		}
		switch {
		case name == ratio:
			st = th.Accent
			if base := &h.Base.Latency[c]; q.Count > 0 && base.Count > 0 {
				x = h.Base.Over(q.P50, base.P50)
			}
			p.text = engine.AppendFactor(p.text[:0], x)
		case q.Count == 0:
			p.text = unit.Append(p.text[:0], math.NaN(), valueCols-1)
			st = th.Dim
		case x == 0: // shorter than the resolution of the clock
			p.text = append(p.text[:0], "< tick"...)
		default:
			p.text = unit.Append(p.text[:0], x, valueCols-1)
		}
		v.Bytes(left+(i+1)*valueCols-grid.Width(string(p.text)), 0, p.text, st)
	}
}

// span is a range of times.
type span struct{ lo, hi float64 }

// spanOf returns the range of all distributions, including the baseline. If lo > hi, the run has
// none.
func spanOf(h *pane.Host) span {
	lo, hi := math.Inf(1), math.Inf(-1)
	for c := range h.Snap.Latency {
		if q := &h.Snap.Latency[c]; q.Count > 0 {
			lo, hi = min(lo, minTime(q)), max(hi, q.P99)
		}
	}
	if h.Base != nil && lo <= hi {
		for c := range h.Base.Latency {
			if q := &h.Base.Latency[c]; isDrawable(q) {
				lo, hi = min(lo, minTime(q)), max(hi, q.P99)
			}
		}
	}
	lo = max(lo, 1e-12)
	if lo >= hi && hi > 0 {
		lo, hi = hi/2, hi*2
	}
	return span{lo: lo, hi: hi * 1.2}
}

// minTime returns the shortest nonzero time of a distribution, or +Inf if there is none. A time of
// 0 is shorter than the clock's tick and not a latency. The times above 0 begin at the tick.
func minTime(q *engine.Quantiles) float64 {
	if q.Min > 0 {
		return min(q.Min, q.P50)
	}
	zeros := true // still before the first filled bucket, which holds the zeros
	for _, b := range q.Buckets {
		if b.Count > 0 && !zeros {
			return b.Upper
		}
		zeros = zeros && b.Count == 0
	}
	return math.Inf(1)
}

// isSingleBucket reports whether all values of a distribution are in one bucket.
func isSingleBucket(q *engine.Quantiles) bool {
	filled := 0
	for _, b := range q.Buckets {
		if b.Count > 0 {
			filled++
		}
	}
	return filled == 1
}

// spread distributes a distribution over columns and returns the highest column.
func spread(bins []float64, q *engine.Quantiles, in span) (top float64) {
	w := len(bins)
	clear(bins)
	lower := 0.0
	if len(q.Buckets) > 0 {
		lower = max(q.Min, in.lo)
	}
	wide := math.Pow(10, 1.0/engine.BucketsPerDecade)
	for _, b := range q.Buckets {
		from, to := in.column(max(lower, b.Upper/wide), w), in.column(b.Upper, w)
		lower = b.Upper
		if b.Count == 0 || from >= float64(w) {
			continue
		}
		first, last := int(from), min(int(to), w-1)
		for i := first; i <= last; i++ {
			part := 1.0
			if first < last {
				part = (min(to, float64(i+1)) - max(from, float64(i))) / (to - from)
			}
			bins[i] += float64(b.Count) * part
			top = max(top, bins[i])
		}
	}
	return top
}

// column returns the column of a time, from 0 to w.
func (in span) column(x float64, w int) float64 {
	return min(max(math.Log(max(x, in.lo)/in.lo)/math.Log(in.hi/in.lo), 0), 1) * float64(w)
}

// drawDistribution draws the distribution of a class. The height of a column is relative to the
// highest column.
func (p *Pane) drawDistribution(v grid.View, c int, q *engine.Quantiles, in span, th *grid.Theme) {
	w := v.W()
	if cap(p.bins[c]) < w {
		p.bins[c] = make([]float64, w)
	}
	bins := p.bins[c][:w]
	top := spread(bins, q, in)
	if isSingleBucket(q) { // a line, because a block would look wider than the value is
		for y := range v.H() {
			v.Rune(min(int(in.column(q.P50, w)), w-1), y, '│', th.Role(grid.Role(c)))
		}
		return
	}
	if q.Count > 0 {
		for _, x := range [...]float64{q.P50, q.P99} {
			for y := range v.H() {
				v.Rune(min(int(in.column(x, w)), w-1), y, '┆', th.Dim)
			}
		}
	}
	p.spark = grid.Sparkline{Values: bins, Fixed: true, Max: max(top, 1), Style: th.Role(grid.Role(c))}
	p.spark.Draw(v, th)
}

// drawAxis writes the times below the distributions.
func (p *Pane) drawAxis(v grid.View, in span, th *grid.Theme) {
	p.ticks = grid.Ticks(p.ticks[:0], grid.Log10, in.lo, in.hi, max(2, v.W()/8))
	if len(p.ticks) < 3 { // one or two decades: 1, 2 and 5 in each, if the labels do not touch
		p.ticks = grid.Ticks(p.ticks[:0], grid.Log10, in.lo, in.hi, 12)
	}
	free := 0
	for _, t := range p.ticks {
		x := int(math.Log(t/in.lo) / math.Log(in.hi/in.lo) * float64(v.W()))
		p.text = grid.Seconds.Append(p.text[:0], t, 8)
		n := grid.Width(string(p.text))
		at := min(max(x-n/2, 0), v.W()-n)
		if at < free {
			continue
		}
		v.Bytes(at, 0, p.text, th.Dim)
		free = at + n + 1
	}
}
