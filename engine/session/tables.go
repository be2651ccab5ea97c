package session

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
)

// table is a declared table of counts, with the size that a scenario gives it. The cells of all
// tables are stored one after another.
type table struct {
	spec          *engine.TallySpec
	rows, columns []string
	layers        []string // empty: one layer
	first         int      // first cell
}

// layOutTables lays out the workload's tables, and returns the total number of cells.
func (s *setup) layOutTables() (tables []table, cells int) {
	for i := range s.workload.Tallies {
		t := table{spec: &s.workload.Tallies[i], first: cells}
		t.rows, t.columns = t.spec.Labels(&s.scenario, &s.machine)
		if t.spec.Layers != nil {
			t.layers = t.spec.Layers(&s.scenario, &s.machine)
		}
		if len(t.rows) > engine.MaxTally || len(t.columns) > engine.MaxTally || len(t.layers) > engine.MaxTally {
			panic(fmt.Sprintf("session: table %s of workload %s has %d × %d × %d cells: want at most %d per dimension",
				t.spec.Name, s.workload.Name, len(t.layers), len(t.rows), len(t.columns), engine.MaxTally))
		}
		if t.cells() > 0 { // otherwise the scenario does not have the table
			cells += t.cells()
			tables = append(tables, t)
		}
	}
	return tables, cells
}

// cells returns the number of cells.
func (t *table) cells() int { return max(len(t.layers), 1) * len(t.rows) * len(t.columns) }

// withCounts returns the table with its counts.
func (t *table) withCounts(cells []int64, kind engine.Kind) engine.Table {
	counts := make([]int64, t.cells())
	copy(counts, cells[t.first:])
	each := t.spec.Each
	if each == 0 {
		each = 1
	}
	return engine.Table{
		Name: t.spec.Name, Title: t.spec.Title, Unit: t.spec.Unit, Each: each, Kind: kind, Shape: t.spec.Shape,
		Row: t.spec.Row, Column: t.spec.Column, Rows: t.rows, Columns: t.columns, Layer: t.spec.Layer, Layers: t.layers,
		Counts: counts,
	}
}
