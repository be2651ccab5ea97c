package reproduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/presets"
)

// measured is an experiment whose quantity is a value that a test puts into the run.
var measured = &Experiment{
	Name: "measured",
	Quantities: []Quantity{
		{
			Name: "time", Unit: "s",
			Simulated: func(p, _ *Point) float64 { return p.metric("time") },
			Modelled:  func(p, _ *Point) float64 { return 10 },
			Sigma:     func(p *Point, truth float64) float64 { return truth / 100 },
		},
		{
			Name: "speedup", Unit: "1", Against: "base",
			Simulated: func(p, base *Point) float64 { return base.metric("time") / p.metric("time") },
			Modelled:  func(p, base *Point) float64 { return 2 },
		},
	},
	Terms: func(p *Point) []Term {
		return []Term{{"computing", 1, 1}, {"remote accesses", p.metric("time") - 1, 9}}
	},
}

// lines returns a plan with a series of values at x = 1, 2, ...
func lines(series map[string][]float64) *plan {
	p := &plan{figure: &presets.Figure{Name: "paper9-fig1", Paper: 9}, experiment: measured,
		points: make(map[string][]*Point)}
	for name := range series {
		p.figure.Series = append(p.figure.Series, presets.Series{Name: name, Label: "the " + name})
	}
	for name, values := range series {
		for i, v := range values {
			p.points[name] = append(p.points[name],
				&Point{Series: p.figure.Find(name), X: float64(i + 1), Snapshot: &engine.Snapshot{
					Iteration: 1, Verification: engine.Verification{Done: true, OK: true},
					Metrics: []engine.Metric{{Name: "time", Value: v, Kind: engine.Simulated}},
				}})
		}
	}
	return p
}

