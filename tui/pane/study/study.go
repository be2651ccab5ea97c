package study

import (
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the registry entry for the first study of the workload.
var Spec = pane.Spec{
	Name: "locality", Title: "Locality", Doc: "the first study of the workload", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return find(s.Studies, isOther) != nil },
	New:     func() pane.Pane { return &Pane{shows: isOther, home: study.LocalityName} },
}

// Overlap is the registry entry for the study of ε.
var Overlap = pane.Spec{
	Name: "overlap", Title: "Overlap ε", Doc: "the gain from overlapping communication (ε)", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return find(s.Studies, isOverlap) != nil },
	New:     func() pane.Pane { return &Pane{shows: isOverlap, home: study.EpsilonName} },
}

// Convergence is the registry entry for the study of residuals and errors.
var Convergence = pane.Spec{
	Name: "convergence", Title: "Convergence", Doc: "how an iterative solution converges", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return find(s.Studies, isConvergence) != nil },
	New:     func() pane.Pane { return &Pane{shows: isConvergence, home: study.ConvergenceName} },
}

// Steps is the registry entry for the study of the distribution of step times.
var Steps = pane.Spec{
	Name: "steps", Title: "Spread of steps", Doc: "the distribution of step times", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return find(s.Studies, isSteps) != nil },
	New:     func() pane.Pane { return &Pane{shows: isSteps, home: study.StepsName} },
}

// Links is the registry entry for the study of the load on a network's links.
var Links = pane.Spec{
	Name: "links", Title: "Links", Doc: "the load of the network's links", Place: pane.Workload,
	Offered: func(s *engine.Snapshot) bool { v := find(s.Studies, isLinks); return v != nil && len(v.Rows) > 0 },
	New:     func() pane.Pane { return &Pane{shows: isLinks, home: study.LinksName} },
}

// Tries is the registry entry for the study of online tuning.
var Tries = pane.Spec{
	Name: "tries", Title: "Online tuning", Doc: "the algorithms that the run has tried, their times, and the choice",
	Place:   pane.Workload,
	Offered: func(s *engine.Snapshot) bool { return s.Tally(study.TriesName) != nil },
	New:     func() pane.Pane { return &Pane{shows: isTries, home: study.TriesName} },
}

func isTries(name string) bool { return name == study.TriesName }

func isLinks(name string) bool { return name == study.LinksName }

func isSteps(name string) bool { return name == study.StepsName }

func isOverlap(name string) bool { return name == study.EpsilonName }

func isConvergence(name string) bool { return name == study.ConvergenceName }

func isOther(name string) bool {
	return !isOverlap(name) && !isConvergence(name) && !isSteps(name) && !isLinks(name) && !isTries(name)
}

// find returns the first study that a pane shows, or nil if there is none.
func find(all []engine.StudyView, shows func(name string) bool) *engine.StudyView {
	if i := slices.IndexFunc(all, func(s engine.StudyView) bool { return shows(s.Name) }); i >= 0 {
		return &all[i]
	}
	return nil
}

// Pane draws one study.
type Pane struct {
	shows       func(name string) bool // reports whether the pane shows the study of this name
	home        string                 // name of the study that is suggested if the workload has none
	charts      []chart
	baseline    baseline // the baseline's view of the study
	text        []byte
	labels      int      // width of the table's first column
	names       []string // labels of its rows
	item        string   // heading of the labels
	ratioWidths []int    // width of the ratios after each column
	scroll      scroll
	units       grid.Units
}

// Inputs returns the snapshot, the style of curves and the forecasts.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs {
	return pane.Inputs{Snap: h.Snap, Markers: h.Markers, Forecasts: h.Forecasts}
}

// Actions returns the actions that scroll a table that does not fit.
func (p *Pane) Actions() []pane.Action {
	isLong := func(*pane.Host) bool { return p.scroll.isScrolled }
	return []pane.Action{
		{Name: "scroll-up", Do: func(*pane.Host) { p.scroll.by -= 4 }, Ready: isLong},
		{Name: "scroll-down", Do: func(*pane.Host) { p.scroll.by += 4 }, Ready: isLong},
	}
}

