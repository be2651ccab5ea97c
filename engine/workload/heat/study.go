package heat

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of variants.
const (
	columnNodes = iota
	columnTime
	columnModel
	columnMedian
	columnSpread
	columnCompute
	columnExchange
	columnReduce
)

var variantColumns = []engine.Column{
	columnNodes:    {Name: "nodes", Title: "nodes", Unit: "1", Wide: 6},
	columnTime:     {Name: "step_time", Title: "step", Unit: "s", Wide: 9, Legend: "step"},
	columnModel:    {Name: "step_time_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled},
	columnMedian:   {Name: "step_median", Title: "median", Unit: "s", Wide: 9},
	columnSpread:   {Name: "step_spread", Title: "spread", Unit: "1", Wide: 7},
	columnCompute:  {Name: "compute_time", Title: "compute", Unit: "s", Wide: 9, Legend: "compute"},
	columnExchange: {Name: "exchange_time", Title: "exchange", Unit: "s", Wide: 9, Legend: "exchange"},
	columnReduce:   {Name: "reduce_time", Title: "reduce", Unit: "s", Wide: 9, Legend: "reduce"},
}

// byVariant compares the ways to exchange faces, over nodes.
var byVariant = &engine.Study{
	Form: engine.Form{
		Name: "variants", Title: "Steps by variant", Of: "a step", Item: "nodes × ranks, variant", Metric: "step_time",
		Absent:  "this workload does not exchange faces",
		Columns: variantColumns,
		Charts: []engine.Chart{
			{Shape: engine.Stack, Y: []int{columnCompute, columnExchange, columnReduce}},
			{Shape: engine.Curve, X: columnNodes, Y: []int{columnTime}, XLog: 2, YLog: 10, Join: true},
		},
		Brief: engine.Brief{Column: columnTime, After: " per step"},
	},
	Varying: study.AnyKind("variant", "prepost", "overlap", "reduce-every", "inboxes", "memory", "noise-rate",
		"noise-length", "nodes", "ranks-per-node", "steps"),
	Observe:  observe,
	Complete: complete,
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	cells, ok := study.CellsOf(s, variantColumns, columnTime)
	if !ok {
		return nil
	}
	l := &s.Layout
	cells[columnNodes] = float64(l.Nodes)
	series := series(&s.Scenario)
	label := fmt.Sprintf("%d×%d, %s", l.Nodes, l.RanksPerNode, series)
	return []engine.Row{{Key: fmt.Sprintf("%s %s", s.Kind, label), Label: label, Series: series, Kind: s.Kind,
		Cells: cells}}
}

// series names the way in which a scenario exchanges faces.
func series(sc *engine.Scenario) string {
	series := sc.Text("variant")
	if series == twoSided && sc.Text("prepost") == "on" {
		series += ", preposted"
	}
	if sc.Text("overlap") == "off" {
		series += ", no overlap"
	}
	if n := sc.Int("reduce-every"); n > 1 {
		series += fmt.Sprintf(", reduced every %d", n)
	}
	if sc.Text("inboxes") == oneInbox && sc.Text("variant") != twoSided {
		series += ", one inbox"
	}
	if memory := sc.Text("memory"); memory != memoryHost {
		series += ", " + memory
	}
	if rate := sc.Float("noise-rate"); rate > 0 {
		series += fmt.Sprintf(", %s detours/s", study.Figure(rate))
	}
	return series
}

// complete explains the time of a step, and compares it with the best other variant of the same
// layout.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnNodes)
	v.Plots = []engine.Plot{{Title: "parts of a step"}, {Title: "time per step, over nodes"}}
	now := v.Present()
	if now == nil {
		return
	}
	if nodes := now.Cells[columnNodes]; nodes > 0 {
		v.Plots[1].Lines = []engine.Line{ideal(v, now)}
		v.Plots[1].Marks = optima(v, now.Kind)
	}
	v.Time = now.Cells[columnTime]
	parts := now.Cells[columnCompute] + now.Cells[columnExchange] + now.Cells[columnReduce]
	text := fmt.Sprintf("%s: %s per step", now.Label, cluster.FromSeconds(v.Time))
	if words := describeFaces(s); parts > 0 && words != "" {
		text += fmt.Sprintf(". The exchange of %[2]s takes %[1]s of it, reductions take %[3]s",
			study.Percent(now.Cells[columnExchange]/parts), words, study.Percent(now.Cells[columnReduce]/parts))
	}
	v.Glance = fmt.Sprintf("%s per step, %s", cluster.FromSeconds(v.Time), s.Kind)
	var best *engine.Row
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind == now.Kind && r.Series != now.Series && layoutIn(r.Label) == layoutIn(now.Label) && (best == nil ||
			r.Cells[columnTime] < best.Cells[columnTime]) {
			best = r
		}
	}
	if best == nil {
		v.Why = fmt.Sprintf("%s (%s).", text, s.Kind)
		return
	}
	switch ratio := v.Time / best.Cells[columnTime]; {
	case ratio >= study.Alike:
		best.Flag = engine.Best
		text += fmt.Sprintf(". With %s a step is %s× faster", best.Series, study.Figure(ratio))
	case ratio <= 1/study.Alike:
		now.Flag = engine.Best
		text += fmt.Sprintf(". The next best, %s, takes %s× as long", best.Series, study.Figure(1/ratio))
	default:
		text += ". With " + best.Series + " there is no difference"
	}
	v.Why = fmt.Sprintf("%s (%s).", text, s.Kind)
}

