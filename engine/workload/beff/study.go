package beff

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// patternNames are the names of b_eff's patterns, in the order of ringSizes. The last one is for
// all random orders.
var patternNames = []string{"rings of 2", "rings of 4", "rings of 8", "rings of p/4", "rings of p/2", "one ring",
	"random rings"}

// patternLabels returns the sizes and patterns that a scenario measures.
func patternLabels(s *engine.Scenario, m *cluster.Machine) (rows, columns []string) {
	rows, _ = labels(s, m)
	if s.Text("pattern") == patternCubes {
		return rows, []string{"3-D grid"}
	}
	return rows, patternNames
}

// Columns of the study of sizes.
const (
	columnSize = iota
	columnBandwidth
	columns
)

// overSizes compares patterns and methods by message size. Each run adds many rows.
var overSizes = &engine.Study{
	Form: engine.Form{
		Name: "patterns", Title: "Bandwidth by pattern", Of: "a round", Item: "pattern, size", Metric: "b_eff_average",
		Listed: true,
		Absent: "this workload has no table of message patterns",
		Columns: []engine.Column{
			columnSize:      {Name: "size", Title: "size", Unit: "B", Wide: 9},
			columnBandwidth: {Name: "bandwidth", Title: "bandwidth", Unit: "B/s", Wide: 11},
		},
		Charts: []engine.Chart{
			{Shape: engine.Bars, Y: []int{columnBandwidth}, Same: []int{columnSize}},
			{Shape: engine.Curve, X: columnSize, Y: []int{columnBandwidth}, XLog: 2, YLog: 10, Join: true},
			{Shape: engine.Heat, X: columnSize, Y: []int{columnBandwidth}, YLog: 10},
		},
		Brief: engine.Brief{Column: columnBandwidth},
	},
	Varying:  study.AnyKind("lmax", "sizes", "method"),
	Frame:    frame,
	Observe:  observe,
	Complete: complete,
}

// key returns the key of a row.
func key(series, size string) string { return series + ", " + size }

// frame returns all rows that the run will fill, with their sizes.
func frame(s *engine.Scenario, m *cluster.Machine, _ engine.Kind) engine.StudyView {
	v := engine.StudyView{Now: -1,
		Plots: []engine.Plot{{Title: "bandwidth with the longest message"}, {Title: "total bandwidth by message size"},
			{Title: "bandwidth by pattern and size"}}}
	rows, patterns := patternLabels(s, m)
	_, methods := labels(s, m)
	l := s.Layout()
	lengths := sizes(s.Text("sizes"), lmax(s.Text("lmax"), s.Int("lmax"), m, &l))
	for _, series := range slices.Concat(patterns, methods) {
		for k, size := range rows {
			v.Rows = append(v.Rows, engine.Row{
				Key: key(series, size), Label: key(series, size), Series: series,
				Cells: []float64{columnSize: float64(lengths[k]), columnBandwidth: math.NaN()},
			})
		}
	}
	return v
}

// observe returns a row for each pattern and each method at each size. The first row is one ring of
// all processes, or the grid, with the longest message, which determines b_eff at Lmax.
func observe(s *engine.Snapshot) []engine.Row {
	wins := tally(s, "best_method")
	patterns := tally(s, "pattern_bandwidth")
	methods := tally(s, "method_bandwidth")
	if wins == nil || patterns == nil || methods == nil || s.Counted == 0 {
		return nil
	}
	var all []engine.Row
	for k, size := range slices.Backward(wins.Rows) {
		measured := int64(0) // patterns in all iterations
		for m := range wins.Columns {
			measured += wins.At(k, m)
		}
		rings := min(int64(s.Counted), measured)
		row := func(series string, sum, n int64) {
			if n > 0 {
				all = append(all, engine.Row{
					Key: key(series, size), Label: key(series, size), Series: series, Kind: s.Kind,
					Cells: []float64{columnSize: math.NaN(), columnBandwidth: float64(sum) / float64(n)},
				})
			}
		}
		for i, name := range slices.Backward(patterns.Columns) {
			n := rings
			if i == len(patternNames)-1 {
				continue
			}
			row(name, patterns.At(k, i), n)
		}
		if i := len(patternNames) - 1; len(patterns.Columns) > i {
			row(patterns.Columns[i], patterns.At(k, i), measured-rings*int64(i))
		}
		for m, name := range methods.Columns {
			row(name, methods.At(k, m), measured)
		}
	}
	return all
}

// tally returns the table of counts with a name, or nil.
func tally(s *engine.Snapshot, name string) *engine.Table {
	for i := range s.Tallies {
		if s.Tallies[i].Name == name {
			return &s.Tallies[i]
		}
	}
	return nil
}

// complete compares the patterns with the highest and the lowest bandwidth for the longest message.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	key := ""
	if now := v.Present(); now != nil {
		key = now.Key
	}
	// rows of other sizes, from earlier runs
	v.Rows = slices.DeleteFunc(v.Rows, func(r engine.Row) bool { return math.IsNaN(r.Cells[columnSize]) })
	if key == "" {
		return
	}
	v.Now = slices.IndexFunc(v.Rows, func(r engine.Row) bool { return r.Key == key })
	longest := v.Cell(v.Now, columnSize)
	var best, worst *engine.Row
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Cells[columnSize] != longest || math.IsNaN(r.Cells[columnBandwidth]) ||
			!slices.Contains(patternNames, r.Series) {
			continue
		}
		if best == nil || r.Cells[columnBandwidth] > best.Cells[columnBandwidth] {
			best = r
		}
		if worst == nil || r.Cells[columnBandwidth] < worst.Cells[columnBandwidth] {
			worst = r
		}
	}
	if best != nil && best != worst {
		best.Flag = engine.Best
		v.Why = fmt.Sprintf("Messages of %s: %s reach %s× the bandwidth of %s (%.3g and %.3g GB/s in total, %s).",
			cluster.SizeText(longest),
			best.Series, study.Figure(best.Cells[columnBandwidth]/worst.Cells[columnBandwidth]), worst.Series,
			best.Cells[columnBandwidth]/1e9, worst.Cells[columnBandwidth]/1e9, s.Kind)
	}
}