func TestRules(t *testing.T) {
	null := 10.2
	published := map[string][]presets.Point{"a": {{X: 1, Value: 10}}}
	for _, c := range []struct {
		what   string
		values []float64
		check  presets.Check
		pass   bool
		note   string
		value  float64 // simulated
		err    float64
	}{
		{"within", []float64{10.25}, presets.Check{Rule: presets.Within, Tolerance: .03, Published: published}, true,
			"largest gap to the model: remote accesses, 9.25 s compared with 9.00 s", 10.25, .025},
		{"not within", []float64{9.6}, presets.Check{Rule: presets.Within, Tolerance: .03, Published: published}, false,
			"remote accesses", 9.6, -.04},
		{"within of the formula", []float64{9.6}, presets.Check{Rule: presets.Within, Tolerance: .05}, true,
			"remote accesses", 9.6, -.04},
		{"better than the null", []float64{10.1},
			presets.Check{Rule: presets.Within, Tolerance: .03, Published: published, Null: &null}, true, "largest gap", 10.1,
			.01},
		{"worse than the null", []float64{9.75},
			presets.Check{Rule: presets.Within, Tolerance: .03, Published: published, Null: &null}, false,
			"no better than a guess without a model; largest gap", 9.75, -.025},
		{"like the null", []float64{10.2},
			presets.Check{Rule: presets.Within, Tolerance: .03, Published: published, Null: &null}, false,
			"no better than a guess", 10.2, .02},
		{"no number", []float64{math.NaN()}, presets.Check{Rule: presets.Within, Tolerance: .03}, false, "", math.NaN(),
			math.NaN()},
		{"sampled", []float64{10.4}, presets.Check{Rule: presets.Sampling, Tolerance: 5, Published: published}, true,
			"4.0 standard errors of sampling", 10.4, .04},
		{"not sampled", []float64{10.6}, presets.Check{Rule: presets.Sampling, Tolerance: 5}, false, "6.0 standard errors",
			10.6, .06},
		{"rises", []float64{2, 3, 3.3}, presets.Check{Rule: presets.Rises}, true,
			"1.65× from 1 to 3, 1.1× in the last step; decides: remote accesses, 2.30 s (the a at 3) compared with 1.00 " +
				"s (the a at 1)", .1, math.NaN()},
		{"stands", []float64{2, 3, 3}, presets.Check{Rule: presets.Rises}, false, "remote accesses", 0, math.NaN()},
		{"falls once", []float64{2, 1, 4}, presets.Check{Rule: presets.Rises}, false,
			"remote accesses, 3.00 s (the a at 3) compared with 0 ps (the a at 2)", -.5, math.NaN()},
		{"rises by no number", []float64{2, math.NaN(), 4}, presets.Check{Rule: presets.Rises}, false, "", math.NaN(),
			math.NaN()},
		{"one point does not rise", []float64{2}, presets.Check{Rule: presets.Rises}, false, "", math.NaN(), math.NaN()},
		{"flat", []float64{9.6, 10, 10.4}, presets.Check{Rule: presets.Flat, Tolerance: .05}, true,
			"remote accesses, 9.40 s (the a at 3) compared with 8.60 s (the a at 1)", .04, math.NaN()},
		{"not flat", []float64{9, 10, 11}, presets.Check{Rule: presets.Flat, Tolerance: .05}, false, "remote accesses", .1,
			math.NaN()},
		{"in range", []float64{9}, presets.Check{Rule: presets.Range, Least: 8, Most: 9}, true, "largest gap to the model",
			9, math.NaN()},
		{"above a bound", []float64{9}, presets.Check{Rule: presets.Range, Least: 2, Most: math.Inf(1)}, true, "", 9,
			math.NaN()},
		{"below a bound", []float64{1.9}, presets.Check{Rule: presets.Range, Least: 2, Most: math.Inf(1)}, false, "", 1.9,
			math.NaN()},
		{"beyond a range", []float64{9.1}, presets.Check{Rule: presets.Range, Least: 8, Most: 9}, false, "", 9.1, math.NaN()},
		{"in range and decided", []float64{9},
			presets.Check{Rule: presets.Range, Least: 8, Most: 9, Decides: "remote accesses"}, true, "largest gap", 9,
			math.NaN()},
		{"in range by another term", []float64{9.5},
			presets.Check{Rule: presets.Range, Least: 8, Most: 10, Decides: "computing"}, false,
			"computing should decide; largest gap to the model: remote accesses", 9.5, math.NaN()},
		{"both above 1", []float64{1.2}, presets.Check{Rule: presets.Direction, Published: published}, true, "", 1.2, -.88},
		{"one above 1, one below", []float64{.9}, presets.Check{Rule: presets.Direction, Published: published}, false, "",
			.9, -.91},
		{"neither above nor below", []float64{1}, presets.Check{Rule: presets.Direction, Published: published}, false, "",
			1, -.9},
		{"crosses", []float64{.25, .75, 1.25}, presets.Check{Rule: presets.Crosses, Crossing: 2, Tolerance: 2}, true,
			"decides", math.Sqrt(6), math.Sqrt(1.5) - 1},
		{"crosses early", []float64{.75, 1.25, 1.5}, presets.Check{Rule: presets.Crosses, Crossing: 3, Tolerance: 2}, false,
			"", math.Sqrt2, math.Sqrt2/3 - 1},
		{"crosses for the last time", []float64{.5, 1.5, .75, 1.25},
			presets.Check{Rule: presets.Crosses, Crossing: 3, Tolerance: 2}, true, "", math.Sqrt(12), math.Sqrt(12)/3 - 1},
		{"does not cross", []float64{2, 1.5, 3}, presets.Check{Rule: presets.Crosses, Crossing: 2, Tolerance: 2}, false,
			"does not cross 1: 1.5 at 2, 3 at 3", math.NaN(), math.NaN()},
		{"crosses down", []float64{2, 1.5, .5}, presets.Check{Rule: presets.Crosses, Crossing: 2, Tolerance: 2}, false,
			"does not cross 1", math.NaN(), math.NaN()},
		{"peaks in range", []float64{1.2, 1.6, .9}, presets.Check{Rule: presets.Peaks, Least: 1.3, Most: 1.75}, true,
			"at 2; decides: remote accesses", 1.6, math.NaN()},
		{"peaks above it", []float64{1.2, 1.8, .9}, presets.Check{Rule: presets.Peaks, Least: 1.3, Most: 1.75}, false,
			"at 2; ", 1.8, math.NaN()},
		{"peaks below a bound", []float64{1.2}, presets.Check{Rule: presets.Peaks, Least: 1.3, Most: math.Inf(1)}, false,
			"", 1.2, math.NaN()},
		{"peaks at no number", []float64{1.2, math.NaN()}, presets.Check{Rule: presets.Peaks, Least: 1, Most: 2}, false, "",
			math.NaN(), math.NaN()},
		{"flat without a number", []float64{9, math.NaN(), 9}, presets.Check{Rule: presets.Flat, Tolerance: .05}, false, "",
			math.NaN(), math.NaN()},
	} {
		c.check.Quantity, c.check.Series = "time", []string{"a"}
		rows := lines(map[string][]float64{"a": c.values}).judge(&c.check)
		if len(rows) != 1 {
			t.Fatalf("%s: %d rows", c.what, len(rows))
		}
		r := &rows[0]
		if r.Pass != c.pass || !strings.Contains(r.Note, c.note) || !alike(r.Simulated, c.value) || !alike(r.Error, c.err) {
			t.Errorf("%s: pass %v, simulated %v, error %v, %q; want %v, %v, %v, %q", c.what, r.Pass, r.Simulated, r.Error,
				r.Note, c.pass, c.value, c.err, c.note)
		}
		if (c.check.Null != nil) != alike(r.Null, .02) {
			t.Errorf("%s: null %v", c.what, r.Null)
		}
	}
}

