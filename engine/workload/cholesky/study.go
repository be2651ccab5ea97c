package cholesky

import (
	"fmt"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of hand-offs.
const (
	columnProcesses = iota
	columnTime
	columnModel
	columnPeak
	columnCompute
	columnRound1
	columnRound2
	columnHandoff
	columnRound3
)

var handoffColumns = []engine.Column{
	columnProcesses: {Name: "processes", Title: "procs", Unit: "1", Wide: 6},
	columnTime:      {Name: "factor_time", Title: "time", Unit: "s", Wide: 9},
	columnModel:     {Name: "factor_time_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled},
	columnPeak:      {Name: "peak_share", Title: "of peak", Unit: "%", Wide: 8},
	columnCompute:   {Name: "compute_time", Title: "compute", Unit: "s", Wide: 9, Legend: "compute"},
	columnRound1:    {Name: "round1_time", Title: "round 1", Unit: "s", Wide: 9, Legend: "round 1"},
	columnRound2:    {Name: "round2_time", Title: "round 2", Unit: "s", Wide: 9, Legend: "round 2"},
	columnHandoff:   {Name: "handoff_time", Title: "hand-off", Unit: "s", Wide: 9, Legend: "hand-off"},
	columnRound3:    {Name: "round3_time", Title: "round 3", Unit: "s", Wide: 9, Legend: "round 3"},
}

// schemes are the knobs that distinguish the rows of the study.
var schemes = []string{"handoff", "lookahead", "slices", "algorithm", "composition", "tries", "radix", "segments", "transfer", "addresses",
	"sync-in", "sync-out", "rows", "block", "cores"}

// byHandoff compares hand-offs, transfers and lookahead by the time of each part of a
// factorization, over processes.
var byHandoff = &engine.Study{
	Form: engine.Form{
		Name: "handoffs", Title: "Rounds of a factorization", Of: "a factorization", Item: "processes, hand-off, transfer",
		Metric:  "factor_time",
		Absent:  "this workload has no table of broadcast rounds",
		Columns: handoffColumns,
		Charts: []engine.Chart{
			{Shape: engine.Stack, Y: []int{columnCompute, columnRound1, columnRound2, columnHandoff, columnRound3}},
			{Shape: engine.Curve, X: columnProcesses, Y: []int{columnPeak}, XLog: 2, Join: true},
		},
		Brief:   engine.Brief{Column: columnTime},
		Chooses: schemes,
	},
	Varying:  append(study.AnyKind("nodes", "ranks-per-node", "n"), schemes...),
	Frame:    frame,
	Observe:  observe,
	Complete: complete,
}

// frame draws the grid of processes.
func frame(s *engine.Scenario, _ *cluster.Machine, _ engine.Kind) engine.StudyView {
	v := engine.StudyView{Now: -1}
	v.Draw(checkerboard(s))
	return v
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, handoffColumns, columnTime)
	if !ok {
		return nil
	}
	sc := &s.Scenario
	g := scenarioGrid(sc, s.Layout.N().MPI, 0)
	cells[columnProcesses] = float64(g.tx * g.ty)
	cells[columnCompute] = 0
	for _, name := range partMetrics[:computing] {
		m, _ := s.Metric(name)
		cells[columnCompute] += m.Value
	}
	series := scheme(sc)
	label := fmt.Sprintf("%d×%d, %s", g.tx, g.ty, series)
	return []engine.Row{{Key: fmt.Sprintf("%s %s %d %s", s.Kind, label, g.n, otherKnobs(sc)), Label: label,
		Series: series, Kind: s.Kind, Cells: cells}}
}

// scheme returns the name of the way to do the rounds.
func scheme(s *engine.Scenario) string {
	words := []string{s.Text("handoff")}
	if transfer := s.Text("transfer"); transfer != coll.TwoSided.String() {
		words = append(words, transfer)
	}
	if s.Text("lookahead") == on {
		words = append(words, "lookahead")
	}
	if name := algorithm.Name(s, coll.OpBcast); name != algorithm.ByModel {
		words = append(words, name)
	}
	return strings.Join(words, ", ")
}

// otherKnobs returns the values of the other knobs that distinguish rows.
func otherKnobs(s *engine.Scenario) string {
	var words []string
	for _, knob := range schemes[2:] {
		words = append(words, s.Values[knob])
	}
	return strings.Join(words, " ")
}

// complete states the share of communication and its longest round, and compares with the other
// hand-off.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	v.Plots = []engine.Plot{{Title: "mean time per phase of a factorization"}, {Title: "share of the peak by processes"}}
	study.Sort(v, columnProcesses)
	now := v.Present()
	if now == nil {
		return
	}
	v.Time, v.Scheme = now.Cells[columnTime], now.Series
	v.Glance = fmt.Sprintf("%s, %s", cluster.FromSeconds(v.Time), now.Label)
	text := fmt.Sprintf("%s: %s per factorization (%s)", now.Label, cluster.FromSeconds(v.Time), now.Kind)
	rounds := now.Cells[columnRound1] + now.Cells[columnRound2] + now.Cells[columnHandoff] + now.Cells[columnRound3]
	if g := scenarioGrid(&s.Scenario, s.Layout.N().MPI, 0); g.tx*g.ty == 1 || rounds == 0 {
		v.Why = text + ". One process has nothing to broadcast."
		return
	}
	text += fmt.Sprintf(". Processes spend %s of it in the broadcast rounds. ", study.Percent(rounds/v.Time))
	text += longest(now, rounds)
	if why := comparison(v, s, now); why != "" {
		text += ". " + why
	}
	v.Why = text + "."
}

