package grid

// Sparkline draws the latest values as columns, the newest at the right edge:
//
//	▁▂▄▆█▇▅▃
//
// More rows make the columns finer. NaN and ±Inf leave a gap.
type Sparkline struct {
	Values []float64
	// Fixed makes Min and Max the range. Otherwise it is from zero, or the smallest value below
	// zero, to the largest visible value.
	Fixed    bool
	Min, Max float64
	// Style defaults to the theme's first series.
	Style Style

	fractions []float64
}

// Draw draws the values over v, one per column.
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
	m := ax.mapSpan(sp, false, 0)
	s.fractions = grow(s.fractions, len(vals))
	for i, x := range vals {
		s.fractions[i], _ = m.frac(x)
	}
	v.columns(v.W()-len(vals), s.fractions, orStyle(s.Style, th.SeriesStyle(0)))
}
