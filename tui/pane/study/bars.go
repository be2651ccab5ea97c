package study

import (
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// maxBarRows is the maximum number of rows of a bar; more do not make it clearer.
const maxBarRows = 5

// drawBars draws one bar per row of the table, in the colour of its series. If there is room, bars
// are higher. The bar of the present run is bright.
func (c *chart) drawBars(v grid.View, s *engine.StudyView, n int, h *pane.Host) {
	spec := &s.Charts[n]
	pl := plot(s, n)
	th := h.Theme
	b := &c.bars
	b.Items = b.Items[:0]
	b.Axis = c.axis(s, spec.Y[0], spec.YLog, pl.YRange)
	b.Shown, b.Highest = -1, maxBarRows
	for i := range s.Rows {
		r := &s.Rows[i]
		if len(spec.Same) > 0 && !matchesPresent(s, spec, i) {
			continue
		}
		label := r.Label
		if len(spec.Same) > 0 && r.Series != "" {
			label = r.Series // the rest of the label is the same for all
		}
		bar := grid.Bar{Label: c.units.Text(label), Value: s.Cell(i, spec.Y[0]),
			Symbol: th.Kind(pane.KindOf(r.Kind)).Symbol, Style: th.SeriesStyle(slices.Index(c.series, r.Series))}
		if i == s.Now {
			bar.Style, b.Shown = th.Focus, len(b.Items)
		}
		bar.Baseline = c.baseline.cell(s, i, spec.Y[0])
		if p := predicted(s, spec, h); p != nil && i == s.Now {
			bar.Marked, bar.Mark = p.Value, pane.PredictionGlyph
		}
		if len(spec.Y) > 1 && isNumber(s.Cell(i, spec.Y[1])) { // the prediction, next to the bar
			bar.Note = unit(&s.Columns[spec.Y[1]], c.units).Format(s.Cell(i, spec.Y[1]), 9) + " " + s.Columns[spec.Y[1]].Legend
		}
		b.Items = append(b.Items, bar)
	}
	if isMetric(s, spec.Y[0]) {
		modelled := th.Kind(grid.Modelled)
		for _, f := range c.forecasts(v, s, len(b.Items), h) {
			b.Items = append(b.Items, grid.Bar{Label: c.units.Text(f.Label), Value: f.Cells[spec.Y[0]], Outline: true,
				Symbol: modelled.Symbol, Style: modelled.Style})
		}
	}
	c.names = c.names[:0]
	for i := range b.Items {
		c.names = append(c.names, b.Items[i].Label)
	}
	shorten(c.names, v.W()/2-3) // a symbol precedes them
	for i := range b.Items {
		b.Items[i].Label = c.names[i]
	}
	c.explainBaseline(acrossBars, th)
	c.barCount = len(b.Items)
	rest := c.drawHead(v, title(s, spec, pl), th)
	if c.barCount == 0 {
		h.Empty(rest)
		return
	}
	b.Draw(rest, th)
}

// isMetric reports whether a column has the study's metric.
func isMetric(s *engine.StudyView, column int) bool { return s.Columns[column].Name == s.Metric }

// forecasts returns the modelled rows that fit below the title and n bars, and adds them to the legend.
func (c *chart) forecasts(v grid.View, s *engine.StudyView, n int, h *pane.Host) []engine.Row {
	all := h.Forecast(s)
	all = all[:min(len(all), max(v.H()-2-n, 0))]
	if len(all) > 0 {
		modelled := h.Theme.Kind(grid.Modelled)
		c.legend = append(c.legend, item{symbol: modelled.Symbol, name: "modelled, not run", short: "modelled", style: modelled.Style})
	}
	return all
}

// drawStack draws bars like drawBars, each divided into the columns of the chart. A full bar is the largest sum.
func (c *chart) drawStack(v grid.View, s *engine.StudyView, n int, h *pane.Host) {
	spec, th := &s.Charts[n], h.Theme
	c.stack.Rows, c.stack.Highest = c.stack.Rows[:0], maxBarRows
	for i := range s.Rows {
		parts, hasParts := make([]float64, len(spec.Y)), false
		for k, y := range spec.Y {
			parts[k] = s.Cell(i, y)
			hasParts = hasParts || isNumber(parts[k])
		}
		if !hasParts { // a published result may have only the total
			continue
		}
		row := grid.StackRow{Label: c.units.Text(s.Rows[i].Label), Parts: parts}
		if c.baseline.row(s, i) != nil {
			for _, y := range spec.Y {
				row.Baseline = append(row.Baseline, c.baseline.cell(s, i, y))
			}
		}
		c.stack.Rows = append(c.stack.Rows, row)
	}
	if metric := slices.IndexFunc(s.Columns, func(c engine.Column) bool { return c.Name == s.Metric }); n == 0 && metric >= 0 {
		for _, f := range c.forecasts(v, s, len(c.stack.Rows), h) {
			modelled := th.Kind(grid.Modelled)
			c.stack.Rows = append(c.stack.Rows, grid.StackRow{Label: string(modelled.Symbol) + " " + c.units.Text(f.Label),
				Outline: f.Cells[metric], Style: modelled.Style})
		}
	}
	c.stack.Whole = 0
	for i := range c.stack.Rows {
		r := &c.stack.Rows[i]
		c.stack.Whole = max(c.stack.Whole, r.Outline, sum(r.Parts), sum(r.Baseline))
	}
	for k, y := range spec.Y {
		c.legend = append(c.legend, item{
			symbol: c.stack.Shade(k), name: s.Columns[y].Legend, short: s.Columns[y].Short, style: c.stack.Style(th, k),
		})
	}
	c.names = c.names[:0]
	for i := range c.stack.Rows {
		c.names = append(c.names, c.stack.Rows[i].Label)
	}
	shorten(c.names, c.stack.Names(v.W()))
	for i := range c.stack.Rows {
		c.stack.Rows[i].Label = c.names[i]
	}
	c.explainBaseline(acrossBars, th)
	c.barCount = len(c.stack.Rows)
	rest := c.drawHead(v, title(s, spec, plot(s, n)), th)
	if c.barCount == 0 {
		h.Empty(rest)
		return
	}
	c.stack.Draw(rest, th)
}

// sum adds the known values.
func sum(parts []float64) (all float64) {
	for _, x := range parts {
		if x > 0 {
			all += x
		}
	}
	return all
}

// drawHeat draws one cell per row of the table: series down, column X across. If several runs have
// the same cell, the last one is shown.
func (c *chart) drawHeat(v grid.View, s *engine.StudyView, n int, h *pane.Host) {
	spec := &s.Charts[n]
	pl := plot(s, n)
	th := h.Theme
	var across []float64
	for i := range s.Rows {
		if x := s.Cell(i, spec.X); isNumber(x) && !slices.Contains(across, x) {
			across = append(across, x)
		}
	}
	slices.Sort(across)
	m := &c.heat
	m.Wide = 12 // a few cells are wide and show their values
	m.Cols = len(across)
	m.Bar = v.H() > 8
	m.Axis = c.axis(s, spec.Y[0], spec.YLog, pl.YRange)
	m.Values = slices.Grow(m.Values[:0], len(across)*len(c.series))[:len(across)*len(c.series)]
	for i := range m.Values {
		m.Values[i] = math.NaN()
	}
	m.Ratios, m.Against = nil, h.RatioLegend()
	if c.baseline.view != nil && !h.Absolute {
		m.Ratios = slices.Clone(m.Values)
	}
	for i := range s.Rows {
		if k := slices.Index(across, s.Cell(i, spec.X)); k >= 0 {
			at := slices.Index(c.series, s.Rows[i].Series)*len(across) + k
			m.Values[at] = s.Cell(i, spec.Y[0])
			if m.Ratios != nil {
				m.Ratios[at] = c.baseline.ratio(s, i, spec.Y[0])
			}
		}
	}
	m.RowLabels, m.ColLabels = append(m.RowLabels[:0], c.series...), m.ColLabels[:0]
	for _, x := range across {
		m.ColLabels = append(m.ColLabels, unit(&s.Columns[spec.X], c.units).Format(x, 8))
	}
	m.Draw(c.drawHead(v, title(s, spec, pl), th), th)
}

// title returns the title of the plot, or of the first column.
func title(s *engine.StudyView, spec *engine.Chart, pl *engine.Plot) string {
	if pl.Title != "" {
		return pl.Title
	}
	return s.Columns[spec.Y[0]].Title
}
