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

// baseline is the baseline run's view of the study that is shown.
type baseline struct {
	view        *engine.StudyView // nil: no baseline, or it does not have this study
	description string            // description of the baseline run
	inaccurate  bool              // no ratios: timings are inaccurate
	column      int               // column of the table whose ratio is always shown; −1: none
	// sameTable reports whether the baseline run has a row in the same table. This is so if the two
	// runs differ only in the knobs that the table compares. Then every row is compared with that
	// row. Otherwise each row is compared with the baseline row of the same name.
	sameTable bool

	source   *engine.Baseline
	name     string // name of the study
	index    map[rowName]int
	scenario engine.Scenario // the scenario for which sameTable was computed
}

// rowName identifies the same row in two tables.
type rowName struct{ label, series string }

// update finds the baseline run's view of a study.
func (b *baseline) update(s *engine.StudyView, h *pane.Host) {
	b.view = nil
	if h.Base == nil {
		b.source = nil
		return
	}
	v := baseView(s, h.Base.Baseline)
	if v == nil {
		return
	}
	b.view = v
	b.description = h.Base.NameAndKind
	b.inaccurate = h.Base.Inaccurate
	if b.source != h.Base.Baseline || b.name != s.Name {
		b.source = h.Base.Baseline
		b.name = s.Name
		b.scenario = engine.Scenario{}
		b.index, b.column = make(map[rowName]int, len(v.Rows)), ratioColumn(&s.Form)
		for i := range v.Rows {
			b.index[rowName{v.Rows[i].Label, v.Rows[i].Series}] = i
		}
	}
	if now := &h.Snap.Scenario; b.scenario.Workload != now.Workload || !maps.Equal(b.scenario.Values, now.Values) {
		b.scenario, b.sameTable = *now, !s.Listed && inSameTable(s.Name, &b.source.Scenario, now)
	}
}

// baseView returns a baseline's view of a study with the same columns, or nil.
func baseView(s *engine.StudyView, b *engine.Baseline) *engine.StudyView {
	for i := range b.Studies {
		v := &b.Studies[i]
		if v.Name == s.Name && slices.EqualFunc(v.Columns, s.Columns, func(a, b engine.Column) bool {
			return a.Name == b.Name && a.Unit == b.Unit
		}) {
			return v
		}
	}
	return nil
}