// layoutIn returns the layout part of a label.
func layoutIn(label string) string {
	var nodes, ranks int
	if _, err := fmt.Sscanf(label, "%d×%d", &nodes, &ranks); err != nil {
		return label
	}
	return fmt.Sprintf("%d×%d", nodes, ranks)
}

// describeFaces describes the faces of the process that sends the most bytes in a step. It returns
// "" if no process sends any.
func describeFaces(s *engine.Snapshot) string {
	l, sc := s.Layout, &s.Scenario
	world := l.World()
	n := divide(len(world))
	var bytes int64
	var peers int
	for i := range world {
		b := blockOf(int(sc.Int("size")), n, i)
		if sent, k := b.sent(); sent > bytes {
			bytes, peers = sent, k
		}
	}
	if peers == 0 {
		return ""
	}
	size := cluster.SizeText(math.Round(float64(bytes) / float64(peers)))
	if peers == 1 {
		return "one face of " + size
	}
	return fmt.Sprintf("%d faces of %s", peers, size)
}

// ideal returns the curve of perfect scaling: steps shared evenly by the nodes, through the run of
// the present series on the fewest nodes.
func ideal(v *engine.StudyView, now *engine.Row) engine.Line {
	line := engine.Line{Name: "ideal", Kind: engine.Modelled, Look: engine.Faint}
	first := now
	maxNodes := now.Cells[columnNodes]
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind || r.Series != now.Series {
			continue
		}
		if r.Cells[columnNodes] < first.Cells[columnNodes] {
			first = r
		}
		maxNodes = max(maxNodes, r.Cells[columnNodes])
	}
	if maxNodes == first.Cells[columnNodes] {
		return line
	}
	for n := first.Cells[columnNodes]; n <= maxNodes; n *= 2 {
		line.X = append(line.X, n)
		line.Y = append(line.Y, first.Cells[columnTime]*first.Cells[columnNodes]/n)
	}
	return line
}

// optima marks the shortest step of each series of a kind, if the series also has a run on more
// nodes.
func optima(v *engine.StudyView, kind engine.Kind) []engine.Marker {
	var markers []engine.Marker
	best, maxNodes := map[string]int{}, map[string]float64{}
	var order []string
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != kind {
			continue
		}
		b, seen := best[r.Series]
		if !seen {
			order = append(order, r.Series)
		}
		if !seen || r.Cells[columnTime] < v.Rows[b].Cells[columnTime] {
			best[r.Series] = i
		}
		maxNodes[r.Series] = max(maxNodes[r.Series], r.Cells[columnNodes])
	}
	for _, series := range order {
		r := &v.Rows[best[series]]
		if r.Cells[columnNodes] < maxNodes[series] {
			markers = append(markers,
				engine.Marker{X: r.Cells[columnNodes], Y: r.Cells[columnTime], Glyph: engine.AtBest, Kind: kind,
					Text: fmt.Sprintf("best of %s: %.0f nodes", series, r.Cells[columnNodes])})
		}
	}
	return markers
}
