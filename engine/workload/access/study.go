package access

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/models"
)

// Columns of the study of methods.
const (
	columnSize = iota
	columnTime
	columnBandwidth
	columnFormula
	columnRatio
	columnCopies
	columns
)

var methodColumns = []engine.Column{
	columnSize:      {Name: "size", Title: "size", Unit: "B", Wide: 8},
	columnTime:      {Name: "time", Title: "time", Unit: "s", Wide: 9},
	columnBandwidth: {Name: "bandwidth", Title: "bandwidth", Unit: "B/s", Wide: 11, Legend: "bandwidth"},
	columnFormula: {Name: "formula", Title: "table 2", Unit: "B/s", Wide: 11, Kind: engine.Modelled,
		Legend: "by the formula"},
	columnRatio:  {Name: "ratio", Title: "ratio", Unit: "1", Wide: 6},
	columnCopies: {Name: "copies", Title: "copies", Unit: "1", Wide: 6, Kind: engine.Published},
}

// byMethod compares the ways to remote memory over size, with the formulas of table 2.
var byMethod = &engine.Study{
	Form: engine.Form{
		Name: "methods", Title: "Ways to remote memory", Caption: "bandwidth of the requested bytes",
		Of: "an access", Item: "method", Metric: "access_time",
		Absent:  "this workload has no table of ways to remote memory",
		Columns: methodColumns,
		Charts: []engine.Chart{
			{Shape: engine.Bars, Y: []int{columnBandwidth, columnFormula}, YLog: 10},
			{Shape: engine.Curve, X: columnSize, Y: []int{columnBandwidth}, XLog: 2, YLog: 10, Join: true},
		},
		Brief:  engine.Brief{Column: columnTime},
		Listed: true,
	},
	Varying:  study.AnyKind("method", "size", "page", "depth", "line"),
	Frame:    frame,
	Observe:  observe,
	Complete: complete,
}

// maxSize is the size up to which the formulas are drawn, or further if the knob is larger.
const maxSize = 1 << 20

// frame draws the formulas of table 2 over size.
func frame(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) engine.StudyView {
	v := engine.StudyView{Now: -1, Plots: []engine.Plot{{Title: "bandwidth by method"}, {Title: "bandwidth, over size"}}}
	lines := make([]engine.Line, len(methods))
	at := s.Clone()
	for size := int64(wordSize); size <= max(maxSize, s.Int("size")); size *= 2 {
		if at.Set("size", fmt.Sprint(size)) != nil {
			break
		}
		formulas := Formulas(&at, m, kind)
		for k, way := range methods {
			if a, ok := formulas[way.name]; ok {
				lines[k].X, lines[k].Y = append(lines[k].X, float64(size)), append(lines[k].Y, a.Value)
			}
		}
	}
	for k, way := range methods {
		lines[k].Kind, lines[k].Look = engine.Modelled, engine.Dashed
		if selected := s.Text("method"); len(lines[k].X) > 0 && (selected == allMethods || selected == way.name) {
			v.Plots[1].Lines = append(v.Plots[1].Lines, lines[k])
		}
	}
	return v
}

// observe returns a row for each method of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	if s.Iteration == 0 {
		return nil
	}
	sc := &s.Scenario
	at := shapeOf(sc.Int)
	var rows []engine.Row
	for _, way := range methods {
		took, ok := s.Metric(way.metric("time"))
		if !ok {
			continue
		}
		cells := make([]float64, columns)
		for i := range cells {
			cells[i] = math.NaN()
		}
		cells[columnSize], cells[columnTime] = float64(at.bytes()), took.Value
		cells[columnCopies] = float64(copies[way.name])
		if b, ok := s.Metric(way.metric("bandwidth")); ok {
			cells[columnBandwidth] = b.Value
		}
		if f, ok := s.Metric(way.metric("formula")); ok {
			cells[columnFormula] = f.Value
			cells[columnRatio] = cells[columnBandwidth] / f.Value
		}
		label := way.name
		switch way.name {
		case "page":
			label += " of " + cluster.SizeText(float64(at.page))
		case "prefetch":
			label += fmt.Sprintf(", %d × %s", sc.Int("depth"), cluster.SizeText(float64(unitOf(sc))))
		}
		rows = append(rows, engine.Row{Key: fmt.Sprintf("%s %s %d", s.Kind, label, at.bytes()), Label: label,
			Series: way.name, Kind: took.Kind, Cells: cells})
	}
	return rows
}

