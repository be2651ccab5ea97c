package heat

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// spreadOf is a snapshot of a variant whose two-step times stand in two buckets.
func spreadOf(variant string, upper float64, counts [2]int64) *engine.Snapshot {
	s := &engine.Snapshot{Scenario: heat.Scenario([]string{"demo"}), Kind: engine.Simulated}
	if err := s.Scenario.Set("variant", variant); err != nil {
		panic(err)
	}
	s.Layout = cluster.Layout{Nodes: 4, RanksPerNode: 4, ThreadsPerRank: 1, Ranking: cluster.Sequential, Model: cluster.Flat}
	q := engine.Quantiles{Count: counts[0] + counts[1], Min: upper * 0.9, P50: upper * 0.95, Max: 2 * upper,
		Buckets: []engine.Bucket{{Upper: upper, Count: counts[0]}, {Upper: 2 * upper, Count: counts[1]}}}
	s.Samples = []engine.Distribution{{Name: "two_steps", Unit: "s", Kind: engine.Simulated, Quantiles: q}}
	return s
}

// The study of steps has a histogram a variant, each with its median, and says which is
// wider; shares add up to one.
func TestHistograms(t *testing.T) {
	two, one := spreadOf("two-sided", 200e-6, [2]int64{80, 20}), spreadOf("put-rpc", 100e-6, [2]int64{100, 0})
	v := &engine.StudyView{Form: bySpread.Form, Rows: append(spread(two), spread(one)...)}
	histograms(v, two)
	if p := v.Plots[0]; len(p.Lines) != 2 || len(p.Rules) != 2 || p.Rules[1].At != 95e-6 {
		t.Fatalf("%d lines and rules %+v, want a histogram and a median each", len(p.Lines), p.Rules)
	}
	if tenth, ninetieth := v.Rows[0].Cells[spreadTenth], v.Rows[0].Cells[spreadNinetieth]; tenth <= 180e-6 || tenth >= 200e-6 || ninetieth <= 200e-6 || ninetieth >= 400e-6 {
		t.Errorf("eight of ten lie from %v s to %v s", tenth, ninetieth)
	}
	line, sum := v.Plots[0].Lines[0], 0.0
	for i := 1; i < len(line.Y); i++ {
		if line.Y[i] == line.Y[i-1] && line.Y[i] > 0.01 {
			sum += line.Y[i]
		}
	}
	if sum < 0.99 || sum > 1.01 {
		t.Errorf("shares %v add up to %v", line.Y, sum)
	}
	for _, part := range []string{"Two steps of two-sided: median 190 µs", "put-rpc: 95.0 µs, within"} {
		if !strings.Contains(v.Why, part) {
			t.Errorf("why %q, want %q in it", v.Why, part)
		}
	}
}

// The median lies between the tenth and the ninetieth of a hundred, although buckets are
// wider than it is exact.
func TestMedianLiesInTheMiddle(t *testing.T) {
	for _, median := range []float64{180e-6, 185e-6, 199e-6, 200e-6} {
		s := spreadOf("two-sided", 200e-6, [2]int64{100, 0})
		s.Samples[0].P50, s.Samples[0].Max = median, 200e-6
		if c := spread(s)[0].Cells; c[spreadTenth] > median || c[spreadNinetieth] < median {
			t.Errorf("median %v s, eight of ten from %v s to %v s", median, c[spreadTenth], c[spreadNinetieth])
		}
	}
}

// The fewest nodes at which a step is shortest are marked, if more were tried.
func TestOptimum(t *testing.T) {
	row := func(nodes, time float64) engine.Row {
		return engine.Row{Series: "two-sided", Kind: engine.Simulated, Cells: []float64{columnNodes: nodes, columnTime: time}}
	}
	v := &engine.StudyView{Rows: []engine.Row{row(1, 4e-6), row(2, 3e-6), row(4, 3.5e-6)}}
	if m := optima(v, engine.Simulated); len(m) != 1 || m[0].X != 2 || m[0].Text != "best of two-sided: 2 nodes" {
		t.Errorf("marks %+v, want one at 2 nodes", m)
	}
	v.Rows = v.Rows[:2]
	if m := optima(v, engine.Simulated); len(m) != 0 {
		t.Errorf("marks %+v although a step still gets shorter", m)
	}
}
