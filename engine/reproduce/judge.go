package reproduce

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/models"
	"github.com/hybridtop/hybridtop/presets"
)

// Row is the result of a claim, at a point or for a whole series. Missing numbers are NaN.
type Row struct {
	Figure   string
	Paper    int
	Claim    int
	Check    string
	Place    string
	Says     string // the claim in words
	Name     string // in the figure's file: "SERIES" or "SERIES at X"
	Series   string // label of the series
	X        float64
	Quantity string // of the figure; for a whole series, a description of Simulated
	Unit     string

	Published float64
	Simulated float64
	Modelled  float64
	Error     float64 // relative: simulated versus published, or versus modelled if that is NaN
	Null      float64 // relative error of the null model versus published

	Use       presets.Use
	Reason    string // with presets.UseVerify: why it cannot fail
	Rule      presets.Rule
	Tolerance float64
	Least     float64 // lower limit of a range
	Most      float64
	Pass      bool
	Failed    bool   // its runs have no numbers
	Term      string // the decisive one; "": there are none
	Note      string // what decides
	Hash      string // of its runs; "": none
	Long      bool   // its runs are made only on request
	Kept      bool   // and were not made: the recorded result is used
	Reach     string // the nearest constants under which it would hold
	Measure   string // a measurement that would decide
	Base      string // hash of the inputs of the check's sensitivity
	Sensed    bool   // Moves was computed
	Moves     []presets.Move
	Recorded  presets.Record
}

// judge returns a check's rows: one per point, or one per series.
func (p *plan) judge(c *presets.Check) []Row {
	q, _ := p.experiment.Quantity(c.Quantity) // newPlan has found it
	var rows []Row
	for _, name := range c.Series {
		points := p.pointsOf(c, name)
		base := Row{
			Figure: p.figure.Name, Paper: p.figure.Paper, Claim: c.Claim, Check: c.Name, Place: c.Place, Says: c.Says,
			Name: presets.RowName(name, math.NaN()), Series: p.figure.Find(name).Label, X: math.NaN(), Quantity: q.Name,
			Unit:      q.Unit,
			Published: math.NaN(), Simulated: math.NaN(), Modelled: math.NaN(), Error: math.NaN(), Null: math.NaN(),
			Use: c.Use, Reason: c.Reason, Rule: c.Rule, Tolerance: c.Tolerance, Least: c.Least, Most: c.Most,
			Recorded: c.Record, Reach: c.Reach, Measure: c.Measure,
		}
		if c.Rule == presets.Crosses {
			base.Published = c.Crossing
		}
		if c.Rule.Whole() {
			rows = append(rows, p.judgeSeries(base, c, q, points))
			continue
		}
		for _, at := range points {
			base.Long = at.Long
			if at.Long && !p.options.Long {
				if r, ok := p.recordedRow(base, c, q, at); ok {
					rows = append(rows, r)
				}
				continue
			}
			rows = append(rows, p.judgePoint(base, c, q, at))
		}
	}
	return rows
}

// failure returns the reason why one of some runs has no numbers, or "" if all have.
func (q *Quantity) failure(points ...*Point) string {
	for _, at := range points {
		if at == nil || at.Snapshot == nil {
			continue
		}
		s := at.Snapshot
		why := ""
		switch v := s.Verification; {
		case s.Failure != "":
			why = s.Failure
		case !v.Done || s.Iteration == 0:
			why = "it ended before the first verification"
		case !v.OK && !q.Wrong:
			why = "verification failed: " + v.Detail
		default:
			continue
		}
		return fmt.Sprintf("%s at %v did not run: %s", at.Series.Label, at.X, why)
	}
	return ""
}

// recordedRow returns the recorded row of a long point. It judges the recorded number by the limits of
// today. It reports false if there is none.
func (p *plan) recordedRow(r Row, c *presets.Check, q *Quantity, at *Point) (Row, bool) {
	r.Name = presets.RowName(at.Series.Name, at.X)
	r.X = at.X
	r.Modelled = q.Modelled(at, p.pointAt(q.against(c), at))
	k := c.Record.LongResultOf(r.Name)
	if k == nil {
		return r, false
	}
	if v, ok := c.At(at.Series.Name, at.X); ok {
		r.Published = v
	}
	r.Simulated = k.Value
	r.Hash = k.Hash
	r.judgeNumber(c, q, at, k.Value)
	if c.Decides != "" && k.Verdict == presets.Refuted {
		r.Pass = false // the term that decided is not recorded
	}
	r.Kept = true
	r.Note = "as recorded, from runs " + k.Hash
	return r, true
}

