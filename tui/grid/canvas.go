package grid

// Canvas draws straight lines between points of a view, at a finer resolution than cells. Points
// are columns and rows; 0, 0 is the middle of the upper left cell.
type Canvas struct{ raster raster }

// Reset clears the canvas and gives it the size of a view. It draws lines with the given markers,
// or with quarter cells instead of whole-cell markers.
func (c *Canvas) Reset(v View, m Markers) {
	switch {
	case v.ASCII():
		m = Plus
	case m == Lines:
		m = Blocks
	}
	c.raster.reset(v.W(), v.H(), m)
}

// Line draws a line between two points. style is an index of the styles of Draw. Later lines cover
// earlier ones.
func (c *Canvas) Line(x0, y0, x1, y1 float64, style uint8) {
	kx, ky := float64(c.raster.kx), float64(c.raster.ky)
	at := func(x, k float64) int { return int((x + 0.5) * k) }
	p := pen{c: &c.raster, series: style}
	p.line(at(x0, kx), at(y0, ky), at(x1, kx), at(y1, ky))
}

// Draw draws the lines on the view.
func (c *Canvas) Draw(v View, styles []Style) { c.raster.draw(v, styles, nil) }
