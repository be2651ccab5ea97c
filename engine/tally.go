package engine

import "github.com/hybridtop/hybridtop/cluster"

// MaxTally bounds the rows of a table of counts, and its columns.
const MaxTally = 64

// TallySpec declares a table of counts that a workload fills.
type TallySpec struct {
	Name        string
	Unit        string // of a count: "1", "B"
	Doc         string
	Row, Column string // what a row and what a column stands for
	// Labels names the rows and columns that a scenario has, at most MaxTally each.
	Labels func(s *Scenario, m *cluster.Machine) (rows, columns []string)
}

// Table is what was counted by row and column, of all ranks since the launch.
type Table struct {
	Name          string
	Unit          string
	Kind          Kind
	Row, Column   string // what a row and what a column stands for
	Rows, Columns []string
	Counts        []int64 // row after row
}

// At is the count of a cell.
func (t *Table) At(row, column int) int64 { return t.Counts[row*len(t.Columns)+column] }
