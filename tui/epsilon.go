package tui

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// epsilon draws what is gained by computing during communication (paper 2, section
// 7.2): over the share of communication, as figure 5 does, and over the local planes
// of a sparse product, as figures 6 and 7 do.
//
//	ε over f_comm, m 1 of n 8             ε over local planes n_k
//	1.8┤   0╭╮                            1.8┤ ⢀⡠⠤⣀
//	1.4┤ 0.2△ ╰─╮  ◆                      1.4┤⠔⠁ ◆ ⠑⢄
//	1.0┤┄▽┄┄┄┄┄┄┄╰──┄┄┄┄┄┄ ε = 1          1.0┤┄┄┄┄┄┄┄┄×⠒⠤
//	◆ ε 1.46 simulated  ◇ 1.52 modelled  f_comm 43%  f_non 20%
//	communication rules: a second communicating thread would help
type epsilon struct {
	model  epsilonModel
	comm   grid.LineChart
	planes grid.LineChart
	marks  []curve // storage of the points, by their place in a chart
	legend []grid.LegendItem
	alone  bool // no other pane tells the words
}

// The least that a chart of this pane needs with its axes, and the columns and rows
// from which there are two, and words below.
const (
	epsilonChartW = 37
	epsilonChartH = 11
	epsilonWordsH = 15
)

// Marks of the model's own points: its best ε, where ε is 1, and its ε at the
// present place.
const (
	bestMark  = '△'
	equalMark = '▽'
	modelMark = '◇'
)

func (e *epsilon) draw(v grid.View, a *app) {
	s := a.Snap
	r := models.Reserved{M: s.Scenario.Reserved(), N: s.Layout.ThreadsPerRank}
	switch {
	case s.Layout.Nodes == 0:
		a.Empty(v)
		return
	case s.Overlap != nil:
		r.M = s.Overlap.Now.Reserved
	case !reportsEpsilon(s.Scenario.Workload):
		a.Tell(v, whereEpsilonIs(a, s.Scenario.Workload)...)
		return
	case math.IsNaN(r.M): // until the load is known
		r.M = 1
	}
	if r.N < 2 {
		a.Tell(v, "ε compares schemes for the threads of a rank, and there is 1.", "Turn threads/rank up: "+a.Typed("threads-per-rank 8"))
		return
	}
	if r.Check() != nil {
		a.Tell(v, fmt.Sprintf("%.3g of %d threads are reserved: none is left to compute.", r.M, r.N), "Reserve fewer: "+a.Typed("reserved 1"))
		return
	}
	e.model.update(r, s.Overlap)
	charts, words := v.Local(), grid.Rect{}
	switch {
	case v.H() >= epsilonWordsH && e.alone:
		n := 1 + e.words(grid.View{}, a, v.W())
		words, charts = charts.CutBottom(min(n, v.H()-epsilonChartH+3))
	case v.H() >= 7:
		words, charts = charts.CutBottom(1)
	}
	_, has := s.Scenario.Values["local-k"]
	switch {
	case has && charts.W >= 2*epsilonChartW+2:
		left, right := charts.CutLeft((charts.W - 2) / 2)
		_, right = right.CutLeft(2)
		e.overComm(v.Sub(left), a, r)
		e.overPlanes(v.Sub(right), a, r)
	case has && charts.H >= 2*epsilonChartH:
		top, low := charts.CutTop((charts.H + 1) / 2)
		e.overComm(v.Sub(top), a, r)
		e.overPlanes(v.Sub(low), a, r)
	default:
		e.overComm(v.Sub(charts), a, r)
	}
	if words.H > 0 {
		e.reading(v.Sub(words), a)
		_, words = words.CutTop(1)
		e.words(v.Sub(words), a, words.W)
	}
}

// epsilonMetric is the metric that a workload declares which compares schemes.
const epsilonMetric = "epsilon"

// comparesSchemes says that a workload reports ε.
func comparesSchemes(w *workload.Workload) bool {
	is := func(m engine.MetricSpec) bool { return m.Name == epsilonMetric }
	return slices.ContainsFunc(w.Metrics, is) || slices.ContainsFunc(w.Derived, is)
}

// reportsEpsilon says that the workload of a name reports ε.
func reportsEpsilon(name string) bool {
	return slices.ContainsFunc(workload.All(), func(w *workload.Workload) bool { return w.Name == name && comparesSchemes(w) })
}

