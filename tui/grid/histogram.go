package grid

import (
	"math"
	"strconv"
)

// Histogram draws how often values fell into buckets, above a logarithmic
// axis that suits latencies, with quantiles marked:
//
//	30%┤    ▆█┆    p50 95 ns
//	   │   ▃██┆▂      ┆p99 210 ns
//	   └──┬───────┬──────
//	     50 ns   100 ns
//
// A column shows its share of all values; a bucket that is wider than a column
// is spread over several. Or, as a CDF, the share of values at or below each.
type Histogram struct {
	// Edges are the rising bounds of the buckets, one more than Counts.
	Edges  []float64
	Counts []uint64
	// X is the axis of the values. The vertical axis shows shares of all.
	X Axis
	// Quantiles are marked and read, 0.5 as p50. None marks none.
	Quantiles []float64
	CDF       bool
	// Style defaults to the theme's first series.
	Style Style

	plot   plot
	raster raster
	shares []float64 // of the values, by column of the plot
	lines  []VLine
	labels []string // of lines, and the values they were made of
	read   []float64
	styles [1]Style
}

// Quantile returns the value below which a share q (0 to 1) of the counts
// lies, as near as the buckets tell, and NaN when there are none.
func (h *Histogram) Quantile(q float64) float64 {
	total := 0.0
	for i := range h.buckets() {
		total += float64(h.Counts[i])
	}
	if total == 0 || math.IsNaN(q) {
		return math.NaN()
	}
	want, last := clamp01(q)*total, math.NaN()
	for i := range h.buckets() {
		n := float64(h.Counts[i])
		if n == 0 {
			continue
		}
		if want <= n {
			return h.within(i, want/n)
		}
		want -= n
		last = h.Edges[i+1]
	}
	return last
}

// within returns the value at fraction f of bucket i, on the scale of the
// axis.
func (h *Histogram) within(i int, f float64) float64 {
	ax := Axis{Scale: h.X.Scale, Fixed: true, Min: h.Edges[i], Max: h.Edges[i+1]}
	if ax.Scale != Linear && !(ax.Min > 0) {
		ax.Scale = Linear // the bucket of zero
	}
	if !(ax.Min < ax.Max) || ax.Max-ax.Max != 0 {
		return h.Edges[i]
	}
	m := ax.settle(emptySpan(), false, 0)
	return m.value(f)
}

func (h *Histogram) buckets() int { return max(0, min(len(h.Counts), len(h.Edges)-1)) }

// Draw draws the histogram over v.
func (h *Histogram) Draw(v View, th *Theme) {
	xs, total := h.span()
	top := h.spread(v.W(), xs, total) // a guess of the width, to find the height
	ys := emptySpan()
	ys.add(Linear, 0)
	ys.add(Linear, top)
	ya := Axis{Unit: Share}
	if h.CDF {
		ya.Fixed, ya.Max = true, 1
	}
	h.plot.frame(v, th, &h.X, &ya, xs, ys)
	in := v.Sub(h.plot.area)
	if total == 0 {
		in.TextIn(0, in.H()/2, in.W(), "no data yet", Center, th.Dim)
		return
	}
	st := orStyle(h.Style, th.SeriesStyle(0))
	if h.CDF {
		h.curve(in, total, st)
	} else {
		h.spread(in.W(), xs, total)
		for x, s := range h.shares {
			h.shares[x], _ = h.plot.y.frac(s)
		}
		in.columns(0, h.shares, st)
	}
	h.mark(th)
	h.plot.verticals(v, th, h.lines)
	h.plot.verticalLabels(v, th, h.lines)
}

// span returns the range of the buckets that hold anything, and the sum of
// counts.
func (h *Histogram) span() (s span, total float64) {
	s = emptySpan()
	for i := range h.buckets() {
		if n := h.Counts[i]; n > 0 {
			total += float64(n)
			s.add(h.X.Scale, h.Edges[i])
			s.add(h.X.Scale, h.Edges[i+1])
		}
	}
	return s, total
}

// spread shares the counts out over w columns and returns the largest share
// of a column. A bucket that covers several columns is spread evenly, so that
// the area of the picture is right whatever the buckets.
func (h *Histogram) spread(w int, xs span, total float64) (top float64) {
	h.shares = grow(h.shares, max(0, w))
	clear(h.shares)
	if w <= 0 || total == 0 {
		return 0
	}
	m := h.X.settle(xs, false, 0)
	for i := range h.buckets() {
		n := float64(h.Counts[i])
		if n == 0 {
			continue
		}
		a, okA := m.frac(h.Edges[i])
		b, okB := m.frac(h.Edges[i+1])
		if !okB {
			continue
		}
		if !okA {
			a = 0
		}
		a, b = clamp01(a)*float64(w), clamp01(b)*float64(w)
		c0 := clampInt(int(a), 0, w-1)
		c1 := clampInt(int(b), c0, w-1)
		for c := c0; c <= c1; c++ {
			part := 1.0
			if c0 < c1 {
				part = (min(b, float64(c+1)) - max(a, float64(c))) / (b - a)
			}
			h.shares[c] += n / total * part
			top = max(top, h.shares[c])
		}
	}
	return top
}

// curve draws the CDF.
func (h *Histogram) curve(in View, total float64, st Style) {
	kind := Braille
	if in.ASCII() {
		kind = Plus
	}
	h.raster.reset(in.W(), in.H(), kind)
	p := pen{c: &h.raster}
	sum := 0.0
	for i := range h.buckets() {
		if x, ok := h.plot.x.frac(h.Edges[i]); ok {
			p.to(x, sum/total)
		}
		sum += float64(h.Counts[i])
		if x, ok := h.plot.x.frac(h.Edges[i+1]); ok {
			p.to(x, sum/total)
		}
	}
	h.styles[0] = st
	h.raster.draw(in, h.styles[:])
}

// mark makes the lines of the quantiles. Labels are made anew only when their
// values have changed.
func (h *Histogram) mark(th *Theme) {
	n := len(h.Quantiles)
	h.lines, h.labels, h.read = grow(h.lines, n), grow(h.labels, n), grow(h.read, 2*n)
	for i, q := range h.Quantiles {
		x := h.Quantile(q)
		if h.labels[i] == "" || h.read[2*i] != q || h.read[2*i+1] != x {
			name := "p" + strconv.FormatFloat(q*100, 'g', 6, 64)
			h.labels[i] = name + " " + h.X.Unit.String(x)
			h.read[2*i], h.read[2*i+1] = q, x
		}
		h.lines[i] = VLine{X: x, Label: h.labels[i], Style: th.Focus}
	}
}
