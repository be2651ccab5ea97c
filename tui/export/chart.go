package export

import (
	"math"

	"golang.org/x/image/font"
	"gonum.org/v1/plot"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hybridtop/hybridtop/tui/grid"
)

// Chart is a chart of a page. It is drawn by gonum/plot.
type Chart struct {
	Title  string // content and kind of number
	X, Y   ChartAxis
	Curves []Curve
	Bars   []Bars   // stacked, in order; each has one value per name
	Names  []string // labels at 0, 1, … on the x axis; nil: the axis has numbers
	Spans  []Span   // allowed ranges
	Rules  []float64
	Low    bool // half as high
}

// ChartAxis describes an axis.
type ChartAxis struct {
	Label    string
	Unit     grid.Unit
	Scale    grid.Scale
	FromZero bool
}

// Curve is a line or a set of points of a chart. NaN and infinite values make gaps.
type Curve struct {
	Label  string
	Tint   Tint
	X, Y   []float64
	Point  Point // NoPoint: only a line
	Line   bool
	Dashed bool
}

// Point is the shape of a point.
type Point uint8

// The shapes.
const (
	NoPoint Point = iota
	Disc
	Square
	Triangle
	Cross
	Ring
)

var pointShapes = map[Point]draw.GlyphDrawer{Disc: draw.CircleGlyph{}, Square: draw.BoxGlyph{},
	Triangle: draw.PyramidGlyph{}, Cross: draw.CrossGlyph{}, Ring: draw.RingGlyph{}}

// Bars is one part of stacked bars.
type Bars struct {
	Label  string
	Tint   Tint
	Values []float64
}

// Span is a range of allowed values at a position. An infinite end is open.
type Span struct{ X, Least, Most float64 }

// Sizes of a chart, in points.
const (
	chartWidth  = 620
	chartHeight = 250
	lowHeight   = 140
	titleSize   = 11
	labelSize   = 9
	legendLine  = 14
	legendMark  = 22 // width of the symbol before a label
	spanWidth   = 14
	barShare    = 0.6 // fraction of the space per name
	widestBar   = 60
)

// least is the minimum range of an axis, relative to its largest value, so that its ticks differ.
const least = 0.1

// svg draws the chart with the font outlines of a page.
func (c Chart) svg(letters *outlines) []byte {
	p := plot.New()
	p.BackgroundColor = nil
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label,
		&p.Y.Tick.Label} {
		sans(s, labelSize)
	}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color = Ink, Ink
		a.Width, a.Tick.Width = vg.Points(0.6), vg.Points(0.6)
		a.Padding = vg.Points(3)
	}
	p.X.Label.Text, p.Y.Label.Text = c.X.Label, c.Y.Label
	var xs, ys []float64
	for i := range c.Curves {
		xs, ys = append(xs, c.Curves[i].X...), append(ys, c.Curves[i].Y...)
	}
	for _, s := range c.Spans {
		xs, ys = append(xs, s.X), append(ys, s.Least, s.Most)
	}
	for i := range c.Names {
		xs = append(xs, float64(i)-0.5, float64(i)+0.5)
	}
	if c.Names != nil {
		c.X.Scale = grid.Linear
	}
	c.X.put(&p.X, xs)
	c.Y.put(&p.Y, append(ys, c.heights()...))
	if c.Names != nil {
		p.X.Tick.Marker = plot.ConstantTicks(c.nameTicks())
	}
	p.Add((&c).background(p)...)
	for i := range c.Bars {
		p.Add(bar{&c, i})
	}
	rows := c.legend(nil)
	body := float64(chartHeight)
	if c.Low {
		body = lowHeight
	}
	height := vg.Points(body + titleSize + 6 + float64(rows)*legendLine)
	v := newVector(vg.Points(chartWidth), height, letters)
	for i := range c.Curves {
		k := &c.Curves[i]
		p.Add(k.plotters(p, func(s *plotter.Scatter) plot.Plotter {
			return marks{s, v, func(x, y float64) string { return c.words(k, x, y) }}
		})...)
	}
	canvas := draw.New(v)
	head := sansFace(titleSize, true)
	v.SetColor(Ink)
	v.FillString(head, vg.Point{X: 2, Y: height - titleSize}, fitting(head, c.Title, chartWidth-4))
	c.legend(v)
	p.Draw(draw.Crop(canvas, 2, -8, 2, -vg.Points(titleSize+8+float64(rows)*legendLine)))
	begin := `<svg viewBox="0 0 ` + num(v.w) + " " + num(v.h) + `" role="img" aria-label="` + escape(c.Title) + `">` + "\n"
	return append(append([]byte(begin), v.out...), "</svg>\n"...)
}

