package study

import (
	"slices"
	"unicode"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// drawCurve draws rows as points over a column, with the lines and rules of the cost model.
func (c *chart) drawCurve(v grid.View, s *engine.StudyView, n int, h *pane.Host) {
	spec := &s.Charts[n]
	pl := plot(s, n)
	th := h.Theme
	l := &c.line
	l.X, l.Y = c.axis(s, spec.X, spec.XLog, pl.XRange), c.axis(s, spec.Y[0], spec.YLog, pl.YRange)
	l.Markers = h.Markers
	c.glyphs = spec.Join && len(c.series) > 1 && grid.IsMono(v, th)
	l.Series = l.Series[:0]
	l.VLines = l.VLines[:0]
	l.HLines = l.HLines[:0]
	c.addRules(pl, v, th)
	if x := s.Cell(s.Now, spec.X); isNumber(x) && (spec.XLog == 0 || x > 0) {
		l.VLines = append(l.VLines, grid.VLine{X: x, Style: th.Focus})
	}
	dash := l.DashSymbol(v, th)
	var lines []item
	for i := range pl.Lines {
		lines = c.addModelLine(&pl.Lines[i], lines, dash, th)
	}
	c.addModelColumns(s, spec, th)
	c.addMarkers(pl, true, th)
	c.addBaselineCurves(spec, th)
	switch {
	case spec.Join:
		c.addSeriesCurves(s, spec, h.Snap.Kind, th)
	case len(spec.Same) > 0:
		c.addPointsByKind(s, spec, th)
	default:
		c.addPointsByColumn(s, spec, h.Snap.Kind, th)
	}
	for _, y := range spec.Y { // after the entries of measured values
		if col := &s.Columns[y]; col.Kind != "" && col.Legend != "" {
			c.legend = append(c.legend, item{
				symbol: dash, name: col.Legend, short: col.Short, style: th.Kind(pane.KindOf(col.Kind)).Style,
			})
		}
	}
	for i := range pl.Marks {
		if m := &pl.Marks[i]; m.Text != "" {
			c.legend = append(c.legend, item{
				symbol: glyph(m.Glyph, m.Kind, th), name: m.Text, style: th.Kind(pane.KindOf(m.Kind)).Style,
			})
		}
	}
	c.legend = append(c.legend, lines...)
	if c.baseline.sameTable || len(spec.Same) > 0 {
		c.explainBaseline(atBase, th)
	} else {
		c.explainBaseline(dash, th)
	}
	if n == 0 && !c.glyphs {
		c.explainKinds(s, th)
	}
	c.addMarkers(pl, false, th)
	c.addBaselinePoint(spec, th)
	c.addPresent(s, spec, th)
	c.addPrediction(s, spec, h)
	in := c.drawHead(v, pl.Title, th)
	l.Draw(in, th)
	if in.H() < 8 {
		return
	}
	for i := range pl.Lines {
		c.drawLabel(in, &pl.Lines[i], th)
	}
}

// addRules adds the thresholds to the chart.
func (c *chart) addRules(pl *engine.Plot, v grid.View, th *grid.Theme) {
	c.names = c.names[:0]
	for i := range pl.Rules {
		c.names = append(c.names, c.units.Text(pl.Rules[i].Label))
	}
	dropShared(c.names, v.W()/3)
	for i := range pl.Rules {
		r := &pl.Rules[i]
		label, st := c.names[i], grid.Style{}
		switch {
		case r.Minor:
			st = th.Dim
			if v.H() < 10 {
				label = ""
			}
		case r.Wide != "" && v.W() >= 45:
			label = c.units.Text(r.Wide)
		}
		if r.Vertical {
			c.line.VLines = append(c.line.VLines, grid.VLine{X: r.At, Label: label, Style: st})
		} else {
			c.line.HLines = append(c.line.HLines, grid.HLine{Y: r.At, Label: label, Style: st})
		}
	}
}

// addModelLine adds a line of the cost model to the chart, and to the legend if it has a name.
func (c *chart) addModelLine(m *engine.Line, lines []item, dash rune, th *grid.Theme) []item {
	s := grid.Series{Name: m.Name, X: m.X, Y: m.Y, Shape: grid.Dashed, Style: th.Dim}
	switch m.Look {
	case engine.Dashed:
		s.Style = th.Kind(pane.KindOf(m.Kind)).Style
	case engine.Plain:
		s.Shape = grid.Solid
		s.Style = th.Kind(pane.KindOf(m.Kind)).Style.With(grid.Bold)
		s.Glyph = '╌'
	}
	c.line.Series = append(c.line.Series, s)
	if m.Name != "" {
		lines = append(lines, item{symbol: dash, name: m.Name, style: s.Style})
	}
	return lines
}

// drawLabel writes the label of a line above its position, unless there is text already.
func (c *chart) drawLabel(v grid.View, m *engine.Line, th *grid.Theme) {
	if m.Label == "" {
		return
	}
	if col, row, ok := c.line.Locate(m.LabelX, m.LabelY); ok && row > 0 {
		text := c.units.Text(m.Label)
		for x := range grid.Width(text) + 2 {
			if r := v.At(col-2+x, row-1).Rune; unicode.IsLetter(r) || unicode.IsDigit(r) {
				return
			}
		}
		v.Text(col-1, row-1, text, th.Text)
	}
}

// addModelColumns adds the columns of modelled numbers as curves over all rows.
func (c *chart) addModelColumns(s *engine.StudyView, spec *engine.Chart, th *grid.Theme) {
	for _, y := range spec.Y {
		kind := s.Columns[y].Kind
		if kind == "" || spec.Join {
			continue
		}
		p := c.storage()
		for i := range s.Rows {
			p.add(s.Cell(i, spec.X), s.Cell(i, y))
		}
		c.line.Series = append(c.line.Series,
			grid.Series{X: p.x, Y: p.y, Shape: grid.Dashed, Style: th.Kind(pane.KindOf(kind)).Style})
	}
}

// addMarkers adds the special points of a plot: those below the curves (under), or those above.
func (c *chart) addMarkers(pl *engine.Plot, under bool, th *grid.Theme) {
	for i := range pl.Marks {
		if m := &pl.Marks[i]; m.Under == under && isNumber(m.X) && isNumber(m.Y) {
			c.addMarker(glyph(m.Glyph, m.Kind, th), th.Kind(pane.KindOf(m.Kind)).Style.With(grid.Bold), m.X, m.Y)
		}
	}
}

func (c *chart) addMarker(r rune, st grid.Style, x, y float64) {
	p := c.storage()
	p.add(x, y)
	c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: r})
}

