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
	of, pl, th := &s.Charts[n], plot(s, n), h.Theme
	l := &c.line
	l.X, l.Y = c.axis(s, of.X, of.XLog, pl.XRange), c.axis(s, of.Y[0], of.YLog, pl.YRange)
	l.Markers = h.Markers
	l.Series, l.VLines, l.HLines = l.Series[:0], l.VLines[:0], l.HLines[:0]
	c.rules(pl, v, th)
	if x := s.Cell(s.Now, of.X); known(x) && (of.XLog == 0 || x > 0) {
		l.VLines = append(l.VLines, grid.VLine{X: x, Style: th.Focus})
	}
	var lines []item
	for i := range pl.Lines {
		lines = c.modelLine(&pl.Lines[i], lines, th)
	}
	c.modelColumns(s, of, th)
	c.marks(pl, true, th)
	c.ghostCurves(of, th)
	switch {
	case of.Join:
		c.joined(s, of, n, th)
	case len(of.Same) > 0:
		c.byKind(s, of, th)
	default:
		c.byColumn(s, of, h.Snap.Kind, th)
	}
	for _, y := range of.Y { // after the entries of measured values
		if col := &s.Columns[y]; col.Kind != "" && col.Legend != "" {
			c.legend = append(c.legend, item{'╌', col.Legend, col.Short, th.Kind(pane.KindOf(col.Kind)).Style})
		}
	}
	for i := range pl.Marks {
		if m := &pl.Marks[i]; m.Text != "" {
			c.legend = append(c.legend, item{glyph(m.Glyph, m.Kind, th), m.Text, "", th.Kind(pane.KindOf(m.Kind)).Style})
		}
	}
	c.legend = append(c.legend, lines...)
	if c.ghost.own || len(of.Same) > 0 {
		c.explainGhost(atBase, th)
	} else {
		c.explainGhost(curveBase, th)
	}
	if n == 0 {
		c.kinds(s, th)
	}
	c.marks(pl, false, th)
	c.ghostPoint(of, th)
	c.present(s, of, th)
	in := c.head(v, pl.Title, th)
	l.Draw(in, th)
	if in.H() < 8 {
		return
	}
	for i := range pl.Lines {
		c.label(in, &pl.Lines[i], th)
	}
}

// rules adds the thresholds to the chart.
func (c *chart) rules(pl *engine.Plot, v grid.View, th *grid.Theme) {
	c.names = c.names[:0]
	for i := range pl.Rules {
		c.names = append(c.names, c.units.Text(pl.Rules[i].Label))
	}
	apart(c.names, v.W()/3)
	for i := range pl.Rules {
		r := &pl.Rules[i]
		label, st := c.names[i], grid.Style{}
		switch {
		case r.Minor:
			if st = th.Dim; v.H() < 10 {
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

// modelLine adds a line of the cost model to the chart, and to the legend if it has a name.
func (c *chart) modelLine(m *engine.Line, lines []item, th *grid.Theme) []item {
	s := grid.Series{Name: m.Name, X: m.X, Y: m.Y, Shape: grid.Dashed, Style: th.Dim}
	switch m.Look {
	case engine.Dashed:
		s.Style = th.Kind(pane.KindOf(m.Kind)).Style
	case engine.Plain:
		s.Shape, s.Style, s.Glyph = grid.Solid, th.Kind(pane.KindOf(m.Kind)).Style.With(grid.Bold), '╌'
	}
	c.line.Series = append(c.line.Series, s)
	if m.Name != "" {
		lines = append(lines, item{'╌', m.Name, "", s.Style})
	}
	return lines
}

// label writes the label of a line above its position, unless there is text already.
func (c *chart) label(v grid.View, m *engine.Line, th *grid.Theme) {
	if m.Label == "" {
		return
	}
	if col, row, ok := c.line.Place(m.LabelX, m.LabelY); ok && row > 0 {
		text := c.units.Text(m.Label)
		for x := range grid.Width(text) + 2 {
			if r := v.At(col-2+x, row-1).Rune; unicode.IsLetter(r) || unicode.IsDigit(r) {
				return
			}
		}
		v.Text(col-1, row-1, text, th.Text)
	}
}

// modelColumns adds the columns of modelled numbers as curves over all rows.
func (c *chart) modelColumns(s *engine.StudyView, of *engine.Chart, th *grid.Theme) {
	for _, y := range of.Y {
		kind := s.Columns[y].Kind
		if kind == "" || of.Join {
			continue
		}
		p := c.storage()
		for i := range s.Rows {
			p.add(s.Cell(i, of.X), s.Cell(i, y))
		}
		c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Dashed, Style: th.Kind(pane.KindOf(kind)).Style})
	}
}

// marks adds the special points of a plot: those below the curves (under), or those above.
func (c *chart) marks(pl *engine.Plot, under bool, th *grid.Theme) {
	for i := range pl.Marks {
		if m := &pl.Marks[i]; m.Under == under && known(m.X) && known(m.Y) {
			c.mark(glyph(m.Glyph, m.Kind, th), th.Kind(pane.KindOf(m.Kind)).Style.With(grid.Bold), m.X, m.Y)
		}
	}
}

func (c *chart) mark(r rune, st grid.Style, x, y float64) {
	p := c.storage()
	p.add(x, y)
	c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: r})
}

