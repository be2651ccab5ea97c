package study

import (
	"math"

	"github.com/hybridtop/hybridtop/engine"
)

// CellsOf makes the cells of the present run out of the metrics that have the columns'
// names; NaN where there is none. ok is false as long as the run has ended no
// iteration, or has no number in the column that counts.
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