// whereEpsilonIs says which workload to choose, and how.
func whereEpsilonIs(a *app, present string) []string {
	lines := []string{"ε compares threading schemes; " + present + " runs in one."}
	i := slices.IndexFunc(workload.All(), comparesSchemes)
	if i < 0 {
		return append(lines, "No workload of this build compares them; the model alone: hybridtop model epsilon")
	}
	name := workload.All()[i].Name
	return append(lines, "Run "+name+": type "+a.Typed("workload "+name)+", or press "+a.Keys("workload")+" until it runs.")
}

// head writes a chart's title and, if there is room, its legend, and gives the view
// that is left.
func (e *epsilon) head(v grid.View, th *grid.Theme, title string) grid.View {
	if v.H() < 6 {
		return v
	}
	v.TextIn(0, 0, v.W(), title, grid.Left, th.Title)
	rows := 1 + min((v.H()-6)/3, 2) // in all charts alike, so that they compare
	e.writeLegend(v.Sub(grid.Rect{Y: 1, W: v.W(), H: rows - 1}), th)
	return v.Sub(grid.Rect{Y: rows, W: v.W(), H: v.H() - rows})
}

// writeLegend writes the legend on as many rows as there are.
func (e *epsilon) writeLegend(v grid.View, th *grid.Theme) {
	x, y := 0, 0
	for i := range e.legend {
		it := &e.legend[i]
		n := grid.Width(it.Name) + 2
		if x > 0 && x+n > v.W() {
			x, y = 0, y+1
		}
		if n > v.W() {
			continue
		}
		v.Rune(x, y, it.Mark, it.Style)
		v.Text(x+2, y, it.Name, th.Text)
		x += n + 2
	}
}

// overComm is figure 5: the model over f_comm at several f_comp,non, its bounds, and
// the points.
func (e *epsilon) overComm(v grid.View, a *app, r models.Reserved) {
	th, o, l := a.Theme, a.Snap.Overlap, &e.model.limits
	modelled := th.Kind(grid.Modelled)
	c := &e.comm
	c.X = grid.Axis{Unit: grid.Share, Fixed: true, Max: 1}
	c.Y = grid.Axis{Unit: pane.Integer, Fixed: true, Min: e.model.low, Max: e.model.high}
	c.Markers = a.Markers
	c.Series, c.VLines, e.legend, e.marks = c.Series[:0], c.VLines[:0], e.legend[:0], e.marks[:0]
	for i := range e.model.family {
		f := &e.model.family[i]
		c.Series = append(c.Series, grid.Series{Name: familyShares[i].text, X: f.x, Y: f.y, Shape: grid.Dashed, Style: th.Dim})
	}
	e.legend = append(e.legend, grid.LegendItem{Mark: '╌', Name: "modelled, by f_non", Style: th.Dim})
	one, upper, lower := "ε = 1", "", ""
	if v.H() >= 10 {
		upper, lower = fmt.Sprintf("1 + m(1 − 1/n) = %.3g", l.Upper), fmt.Sprintf("1 − m/n = %.3g", l.Lower)
	}
	if v.W() >= 45 {
		one = "ε = 1: overlap pays above"
	}
	c.HLines = append(c.HLines[:0],
		grid.HLine{Y: l.Upper, Label: upper, Style: th.Dim}, grid.HLine{Y: l.Lower, Label: lower, Style: th.Dim}, grid.HLine{Y: 1, Label: one})
	if o != nil {
		c.Series = append(c.Series, grid.Series{X: e.model.here.x, Y: e.model.here.y, Style: modelled.Style.With(grid.Bold), Glyph: '╌'})
		c.VLines = append(c.VLines, grid.VLine{X: o.Now.Comm, Style: th.Focus})
		e.legend = append(e.legend[:0],
			grid.LegendItem{Mark: bestMark, Name: fmt.Sprintf("ε_max %.2f at %.0f%%", l.Max, 100*l.CommBest), Style: modelled.Style},
			grid.LegendItem{Mark: equalMark, Name: fmt.Sprintf("ε = 1 at %.0f%%", 100*l.CommEquiv), Style: modelled.Style},
			grid.LegendItem{Mark: '╌', Name: "modelled, by f_non", Style: th.Dim})
		e.kinds(a)
		e.mark(c, bestMark, modelled.Style.With(grid.Bold), l.CommBest, l.Max)
		e.mark(c, equalMark, modelled.Style.With(grid.Bold), l.CommEquiv, 1)
		e.points(c, a, func(p *engine.EpsilonPoint) (float64, bool) { return p.Comm, p.Planes == o.Now.Planes })
		e.mark(c, modelMark, modelled.Style.With(grid.Bold), o.Now.Comm, o.Now.Model)
		e.now(c, a, o.Now.Comm)
	}
	scheme := fmt.Sprintf("m %.3g of n %d", r.M, r.N)
	if level := a.Snap.Scenario.Values["threading"]; level != "" {
		scheme = level + ", " + scheme
	}
	v = e.head(v, th, "ε over f_comm, "+scheme)
	c.Draw(v, th)
	if v.H() < 8 {
		return
	}
	// The curves' shares stand above their tops.
	for i := range e.model.family {
		if top, err := models.LimitsOf(r, familyShares[i].share); err == nil {
			if col, row, ok := c.Place(top.CommBest, top.Max); ok && row > 0 {
				v.Text(col-1, row-1, familyShares[i].text, th.Text)
			}
		}
	}
}

