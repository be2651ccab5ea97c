package grid

// Grid is a screen of W columns and H rows. The zero value is an empty
// screen; call [Grid.Resize] before drawing.
type Grid struct {
	// W and H are the columns and rows. Only Resize changes them.
	W, H int
	// ASCII replaces every drawn rune outside ASCII with a similar ASCII character.
	ASCII bool
	// Mono makes AppendANSI emit bold, reverse and underline, but no colour.
	Mono bool
	// Watch, if not nil, is called with each text before the grid draws it. Tests use it to find
	// texts that do not fit or that are overwritten.
	Watch func(Written)

	cells []Cell
	wide  bool // a wide rune was drawn since the last Clear
	sheet sheet
}

// Written describes a text drawn on a grid.
type Written struct {
	Text  string
	X, Y  int  // on the grid
	Clip  Rect // the part of the grid that its view may draw on
	Short bool // the text does not fit and ends with an ellipsis
}

// New returns a cleared grid of w columns and h rows.
func New(w, h int) *Grid {
	g := &Grid{}
	g.Resize(w, h)
	return g
}

// Resize changes the size to w columns and h rows and clears the grid.
// Negative sizes count as zero.
func (g *Grid) Resize(w, h int) {
	g.W, g.H = max(0, w), max(0, h)
	if n := g.W * g.H; n > cap(g.cells) {
		g.cells = make([]Cell, n)
	} else {
		g.cells = g.cells[:n]
	}
	g.Clear()
}

// Clear makes every cell blank, in the terminal's own colours.
func (g *Grid) Clear() {
	clear(g.cells)
	g.wide = false
}

// Bounds returns the whole grid as a rectangle.
func (g *Grid) Bounds() Rect { return Rect{0, 0, g.W, g.H} }

// At returns the cell at x, y, or a blank one outside the grid. A cell without drawing holds a
// space.
func (g *Grid) At(x, y int) Cell {
	if !g.Bounds().Contains(x, y) {
		return Cell{Rune: ' '}
	}
	c := g.cells[y*g.W+x]
	if c.Rune == 0 {
		c.Rune = ' '
	}
	return c
}

// All returns the view of the whole grid.
func (g *Grid) All() View { return g.View(g.Bounds()) }

// View returns a window on the rectangle r of the grid. Drawing through it is relative to the
// corner of r and clipped to r.
func (g *Grid) View(r Rect) View {
	r.W, r.H = max(0, r.W), max(0, r.H)
	return View{g: g, r: r, clip: r.Intersect(g.Bounds())}
}

// Set, Text, Fill and Box draw on the whole grid; see the methods of [View].

// Set replaces the cell at x, y; see [View.Set].
func (g *Grid) Set(x, y int, c Cell) { g.All().Set(x, y, c) }

// Text writes s at x, y; see [View.Text].
func (g *Grid) Text(x, y int, s string, st Style) int { return g.All().Text(x, y, s, st) }

// Fill fills a rectangle; see [View.Fill].
func (g *Grid) Fill(r Rect, c Cell) { g.All().Fill(r, c) }

// Box draws a border; see [View.Box].
func (g *Grid) Box(r Rect, b Box) View { return g.All().Box(r, b) }

// put writes one checked rune into cell i, in row-major order. The second cell of a wide rune must
// be in the same row.
func (g *Grid) put(i int, c Cell, width int) {
	if g.wide || width == 2 {
		g.blankHalf(i)
		if width == 2 {
			g.blankHalf(i + 1)
			g.wide = true
			g.cells[i+1] = Cell{Rune: Continued, Fg: c.Fg, Bg: c.Bg, Attr: c.Attr}
		}
	}
	g.cells[i] = c
}

// blankHalf blanks the other half of a wide rune at cell i, so that no half is shown alone.
func (g *Grid) blankHalf(i int) {
	if g.cells[i].Rune == Continued {
		g.cells[i].Rune = ' '
		if i > 0 {
			g.cells[i-1].Rune = ' '
		}
	}
	if i+1 < len(g.cells) && g.cells[i+1].Rune == Continued {
		g.cells[i+1].Rune = ' '
	}
}
