package engine

import "github.com/hybridtop/hybridtop/cluster"

// MaxTally is the maximum number of rows, columns and layers of a table of counts.
const MaxTally = 64

// A TallySpec declares a table of counts that a workload fills.
type TallySpec struct {
	Name        string
	Title       string  // for a screen; "": the name
	Unit        string  // "1", "B", "s"
	Each        float64 // value of one count, in units; 0: 1
	Doc         string
	Row, Column string // meaning of a row and of a column
	// Layer is the meaning of a layer; "": there is only one.
	Layer string
	// Shape is the chart on a screen: Heat, or Stack with the columns as parts of a bar; "":
	// no chart.
	Shape Shape
	// Labels returns the names of a scenario's rows and columns, at most MaxTally each.
	Labels func(s *Scenario, m *cluster.Machine) (rows, columns []string)
	// Layers returns the names of a scenario's layers, at most MaxTally. May be nil: one layer.
	Layers func(s *Scenario, m *cluster.Machine) []string
}

// A Table holds counts by layer, row and column, summed over all ranks. It covers the iterations
// since the launch that all ranks have ended (Snapshot.Counted).
type Table struct {
	Name          string
	Title         string
	Unit          string
	Each          float64 // value of one count, in units
	Kind          Kind
	Shape         Shape
	Row, Column   string // meaning of a row and of a column
	Rows, Columns []string
	Layer         string   // meaning of a layer; "": there is only one
	Layers        []string // names; empty: one unnamed layer
	Counts        []int64  // layer after layer, row after row
}

// Drawn reports whether a run has a table of counts with a chart, or values by rank.
func Drawn(s *Snapshot) bool {
	for i := range s.Tallies {
		if s.Tallies[i].Shape != "" {
			return true
		}
	}
	return len(s.Ranked) > 0
}

// At returns the count of a cell, summed over all layers.
func (t *Table) At(row, column int) int64 {
	n, all := len(t.Rows)*len(t.Columns), int64(0)
	for at := row*len(t.Columns) + column; at < len(t.Counts); at += n {
		all += t.Counts[at]
	}
	return all
}

// In returns the count of a cell in a layer.
func (t *Table) In(layer, row, column int) int64 {
	return t.Counts[(layer*len(t.Rows)+row)*len(t.Columns)+column]
}

// Tally returns the table of counts with this name, or nil.
func (s *Snapshot) Tally(name string) *Table {
	for i := range s.Tallies {
		if s.Tallies[i].Name == name {
			return &s.Tallies[i]
		}
	}
	return nil
}
