package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// ghost is the baseline table that a table is compared with.
type ghost struct {
	table         *engine.Table // nil: no such table
	layer         int           // layer of the baseline table; 0: all
	rows, columns []int         // indices in the baseline table by indices in the present one; −1: missing
	each          float64       // value of one count, per iteration
}

// look finds the baseline table.
func (g *ghost) look(t *engine.Table, layer int, h *pane.Host) {
	if g.table = nil; h.Base == nil {
		return
	}
	b := h.Base.Table(t)
	if b == nil {
		return
	}
	if g.layer = layer; layer > 0 {
		if g.layer = 1 + slices.Index(b.Layers, t.Layers[layer-1]); g.layer == 0 {
			return
		}
	}
	g.table, g.each = b, b.Each/float64(max(h.Base.Iterations, 1))
	g.rows, g.columns = places(g.rows[:0], t.Rows, b.Rows), places(g.columns[:0], t.Columns, b.Columns)
}

// places appends the indices of names in another list, −1 if missing.
func places(dst []int, names, among []string) []int {
	for _, name := range names {
		dst = append(dst, slices.Index(among, name))
	}
	return dst
}

// at returns the baseline value of a cell, or NaN if there is none.
func (g *ghost) at(row, column int) float64 {
	if g.table == nil || g.rows[row] < 0 || g.columns[column] < 0 {
		return math.NaN()
	}
	n := g.table.At(g.rows[row], g.columns[column])
	if g.layer > 0 {
		n = g.table.In(g.layer-1, g.rows[row], g.columns[column])
	}
	return float64(n) * g.each
}

// total returns the baseline's sum over a row, and its parts appended to parts.
func (g *ghost) total(row, columns int, parts []float64) (sum float64, all []float64) {
	for c := range columns {
		x := g.at(row, c)
		if !math.IsNaN(x) {
			sum += x
		}
		parts = append(parts, x)
	}
	return sum, parts
}

// factor formats a ratio in a few columns.
func factor(q float64) string { return string(engine.AppendFactor(nil, q)) }

// explain writes the legend of the baseline and returns the number of rows that it used.
func explain(v grid.View, y int, h *pane.Host, late bool) int {
	if h.Base == nil || y >= v.H() {
		return 0
	}
	text := "╎ baseline, × ratio to it: " + h.Base.Told
	if late {
		text = "╎ baseline: " + h.Base.Told + "; no ratios: inaccurate timings"
	}
	v.TextIn(0, y, v.W(), text, grid.Left, h.Theme.Dim)
	return 1
}

// timed reports whether numbers with this unit depend on timings, which can be inaccurate.
func timed(unit string) bool { return strings.Contains(unit, "s") }
