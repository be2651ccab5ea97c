package pingpong

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of sizes.
const (
	columnSize = iota
	columnLatency
	columnLatencyModel
	columnBandwidth
	columnBandwidthModel
	columns
)

var sizeColumns = []engine.Column{
	columnSize:           {Name: "size", Unit: "B"},
	columnLatency:        {Name: "latency", Title: "one way", Unit: "s", Wide: 9},
	columnLatencyModel:   {Name: "latency_model", Title: "model", Unit: "s", Wide: 9, Kind: engine.Modelled},
	columnBandwidth:      {Name: "bandwidth", Title: "bandwidth", Unit: "B/s", Wide: 11},
	columnBandwidthModel: {Name: "bandwidth_model", Title: "model", Unit: "B/s", Wide: 11, Kind: engine.Modelled},
}

// overSizes compares messages of all sizes, methods and partners.
var overSizes = &engine.Study{
	Form: engine.Form{
		Name: "sizes", Title: "Latency and bandwidth", Of: "a message", Item: "size", Metric: "latency",
		Absent:  "this workload does not vary the message size",
		Columns: sizeColumns,
		Charts: []engine.Chart{
			{Shape: engine.Curve, X: columnSize, Y: []int{columnLatency}, XLog: 2, YLog: 10, Join: true},
			{Shape: engine.Curve, X: columnSize, Y: []int{columnBandwidth}, XLog: 2, YLog: 10, Join: true},
		},
		Brief: engine.Brief{Column: columnLatency, After: " one way"},
	},
	Varying:  study.AnyKind("size", "method", "pair", "rounds"),
	Frame:    frame,
	Observe:  observe,
	Complete: complete,
}

// maxSize is the size up to which the model's lines are drawn, or further if a knob is larger.
const maxSize = 1 << 20

// frame draws the machine's lines for the method and the partner that the knobs choose,
// and the eager limit.
func frame(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) engine.StudyView {
	v := engine.StudyView{Now: -1,
		Plots: []engine.Plot{{Title: "one-way time, over size"}, {Title: "bandwidth, over size"}}}
	if s.Text("method") == "two-sided" {
		if eager := eagerLimit(s, m); eager > 0 {
			for i := range v.Plots {
				v.Plots[i].Rules = []engine.Rule{{At: float64(eager), Vertical: true, Label: "eager limit", Minor: true}}
			}
		}
	}
	latency := engine.Line{Name: "modelled", Kind: engine.Modelled, Look: engine.Dashed}
	bandwidth := latency
	for size := int64(1); size <= max(maxSize, s.Int("size")); size *= 2 {
		t, ok := model(s, m, kind, size)
		if !ok || t <= 0 {
			return v
		}
		latency.X, latency.Y = append(latency.X, float64(size)), append(latency.Y, t.Seconds())
		bandwidth.X, bandwidth.Y = append(bandwidth.X, float64(size)), append(bandwidth.Y, float64(size)/t.Seconds())
	}
	v.Plots[0].Lines, v.Plots[1].Lines = []engine.Line{latency}, []engine.Line{bandwidth}
	if n, rate := halfBandwidth(s, m, kind); n > 0 {
		v.Plots[1].Marks = []engine.Marker{{X: float64(n), Y: rate, Glyph: engine.AtEqual, Kind: engine.Modelled,
			Text: "n½ " + cluster.SizeText(float64(n))}}
	}
	return v
}

// halfBandwidth returns n½ by the model: the shortest message that reaches half of the link's
// bandwidth, and its bandwidth in B/s. It returns 0 if there is none.
func halfBandwidth(s *engine.Scenario, m *cluster.Machine, kind engine.Kind) (n int64, rate float64) {
	at := func(size int64) float64 {
		if t, ok := model(s, m, kind, size); ok && t > 0 {
			return float64(size) / t.Seconds()
		}
		return 0
	}
	want := m.Classes[classes[s.Text("pair")]].Bandwidth / 2
	const longest = 1 << 40
	high := int64(1)
	for ; at(high) < want; high *= 2 {
		if high == longest {
			return 0, 0
		}
	}
	for low := high / 2; high-low > 1; {
		if mid := (low + high) / 2; at(mid) < want {
			low = mid
		} else {
			high = mid
		}
	}
	if want <= 0 {
		return 0, 0
	}
	return high, at(high)
}

// observe returns the row of the present run.
func observe(s *engine.Snapshot) []engine.Row {
	latency, ok := s.Metric("latency")
	if !ok || s.Iteration == 0 {
		return nil
	}
	cells := make([]float64, columns)
	for i, c := range sizeColumns {
		cells[i] = math.NaN()
		if m, ok := s.Metric(c.Name); ok {
			cells[i] = m.Value
		}
	}
	sc := &s.Scenario
	size := sc.Int("size")
	cells[columnSize] = float64(size)
	series := sc.Text("method") + ", " + sc.Text("pair")
	label := cluster.SizeText(float64(size)) + " " + sc.Text("method")
	if sc.Text("pair") != "remote" {
		label += ", " + sc.Text("pair")
	}
	return []engine.Row{{
		Key: fmt.Sprintf("%s %s %d", s.Kind, series, size), Label: label, Series: series, Kind: latency.Kind, Cells: cells,
	}}
}

// complete compares the time of the present message with the others of its size, or with
// the model.
func complete(v *engine.StudyView, s *engine.Snapshot) {
	study.Sort(v, columnSize)
	now := v.Present()
	if now == nil {
		return
	}
	v.Time = now.Cells[columnLatency]
	text := fmt.Sprintf("%s: %s one way (%s)", now.Label, cluster.FromSeconds(v.Time), now.Kind)
	v.Why = text + "."
	if model := now.Cells[columnLatencyModel]; model > 0 {
		v.Why = fmt.Sprintf("%s, %s× the model's %s.", text, study.Figure(v.Time/model), cluster.FromSeconds(model))
	}
	var other *engine.Row
	for i := range v.Rows {
		if r := &v.Rows[i]; r.Kind == now.Kind && r.Series != now.Series && r.Cells[columnSize] == now.Cells[columnSize] {
			if other == nil || r.Cells[columnLatency] < other.Cells[columnLatency] {
				other = r
			}
		}
	}
	if other != nil {
		v.Why = fmt.Sprintf("%s. %s.", text, compare(v.Time, other))
	}
}

// compare compares the time of a message with the time in another series.
func compare(t float64, other *engine.Row) string {
	switch ratio := other.Cells[columnLatency] / t; {
	case ratio >= study.Alike:
		return fmt.Sprintf("With %s a message takes %s× as long", other.Series, study.Figure(ratio))
	case ratio <= 1/study.Alike:
		return fmt.Sprintf("With %s a message is %s× faster", other.Series, study.Figure(1/ratio))
	}
	return other.Series + " takes equally long"
}
