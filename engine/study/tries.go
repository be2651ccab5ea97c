package study

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// TriesName is the name of the study and of the table of the tries of online tuning.
const TriesName = "tries"

// Columns of the study of tries.
const (
	columnTries = iota
	columnFastest
	columnMean
	columnCost
	columnChosen
)

// Tries is the study of the algorithms that a run has tried (paper 5, section 3.6). Its rows come
// from the table of tries, which has the columns tries, time, fastest and chosen.
var Tries = &engine.Study{
	Form: engine.Form{
		Name: TriesName, Title: "Online tuning", Of: "an iteration", Item: "algorithm", Listed: true,
		Caption: "times of the algorithms that the run has tried",
		Absent:  "WORKLOAD does not tune online",
		Columns: []engine.Column{
			columnTries:   {Name: "tries", Title: "tries", Unit: "1", Wide: 6},
			columnFastest: {Name: "fastest", Title: "fastest", Unit: "s", Wide: 9, Legend: "fastest try"},
			columnMean:    {Name: "mean", Title: "mean", Unit: "s", Wide: 9},
			columnCost:    {Name: "cost", Title: "cost", Unit: "s", Wide: 9},
			columnChosen:  {Name: "chosen", Title: "chosen", Unit: "1", Wide: 7},
		},
		Charts: []engine.Chart{{Shape: engine.Bars, Y: []int{columnFastest}}},
		Brief:  engine.Brief{Column: columnFastest, After: " in the fastest try"},
	},
	Observe:  observeTries,
	Complete: explainTries,
}

// observeTries returns a row for each algorithm that the run has tried or will try.
func observeTries(s *engine.Snapshot) []engine.Row {
	t := s.Tally(TriesName)
	if t == nil {
		return nil
	}
	best := math.Inf(1)
	for row := range t.Rows {
		if t.At(row, 0) > 0 {
			best = min(best, float64(t.At(row, 2)))
		}
	}
	const ns = 1e-9
	var all []engine.Row
	for row, name := range t.Rows {
		r := engine.Row{Key: fmt.Sprintf("%s %s", t.Kind, name), Label: name, Kind: t.Kind, Flag: engine.Passing,
			Cells: []float64{columnTries: float64(t.At(row, 0)), columnFastest: math.NaN(), columnMean: math.NaN(),
				columnCost: 0, columnChosen: float64(t.At(row, 3))}}
		if n := float64(t.At(row, 0)); n > 0 {
			total := float64(t.At(row, 1))
			r.Cells[columnFastest], r.Cells[columnMean] = ns*float64(t.At(row, 2)), ns*total/n
			r.Cells[columnCost] = ns * (total - n*best)
		}
		all = append(all, r)
	}
	return all
}

// explainTries names the choice, or the number of tries so far.
func explainTries(v *engine.StudyView, s *engine.Snapshot) {
	if s.Tally(TriesName) == nil {
		v.Missing = []engine.Hint{{Text: "This run uses one algorithm.", Command: "algorithm online"}}
		return
	}
	tries, cost, tried, chosen := 0.0, 0.0, 0, -1
	for i := range v.Rows {
		c := v.Rows[i].Cells
		tries, cost = tries+c[columnTries], cost+c[columnCost]
		if c[columnTries] > 0 {
			tried++
		}
		if c[columnChosen] > 0 {
			chosen = i
		}
	}
	if chosen < 0 {
		v.Why = fmt.Sprintf("Online tuning has made %.0f tries of %d algorithms and has not chosen yet.", tries, tried)
		return
	}
	r := &v.Rows[chosen]
	r.Flag, v.Scheme = engine.Best, r.Label
	v.Why = fmt.Sprintf("Online tuning chose %s, %s in its fastest try, after %.0f tries of %d algorithms. The tries cost %s "+
		"more than the same number with the best one (%s).", r.Label, cluster.FromSeconds(r.Cells[columnFastest]), tries, tried,
		cluster.FromSeconds(cost), r.Kind)
}
