package heat

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of steps: of two successive steps of a process.
const (
	spreadMedian = iota
	spreadPeak
	spreadTenth
	spreadNinetieth
	spreadMost
	spreadCount
)

// bySpread shows the histograms of paper 4's figure 2, each variant's beside the others'.
var bySpread = &engine.Study{
	Form: engine.Form{
		Name: study.StepsName, Title: "Two successive steps", Of: "two steps", Item: "variant",
		Absent: "this workload has no steps whose times are spread",
		Columns: []engine.Column{
			spreadMedian:    {Name: "median", Title: "median", Unit: "s", Wide: 9},
			spreadPeak:      {Name: "peak", Unit: "%", Legend: "median"},
			spreadTenth:     {Name: "p10", Title: "10 %", Unit: "s", Wide: 9},
			spreadNinetieth: {Name: "p90", Title: "90 %", Unit: "s", Wide: 9},
			spreadMost:      {Name: "most", Title: "most", Unit: "s", Wide: 9},
			spreadCount:     {Name: "count", Title: "of", Unit: "1", Wide: 8},
		},
		Charts: []engine.Chart{{Shape: engine.Curve, X: spreadMedian, Y: []int{spreadPeak}, XLog: 10, YLog: 10}},
		Brief:  engine.Brief{Column: spreadMedian, After: " for two steps"},
	},
	Apart:    study.AnyKind("variant", "prepost", "overlap", "reduce-every", "inboxes", "memory", "noise-rate", "noise-length"),
	Observe:  spread,
	Complete: histograms,
}

// spread is the row of the present run; its sums are the histogram: bound and count of
// each bucket.
func spread(s *engine.Snapshot) []engine.Row {
	for i := range s.Samples {
		d := &s.Samples[i]
		if d.Name != "two_steps" || d.Count == 0 {
			continue
		}
		row := engine.Row{Label: series(&s.Scenario), Series: series(&s.Scenario), Kind: d.Kind}
		row.Key = fmt.Sprintf("%s %s", s.Kind, row.Series)
		peak := int64(0)
		for _, b := range d.Buckets {
			row.Raw = append(row.Raw, b.Upper, float64(b.Count))
			peak = max(peak, b.Count)
		}
		row.Cells = []float64{
			spreadMedian: d.P50, spreadPeak: float64(peak) / float64(d.Count),
			spreadTenth: min(within(d, 0.1), d.P50), spreadNinetieth: max(within(d, 0.9), d.P50), spreadMost: d.Max, spreadCount: float64(d.Count),
		}
		return []engine.Row{row}
	}
	return nil
}

// within is the value below which a share of all is, values being spread evenly in their
// buckets, which are wider than the median's.
func within(d *engine.Distribution, share float64) float64 {
	n, wanted := 0.0, share*float64(d.Count)
	for _, b := range d.Buckets {
		if here := float64(b.Count); n+here < wanted {
			n += here
			continue
		}
		lower, upper := max(b.Upper*bucketStep, d.Min), min(b.Upper, d.Max)
		return lower + (upper-lower)*(wanted-n)/float64(b.Count)
	}
	return d.Max
}

// bucketStep is the least lower bound of a bucket over its upper one.
var bucketStep = math.Pow(10, -1.0/engine.BucketsPerDecade)

// histograms draws one a row, with its median, and says which is wider.
func histograms(v *engine.StudyView, s *engine.Snapshot) {
	p := engine.Plot{Title: "share of all by variant, and medians"}
	for i := range v.Rows {
		r := &v.Rows[i]
		line := engine.Line{Name: r.Series, Kind: r.Kind, Look: engine.Dashed}
		if i == v.Now {
			line.Look = engine.Plain
		}
		line.X, line.Y = outline(r.Raw, r.Cells[spreadCount])
		p.Lines = append(p.Lines, line)
		p.Rules = append(p.Rules, engine.Rule{At: r.Cells[spreadMedian], Vertical: true, Label: r.Series, Wide: r.Series + " " + cluster.FromSeconds(r.Cells[spreadMedian]).String()})
	}
	v.Plots = []engine.Plot{p}
	now := v.Present()
	if now == nil {
		return
	}
	wide := now.Cells[spreadNinetieth] - now.Cells[spreadTenth]
	text := fmt.Sprintf("Two steps of %s: median %s, eight of ten within %s", now.Series, cluster.FromSeconds(now.Cells[spreadMedian]), cluster.FromSeconds(wide))
	for i := range v.Rows {
		other := &v.Rows[i]
		if i == v.Now || other.Kind != now.Kind {
			continue
		}
		theirs := other.Cells[spreadNinetieth] - other.Cells[spreadTenth]
		text += fmt.Sprintf("; %s: %s, within %s", other.Series, cluster.FromSeconds(other.Cells[spreadMedian]), cluster.FromSeconds(theirs))
	}
	v.Why = fmt.Sprintf("%s (%s).", text, s.Kind)
}

// outline is a histogram's upper edge: share of each bucket. An empty place between
// buckets stands at half a value.
func outline(buckets []float64, count float64) (x, y []float64) {
	none := 0.5 / count
	add := func(at, share float64) { x, y = append(x, at), append(y, share) }
	last := math.NaN()
	for i := 0; i+1 < len(buckets); i += 2 {
		upper, share := buckets[i], buckets[i+1]/count
		lower := upper * bucketStep
		if !(last >= lower*(1-1e-9)) {
			if last == last {
				add(last, none)
			}
			add(lower, none)
		}
		add(lower, share)
		add(upper, share)
		last = upper
	}
	if len(x) > 0 {
		add(last, none)
	}
	return x, y
}
