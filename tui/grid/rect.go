package grid

// Rect is a rectangle of cells: the upper left corner, and the width and height in columns and
// rows. A rectangle without width or height is empty.
type Rect struct{ X, Y, W, H int }

// Empty reports whether the rectangle has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell at x, y is in the rectangle.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && y >= r.Y && x-r.X < r.W && y-r.Y < r.H
}

// Intersect returns the intersection of two rectangles.
func (r Rect) Intersect(o Rect) Rect {
	x0, y0 := max(r.X, o.X), max(r.Y, o.Y)
	x1, y1 := min(r.X+r.W, o.X+o.W), min(r.Y+r.H, o.Y+o.H)
	if x1 <= x0 || y1 <= y0 {
		return Rect{X: x0, Y: y0}
	}
	return Rect{x0, y0, x1 - x0, y1 - y0}
}

// Inset returns the rectangle without dx columns on the left and right and dy
// rows above and below.
func (r Rect) Inset(dx, dy int) Rect {
	return Rect{r.X + dx, r.Y + dy, max(0, r.W-2*dx), max(0, r.H-2*dy)}
}

// CutTop returns the first n rows, and the rest below them.
func (r Rect) CutTop(n int) (top, rest Rect) {
	n = clampInt(n, 0, r.H)
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// CutBottom returns the last n rows, and the rest above them.
func (r Rect) CutBottom(n int) (bottom, rest Rect) {
	n = clampInt(n, 0, r.H)
	return Rect{r.X, r.Y + r.H - n, r.W, n}, Rect{r.X, r.Y, r.W, r.H - n}
}

// CutLeft returns the first n columns, and the rest to the right of them.
func (r Rect) CutLeft(n int) (left, rest Rect) {
	n = clampInt(n, 0, r.W)
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// CutRight returns the last n columns, and the rest to the left of them.
func (r Rect) CutRight(n int) (right, rest Rect) {
	n = clampInt(n, 0, r.W)
	return Rect{r.X + r.W - n, r.Y, n, r.H}, Rect{r.X, r.Y, r.W - n, r.H}
}

func clampInt(n, lo, hi int) int { return max(lo, min(n, max(lo, hi))) }
