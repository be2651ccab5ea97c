package grid

import "math"

// Axis describes one axis of a chart. The zero value is a linear axis of
// counts whose range follows the data.
type Axis struct {
	Scale Scale
	Unit  Unit
	// Fixed makes Min and Max the range, independently of the data. Panes to be compared share one
	// fixed range.
	Fixed    bool
	Min, Max float64
	// FromZero includes zero in a range that follows the data. It is ignored on a logarithmic axis.
	FromZero bool
}

// ticks returns the scale of the ticks. Ticks of bytes are at powers of two or of ten, depending on
// their unit.
func (ax *Axis) ticks() Scale {
	switch {
	case ax.Unit.Kind == Binary && ax.Scale == Linear:
		return binary
	case ax.Unit.Kind == Binary:
		return Log2
	case ax.Scale == Log2 && ax.Unit.Symbol == Bytes.Symbol:
		return Log10
	}
	return ax.Scale
}

// appendTicks appends at most n ticks that are round numbers in the unit of the axis.
func (ax *Axis) appendTicks(dst []float64, lo, hi float64, n int) []float64 {
	by := ax.Unit.div()
	from := len(dst)
	dst = Ticks(dst, ax.ticks(), lo/by, hi/by, n)
	for i := range dst[from:] {
		dst[from+i] *= by
	}
	return dst
}

// tickUnit returns the unit of the axis from lo to hi. On a linear axis all ticks share the prefix
// of the largest.
func (ax *Axis) tickUnit(lo, hi float64) Unit {
	if ax.Scale != Linear {
		return ax.Unit
	}
	return ax.Unit.withPrefixOf(max(math.Abs(lo), math.Abs(hi)))
}

// Tick is a round number on an axis, with its label.
type Tick struct {
	Value float64
	Label string
}

// Ticks returns at most n ticks from lo to hi, for charts that are not drawn in cells.
func (ax *Axis) Ticks(lo, hi float64, n int) []Tick {
	values, u := ax.appendTicks(nil, lo, hi, n), ax.tickUnit(lo, hi)
	all, sig := make([]Tick, len(values)), tickDigits(values)
	for i, v := range values {
		all[i] = Tick{v, string(u.appendDigits(nil, v, anyCols, sig))}
	}
	return all
}

// span is the range of the values that an axis can show.
type span struct{ lo, hi float64 }

func emptySpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(sc Scale, v float64) {
	if v-v != 0 || sc != Linear && v <= 0 { // NaN, ±Inf, or off a log axis
		return
	}
	s.lo, s.hi = min(s.lo, v), max(s.hi, v)
}

func (s span) empty() bool { return !(s.lo <= s.hi) }

// mapping is an axis with a known range. It maps values to fractions of the axis: 0 at its start, 1
// at its end.
type mapping struct {
	scale  Scale
	lo, hi float64
	a, b   float64 // lo and hi on the scale; halved on a linear one
}

// mapSpan returns the mapping for data in s. nice extends the range to round ticks, of which there
// are about n.
func (ax *Axis) mapSpan(s span, nice bool, n int) mapping {
	m := mapping{scale: ax.Scale, lo: s.lo, hi: s.hi}
	if ax.Fixed && ax.Min < ax.Max && !math.IsInf(ax.Min, 0) && !math.IsInf(ax.Max, 0) &&
		(ax.Scale == Linear || ax.Min > 0) {
		m.lo, m.hi = ax.Min, ax.Max
		nice = false
	} else if s.empty() {
		m.lo, m.hi = 0, 1
		if ax.Scale != Linear {
			m.lo, m.hi = 1, 10
		}
	} else {
		m.widen(ax.FromZero)
	}
	if nice && n > 0 {
		m.round(ax.ticks(), n, ax.Unit.div())
	}
	m.a, m.b = m.toScale(m.lo), m.toScale(m.hi)
	return m
}

// widen extends the range if it has only one value, and includes zero if fromZero is set.
func (m *mapping) widen(fromZero bool) {
	if m.scale != Linear {
		if m.lo == m.hi {
			lo, hi := m.lo/2, m.hi*2
			if lo > 0 {
				m.lo = lo
			}
			if !math.IsInf(hi, 0) {
				m.hi = hi
			}
		}
		return
	}
	if fromZero {
		m.lo, m.hi = min(0, m.lo), max(0, m.hi)
	}
	if m.lo == m.hi {
		margin := math.Abs(m.lo) / 10
		if m.lo+margin == m.lo {
			margin = 1
		}
		m.lo, m.hi = max(m.lo-margin, -math.MaxFloat64), min(m.hi+margin, math.MaxFloat64)
	}
}

// round moves the ends of the range outwards to round multiples of by.
func (m *mapping) round(s Scale, n int, by float64) {
	if m.scale != Linear {
		m.lo, m.hi = round125(m.lo/by, false)*by, round125(m.hi/by, true)*by
		return
	}
	step := niceStep(s, m.lo/by, m.hi/by, n) * by
	lo, hi := math.Floor(m.lo/step+1e-9)*step, math.Ceil(m.hi/step-1e-9)*step
	if lo < hi && !math.IsInf(lo, 0) && !math.IsInf(hi, 0) {
		m.lo, m.hi = lo, hi
	}
}

// round125 returns the nearest 1, 2 or 5 times a power of ten that is at least v (up) or at most v.
func round125(v float64, up bool) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	if power == 0 || math.IsInf(power, 0) {
		return v
	}
	steps := [...]float64{1, 2, 5, 10}
	if up {
		for _, s := range steps {
			if r := s * power; r >= v*(1-1e-9) && !math.IsInf(r, 0) {
				return r
			}
		}
		return v
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if r := steps[i] * power; r <= v*(1+1e-9) && r > 0 {
			return r
		}
	}
	return v
}

// toScale returns the position of v on the scale. Linear positions are halved, so that any
// difference is finite.
func (m *mapping) toScale(v float64) float64 {
	switch m.scale {
	case Log2:
		return math.Log2(v)
	case Log10:
		return math.Log10(v)
	}
	return v / 2
}

// frac returns the position of v on the axis as a fraction, and false if v has no position.
// Positions far outside are limited, so that they can be used in computations.
func (m *mapping) frac(v float64) (float64, bool) {
	if v-v != 0 || m.scale != Linear && v <= 0 {
		return 0, false
	}
	const far = 1e6
	f := (m.toScale(v) - m.a) / (m.b - m.a)
	if f != f { // a range below the resolution of numbers
		return 0, false
	}
	return max(-far, min(f, far)), true
}

// value returns the value at fraction f of the axis.
func (m *mapping) value(f float64) float64 {
	p := m.a + (m.b-m.a)*f
	switch m.scale {
	case Log2:
		return math.Exp2(p)
	case Log10:
		return math.Pow(10, p)
	}
	return 2 * p
}

// cell returns the number of the cell, of n cells, that contains fraction f, and false outside.
func cell(f float64, n int) (int, bool) {
	const edge = 1e-9
	if n <= 0 || f < -edge || f > 1+edge {
		return 0, false
	}
	return clampInt(int(f*float64(n)), 0, n-1), true
}
