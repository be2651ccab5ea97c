package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// Spec is the entry in the registry of panes.
var Spec = pane.Spec{
	Name: "tables", Title: "Tables", Doc: "the counts and times of the workload, by table and by rank", Place: pane.Times,
	Offered: engine.Drawn,
	Now:     engine.Drawn,
	New:     func() pane.Pane { return &Pane{} },
}

// Pane is the selected page and its view settings.
type Pane struct {
	page     int
	workload string // workload of page and layer
	layer    int    // layer of the table plus 1; 0: all
	shares   bool   // bars show shares of their total
	heat     grid.Heatmap
	stack    grid.Stack
	bars     grid.Bars
	baseline baseline // the baseline table
}

// Inputs returns the snapshot.
func (p *Pane) Inputs(h *pane.Host) pane.Inputs { return pane.Inputs{Snap: h.Snap} }

// Actions returns the actions that change the page and the layer.
func (p *Pane) Actions() []pane.Action {
	isLayered := func(h *pane.Host) bool {
		t := p.table(h.Snap)
		return t != nil && len(t.Layers) > 1
	}
	isStacked := func(h *pane.Host) bool {
		t := p.table(h.Snap)
		return t != nil && t.Shape == engine.Stack
	}
	return []pane.Action{
		{Name: "next-table", Keys: []string{"T"}, Doc: "show the next table of the workload",
			Do:    func(h *pane.Host) { p.page, p.layer = p.page+1, 0 },
			Ready: func(h *pane.Host) bool { return pages(h.Snap) > 1 }},
		{Name: "row-up", Do: func(h *pane.Host) { p.changeLayer(h, -1) }, Ready: isLayered},
		{Name: "row-down", Do: func(h *pane.Host) { p.changeLayer(h, +1) }, Ready: isLayered},
		{Name: "log", Do: func(*pane.Host) { p.shares = !p.shares }, Ready: isStacked},
	}
}

// Wheel changes the layer.
func (p *Pane) Wheel(h *pane.Host, _, _, by int) bool {
	if t := p.table(h.Snap); t == nil || len(t.Layers) < 2 {
		return false
	}
	p.changeLayer(h, -by)
	return true
}

func (p *Pane) changeLayer(h *pane.Host, by int) {
	if t := p.table(h.Snap); t != nil {
		p.layer = min(max(p.layer+by, 0), len(t.Layers))
	}
}

// pages returns the number of tables and metrics by rank of a run.
func pages(s *engine.Snapshot) int {
	n := len(s.Ranked)
	for i := range s.Tallies {
		if s.Tallies[i].Shape != "" {
			n++
		}
	}
	return n
}

// at returns the page that is shown, limited to existing pages.
func (p *Pane) at(s *engine.Snapshot) int {
	n := pages(s)
	if p.workload != s.Scenario.Workload {
		p.workload = s.Scenario.Workload
		p.page = 0
		p.layer = 0
	}
	if n > 0 {
		p.page %= n
	}
	return p.page
}

// table returns the table of the page, or nil if the page shows a metric by rank or does not exist.
func (p *Pane) table(s *engine.Snapshot) *engine.Table {
	k := p.at(s)
	for i := range s.Tallies {
		if s.Tallies[i].Shape == "" {
			continue
		}
		if k == 0 {
			return &s.Tallies[i]
		}
		k--
	}
	return nil
}

// Draw draws the page.
func (p *Pane) Draw(v grid.View, h *pane.Host) pane.Border {
	s := h.Snap
	n := pages(s)
	switch {
	case n == 0 && s.Layout.Nodes == 0:
		h.Empty(v)
		return pane.Border{Right: h.KindWords()}
	case n == 0:
		h.WriteMessage(v, s.Scenario.Workload+" has no tables.",
			"Try multigrid, which counts messages by size and link: type "+h.Typed("workload multigrid")+".")
		return pane.Border{Right: h.KindWords()}
	}
	b := pane.Border{Right: h.KindWords()}
	if t := p.table(s); t != nil {
		b.Title = pane.Or(t.Title, t.Name)
		p.layer = min(p.layer, len(t.Layers))
		if p.layer > 0 {
			b.Title += ", " + t.Layer + " " + t.Layers[p.layer-1]
		}
		if t.Shape == engine.Stack {
			p.drawStack(v, t, h)
		} else {
			p.drawHeat(v, t, h)
		}
	} else {
		r := &s.Ranked[p.page-(n-len(s.Ranked))]
		w, _ := workload.Find(s.Scenario.Workload)
		title := []rune(w.Phrase(r.Name) + " by rank")
		title[0] = unicode.ToUpper(title[0])
		b.Title = string(title)
		p.drawRanks(v, r, h)
	}
	if n > 1 {
		const besides = 6 // columns for the border, the pane's digit and blanks
		for _, which := range [...]string{fmt.Sprintf(" (%d of %d, %s)", p.page+1, n, h.Keys("next-table")),
			fmt.Sprintf(" %d/%d", p.page+1, n)} {
			if grid.Width(b.Title+which)+besides <= v.W() {
				b.Title += which
				break
			}
		}
	}
	return b
}