// judgePoint judges a point.
func (p *plan) judgePoint(r Row, c *presets.Check, q *Quantity, at *Point) Row {
	other := p.pointAt(q.against(c), at)
	r.Name = presets.RowName(at.Series.Name, at.X)
	r.X = at.X
	r.Modelled = q.Modelled(at, other)
	if v, ok := c.At(at.Series.Name, at.X); ok {
		r.Published = v
	}
	r.Note = q.failure(at, other)
	if r.Note != "" {
		r.Failed = true
		return r
	}
	r.Hash = p.experiment.hash(at, other)
	judged := r.Modelled
	if q.Simulated != nil {
		r.Simulated = q.Simulated(at, other)
		judged = r.Simulated
	}
	if math.IsNaN(judged) {
		r.Failed, r.Note = true, "no number; "
		return p.addDecisive(r, c, at, other)
	}
	r.judgeNumber(c, q, at, judged)
	if c.Rule == presets.Sampling {
		return r
	}
	return p.addDecisive(r, c, at, other)
}

// judgeNumber judges a row's number by the rule of its check.
func (r *Row) judgeNumber(c *presets.Check, q *Quantity, at *Point, judged float64) {
	if c.Rule == presets.Range {
		r.Pass = judged >= c.Least && judged <= c.Most
		return
	}
	truth := r.Published
	if math.IsNaN(truth) {
		truth = r.Modelled
	}
	r.Error = models.RelativeError(judged, truth)
	switch c.Rule {
	case presets.Sampling:
		sigma := q.Sigma(at, truth)
		r.Pass = isWithinSampling(judged, truth, sigma, c.Tolerance)
		r.Note = fmt.Sprintf("%.1f standard errors of sampling", math.Abs(judged-truth)/sigma)
		return
	case presets.Direction:
		r.Pass = isSameDirection(judged, truth)
	default:
		r.Pass = isWithin(r.Error, c.Tolerance)
	}
	if c.Null != nil {
		r.Null = models.RelativeError(*c.Null, r.Published)
		if !isBetter(r.Error, r.Null) {
			r.Pass, r.Note = false, "no better than a guess without a model; "
		}
	}
}

// addDecisive adds the decisive term. The row fails if it is not the term that the check names.
func (p *plan) addDecisive(r Row, c *presets.Check, at, other *Point) Row {
	term, text := p.decide(at, other)
	r.Term = term
	if c.Decides != "" && term != c.Decides {
		r.Pass = false
		text = fmt.Sprintf("%s should decide; ", c.Decides) + text
	}
	r.Note += text
	return r
}

// judgeSeries judges a series by its shape.
func (p *plan) judgeSeries(r Row, c *presets.Check, q *Quantity, points []*Point) Row {
	xs := make([]float64, len(points))
	modelled := make([]float64, len(points))
	others := make([]*Point, len(points))
	for i, at := range points {
		others[i] = p.pointAt(q.against(c), at)
		xs[i], modelled[i] = at.X, q.Modelled(at, others[i])
	}
	var shape func(values []float64) float64
	switch c.Rule {
	case presets.Flat:
		shape, r.Unit = maxDeviation, "1"
		r.Quantity = "largest deviation of " + q.Name + " from its mean"
	case presets.Peaks:
		shape = slices.Max[[]float64]
		r.Quantity = "largest " + q.Name
	case presets.Crosses:
		shape, r.Unit = func(values []float64) float64 { return crossing(xs, values) }, p.figure.X
		r.Quantity = "crossing of " + q.Name + " with 1"
	default:
		shape, r.Unit = minGrowth, "1"
		r.Quantity = "smallest growth of " + q.Name + " between points"
	}
	r.Modelled = shape(modelled)
	r.Note = q.failure(append(points, others...)...)
	if r.Note != "" {
		r.Failed = true
		return r
	}
	r.Hash = p.experiment.hash(slices.Concat(points, others)...)
	values := make([]float64, len(points))
	low, high := 0, 0
	for i, at := range points {
		values[i] = modelled[i]
		if q.Simulated != nil {
			values[i] = q.Simulated(at, others[i])
		}
		if values[i] < values[low] {
			low = i
		}
		if values[i] > values[high] {
			high = i
		}
	}
	judged := shape(values)
	if q.Simulated != nil {
		r.Simulated = judged
	}
	switch c.Rule {
	case presets.Flat:
		r.Pass = judged <= r.Tolerance
	case presets.Peaks:
		r.Pass = judged >= c.Least && judged <= c.Most
		r.Note = fmt.Sprintf("at %v; ", xs[high])
	case presets.Crosses:
		r.Error = models.RelativeError(judged, r.Published)
		r.Pass = judged <= r.Published*r.Tolerance && judged >= r.Published/r.Tolerance
		if math.IsNaN(judged) {
			r.Note = fmt.Sprintf("does not cross 1: %.3g at %v, %.3g at %v; ", values[low], xs[low], values[high], xs[high])
		}
	default:
		r.Pass = judged > 0
		last := len(points) - 1
		r.Note = fmt.Sprintf("%.3g× from %v to %v, %.3g× in the last step; ", values[last]/values[0], xs[0], xs[last],
			values[last]/values[max(last-1, 0)])
	}
	a, b := points[high], points[low]
	if c.Rule == presets.Crosses { // the difference between the two runs where they should be equal
		if at := nearest(xs, c.Crossing); others[at] != nil {
			a, b = points[at], others[at]
		}
	}
	term, text := p.decide(a, b)
	r.Term = term
	r.Note += text
	return r
}