func alike(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) < 1e-9
}

// A quantity of two runs compares the runs at the same x, and names the term in which they differ.
func TestAgainst(t *testing.T) {
	p := lines(map[string][]float64{"a": {5, 4}, "base": {8, 9}})
	rows := p.judge(&presets.Check{Quantity: "speedup", Series: []string{"a"}, X: []float64{2}, Rule: presets.Within,
		Tolerance: .05})
	if len(rows) != 1 || rows[0].Simulated != 2.25 || rows[0].Pass ||
		rows[0].Note != "decides: remote accesses, 3.00 s (the a at 2) compared with 8.00 s (the base at 2)" {
		t.Errorf("%+v", rows)
	}
}

// A check may replace the series that a quantity is relative to.
func TestAgainstAnother(t *testing.T) {
	p := lines(map[string][]float64{"a": {4}, "base": {8}, "other": {6}})
	check := presets.Check{Name: "gain", Quantity: "speedup", Series: []string{"a"}, Rule: presets.Within,
		Tolerance: .05, Against: "other"}
	if rows := p.judge(&check); len(rows) != 1 || rows[0].Simulated != 1.5 ||
		!strings.Contains(rows[0].Note, "(the other at 1)") {
		t.Errorf("%+v", rows)
	}
	check.Against = "nobody"
	if err := p.validateCheck(&check); err == nil ||
		err.Error() != "quantity speedup is relative to series nobody, which has no run at 1" {
		t.Errorf("error %v", err)
	}
}

// ownQuantity returns the quantity "time" of a plan whose experiment is not shared.
func ownQuantity(p *plan) *Quantity {
	e := *p.experiment
	e.Quantities = slices.Clone(e.Quantities)
	p.experiment = &e
	return &e.Quantities[0]
}

