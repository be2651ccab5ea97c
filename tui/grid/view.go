package grid

import (
	"strings"
	"unicode/utf8"
)

// View is a window on a grid. It has its own coordinates; 0, 0 is its upper left corner. All
// drawing is clipped to it, with one exception: drawing over one half of a wide rune also blanks
// the other half. The zero value ignores all drawing.
type View struct {
	g    *Grid
	r    Rect // position on the grid
	clip Rect // the part of r in which drawing is visible
}

// W returns the columns of the view.
func (v View) W() int { return v.r.W }

// H returns the rows of the view.
func (v View) H() int { return v.r.H }

// Rect returns the position of the view on the grid, for mouse clicks.
func (v View) Rect() Rect { return v.r }

// Local returns the rectangle of the view in its own coordinates.
func (v View) Local() Rect { return Rect{0, 0, v.r.W, v.r.H} }

// ASCII reports whether the grid shows only ASCII.
func (v View) ASCII() bool { return v.g != nil && v.g.ASCII }

// Mono reports whether the grid has no colours, so that widgets must use shapes.
func (v View) Mono() bool { return v.g != nil && v.g.Mono }

// Sub returns the view of a rectangle in v's own coordinates, clipped to v.
func (v View) Sub(r Rect) View {
	r.X, r.Y = r.X+v.r.X, r.Y+v.r.Y
	r.W, r.H = max(0, r.W), max(0, r.H)
	return View{g: v.g, r: r, clip: v.clip.Intersect(r)}
}

// At returns the cell at x, y; see [Grid.At].
func (v View) At(x, y int) Cell {
	x, y = x+v.r.X, y+v.r.Y
	if !v.clip.Contains(x, y) {
		return Cell{Rune: ' '}
	}
	return v.g.At(x, y)
}

// Set replaces the cell at x, y, including its background. A wide rune also uses the next cell, and
// becomes a blank if that cell is outside the view.
func (v View) Set(x, y int, c Cell) {
	x, y = x+v.r.X, y+v.r.Y
	if v.clip.Contains(x, y) {
		v.set(x, y, c)
	}
}

// set is Set for a position in grid coordinates that is inside the view.
func (v View) set(x, y int, c Cell) {
	r, w := c.Rune, 1
	if r < ' ' || r > '~' {
		r, w = printable(r)
		if v.g.ASCII && r > '~' {
			r, w = ASCIIRune(r), 1
		}
		if w == 0 || w == 2 && !v.clip.Contains(x+1, y) {
			r, w = ' ', 1
		}
	}
	c.Rune = r
	v.g.put(y*v.g.W+x, c, w)
}

// Rune draws one rune at x, y. A style without background keeps the existing one.
func (v View) Rune(x, y int, r rune, st Style) {
	x, y = x+v.r.X, y+v.r.Y
	if !v.clip.Contains(x, y) {
		return
	}
	if st.Bg == None {
		st.Bg = v.g.cells[y*v.g.W+x].Bg
	}
	v.set(x, y, Cell{Rune: r, Fg: st.Fg, Bg: st.Bg, Attr: st.Attr})
}

// Text writes s from x, y to the right and clips it. It returns the number of columns of the whole
// text. It never wraps.
func (v View) Text(x, y int, s string, st Style) int {
	if v.g != nil && v.g.Watch != nil {
		v.g.Watch(Written{Text: s, X: x + v.r.X, Y: y + v.r.Y, Clip: v.clip})
	}
	return v.text(x, y, s, st)
}

func (v View) text(x, y int, s string, st Style) int {
	at := x
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		i += n
		at += v.glyph(at, y, r, st)
	}
	return at - x
}

// Bytes writes b like [View.Text], for numbers formatted in a scratch buffer.
func (v View) Bytes(x, y int, b []byte, st Style) int {
	if v.g != nil && v.g.Watch != nil {
		v.g.Watch(Written{Text: string(b), X: x + v.r.X, Y: y + v.r.Y, Clip: v.clip})
	}
	at := x
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		b = b[n:]
		at += v.glyph(at, y, r, st)
	}
	return at - x
}

// glyph draws one rune of a text and returns its columns.
func (v View) glyph(x, y int, r rune, st Style) int {
	if r >= ' ' && r <= '~' {
		v.Rune(x, y, r, st)
		return 1
	}
	r, w := printable(r)
	if w == 0 {
		return 0
	}
	if w == 2 && v.ASCII() {
		v.Rune(x+1, y, ' ', st)
	}
	if w == 2 && !v.clip.Contains(x+v.r.X, y+v.r.Y) {
		v.Rune(x+1, y, ' ', st) // the left half is cut off
	}
	v.Rune(x, y, r, st)
	return w
}

// TextIn writes s, aligned, into the cols columns from x, y. If s is longer, it ends with an
// ellipsis. TextIn returns the number of columns written.
func (v View) TextIn(x, y, cols int, s string, align Align, st Style) int {
	cols = max(0, cols)
	w := Width(s)
	cut := w > cols
	if cut {
		w = cols
	}
	switch align {
	case Right:
		x += cols - w
	case Center:
		x += (cols - w) / 2
	}
	if !cut {
		return v.Text(x, y, s, st)
	}
	if cols == 0 {
		return 0
	}
	if v.g != nil && v.g.Watch != nil {
		v.g.Watch(Written{Text: s, X: x + v.r.X, Y: y + v.r.Y, Clip: v.clip.Intersect(Rect{x + v.r.X, y + v.r.Y, cols, 1}),
			Short: true})
	}
	n := v.Sub(Rect{x, y, cols - 1, 1}).text(0, 0, s, st)
	v.Rune(x+min(n, cols-1), y, '…', st)
	return cols
}

