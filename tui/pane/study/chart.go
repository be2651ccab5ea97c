package study

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// chart draws one chart of a study. It reuses its buffers for the next frame.
type chart struct {
	line     grid.LineChart
	bars     grid.Bars
	stack    grid.Stack
	heat     grid.Heatmap
	baseline *baseline // the baseline's view of the study
	points   []points  // buffers of the series, in the order of the chart
	legend   []item
	hasAxis  bool // it has a horizontal axis
	barCount int  // number of bars, if it has no horizontal axis
	series   []string
	glyphs   bool     // each series has its own symbol
	names    []string // labels of bars
	units    grid.Units
}

// item is an entry of a legend.
type item struct {
	symbol rune
	name   string
	short  string // if there is little room; "": no short form
	style  grid.Style
}

// points are the points of one series.
type points struct{ x, y []float64 }

func (p *points) add(x, y float64) { p.x, p.y = append(p.x, x), append(p.y, y) }

// storage returns an empty series. It reuses the buffer of an earlier frame if there is one.
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
	c.points = c.points[:0]
	c.legend = c.legend[:0]
	c.series = c.series[:0]
	for i := range s.Rows {
		c.addSeries(s.Rows[i].Series)
	}
	c.hasAxis = s.Charts[n].Shape == engine.Curve || s.Charts[n].Shape == engine.Heat
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

// addSeries adds a series, in the order of the first rows.
func (c *chart) addSeries(series string) {
	for _, s := range c.series {
		if s == series {
			return
		}
	}
	c.series = append(c.series, series)
}

// plot returns the contents of a chart other than the rows. It is empty if the study has none.
func plot(s *engine.StudyView, n int) *engine.Plot {
	if n < len(s.Plots) {
		return &s.Plots[n]
	}
	return &engine.Plot{}
}

// drawHead writes the title of a chart and, if there is room, its legend. It returns the remaining
// view.
func (c *chart) drawHead(v grid.View, title string, th *grid.Theme) grid.View {
	if v.H() < 6 && (c.hasAxis || v.H() < c.barCount+1) {
		return v
	}
	rows, look := 1, th.Dim
	if title == "" {
		c.drawLegend(v.Sub(grid.Rect{W: v.W(), H: rows}), look)
	} else {
		v.TextIn(0, 0, v.W(), c.units.Text(title), grid.Left, th.Title)
		switch {
		case c.hasAxis: // the same in all charts with a horizontal axis, so that they can be compared
			rows += min((v.H()-6)/3, 2)
		case len(c.legend) > 0: // the rows that the bars do not need
			rows += min(max(v.H()-1-c.barCount, 0), 2)
		}
		c.drawLegend(v.Sub(grid.Rect{Y: 1, W: v.W(), H: rows - 1}), th.Text)
	}
	return v.Sub(grid.Rect{Y: rows, W: v.W(), H: v.H() - rows})
}

// drawLegend writes the legend on the rows of the view. An ellipsis replaces the items that do not
// fit.
func (c *chart) drawLegend(v grid.View, look grid.Style) {
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
		v.Rune(x, y, it.symbol, it.style)
		v.Text(x+2, y, name, look)
		x += n + 2
	}
}

// scale returns the scale of an axis.
func scale(log int) grid.Scale {
	switch log {
	case 2:
		return grid.Log2
	case 10:
		return grid.Log10
	}
	return grid.Linear
}

// axis returns the axis of a column.
func (c *chart) axis(s *engine.StudyView, column, log int, r engine.Range) grid.Axis {
	a := grid.Axis{Scale: scale(log), Unit: unit(&s.Columns[column], c.units)}
	if r != (engine.Range{}) {
		a.Fixed = true
		a.Min = r.Min
		a.Max = r.Max
	}
	return a
}

// matchesPresent reports whether a row equals the present one in the columns that the chart lists
// in Same. If it lists none, all rows are the same.
func matchesPresent(s *engine.StudyView, spec *engine.Chart, row int) bool {
	if s.Present() == nil {
		return len(spec.Same) == 0
	}
	for _, column := range spec.Same {
		if s.Cell(row, column) != s.Cell(s.Now, column) {
			return false
		}
	}
	return true
}

// isNumber reports whether x is a number (not NaN).
func isNumber(x float64) bool { return !math.IsNaN(x) }
