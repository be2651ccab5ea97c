package grid

// stroke holds the row of each column of a curve in box-drawing characters; see [View.line].
type stroke struct{ rows []int }

// gap is the row of a column without a curve.
const gap = -1

// reset clears the curve and sets the number of columns.
func (s *stroke) reset(w int) {
	s.rows = grow(s.rows, max(0, w))
	for i := range s.rows {
		s.rows[i] = gap
	}
}

// segment adds the line between two points, given as fractions of the plot. It covers the columns
// whose middles it passes and its end points.
func (s *stroke) segment(x0, y0, x1, y1 float64, h int) {
	x0, y0, x1, y1, ok := clipUnit(x0, y0, x1, y1)
	if !ok || len(s.rows) == 0 {
		return
	}
	if x0 > x1 {
		x0, y0, x1, y1 = x1, y1, x0, y0
	}
	w := len(s.rows)
	c0, _ := cell(clamp01(x0), w)
	c1, _ := cell(clamp01(x1), w)
	for c := c0; c <= c1; c++ {
		mid := min(max((float64(c)+0.5)/float64(w), x0), x1)
		y := y1
		if x1 > x0 {
			y = y0 + (y1-y0)*(mid-x0)/(x1-x0)
		}
		if row, ok := cell(1-clamp01(y), h); ok {
			s.rows[c] = row
		}
	}
}
