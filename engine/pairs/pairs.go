package pairs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/models"
)

// Limits for the number of seeds. Six pairs are the least for an interval of 95 %.
const (
	FewestSeeds = 6
	MostSeeds   = 1000
)

// A Result has the headline results of pairs of runs.
type Result struct {
	Names [2]string          // of the variants A and B
	Pairs [][2]engine.Metric // a value is NaN if a run has no result
}

// Run simulates both variants with each of several seeds. progress may be nil.
func Run(ctx context.Context, names [2]string, scenarios [2]engine.Scenario, seeds int, o session.Options,
	progress func(*session.Progress)) (*Result, error) {
	if seeds < FewestSeeds || seeds > MostSeeds {
		return nil, fmt.Errorf("%d seeds: want %d to %d (6 pairs are the least for 95 %%)", seeds, FewestSeeds, MostSeeds)
	}
	var rows []session.Row
	var all []engine.Scenario
	for n := range seeds {
		for i := range scenarios {
			sc := scenarios[i].Clone()
			if sc.Text("fabric") != engine.Sim {
				return nil, errors.New("want simulations (use fabric = sim)")
			}
			if err := sc.Set("seed", strconv.FormatInt(sc.Int("seed")+int64(n), 10)); err != nil {
				return nil, err
			}
			rows = append(rows, session.Row{Knobs: []session.Setting{{Knob: "variant", Value: names[i]}, {Knob: "seed", Value: sc.Text("seed")}}})
			all = append(all, sc)
		}
	}
	rows, err := session.RunRows(ctx, rows, all, o, progress)
	if err != nil {
		return nil, err
	}
	r := &Result{Names: names, Pairs: make([][2]engine.Metric, seeds)}
	for n := range rows {
		s := rows[n].Snapshot
		switch v := &s.Verification; {
		case s.Failure != "":
			return nil, fmt.Errorf("%s: %s", rows[n].Name(), s.Failure)
		case s.Iteration == 0 || !v.Done:
			return nil, fmt.Errorf("%s: not verified (run longer, or use a smaller problem)", rows[n].Name())
		case !v.OK:
			return nil, fmt.Errorf("%s: verification failed: %s", rows[n].Name(), v.Detail)
		}
		m, ok := session.Headline(s)
		if !ok {
			m.Value = math.NaN()
		}
		r.Pairs[n/2][n%2] = m
	}
	return r, nil
}

// Metric returns the metric of A, without a value.
func (r *Result) Metric() engine.Metric {
	m := r.Pairs[0][0]
	m.Value = math.NaN()
	return m
}

// Columns returns the values of A and of B.
func (r *Result) Columns() (a, b []float64) {
	for i := range r.Pairs {
		a, b = append(a, r.Pairs[i][0].Value), append(b, r.Pairs[i][1].Value)
	}
	return a, b
}

// Bins is the number of bins of a histogram.
const Bins = 10

// Histograms are the distributions of A and of B with the same bins.
type Histograms struct {
	From   [Bins]float64 // lower ends of the bins
	Counts [2][Bins]int  // of A and of B
}

// Histograms returns the distributions, or nil if all values are equal.
func (r *Result) Histograms() *Histograms {
	a, b := r.Columns()
	all := slices.DeleteFunc(slices.Concat(a, b), math.IsNaN)
	if len(all) == 0 {
		return nil
	}
	low, high := slices.Min(all), slices.Max(all)
	if low == high {
		return nil
	}
	h := &Histograms{}
	for i := range h.From {
		h.From[i] = low + (high-low)*float64(i)/Bins
	}
	for side, values := range [2][]float64{a, b} {
		for _, x := range values {
			if !math.IsNaN(x) {
				h.Counts[side][min(int((x-low)/(high-low)*Bins), Bins-1)]++
			}
		}
	}
	return h
}

// Verdicts on pairs of simulations.
const (
	Real     = "real"
	NoneSeen = "none seen"
	Smaller  = "smaller than"
)

// negligible is the share of A's median below which all differences of the interval are called smaller than it.
const negligible = 0.02

// A Conclusion is a verdict on the differences B − A of all pairs.
type Conclusion struct {
	Verdict    string            // "": none, see Why
	Why        string            // the reason why there is no verdict
	Difference models.Difference // of the pairs
	Middle     float64           // median of A
}

// Conclude returns the conclusion from the differences of all pairs.
func (r *Result) Conclude() Conclusion {
	if a, b := r.Pairs[0][0].Name, r.Pairs[0][1].Name; a != b {
		return Conclusion{Why: fmt.Sprintf("A has numbers of %s, B numbers of %s", a, b)}
	}
	x, y := r.Columns()
	c := Conclusion{Difference: models.PairedDifference(x, y)}
	d := &c.Difference
	if math.IsNaN(d.Level) {
		c.Why = fmt.Sprintf("%d pairs have values: want at least %d", d.Pairs, FewestSeeds)
		return c
	}
	c.Middle = models.PairedDifference(make([]float64, len(x)), x).Median
	switch {
	case d.Real():
		c.Verdict = Real
	case d.Low == 0 && d.High == 0:
		c.Verdict = NoneSeen
	case c.most() <= negligible*math.Abs(c.Middle):
		c.Verdict = Smaller
	default:
		c.Verdict = NoneSeen
	}
	return c
}

// most returns the largest absolute difference of the interval.
func (c *Conclusion) most() float64 {
	return max(math.Abs(c.Difference.Low), math.Abs(c.Difference.High))
}

// Ratio returns the ratio B / A of the medians, or 0 if there is none.
func (c *Conclusion) Ratio() float64 {
	if c.Verdict == "" || c.Middle == 0 {
		return 0
	}
	return (c.Middle + c.Difference.Median) / c.Middle
}

// Sentence returns the verdict in words. shown formats a value of the metric.
func (c *Conclusion) Sentence(shown func(float64) string) string {
	switch d := &c.Difference; {
	case c.Verdict == "":
		return c.Why
	case c.Verdict == Real:
		return "the difference is real"
	case c.Verdict == Smaller:
		return "a difference is smaller than " + shown(c.most())
	case d.Low == 0 && d.High == 0:
		return "none seen: all pairs are equal"
	}
	return "none seen"
}
