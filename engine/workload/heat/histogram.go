package heat

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// Columns of the study of steps: statistics of two successive steps of a process.
const (
	spreadMedian = iota
	spreadShare
	spreadTenth
	spreadNinetieth
	spreadMost
	spreadCount
)

// bySpread shows the histograms of paper 4's figure 2, with the variants next to each other.
var bySpread = &engine.Study{
	Form: engine.Form{
		Name: study.StepsName, Title: "Two successive steps", Of: "two steps", Item: "variant",
		Absent: "this workload has no distribution of step times",
		Columns: []engine.Column{
			spreadMedian:    {Name: "median", Title: "median", Unit: "s", Wide: 9},
			spreadShare:     {Name: "peak", Unit: "%", Legend: "median"},
			spreadTenth:     {Name: "p10", Title: "10 %", Unit: "s", Wide: 9},
			spreadNinetieth: {Name: "p90", Title: "90 %", Unit: "s", Wide: 9},
			spreadMost:      {Name: "most", Title: "maximum", Unit: "s", Wide: 9},
			spreadCount:     {Name: "count", Title: "count", Unit: "1", Wide: 8},
		},
		Charts: []engine.Chart{{Shape: engine.Curve, X: spreadMedian, Y: []int{spreadShare}, XLog: 10, YLog: 10}},
		Brief:  engine.Brief{Column: spreadMedian, After: " for two steps"},
	},
	Varying: study.AnyKind("variant", "prepost", "overlap", "reduce-every", "inboxes", "memory", "noise-rate",
		"noise-length"),
	Observe:  spread,
	Complete: histograms,
}

// spread returns the row of the present run. Its sums are the histogram: both bounds and the count
// of each bucket that is not empty.
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
			spreadMedian: d.P50, spreadShare: math.NaN(), // computed from the chart's buckets

			spreadTenth: min(percentile(d, 0.1), d.P50), spreadNinetieth: max(percentile(d, 0.9), d.P50), spreadMost: d.Max,
			spreadCount: float64(d.Count),
		}
		return []engine.Row{row}
	}
	return nil
}

// percentile returns the value below which a share of all values is. It assumes that values are
// spread evenly in their buckets, which are wider than the precision of the median.
func percentile(d *engine.Distribution, share float64) float64 {
	n := 0.0
	wanted := share * float64(d.Count)
	lower := d.Min
	for _, b := range d.Buckets {
		if here := float64(b.Count); n+here < wanted || here == 0 {
			n, lower = n+here, b.Upper
			continue
		}
		return lower + (min(b.Upper, d.Max)-lower)*(wanted-n)/float64(b.Count)
	}
	return d.Max
}

// histograms draws one histogram per row, with its median, and compares their widths.
func histograms(v *engine.StudyView, s *engine.Snapshot) {
	per := bucketsPerDecade(v.Rows)
	p := engine.Plot{Title: fmt.Sprintf("share of samples, in buckets of %s %%",
		study.Figure(100*(math.Pow(10, 1/float64(per))-1)))}
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
		p.Rules = append(p.Rules,
			engine.Rule{At: r.Cells[spreadMedian], Vertical: true, Label: r.Series,
				Wide: r.Series + " " + cluster.FromSeconds(r.Cells[spreadMedian]).String()})
	}
	v.Plots = []engine.Plot{p}
	now := v.Present()
	if now == nil {
		return
	}
	wide := now.Cells[spreadNinetieth] - now.Cells[spreadTenth]
	text := fmt.Sprintf("Two steps of %s: median %s, with 80%% of them within %s", now.Series,
		cluster.FromSeconds(now.Cells[spreadMedian]), cluster.FromSeconds(wide))
	for i := range v.Rows {
		other := &v.Rows[i]
		if i == v.Now || other.Kind != now.Kind {
			continue
		}
		theirs := other.Cells[spreadNinetieth] - other.Cells[spreadTenth]
		text += fmt.Sprintf(". %s: median %s, within %s", other.Series, cluster.FromSeconds(other.Cells[spreadMedian]),
			cluster.FromSeconds(theirs))
	}
	v.Why = fmt.Sprintf("%s (%s).", text, s.Kind)
}

// The buckets of the chart: the minimum per decade, the maximum number of doublings, and the
// maximum number of buckets over all rows.
const (
	minPerDecade = 16
	maxDoublings = 4
	maxBuckets   = 128
)

// bucketsPerDecade returns the number of buckets per decade in the chart of some rows. It is the
// same for all rows. The rule of Freedman and Diaconis for the narrowest row determines it: twice
// the middle half over the cube root of the count. There are fewer buckets if the samples are
// recorded more coarsely, or if all rows together have too many.
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
	per := minPerDecade
	for range maxDoublings {
		if wide := 1 / float64(2*per); 1/float64(per) <= least || wide < coarsest || decadesOf(lo, hi) > maxBuckets*wide {
			break
		}
		per *= 2
	}
	return per
}

// decadesOf returns the number of decades between two times. Times are at least a picosecond.
func decadesOf(lower, upper float64) float64 {
	return math.Log10(max(upper, 1e-12)) - math.Log10(max(lower, 1e-12))
}

// quantile returns the value below which n of all values are.
func quantile(raw []float64, n float64) float64 {
	for k := 0; k < len(raw); k += 3 {
		if raw[k+2] >= n {
			return raw[k] + (raw[k+1]-raw[k])*n/raw[k+2]
		}
		n -= raw[k+2]
	}
	return raw[len(raw)-2]
}

// rebucket returns the share of all values in each bucket, and the number of the first bucket,
// counted from one second. per is the number of buckets per decade. Values of one recorded bucket
// are spread evenly over it, unless all are equal.
func rebucket(raw []float64, per int) (shares []float64, first int) {
	if len(raw) == 0 {
		return nil, 0
	}
	position := func(x float64) float64 { return math.Log10(max(x, 1e-12)) * float64(per) }
	if len(raw) == 3 {
		return []float64{1}, int(math.Floor((position(raw[0]) + position(raw[1])) / 2))
	}
	first = int(math.Floor(position(raw[0])))
	shares = make([]float64, int(math.Ceil(position(raw[len(raw)-2])))-first)
	all := 0.0
	for k := 0; k < len(raw); k += 3 {
		from, to := position(raw[k])-float64(first), position(raw[k+1])-float64(first)
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

// shareAt returns the share of the bucket that contains a time, or NaN if there is none.
func shareAt(x float64, shares []float64, first, per int) float64 {
	if len(shares) == 0 {
		return math.NaN()
	}
	i := int(math.Floor(math.Log10(max(x, 1e-12))*float64(per))) - first
	return shares[max(0, min(i, len(shares)-1))]
}

// outline returns a histogram's upper edge. An empty bucket has half the share of a single value.
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