// Without a simulation, the model is compared with the published values.
func TestModelOnly(t *testing.T) {
	p := lines(map[string][]float64{"a": {5, 4}})
	q := ownQuantity(p)
	q.Simulated, p.figure.Y = nil, "time"
	published := map[string][]presets.Point{"a": {{X: 1, Value: q.Modelled(p.points["a"][0], nil)}, {X: 2, Value: 1e9}}}
	rows := p.judge(&presets.Check{Quantity: "time", Series: []string{"a"}, Rule: presets.Within, Tolerance: .01,
		Published: published})
	if len(rows) != 2 || !rows[0].Pass || rows[1].Pass || !math.IsNaN(rows[0].Simulated) || rows[0].Error != 0 {
		t.Errorf("%+v", rows)
	}
	rows = p.judge(&presets.Check{Quantity: "time", Series: []string{"a"}, Rule: presets.Peaks, Least: 0, Most: 1e9})
	if !rows[0].Pass || !math.IsNaN(rows[0].Simulated) {
		t.Errorf("%+v", rows)
	}
	if err := p.validateCheck(&presets.Check{Quantity: "time", Series: []string{"a"}, Rule: presets.Within,
		Tolerance: .01}); err == nil || err.Error() != "quantity time is only modelled: add published values" {
		t.Errorf("error %v", err)
	}
	for _, c := range p.curves() {
		if !math.IsNaN(c.Simulated[0]) || math.IsNaN(c.Modelled[0]) {
			t.Errorf("curve %+v", c)
		}
	}
}

// A quantity that shows the effect of a wrong program is valid even if the verification of its run
// fails. Other quantities of the run are not.
func TestWrongProgram(t *testing.T) {
	p := lines(map[string][]float64{"a": {5}})
	v := &p.points["a"][0].Snapshot.Verification
	v.OK, v.Detail = false, "the race is shown"
	check := presets.Check{Quantity: "time", Series: []string{"a"}, Rule: presets.Range, Least: 4, Most: 6}
	if rows := p.judge(&check); rows[0].Pass ||
		rows[0].Note != "the a at 1 did not run: verification failed: the race is shown" {
		t.Errorf("%+v", rows)
	}
	ownQuantity(p).Wrong = true
	if rows := p.judge(&check); !rows[0].Pass || rows[0].Simulated != 5 {
		t.Errorf("%+v", rows)
	}
}

// If a ratio should pass 1, the difference between the two runs there decides.
func TestCrossingTerm(t *testing.T) {
	p := lines(map[string][]float64{"a": {16, 8, 5, 2}, "base": {9, 9, 9, 9}})
	rows := p.judge(&presets.Check{Quantity: "speedup", Series: []string{"a"}, Rule: presets.Crosses, Crossing: 3.2,
		Tolerance: 2})
	if len(rows) != 1 || !rows[0].Pass || !strings.HasSuffix(rows[0].Note, "decides: remote accesses, 4.00 s (the a "+
		"at 3) compared with 8.00 s (the base at 3)") {
		t.Errorf("%+v", rows)
	}
}

// A failed run refutes the rows that depend on it, and the rows state the reason.
func TestFailedRuns(t *testing.T) {
	for _, c := range []struct {
		change func(s *engine.Snapshot)
		want   string
	}{
		{func(s *engine.Snapshot) { s.Failure = "deadlock" }, "the base at 2 did not run: deadlock"},
		{func(s *engine.Snapshot) { s.Iteration = 0 }, "the base at 2 did not run: it ended before the first verification"},
		{func(s *engine.Snapshot) { s.Verification.OK, s.Verification.Detail = false, "wrong sum" },
			"the base at 2 did not run: verification failed: wrong sum"},
	} {
		p := lines(map[string][]float64{"a": {5, 4}, "base": {10, 8}})
		c.change(p.points["base"][1].Snapshot)
		for _, check := range []presets.Check{
			{Quantity: "speedup", Series: []string{"a"}, Rule: presets.Within, Tolerance: .05},
			{Quantity: "speedup", Series: []string{"a"}, Rule: presets.Flat, Tolerance: .05},
			{Quantity: "time", Series: []string{"base"}, Rule: presets.Rises},
		} {
			rows := p.judge(&check)
			r := rows[len(rows)-1]
			if r.Pass || r.Note != c.want || !math.IsNaN(r.Simulated) || math.IsNaN(r.Modelled) {
				t.Errorf("%s: %+v, want the note %q", check.Rule, r, c.want)
			}
			if len(rows) == 2 && !rows[0].Pass {
				t.Errorf("%s: the other point also fails: %+v", check.Rule, rows[0])
			}
		}
	}
}
