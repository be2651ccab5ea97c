package grid

// Canvas draws straight lines between places of a view, finer than its cells. The
// places are columns and rows, 0, 0 being the middle of the upper left cell.
type Canvas struct{ raster raster }

// Reset makes the canvas as large as a view, with nothing on it. Lines are drawn with
// the markers, or where these are of whole cells with quarters of one.
func (c *Canvas) Reset(v View, m Markers) {
	switch {
	case v.ASCII():
		m = Plus
	case m == Lines:
		m = Blocks
	}
	c.raster.reset(v.W(), v.H(), m)
}

// Line draws from one place to another, in the style of that number. Later lines lie
// over earlier ones.
func (c *Canvas) Line(x0, y0, x1, y1 float64, style uint8) {
	kx, ky := float64(c.raster.kx), float64(c.raster.ky)
	at := func(x, k float64) int { return int((x + 0.5) * k) }
	c.raster.line(at(x0, kx), at(y0, ky), at(x1, kx), at(y1, ky), style)
}

// Draw shows the lines.
func (c *Canvas) Draw(v View, styles []Style) { c.raster.draw(v, styles) }
