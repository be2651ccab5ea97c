package grid

// Shape is the way in which the points of a series are joined.
type Shape uint8

// The shapes.
const (
	Solid  Shape = iota // a curve in the chart's markers
	Dashed              // a dashed curve, for modelled numbers
	Points              // no curve, a glyph at each point
)

// Series is one line of a chart.
type Series struct {
	// Name is used in the legend and in the crosshair's values.
	Name string
	// X and Y are the points, in the units of the axes. The shorter slice determines their number.
	// A nil X numbers the points from 0. NaN and ±Inf in Y make a gap. Points are joined in their
	// order in the slices.
	X, Y  []float64
	Shape Shape
	// Style and Glyph default to the theme's, by the index of the series. The glyph is used for the
	// shape Points, in the crosshair and in the legend.
	Style Style
	Glyph rune
}

func (s *Series) len() int {
	if s.X == nil {
		return len(s.Y)
	}
	return min(len(s.X), len(s.Y))
}

func (s *Series) x(i int) float64 {
	if s.X == nil {
		return float64(i)
	}
	return s.X[i]
}

// LineChart draws series over a common horizontal axis:
//
//	12┤           ╭──╮ ╭─── in rank
//	 8┤   ╭───────╯  ╰─╯
//	 4┤───╯  ┆group 2→4
//	  └──┬──────┬──────┬───
//	     0 s    5 s    10 s
type LineChart struct {
	X, Y    Axis
	Series  []Series
	Markers Markers
	// VLines and HLines show moments and thresholds. They do not change the range of an axis.
	VLines []VLine
	HLines []HLine
	// Cross shows a crosshair at CrossX with the value of the nearest point of each series.
	Cross  bool
	CrossX float64
	// Legend lists the series in the upper right corner.
	Legend bool

	plot   plot
	raster raster
	stroke stroke
	styles []Style
	glyphs []rune
	marks  []rune // labels of curves; empty: they have colours
	legend []LegendItem
}

// maxSeries is the maximum number of series in a raster. Further series share the last number.
const maxSeries = 256

// Draw draws the chart over the whole view.
func (c *LineChart) Draw(v View, th *Theme) {
	if v.W() == 0 || v.H() == 0 {
		return
	}
	c.resolve(th)
	xs, ys := c.spans()
	c.plot.drawAxes(v, th, &c.X, &c.Y, xs, ys)
	in := v.Sub(c.plot.area)
	c.plot.drawHLines(v, th, c.HLines)
	c.plot.drawVLines(v, th, c.VLines)
	if xs.empty() || ys.empty() {
		in.TextIn(0, in.H()/2, in.W(), "no data yet", Center, th.Dim)
		return
	}
	c.drawCurves(in, th)
	c.drawPoints(in)
	c.plot.drawHLabels(v, th, c.HLines)
	c.plot.drawVLabels(v, th, c.VLines)
	if c.Legend {
		DrawLegend(in, th, c.items(in, th))
	}
	if c.Cross {
		c.drawCrosshair(in, th)
	}
}

// XAt returns the value at a column of the view of the last drawing, for the mouse, and false
// outside the axes.
func (c *LineChart) XAt(col int) (float64, bool) {
	a := c.plot.area
	if col < a.X || col >= a.X+a.W {
		return 0, false
	}
	return c.plot.x.value((float64(col-a.X) + 0.5) / float64(a.W)), true
}

// Locate returns the cell of a point in the view of the last drawing, and false outside the axes.
func (c *LineChart) Locate(x, y float64) (col, row int, ok bool) { return c.plot.at(x, y) }

// Range returns the vertical range of the last drawing, so that other panes can use the same.
func (c *LineChart) Range() (lo, hi float64) { return c.plot.y.lo, c.plot.y.hi }

// resolve determines the style and glyph of each series.
func (c *LineChart) resolve(th *Theme) {
	n := len(c.Series)
	c.styles, c.glyphs = grow(c.styles, n), grow(c.glyphs, n)
	for i := range c.Series {
		c.styles[i] = orStyle(c.Series[i].Style, th.SeriesStyle(i))
		c.glyphs[i] = c.Series[i].Glyph
		if c.glyphs[i] == 0 {
			c.glyphs[i] = th.Glyph(i)
		}
	}
}

