package session

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
)

// table is a declared table of counts, as large as a scenario has it. The cells of
// all tables stand one after another.
type table struct {
	spec          *engine.TallySpec
	rows, columns []string
	first         int // cell
}

// lay lays out the workload's tables, and says how many cells there are.
func (s *setup) lay() (tables []table, cells int) {
	for i := range s.workload.Tallies {
		t := table{spec: &s.workload.Tallies[i], first: cells}
		t.rows, t.columns = t.spec.Labels(&s.scenario, &s.machine)
		if len(t.rows) > engine.MaxTally || len(t.columns) > engine.MaxTally {
			panic(fmt.Sprintf("session: table %s of workload %s has %d × %d cells: at most %d each way", t.spec.Name, s.workload.Name, len(t.rows), len(t.columns), engine.MaxTally))
		}
		cells += len(t.rows) * len(t.columns)
		tables = append(tables, t)
	}
	return tables, cells
}

// counted is a table with what has been counted in it.
func (t *table) counted(cells []int64, kind engine.Kind) engine.Table {
	own := make([]int64, len(t.rows)*len(t.columns))
	copy(own, cells[t.first:])
	return engine.Table{
		Name: t.spec.Name, Unit: t.spec.Unit, Kind: kind, Row: t.spec.Row, Column: t.spec.Column, Rows: t.rows, Columns: t.columns, Counts: own,
	}
}
