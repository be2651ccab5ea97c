package grid

import "math"

// StackRow is one bar of [Stack].
type StackRow struct {
	Label string
	// Parts are the values of the parts, in the order of the stack's names.
	// Negative and unknown values count as nothing.
	Parts []float64
	// Ghost are the parts of a bar that it is compared with: marks show where they
	// end. nil: none.
	Ghost []float64
}

// Stack draws bars made of parts, for shares of a whole: compute, wait, idle.
//
//	rank 0 ██████████▓▓▓▓░░
//	rank 1 ████████████▓▓░░
//
// Each part has its own shade as well as its colour.
type Stack struct {
	Rows []StackRow
	// Styles are the looks of the parts; they default to the theme's series.
	Styles []Style
	// Whole is the value of a full bar. With 0 every bar is full and shows
	// shares.
	Whole float64
	// LabelW is the columns of the labels, 0 for as many as they take.
	LabelW int
	// Highest is the most rows of a bar where there is room; 0: 1.
	Highest int
}

// shades are the fills of the parts of a stack, in order.
var shades = [...]rune{'█', '▒', '░', '▓', '▚', '▞'}

// Shade returns the fill of part i, for a legend.
func (s *Stack) Shade(i int) rune { return shades[max(0, i)%len(shades)] }

// Style returns the look of part i, for a legend.
func (s *Stack) Style(th *Theme, i int) Style {
	if i >= 0 && i < len(s.Styles) {
		return s.Styles[i]
	}
	return th.SeriesStyle(i)
}

// Draw draws the bars over v, one a row or on [Lanes].
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
	lane, high := Lanes(v.W(), v.H(), len(s.Rows), s.Highest)
	for i := range shown {
		v.TextIn(0, i*lane+(high-1)/2, label-1, s.Rows[i].Label, Left, th.Text)
		bar := v.Sub(Rect{label, i * lane, v.W() - label, high})
		s.bar(bar, th, s.Rows[i].Parts)
		s.ghost(bar, th, s.Rows[i].Ghost)
	}
	more(v, th, shown, len(s.Rows))
}

// stackLabel is the columns that names have at most, a blank behind them included.
func stackLabel(cols int) int { return max(cols*11/20, cols-stackBar) }

// stackBar is the columns of a bar that need no more.
const stackBar = 32

// Names is how many columns names of bars have on a view of so many.
func (s *Stack) Names(cols int) int { return stackLabel(cols) - 1 }

// bar draws one bar. Ends of parts are rounded, not their lengths, so that
// the bar as a whole is right.
func (s *Stack) bar(v View, th *Theme, parts []float64) {
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

// ghost marks where the parts of a bar end, the last one left out.
func (s *Stack) ghost(v View, th *Theme, parts []float64) {
	whole := s.whole(parts)
	if whole == 0 {
		return
	}
	sum := 0.0
	for _, p := range parts[:max(len(parts)-1, 0)] {
		sum += share(p) / whole
		across(v, int(math.Round(clamp01(sum)*float64(v.W()))), 0, v.H(), th)
	}
}

// whole is the value of a full bar.
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

// share returns p if it can be part of a whole, else nothing. Huge values are
// limited, so that their sum is finite.
func share(p float64) float64 {
	if !(p > 0) {
		return 0
	}
	return min(p, math.MaxFloat64/1e6)
}
