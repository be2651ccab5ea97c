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

// ghost is the baseline's view of the study that is shown.
type ghost struct {
	view   *engine.StudyView // nil: no baseline, or it does not have this study
	told   string            // description of the baseline run
	late   bool              // no ratios: timings are inaccurate
	column int               // column of the table whose ratio is always shown; −1: none
	// own reports whether the baseline run has a row in the same table. This is so if the two runs
	// differ only in the knobs that the table compares. Then every row is compared with that row.
	// Otherwise each row is compared with the baseline row of the same name.
	own bool

	of    *engine.Baseline
	name  string // name of the study
	index map[rowName]int
	now   engine.Scenario // the scenario for which own was computed
}

// rowName identifies the same row in two tables.
type rowName struct{ label, series string }

// look updates the ghost for a study and the baseline of the host.
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

// baseView returns a baseline's view of a study with the same columns, or nil.
func baseView(s *engine.StudyView, b *engine.Baseline) *engine.StudyView {
	for i := range b.Studies {
		v := &b.Studies[i]
		if v.Name == s.Name && slices.EqualFunc(v.Columns, s.Columns, func(a, b engine.Column) bool { return a.Name == b.Name && a.Unit == b.Unit }) {
			return v
		}
	}
	return nil
}

// compares returns the column for which a table shows ratios: the first time or rate that runs
// produce, otherwise the first such number, or −1.
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

// oneTable reports whether the runs of two scenarios belong to the same table of a study.
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

// row returns the baseline row that row n is compared with, or nil.
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

// cell returns a number of the baseline row for row n, or NaN if there is none.
func (g *ghost) cell(s *engine.StudyView, n, column int) float64 {
	r := g.row(s, n)
	if r == nil || column < 0 || column >= len(r.Cells) {
		return math.NaN()
	}
	return r.Cells[column]
}

// ratio returns a number of row n relative to the baseline row. It is NaN if there is no baseline
// row or if the host fell behind in one of the two runs.
func (g *ghost) ratio(s *engine.StudyView, n, column int) float64 {
	r := g.row(s, n)
	if r == nil || g.late || r.Flag == engine.Late || s.Rows[n].Flag == engine.Late {
		return math.NaN()
	}
	return engine.Quotient(s.Cell(n, column), g.cell(s, n, column))
}

// ratioWide is the width of a ratio in the table. marksWide is the width of the symbols of two
// kinds of number next to it.
const (
	ratioWide = 9
	marksWide = 4
)

// beside returns for each column of a table the width of the ratio after it, or 0 for no ratio.
// room is the width of the table on the screen. The ratio of the main column comes first, the
// others as far as there is room after all numbers.
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

// measured reports whether a column has results of runs: it is not from a cost model and not the
// horizontal axis of a chart.
func measured(f *engine.Form, column int) bool {
	c := &f.Columns[column]
	return c.Title != "" && c.Kind == "" &&
		!slices.ContainsFunc(f.Charts, func(of engine.Chart) bool {
			return of.X == column && of.Shape != engine.Bars && of.Shape != engine.Stack
		})
}

// wide returns the width of a ratio in the table, or 0 if there are no ratios.
func (g *ghost) wide(s *engine.StudyView) int {
	switch now := s.Present(); {
	case g.view == nil || g.column < 0:
		return 0
	case now != nil && now.Kind != "" && now.Kind != g.of.Kind:
		return ratioWide + marksWide
	}
	return ratioWide
}

// append appends the ratio of a number, and the symbols of both kinds of number if they differ.
func (g *ghost) append(dst []byte, s *engine.StudyView, n, column int, th *grid.Theme) []byte {
	q := g.ratio(s, n, column)
	dst = engine.AppendFactor(dst, q)
	if now, base := &s.Rows[n], g.row(s, n); !math.IsNaN(q) && now.Kind != base.Kind && now.Kind != "" && base.Kind != "" {
		dst = append(dst, ' ')
		dst = append(dst, string(th.Kind(pane.KindOf(now.Kind)).Symbol)...)
		dst = append(dst, '/')
		dst = append(dst, string(th.Kind(pane.KindOf(base.Kind)).Symbol)...)
	}
	return dst
}

// These are the symbols of the baseline: its points and its curves in a chart, and its values on
// bars.
const (
	atBase     = '+'
	curveBase  = '╌'
	acrossBars = '╎'
)

// explainGhost adds the baseline to the legend, with the symbol that the chart uses for it.
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

// ghostPoint draws the point of the baseline run if it is in the same table as the present run.
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

// ghostCurves draws the curves of the baseline table if it is another one.
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
	if !of.Join { // all rows together are one curve per column
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
