package heat

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// spreadOf returns a snapshot of a variant whose two-step times are in two buckets.
func spreadOf(variant string, upper float64, counts [2]int64) *engine.Snapshot {
	s := &engine.Snapshot{Scenario: heat.Scenario([]string{"demo"}), Kind: engine.Simulated}
	if err := s.Scenario.Set("variant", variant); err != nil {
		panic(err)
	}
	s.Layout = cluster.Layout{Nodes: 4, RanksPerNode: 4, ThreadsPerRank: 1, Ranking: cluster.Sequential,
		Model: cluster.Flat}
	q := engine.Quantiles{Count: counts[0] + counts[1], Min: upper * 0.9, P50: upper * 0.95, Max: 2 * upper,
		Buckets: []engine.Bucket{{Upper: upper, Count: counts[0]}, {Upper: 2 * upper, Count: counts[1]}}}
	s.Samples = []engine.Distribution{{Name: "two_steps", Unit: "s", Kind: engine.Simulated, Quantiles: q}}
	return s
}

// The study of steps has one histogram per variant, each with its median, and compares their
// widths. Shares add up to one.
func TestHistograms(t *testing.T) {
	two, one := spreadOf("two-sided", 200e-6, [2]int64{80, 20}), spreadOf("put-rpc", 100e-6, [2]int64{100, 0})
	v := &engine.StudyView{Form: bySpread.Form, Rows: append(spread(two), spread(one)...)}
	histograms(v, two)
	if p := v.Plots[0]; len(p.Lines) != 2 || len(p.Rules) != 2 || p.Rules[1].At != 95e-6 {
		t.Fatalf("%d lines and rules %+v, want a histogram and a median each", len(p.Lines), p.Rules)
	}
	if tenth, ninetieth := v.Rows[0].Cells[spreadTenth], v.Rows[0].Cells[spreadNinetieth]; tenth <= 180e-6 ||
		tenth >= 200e-6 || ninetieth <= 200e-6 || ninetieth >= 400e-6 {
		t.Errorf("80 %% are from %v s to %v s", tenth, ninetieth)
	}
	line, sum := v.Plots[0].Lines[0], 0.0
	for i := 1; i+1 < len(line.Y); i += 2 { // between the ends both edges of each bucket
		if line.Y[i] != line.Y[i+1] {
			t.Fatalf("edges at %v and %v", line.Y[i], line.Y[i+1])
		}
		sum += line.Y[i]
	}
	if sum < 0.99 || sum > 1.01 {
		t.Errorf("shares %v add up to %v", line.Y, sum)
	}
	for _, part := range []string{"Two steps of two-sided: median 190 µs", "put-rpc: median 95.0 µs, within"} {
		if !strings.Contains(v.Why, part) {
			t.Errorf("why %q, want %q in it", v.Why, part)
		}
	}
}

// gather returns the row of a variant. Its times are counts in buckets of a two-hundredth, from a
// time on.
func gather(name string, from float64, counts ...float64) engine.Row {
	r := engine.Row{Series: name, Kind: engine.Simulated, Cells: make([]float64, spreadCount+1)}
	for _, n := range counts {
		if n > 0 {
			r.Raw = append(r.Raw, from, from*1.005, n)
		}
		from *= 1.005
		r.Cells[spreadCount] += n
	}
	return r
}

// Buckets are as narrow as the narrowest row needs, limited by the precision of the samples and the
// range of all rows. They are the same for all rows.
func TestBucketsFollowTheData(t *testing.T) {
	var bell []float64
	for i := -20.; i <= 20; i++ {
		bell = append(bell, 1e4*math.Exp(-i*i/50))
	}
	few := make([]float64, len(bell))
	for i := range bell {
		few[i] = math.Round(bell[i] / 1e4 * 4)
	}
	for _, c := range []struct {
		what string
		want int
		rows []engine.Row
	}{
		{"narrow, of many", 256, []engine.Row{gather("a", 400e-6, bell...)}},
		{"narrow, of few", 128, []engine.Row{gather("a", 400e-6, few...)}},
		{"one value", 256, []engine.Row{gather("a", 400e-6, 100)}},
		{"together with a distant row", 128, []engine.Row{gather("a", 400e-6, bell...), gather("b", 3e-3, bell...)}},
		{"over many decades", 16, []engine.Row{gather("a", 1e-6, bell...), gather("b", 1, bell...)}},
		{"hardly told apart", 16,
			[]engine.Row{{Raw: []float64{1e-6, 2e-6, 1e6, 2e-6, 4e-6, 1e6}, Cells: []float64{spreadCount: 2e6}}}},
		{"nothing", 16, nil},
	} {
		got := bucketsPerDecade(c.rows)
		if got != c.want {
			t.Errorf("%s: %d buckets per decade, want %d", c.what, got, c.want)
		}
		for i := range c.rows {
			shares, _ := rebucket(c.rows[i].Raw, got)
			sum := 0.0
			for _, x := range shares {
				sum += x
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("%s: shares add up to %v", c.what, sum)
			}
		}
	}
	v := &engine.StudyView{Form: bySpread.Form, Now: 0,
		Rows: []engine.Row{gather("a", 400e-6, bell...), gather("b", 450e-6, 5, 90, 5)}}
	s := spreadOf("two-sided", 400e-6, [2]int64{1, 1})
	histograms(v, s)
	for _, line := range v.Plots[0].Lines {
		for _, x := range line.X {
			if k := math.Log10(x) * 256; math.Abs(k-math.Round(k)) > 1e-6 {
				t.Errorf("%s has an edge at %v s, between the edges of 256 per decade", line.Name, x)
			}
		}
	}
	if n := len(v.Plots[0].Lines[0].X); n < 40 {
		t.Errorf("%d corners of a bell", n)
	}
	if title := v.Plots[0].Title; title != "share of samples, in buckets of 0.9 %" {
		t.Errorf("title %q", title)
	}
	for i, median := range []float64{441e-6, 453e-6} { // its marker is on the edge
		v.Rows[i].Cells[spreadMedian] = median
		histograms(v, s)
		line, on := v.Plots[0].Lines[i], false
		for k := 1; k+1 < len(line.X); k += 2 {
			on = on || line.X[k] <= median && median < line.X[k+1] && line.Y[k] == v.Rows[i].Cells[spreadShare]
		}
		if !on {
			t.Errorf("%s: the mark at %v s has %v, and the edge there another share", line.Name, median,
				v.Rows[i].Cells[spreadShare])
		}
	}
}

// The median is between the 10th and the 90th percentile, although buckets are wider than its
// precision.
func TestMedianIsInTheMiddle(t *testing.T) {
	for _, median := range []float64{180e-6, 185e-6, 199e-6, 200e-6} {
		s := spreadOf("two-sided", 200e-6, [2]int64{100, 0})
		s.Samples[0].P50, s.Samples[0].Max = median, 200e-6
		if c := spread(s)[0].Cells; c[spreadTenth] > median || c[spreadNinetieth] < median {
			t.Errorf("median %v s, 80 %% from %v s to %v s", median, c[spreadTenth], c[spreadNinetieth])
		}
	}
}

// The smallest number of nodes with the shortest step is marked, if more nodes were tried.
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
