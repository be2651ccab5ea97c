package fft

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Columns of the study of exchanges.
const (
	columnRanks = iota
	columnStep
	columnFFT
	columnComm
	columnMemory
	columnOther
	columnBarrier
	columnRate
	columnAlone
	columnFirst
	columnSecond
)

var exchangeColumns = []engine.Column{
	columnRanks: {Name: "ranks", Title: "ranks", Unit: "1", Wide: 6},
	columnStep:  {Name: "step_time", Title: "step", Unit: "s", Wide: 9},
	columnFFT:   {Name: "time_fft", Title: "passes", Unit: "s", Wide: 9, Legend: "passes"},
	columnComm: {Name: "time_comm", Title: "comm", Unit: "s", Wide: 9, Legend: "communication not hidden",
		Short: "comm"},
	columnMemory:  {Name: "time_memory", Title: "packing", Unit: "s", Wide: 9, Legend: "packing"},
	columnOther:   {Name: "time_other", Title: "other", Unit: "s", Wide: 9, Legend: "evolve, checksum", Short: "other"},
	columnBarrier: {Name: "time_barrier", Title: "barrier", Unit: "s", Wide: 9, Legend: "barrier"},
	columnRate:    {Name: "flop_rate", Title: "flop/s", Unit: "1/s", Wide: 9, Legend: "transform"},
	columnAlone:   {Name: "exchange_alone", Unit: "s"},
	columnFirst:   {Name: "message_first", Unit: "B"},
	columnSecond:  {Name: "message_second", Unit: "B"},
}

// byExchange compares packed exchanges with slabs, over ranks.
var byExchange = &engine.Study{
	Form: engine.Form{
		Name: "slabs", Title: "Slabs or packed", Of: "a step", Item: "ranks, exchange", Metric: "step_time",
		Absent:  "this workload has no exchange in slabs",
		Columns: exchangeColumns,
		Charts: []engine.Chart{
			{Shape: engine.Stack, Y: []int{columnFFT, columnComm, columnMemory, columnOther, columnBarrier}},
			{Shape: engine.Curve, X: columnRanks, Y: []int{columnRate}, XLog: 2, YLog: 10, Join: true},
		},
		Brief: engine.Brief{Column: columnStep, After: " per step"},
	},
	Varying: study.AnyKind("exchange", "slabs", "slices", "algorithm", "transfer",
		"sync-in", "cores", "progress", "nodes", "ranks-per-node"),
	Frame:    frame,
	Observe:  observe,
	Complete: complete,
}

// maxFactor is the maximum multiple of the present number of nodes for which the bound is drawn.
const maxFactor = 16

// frame draws the bisection estimate around the present number of nodes.
func frame(s *engine.Scenario, m *cluster.Machine, _ engine.Kind) engine.StudyView {
	v := engine.StudyView{Now: -1, Plots: make([]engine.Plot, 2)}
	v.Plots[0].Title, v.Plots[1].Title = "parts of a step, mean over ranks", "rate of a transform"
	l := s.Layout()
	b := problemOf(s)
	line := engine.Line{Name: "bisection estimate", Kind: engine.Modelled, Look: engine.Dashed}
	for nodes := max(l.Nodes/maxFactor, 1); nodes <= l.Nodes*maxFactor; nodes *= 2 {
		part, at := *m, l
		part.Topology = workload.PartOf(part.Topology, nodes)
		at.Nodes = nodes
		if of := BoundOf(b.n, 1, at.N().MPI, &at, &part, 0); of.Half > 0 {
			line.X, line.Y = append(line.X, float64(at.N().MPI)), append(line.Y, of.Half)
		}
	}
	if len(line.X) > 0 {
		v.Plots[1].Lines = []engine.Line{line}
	}
	return v
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, exchangeColumns, columnStep)
	if !ok {
		return nil
	}
	sc := &s.Scenario
	l := sc.Layout()
	ranks := l.N().MPI
	cells[columnRanks] = float64(ranks)
	words := []string{sc.Text("exchange")}
	if words[0] == slabs && sc.Text("slabs") != planes {
		words[0] = sc.Text("slabs") + " slabs"
	}
	addSetting := func(knob, usual, before string) {
		if v := sc.Text(knob); v != usual {
			words = append(words, before+v)
		}
	}
	if a := algorithm.Name(sc, coll.OpExchange); a != algorithm.ByModel {
		words = append(words, a)
	}
	addSetting("transfer", coll.TwoSided.String(), "")
	addSetting("sync-in", coll.MySync.String(), "")
	addSetting("slices", "1", "slices ")
	addSetting("cores", workload.Cores.Default, "cores ")
	addSetting("progress", workload.OfMachine, "progress ")
	series := strings.Join(words, ", ")
	label := fmt.Sprintf("%d, %s", ranks, series)
	return []engine.Row{{Key: fmt.Sprintf("%s %s", s.Kind, label), Label: label, Series: series, Kind: s.Kind,
		Cells: cells}}
}