// isWithin implements the rule of that name.
func isWithin(err, tolerance float64) bool { return math.Abs(err) <= tolerance }

// isSameDirection implements the rule "direction": two ratios above 1, or both below.
func isSameDirection(a, b float64) bool { return (a-1)*(b-1) > 0 }

// crossing returns the last x at which values rise through 1, interpolated on a logarithmic scale.
// It returns NaN if they do not.
func crossing(xs, values []float64) float64 {
	for i := len(xs) - 1; i > 0; i-- {
		if a, b := values[i-1]-1, values[i]-1; a < 0 && b >= 0 {
			return xs[i-1] * math.Pow(xs[i]/xs[i-1], a/(a-b))
		}
	}
	return math.NaN()
}

// nearest returns the index of the position nearest to x, on a logarithmic scale.
func nearest(xs []float64, x float64) int {
	best := 0
	for i := range xs {
		if math.Abs(math.Log(xs[i]/x)) < math.Abs(math.Log(xs[best]/x)) {
			best = i
		}
	}
	return best
}

// isBetter reports whether an error is smaller than the null model's.
func isBetter(err, null float64) bool { return math.Abs(err) < math.Abs(null) }

// isWithinSampling is the rule for samples: pass within the given number of standard errors. A
// share of 0 or 1 has a standard error of 0, and must be exact.
func isWithinSampling(simulated, truth, sigma, errors float64) bool {
	return math.Abs(simulated-truth) <= errors*sigma
}

// minGrowth returns the smallest relative growth from one value to the next; the values rise if
// it is positive. It returns NaN for fewer than two values.
func minGrowth(values []float64) float64 {
	smallest := math.NaN()
	for i := 1; i < len(values); i++ {
		g := values[i]/values[i-1] - 1
		if i == 1 || g < smallest || math.IsNaN(g) {
			smallest = g
		}
	}
	return smallest
}

// roundingError is the relative number below which a difference is rounding.
const roundingError = 1e-12

// maxDeviation returns the largest relative deviation from the mean of all values.
func maxDeviation(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	mean, largest := sum/float64(len(values)), 0.0
	for _, v := range values {
		d := math.Abs(v/mean - 1)
		largest = max(largest, d)
		if math.IsNaN(d) {
			return d
		}
	}
	if largest < roundingError {
		return 0
	}
	return largest
}

// decide returns the term in which two runs differ most, and a text with its values. Without
// another run it compares the simulation with the model. It returns "" if there are no terms.
func (p *plan) decide(at, other *Point) (name, text string) {
	if p.experiment.Terms == nil {
		return "", ""
	}
	a := p.experiment.Terms(at)
	if other == nil {
		t := a[widestGap(len(a), func(i int) float64 { return a[i].Simulated - a[i].Modelled })]
		return t.Name,
			fmt.Sprintf("largest gap to the model: %s, %s compared with %s", t.Name, formatSeconds(t.Simulated),
				formatSeconds(t.Modelled))
	}
	b := p.experiment.Terms(other)
	i := widestGap(len(a), func(i int) float64 { return a[i].Simulated - b[i].Simulated })
	return a[i].Name, fmt.Sprintf("decides: %s, %s (%s at %v) compared with %s (%s at %v)", a[i].Name,
		formatSeconds(a[i].Simulated), at.Series.Label, at.X, formatSeconds(b[i].Simulated), other.Series.Label, other.X)
}

// widestGap returns the index of the widest of n gaps.
func widestGap(n int, gap func(i int) float64) int {
	widest := 0
	for i := range n {
		if math.Abs(gap(i)) > math.Abs(gap(widest)) {
			widest = i
		}
	}
	return widest
}

// formatSeconds prints a time.
func formatSeconds(seconds float64) string { return cluster.FromSeconds(seconds).String() }
