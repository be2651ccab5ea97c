package gemm

import (
	"fmt"
	"math"
	"strings"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// Columns of the study of schedules.
const (
	columnRanks = iota
	columnTime
	columnModel
	columnShare
	columnCompute
	columnPack
	columnWait
	columnHidden
	columnPanel
	columnStepWait
	columnUnder
	columnLongest
	columnStep
)

var scheduleColumns = []engine.Column{
	columnRanks:    {Name: "ranks", Title: "ranks", Unit: "1", Wide: 6},
	columnTime:     {Name: "gemm_time", Title: "product", Unit: "s", Wide: 9, Legend: "product"},
	columnModel:    {Name: "gemm_time_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled, Legend: "modelled"},
	columnShare:    {Name: "compute_share", Title: "speed", Unit: "1", Wide: 7, Legend: "share of compute-only speed"},
	columnCompute:  {Name: "compute_time", Title: "multiply", Unit: "s", Wide: 9, Legend: "multiply"},
	columnPack:     {Name: "pack_time", Title: "pack", Unit: "s", Wide: 9, Legend: "pack"},
	columnWait:     {Name: "wait_time", Title: "wait", Unit: "s", Wide: 9, Legend: "wait for panels"},
	columnHidden:   {Name: "hidden_share", Title: "hidden", Unit: "1", Wide: 7},
	columnPanel:    {Name: "panel_time", Unit: "s"},
	columnStepWait: {Name: "panel_wait", Unit: "s", Legend: "waited for"},
	columnUnder:    {Name: "panel_hidden", Unit: "s", Legend: "hidden"},
	columnLongest:  {Name: "longest_wait", Unit: "s"},
	columnStep:     {Name: "longest_step", Unit: "1"},
}

// bySchedule compares how panels are fetched, over the ranks.
var bySchedule = &engine.Study{
	Form: engine.Form{
		Name: "panels", Title: "Overlap of panels", Of: "a product", Item: "ranks, schedule", Metric: "gemm_time",
		Absent:  "this workload prefetches no panels",
		Columns: scheduleColumns,
		Charts: []engine.Chart{
			{Shape: engine.Bars, Y: []int{columnTime, columnModel}},
			{Shape: engine.Stack, Y: []int{columnUnder, columnStepWait}},
			{Shape: engine.Curve, X: columnRanks, Y: []int{columnShare}, XLog: 2, Join: true},
		},
		Brief: engine.Brief{Column: columnTime, After: " per product"},
	},
	Varying: study.AnyKind("n", "block", "rows", "schedule", "ahead", "slices", "cores", "progress", "dgemm", "nodes",
		"ranks-per-node",
		"algorithm", "composition", "tries", "radix", "segments", "transfer", "addresses", "sync-in", "sync-out"),
	Frame:    frame,
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, scheduleColumns, columnTime)
	if !ok {
		return nil
	}
	sc := &s.Scenario
	l := s.Layout
	ranks := l.N().MPI
	cells[columnRanks] = float64(ranks)
	cells[columnUnder] = max(0, cells[columnPanel]-cells[columnStepWait])
	settings, scheme := settingsOf(sc), schemeOf(sc)
	return []engine.Row{{
		Key: fmt.Sprintf("%s%s%d, n = %d%s, nb %d, %s", scheme, keySeparator, ranks, sc.Int("n"), settings,
			sc.Int("block"), s.Kind),
		Label: fmt.Sprintf("%d, %s, n = %d%s", ranks, scheme, sc.Int("n"), settings), Series: scheme + settings,
		Kind: s.Kind, Cells: cells,
	}}
}

// settingsOf lists the knobs that differ from their defaults and do not choose how panels are
// fetched.
func settingsOf(sc *engine.Scenario) string {
	text := ""
	if n := sc.Int("cores"); n > 0 {
		text += ", " + count(n, "core")
	}
	if rows := sc.Text("rows"); rows != square {
		text += fmt.Sprintf(", %s rows", rows)
	}
	for _, knob := range []string{"progress", "dgemm"} {
		if v := sc.Text(knob); v != workload.OfMachine {
			text += ", " + knob + " " + v
		}
	}
	return text
}

// schemeOf names the way in which a scenario fetches its panels.
func schemeOf(sc *engine.Scenario) string {
	words := []string{blocking}
	if sc.Text("schedule") != blocking {
		words = []string{fmt.Sprintf("%d ahead", sc.Int("ahead")), count(sc.Int("slices"), "slice")}
	}
	if t := sc.Text("transfer"); t != "two-sided" {
		words = append(words, t)
	}
	if a := algorithm.Name(sc, coll.OpBcast); a != algorithm.ByModel {
		words = append(words, a)
	}
	for _, side := range []string{"in", "out"} {
		if v := sc.Text("sync-" + side); v != "mysync" {
			words = append(words, v+" "+side)
		}
	}
	return strings.Join(words, ", ")
}

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// complete explains the time of a product: the parts of it, the hidden share of its panels, and the
// row that hides more of them.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnRanks)
	v.Plots = []engine.Plot{{Title: "time of a product"}, {Title: "panels of a step"}, {Title: "share of compute-only speed, over ranks"}}
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnTime]
	v.Glance = fmt.Sprintf("%s per product, %s of compute-only speed, %s", seconds(v.Time),
		study.Percent(now.Cells[columnShare]), s.Kind)
	best := now
	for i := range v.Rows {
		r := &v.Rows[i]
		if problemIn(r) == problemIn(now) && r.Cells[columnTime]*study.Alike < best.Cells[columnTime] {
			best = r
		}
	}
	text := why(now, s, len(v.Facts) > 0 && v.Facts[0].Text == inCalls)
	if best != now {
		best.Flag = engine.Best
		text += fmt.Sprintf(". With %s, %s is hidden, and the product is %s× faster", schemeIn(best), hiddenText(best),
			study.Figure(v.Time/best.Cells[columnTime]))
	}
	v.Why = fmt.Sprintf("%s (%s).", text, s.Kind)
}

