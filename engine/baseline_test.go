package engine

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func compared(workload string, edit func(*Snapshot), knobs ...string) *Snapshot {
	sc := NewScenario(workload, Base)
	for i := 0; i < len(knobs); i += 2 {
		sc.Values[knobs[i]] = knobs[i+1]
	}
	s := &Snapshot{Scenario: sc, Kind: Simulated, Phase: Running, Iteration: 3}
	if edit != nil {
		edit(s)
	}
	return s
}

// A baseline is named after the knobs that differ.
func TestNameOfABaseline(t *testing.T) {
	now := compared("dot", nil, "group", "8")
	for _, c := range []struct {
		base *Snapshot
		want string
	}{
		{compared("dot", nil, "group", "8"), "the same knobs"},
		{compared("dot", nil), "group 4"},
		{compared("dot", nil, "group", "8", "machine", "xc30-edison", "model", "flat"), "on xc30-edison, flat"},
		{compared("spmv", nil, "eager-limit", "64"), "spmv, group 4, eager limit 64 B"},
		{compared("dot", nil, "nodes", "1", "seed", "2", "threading", "single"),
			"nodes 1, threading single, group 4, 1 more"},
	} {
		if got := NewBaseline(c.base).Against(now).Name; got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A ratio needs metrics of the same name and unit, and names its reference. There is none for
// NaN, for a missing metric, or if the host fell behind.
func TestRatios(t *testing.T) {
	base := compared("dot", func(s *Snapshot) {
		s.Kind = Emulated
		s.Metrics = []Metric{
			{"time", 2, "s", Emulated}, {"model", 2, "s", Modelled}, {"rate", 0, "B/s", Emulated},
			{"nan", math.NaN(), "s", Emulated},
			{"huge", 1e-300, "1", Emulated}, {"unit", 1, "s", Emulated},
		}
	})
	ratioTexts := func(base, now *Snapshot) map[string]string {
		all := map[string]string{}
		a := NewBaseline(base).Against(now)
		for i := range now.Metrics {
			if r, ok := a.Ratio(&now.Metrics[i]); ok {
				all[now.Metrics[i].Name] = r.String()
			}
		}
		return all
	}
	now := func(edit func(*Snapshot)) *Snapshot {
		return compared("spmv", func(s *Snapshot) {
			s.Metrics = []Metric{
				{"time", 3.6, "s", Simulated}, {"model", 1, "s", Modelled}, {"rate", 3, "B/s", Simulated},
				{"nan", 1, "s", Simulated},
				{"huge", 1e300, "1", Simulated}, {"unit", 1, "B", Simulated}, {"more", 1, "s", Simulated},
			}
			edit(s)
		}, "group", "16")
	}
	want := map[string]string{
		"time":  "1.8× baseline: dot, group 4 (simulated over emulated)",
		"model": "0.5× baseline: dot, group 4",
	}
	if diff := cmp.Diff(want, ratioTexts(base, now(func(*Snapshot) {}))); diff != "" {
		t.Error(diff)
	}
	base.Keeping = Behind
	delete(want, "time")
	if diff := cmp.Diff(want, ratioTexts(base, now(func(*Snapshot) {}))); diff != "" {
		t.Errorf("of a late baseline: %s", diff)
	}
}

func TestFactor(t *testing.T) {
	for x, want := range map[float64]string{1: "1×", 1.806: "1.81×", 0.05123: "0.0512×", 123.4: "123×",
		1e6: "1.0e+06×", 1e-9: "1.0e-09×", math.NaN(): "–"} {
		if r := (Ratio{Value: x}); r.Factor() != want {
			t.Errorf("%g: %q, want %q", x, r.Factor(), want)
		}
	}
}

// The series of a baseline begins at the last knob change, and its data are copies.
func TestABaselineIsOfOneRun(t *testing.T) {
	s := compared("dot", func(s *Snapshot) {
		for i := range 10 {
			s.Series = append(s.Series, Sample{At: time.Duration(i) * time.Second})
		}
		s.Marks = []Mark{{At: 2 * time.Second}, {At: 6500 * time.Millisecond}}
		s.Latency[0].Buckets = []Bucket{{1, 2}}
	})
	b := NewBaseline(s)
	if len(b.Series) != 3 || b.Series[0].At != 7*time.Second || b.End != 9*time.Second {
		t.Errorf("%d samples from %v to %v", len(b.Series), b.Series[0].At, b.End)
	}
	s.Series[9].At = 0
	s.Scenario.Values["group"] = "1"
	s.Latency[0].Buckets[0].Count = 7
	if b.Series[2].At != 9*time.Second || b.Scenario.Values["group"] != "4" || b.Latency[0].Buckets[0].Count != 2 {
		t.Error("the baseline changes with the snapshot")
	}
	s.Marks = []Mark{{At: time.Hour}}
	b = NewBaseline(s)
	if len(b.Series) != 0 || b.End != 0 {
		t.Errorf("%d samples before the first of a launch", len(b.Series))
	}
}
