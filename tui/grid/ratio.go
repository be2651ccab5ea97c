package grid

import "math"

// Diverge returns the colour for a comparison, with f from −1 (far below) over 0 (equal) to 1 (far
// above). The ends are colours of the ramp; 0 is grey. A theme without colours returns None.
func (t *Theme) Diverge(f float64) Color {
	if len(t.Ramp) == 0 {
		return None
	}
	end := t.RampAt(1)
	if f < 0 {
		end, f = t.RampAt(farBelow), -f
	}
	same := Blend(t.Ground, t.Ink, 0.25)
	if end&paletteBit != 0 && f > 0.1 {
		f = 1 // a palette has no colours between
	}
	return Blend(same, end, f)
}

// farBelow is the position of a low colour on the ramp that differs from grey on every background.
const farBelow = 0.25

// equalRatio is the largest ratio that is shown as equal.
const equalRatio = 1.05

// showsRatios reports whether cells show ratios.
func (h *Heatmap) showsRatios() bool {
	for _, q := range h.Ratios {
		if q > 0 && !math.IsInf(q, 1) {
			return len(h.Ratios) == len(h.Values)
		}
	}
	return false
}

// maxFactor returns the largest factor of the ratios, up or down, rounded up.
func (h *Heatmap) maxFactor() float64 {
	largest := equalRatio
	for _, q := range h.Ratios {
		if q > 0 && !math.IsInf(q, 1) {
			largest = max(largest, q, 1/q)
		}
	}
	for _, round := range [...]float64{1.1, 1.2, 1.5, 2, 3, 5, 10, 20, 50, 100} {
		if largest <= round*(1+1e-9) {
			return round
		}
	}
	return min(math.Pow(10, math.Ceil(math.Log10(largest))), 1e12)
}

// ratio returns the ratio in cell x, y that differs most from one. It returns 0 if only the
// baseline has values, and NaN if there is no ratio.
func (h *Heatmap) ratio(x, y int) float64 {
	best := math.NaN()
	for r := y * h.perY; r < min((y+1)*h.perY, h.rows); r++ {
		for c := x * h.perX; c < min((x+1)*h.perX, h.Cols); c++ {
			q := h.Ratios[r*h.Cols+c]
			switch {
			case !(q >= 0) || math.IsInf(q, 1):
			case math.IsNaN(best), best == 0, q > 0 && max(q, 1/q) > max(best, 1/best):
				best = q
			}
		}
	}
	return best
}

// drawRatio draws a cell by its ratio.
func (h *Heatmap) drawRatio(v View, th *Theme, x, y int) {
	q, at := h.ratio(x, y), h.at(x, y)
	middle := at.Y + h.middle()
	switch {
	case math.IsNaN(q) && math.IsNaN(h.maxIn(x, y)):
		if !h.Blank {
			v.Rune(h.symbolColumn(at), middle, '·', th.Dim)
		}
	case math.IsNaN(q):
		v.Rune(h.symbolColumn(at), middle, onlyNow, th.Dim)
	case q == 0:
		v.Rune(h.symbolColumn(at), middle, onlyThen, th.Dim)
	case h.cellW >= valueCols:
		ink := h.tint(v, th, at, q)
		h.text = Factor.Append(h.text[:0], q, h.cellW-1)
		v.Bytes(at.X+at.W-1-runes(h.text), middle, h.text, ink)
	default:
		ink := h.tint(v, th, at, q)
		v.Rune(at.X, middle, direction(q), ink)
	}
}

// Symbols for values that only one side has.
const (
	onlyNow  = '*'
	onlyThen = '0'
)

// direction returns a symbol for a ratio above, below or close to one.
func direction(q float64) rune {
	switch {
	case q >= equalRatio:
		return '+'
	case q <= 1/equalRatio:
		return '-'
	}
	return '='
}

// tint fills cells with the colour of a ratio and returns a readable text style.
func (h *Heatmap) tint(v View, th *Theme, at Rect, q float64) Style {
	if len(th.Ramp) == 0 || v.Mono() {
		return th.Text
	}
	bg := th.Diverge(max(-1, min(math.Log(q)/math.Log(h.fullRatio), 1)))
	v.Fill(at, Cell{Bg: bg})
	return Style{Fg: th.InkOn(bg), Bg: bg}
}

// drawRatioBar draws the colour bar of ratios: both ends and the name of the baseline.
func (h *Heatmap) drawRatioBar(v View, th *Theme) {
	cols := max(v.W()/4, endCols(v.W()))
	h.text = Factor.Append(h.text[:0], 1/h.fullRatio, cols)
	x := v.Bytes(0, 0, h.text, th.Dim) + 1
	h.text = Factor.Append(h.text[:0], h.fullRatio, cols)
	n := max((min(9, v.W()-x-runes(h.text)-1)-1)|1, 0)
	for i := range n {
		q := math.Pow(h.fullRatio, 2*float64(i)/float64(max(1, n-1))-1)
		v.Rune(x+i, 0, direction(q), h.tint(v, th, Rect{x + i, 0, 1, 1}, q))
	}
	x += n + 1
	x += v.Bytes(x, 0, h.text, th.Dim) + 2
	x += v.TextIn(x, 0, v.W()-x, h.Against, Left, th.Dim) + 2
	for _, m := range [...]struct {
		symbol rune
		words  string
		holds  func(value, ratio float64) bool
	}{
		{onlyNow, "only now", func(x, q float64) bool { return x > 0 && math.IsNaN(q) }},
		{onlyThen, "only then", func(_, q float64) bool { return q == 0 }},
	} {
		some := false
		for i := range h.Values {
			some = some || m.holds(h.Values[i], h.Ratios[i])
		}
		if some && x+2+len(m.words) <= v.W() {
			v.Rune(x, 0, m.symbol, th.Text)
			x += v.Text(x+2, 0, m.words, th.Dim) + 4
		}
	}
}
