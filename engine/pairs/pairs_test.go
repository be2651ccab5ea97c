package pairs_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/pairs"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// result returns eight pairs: 100 s, with a spread of 10 s that both sides share, and B minus A.
func result(difference func(i int) float64) *pairs.Result {
	r := &pairs.Result{Names: [2]string{"A", "B"}}
	for i := range 8 {
		m := engine.Metric{Name: "iteration_time", Unit: "s", Kind: engine.Simulated, Value: 100 + 10*math.Sin(float64(i))}
		other := m
		other.Value += difference(i)
		r.Pairs = append(r.Pairs, [2]engine.Metric{m, other})
	}
	return r
}

// TestVerdicts checks the verdict on differences, and its words.
func TestVerdicts(t *testing.T) {
	sign := func(i int) float64 { return float64(i%2*2 - 1) }
	for name, c := range map[string]struct {
		of            func(int) float64
		verdict, text string
	}{
		"always slower":    {func(i int) float64 { return 1 + float64(i)/100 }, pairs.Real, "the difference is real"},
		"both signs":       {func(i int) float64 { return 5 * sign(i) }, pairs.NoneSeen, "none seen"},
		"tiny differences": {func(i int) float64 { return sign(i) }, pairs.Smaller, "a difference is smaller than 1"},
		"equal":            {func(int) float64 { return 0 }, pairs.NoneSeen, "none seen: all pairs are equal"},
		"no values":        {func(int) float64 { return math.NaN() }, "", "0 pairs have values: want at least 6"},
	} {
		conclusion := result(c.of).Conclude()
		shown := func(x float64) string {
			if math.Abs(x-1) < 1e-9 {
				return "1"
			}
			return "another value"
		}
		if text := conclusion.Sentence(shown); conclusion.Verdict != c.verdict || text != c.text {
			t.Errorf("%s: %q, %q, want %q, %q", name, conclusion.Verdict, text, c.verdict, c.text)
		}
	}
	other := result(func(int) float64 { return 1 })
	other.Pairs[0][1].Name = "bandwidth"
	if c := other.Conclude(); c.Verdict != "" || !strings.Contains(c.Why, "bandwidth") {
		t.Errorf("two metrics: %+v", c)
	}
}

// TestHistogramsCountAllValues adds up the counts of both sides. Values without a spread have no histogram.
func TestHistogramsCountAllValues(t *testing.T) {
	r := result(func(i int) float64 { return float64(i) })
	r.Pairs[3][1].Value = math.NaN()
	h := r.Histograms()
	var sum [2]int
	for side := range sum {
		for _, n := range h.Counts[side] {
			sum[side] += n
		}
	}
	if sum != [2]int{8, 7} || h.From[0] > 100 || h.From[pairs.Bins-1] <= h.From[0] {
		t.Errorf("%v values in %+v", sum, h)
	}
	for i := range r.Pairs {
		r.Pairs[i][0].Value, r.Pairs[i][1].Value = 1, 1
	}
	if h := r.Histograms(); h != nil {
		t.Errorf("equal values: %+v", h)
	}
}

// TestRunPairsSeeds simulates pairs of equal seeds, which draw the same noise: pairs of one scenario are equal, and
// seeds differ. Too few seeds and a live run are refused.
func TestRunPairsSeeds(t *testing.T) {
	sc, err := session.Scenario("heat")
	if err != nil {
		t.Fatal(err)
	}
	o := session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 1}}
	both := func() [2]engine.Scenario { return [2]engine.Scenario{sc.Clone(), sc.Clone()} }
	if _, err := pairs.Run(context.Background(), [2]string{"A", "B"}, both(), 6, o, nil); err == nil || !strings.Contains(err.Error(), "sim") {
		t.Errorf("a live run: %v", err)
	}
	for knob, value := range map[string]string{"fabric": engine.Sim, "nodes": "2", "ranks-per-node": "1", "size": "24", "steps": "5",
		"noise-rate": "100000", "noise-length": "0.000025"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pairs.Run(context.Background(), [2]string{"A", "B"}, both(), 5, o, nil); err == nil {
		t.Error("5 seeds are accepted")
	}
	r, err := pairs.Run(context.Background(), [2]string{"A", "B"}, both(), 6, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[float64]bool{}
	for i := range r.Pairs {
		if r.Pairs[i][0].Value != r.Pairs[i][1].Value {
			t.Errorf("pair %d: %g and %g", i, r.Pairs[i][0].Value, r.Pairs[i][1].Value)
		}
		seen[r.Pairs[i][0].Value] = true
	}
	if len(seen) < 2 {
		t.Errorf("all seeds have the time %v", seen)
	}
}
