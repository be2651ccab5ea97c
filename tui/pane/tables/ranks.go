package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// drawRanks draws one bar per rank if there is room, otherwise a map of the nodes' ranks. The
// slowest or largest rank is marked.
func (p *Pane) drawRanks(v grid.View, r *engine.Ranked, h *pane.Host) {
	worst := -1
	for rank, x := range r.Values {
		if !math.IsNaN(x) && (worst < 0 || x > r.Values[worst]) {
			worst = rank
		}
	}
	if worst < 0 {
		h.WriteMessage(v, "No values yet.")
		return
	}
	l, unit := &h.Snap.Layout, h.Units.Of(r.Unit)
	text := fmt.Sprintf("▲ largest: rank %d of node %d, %s", worst, l.NodeOf(worst), unit.String(r.Values[worst]))
	if r.Value > 0 {
		text += fmt.Sprintf(", %.3g× the mean (%s)", r.Values[worst]/r.Value, unit.String(r.Value))
	}
	rest := v
	if v.H() > 2 {
		v.TextIn(0, 0, v.W(), text, grid.Left, h.Theme.Warning)
		rest = v.Sub(grid.Rect{Y: 1, W: v.W(), H: v.H() - 1})
	}
	var base *engine.Ranked
	if h.Base != nil {
		base = h.Base.ByRank(r)
	}
	if base != nil && len(r.Values) < rest.H() {
		explainBaseline(v, 1, h, h.Base.Inaccurate && isTimed(r.Unit))
		rest = rest.Sub(grid.Rect{Y: 1, W: rest.W(), H: rest.H() - 1})
	}
	if len(r.Values) <= rest.H() {
		b := &p.bars
		b.Items, b.Axis = b.Items[:0], grid.Axis{Unit: unit, FromZero: true}
		for rank, x := range r.Values {
			it := grid.Bar{Label: "rank " + strconv.Itoa(rank), Value: x, Symbol: ' '}
			if rank == worst {
				it.Symbol, it.Style = '▲', h.Theme.Warning
			}
			if base != nil {
				it.Baseline, it.Note = base.Values[rank], factor(h.Base.OverIn(r.Unit, x, base.Values[rank]))
			}
			b.Items = append(b.Items, it)
		}
		b.Draw(rest, h.Theme)
		return
	}
	m := &p.heat
	m.Cols = max(l.RanksPerNode, 1)
	m.Digits = true
	m.Bar = rest.H() > 6
	m.Wide = 4
	m.Axis = grid.Axis{Unit: unit}
	m.RowLabels = m.RowLabels[:0]
	m.ColLabels = m.ColLabels[:0]
	m.Ratios = nil
	m.Against = h.RatioLegend()
	m.Values = make([]float64, max(l.Nodes, 1)*m.Cols)
	for i := range m.Values {
		m.Values[i] = math.NaN()
	}
	if base != nil && !h.Absolute {
		m.Ratios = slices.Clone(m.Values)
	}
	next := make([]int, max(l.Nodes, 1))
	row, col := 0, 0
	for rank, x := range r.Values {
		node := l.NodeOf(rank)
		if node >= len(next) || next[node] >= m.Cols {
			continue
		}
		if rank == worst {
			row, col = node, next[node]
		}
		m.Values[node*m.Cols+next[node]] = x
		if m.Ratios != nil {
			m.Ratios[node*m.Cols+next[node]] = h.Base.OverIn(r.Unit, x, base.Values[rank])
		}
		next[node]++
	}
	for node := range next {
		m.RowLabels = append(m.RowLabels, "node "+strconv.Itoa(node))
	}
	m.Draw(rest, h.Theme)
	if x, y, wide, ok := m.Locate(row, col); ok {
		c := rest.At(x, y)
		rest.Rune(x+min(wide-1, 1), y, '▲', grid.Style{Fg: h.Theme.Warning.Fg, Bg: c.Bg, Attr: grid.Bold})
	}
}
