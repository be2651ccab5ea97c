package headtohead

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of sizes.
const (
	columnSize = iota
	columnTime
)

// overSizes shows the sizes that were transferred, and the eager limit.
var overSizes = &engine.Study{
	Form: engine.Form{
		Name: "exchanges", Title: "Both send first", Of: "an exchange", Item: "size", Metric: "exchange_time",
		Absent: "this workload has no head-to-head sends",
		Columns: []engine.Column{
			columnSize: {Name: "size", Unit: "B"},
			columnTime: {Name: "exchange_time", Title: "exchange", Unit: "s", Wide: 9},
		},
		Charts: []engine.Chart{{Shape: engine.Curve, X: columnSize, Y: []int{columnTime}, XLog: 2, YLog: 10, Join: true}},
		Brief:  engine.Brief{Column: columnTime},
	},
	Varying: study.AnyKind("size", "eager-limit"),
	Frame: func(s *engine.Scenario, m *cluster.Machine, _ engine.Kind) engine.StudyView {
		p := engine.Plot{Title: "exchange, over size"}
		eager := s.Int("eager-limit")
		if eager < 0 {
			eager = m.EagerLimit
		}
		if eager > 0 {
			p.Rules = []engine.Rule{{At: float64(eager), Vertical: true, Label: "eager limit",
				Wide: "above the eager limit: deadlock"}}
			p.XRange = engine.Range{Min: 1, Max: 16 * float64(max(eager, s.Int("size")))}
		}
		return engine.StudyView{Now: -1, Plots: []engine.Plot{p},
			Facts: []engine.Note{{Text: "eager limit " + cluster.SizeText(float64(eager)), Glyph: engine.NoGlyph}}}
	},
	Observe: func(s *engine.Snapshot) []engine.Row {
		t, ok := s.Metric("exchange_time")
		if !ok || s.Iteration == 0 {
			return nil
		}
		size := s.Scenario.Int("size")
		return []engine.Row{{
			Key: fmt.Sprintf("%s %d %s", s.Kind, size, s.Scenario.Text("eager-limit")), Label: cluster.SizeText(float64(size)),
			Kind:  t.Kind,
			Cells: []float64{columnSize: float64(size), columnTime: t.Value},
		}}
	},
	Complete: func(v *engine.StudyView, s *engine.Snapshot) {
		study.Sort(v, columnSize)
		if now := v.Present(); now != nil {
			v.Time, v.Why = now.Cells[columnTime], explainArrival(s)
		}
	},
	Timeless: explainArrival,
}

// explainArrival explains why the messages of a run arrived. The explanation does not depend on
// times.
func explainArrival(s *engine.Snapshot) string {
	if s.Iteration == 0 {
		return ""
	}
	return fmt.Sprintf("Messages of %s are sent before their receives are posted, so both sends return. Above the "+
		"eager limit both ranks would wait forever.",
		cluster.SizeText(float64(s.Scenario.Int("size"))))
}
