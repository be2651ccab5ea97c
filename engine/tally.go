package engine

import "github.com/hybridtop/hybridtop/cluster"

// MaxTally bounds the rows of a table of counts, its columns, and its layers.
const MaxTally = 64

// TallySpec declares a table of counts that a workload fills.
type TallySpec struct {
	Name        string
	Title       string  // for a screen; "": the name
	Unit        string  // "1", "B", "s"
	Each        float64 // what a count stands for, in units; 0: 1
	Doc         string
	Row, Column string // what a row and what a column stands for
	// Layer is what tables that lie one behind the other stand for; "": there is one.
	Layer string
	// Shape is how a screen draws it: Heat, or Stack, where the columns are the parts of a
	// bar; "": it does not.
	Shape Shape
	// Labels names the rows and columns that a scenario has, at most MaxTally each.
	Labels func(s *Scenario, m *cluster.Machine) (rows, columns []string)
	// Layers names the layers that a scenario has, at most MaxTally; nil: there is one.
	Layers func(s *Scenario, m *cluster.Machine) []string
}

// Table is what was counted by layer, row and column, of all ranks, in the iterations since
// the launch that all of them have ended (Snapshot.Counted).
type Table struct {
	Name          string
	Title         string
	Unit          string
	Each          float64 // what a count stands for, in units
	Kind          Kind
	Shape         Shape
	Row, Column   string // what a row and what a column stands for
	Rows, Columns []string
	Layer         string   // likewise of a layer; "": there is one
	Layers        []string // names; empty: one without a name
	Counts        []int64  // layer after layer, row after row
}

// Drawn reports whether a run has anything that a screen draws as a table of counts, or
// by rank.
func Drawn(s *Snapshot) bool {
	for i := range s.Tallies {
		if s.Tallies[i].Shape != "" {
			return true
		}
	}
	return len(s.Ranked) > 0
}

// At is the count of a cell over all layers.
func (t *Table) At(row, column int) int64 {
	n, all := len(t.Rows)*len(t.Columns), int64(0)
	for at := row*len(t.Columns) + column; at < len(t.Counts); at += n {
		all += t.Counts[at]
	}
	return all
}

// In is the count of a cell in a layer.
func (t *Table) In(layer, row, column int) int64 {
	return t.Counts[(layer*len(t.Rows)+row)*len(t.Columns)+column]
}

// Tally finds a table of counts by name; nil: the run has none.
func (s *Snapshot) Tally(name string) *Table {
	for i := range s.Tallies {
		if s.Tallies[i].Name == name {
			return &s.Tallies[i]
		}
	}
	return nil
}
