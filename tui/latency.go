package tui

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// latency draws how long accesses took: quantiles by locality class, and under
// each class its distribution, all above one logarithmic axis.
//
//	              p50     p99    mean  accesses
//	■ in rank   12 ns   31 ns   14 ns      1.2M
//	  ▁▃█▅▂
//	▲ in node   95 ns  210 ns  101 ns      3.6M
//	          ▂█▆▁
//	  10 ns     100 ns      1 µs
type latency struct {
	bins  [cluster.Classes][]float64
	spark grid.Sparkline
	ticks []float64
	text  []byte
}

var latencyColumns = [...]string{"p50", "p99", "mean", "count"}

const (
	latencyName = 10 // columns of the class
	latencyCol  = 9  // columns of a number
)

func (l *latency) draw(v grid.View, a *app) {
	snap, th := a.Snap, a.Theme
	lo, hi := latencyRange(&snap.Latency)
	if lo > hi {
		if snap.Phase == engine.Running && snap.Iteration > 0 {
			v.TextIn(0, v.H()/2, v.W(), "no single accesses timed", grid.Center, th.Dim)
			return
		}
		a.Empty(v)
		return
	}
	shown := max(min((v.W()-latencyName)/latencyCol, len(latencyColumns)), 0)
	left := v.W() - shown*latencyCol // the numbers stand at the right edge
	y := 0
	if v.H() > cluster.Classes {
		for i := range shown {
			v.TextIn(left+i*latencyCol, 0, latencyCol, latencyColumns[i], grid.Right, th.Dim)
		}
		y++
	}
	// What is left is shared by the distributions and their axis.
	strip := (v.H() - y - cluster.Classes - 1) / cluster.Classes
	if strip < 1 || v.W() < 12 {
		strip = 0
	}
	strip = min(strip, 8)
	for c := range cluster.Classes {
		l.row(v, y, c, &snap.Latency[c], left, shown, th)
		y++
		if strip > 0 {
			l.strip(v.Sub(grid.Rect{X: 1, Y: y, W: v.W() - 2, H: strip}), c, &snap.Latency[c], lo, hi, th)
			y += strip
		}
	}
	if strip > 0 {
		l.axis(v.Sub(grid.Rect{X: 1, Y: y, W: v.W() - 2, H: 1}), lo, hi, th)
	}
}

// row writes the numbers of a class.
func (l *latency) row(v grid.View, y, c int, q *engine.Quantiles, left, shown int, th *grid.Theme) {
	v.Rune(0, y, pane.ClassMarks[c], th.SeriesStyle(c))
	v.Text(2, y, pane.ClassNames[c], th.Text)
	for i, x := range [...]float64{q.P50, q.P99, q.Mean, float64(q.Count)} {
		if i >= shown {
			return
		}
		st, unit := th.Text, grid.Seconds
		switch {
		case q.Count == 0:
			x, st = math.NaN(), th.Dim
		case i == 0:
			st = th.SeriesStyle(c).With(grid.Bold)
		}
		if i == 3 {
			unit = grid.Count
		}
		l.text = unit.Append(l.text[:0], x, latencyCol-1)
		v.Bytes(left+(i+1)*latencyCol-grid.Width(string(l.text)), y, l.text, st)
	}
}

// latencyRange is the range of all distributions; lo > hi: there is none.
func latencyRange(all *[cluster.Classes]engine.Quantiles) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for c := range all {
		q := &all[c]
		if q.Count == 0 {
			continue
		}
		lo, hi = min(lo, q.Min, q.P50), max(hi, q.P99)
	}
	lo = max(lo, 1e-12)
	if lo >= hi && hi > 0 {
		lo, hi = hi/2, hi*2
	}
	return lo, hi * 1.2
}

// strip draws the distribution of a class, each column as high as its share of
// the highest.
func (l *latency) strip(v grid.View, c int, q *engine.Quantiles, lo, hi float64, th *grid.Theme) {
	w := v.W()
	if cap(l.bins[c]) < w {
		l.bins[c] = make([]float64, w)
	}
	bins := l.bins[c][:w]
	clear(bins)
	place := func(x float64) float64 {
		return min(max(math.Log(max(x, lo)/lo)/math.Log(hi/lo), 0), 1) * float64(w)
	}
	lower := 0.0
	if len(q.Buckets) > 0 {
		lower = max(q.Min, lo)
	}
	top := 0.0
	for _, b := range q.Buckets {
		from, to := place(lower), place(b.Upper)
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
	if q.Count > 0 {
		for _, x := range [...]float64{q.P50, q.P99} {
			for y := range v.H() {
				v.Rune(min(int(place(x)), w-1), y, '┆', th.Dim)
			}
		}
	}
	l.spark = grid.Sparkline{Values: bins, Fixed: true, Max: max(top, 1), Style: th.SeriesStyle(c)}
	l.spark.Draw(v, th)
}

// axis writes the times under the distributions.
func (l *latency) axis(v grid.View, lo, hi float64, th *grid.Theme) {
	l.ticks = grid.Ticks(l.ticks[:0], grid.Log10, lo, hi, max(2, v.W()/8))
	if len(l.ticks) < 3 { // a decade or two: 1, 2 and 5 in each, where labels do not touch
		l.ticks = grid.Ticks(l.ticks[:0], grid.Log10, lo, hi, 12)
	}
	free := 0
	for _, t := range l.ticks {
		x := int(math.Log(t/lo) / math.Log(hi/lo) * float64(v.W()))
		l.text = grid.Seconds.Append(l.text[:0], t, 8)
		n := grid.Width(string(l.text))
		at := min(max(x-n/2, 0), v.W()-n)
		if at < free {
			continue
		}
		v.Bytes(at, 0, l.text, th.Dim)
		free = at + n + 1
	}
}
