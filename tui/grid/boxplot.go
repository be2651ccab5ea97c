package grid

import "slices"

// Spread holds the minimum, the quartiles, the median and the maximum of values.
type Spread struct{ Low, Q1, Median, Q3, High float64 }

// SpreadOf returns the spread of the finite values, and false if there are none. It sorts in
// scratch and returns scratch for the next call.
func SpreadOf(values, scratch []float64) (s Spread, _ []float64, ok bool) {
	scratch = scratch[:0]
	for _, x := range values {
		if x-x == 0 {
			scratch = append(scratch, x)
		}
	}
	n := len(scratch)
	if n == 0 {
		return s, scratch, false
	}
	slices.Sort(scratch)
	at := func(q float64) float64 {
		f := q * float64(n-1)
		i := min(int(f), n-1)
		a, b := scratch[i], scratch[min(i+1, n-1)]
		f -= float64(i)
		return min(max(a*(1-f)+b*f, a), b) // b − a may overflow, and products vanish
	}
	return Spread{Low: scratch[0], Q1: at(0.25), Median: at(0.5), Q3: at(0.75), High: scratch[n-1]}, scratch, true
}

// BoxItem is one box of [BoxPlot].
type BoxItem struct {
	Label string
	Spread
	// Style defaults to the theme's first series.
	Style Style
}

// BoxPlot draws the spreads of groups of values side by side:
//
//	20 µs┤          │
//	     │  │       ┃
//	10 µs┤ ━╋━     ━╋━     the median across the middle half,
//	     │  ┃       ┃      and a line from the least to the greatest
//	 0 µs┤  │       │
//	     └──┬───────┬──
//	      64 B     1 KiB
//
// If not all boxes fit, the first ones are omitted.
type BoxPlot struct {
	Items []BoxItem
	Y     Axis

	plot plot
}

// Draw draws the boxes over v.
func (b *BoxPlot) Draw(v View, th *Theme) {
	if v.clip.Empty() {
		return
	}
	ys := emptySpan()
	for i := range b.Items {
		s := &b.Items[i].Spread
		for _, y := range [...]float64{s.Low, s.Q1, s.Median, s.Q3, s.High} {
			ys.add(b.Y.Scale, y)
		}
	}
	p := &b.plot
	p.area = v.Local()
	if v.H() >= axisMinH {
		p.area.H -= 2
	}
	n := maxTicks(p.area.H)
	p.y = b.Y.mapSpan(ys, true, n)
	p.yticks = b.Y.appendTicks(p.yticks[:0], p.y.lo, p.y.hi, n)
	if v.W() >= axisMinW {
		p.drawVerticalAxis(v, th, b.Y.tickUnit(p.y.lo, p.y.hi))
	}
	items := b.Items[max(0, len(b.Items)-max(p.area.W, 0)):]
	if v.H() >= axisMinH {
		b.drawLabels(v, th, items)
	}
	in := v.Sub(p.area)
	if ys.empty() || len(items) == 0 {
		in.TextIn(0, in.H()/2, in.W(), "no data yet", Center, th.Dim)
		return
	}
	for i := range items {
		b.drawBox(in, middle(i, len(items), in.W()), min(2, (in.W()/len(items)-1)/2), &items[i], th)
	}
}

// middle returns the column of item i of n in w columns.
func middle(i, n, w int) int { return (2*i + 1) * w / (2 * n) }

// drawLabels draws the line below the boxes and those labels that do not overlap.
func (b *BoxPlot) drawLabels(v View, th *Theme, items []BoxItem) {
	a := b.plot.area
	if a.X > 0 {
		v.Rune(a.X-1, a.H, '└', th.Border)
	}
	for x := range a.W {
		v.Rune(a.X+x, a.H, '─', th.Border)
	}
	free := 0
	for i := range items {
		x := a.X + middle(i, len(items), a.W)
		n := min(Width(items[i].Label), v.W())
		at := clampInt(x-n/2, 0, v.W()-n)
		if at < free || n == 0 {
			continue
		}
		v.Rune(x, a.H, '┬', th.Border)
		v.TextIn(at, a.H+1, n, items[i].Label, Left, th.Dim)
		free = at + n + 1
	}
}

// drawBox draws one box around column x. Its median extends by half columns on both sides.
func (b *BoxPlot) drawBox(in View, x, half int, it *BoxItem, th *Theme) {
	var at [5]float64 // fractions of the height
	for i, y := range [...]float64{it.Low, it.Q1, it.Median, it.Q3, it.High} {
		f, ok := b.plot.y.frac(y)
		if !ok {
			return
		}
		at[i] = clamp01(f)
	}
	if !slices.IsSorted(at[:]) {
		return
	}
	st := orStyle(it.Style, th.SeriesStyle(0))
	if in.ASCII() {
		for i, r := range [...]rune{'|', '#'} { // ASCII has no heavy line
			top, _ := cell(1-at[4-i], in.H())
			bottom, _ := cell(1-at[i], in.H())
			for y := top; y <= bottom; y++ {
				in.Rune(x, y, r, st)
			}
		}
	} else {
		in.candlestick(x, at[0], at[1], at[3], at[4], st)
	}
	row, _ := cell(1-at[2], in.H())
	for i := -half; i <= half; i++ {
		in.Rune(x+i, row, '━', st.With(Bold))
	}
	if half > 0 && at[1] < at[3] {
		in.Rune(x, row, '╋', st.With(Bold))
	}
}
