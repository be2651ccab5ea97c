package collective

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
)

// Columns of the study of algorithms.
const (
	columnSize = iota
	columnRanks
	columnTime
	columnModel
)

// overSizes compares algorithms over the size of the data and the ranks.
var overSizes = &engine.Study{
	Form: engine.Form{
		Name: "algorithms", Title: "Algorithms", Of: "a call", Item: "algorithm, size, ranks", Metric: "call_time",
		Absent: "WORKLOAD has no table of collective algorithms",
		Columns: []engine.Column{
			columnSize:  {Name: "size", Title: "size", Unit: "B", Wide: 9},
			columnRanks: {Name: "ranks", Title: "ranks", Unit: "1", Wide: 7},
			columnTime:  {Name: "call_time", Title: "call", Unit: "s", Wide: 9},
			columnModel: {Name: "call_time_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled},
		},
		Charts: []engine.Chart{
			{Shape: engine.Curve, X: columnSize, Y: []int{columnTime}, XLog: 2, YLog: 10, Join: true},
			{Shape: engine.Curve, X: columnRanks, Y: []int{columnTime}, XLog: 2, YLog: 10, Same: []int{columnSize}},
		},
		Brief:   engine.Brief{Column: columnTime, After: " per call"},
		Chooses: []string{"algorithm", "composition", "radix", "segments", "transfer", "addresses", "sync-in", "sync-out"},
	},
	Varying: study.AnyKind("algorithm", "composition", "tries", "radix", "segments", "transfer", "addresses", "sync-in", "sync-out", "size",
		"root", "calls", "slices", "overlap", "nodes", "ranks-per-node", "ranking", "group"),
	Frame: func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) engine.StudyView {
		return frame(s, m, kind, false)
	},
	Slow: func(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) engine.StudyView {
		return frame(s, m, kind, true)
	},
	Observe: observe, Complete: complete,
}

// sizes returns the sizes for the model's lines and the decision map.
func sizes(present int64) []int64 {
	var all []int64
	for n := int64(8); n <= 4<<20; n *= 4 {
		all = append(all, n)
	}
	return insert(all, present)
}

// insert inserts a value above zero into an ascending list.
func insert(all []int64, x int64) []int64 {
	at, there := slices.BinarySearch(all, x)
	if there || x <= 0 {
		return all
	}
	return slices.Insert(all, at, x)
}

// frame returns the messages of the model and the decision map. With prices, the map has the model's winners, and the
// plots have the model's lines: one for the selected algorithm, and one for the best algorithm at each size.
func frame(s *engine.Scenario, m *cluster.Machine, kind engine.Kind, priced bool) engine.StudyView {
	v := engine.StudyView{Now: -1,
		Plots: []engine.Plot{{Title: "time of a call by size"}, {Title: "time of a call by ranks"}}}
	l := s.Layout()
	ranks := l.N().MPI
	w := teamSiteOf(s, m, kind)
	k, err := w.chosen(s, ranks)
	if err != nil {
		return v
	}
	n := length(s)
	c, ok := w.Costs()
	v.Draw(flow(s, &k, &c, ok))
	if s.Text("algorithm") == algorithm.Online {
		v.Draw(w.flows(s, ranks, &c, ok))
	}
	v.Draw(w.decisionMap(s, &c, ok, priced))
	if !ok || !priced {
		return v
	}
	selected := engine.Line{Name: "modelled", Kind: engine.Modelled, Look: engine.Dashed}
	least := engine.Line{Name: "best by the model", Kind: engine.Modelled, Look: engine.Faint}
	before := ""
	for _, n := range sizes(n) {
		if n%unit != 0 && of(s).Combines() {
			continue
		}
		one, _ := w.Estimate(s, &k, n)
		selected.X, selected.Y = append(selected.X, float64(n)), append(selected.Y, one.Seconds())
		win, t := w.Best(s, of(s), ranks, n)
		least.X, least.Y = append(least.X, float64(n)), append(least.Y, t.Seconds())
		if name := win.Algorithm.Name; before != "" && name != before {
			v.Plots[0].Rules = append(v.Plots[0].Rules,
				engine.Rule{At: float64(n), Vertical: true, Label: name, Wide: name + " is fastest from here", Minor: true})
		}
		before = win.Algorithm.Name
	}
	v.Plots[0].Lines = []engine.Line{selected, least}
	selected.X, selected.Y = nil, nil
	for _, p := range teams(ranks) {
		if k, err := w.Key(s, k.Algorithm, int(p)); err == nil {
			one, _ := w.Estimate(s, &k, n)
			selected.X, selected.Y = append(selected.X, float64(p)), append(selected.Y, one.Seconds())
		}
	}
	v.Plots[1].Lines = []engine.Line{selected}
	return v
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	t, ok := s.Metric("call_time")
	if !ok || s.Iteration == 0 {
		return nil
	}
	l := s.Scenario.Layout()
	ranks := l.N().MPI
	series := s.Scenario.Text("algorithm")
	if a, err := coll.Find(of(&s.Scenario), algorithm.Name(&s.Scenario, of(&s.Scenario))); err == nil {
		k, err := a.Key(teamSiteIn(&l, nil, s.Kind).Parameters(&s.Scenario, a, ranks))
		if err != nil {
			return nil
		}
		series = algorithm.Describe(&k)
	}
	model := math.NaN()
	if m, ok := s.Metric("call_time_model"); ok {
		model = m.Value
	}
	n := length(&s.Scenario)
	label := fmt.Sprintf("%s, %s, %d×%d", series, cluster.SizeText(float64(n)), l.Nodes, l.RanksPerNode)
	return []engine.Row{{
		Key:   fmt.Sprintf("%s %s %s %s %d", t.Kind, label, l.Ranking, s.Scenario.Text("root"), l.N().MPI),
		Label: label, Series: fmt.Sprintf("%s, %d×%d", series, l.Nodes, l.RanksPerNode), Kind: t.Kind,
		Cells: []float64{columnSize: float64(n), columnRanks: float64(ranks), columnTime: t.Value, columnModel: model},
	}}
}

// algorithmIn returns the algorithm of a row, or "" if the model or a table chose it.
func algorithmIn(r *engine.Row) string {
	name, _, _ := strings.Cut(r.Series, ", ")
	if name == algorithm.ByModel || name == algorithm.ByTable || name == algorithm.Online ||
		algorithm.IsLibrary(name) {
		return ""
	}
	return name
}

// complete explains the time of the present algorithm, compares it with the model and other
// algorithms, and adds the results of runs to the flow and the decision map.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnSize)
	f := engine.DrawingIn[*Flow](v)
	if f == nil {
		return // the knobs choose no algorithm
	}
	if all := engine.DrawingIn[*Flows](v); all != nil {
		f = all.chosen(algorithm.Chosen(s), f)
	}
	f = withRun(f, s)
	v.Draw(f)
	v.Draw(withRuns(v, engine.DrawingIn[*Map](v)))
	now := v.Present()
	if now == nil {
		return
	}
	v.Time, v.Scheme = now.Cells[columnTime], f.Name
	v.Why, v.Gain = why(v, s, now), hiddenShare(s)
	v.Glance = fmt.Sprintf("%s: %s", f.Name, cluster.FromSeconds(v.Time))
}