// addPointsByColumn adds one series of points per column.
func (c *chart) addPointsByColumn(s *engine.StudyView, spec *engine.Chart, kind engine.Kind, th *grid.Theme) {
	k := 0
	for _, y := range spec.Y {
		col := &s.Columns[y]
		if col.Kind != "" {
			continue
		}
		look := th.Kind(pane.KindOf(kind))
		symbol, st := look.Symbol, look.Style.With(grid.Bold)
		if k > 0 {
			symbol, st = pane.ClassSymbols[k%len(pane.ClassSymbols)], th.SeriesStyle(k).With(grid.Bold)
		}
		k++
		p := c.storage()
		for i := range s.Rows {
			p.add(s.Cell(i, spec.X), s.Cell(i, y))
		}
		c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: symbol})
		if col.Legend != "" {
			c.legend = append(c.legend, item{symbol: symbol, name: col.Legend, short: col.Short, style: st})
		}
	}
}

// addPointsByKind adds the points of all runs, grouped by kind of number. Runs that are the same as
// the present one (see matchesPresent) are bright, all others dim.
func (c *chart) addPointsByKind(s *engine.StudyView, spec *engine.Chart, th *grid.Theme) {
	for _, isSame := range []bool{false, true} {
		for _, kind := range engine.Kinds {
			look := th.Kind(pane.KindOf(kind))
			p := c.storage()
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Kind == kind && r.Flag != engine.Passing && matchesPresent(s, spec, i) == isSame {
					p.add(s.Cell(i, spec.X), s.Cell(i, spec.Y[0]))
				}
			}
			if len(p.x) == 0 {
				continue
			}
			st := th.Dim
			if isSame {
				st = look.Style
			}
			c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: look.Symbol})
		}
	}
}

