package dot

import (
	"fmt"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of models.
const (
	columnTime = iota
	columnCallers
	columnCompute
	columnReduce
	columnModel
)

var modelColumns = []engine.Column{
	columnTime:    {Name: "dot_time", Title: "product", Unit: "s", Wide: 9},
	columnCallers: {Name: "mpi_callers", Title: "may call", Unit: "1", Wide: 9},
	columnCompute: {Name: "compute_time", Title: "compute", Unit: "s", Wide: 9, Legend: "compute"},
	columnReduce:  {Name: "reduce_time", Title: "reduce", Unit: "s", Wide: 9, Legend: "reduce and wait"},
	columnModel:   {Name: "dot_compute_time", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled},
}

// byModel compares the time of a dot product's computation and reduction in each execution model.
var byModel = &engine.Study{
	Form: engine.Form{
		Name: "shares", Title: "Compute and reduce", Of: "a product", Item: "model, ranks", Metric: "dot_time",
		Absent:  "this workload has no table of execution models",
		Columns: modelColumns,
		Charts:  []engine.Chart{{Shape: engine.Stack, Y: []int{columnCompute, columnReduce}}},
		Brief:   engine.Brief{Column: columnTime, After: " per product"},
	},
	Varying:  study.AnyKind("model", "group", "nodes", "ranks-per-node", "ranking"),
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, modelColumns, columnTime)
	if !ok {
		return nil
	}
	l := &s.Layout
	cells[columnCallers] = float64(l.N().MPI)
	label := fmt.Sprintf("%s %d×%d in %d", l.Model, l.Nodes, l.RanksPerNode, l.GroupSize())
	return []engine.Row{{Key: fmt.Sprintf("%s %s %s", s.Kind, label, l.Ranking), Label: label, Kind: s.Kind, Cells: cells}}
}

// complete states the share of reductions in the present product.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "time of a product by part"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnTime]
	if reduce, compute := now.Cells[columnReduce], now.Cells[columnCompute]; reduce+compute > 0 {
		v.Why = fmt.Sprintf("%s: %.0f of %d ranks may call MPI; reductions take %s of the product's time, waiting "+
			"included (%s).", now.Label, now.Cells[columnCallers], s.Layout.Ranks(), study.Percent(reduce/(reduce+compute)),
			now.Kind)
	}
}