// spans returns the ranges of the points that have a position on both axes.
func (c *LineChart) spans() (xs, ys span) {
	xs, ys = emptySpan(), emptySpan()
	for i := range c.Series {
		s := &c.Series[i]
		for k := range s.len() {
			x, y := s.x(k), s.Y[k]
			if x-x == 0 && y-y == 0 && (c.X.Scale == Linear || x > 0) && (c.Y.Scale == Linear || y > 0) {
				xs.add(Linear, x)
				ys.add(Linear, y)
			}
		}
	}
	return xs, ys
}

func (c *LineChart) drawCurves(in View, th *Theme) {
	kind, mono := c.kind(in), IsMono(in, th)
	c.marks = c.marks[:0]
	if mono && len(c.Series) > 1 {
		c.setMarks()
	}
	for _, shape := range [...]Shape{Dashed, Solid} { // measured curves replace the cells of models
		c.raster.reset(in.W(), in.H(), kind)
		for i := range c.Series {
			switch s := &c.Series[i]; {
			case s.Shape != shape:
			case kind == Lines, shape == Dashed && (kind == Plus || mono): // see DashSymbol
				c.drawBoxLines(in, i)
			default:
				c.drawFine(s, uint8(min(i, maxSeries-1)))
			}
		}
		c.raster.draw(in, c.styles, c.marks)
	}
	if kind != Plus && len(c.marks) > 0 {
		c.raster.label(in, c.styles, c.marks)
	}
}

// setMarks sets the labels of the curves. A curve whose points have its glyph has no label.
func (c *LineChart) setMarks() {
	c.marks = append(c.marks, c.glyphs...)
	for i := range c.Series {
		for k := range c.Series {
			if c.Series[k].Shape == Points && c.glyphs[k] == c.glyphs[i] {
				c.marks[i] = 0
			}
		}
	}
}

// kind returns the markers that the view can show.
func (c *LineChart) kind(in View) Markers {
	if in.ASCII() && c.Markers != Lines {
		return Plus
	}
	return c.Markers
}

// IsMono reports whether a view has no colours, so that series differ only in their glyphs.
func IsMono(in View, th *Theme) bool { return in.Mono() || len(th.Ramp) == 0 }

// DashSymbol returns the character with which the chart draws a dashed curve, for a legend. Without colour, dashes of
// dots look like points. Then such a curve has box-drawing characters.
func (c *LineChart) DashSymbol(in View, th *Theme) rune {
	switch kind := c.kind(in); {
	case kind == Braille && !IsMono(in, th):
		return '⠒'
	case kind == Blocks && !IsMono(in, th):
		return '▀'
	}
	return '╌'
}

// drawFine draws a curve on the raster.
func (c *LineChart) drawFine(s *Series, series uint8) {
	p := pen{c: &c.raster, series: series, dashed: s.Shape == Dashed}
	for k := range s.len() {
		x, okx := c.plot.x.frac(s.x(k))
		y, oky := c.plot.y.frac(s.Y[k])
		if okx && oky {
			p.to(x, y)
		} else {
			p.lift()
		}
	}
}

// drawBoxLines draws series i with box-drawing characters.
func (c *LineChart) drawBoxLines(in View, i int) {
	s := &c.Series[i]
	c.stroke.reset(in.W())
	var px, py float64
	joined := false
	for k := range s.len() {
		x, okx := c.plot.x.frac(s.x(k))
		y, oky := c.plot.y.frac(s.Y[k])
		if joined && okx && oky {
			c.stroke.segment(px, py, x, y, in.H())
		}
		px = x
		py = y
		joined = okx && oky
	}
	in.line(c.stroke.rows, linePen{style: c.styles[i], dashed: s.Shape == Dashed})
}

func (c *LineChart) drawPoints(in View) {
	for i := range c.Series {
		s := &c.Series[i]
		if s.Shape != Points {
			continue
		}
		for k := range s.len() {
			if col, row, ok := c.plot.at(s.x(k), s.Y[k]); ok {
				in.Rune(col-c.plot.area.X, row, c.glyphs[i], c.styles[i])
			}
		}
	}
}

// items returns the legend of the chart.
func (c *LineChart) items(in View, th *Theme) []LegendItem {
	c.legend = c.legend[:0]
	for i := range c.Series {
		symbol := c.glyphs[i]
		switch c.Series[i].Shape {
		case Dashed:
			symbol = c.DashSymbol(in, th)
		case Solid:
			if c.Markers == Lines {
				symbol = '─'
			}
		}
		c.legend = append(c.legend, LegendItem{Symbol: symbol, Name: c.Series[i].Name, Style: c.styles[i]})
	}
	return c.legend
}
