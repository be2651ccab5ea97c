package export

import "math"

const (
	cellW = 8.0  // units
	cellH = 16.0 // units
	midX  = cellW / 2
	midY  = cellH / 2
	thin  = 1.0 // width of a light line, in units
	thick = 2.2 // width of a heavy line
)

// point is a position in a cell, in units from its upper left corner.
type point struct{ x, y float64 }

// sink draws the parts of a shape.
type sink interface {
	// rect fills a rectangle; opacity is 0 to 1.
	rect(x, y, w, h, opacity float64)
	// fill fills a polygon.
	fill(pts ...point)
	// line draws a line through points.
	line(width float64, pts ...point)
	// dot fills a circle.
	dot(x, y, radius float64)
}

// drawShape draws the rune r as shapes, and reports whether r has shapes.
func drawShape(s sink, r rune) bool {
	switch {
	case r >= 0x2500 && r < 0x2580:
		drawBox(s, r)
	case r >= 0x2580 && r < 0x25a0:
		drawBlock(s, r)
	case r >= 0x2800 && r < 0x2900:
		drawBraille(s, r)
	default:
		return drawSymbol(s, r)
	}
	return true
}

// drawBlock draws the block elements, U+2580 to U+259F.
func drawBlock(s sink, r rune) {
	const eighthW, eighthH = cellW / 8, cellH / 8
	switch n := float64(r - 0x2580); {
	case r == '▀':
		s.rect(0, 0, cellW, midY, 1)
	case r <= '█':
		s.rect(0, cellH-n*eighthH, cellW, n*eighthH, 1)
	case r <= '▏':
		s.rect(0, 0, (16-n)*eighthW, cellH, 1)
	case r == '▐':
		s.rect(midX, 0, midX, cellH, 1)
	case r <= '▓':
		s.rect(0, 0, cellW, cellH, (n-16)/4)
	case r == '▔':
		s.rect(0, 0, cellW, eighthH, 1)
	case r == '▕':
		s.rect(cellW-eighthW, 0, eighthW, cellH, 1)
	default:
		// bits: upper left, upper right, lower left, lower right
		quarters := [...]uint8{4, 8, 1, 13, 9, 7, 11, 2, 6, 14}[r-0x2596]
		for i := range 4 {
			if quarters&(1<<i) != 0 {
				s.rect(float64(i&1)*midX, float64(i>>1)*midY, midX, midY, 1)
			}
		}
	}
}

// drawBraille draws the dots of a braille pattern, U+2800 to U+28FF.
func drawBraille(s sink, r rune) {
	dots := [8]point{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}, {0, 3}, {1, 3}}
	for i, p := range dots {
		if (r-0x2800)&(1<<i) != 0 {
			s.dot(2+4*p.x, 2+4*p.y, 1.1)
		}
	}
}

// drawSymbol draws the geometric symbols of charts.
func drawSymbol(s sink, r rune) bool {
	const cx, cy = midX, midY + 0.5
	big := 3.2
	switch r {
	case '●', '⬤':
		s.dot(cx, cy, big)
	case '•':
		s.dot(cx, cy, 1.8)
	case '·':
		s.dot(cx, cy, 0.9)
	case '○':
		s.line(thin, circle(cx, cy, big-0.4)...)
	case '◉', '◎':
		s.line(thin, circle(cx, cy, big-0.4)...)
		s.dot(cx, cy, 1.5)
	case '■', '▪', '□', '▢', '▣', '▫', '◾', '◽':
		square(s, r, cx, cy)
	case '▬':
		s.rect(0.8, cy-1.5, 6.4, 3, 1)
	case '▮':
		s.rect(cx-1.5, cy-5, 3, 10, 1)
	case '◆':
		s.fill(regular(cx, cy, big+0.6, 4, 0)...)
	case '◇':
		s.line(thin, closed(regular(cx, cy, big+0.2, 4, 0))...)
	case '▲', '▴':
		s.fill(point{cx, cy - 3.4}, point{cx + 3.6, cy + 3}, point{cx - 3.6, cy + 3})
	case '△':
		s.line(thin, closed([]point{{cx, cy - 3}, {cx + 3.2, cy + 2.6}, {cx - 3.2, cy + 2.6}})...)
	case '▼', '▾':
		s.fill(point{cx, cy + 3.4}, point{cx + 3.6, cy - 3}, point{cx - 3.6, cy - 3})
	case '▽':
		s.line(thin, closed([]point{{cx, cy + 3}, {cx + 3.2, cy - 2.6}, {cx - 3.2, cy - 2.6}})...)
	case '▶', '▸':
		s.fill(point{cx + 3.4, cy}, point{cx - 2.8, cy - 3.6}, point{cx - 2.8, cy + 3.6})
	case '◀', '◂':
		s.fill(point{cx - 3.4, cy}, point{cx + 2.8, cy - 3.6}, point{cx + 2.8, cy + 3.6})
	case '▷':
		s.line(thin, closed([]point{{cx + 3, cy}, {cx - 2.6, cy - 3.2}, {cx - 2.6, cy + 3.2}})...)
	case '◁':
		s.line(thin, closed([]point{{cx - 3, cy}, {cx + 2.6, cy - 3.2}, {cx + 2.6, cy + 3.2}})...)
	case '★':
		s.fill(star(cx, cy, 3.9)...)
	case '✓':
		s.line(1.4, point{cx - 3, cy + 0.4}, point{cx - 1, cy + 3}, point{cx + 3, cy - 3.4})
	case '×', '✗':
		s.line(1.3, point{cx - 2.6, cy - 2.6}, point{cx + 2.6, cy + 2.6})
		s.line(1.3, point{cx - 2.6, cy + 2.6}, point{cx + 2.6, cy - 2.6})
	default:
		return false
	}
	return true
}

// square draws the squares: full, open, and open with a full one inside.
func square(s sink, r rune, cx, cy float64) {
	h := 3.2
	if r == '▪' || r == '▫' {
		h = 1.8
	}
	frame := []point{{cx - h, cy - h}, {cx + h, cy - h}, {cx + h, cy + h}, {cx - h, cy + h}}
	switch r {
	case '■', '▪', '◾':
		s.rect(cx-h, cy-h, 2*h, 2*h, 1)
	case '▣':
		s.rect(cx-h+1.4, cy-h+1.4, 2*h-2.8, 2*h-2.8, 1)
		fallthrough
	default:
		s.line(thin, closed(frame)...)
	}
}

// closed returns the closed outline of a polygon.
func closed(pts []point) []point { return append(pts, pts[0]) }

// circle returns the outline of a circle.
func circle(cx, cy, r float64) []point { return closed(regular(cx, cy, r, 24, 0)) }

// regular returns the corners of a regular polygon, rotated by the given fraction of a circle.
// Without rotation the first corner is at the top.
func regular(cx, cy, r float64, n int, rotation float64) []point {
	pts := make([]point, 0, n+1)
	for i := range n {
		a := 2 * math.Pi * (float64(i)/float64(n) + rotation)
		pts = append(pts, point{cx + r*math.Sin(a), cy - r*math.Cos(a)})
	}
	return pts
}

// star returns a five-pointed star.
func star(cx, cy, r float64) []point {
	out, in := regular(cx, cy, r, 5, 0), regular(cx, cy, r*0.42, 5, 0.1)
	pts := make([]point, 0, 10)
	for i := range out {
		pts = append(pts, out[i], in[i])
	}
	return pts
}