// longest returns a sentence about the round with the largest share of communication, and the
// share of the hand-off.
func longest(r *engine.Row, rounds float64) string {
	hand := r.Cells[columnHandoff]
	name, time := "Round 3", hand+r.Cells[columnRound3]
	why := ""
	for i, at := range []int{columnRound1, columnRound2} {
		if r.Cells[at] > time {
			name, time = fmt.Sprintf("Round %d", i+1), r.Cells[at]
			why = ", because most processes wait for one row of processes"
		}
	}
	text := fmt.Sprintf("%s takes %s of the communication%s", name, study.Percent(time/rounds), why)
	if hand > 0 {
		text += fmt.Sprintf("; the hand-off takes %s", study.Percent(hand/rounds))
	}
	return text
}

// comparison compares the run with the other hand-off, or a run with lookahead with one without it.
// If the other one has not run, it may suggest it.
func comparison(v *engine.StudyView, s *engine.Snapshot, now *engine.Row) string {
	handoff := s.Scenario.Text("handoff")
	want, name := strings.Replace(now.Series, handoff, column, 1), "With handoff = column, one hop less, it"
	switch {
	case s.Scenario.Text("lookahead") == on:
		want, name = strings.Replace(now.Series, ", lookahead", "", 1), "Without lookahead it"
	case handoff == column:
		want, name = strings.Replace(now.Series, handoff, direct, 1), "With handoff = direct, one hop more, it"
	}
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind || r.Series != want || r.Cells[columnProcesses] != now.Cells[columnProcesses] ||
			!sameRest(r, now) {
			continue
		}
		if ratio := v.Time / r.Cells[columnTime]; ratio >= 1 {
			return fmt.Sprintf("%s is %.2f× faster", name, ratio)
		}
		return fmt.Sprintf("%s is %.2f× slower", name, r.Cells[columnTime]/v.Time)
	}
	if handoff == direct && scenarioGrid(&s.Scenario, s.Layout.N().MPI, 0).tx > 1 {
		return "Set handoff = column to remove a hop"
	}
	return ""
}

// sameRest reports whether two rows are of the same problem: their keys are equal after the label.
func sameRest(a, b *engine.Row) bool {
	_, x, _ := strings.Cut(a.Key, a.Label)
	_, y, _ := strings.Cut(b.Key, b.Label)
	return x == y
}
