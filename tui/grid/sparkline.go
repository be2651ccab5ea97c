package grid

// Sparkline draws the latest values as columns, the newest at the right edge:
//
//	▁▂▄▆█▇▅▃
//
// With more than one row the columns are so much finer. NaN and ±Inf leave a
// gap.
type Sparkline struct {
	Values []float64
	// Fixed makes Min and Max the range; else it is zero (or the smallest
	// value) to the largest of those shown.
	Fixed    bool
	Min, Max float64
	// Style defaults to the theme's first series.
	Style Style
}

// levels are columns of 0/8 to 8/8 of a cell.
var levels = [9]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// Draw draws the values over v, one a column.
func (s *Sparkline) Draw(v View, th *Theme) {
	vals := s.Values
	if len(vals) > v.W() {
		vals = vals[len(vals)-v.W():]
	}
	sp := emptySpan()
	for _, x := range vals {
		sp.add(Linear, x)
	}
	ax := Axis{Fixed: s.Fixed, Min: s.Min, Max: s.Max, FromZero: true}
	m := ax.settle(sp, false, 0)
	st := orStyle(s.Style, th.SeriesStyle(0))
	for i, x := range vals {
		if f, ok := m.frac(x); ok {
			drawColumn(v, v.W()-len(vals)+i, clamp01(f), st)
		}
	}
}

// drawColumn fills the fraction f of column x from below. A value above the
// beginning of the range is never invisible.
func drawColumn(v View, x int, f float64, st Style) {
	n := int(f*float64(v.H())*8 + 0.5)
	if f > 0 {
		n = max(n, 1)
	}
	for y := v.H() - 1; y >= 0 && n > 0; y-- {
		v.Rune(x, y, levels[min(n, 8)], st)
		n -= 8
	}
}