// caption says what ε is and of which kind, as fully as the columns allow.
func (e *epsilon) caption(a *app, cols int) string {
	if cols >= 60 && a.Snap.Kind != "" {
		return "ε = T_masteronly / T_scheme, " + a.KindWords()
	}
	return a.KindWords()
}

// overPlanes is figures 6 and 7: the model over the local planes with the costs that
// the run has told, and with those of the paper; what the paper publishes; and the
// points.
func (e *epsilon) overPlanes(v grid.View, a *app, r models.Reserved) {
	th, o := a.Theme, a.Snap.Overlap
	modelled, published := th.Kind(grid.Modelled), th.Kind(grid.Published)
	c := &e.planes
	c.X = grid.Axis{Scale: grid.Log2, Unit: pane.Integer, Fixed: true, Min: 1, Max: float64(e.model.most)}
	c.Y = e.comm.Y
	c.Markers = a.Markers
	c.Series, c.VLines, e.legend = c.Series[:0], c.VLines[:0], e.legend[:0]
	c.HLines = append(c.HLines[:0], grid.HLine{Y: 1})
	c.Series = append(c.Series, grid.Series{X: e.model.fitted.x, Y: e.model.fitted.y, Shape: grid.Dashed, Style: th.Dim})
	if o != nil {
		c.Series = append(c.Series, grid.Series{X: e.model.own.x, Y: e.model.own.y, Style: modelled.Style.With(grid.Bold), Glyph: '╌'})
		if o.Now.Planes > 0 {
			c.VLines = append(c.VLines, grid.VLine{X: float64(o.Now.Planes), Style: th.Focus})
		}
		e.points(c, a, func(p *engine.EpsilonPoint) (float64, bool) { return float64(p.Planes), true })
	}
	if !math.IsNaN(e.model.cross) {
		e.mark(c, equalMark, modelled.Style.With(grid.Bold), e.model.cross, 1)
		e.legend = append(e.legend, grid.LegendItem{Mark: equalMark, Name: fmt.Sprintf("ε = 1 at n_k %.3g", e.model.cross), Style: modelled.Style})
	}
	if r.M == 1 && r.N == 8 { // figure 6
		e.mark(c, published.Mark, published.Style.With(grid.Bold), models.PaperCrossover, 1)
		// Its place is the top of the model, where both terms of (14) are equal.
		e.mark(c, published.Mark, published.Style.With(grid.Bold), models.PaperCommFitted*7/8, models.PaperGain)
		e.legend = append(e.legend, grid.LegendItem{Mark: published.Mark, Name: fmt.Sprintf("published: ε %.3g at most, 1 at %d", models.PaperGain, models.PaperCrossover), Style: published.Style})
	}
	if r.M == 1 && r.N == 16 { // figure 7
		e.legend = append(e.legend, grid.LegendItem{Mark: published.Mark, Name: "published: never under about 1", Style: published.Style})
	}
	e.legend = append(e.legend, grid.LegendItem{Mark: '╌', Name: fmt.Sprintf("modelled, x_comm/x_overlap %.3g", models.PaperCommFitted), Style: th.Dim})
	if o != nil {
		e.now(c, a, float64(o.Now.Planes))
	}
	c.Draw(e.head(v, th, "ε over n_k, planes of a rank"), th)
}

// mark adds a single point to a chart.
func (e *epsilon) mark(c *grid.LineChart, glyph rune, st grid.Style, x, y float64) {
	m := e.storage()
	m.add(x, y)
	c.Series = append(c.Series, grid.Series{X: m.x, Y: m.y, Shape: grid.Points, Style: st, Glyph: glyph})
}

// storage gives an empty curve that was used in a frame before, if there is one.
func (e *epsilon) storage() *curve {
	if len(e.marks) < cap(e.marks) {
		e.marks = e.marks[:len(e.marks)+1]
	} else {
		e.marks = append(e.marks, curve{})
	}
	m := &e.marks[len(e.marks)-1]
	m.clear()
	return m
}

