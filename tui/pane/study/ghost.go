package study

import (
	"maps"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// ghost is what the baseline knew of the study that is shown.
type ghost struct {
	view   *engine.StudyView // nil: there is no baseline, or it has no such study
	told   string            // the run that it is of
	late   bool              // there are no ratios
	column int               // of the table: the ratio stands beside it; −1: none
	// own says that the baseline's run has its row in this very table, where runs differ
	// by what the table compares: every row is held against that one. Else each is held
	// against the baseline's row of its own name.
	own bool

	of    *engine.Baseline
	name  string // of the study
	index map[rowName]int
	now   engine.Scenario // that own was worked out for
}

// rowName is what rows of two tables have in common.
type rowName struct{ label, series string }

// look finds the baseline's view of a study.
func (g *ghost) look(s *engine.StudyView, h *pane.Host) {
	if g.view = nil; h.Base == nil {
		g.of = nil
		return
	}
	v := baseView(s, h.Base.Baseline)
	if v == nil {
		return
	}
	g.view, g.told, g.late = v, h.Base.Told, h.Base.Late
	if g.of != h.Base.Baseline || g.name != s.Name {
		g.of, g.name, g.now = h.Base.Baseline, s.Name, engine.Scenario{}
		g.index, g.column = make(map[rowName]int, len(v.Rows)), compares(&s.Form)
		for i := range v.Rows {
			g.index[rowName{v.Rows[i].Label, v.Rows[i].Series}] = i
		}
	}
	if now := &h.Snap.Scenario; g.now.Workload != now.Workload || !maps.Equal(g.now.Values, now.Values) {
		g.now, g.own = *now, !s.Listed && oneTable(s.Name, &g.of.Scenario, now)
	}
}

// baseView is a baseline's view of a study that has the same columns.
func baseView(s *engine.StudyView, b *engine.Baseline) *engine.StudyView {
	for i := range b.Studies {
		v := &b.Studies[i]
		if v.Name == s.Name && slices.EqualFunc(v.Columns, s.Columns, func(a, b engine.Column) bool { return a.Name == b.Name && a.Unit == b.Unit }) {
			return v
		}
	}
	return nil
}

// compares is the column that a table's ratios are of: the first time or rate that has
// run, else the first number.
func compares(f *engine.Form) int {
	first := -1
	for i := range f.Columns {
		switch c := &f.Columns[i]; {
		case c.Title == "" || c.Kind != "":
		case c.Unit == "s" || c.Unit == "B/s":
			return i
		case first < 0:
			first = i
		}
	}
	return first
}

// oneTable says that runs of two scenarios stand in one table of a study.
func oneTable(name string, a, b *engine.Scenario) bool {
	if a.Workload != b.Workload {
		return false
	}
	w, err := workload.Find(a.Workload)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(w.Studies, func(st *engine.Study) bool { return st.Name == name })
	return i >= 0 && w.Studies[i].Rest(a) == w.Studies[i].Rest(b)
}

// row is the baseline's row that a row is held against; nil: there is none.
func (g *ghost) row(s *engine.StudyView, n int) *engine.Row {
	if g.view == nil {
		return nil
	}
	if g.own {
		return g.view.Present()
	}
	if i, ok := g.index[rowName{s.Rows[n].Label, s.Rows[n].Series}]; ok {
		return &g.view.Rows[i]
	}
	return nil
}

// cell is a number of that row; NaN: there is none.
func (g *ghost) cell(s *engine.StudyView, n, column int) float64 {
	r := g.row(s, n)
	if r == nil || column < 0 || column >= len(r.Cells) {
		return math.NaN()
	}
	return r.Cells[column]
}

// ratio is a row's number of a column over that of its row; NaN: there is none, or the
// host could not keep the times of one.
func (g *ghost) ratio(s *engine.StudyView, n, column int) float64 {
	r := g.row(s, n)
	if r == nil || g.late || r.Flag == engine.Late || s.Rows[n].Flag == engine.Late {
		return math.NaN()
	}
	return engine.Quotient(s.Cell(n, column), g.cell(s, n, column))
}

// The columns of the table's ratio, and what the marks of two kinds take beside it.
const (
	ratioWide = 9
	marksWide = 4
)

// beside gives for each column of a table the columns that its ratio takes behind it, 0:
// none, where the table has so many columns of the screen. The one that compares comes
// first, the others as far as there is room behind all numbers.
func (g *ghost) beside(dst []int, s *engine.StudyView, labels, room int) []int {
	dst = dst[:0]
	wide, numbers := g.wide(s), 3+labels
	for i := range s.Columns {
		dst = append(dst, 0)
		if c := &s.Columns[i]; c.Title != "" {
			if numbers += c.Wide; i == g.column && numbers+wide <= room {
				dst[i] = wide
			}
		}
	}
	if wide == 0 {
		return dst
	}
	if g.column >= 0 && dst[g.column] > 0 {
		numbers += wide
	}
	for i := range s.Columns {
		if dst[i] == 0 && measured(&s.Form, i) && numbers+wide <= room {
			dst[i], numbers = wide, numbers+wide
		}
	}
	return dst
}

// measured says that a column of a table has results of runs: it is no model's, and
// nothing that charts stand over.
func measured(f *engine.Form, column int) bool {
	c := &f.Columns[column]
	return c.Title != "" && c.Kind == "" &&
		!slices.ContainsFunc(f.Charts, func(of engine.Chart) bool {
			return of.X == column && of.Shape != engine.Bars && of.Shape != engine.Stack
		})
}

// wide is the columns of a ratio in the table; 0: there is none.
func (g *ghost) wide(s *engine.StudyView) int {
	switch now := s.Present(); {
	case g.view == nil || g.column < 0:
		return 0
	case now != nil && now.Kind != "" && now.Kind != g.of.Kind:
		return ratioWide + marksWide
	}
	return ratioWide
}

// append writes the ratio of a row's number, and the marks of both kinds where they differ.
func (g *ghost) append(dst []byte, s *engine.StudyView, n, column int, th *grid.Theme) []byte {
	q := g.ratio(s, n, column)
	dst = engine.AppendFactor(dst, q)
	if now, base := &s.Rows[n], g.row(s, n); !math.IsNaN(q) && now.Kind != base.Kind && now.Kind != "" && base.Kind != "" {
		dst = append(dst, ' ')
		dst = append(dst, string(th.Kind(pane.KindOf(now.Kind)).Mark)...)
		dst = append(dst, '/')
		dst = append(dst, string(th.Kind(pane.KindOf(base.Kind)).Mark)...)
	}
	return dst
}

// The marks of the baseline: its points and its curves in a chart, and across bars.
const (
	atBase     = '+'
	curveBase  = '╌'
	acrossBars = '╎'
)

// explainGhost adds the baseline to a legend, by the mark that a chart has for it.
func (c *chart) explainGhost(mark rune, th *grid.Theme) {
	g := c.ghost
	if g.view == nil || g.own && g.view.Present() == nil {
		return
	}
	words := "baseline, row by row: "
	if g.own {
		words = "baseline: "
	}
	c.legend = append(c.legend, item{mark, words + g.told, "baseline", th.Dim})
}

// ghostPoint marks the baseline's run in the table that it shares with the present one.
func (c *chart) ghostPoint(of *engine.Chart, th *grid.Theme) {
	g := c.ghost
	if g.view == nil || !g.own {
		return
	}
	for _, y := range of.Y {
		if x := g.view.Cell(g.view.Now, y); known(x) && g.view.Columns[y].Kind == "" {
			c.mark(atBase, th.Text.With(grid.Bold), g.view.Cell(g.view.Now, of.X), x)
		}
	}
}

// ghostCurves draws the curves of the baseline's table, where that is another one.
func (c *chart) ghostCurves(of *engine.Chart, th *grid.Theme) {
	g := c.ghost
	if g.view == nil || g.own {
		return
	}
	joined := len(of.Same) == 0
	var series []string
	for i := range g.view.Rows {
		if s := g.view.Rows[i].Series; !slices.Contains(series, s) {
			series = append(series, s)
		}
	}
	if !of.Join { // all rows are one curve a column
		series = series[:min(len(series), 1)]
	}
	for k, name := range series {
		for _, y := range of.Y {
			if g.view.Columns[y].Kind != "" {
				continue
			}
			p := c.storage()
			for i := range g.view.Rows {
				if r := &g.view.Rows[i]; (!of.Join || r.Series == name) && r.Flag != engine.Passing {
					p.add(g.view.Cell(i, of.X), g.view.Cell(i, y))
				}
			}
			s := grid.Series{X: p.x, Y: p.y, Shape: grid.Dashed, Style: th.Dim}
			if at := slices.Index(c.series, name); of.Join && at >= 0 {
				s.Style = th.SeriesStyle(at).With(grid.Faint)
			} else if of.Join && len(series) > 1 {
				s.Style = th.SeriesStyle(k).With(grid.Faint)
			}
			if !joined {
				s.Shape, s.Glyph = grid.Points, atBase
			}
			c.line.Series = append(c.line.Series, s)
		}
	}
}