// Wheel scrolls by one row.
func (p *Pane) Wheel(_ *pane.Host, _, _, by int) bool {
	p.scroll.by -= by
	return p.scroll.isScrolled
}

// minChartW and minChartH are the minimum size of a chart with its axes. minWordsH is the minimum
// height for text below. A pane of at least minTableW columns and less than minTableH rows has its
// table next to the chart.
const (
	minChartW = 37
	minChartH = 11
	minWordsH = 15
	minTableW = 78
	minTableH = 18
)

// Draw divides the pane into charts, table and text.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	s := find(h.Snap.Studies, p.shows)
	switch {
	case s == nil && h.Snap.Layout.Nodes == 0:
		h.Empty(v)
		return pane.Border{Right: h.KindWords()}
	case s == nil:
		return p.writeAbsent(v, h)
	}
	p.baseline.update(s, h)
	p.scroll.isScrolled = false
	p.units = h.Units
	b := pane.Border{Title: s.Title, Right: caption(&s.Form, h, v.W()-grid.Width(s.Title))}
	if len(s.Missing) > 0 {
		h.WriteMessage(v, missingHints(s, h)...)
		return b
	}
	if len(s.Rows) == 0 && len(h.Forecast(s)) == 0 && !slices.ContainsFunc(s.Plots, func(p engine.Plot) bool { return len(p.Lines) > 0 }) {
		h.Empty(v)
		return b
	}
	rest := v.Local()
	if len(s.Facts) > 0 {
		var words grid.Rect
		switch {
		case v.H() >= minWordsH && h.Alone:
			words, rest = rest.CutBottom(min(1+p.drawWords(grid.View{}, s, h, v.W()), v.H()-minChartH+3))
		case v.H() >= 7:
			words, rest = rest.CutBottom(1)
		}
		if words.H > 0 {
			p.drawFacts(v.Sub(words), s, h)
			_, words = words.CutTop(1)
			p.drawWords(v.Sub(words), s, h, words.W)
		}
	}
	sideBySide, cols := v.W() >= minTableW && v.H() < minTableH, v.W()
	if sideBySide { // long names must not displace a chart
		cols = rest.W - 1 - chartsPerRow(rest.W-1-min(p.measure(s, 0), v.W()/2), s)*(minChartW+2) + 2
	}
	if wide := p.measure(s, cols); wide > 0 {
		var table grid.Rect
		switch {
		case sideBySide:
			table, rest = rest.CutRight(min(wide, v.W()/2))
			rest.W--
		case v.H() >= 10:
			table, rest = rest.CutBottom(min(len(s.Rows)+1, v.H()/2))
		case v.H() >= 5:
			table, rest = rest.CutBottom(1)
		}
		p.drawTable(v.Sub(table), s, h)
	}
	p.drawCharts(v, rest, s, h)
	return b
}

// chartsPerRow returns the number of charts that fit next to each other on this many columns.
func chartsPerRow(cols int, s *engine.StudyView) int {
	return min(max((cols+2)/(minChartW+2), 1), max(len(s.Charts), 1))
}

// drawCharts places the charts next to each other or one below the other, as far as there is room.
func (p *Pane) drawCharts(v grid.View, rest grid.Rect, s *engine.StudyView, h *pane.Host) {
	n := len(s.Charts)
	for len(p.charts) < n {
		p.charts = append(p.charts, chart{baseline: &p.baseline})
	}
	switch perRow := chartsPerRow(rest.W, s); {
	case n > 1 && perRow > 1:
		n = perRow
		for i := range n {
			var at grid.Rect
			at, rest = rest.CutLeft((rest.W - 2*(n-1-i)) / (n - i))
			_, rest = rest.CutLeft(2)
			p.charts[i].draw(v.Sub(at), s, i, h)
		}
	case n > 1 && rest.H >= 2*minChartH:
		top, low := rest.CutTop((rest.H + 1) / 2)
		p.charts[0].draw(v.Sub(top), s, 0, h)
		p.charts[1].draw(v.Sub(low), s, 1, h)
	case n > 0:
		p.charts[0].draw(v.Sub(rest), s, 0, h)
	}
}

