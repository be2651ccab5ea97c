package study

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
)

// EpsilonName is the name of the study of overlap.
const EpsilonName = "epsilon"

// Columns of the study of overlap: the results of a scheme on a problem.
const (
	EpsilonComm       = iota // f_comm, f_comp,non, f_comp,overlap: shares of masteronly's time
	EpsilonNonOverlap        //
	EpsilonOverlap           //
	EpsilonCommCost          // x_comm / x_MVM,overlap of equation (14)
	EpsilonMasteronly        // s
	EpsilonScheme            // s
	EpsilonValue             // T_masteronly / T_scheme
	EpsilonModel             // ε by equation (3), modelled from the fractions
	EpsilonReserved          // m: threads per rank that communicate meanwhile, may be fractional
	EpsilonThreads           // n: per rank
	EpsilonNodes             //
	EpsilonPlanes            // n_k per rank
	epsilonColumns
)

var epsilonForm = engine.Form{
	Name: EpsilonName, Title: "Overlap ε", Caption: "ε = T_masteronly / T_scheme", Of: "an iteration", Item: "scheme",
	Metric: "epsilon",
	Absent: "ε compares threading schemes, but WORKLOAD has only one.", Chooses: []string{"threading", "reserved"},
	Columns: []engine.Column{
		EpsilonComm:       {Name: "f_comm", Unit: "%"},
		EpsilonNonOverlap: {Name: "f_non", Unit: "1"},
		EpsilonOverlap:    {Name: "f_overlap", Unit: "1"},
		EpsilonCommCost:   {Name: "x_comm_over_x_overlap", Unit: "1"},
		EpsilonMasteronly: {Name: "time_masteronly", Unit: "s"},
		EpsilonScheme:     {Name: "time_scheme", Unit: "s"},
		EpsilonValue:      {Name: "epsilon", Unit: "1"},
		EpsilonModel:      {Name: "epsilon_model", Unit: "1", Kind: engine.Modelled},
		EpsilonReserved:   {Name: "reserved", Unit: "1"},
		EpsilonThreads:    {Name: "threads_per_rank", Unit: "1"},
		EpsilonNodes:      {Name: "nodes", Unit: "1"},
		EpsilonPlanes:     {Name: "planes", Unit: "1"},
	},
	Charts: []engine.Chart{
		{Shape: engine.Curve, X: EpsilonComm, Y: []int{EpsilonValue}, Same: []int{EpsilonReserved, EpsilonPlanes}},
		{Shape: engine.Curve, X: EpsilonPlanes, Y: []int{EpsilonValue}, XLog: 2, Same: []int{EpsilonReserved}},
	},
}

// Selection is the scheme that the knobs select.
type Selection struct {
	Level    string  // level of threading: "multiple"
	Choice   string  // m as text of its knob; "": there is no such knob
	Variant  string  // of the level's construct and barriers; "": the usual one
	Reserved float64 // m; for masteronly, the m that could be reserved; NaN: derived from the load
	Planes   int     // n_k per rank
}

// name returns the name of the scheme: "multiple, m = 1".
func (a *Selection) name() string {
	if a.Level == multiple && a.Choice != "" {
		return a.Level + ", m = " + a.Choice
	}
	return a.series()
}

// series returns the level with its variant.
func (a *Selection) series() string {
	if a.Variant != "" {
		return a.Level + ", " + a.Variant
	}
	return a.Level
}

// multiple is the only level at which the knob for m has an effect.
const multiple = "multiple"

// Result holds the metrics of a run's scheme. Unknown values are NaN.
type Result struct {
	models.Fractions         // of masteronly
	Overlaps         bool    // the scheme computes during communication
	CommCost         float64 // x_comm / x_MVM,overlap
	Masteronly       float64 // s
	Scheme           float64 // s
	Epsilon          float64
	Model            float64 // of the workload's own model
}

// Epsilon returns the study of threading schemes. It compares the time of the selected scheme with
// masteronly, and with the model (paper 2, section 7.2). The function result reports false until
// there are fractions. The rows may also differ in the given knobs.
func Epsilon(selected func(*engine.Scenario) Selection, result func(*engine.Snapshot) (Result, bool),
	knobs ...string) *engine.Study {
	e := epsilon{selected: selected, result: result}
	st := &engine.Study{
		Form:     epsilonForm,
		Varying:  AnyKind(append([]string{"threading", "thread-support", "nodes"}, knobs...)...),
		Frame:    func(s *engine.Scenario, _ *cluster.Machine, _ engine.Kind) engine.StudyView { return e.frame(s) },
		Observe:  e.rows,
		Complete: e.complete,
	}
	return st
}

