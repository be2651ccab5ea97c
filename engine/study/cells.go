package study

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
)

// CellsOf returns the cells of the current run, from the metrics with the columns' names. A cell
// without a metric is NaN. ok is false if the run has not finished an iteration, or the column
// counts has no number.
func CellsOf(s *engine.Snapshot, columns []engine.Column, counts int) (cells []float64, ok bool) {
	cells = make([]float64, len(columns))
	for i := range columns {
		cells[i] = math.NaN()
		if m, found := s.Metric(columns[i].Name); found {
			cells[i] = m.Value
		}
	}
	return cells, s.Iteration > 0 && !math.IsNaN(cells[counts])
}