// complete reports the hidden share of the exchanges, and compares slabs with packed exchanges.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnRanks)
	now := v.Present()
	if now == nil {
		return
	}
	c := now.Cells
	v.Time = c[columnStep]
	v.Glance = fmt.Sprintf("%s per step, %s", cluster.FromSeconds(v.Time), s.Kind)
	alone, how := c[columnAlone], s.Scenario.Text("exchange")
	if !(alone > 0) {
		v.Why = fmt.Sprintf("%s: %s per step. One rank alone exchanges nothing (%s).", now.Label,
			cluster.FromSeconds(v.Time), s.Kind)
		return
	}
	hidden := 1 - c[columnComm]/alone
	text := fmt.Sprintf("exchanges in messages of %s take %s alone. In a step they take %s of %s", messages(now),
		cluster.FromSeconds(alone), cluster.FromSeconds(c[columnComm]), cluster.FromSeconds(v.Time))
	if how == slabs && hidden > 0 {
		text = fmt.Sprintf("messages of %s: computing hides %s of their time", messages(now), study.Percent(hidden))
	}
	if other := opposite(v, now, how); other != nil {
		o := other.Cells
		long := other
		short := now
		ratio := v.Time / o[columnStep]
		if how == packed {
			long, short = now, other
		}
		text = fmt.Sprintf("messages of %s reach %s of %s, and computing hides %s of their time", messages(short),
			bandwidth(long.Cells[columnAlone]/short.Cells[columnAlone]), messages(long),
			study.Percent(max(1-short.Cells[columnComm]/short.Cells[columnAlone], 0)))
		with := map[string]string{packed: "slabs", slabs: "packed exchanges"}[how]
		switch {
		case ratio >= study.Alike:
			other.Flag = engine.Best
			text += fmt.Sprintf(". A step with %s takes %s of the time", with, study.Percent(1/ratio))
		case ratio <= 1/study.Alike:
			now.Flag = engine.Best
			text += fmt.Sprintf(". A step with %s takes %s× as long", with, study.Figure(1/ratio))
		default:
			text += fmt.Sprintf(". A step with %s takes equally long", with)
		}
		v.Reference = o[columnStep]
	}
	if of, ok := s.Metric("bound_half"); ok && c[columnRate] > 0 {
		share := c[columnRate] / of.Value
		text += fmt.Sprintf(". The rate is %s of the bisection estimate", study.Percent(share))
		if routes, ok := s.Metric("bound_busiest"); ok {
			text += fmt.Sprintf(" and %s of the busiest-link bound", study.Percent(c[columnRate]/routes.Value))
		}
		if share > 1 {
			text += ". The estimate lets half of the points cross in both exchanges, but fewer cross by the routes"
		}
	}
	v.Why = strings.ToUpper(text[:1]) + text[1:] + fmt.Sprintf(" (%s).", s.Kind)
}

// bandwidth describes a ratio of bandwidths.
func bandwidth(ratio float64) string {
	if ratio > 1/study.Alike && ratio < study.Alike {
		return "the bandwidth"
	}
	return study.Figure(ratio) + " of the bandwidth"
}

// opposite returns the row that differs only in the exchange: packed instead of slabs, or slabs
// instead of packed.
func opposite(v *engine.StudyView, now *engine.Row, how string) *engine.Row {
	want := packed
	if how == packed {
		want = slabs
	}
	rest := strings.TrimPrefix(now.Series, strings.Split(now.Series, ",")[0])
	at := slices.IndexFunc(v.Rows, func(r engine.Row) bool {
		head := strings.Split(r.Series, ",")[0]
		return r.Kind == now.Kind && r.Cells[columnRanks] == now.Cells[columnRanks] && strings.HasSuffix(head, want) &&
			strings.TrimPrefix(r.Series, head) == rest
	})
	if at < 0 {
		return nil
	}
	return &v.Rows[at]
}

// messages returns the sizes of the messages between ranks.
func messages(r *engine.Row) string {
	a, b := r.Cells[columnFirst], r.Cells[columnSecond]
	switch {
	case math.IsNaN(a) || a == b:
		return cluster.SizeText(b)
	case math.IsNaN(b):
		return cluster.SizeText(a)
	}
	return cluster.SizeText(a) + " and " + cluster.SizeText(b)
}