// usedCells returns the columns that have a count in any layer, and the range of rows from the
// first to the last such row.
func usedCells(t *engine.Table) (first, end int, columns []int) {
	first = -1
	for row := range t.Rows {
		for c := range t.Columns {
			if t.At(row, c) > 0 {
				if first < 0 {
					first = row
				}
				end = row + 1
				break
			}
		}
	}
	for c := range t.Columns {
		for row := range t.Rows {
			if t.At(row, c) > 0 {
				columns = append(columns, c)
				break
			}
		}
	}
	return first, end, columns
}

// count returns a count of the layer that is shown.
func (p *Pane) count(t *engine.Table, row, column int) int64 {
	if p.layer == 0 {
		return t.At(row, column)
	}
	return t.In(p.layer-1, row, column)
}

// iterations returns the number of iterations that the counts cover.
func iterations(s *engine.Snapshot) float64 { return float64(max(s.Counted, 1)) }

// drawHeat draws a heat map with a logarithmic scale: rows down, columns across.
func (p *Pane) drawHeat(v grid.View, t *engine.Table, h *pane.Host) {
	first, end, columns := usedCells(t)
	if first < 0 {
		h.WriteMessage(v, "No counts yet.")
		return
	}
	m := &p.heat
	m.Cols = len(columns)
	m.Bar = v.H() > 8
	m.Digits = true
	m.Wide = 7
	m.Axis = grid.Axis{Scale: grid.Log10, Unit: h.Units.Of(t.Unit)}
	m.Values = m.Values[:0]
	m.Ratios = m.Ratios[:0]
	m.RowLabels = m.RowLabels[:0]
	m.ColLabels = m.ColLabels[:0]
	p.baseline.update(t, p.layer, h)
	m.Against = h.RatioLegend()
	each := t.Each / iterations(h.Snap)
	rest := v
	if v.H() > 6 {
		rest = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	m.Corner = t.Row
	fold := foldFactor(end-first, rest.H(), m.Bar)
	all := 0.0
	maxValue := 0.0
	where := ""
	for ; first < end; first += fold {
		last := min(first+fold, end) - 1
		label := grid.Range(h.Units.Text(t.Rows[first]), h.Units.Text(t.Rows[last]))
		m.RowLabels = append(m.RowLabels, strings.TrimPrefix(label, t.Row+" "))
		for _, c := range columns {
			x, base := 0., math.NaN()
			for row := first; row <= last; row++ {
				x += float64(p.count(t, row, c)) * each
				switch y := p.baseline.value(row, c); {
				case math.IsNaN(base):
					base = y
				case !math.IsNaN(y):
					base += y
				}
			}
			all += x
			if x > maxValue {
				maxValue, where = x, label+", "+t.Columns[c]
			}
			if x == 0 {
				x = math.NaN()
			}
			m.Values = append(m.Values, x)
			if p.baseline.table != nil && !h.Absolute {
				m.Ratios = append(m.Ratios, h.Base.Left(t.Unit, x, base))
			}
		}
	}
	for _, c := range columns {
		m.ColLabels = append(m.ColLabels, t.Columns[c])
		m.Wide = max(m.Wide, grid.Width(t.Columns[c])+1)
	}
	if v.H() > 6 {
		line := h.Units.Of(t.Unit).String(all) + "/iteration"
		add := func(more string) {
			if grid.Width(line+more) <= v.W() {
				line += more
			}
		}
		if maxValue > 0 && maxValue < all {
			add(fmt.Sprintf("; %.0f %% in %s", 100*maxValue/all, where))
		}
		if t.Layer != "" && p.layer == 0 && len(t.Layers) > 1 {
			add("; all " + strconv.Itoa(len(t.Layers)) + " " + t.Layer + "s")
		}
		v.TextIn(0, 0, v.W(), line, grid.Left, h.Theme.Text)
	}
	if all == 0 {
		h.WriteMessage(rest, "No counts here.")
		return
	}
	m.Draw(rest, h.Theme)
}

// foldFactor returns the number of table rows that one row of the map adds up. The map leaves room
// for the column names and the colour bar.
func foldFactor(rows, height int, bar bool) int {
	if height > 2 {
		height--
	}
	if bar && height > 2 {
		height--
	}
	return max(1, (rows+height-1)/max(height, 1))
}

// minLegendW and minLegendH are the minimum size for a legend if not all bars fit.
const (
	minLegendW = 24
	minLegendH = 6
)

// minFactorW is the minimum width at which bars show their ratio to the baseline.
const minFactorW = 48

// drawStack draws one bar per row, divided into the columns of the table. Times are means over
// ranks.
func (p *Pane) drawStack(v grid.View, t *engine.Table, h *pane.Host) {
	each, basis := t.Each/iterations(h.Snap), "per iteration"
	if t.Unit == "s" {
		each, basis = each/float64(max(h.Snap.Layout.Ranks(), 1)), "per iteration, mean rank"
	}
	k := &p.stack
	k.Rows, k.Whole = k.Rows[:0], 0
	k.Styles = slices.Repeat([]grid.Style{h.Theme.Text}, len(t.Columns)) // the fills differ
	p.baseline.update(t, p.layer, h)
	unit := h.Units.Of(t.Unit)
	columns := make([]float64, len(t.Columns))
	for row := range t.Rows {
		parts, sum := make([]float64, len(t.Columns)), 0.
		for c := range parts {
			parts[c] = float64(p.count(t, row, c)) * each
			sum += parts[c]
			columns[c] += parts[c]
		}
		it := grid.StackRow{Label: fmt.Sprintf("%-6s %7s", t.Rows[row], unit.Format(sum, 7)), Parts: parts}
		if p.baseline.table != nil {
			var base float64
			base, it.Baseline = p.baseline.total(row, len(t.Columns), nil)
			if t.Unit == "s" {
				base /= float64(max(h.Base.Layout.Ranks(), 1))
				for c := range it.Baseline {
					it.Baseline[c] /= float64(max(h.Base.Layout.Ranks(), 1))
				}
			}
			if v.W() >= minFactorW {
				it.Label += fmt.Sprintf(" %6s", factor(h.Base.OverIn(t.Unit, sum, base)))
			}
			if !p.shares {
				k.Whole = max(k.Whole, base)
			}
		}
		k.Rows = append(k.Rows, it)
		if !p.shares {
			k.Whole = max(k.Whole, sum)
		}
	}
	y, fits := 0, v.H() >= len(t.Rows)+2
	if fits || v.H() >= minLegendH && v.W() >= minLegendW {
		y = p.drawLegend(v, t, columns, h)
	}
	if fits {
		how := "longest bar = full width"
		if p.shares {
			how = "each bar = 100 %"
		}
		if y < v.H() {
			v.TextIn(0, y, v.W(), basis+"; "+how+" ("+h.Keys("log")+")", grid.Left, h.Theme.Dim)
			y++
		}
		if p.baseline.table != nil && v.H() >= len(t.Rows)+y+1 {
			y += explainBaseline(v, y, h, h.Base.Inaccurate && isTimed(t.Unit))
		}
	}
	k.Draw(v.Sub(grid.Rect{Y: y, W: v.W(), H: v.H() - y}), h.Theme)
}

// drawLegend writes the parts that have a count and returns the number of rows that it used.
func (p *Pane) drawLegend(v grid.View, t *engine.Table, sums []float64, h *pane.Host) int {
	x, y := 0, 0
	for c, name := range t.Columns {
		n := grid.Width(name) + 2
		if sums[c] == 0 {
			continue
		}
		if x > 0 && x+n > v.W() {
			x, y = 0, y+1
		}
		v.Rune(x, y, p.stack.Shade(c), p.stack.Style(h.Theme, c))
		v.TextIn(x+2, y, v.W()-x-2, name, grid.Left, h.Theme.Text)
		x += n + 2
	}
	return y + 1
}