// byColumn adds one series of points per column.
func (c *chart) byColumn(s *engine.StudyView, of *engine.Chart, kind engine.Kind, th *grid.Theme) {
	k := 0
	for _, y := range of.Y {
		col := &s.Columns[y]
		if col.Kind != "" {
			continue
		}
		look := th.Kind(pane.KindOf(kind))
		mark, st := look.Symbol, look.Style.With(grid.Bold)
		if k > 0 {
			mark, st = pane.ClassMarks[k%len(pane.ClassMarks)], th.SeriesStyle(k).With(grid.Bold)
		}
		k++
		p := c.storage()
		for i := range s.Rows {
			p.add(s.Cell(i, of.X), s.Cell(i, y))
		}
		c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: mark})
		if col.Legend != "" {
			c.legend = append(c.legend, item{mark, col.Legend, col.Short, st})
		}
	}
}

// byKind adds the points of all runs, grouped by kind of number. Runs that are the same as the
// present one (see same) are bright, all others dim.
func (c *chart) byKind(s *engine.StudyView, of *engine.Chart, th *grid.Theme) {
	for _, like := range []bool{false, true} {
		for _, kind := range engine.Kinds {
			look := th.Kind(pane.KindOf(kind))
			p := c.storage()
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Kind == kind && r.Flag != engine.Passing && same(s, of, i) == like {
					p.add(s.Cell(i, of.X), s.Cell(i, of.Y[0]))
				}
			}
			if len(p.x) == 0 {
				continue
			}
			st := th.Dim
			if like {
				st = look.Style
			}
			c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: look.Symbol})
		}
	}
}

// joined adds one curve per series, with the symbol of its kind at every row, and the predictions
// of the cost model for the rows.
func (c *chart) joined(s *engine.StudyView, of *engine.Chart, n int, th *grid.Theme) {
	for k, series := range c.series {
		for _, y := range of.Y {
			p := c.storage()
			kind := s.Columns[y].Kind
			modelled := kind != ""
			for i := range s.Rows {
				if r := &s.Rows[i]; r.Series == series {
					if p.add(s.Cell(i, of.X), s.Cell(i, y)); !modelled {
						kind = r.Kind
					}
				}
			}
			st := th.SeriesStyle(k)
			if modelled {
				c.line.Series = append(c.line.Series, grid.Series{X: p.x, Y: p.y, Shape: grid.Dashed, Style: th.Kind(pane.KindOf(kind)).Style})
				continue
			}
			mark := th.Kind(pane.KindOf(kind)).Symbol
			c.line.Series = append(c.line.Series,
				grid.Series{X: p.x, Y: p.y, Style: st, Glyph: mark},
				grid.Series{X: p.x, Y: p.y, Shape: grid.Points, Style: st, Glyph: mark})
			if series != "" {
				c.legend = append(c.legend, item{mark, series, "", st})
			}
		}
	}
}

// kinds adds the symbols of the other kinds of number in the table to the legend.
func (c *chart) kinds(s *engine.StudyView, th *grid.Theme) {
	now := s.Present()
	if now == nil {
		return
	}
	for _, kind := range engine.Kinds {
		other := func(r engine.Row) bool { return r.Kind == kind && r.Flag != engine.Passing && len(r.Cells) > 0 }
		if kind != now.Kind && now.Kind != "" && slices.ContainsFunc(s.Rows, other) {
			look := th.Kind(pane.KindOf(kind))
			c.legend = append(c.legend, item{look.Symbol, string(kind), "", look.Style})
		}
	}
}

// present draws the point of the present run over all others.
func (c *chart) present(s *engine.StudyView, of *engine.Chart, th *grid.Theme) {
	now := s.Present()
	if now == nil || len(of.Same) == 0 && !of.Join {
		return
	}
	for _, y := range of.Y {
		if x := s.Cell(s.Now, y); known(x) && s.Columns[y].Kind == "" {
			c.mark(th.Kind(pane.KindOf(now.Kind)).Symbol, th.Focus, s.Cell(s.Now, of.X), x)
		}
	}
}