// TextRows writes s into the cols columns from x, y, wrapped between words on up to the given
// number of rows. Longer text is cut between words, but never between a number and its unit.
// TextRows returns the number of columns of the last row.
func (v View) TextRows(x, y, cols, rows int, s string, st Style) int {
	for ; rows > 1 && cols > 0 && Width(s) > cols; rows-- {
		n := breakAt(s, cols)
		v.Text(x, y, s[:n], st)
		s = strings.TrimLeft(s[n:], " ")
		y++
	}
	if Width(s) > cols {
		n := breakAt(s, max(cols-2, 1))
		for n > 0 && (s[n] != ' ' || s[n-1] >= '0' && s[n-1] <= '9') {
			n = strings.LastIndexByte(s[:n], ' ')
		}
		if n > 0 {
			return v.Text(x, y, s[:n]+" …", st)
		}
	}
	return v.TextIn(x, y, cols, s, Left, st)
}

// Align is the alignment of text.
type Align uint8

// The alignments.
const (
	Left Align = iota
	Right
	Center
)

// Fill sets every cell of a rectangle.
func (v View) Fill(r Rect, c Cell) {
	area := v.Sub(r).clip
	if area.Empty() {
		return
	}
	if c.Rune == 0 && !v.g.wide { // a blank needs no check, and no wide rune can be split
		for y := area.Y; y < area.Y+area.H; y++ {
			row := v.g.cells[y*v.g.W+area.X:][:area.W]
			for i := range row {
				row[i] = Cell{Rune: ' ', Fg: c.Fg, Bg: c.Bg, Attr: c.Attr}
			}
		}
		return
	}
	for y := area.Y; y < area.Y+area.H; y++ {
		for x := area.X; x < area.X+area.W; x++ {
			v.set(x, y, c)
		}
	}
}

// Tint sets the background and adds attributes for every cell of a rectangle, and keeps the text.
func (v View) Tint(r Rect, bg Color, add Attr) {
	area := v.Sub(r).clip
	for y := area.Y; y < area.Y+area.H; y++ {
		for i := y*v.g.W + area.X; i < y*v.g.W+area.X+area.W; i++ {
			c := &v.g.cells[i]
			c.Attr |= add
			if bg != None {
				c.Bg = bg
			}
		}
	}
}

// Copy draws the cells of src with their upper left corner at x, y. It shows an unchanged pane
// without drawing it again.
func (v View) Copy(x, y int, src *Grid) {
	for row := range src.H {
		for col := range src.W {
			if c := src.cells[row*src.W+col]; c.Rune != Continued {
				v.Set(x+col, y+row, c)
			}
		}
	}
}

// Box is a border with titles.
type Box struct {
	// Title is at the left end of the upper border, Right at its right end. If Right does not fit,
	// it is cut at a comma, or to the symbol at its start.
	Title, Right string
	// Border, TitleStyle and RightStyle are the styles of the three parts.
	Border, TitleStyle, RightStyle Style
}

// Box draws a border with rounded corners along the edge of r and returns the view inside it.
// Titles are shortened if necessary, first the right one.
func (v View) Box(r Rect, b Box) View {
	in := v.Sub(r)
	w, h := r.W, r.H
	if w < 2 || h < 2 {
		return in.Sub(Rect{})
	}
	for x := 1; x < w-1; x++ {
		in.Rune(x, 0, '─', b.Border)
		in.Rune(x, h-1, '─', b.Border)
	}
	for y := 1; y < h-1; y++ {
		in.Rune(0, y, '│', b.Border)
		in.Rune(w-1, y, '│', b.Border)
	}
	in.Rune(0, 0, '╭', b.Border)
	in.Rune(w-1, 0, '╮', b.Border)
	in.Rune(0, h-1, '╰', b.Border)
	in.Rune(w-1, h-1, '╯', b.Border)

	free := w - 4 // a title has a blank on both sides
	if b.Title != "" && free > 0 {
		n := in.TextIn(2, 0, free, b.Title, Left, b.TitleStyle)
		in.Rune(1, 0, ' ', b.Border)
		in.Rune(2+n, 0, ' ', b.Border)
		free -= n + 2
	}
	right := b.Right
	if Width(right) > free {
		right = shorten(right, free)
	}
	if n := Width(right); n > 0 {
		x := w - 2 - n
		in.Rune(x-1, 0, ' ', b.Border)
		in.Text(x, 0, right, b.RightStyle)
		in.Rune(w-2, 0, ' ', b.Border)
	}
	return v.Sub(r.Inset(1, 1))
}

// shorten returns the start of s that fits in cols columns: up to a comma, or only the symbol at
// its start, or "".
func shorten(s string, cols int) string {
	for Width(s) > cols {
		i := strings.LastIndex(s, ", ")
		if _, n := utf8.DecodeRuneInString(s); i < 0 && n < len(s) && s[n] == ' ' && cols > 0 {
			i = n
		}
		if i < 0 {
			return ""
		}
		s = s[:i]
	}
	return s
}
