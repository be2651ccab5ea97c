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
	spreadShare
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
			spreadShare:     {Name: "peak", Unit: "%", Legend: "median"},
			spreadTenth:     {Name: "p10", Title: "10 %", Unit: "s", Wide: 9},
			spreadNinetieth: {Name: "p90", Title: "90 %", Unit: "s", Wide: 9},
			spreadMost:      {Name: "most", Title: "most", Unit: "s", Wide: 9},
			spreadCount:     {Name: "count", Title: "of", Unit: "1", Wide: 8},
		},
		Charts: []engine.Chart{{Shape: engine.Curve, X: spreadMedian, Y: []int{spreadShare}, XLog: 10, YLog: 10}},
		Brief:  engine.Brief{Column: spreadMedian, After: " for two steps"},
	},
	Apart:    study.AnyKind("variant", "prepost", "overlap", "reduce-every", "inboxes", "memory", "noise-rate", "noise-length"),
	Observe:  spread,
	Complete: histograms,
}

// spread is the row of the present run; its sums are the histogram: both bounds and the
// count of each bucket that has any.
func spread(s *engine.Snapshot) []engine.Row {
	for i := range s.Samples {
		d := &s.Samples[i]
		if d.Name != "two_steps" || d.Count == 0 {
			continue
		}
		row := engine.Row{Label: series(&s.Scenario), Series: series(&s.Scenario), Kind: d.Kind}
		row.Key = fmt.Sprintf("%s %s", s.Kind, row.Series)
		lower := d.Min
		for _, b := range d.Buckets {
			if b.Count > 0 {
				row.Raw = append(row.Raw, lower, b.Upper, float64(b.Count))
			}
			lower = b.Upper
		}
		row.Cells = []float64{
			spreadMedian: d.P50, spreadShare: math.NaN(), // the chart's buckets give it

			spreadTenth: min(within(d, 0.1), d.P50), spreadNinetieth: max(within(d, 0.9), d.P50), spreadMost: d.Max, spreadCount: float64(d.Count),
		}
		return []engine.Row{row}
	}
	return nil
}

// within is the value below which a share of all is, values being spread evenly in their
// buckets, which are wider than the median is exact.
func within(d *engine.Distribution, share float64) float64 {
	n, wanted, lower := 0.0, share*float64(d.Count), d.Min
	for _, b := range d.Buckets {
		if here := float64(b.Count); n+here < wanted || here == 0 {
			n, lower = n+here, b.Upper
			continue
		}
		return lower + (min(b.Upper, d.Max)-lower)*(wanted-n)/float64(b.Count)
	}
	return d.Max
}

// histograms draws one a row, with its median, and says which is wider.
func histograms(v *engine.StudyView, s *engine.Snapshot) {
	per := bucketsPerDecade(v.Rows)
	p := engine.Plot{Title: fmt.Sprintf("share of all, in buckets of %s %%", study.Figure(100*(math.Pow(10, 1/float64(per))-1)))}
	for i := range v.Rows {
		r := &v.Rows[i]
		shares, first := rebucket(r.Raw, per)
		r.Cells[spreadShare] = shareAt(r.Cells[spreadMedian], shares, first, per)
		line := engine.Line{Name: r.Series, Kind: r.Kind, Look: engine.Dashed}
		if i == v.Now {
			line.Look = engine.Plain
		}
		line.X, line.Y = outline(shares, first, per, 0.5/r.Cells[spreadCount])
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

// The buckets of the chart: the fewest a decade, as many times as they double at most, and
// the most that all rows span.
const (
	fewest  = 16
	doubled = 4
	mostAll = 128
)

// bucketsPerDecade is how many buckets a decade has in the chart of some rows, for all of
// them the same: as the rule of Freedman and Diaconis wants it for the narrowest row, twice
// the middle half over the cube root of the count, unless values are not told apart so
// finely or the rows together have too many.
func bucketsPerDecade(rows []engine.Row) int {
	least, coarsest := math.Inf(1), 0.0
	lo, hi := math.Inf(1), 0.0
	for i := range rows {
		raw, n := rows[i].Raw, rows[i].Cells[spreadCount]
		if len(raw) == 0 {
			continue
		}
		for k := 0; k < len(raw); k += 3 {
			coarsest = max(coarsest, decadesOf(raw[k], raw[k+1]))
		}
		lo, hi = min(lo, raw[0]), max(hi, raw[len(raw)-2])
		least = min(least, 2*decadesOf(quantile(raw, n/4), quantile(raw, 3*n/4))/math.Cbrt(n))
	}
	per := fewest
	for range doubled {
		if wide := 1 / float64(2*per); 1/float64(per) <= least || wide < coarsest || decadesOf(lo, hi) > mostAll*wide {
			break
		}
		per *= 2
	}
	return per
}

// decadesOf is how many decades lie between two times; what cannot be shorter is a
// picosecond.
func decadesOf(lower, upper float64) float64 {
	return math.Log10(max(upper, 1e-12)) - math.Log10(max(lower, 1e-12))
}

// quantile is the value below which n of all lie.
func quantile(raw []float64, n float64) float64 {
	for k := 0; k < len(raw); k += 3 {
		if raw[k+2] >= n {
			return raw[k] + (raw[k+1]-raw[k])*n/raw[k+2]
		}
		n -= raw[k+2]
	}
	return raw[len(raw)-2]
}

// rebucket gives the share of all that each of so many buckets a decade has, and the number
// of the first one, counted from a second on. Values are spread evenly where they are not
// told apart, unless all are in one place.
func rebucket(raw []float64, per int) (shares []float64, first int) {
	if len(raw) == 0 {
		return nil, 0
	}
	place := func(x float64) float64 { return math.Log10(max(x, 1e-12)) * float64(per) }
	if len(raw) == 3 {
		return []float64{1}, int(math.Floor((place(raw[0]) + place(raw[1])) / 2))
	}
	first = int(math.Floor(place(raw[0])))
	shares = make([]float64, int(math.Ceil(place(raw[len(raw)-2])))-first)
	all := 0.0
	for k := 0; k < len(raw); k += 3 {
		from, to := place(raw[k])-float64(first), place(raw[k+1])-float64(first)
		all += raw[k+2]
		for i := int(from); i < len(shares) && float64(i) < to; i++ {
			part := 1.0
			if to > from {
				part = (min(to, float64(i+1)) - max(from, float64(i))) / (to - from)
			}
			shares[i] += part * raw[k+2]
		}
	}
	for i := range shares {
		shares[i] /= all
	}
	return shares, first
}

// shareAt is that of the bucket that a time lies in; NaN: there is none.
func shareAt(x float64, shares []float64, first, per int) float64 {
	if len(shares) == 0 {
		return math.NaN()
	}
	i := int(math.Floor(math.Log10(max(x, 1e-12))*float64(per))) - first
	return shares[max(0, min(i, len(shares)-1))]
}

// outline is a histogram's upper edge. An empty bucket stands at half a value.
func outline(shares []float64, first, per int, none float64) (x, y []float64) {
	add := func(i int, share float64) {
		x, y = append(x, math.Pow(10, float64(first+i)/float64(per))), append(y, max(share, none))
	}
	for i, share := range shares {
		if i == 0 {
			add(0, none)
		}
		add(i, share)
		add(i+1, share)
	}
	if len(shares) > 0 {
		add(len(shares), none)
	}
	return x, y
}