// keySeparator separates the two parts of a row's key: how panels are fetched, and the product with
// its ranks.
const keySeparator = " on "

// problemIn returns the part of a row's key for the matrices and the ranks.
func problemIn(r *engine.Row) string { _, text, _ := strings.Cut(r.Key, keySeparator); return text }

// schemeIn returns the part of a row's key for the way panels are fetched.
func schemeIn(r *engine.Row) string { text, _, _ := strings.Cut(r.Key, keySeparator); return text }

// why explains where a product's time goes.
func why(now *engine.Row, s *engine.Snapshot, calls bool) string {
	c, sc := now.Cells, &s.Scenario
	if !(c[columnPanel] > 0) {
		return fmt.Sprintf("%s: a product takes %s. No panel comes from another rank", schemeIn(now), seconds(c[columnTime]))
	}
	text := fmt.Sprintf("%s: each step waits %s for its panels, which take %s alone", schemeIn(now),
		seconds(c[columnStepWait]), seconds(c[columnPanel]))
	if sc.Text("schedule") == blocking {
		return text + ". No rank computes meanwhile"
	}
	text += fmt.Sprintf(". Of that time, %s is hidden", hiddenText(now))
	switch longest := c[columnLongest]; {
	case !(longest > c[columnPanel]/10):
	case sc.Int("slices") == 1 && calls:
		text += fmt.Sprintf(". Step %.0f waited longest, %s, because no rank polled during its product", c[columnStep],
			seconds(longest))
	default:
		text += fmt.Sprintf(". Step %.0f waited longest, %s", c[columnStep], seconds(longest))
	}
	return text
}

// hiddenText returns the share of the panels that a row hides, as a percentage.
func hiddenText(r *engine.Row) string {
	return study.Percent(min(1, max(0, 1-r.Cells[columnStepWait]/r.Cells[columnPanel])))
}

// The progress engine that advances broadcasts while ranks compute.
const inCalls = "broadcasts advance only inside the ranks' own calls"

var progressWords = map[cluster.Progress]string{
	cluster.ProgressCall: inCalls, cluster.ProgressThread: "a progress thread per rank advances broadcasts",
	cluster.ProgressOffload: "adapters advance broadcasts",
}

// frame draws the grid of ranks and names the progress engine of the machine.
func frame(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) engine.StudyView {
	v := engine.StudyView{Now: -1}
	if b := checkerboard(s); b != nil {
		v.Draw(b)
	}
	if words := progressWords[workload.ProgressOf(m, kind)]; words != "" {
		v.Facts = []engine.Note{{Text: words, Dim: true}}
	}
	return v
}

func seconds(x float64) string {
	if math.IsNaN(x) {
		return "an unknown time"
	}
	return cluster.FromSeconds(x).String()
}
