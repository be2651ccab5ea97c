package study

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// chart draws one projection of the rows, and keeps what it drew with.
type chart struct {
	line   grid.LineChart
	bars   grid.Bars
	stack  grid.Stack
	heat   grid.Heatmap
	ghost  *ghost   // of the baseline
	points []points // storage of series, by their place in a chart
	legend []item
	over   bool // it stands over an axis
	bodies int  // bars, where it does not
	series []string
	names  []string // of bars
	units  grid.Units
}

// item explains a mark.
type item struct {
	mark  rune
	name  string
	short string // where there is little room; "": none
	style grid.Style
}

// points are the places of one series.
type points struct{ x, y []float64 }

func (p *points) add(x, y float64) { p.x, p.y = append(p.x, x), append(p.y, y) }

// storage gives an empty series that was used in a frame before, if there is one.
func (c *chart) storage() *points {
	if len(c.points) < cap(c.points) {
		c.points = c.points[:len(c.points)+1]
	} else {
		c.points = append(c.points, points{})
	}
	p := &c.points[len(c.points)-1]
	p.x, p.y = p.x[:0], p.y[:0]
	return p
}

func (c *chart) draw(v grid.View, s *engine.StudyView, n int, h *pane.Host) {
	c.units = h.Units
	c.points, c.legend, c.series = c.points[:0], c.legend[:0], c.series[:0]
	for i := range s.Rows {
		c.note(s.Rows[i].Series)
	}
	c.over = s.Charts[n].Shape == engine.Curve || s.Charts[n].Shape == engine.Heat
	switch s.Charts[n].Shape {
	case engine.Bars:
		c.drawBars(v, s, n, h)
	case engine.Stack:
		c.drawStack(v, s, n, h)
	case engine.Heat:
		c.drawHeat(v, s, n, h)
	default:
		c.drawCurve(v, s, n, h)
	}
}

// note remembers a series in the order of its first row.
func (c *chart) note(series string) {
	for _, s := range c.series {
		if s == series {
			return
		}
	}
	c.series = append(c.series, series)
}

// plot is what a chart shows beside the rows; none where the study gave nothing.
func plot(s *engine.StudyView, n int) *engine.Plot {
	if n < len(s.Plots) {
		return &s.Plots[n]
	}
	return &engine.Plot{}
}

// head writes a chart's title and, if there is room, its legend, and gives the view
// that is left.
func (c *chart) head(v grid.View, title string, th *grid.Theme) grid.View {
	if v.H() < 6 && (c.over || v.H() < c.bodies+1) {
		return v
	}
	rows, look := 1, th.Dim
	if title == "" {
		c.explain(v.Sub(grid.Rect{W: v.W(), H: rows}), look)
	} else {
		v.TextIn(0, 0, v.W(), c.units.Text(title), grid.Left, th.Title)
		switch {
		case c.over: // in all charts over an axis alike, so that they compare
			rows += min((v.H()-6)/3, 2)
		case len(c.legend) > 0: // what the bars leave
			rows += min(max(v.H()-1-c.bodies, 0), 2)
		}
		c.explain(v.Sub(grid.Rect{Y: 1, W: v.W(), H: rows - 1}), th.Text)
	}
	return v.Sub(grid.Rect{Y: rows, W: v.W(), H: v.H() - rows})
}

// explain writes the legend on as many rows as there are. An ellipsis replaces the items
// that have no room.
func (c *chart) explain(v grid.View, look grid.Style) {
	x, y := 0, 0
	for i := range c.legend {
		it := &c.legend[i]
		name := c.units.Text(it.name)
		if it.short != "" && x+grid.Width(name)+2 > v.W() {
			name = it.short
		}
		n := grid.Width(name) + 2
		if n > v.W() {
			continue
		}
		if x > 0 && x+n > v.W() {
			if y+1 >= v.H() {
				if x-2 < v.W() {
					v.Rune(min(x, v.W()-1), y, '…', look)
				}
				return
			}
			x, y = 0, y+1
		}
		v.Rune(x, y, it.mark, it.style)
		v.Text(x+2, y, name, look)
		x += n + 2
	}
}

// scale is that of an axis.
func scale(log int) grid.Scale {
	switch log {
	case 2:
		return grid.Log2
	case 10:
		return grid.Log10
	}
	return grid.Linear
}

// axis is that of a column.
func (c *chart) axis(s *engine.StudyView, column, log int, r engine.Range) grid.Axis {
	a := grid.Axis{Scale: scale(log), Unit: unit(&s.Columns[column], c.units)}
	if r != (engine.Range{}) {
		a.Fixed, a.Min, a.Max = true, r.Min, r.Max
	}
	return a
}

// same says that a row equals the present one where the chart asks for it; a chart
// that does not ask shows all rows alike.
func same(s *engine.StudyView, of *engine.Chart, row int) bool {
	if s.Present() == nil {
		return len(of.Same) == 0
	}
	for _, column := range of.Same {
		if s.Cell(row, column) != s.Cell(s.Now, column) {
			return false
		}
	}
	return true
}

// known says that a number has a place.
func known(x float64) bool { return !math.IsNaN(x) }
