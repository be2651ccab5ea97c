package grid

import "math"

// Nearest returns the index of the point of s with the X nearest to x, on the scale of the
// horizontal axis. It ignores points without a value.
func (c *LineChart) Nearest(s *Series, x float64) (index int, ok bool) {
	best := math.Inf(1)
	for k := range s.len() {
		at, y := s.x(k), s.Y[k]
		if y-y != 0 || at-at != 0 {
			continue
		}
		d := math.Abs(at/2 - x/2)
		if c.X.Scale != Linear {
			if at <= 0 || x <= 0 {
				continue
			}
			d = max(at/x, x/at)
		}
		if d < best || !ok {
			best = d
			index = k
			ok = true
		}
	}
	return index, ok
}

// drawCrosshair draws a line at CrossX, and the values of all series next to it:
//
//	│ 8 KiB
//	│ ● in rank 12.3 GB/s
func (c *LineChart) drawCrosshair(in View, th *Theme) {
	col, ok := c.plot.col(c.CrossX)
	if !ok {
		return
	}
	col -= c.plot.area.X
	for y := range in.H() {
		in.Rune(col, y, '│', th.Focus)
	}
	width := c.readingWidth()
	x := col + 1
	if x+width > in.W() && col > in.W()/2 {
		x = col - width
	}
	x = max(0, min(x, in.W()-width)) // the values cover the line rather than being cut off
	box := in.Sub(Rect{x, 0, min(width, in.W()-x), min(len(c.Series)+1, in.H())})
	box.Fill(box.Local(), Cell{Bg: th.Background})
	text := c.X.Unit.Append(c.plot.text[:0], c.CrossX, anyCols)
	box.Bytes(1, 0, text, th.Focus)
	for i := range c.Series {
		s := &c.Series[i]
		k, ok := c.Nearest(s, c.CrossX)
		y := math.NaN()
		if ok {
			y = s.Y[k]
			if pc, pr, ok := c.plot.at(s.x(k), y); ok && i+1 < in.H() {
				in.Rune(pc-c.plot.area.X, pr, c.glyphs[i], c.styles[i].With(Bold))
			}
		}
		box.Fill(Rect{0, i + 1, box.W(), 1}, Cell{Bg: th.Background})
		box.Rune(1, i+1, c.glyphs[i], c.styles[i])
		text = c.Y.Unit.Append(text[:0], y, anyCols)
		at := 3
		if room := box.W() - at - 1 - runes(text); s.Name != "" && room > 0 { // only the name is shortened
			at += box.TextIn(at, i+1, min(room, Width(s.Name)), s.Name, Left, th.Dim) + 1
		}
		box.Bytes(at, i+1, text, c.styles[i].With(Bold))
	}
	c.plot.text = text
}

// readingWidth returns the number of columns of the crosshair's values.
func (c *LineChart) readingWidth() int {
	text := c.X.Unit.Append(c.plot.text[:0], c.CrossX, anyCols)
	width := runes(text) + 2
	for i := range c.Series {
		s := &c.Series[i]
		y := math.NaN()
		if k, ok := c.Nearest(s, c.CrossX); ok {
			y = s.Y[k]
		}
		text = c.Y.Unit.Append(text[:0], y, anyCols)
		n := runes(text) + 4
		if s.Name != "" {
			n += Width(s.Name) + 1
		}
		width = max(width, n)
	}
	c.plot.text = text
	return width
}
