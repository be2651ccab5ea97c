package grid

import "math"

// Bar is one bar of [Bars].
type Bar struct {
	Label string
	Value float64
	// Note is printed after the value.
	Note string
	// Symbol is printed before the label and shows the kind of number; 0: none.
	Symbol rune
	// Baseline is the baseline value, shown by a marker; 0 or NaN: none.
	Baseline float64
	// Outline draws only the outline of the bar, for a value without a run.
	Outline bool
	// Mark is a character at the value Marked; 0: none.
	Mark   rune
	Marked float64
	// Style defaults to the theme's first series.
	Style Style
}

// Bars draws horizontal bars, one per row or on [BarRows]:
//
//	binomial ███████████▌         1.9 ms
//	ring     ████████████████████ 3.3 ms  slowest
//
// If not all bars fit, the last row shows the number of omitted bars.
type Bars struct {
	Items []Bar
	// Axis has the unit, and the range if it is fixed. A linear range starts at zero, a logarithmic
	// one a little below the smallest bar.
	Axis Axis
	// LabelW is the number of columns of the labels; 0: as many as they need.
	LabelW int
	// Shown is the number of a bar that stays visible if not all bars fit; −1: none.
	Shown int
	// Highest is the maximum number of rows per bar; 0: 1.
	Highest int

	text []byte
}

// eighths are bars of 1/8 to 7/8 of a cell.
var eighths = [8]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'}

// Draw draws the bars over v.
func (b *Bars) Draw(v View, th *Theme) {
	shown, first := len(b.Items), 0
	if shown > v.H() {
		shown = max(0, v.H()-1)
		first = clampInt(b.Shown-shown+1, 0, len(b.Items)-shown)
	}
	label, value, note := b.columns(v.W())
	bar := v.W() - label - value - note
	m := b.scale()
	pitch, high := BarRows(v.W(), v.H(), len(b.Items), b.Highest)
	for i := range shown {
		it := &b.Items[first+i]
		x, top := 0, i*pitch
		y := top + (high-1)/2
		if it.Symbol != 0 && label > 2 {
			v.Rune(0, y, it.Symbol, orStyle(it.Style, th.Text))
			x = 2
		}
		v.TextIn(x, y, label-1-x, it.Label, Left, th.Text)
		if f, ok := m.frac(it.Value); ok {
			draw := drawBar
			if it.Outline {
				draw = drawOutline
			}
			draw(v.Sub(Rect{label, top, bar, high}), clamp01(f), orStyle(it.Style, th.Text))
		}
		if f, ok := m.frac(it.Baseline); ok && it.Baseline > 0 && bar > 0 {
			markBaseline(v, label+clampInt(int(clamp01(f)*float64(bar)), 0, bar-1), top, high, th)
		}
		if f, ok := m.frac(it.Marked); ok && it.Mark != 0 && bar > 0 {
			v.Rune(label+clampInt(int(clamp01(f)*float64(bar)), 0, bar-1), y, it.Mark, th.Accent.With(Bold))
		}
		b.text = b.Axis.Unit.Append(b.text[:0], it.Value, value-1)
		v.Bytes(label+bar+value-runes(b.text), y, b.text, th.Text)
		v.TextIn(v.W()-note+2, y, note-2, it.Note, Left, th.Dim)
	}
	printOmitted(v, th, shown, len(b.Items))
}

// columns divides w columns among label, value and note. The bar gets the rest.
func (b *Bars) columns(w int) (label, value, note int) {
	for i := range b.Items {
		it := &b.Items[i]
		n := Width(it.Label) + 1
		if it.Symbol != 0 {
			n += 2
		}
		label = max(label, n)
		b.text = b.Axis.Unit.Append(b.text[:0], it.Value, anyCols)
		value = max(value, runes(b.text)+1)
		if it.Note != "" {
			note = max(note, Width(it.Note)+2)
		}
	}
	if b.LabelW > 0 {
		label = b.LabelW + 1
	}
	label = min(label, w/2)
	value = min(value, (w-label)*2/3)
	if note > (w-label-value)/2 {
		note = 0
	}
	return label, value, note
}

func (b *Bars) scale() mapping {
	s := emptySpan()
	for i := range b.Items {
		s.add(b.Axis.Scale, b.Items[i].Value)
		if g := b.Items[i].Baseline; g > 0 {
			s.add(b.Axis.Scale, g)
		}
		if b.Items[i].Mark != 0 {
			s.add(b.Axis.Scale, b.Items[i].Marked)
		}
	}
	ax := b.Axis
	ax.FromZero = true
	if ax.Scale != Linear && !s.empty() {
		s.lo /= 2
	}
	return ax.mapSpan(s, false, 0)
}

// markBaseline draws the marker of a baseline value over a bar of high rows.
func markBaseline(v View, x, top, high int, th *Theme) {
	for y := range high {
		v.Rune(x, top+y, '╎', th.Text)
	}
}

// drawBar fills the fraction f of each row. A bar above zero is always visible.
func drawBar(v View, f float64, st Style) {
	n := int(math.Round(f * float64(v.W()) * 8))
	if f > 0 {
		n = max(n, 1)
	}
	for x := range (n + 7) / 8 {
		r := '█'
		if left := n - x*8; left < 8 {
			r = eighths[left]
		}
		for y := range v.H() {
			v.Rune(x, y, r, st)
		}
	}
}

// drawOutline draws the dashed outline of a bar of the fraction f. It has at least two columns.
//
//	├╌╌╌╌╌┤    ┌╌╌╌╌╌┐
//	           └╌╌╌╌╌┘
func drawOutline(v View, f float64, st Style) {
	last, low := max(int(math.Round(f*float64(v.W()))), 2)-1, v.H()-1
	corners := [4]rune{'┌', '┐', '└', '┘'}
	if low == 0 {
		corners = [4]rune{0, 0, '├', '┤'}
	}
	for x := range last + 1 {
		v.Rune(x, 0, '╌', st)
		v.Rune(x, low, '╌', st)
	}
	for y := 1; y < low; y++ {
		v.Rune(0, y, '╎', st)
		v.Rune(last, y, '╎', st)
	}
	if low > 0 {
		v.Rune(0, 0, corners[0], st)
		v.Rune(last, 0, corners[1], st)
	}
	v.Rune(0, low, corners[2], st)
	v.Rune(last, low, corners[3], st)
}

// printOmitted prints in the row after the shown items how many of n items are hidden.
func printOmitted(v View, th *Theme, shown, n int) {
	if shown < n && shown < v.H() {
		var buf [24]byte
		text := Count.Append(append(buf[:0], '+'), float64(n-shown), 8)
		v.Bytes(0, shown, append(text, " more"...), th.Dim)
	}
}