// seriesGlyphs are the symbols of series without colour. They differ from the symbols of the kinds of number.
var seriesGlyphs = []rune("▲▼◁▷□◎■abcdefgh")

// symbol returns the symbol of the points of series k: of its kind of number, or its own one.
func (c *chart) symbol(k int, kind engine.Kind, th *grid.Theme) rune {
	if c.glyphs {
		return seriesGlyphs[k%len(seriesGlyphs)]
	}
	return th.Kind(pane.KindOf(kind)).Symbol
}

// addSeriesCurves adds one curve per series, with the symbol of its kind at every row, and the
// predictions of the cost model for the rows. Without colour, each series has its own symbol, and the legend names
// a kind that differs from the present one.
func (c *chart) addSeriesCurves(s *engine.StudyView, spec *engine.Chart, present engine.Kind, th *grid.Theme) {
	for k, series := range c.series {
		for _, y := range spec.Y {
			p := c.storage()
			kind := s.Columns[y].Kind
			modelled := kind != ""
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Series == series {
					if p.add(s.Cell(i, spec.X), s.Cell(i, y)); !modelled {
						kind = r.Kind
					}
				}
			}
			st := th.SeriesStyle(k)
			if modelled {
				c.line.Series = append(c.line.Series,
					grid.Series{X: p.x, Y: p.y, Shape: grid.Dashed, Style: th.Kind(pane.KindOf(kind)).Style})
				continue
			}
			symbol := c.symbol(k, kind, th)
			c.line.Series = append(c.line.Series,
				grid.Series{X: p.x, Y: p.y, Style: st, Glyph: symbol},
				grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: symbol})
			if series != "" {
				if c.glyphs && kind != present {
					series += " (" + string(kind) + ")"
				}
				c.legend = append(c.legend, item{symbol: symbol, name: series, style: st})
			}
		}
	}
}

// explainKinds adds the symbols of the other kinds of number in the table to the legend.
func (c *chart) explainKinds(s *engine.StudyView, th *grid.Theme) {
	now := s.Present()
	if now == nil {
		return
	}
	for _, kind := range engine.Kinds {
		other := func(r engine.Row) bool { return r.Kind == kind && r.Flag != engine.Passing && len(r.Cells) > 0 }
		if kind != now.Kind && now.Kind != "" && slices.ContainsFunc(s.Rows, other) {
			look := th.Kind(pane.KindOf(kind))
			c.legend = append(c.legend, item{symbol: look.Symbol, name: string(kind), style: look.Style})
		}
	}
}

// addPrediction draws the prediction for the present run, over all other points.
func (c *chart) addPrediction(s *engine.StudyView, spec *engine.Chart, h *pane.Host) {
	p := predicted(s, spec, h)
	if p == nil || s.Present() == nil {
		return
	}
	st := h.Theme.Accent.With(grid.Bold)
	c.addMarker(pane.PredictionGlyph, st, s.Cell(s.Now, spec.X), p.Value)
	c.legend = slices.Insert(c.legend, 0, item{symbol: pane.PredictionGlyph, name: "prediction", style: st})
	if a := &c.line.Y; a.Fixed {
		a.Min, a.Max = min(a.Min, p.Value), max(a.Max, p.Value)
	}
}

// predicted returns the prediction of a metric that a chart has on its axis, or nil.
func predicted(s *engine.StudyView, spec *engine.Chart, h *pane.Host) *pane.Prediction {
	if p := h.Predicted; p != nil && slices.ContainsFunc(spec.Y, func(y int) bool { return s.Columns[y].Name == p.Metric }) {
		return p
	}
	return nil
}

// addPresent draws the point of the present run over all others.
func (c *chart) addPresent(s *engine.StudyView, spec *engine.Chart, th *grid.Theme) {
	now := s.Present()
	if now == nil || len(spec.Same) == 0 && !spec.Join {
		return
	}
	for _, y := range spec.Y {
		if x := s.Cell(s.Now, y); isNumber(x) && s.Columns[y].Kind == "" {
			c.addMarker(c.symbol(max(slices.Index(c.series, now.Series), 0), now.Kind, th), th.Focus, s.Cell(s.Now, spec.X), x)
		}
	}
}