// sans sets the font of a style.
func sans(s *text.Style, size float64) {
	s.Font = plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
	s.Color = Ink
}

func sansFace(size float64, bold bool) plotfont.Face {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans"}
	if bold {
		f.Weight = font.WeightBold
	}
	return plotfont.DefaultCache.Lookup(f, vg.Points(size))
}

// fitting shortens a text to a width.
func fitting(f plotfont.Face, s string, width float64) string {
	if f.Width(s).Points() <= width {
		return s
	}
	all := []rune(s)
	for len(all) > 0 && f.Width(string(all)+"…").Points() > width {
		all = all[:len(all)-1]
	}
	return string(all) + "…"
}

// put sets the range, scale and ticks of an axis of the plot.
func (a *ChartAxis) put(p *plot.Axis, values []float64) {
	lo, hi := math.Inf(1), math.Inf(-1)
	log := a.Scale == grid.Log2 || a.Scale == grid.Log10
	for _, v := range values {
		if !finite(v) || log && v <= 0 {
			continue
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	switch {
	case lo > hi:
		lo, hi = 0, 1
		log = false
	case log:
		if hi < lo*1.5 {
			lo, hi = lo/1.5, hi*1.5
		}
		lo, hi = lo/math.Pow(hi/lo, 0.04), hi*math.Pow(hi/lo, 0.04)
	default:
		if a.FromZero {
			lo, hi = min(lo, 0), max(hi, 0)
		}
		if span := least * max(math.Abs(lo), math.Abs(hi)); hi-lo < span {
			lo, hi = (lo+hi-span)/2, (lo+hi+span)/2
		}
		if lo == hi {
			hi = lo + 1
		}
		pad := 0.04 * (hi - lo)
		if lo != 0 || !a.FromZero {
			lo -= pad
		}
		hi += pad
	}
	p.Min, p.Max = lo, hi
	axis := grid.Axis{Unit: a.Unit}
	if log {
		p.Scale, axis.Scale = logScale{}, a.Scale
	}
	p.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick {
		var all []plot.Tick
		for _, t := range axis.Ticks(lo, hi, 8) {
			all = append(all, plot.Tick{Value: t.Value, Label: t.Label})
		}
		return all
	})
}

// largest is a limit for values on a chart. Differences of smaller values are finite.
const largest = 1e150

// finite reports whether a number can be shown on an axis.
func finite(v float64) bool { return math.Abs(v) < largest && (v == 0 || math.Abs(v) > 1/largest) }

// logScale is a logarithmic scale. It puts values of 0 or less far below the axis.
type logScale struct{}

func (logScale) Normalize(lo, hi, x float64) float64 {
	if x <= 0 {
		return -1
	}
	return math.Log(x/lo) / math.Log(hi/lo)
}

// nameTicks returns the ticks of an axis with names.
func (c *Chart) nameTicks() []plot.Tick {
	face := sansFace(labelSize, false)
	width := (chartWidth - 90) / float64(max(len(c.Names), 1))
	var all []plot.Tick
	each := max(1, int(math.Ceil(18/width)))
	for i, name := range c.Names {
		if i%each == 0 {
			all = append(all, plot.Tick{Value: float64(i), Label: fitting(face, name, width*float64(each)-4)})
		}
	}
	return all
}

// heights returns the heights of the stacked bars.
func (c *Chart) heights() []float64 {
	var all []float64
	for i := range c.Bars {
		for k, v := range c.Bars[i].Values {
			if !finite(v) {
				v = 0
			}
			for len(all) <= k {
				all = append(all, 0)
			}
			all[k] += v
		}
	}
	return all
}

// legend draws the labels of curves and bars above the plot, and returns the number of lines. With
// a nil canvas it only measures.
func (c *Chart) legend(v *vector) int {
	face := sansFace(labelSize, false)
	x, row := 2.0, 0
	entry := func(label string, draw func(x, y float64)) {
		label = fitting(face, label, chartWidth-legendMark-8)
		width := legendMark + face.Width(label).Points() + 14
		if x > 2 && x+width > chartWidth {
			x, row = 2, row+1
		}
		if v != nil {
			y := v.h - titleSize - 8 - float64(row)*legendLine - labelSize
			draw(x, y+labelSize*0.35)
			v.SetColor(Ink)
			v.FillString(face, vg.Point{X: vg.Points(x + legendMark), Y: vg.Points(y)}, label)
		}
		x += width
	}
	n := 0
	for i := range c.Bars {
		b := &c.Bars[i]
		n++
		entry(b.Label, func(x, y float64) {
			v.SetColor(b.Tint)
			v.Fill(vg.Rectangle{Min: vg.Point{X: vg.Points(x + 4), Y: vg.Points(y - 3)},
				Max: vg.Point{X: vg.Points(x + legendMark - 6), Y: vg.Points(y + 4)}}.Path())
		})
	}
	for i := range c.Curves {
		k := &c.Curves[i]
		if k.Label == "" {
			continue
		}
		n++
		entry(k.Label, func(x, y float64) {
			at := draw.New(v)
			if k.Line {
				at.StrokeLine2(k.line(), vg.Points(x+2), vg.Points(y), vg.Points(x+legendMark-4), vg.Points(y))
			}
			if k.Point != NoPoint {
				at.DrawGlyph(k.glyph(), vg.Point{X: vg.Points(x + legendMark/2 - 1), Y: vg.Points(y)})
			}
		})
	}
	if n == 0 {
		return 0
	}
	return row + 1
}

func (k *Curve) line() draw.LineStyle {
	s := draw.LineStyle{Color: k.Tint, Width: vg.Points(1.3)}
	if k.Dashed {
		s.Dashes = []vg.Length{4, 3}
	}
	return s
}

func (k *Curve) glyph() draw.GlyphStyle {
	s := draw.GlyphStyle{Color: k.Tint, Radius: vg.Points(3), Shape: pointShapes[max(k.Point, Disc)]}
	if k.Point == Ring {
		s.Radius = vg.Points(4.5) // visible around another point
	}
	return s
}

// words describes a point of a curve: "intra-node: 4, 416 ns".
func (c *Chart) words(k *Curve, x, y float64) string {
	at := c.X.Unit.String(x)
	if n := int(x); n >= 0 && n < len(c.Names) {
		at = c.Names[n]
	}
	text := at + ", " + c.Y.Unit.String(y)
	if k.Label != "" {
		text = k.Label + ": " + text
	}
	return text
}

// marks draws points. Each is a group of the page with the class "mark", whose title a browser shows
// under the mouse.
type marks struct {
	*plotter.Scatter
	v     *vector
	words func(x, y float64) string
}

func (m marks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range m.XYs {
		if pt := (vg.Point{X: x(at.X), Y: y(at.Y)}); c.Contains(pt) {
			m.v.add(`<g class="mark"><title>`, escape(m.words(at.X, at.Y)), `</title>`)
			c.DrawGlyph(m.GlyphStyle, pt)
			m.v.add("</g>\n")
		}
	}
}

// plotters returns the pieces of a curve between its gaps, and its points.
func (k *Curve) plotters(p *plot.Plot, marked func(*plotter.Scatter) plot.Plotter) []plot.Plotter {
	var all []plot.Plotter
	var piece, points plotter.XYs
	flush := func() {
		switch {
		case len(piece) == 1 && k.Point == NoPoint:
			points = append(points, piece[0]) // a line of one point would be invisible
		case len(piece) > 1 && k.Line:
			if l, err := plotter.NewLine(piece); err == nil {
				l.LineStyle = k.line()
				all = append(all, l)
			}
		}
		piece = nil
	}
	shown := func(v float64, a *plot.Axis) bool {
		_, log := a.Scale.(logScale)
		return finite(v) && (!log || v > 0)
	}
	for i := range k.X {
		if !shown(k.X[i], &p.X) || !shown(k.Y[i], &p.Y) {
			flush()
			continue
		}
		at := plotter.XY{X: k.X[i], Y: k.Y[i]}
		piece = append(piece, at)
		if k.Point != NoPoint {
			points = append(points, at)
		}
	}
	flush()
	if len(points) > 0 {
		if s, err := plotter.NewScatter(points); err == nil {
			s.GlyphStyle = k.glyph()
			all = append(all, marked(s))
		}
	}
	return all
}

// background returns the grid, ranges and rules behind the curves.
func (c *Chart) background(p *plot.Plot) []plot.Plotter {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = Soft, Soft
	g.Vertical.Width, g.Horizontal.Width = vg.Points(0.4), vg.Points(0.4)
	if c.Names != nil {
		g.Vertical.Color = nil
	}
	return []plot.Plotter{g, behind{c}}
}

// behind draws ranges and rules.
type behind struct{ of *Chart }

// Plot draws ranges and rules. An open range extends to the edge of the plot.
func (b behind) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, s := range b.of.Spans {
		lo, hi := c.Min.Y, c.Max.Y
		if !math.IsInf(s.Least, 0) && !(s.Least <= 0 && p.Y.Min > 0) {
			lo = max(lo, y(s.Least))
		}
		if !math.IsInf(s.Most, 0) {
			hi = min(hi, y(s.Most))
		}
		if !finite(s.X) || math.IsNaN(s.Least) || math.IsNaN(s.Most) || hi < lo {
			continue
		}
		at := x(s.X)
		c.SetColor(Hint)
		c.Fill(vg.Rectangle{Min: vg.Point{X: at - spanWidth/2, Y: lo}, Max: vg.Point{X: at + spanWidth/2, Y: hi}}.Path())
	}
	for _, at := range b.of.Rules {
		if finite(at) && at >= p.X.Min && at <= p.X.Max {
			c.StrokeLine2(draw.LineStyle{Color: Hint, Width: vg.Points(1), Dashes: []vg.Length{2, 2}}, x(at), c.Min.Y, x(at),
				c.Max.Y)
		}
	}
}

// bar draws one part of the stacked bars.
type bar struct {
	of *Chart
	i  int
}

// Plot draws one rectangle per name.
func (b bar) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	part := &b.of.Bars[b.i]
	c.SetColor(part.Tint)
	for k, v := range part.Values {
		if !finite(v) || v <= 0 || k >= len(b.of.Names) {
			continue
		}
		below := 0.0
		for j := range b.i {
			if k < len(b.of.Bars[j].Values) && finite(b.of.Bars[j].Values[k]) {
				below += b.of.Bars[j].Values[k]
			}
		}
		half := min((x(float64(k)+barShare/2)-x(float64(k)-barShare/2))/2, vg.Points(widestBar/2))
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(float64(k)) - half, Y: y(below)},
			Max: vg.Point{X: x(float64(k)) + half, Y: y(below + v)}}.Path())
	}
}
