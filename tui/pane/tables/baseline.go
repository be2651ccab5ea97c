package tables

import (
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// baseline is the baseline table that a table is compared with.
type baseline struct {
	table         *engine.Table // nil: no such table
	layer         int           // layer of the baseline table; 0: all
	rows, columns []int         // indices in the baseline table by indices in the present one; −1: missing
	perCount      float64       // value of one count, per iteration
}

// update finds the baseline table.
func (b *baseline) update(t *engine.Table, layer int, h *pane.Host) {
	b.table = nil
	if h.Base == nil {
		return
	}
	base := h.Base.Table(t)
	if base == nil {
		return
	}
	b.layer = layer
	if layer > 0 {
		b.layer = 1 + slices.Index(base.Layers, t.Layers[layer-1])
		if b.layer == 0 {
			return
		}
	}
	b.table, b.perCount = base, base.Each/float64(max(h.Base.Iterations, 1))
	b.rows, b.columns = indices(b.rows[:0], t.Rows, base.Rows), indices(b.columns[:0], t.Columns, base.Columns)
}

// indices appends the indices of names in another list, −1 if missing.
func indices(dst []int, names, among []string) []int {
	for _, name := range names {
		dst = append(dst, slices.Index(among, name))
	}
	return dst
}

// value returns the baseline value of a cell, or NaN if there is none.
func (b *baseline) value(row, column int) float64 {
	if b.table == nil || b.rows[row] < 0 || b.columns[column] < 0 {
		return math.NaN()
	}
	n := b.table.At(b.rows[row], b.columns[column])
	if b.layer > 0 {
		n = b.table.In(b.layer-1, b.rows[row], b.columns[column])
	}
	return float64(n) * b.perCount
}

// total returns the baseline's sum over a row, and its parts appended to parts.
func (b *baseline) total(row, columns int, parts []float64) (sum float64, all []float64) {
	for c := range columns {
		x := b.value(row, c)
		if !math.IsNaN(x) {
			sum += x
		}
		parts = append(parts, x)
	}
	return sum, parts
}

// factor formats a ratio in a few columns.
func factor(q float64) string { return string(engine.AppendFactor(nil, q)) }

// explainBaseline writes the legend of the baseline and returns the number of rows that it used.
func explainBaseline(v grid.View, y int, h *pane.Host, late bool) int {
	if h.Base == nil || y >= v.H() {
		return 0
	}
	text := "╎ baseline, × ratio to it: " + h.Base.NameAndKind
	if late {
		text = "╎ baseline: " + h.Base.NameAndKind + "; no ratios: inaccurate timings"
	}
	v.TextIn(0, y, v.W(), text, grid.Left, h.Theme.Dim)
	return 1
}

// isTimed reports whether numbers with this unit depend on timings, which can be inaccurate.
func isTimed(unit string) bool { return strings.Contains(unit, "s") }