// ratioColumn returns the column for which a table shows ratios: the first time or rate that runs
// produce, otherwise the first such number, or −1.
func ratioColumn(f *engine.Form) int {
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

// inSameTable reports whether the runs of two scenarios belong to the same table of a study.
func inSameTable(name string, a, b *engine.Scenario) bool {
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
func (b *baseline) row(s *engine.StudyView, n int) *engine.Row {
	if b.view == nil {
		return nil
	}
	if b.sameTable {
		return b.view.Present()
	}
	if i, ok := b.index[rowName{s.Rows[n].Label, s.Rows[n].Series}]; ok {
		return &b.view.Rows[i]
	}
	return nil
}

// cell returns a number of the baseline row for row n, or NaN if there is none.
func (b *baseline) cell(s *engine.StudyView, n, column int) float64 {
	r := b.row(s, n)
	if r == nil || column < 0 || column >= len(r.Cells) {
		return math.NaN()
	}
	return r.Cells[column]
}

// ratio returns a number of row n relative to the baseline row. It is NaN if there is no baseline
// row or if the host fell behind in one of the two runs.
func (b *baseline) ratio(s *engine.StudyView, n, column int) float64 {
	r := b.row(s, n)
	if r == nil || b.inaccurate || r.Flag == engine.Late || s.Rows[n].Flag == engine.Late {
		return math.NaN()
	}
	return engine.Quotient(s.Cell(n, column), b.cell(s, n, column))
}

// ratioWide is the width of a ratio in the table. symbolsWide is the width of the symbols of two
// kinds of number next to it.
const (
	ratioWide   = 9
	symbolsWide = 4
)

// ratioWidths returns for each column of a table the width of the ratio after it, or 0 for no
// ratio. cols is the width of the table on the screen. The ratio of the main column comes first,
// the others as far as they fit after all numbers.
func (b *baseline) ratioWidths(dst []int, s *engine.StudyView, labels, cols int) []int {
	dst = dst[:0]
	wide, numbers := b.ratioWidth(s), 3+labels
	for i := range s.Columns {
		dst = append(dst, 0)
		if c := &s.Columns[i]; c.Title != "" {
			numbers += c.Wide
			if i == b.column && numbers+wide <= cols {
				dst[i] = wide
			}
		}
	}
	if wide == 0 {
		return dst
	}
	if b.column >= 0 && dst[b.column] > 0 {
		numbers += wide
	}
	for i := range s.Columns {
		if dst[i] == 0 && isMeasured(&s.Form, i) && numbers+wide <= cols {
			dst[i], numbers = wide, numbers+wide
		}
	}
	return dst
}

// isMeasured reports whether a column has results of runs: it is not from a cost model and not the
// horizontal axis of a chart.
func isMeasured(f *engine.Form, column int) bool {
	c := &f.Columns[column]
	return c.Title != "" && c.Kind == "" &&
		!slices.ContainsFunc(f.Charts, func(spec engine.Chart) bool {
			return spec.X == column && spec.Shape != engine.Bars && spec.Shape != engine.Stack
		})
}

// ratioWidth returns the width of a ratio in the table, or 0 if there are no ratios.
func (b *baseline) ratioWidth(s *engine.StudyView) int {
	switch now := s.Present(); {
	case b.view == nil || b.column < 0:
		return 0
	case now != nil && now.Kind != "" && now.Kind != b.source.Kind:
		return ratioWide + symbolsWide
	}
	return ratioWide
}

// appendRatio appends the ratio of a number, and the symbols of both kinds of number if they differ.
func (b *baseline) appendRatio(dst []byte, s *engine.StudyView, n, column int, th *grid.Theme) []byte {
	q := b.ratio(s, n, column)
	dst = engine.AppendFactor(dst, q)
	if now, base := &s.Rows[n], b.row(s, n); !math.IsNaN(q) && now.Kind != base.Kind && now.Kind != "" && base.Kind != "" {
		dst = append(dst, ' ')
		dst = append(dst, string(th.Kind(pane.KindOf(now.Kind)).Symbol)...)
		dst = append(dst, '/')
		dst = append(dst, string(th.Kind(pane.KindOf(base.Kind)).Symbol)...)
	}
	return dst
}

// These are the symbols of the baseline: its points in a chart, and its values on bars.
const (
	atBase     = '+'
	acrossBars = '╎'
)

// explainBaseline adds the baseline to the legend, with the symbol that the chart uses for it.
func (c *chart) explainBaseline(symbol rune, th *grid.Theme) {
	b := c.baseline
	if b.view == nil || b.sameTable && b.view.Present() == nil {
		return
	}
	words := "baseline, row by row: "
	if b.sameTable {
		words = "baseline: "
	}
	c.legend = append(c.legend, item{symbol: symbol, name: words + b.description, short: "baseline", style: th.Dim})
}

// addBaselinePoint draws the point of the baseline run if it is in the same table as the present
// run.
func (c *chart) addBaselinePoint(spec *engine.Chart, th *grid.Theme) {
	b := c.baseline
	if b.view == nil || !b.sameTable {
		return
	}
	for _, y := range spec.Y {
		if x := b.view.Cell(b.view.Now, y); isNumber(x) && b.view.Columns[y].Kind == "" {
			c.addMarker(atBase, th.Text.With(grid.Bold), b.view.Cell(b.view.Now, spec.X), x)
		}
	}
}

// addBaselineCurves draws the curves of the baseline table if it is another one.
func (c *chart) addBaselineCurves(spec *engine.Chart, th *grid.Theme) {
	b := c.baseline
	if b.view == nil || b.sameTable {
		return
	}
	joined := len(spec.Same) == 0
	var series []string
	for i := range b.view.Rows {
		if s := b.view.Rows[i].Series; !slices.Contains(series, s) {
			series = append(series, s)
		}
	}
	if !spec.Join { // all rows together are one curve per column
		series = series[:min(len(series), 1)]
	}
	for k, name := range series {
		for _, y := range spec.Y {
			if b.view.Columns[y].Kind != "" {
				continue
			}
			p := c.storage()
			for i := range b.view.Rows {
				if r := &b.view.Rows[i]; (!spec.Join || r.Series == name) && r.Flag != engine.Passing {
					p.add(b.view.Cell(i, spec.X), b.view.Cell(i, y))
				}
			}
			s := grid.Series{X: p.x, Y: p.y, Shape: grid.Dashed, Style: th.Dim}
			if at := slices.Index(c.series, name); spec.Join && at >= 0 {
				s.Style = th.SeriesStyle(at).With(grid.Faint)
			} else if spec.Join && len(series) > 1 {
				s.Style = th.SeriesStyle(k).With(grid.Faint)
			}
			if !joined {
				s.Shape, s.Glyph = grid.Points, atBase
			}
			c.line.Series = append(c.line.Series, s)
		}
	}
}
