package grid

import "math"

// StackRow is one bar of [Stack].
type StackRow struct {
	Label string
	// Parts holds the values of the parts, in the order of the stack's names. Negative and unknown
	// values count as zero.
	Parts []float64
	// Baseline holds the parts of the baseline bar. Markers show their ends. nil: none.
	Baseline []float64
	// Outline is the value of a bar without parts, for a value without a run. The stack draws its outline if
	// it has a Whole. 0 means none.
	Outline float64
	// Style is the style of an outline.
	Style Style
}

// Stack draws stacked bars, for shares of a whole such as compute, wait and idle.
//
//	rank 0 ██████████▓▓▓▓░░
//	rank 1 ████████████▓▓░░
//
// Each part has its own shade as well as its colour.
type Stack struct {
	Rows []StackRow
	// Styles holds the styles of the parts. They default to the theme's series.
	Styles []Style
	// Whole is the value of a full bar; 0: every bar is full and shows shares.
	Whole float64
	// LabelW is the number of columns of the labels; 0: as many as they need.
	LabelW int
	// Highest is the maximum number of rows per bar; 0: 1.
	Highest int
}

// shades holds the fills of the parts of a stack, in order.
var shades = [...]rune{'█', '▒', '░', '▓', '▚', '▞'}

// Shade returns the fill of part i, for a legend.
func (s *Stack) Shade(i int) rune { return shades[max(0, i)%len(shades)] }

// Style returns the style of part i, for a legend.
func (s *Stack) Style(th *Theme, i int) Style {
	if i >= 0 && i < len(s.Styles) {
		return s.Styles[i]
	}
	return th.SeriesStyle(i)
}

// Draw draws the bars over v, one per row or on [BarRows].
func (s *Stack) Draw(v View, th *Theme) {
	shown := len(s.Rows)
	if shown > v.H() {
		shown = max(0, v.H()-1)
	}
	label := s.LabelW
	if label == 0 {
		for i := range s.Rows {
			label = max(label, Width(s.Rows[i].Label))
		}
	}
	if label > 0 {
		label = min(label+1, stackLabel(v.W()))
	}
	pitch, high := BarRows(v.W(), v.H(), len(s.Rows), s.Highest)
	for i := range shown {
		v.TextIn(0, i*pitch+(high-1)/2, label-1, s.Rows[i].Label, Left, th.Text)
		bar := v.Sub(Rect{label, i * pitch, v.W() - label, high})
		if x := s.Rows[i].Outline; x > 0 && s.Whole > 0 {
			drawOutline(bar, clamp01(x/s.Whole), s.Rows[i].Style)
		}
		s.drawBar(bar, th, s.Rows[i].Parts)
		s.drawBaseline(bar, th, s.Rows[i].Baseline)
	}
	printOmitted(v, th, shown, len(s.Rows))
}

// stackLabel returns the maximum number of columns of names, including a blank after them.
func stackLabel(cols int) int { return max(cols*11/20, cols-stackBar) }

// stackBar is the number of columns that suffice for a bar.
const stackBar = 32

// Names returns the number of columns for the names of bars on a view with cols columns.
func (s *Stack) Names(cols int) int { return stackLabel(cols) - 1 }

// drawBar draws one bar. It rounds the ends of the parts instead of their lengths, so that the length
// of the whole bar is right.
func (s *Stack) drawBar(v View, th *Theme, parts []float64) {
	whole := s.whole(parts)
	if whole == 0 {
		return
	}
	x, sum := 0, 0.0
	for i, p := range parts {
		sum += share(p) / whole
		end := int(math.Round(clamp01(sum) * float64(v.W())))
		for ; x < end; x++ {
			for y := range v.H() {
				v.Rune(x, y, s.Shade(i), s.Style(th, i))
			}
		}
	}
}

// drawBaseline draws markers at the ends of the baseline parts, except at the end of a full bar.
func (s *Stack) drawBaseline(v View, th *Theme, parts []float64) {
	whole := s.whole(parts)
	if whole == 0 {
		return
	}
	sum := 0.0
	for _, p := range parts {
		sum += share(p) / whole
		if sum >= 1-1e-9 {
			break
		}
		markBaseline(v, int(math.Round(clamp01(sum)*float64(v.W()))), 0, v.H(), th)
	}
}

// whole returns the value of a full bar.
func (s *Stack) whole(parts []float64) float64 {
	whole := s.Whole
	if whole <= 0 || whole-whole != 0 {
		whole = 0
		for _, p := range parts {
			whole += share(p)
		}
	}
	return whole
}

// share returns p, or 0 if p is not positive. Huge values are limited, so that their sum is finite.
func share(p float64) float64 {
	if !(p > 0) {
		return 0
	}
	return min(p, math.MaxFloat64/1e6)
}
