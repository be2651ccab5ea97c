package all_test

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/presets"
)

// ended returns the last snapshot of two iterations of a workload on a fabric.
func ended(t *testing.T, name, fabric string, knobs map[string]string) *engine.Snapshot {
	t.Helper()
	sc, err := session.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"fabric": fabric, "machine": "demo"}
	maps.Copy(all, knobs)
	for knob, value := range all {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := session.RunRows(context.Background(), []session.Row{{}}, []engine.Scenario{sc},
		session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := rows[0].Snapshot
	if s.Failure != "" || !s.Verification.OK {
		t.Fatalf("%s on %s: %s %+v", name, fabric, s.Failure, s.Verification)
	}
	return s
}

// Every workload reports the samples and tables that it declares, on every fabric.
func TestDeclaredSamplesAreGiven(t *testing.T) {
	for _, w := range workload.All() {
		if len(w.Samples)+len(w.Tallies) == 0 {
			continue
		}
		for _, fabric := range []string{"live", "sim"} {
			s := ended(t, w.Name, fabric, quickly(w, map[string]string{"nodes": "2", "ranks-per-node": "2"}))
			for i, m := range w.Samples {
				if len(s.Samples) <= i || s.Samples[i].Name != m.Name || s.Samples[i].Unit != m.Unit ||
					s.Samples[i].Kind != s.Kind || s.Samples[i].Count == 0 {
					t.Errorf("%s on %s: sample %s is not among %+v", w.Name, fabric, m.Name, s.Samples)
				}
			}
			for _, y := range w.Tallies {
				if rows, _ := y.Labels(&s.Scenario, &cluster.Machine{}); len(rows) == 0 {
					continue // these knobs need no such table
				}
				sum := int64(0)
				for _, n := range s.Tally(y.Name).Counts {
					sum += n
				}
				if sum == 0 {
					t.Errorf("%s on %s: nothing was counted in table %s", w.Name, fabric, y.Name)
				}
			}
		}
	}
}

// Each process of an exchange reports its own time, and the slowest one is the exchange's time.
func TestCartesianProcessTimes(t *testing.T) {
	s := ended(t, "cartesian", "sim",
		map[string]string{"nodes": "3", "ranks-per-node": "4", "threads-per-rank": "1", "directions": "together",
			"method": "nonblocking"})
	d := s.Samples[0]
	slowest := metric(t, s.Metrics, "exchange_time").Value
	if d.Count != 2*12 || d.Mean > slowest || d.Max > 1.01*slowest || d.Max < 0.99*slowest {
		t.Errorf("%d samples with mean %g s and maximum %g s, want 24 with the maximum near exchange_time = %g s", d.Count,
			d.Mean, d.Max, slowest)
	}
}

// Each pattern has one fastest method at each size.
func TestBeffBestMethods(t *testing.T) {
	knobs := map[string]string{"nodes": "2", "ranks-per-node": "2", "lmax": "64", "randoms": "3", "rounds": "1"}
	for method, columns := range map[string][]string{"best": {"sendrecv", "alltoallv", "nonblocking"},
		"alltoallv": {"alltoallv"}} {
		knobs["method"] = method
		y := ended(t, "beff", "sim", knobs).Tallies[0]
		if !slices.Equal(y.Rows, []string{"8 B", "16 B", "32 B", "64 B"}) || !slices.Equal(y.Columns, columns) {
			t.Fatalf("rows %v, columns %v", y.Rows, y.Columns)
		}
		for row := range y.Rows {
			sum := int64(0)
			for column := range y.Columns {
				sum += y.At(row, column)
			}
			if sum != 2*(6+3) {
				t.Errorf("%s at %s: %d wins in 2 iterations of 6 rings and 3 random ones", method, y.Rows[row], sum)
			}
		}
	}
}

// Tables stay within the maximum size for every choice of every knob.
func TestTablesAreBounded(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for _, w := range workload.All() {
		for _, y := range w.Tallies {
			sc, err := session.Scenario(w.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range sc.Table {
				for _, choice := range k.Choices {
					if k.Name == "machine" {
						break
					}
					one := sc.Clone()
					if err := one.Set(k.Name, choice); err != nil {
						t.Fatal(err)
					}
					m, err := presets.Machine(one.Text("machine"))
					if err != nil {
						t.Fatal(err)
					}
					if rows, columns := y.Labels(&one, &m); len(rows) > engine.MaxTally || len(columns) > engine.MaxTally {
						t.Errorf("%s, %s = %s: table %s has %d × %d cells", w.Name, k.Name, choice, y.Name, len(rows), len(columns))
					}
				}
			}
		}
	}
}
