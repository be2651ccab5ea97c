package grid

// Rect is a rectangle of cells: its upper left corner, and its width and
// height in columns and rows. A rectangle with no width or height is empty.
type Rect struct{ X, Y, W, H int }

// Empty reports whether the rectangle holds no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell at x, y lies in the rectangle.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && y >= r.Y && x-r.X < r.W && y-r.Y < r.H
}

// Intersect returns the part that two rectangles share.
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

// CutTop returns the first n rows, and what is below them.
func (r Rect) CutTop(n int) (top, rest Rect) {
	n = clampInt(n, 0, r.H)
	return Rect{r.X, r.Y, r.W, n}, Rect{r.X, r.Y + n, r.W, r.H - n}
}

// CutBottom returns the last n rows, and what is above them.
func (r Rect) CutBottom(n int) (bottom, rest Rect) {
	n = clampInt(n, 0, r.H)
	return Rect{r.X, r.Y + r.H - n, r.W, n}, Rect{r.X, r.Y, r.W, r.H - n}
}

// CutLeft returns the first n columns, and what is right of them.
func (r Rect) CutLeft(n int) (left, rest Rect) {
	n = clampInt(n, 0, r.W)
	return Rect{r.X, r.Y, n, r.H}, Rect{r.X + n, r.Y, r.W - n, r.H}
}

// CutRight returns the last n columns, and what is left of them.
func (r Rect) CutRight(n int) (right, rest Rect) {
	n = clampInt(n, 0, r.W)
	return Rect{r.X + r.W - n, r.Y, n, r.H}, Rect{r.X, r.Y, r.W - n, r.H}
}

// Part is one share of a split: [Fixed] or [Weight].
type Part struct{ fixed, weight int }

// Fixed is a part of exactly n columns or rows, if there are so many.
func Fixed(n int) Part { return Part{fixed: max(0, n)} }

// Weight is a part that gets w shares of what the fixed parts leave.
func Weight(w int) Part { return Part{weight: max(0, w)} }

// SplitH cuts the rectangle into parts that stand side by side, left to
// right. The parts always tile the rectangle as far as they reach: they never
// overlap and never leave it, and with any weight above zero they fill it.
func (r Rect) SplitH(parts ...Part) []Rect {
	out := make([]Rect, len(parts))
	split(r.W, parts, func(i, at, n int) { out[i] = Rect{r.X + at, r.Y, n, r.H} })
	return out
}

// SplitV cuts the rectangle into parts that lie one below the other, top to
// bottom, by the rules of [Rect.SplitH].
func (r Rect) SplitV(parts ...Part) []Rect {
	out := make([]Rect, len(parts))
	split(r.H, parts, func(i, at, n int) { out[i] = Rect{r.X, r.Y + at, r.W, n} })
	return out
}

// split places parts on a line of n cells. Fixed parts are served first, in
// order; the rounding of weights is carried on, so that it adds up.
func split(n int, parts []Part, place func(i, at, n int)) {
	n = max(0, n)
	fixed, weights := 0, 0
	for _, p := range parts {
		fixed += min(p.fixed, n-min(n, fixed))
		weights += p.weight
	}
	free := n - fixed
	at, left, seen, given := 0, fixed, 0, 0
	for i, p := range parts {
		size := 0
		if p.weight > 0 {
			seen += p.weight
			size = free*seen/weights - given
			given += size
		} else {
			size = min(p.fixed, left)
			left -= size
		}
		place(i, at, size)
		at += size
	}
}

func clampInt(n, lo, hi int) int { return max(lo, min(n, max(lo, hi))) }