// epsilon reads the schemes of a workload.
type epsilon struct {
	selected func(*engine.Scenario) Selection
	result   func(*engine.Snapshot) (Result, bool)
}

// frame draws the model's curves for m of n threads.
func (e *epsilon) frame(s *engine.Scenario) engine.StudyView {
	a := e.selected(s)
	v := engine.StudyView{Now: -1, Scheme: a.name()}
	r := models.Reserved{M: a.Reserved, N: int(s.Int("threads-per-rank"))}
	if math.IsNaN(r.M) {
		r.M = 1 // until the load is known
	}
	drawEpsilon(&v, a.Level, r)
	return v
}

// rows returns the current point from a snapshot's metrics.
func (e *epsilon) rows(s *engine.Snapshot) []engine.Row {
	t, ok := e.result(s)
	if !ok || s.Iteration == 0 {
		return nil
	}
	a := e.selected(&s.Scenario)
	r := models.Reserved{M: a.Reserved, N: s.Layout.ThreadsPerRank}
	if math.IsNaN(r.M) {
		r.M = balancedReserved(t.Fractions, r.N)
	}
	if r.Check() != nil {
		return nil // there is nothing to reserve
	}
	if math.IsNaN(t.Model) {
		t.Model = models.EpsilonAt(r, t.Fractions)
	}
	row := engine.Row{
		Key:    fmt.Sprintf("%s %s m=%s nodes=%d k=%d", s.Kind, a.series(), a.Choice, s.Layout.Nodes, a.Planes),
		Label:  a.name(),
		Series: a.series(),
		Kind:   s.Kind,
		Cells: []float64{
			EpsilonComm: t.Comm, EpsilonNonOverlap: t.NonOverlap, EpsilonOverlap: t.Overlap, EpsilonCommCost: t.CommCost,
			EpsilonMasteronly: t.Masteronly, EpsilonScheme: t.Scheme, EpsilonValue: t.Epsilon, EpsilonModel: t.Model,
			EpsilonReserved: r.M, EpsilonThreads: float64(r.N), EpsilonNodes: float64(s.Layout.Nodes),
			EpsilonPlanes: float64(a.Planes),
		},
	}
	if math.IsNaN(t.Epsilon) || !t.Overlaps {
		row.Flag = engine.Passing
	}
	return []engine.Row{row}
}

// balancedReserved returns the m that makes both terms of the max() equal, by equation (4). It is
// at most 1, the one thread that communicates.
func balancedReserved(f models.Fractions, n int) float64 {
	return min(1, float64(n)*f.Comm/(f.Comm+float64(n)*f.Overlap))
}

// complete draws the model at the current point and explains the result.
func (e *epsilon) complete(v *engine.StudyView, s *engine.Snapshot) {
	Sort(v, EpsilonPlanes)
	t, ok := e.result(s)
	if !ok {
		t = Result{Fractions: models.Fractions{Comm: math.NaN()}}
	} else if t.Masteronly > 0 && t.Scheme > 0 {
		v.Time, v.Reference = t.Scheme, t.Masteronly
	}
	v.Gain = hiddenPhrase(&t)
	p := v.Present()
	if p == nil {
		v.Facts = missingNotes(s)
		fitRanges(v)
		return
	}
	r := models.Reserved{M: p.Cells[EpsilonReserved], N: s.Layout.ThreadsPerRank}
	level := e.selected(&s.Scenario).Level
	if a := e.selected(&s.Scenario); math.IsNaN(a.Reserved) {
		drawEpsilon(v, level, r) // m is derived from the load
	}
	if len(v.Missing) == 0 {
		drawPoint(v, r)
	}
	v.Facts = factNotes(p, level)
	if x := p.Cells[EpsilonValue]; !math.IsNaN(x) {
		v.Glance = fmt.Sprintf("ε %.2f %s, %.2f modelled", x, p.Kind, p.Cells[EpsilonModel])
	}
	v.Why = whyEpsilon(r,
		models.Fractions{Comm: p.Cells[EpsilonComm], NonOverlap: p.Cells[EpsilonNonOverlap],
			Overlap: p.Cells[EpsilonOverlap]}, t.Overlaps)
}