// aroundTitle is the number of columns of a border that a title needs in addition to its text.
const aroundTitle = 4

// caption returns the study's caption and the kind of its numbers. If both do not fit next to the
// title, it returns only the kind.
func caption(s *engine.Form, h *pane.Host, cols int) string {
	if h.Snap.Kind == "" || s.Caption == "" {
		return h.KindWords()
	}
	if whole := s.Caption + ", " + h.KindWords(); grid.Width(whole)+aroundTitle <= cols {
		return whole
	}
	return h.KindWords()
}

// missingHints returns the hints of a study that has nothing to show.
func missingHints(s *engine.StudyView, h *pane.Host) []string {
	var all []string
	for _, hint := range s.Missing {
		text := hint.Text
		if hint.Command != "" {
			text += h.Typed(hint.Command)
		}
		all = append(all, text)
	}
	return all
}

// writeAbsent writes which workload has the study, and how to run it.
func (p *Pane) writeAbsent(v grid.View, h *pane.Host) pane.Border {
	for _, w := range workload.All() {
		for _, st := range w.Studies {
			if st.Name == p.home {
				h.WriteMessage(v, strings.ReplaceAll(st.Absent, "WORKLOAD", h.Snap.Scenario.Workload),
					"Run "+w.Name+": type "+h.Typed("workload "+w.Name)+", or press "+h.Keys("workload")+" until it runs.")
				return pane.Border{Right: h.KindWords()}
			}
		}
	}
	h.WriteMessage(v, "This build has no workload with such a study.")
	return pane.Border{Right: h.KindWords()}
}

// drawFacts draws the row of numbers of the present run.
func (p *Pane) drawFacts(v grid.View, s *engine.StudyView, h *pane.Host) {
	th := h.Theme
	items := make([]grid.LegendItem, 0, len(s.Facts))
	for i := range s.Facts {
		n := &s.Facts[i]
		it := grid.LegendItem{Symbol: glyph(n.Glyph, n.Kind, th), Name: h.Units.Text(n.Text),
			Style: th.Kind(pane.KindOf(n.Kind)).Style}
		switch {
		case n.Glyph == engine.NoGlyph:
			v.TextIn(0, 0, v.W(), h.Units.Text(n.Text), grid.Left, th.Dim)
			return
		case n.Dim:
			it.Style = th.Dim
		case n.Now:
			it.Style = th.Focus
		}
		items = append(items, it)
	}
	grid.DrawLegendRow(v, 0, 0, th, items)
}

// drawWords writes the explanation and the effect of the last change. It returns the number of rows
// for this many columns.
func (p *Pane) drawWords(v grid.View, s *engine.StudyView, h *pane.Host, cols int) int {
	if v.W() == 0 {
		v = v.Sub(grid.Rect{W: cols})
	}
	f := grid.Flow{V: v}
	if s.Present() != nil && h.Snap.Why != "" {
		f.Text(h.Units.Text(h.Snap.Why), h.Theme.Text)
	}
	if h.Snap.Change != "" {
		f.Text(h.Units.Text(h.Snap.Change), h.Theme.Accent)
	}
	return f.Y
}

// glyphs are the symbols of special points in a chart.
var glyphs = map[engine.Glyph]rune{engine.AtBest: '△', engine.AtEqual: '▽', engine.AtModel: '◇',
	engine.Dash: '–'}

func glyph(g engine.Glyph, kind engine.Kind, th *grid.Theme) rune {
	if r, ok := glyphs[g]; ok {
		return r
	}
	return th.Kind(pane.KindOf(kind)).Symbol
}

// unit returns the format of a column's numbers.
func unit(c *engine.Column, u grid.Units) grid.Unit {
	switch c.Unit {
	case "%":
		return grid.Share
	case "1", "":
		return pane.Integer
	}
	return u.Of(c.Unit)
}