// unitOf returns the bytes of a prefetch.
func unitOf(s *engine.Scenario) int64 {
	if s.Int("stride") > 1 {
		return wordSize
	}
	return max(s.Int("line")/wordSize, 1) * wordSize
}

// complete compares the methods at the present size.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnSize)
	now := v.Present()
	if now == nil {
		return
	}
	var best, worst *engine.Row
	for i := range v.Rows {
		r := &v.Rows[i]
		if r.Kind != now.Kind || r.Cells[columnSize] != now.Cells[columnSize] {
			continue
		}
		if best == nil || r.Cells[columnTime] < best.Cells[columnTime] {
			best = r
		}
		if worst == nil || r.Cells[columnTime] > worst.Cells[columnTime] {
			worst = r
		}
	}
	best.Flag = engine.Best
	v.Time = now.Cells[columnTime]
	if s.Scenario.Text("method") == allMethods {
		v.Time = best.Cells[columnTime]
	}
	v.Why = why(now, best, worst, s)
	v.Glance = fmt.Sprintf("%s %s by %s", cluster.FromSeconds(best.Cells[columnTime]), best.Kind, best.Label)
}

// why states the fastest method or the present one, the cause, and the next step.
func why(now, best, worst *engine.Row, s *engine.Snapshot) string {
	sc := &s.Scenario
	if sc.Text("method") == allMethods {
		now = worst
	}
	text := fmt.Sprintf("%s: %s for %s", now.Label, cluster.FromSeconds(now.Cells[columnTime]),
		cluster.SizeText(now.Cells[columnSize]))
	if best != now {
		text += fmt.Sprintf(", %s× as long as %s", study.Figure(now.Cells[columnTime]/best.Cells[columnTime]), best.Label)
	}
	return fmt.Sprintf("%s. %s (%s).", text, cause(now, sc), s.Kind)
}

// cause explains the time of a method, and names the knob to change.
func cause(r *engine.Row, s *engine.Scenario) string {
	at := shapeOf(s.Int)
	switch r.Series {
	case "word":
		return fmt.Sprintf("Each of %d words waits for the one before it. Try method = prefetch", at.words)
	case "prefetch":
		if s.Int("depth") == 1 {
			return "Each request waits for the one before it. Increase depth"
		}
		return fmt.Sprintf("Up to %d requests overlap, and each has its overhead. Increase depth, then line", s.Int("depth"))
	case "page":
		used := float64(at.bytes()) / float64(touched(&at)*at.page)
		return fmt.Sprintf("Pages arrive one after the other, and %.2g%% of their bytes are needed. Change stride or page",
			100*used)
	case "one-sided":
		return "The closing fence waits for both ranks. Try method = buffering"
	case "two-sided":
		return "Both ranks take part, above the eager limit with a handshake. Change size or eager-limit"
	}
	return "All words share one latency. Increase size to reach the link's bandwidth"
}

// touched returns the number of pages with a requested word.
func touched(at *shape) int64 { return min(at.words, at.extent()/at.page) }

// copies are the copies in memory of each method, by table 2.
var copies = func() map[string]int {
	by := make(map[string]int)
	all, err := models.PaperAccess.Accesses(1)
	if err != nil {
		panic(err)
	}
	for _, a := range all {
		by[a.Name] = a.Copies
	}
	return by
}()