// kinds explains the marks of the points of other runs, where their kind is another.
func (e *epsilon) kinds(a *app) {
	o := a.Snap.Overlap
	for _, kind := range engine.Kinds {
		if kind != o.Now.Kind && slices.ContainsFunc(o.Points, func(p engine.EpsilonPoint) bool { return p.Kind == kind }) {
			look := a.Theme.Kind(pane.KindOf(kind))
			e.legend = append(e.legend, grid.LegendItem{Mark: look.Mark, Name: string(kind), Style: look.Style})
		}
	}
}

// points adds the points of all runs, by kind: those of the present m brightly if at
// says that they belong to the present curve, and all others dimly.
func (e *epsilon) points(c *grid.LineChart, a *app, at func(*engine.EpsilonPoint) (x float64, here bool)) {
	o := a.Snap.Overlap
	for _, same := range []bool{false, true} {
		for _, kind := range engine.Kinds {
			look := a.Theme.Kind(pane.KindOf(kind))
			m := e.storage()
			for i := range o.Points {
				p := &o.Points[i]
				x, here := at(p)
				if here = here && p.Reserved == o.Now.Reserved; p.Kind == kind && here == same {
					m.add(x, p.Epsilon)
				}
			}
			if len(m.x) == 0 {
				continue
			}
			st := a.Theme.Dim
			if same {
				st = look.Style
			}
			c.Series = append(c.Series, grid.Series{X: m.x, Y: m.y, Shape: grid.Points, Style: st, Glyph: look.Mark})
		}
	}
}

// now adds the present point over all others.
func (e *epsilon) now(c *grid.LineChart, a *app, x float64) {
	p := &a.Snap.Overlap.Now
	if !math.IsNaN(p.Epsilon) {
		e.mark(c, a.Theme.Kind(pane.KindOf(p.Kind)).Mark, a.Theme.Focus, x, p.Epsilon)
	}
}

// reading is the row of numbers: ε as it was found out beside the model's, where that
// is, and what the product's communication costs beside the paper's.
func (e *epsilon) reading(v grid.View, a *app) {
	o, th := a.Snap.Overlap, a.Theme
	modelled, published := th.Kind(grid.Modelled), th.Kind(grid.Published)
	if o == nil {
		text := "no point yet: ε stands here when an iteration has ended"
		if a.Snap.Phase == engine.Failed {
			text = "no point: the run failed"
		}
		v.TextIn(0, 0, v.W(), text, grid.Left, th.Dim)
		return
	}
	p := &o.Now
	own := th.Kind(pane.KindOf(p.Kind))
	e.legend = e.legend[:0]
	if math.IsNaN(p.Epsilon) {
		e.legend = append(e.legend, grid.LegendItem{Mark: '–', Name: "no ε of " + p.Threading, Style: th.Dim})
	} else {
		e.legend = append(e.legend, grid.LegendItem{Mark: own.Mark, Name: fmt.Sprintf("ε %.2f %s", p.Epsilon, p.Kind), Style: th.Focus})
	}
	e.legend = append(e.legend,
		grid.LegendItem{Mark: modelMark, Name: fmt.Sprintf("%.2f modelled", p.Model), Style: modelled.Style},
		grid.LegendItem{Mark: own.Mark, Name: fmt.Sprintf("f_comm %.1f%%, f_non %.1f%%", 100*p.Comm, 100*p.NonOverlap), Style: own.Style})
	if e.model.of.comm >= 0 {
		e.legend = append(e.legend,
			grid.LegendItem{Mark: own.Mark, Name: fmt.Sprintf("x_comm/x_overlap %.3g", p.CommCost), Style: own.Style},
			grid.LegendItem{Mark: published.Mark, Name: fmt.Sprintf("SR8000-F1: %.3g, %.3g", models.PaperCommFitted, models.PaperCommProfiled), Style: published.Style})
	}
	grid.DrawLegendRow(v, 0, 0, th, e.legend)
}

// words writes which term rules and what turning a knob has done, and gives the rows
// that this takes on cols columns.
func (e *epsilon) words(v grid.View, a *app, cols int) int {
	if v.W() == 0 {
		v = v.Sub(grid.Rect{W: cols})
	}
	f := grid.Flow{V: v}
	if a.Snap.Overlap != nil && a.Snap.Why != "" {
		f.Text(a.Snap.Why, a.Theme.Text)
	}
	if a.Snap.Change != "" {
		f.Text(a.Snap.Change, a.Theme.Accent)
	}
	return f.Y
}
