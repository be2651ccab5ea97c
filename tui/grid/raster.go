package grid

// Markers selects the characters of curves. Fonts differ in the characters that they have.
type Markers uint8

// The markers, finest first.
const (
	Braille Markers = iota // 2×4 dots per cell
	Blocks                 // 2×2 quadrants per cell
	Lines                  // one line of box drawing: ─╮│╰
	Plus                   // one ASCII character per cell
)

// quadrants holds the block characters by mask. Bits 0 to 3 are the upper left, upper right, lower
// left and lower right quarter.
var quadrants = [16]rune{' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄',
	'▙', '▟', '█'}

// braille is the braille character without dots. A dot adds its bit, by row and column.
const braille = '⠀'

var brailleDots = [4][2]uint8{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

// asciiMarkers holds the characters of curves in ASCII, one per series.
const asciiMarkers = "*+ox#@%&"

// raster is a raster of dots finer than cells. Each cell has the colour of the last series that
// touched it.
type raster struct {
	w, h   int // cells
	kx, ky int // dots per cell
	kind   Markers
	mask   []uint8 // dots of each cell
	owner  []uint8
}

// reset sets the size to w by h cells and switches all dots off.
func (c *raster) reset(w, h int, kind Markers) {
	c.w = max(0, w)
	c.h = max(0, h)
	c.kind = kind
	c.kx, c.ky = 1, 1
	switch kind {
	case Braille:
		c.kx, c.ky = 2, 4
	case Blocks:
		c.kx, c.ky = 2, 2
	}
	n := c.w * c.h
	c.owner = grow(c.owner, n)
	c.mask = grow(c.mask, n)
	clear(c.mask)
}

// grow returns a slice of n elements. It reuses s if s is large enough.
func grow[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	return s[:n]
}

// dot switches on the dot at column x and row y, both in dots.
func (c *raster) dot(x, y int, series uint8) {
	if x < 0 || y < 0 || x >= c.w*c.kx || y >= c.h*c.ky {
		return
	}
	var i int
	switch c.kind {
	case Braille:
		i = y>>2*c.w + x>>1
		c.mask[i] |= brailleDots[y&3][x&1]
	case Blocks:
		i = y>>1*c.w + x>>1
		c.mask[i] |= 1 << (y&1*2 + x&1)
	default:
		i = y*c.w + x
		c.mask[i] = 1
	}
	c.owner[i] = series
}

// Dots of a dash with the gap after it, and without.
const dashPeriod, dashDots = 6, 4

// line draws a line between two dots, both included.
func (p *pen) line(x0, y0, x1, y1 int) {
	dx, dy := abs(x1-x0), -abs(y1-y0)
	sx, sy := sign(x1-x0), sign(y1-y0)
	for e := dx + dy; ; {
		if !p.dashed || p.dots%dashPeriod < dashDots {
			p.c.dot(x0, y0, p.series)
		}
		if x0 == x1 && y0 == y1 {
			return
		}
		p.dots++
		e2 := 2 * e
		if e2 >= dy {
			e, x0 = e+dy, x0+sx
		}
		if e2 <= dx {
			e, y0 = e+dx, y0+sy
		}
	}
}

// pen draws one series as a connected curve. Points are fractions of the raster; 0, 0 is the lower
// left corner. Parts outside are clipped.
type pen struct {
	c      *raster
	series uint8
	dashed bool
	dots   int // of the curve so far
	down   bool
	x, y   float64
	lx, ly int // the last dot, if any
	has    bool
}

// lift ends the curve. The next point starts a new one.
func (p *pen) lift() { p.down = false }

// to draws a line to the point x, y.
func (p *pen) to(x, y float64) {
	if !p.down {
		p.down, p.has = true, false
		p.x, p.y = x, y
	}
	ax, ay, bx, by, ok := clipUnit(p.x, p.y, x, y)
	p.x, p.y = x, y
	if !ok {
		p.has = false
		return
	}
	w, h := p.c.w*p.c.kx, p.c.h*p.c.ky
	x0, _ := cell(clamp01(ax), w)
	y0, _ := cell(clamp01(1-ay), h)
	x1, _ := cell(clamp01(bx), w)
	y1, _ := cell(clamp01(1-by), h)
	if p.has && x0 == p.lx && y0 == p.ly && x1 == x0 && y1 == y0 {
		return // many points share a dot
	}
	p.line(x0, y0, x1, y1)
	p.lx = x1
	p.ly = y1
	p.has = true
}

// clipUnit clips a segment to the unit square (Liang and Barsky), and returns false if nothing
// remains.
func clipUnit(x0, y0, x1, y1 float64) (ax, ay, bx, by float64, ok bool) {
	if inUnit(x0, y0) && inUnit(x1, y1) {
		return x0, y0, x1, y1, true
	}
	dx, dy := x1-x0, y1-y0
	t0, t1 := 0.0, 1.0
	for _, e := range [4][2]float64{{-dx, x0}, {dx, 1 - x0}, {-dy, y0}, {dy, 1 - y0}} {
		p, q := e[0], e[1]
		switch {
		case p == 0:
			if q < 0 {
				return 0, 0, 0, 0, false
			}
		case p < 0:
			t0 = max(t0, q/p)
		default:
			t1 = min(t1, q/p)
		}
	}
	if t0 > t1 {
		return 0, 0, 0, 0, false
	}
	return x0 + t0*dx, y0 + t0*dy, x0 + t1*dx, y0 + t1*dy, true
}

func inUnit(x, y float64) bool { return x >= 0 && x <= 1 && y >= 0 && y <= 1 }

// draw draws the raster on v, each cell in the style of its series. In ASCII, a curve with a mark of 0 has dots, because
// its points have a character.
func (c *raster) draw(v View, styles []Style, marks []rune) {
	for y := range c.h {
		for x := range c.w {
			m := c.mask[y*c.w+x]
			if m == 0 {
				continue
			}
			s := c.owner[y*c.w+x]
			r := rune(asciiMarkers[int(s)%len(asciiMarkers)])
			switch {
			case c.kind == Braille:
				r = braille + rune(m)
			case c.kind == Blocks:
				r = quadrants[m&15]
			case len(marks) > 0 && marks[s] == 0:
				r = '.'
			}
			v.Rune(x, y, r, styles[s])
		}
	}
}

// label puts the glyphs of the series on their curves at intervals, to distinguish them without
// colour. A curve with the glyph 0 has no labels.
func (c *raster) label(v View, styles []Style, glyphs []rune) {
	const every = 12
	for x := range c.w {
		for y := range c.h {
			i := y*c.w + x
			if !c.touched(i) {
				continue
			}
			if s := int(c.owner[i]); glyphs[s] != 0 && (x+3*s)%every == every/2 {
				v.Rune(x, y, glyphs[s], styles[s])
				break
			}
		}
	}
}

// touched reports whether a curve passes cell i.
func (c *raster) touched(i int) bool { return c.mask[i] != 0 }

func abs(n int) int { return max(n, -n) }

func sign(n int) int {
	switch {
	case n < 0:
		return -1
	case n > 0:
		return 1
	}
	return 0
}
