package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// snapOf returns a snapshot of the story on this host after 5 iterations; seconds is the
// time of one.
func snapOf(t *testing.T, kind engine.Kind, seconds float64, knobs ...string) *engine.Snapshot {
	t.Helper()
	s := &engine.Snapshot{Kind: kind, Iteration: 5, Scenario: storyOf(t, "access", knobs...)}
	for i := range 5 {
		s.IterationTimes = append(s.IterationTimes, seconds*(1+float64(i-2)/10))
	}
	s.IterationTimes[4] *= 100 // a disturbed iteration
	return s
}

func TestChange(t *testing.T) {
	few := snapOf(t, engine.Measured, 1e-3, "group", "8")
	few.Iteration, few.IterationTimes = 2, few.IterationTimes[:2]
	one := snapOf(t, engine.Simulated, 1e-3, "group", "8")
	one.Iteration, one.IterationTimes = 1, []float64{1e-3}
	tale := snapOf(t, engine.Measured, 1e-3)
	tale.Scenario.Workload = "tale"
	rated := func(kind engine.Kind, rate float64, knobs ...string) *engine.Snapshot {
		s := snapOf(t, kind, 1e-3, knobs...)
		s.Iteration, s.IterationTimes = 1, s.IterationTimes[:1]
		s.Metrics = []engine.Metric{{Name: "b_eff", Value: rate, Unit: "B/s", Kind: kind}}
		s.Studies = []engine.StudyView{{Form: engine.Form{Metric: "b_eff"}, Now: -1}}
		return s
	}
	for _, c := range []struct {
		what          string
		before, after *engine.Snapshot
		want          string
	}{
		{"faster", snapOf(t, engine.Measured, 2e-3), snapOf(t, engine.Measured, 1e-3, "group", "8"),
			"group 4→8: 2× faster: 2.00 → 1.00 ms for an iteration (measured)"},
		{"slower", snapOf(t, engine.Emulated, 1e-3), snapOf(t, engine.Emulated, 1.5e-3, "ranking", "round-robin"),
			"ranking sequential→round-robin: 1.5× slower: 1.00 → 1.50 ms for an iteration (emulated)"},
		{"ranks × threads", snapOf(t, engine.Measured, 1e-3),
			snapOf(t, engine.Measured, 4e-3, "ranks-per-node", "1", "threads-per-rank", "4"),
			"ranks-per-node 4→1, threads-per-rank 1→4: 4× slower: 1.00 → 4.00 ms for an iteration (measured)"},
		{"alike", snapOf(t, engine.Measured, 1e-3), snapOf(t, engine.Measured, 1.04e-3, "group", "8"),
			"group 4→8: no difference: 1.00 → 1.04 ms for an iteration (measured)"},
		{"a simulation is exact", snapOf(t, engine.Simulated, 1e-3), snapOf(t, engine.Simulated, 1.04e-3, "group", "8"),
			"group 4→8: 1.04× slower: 1.00 → 1.04 ms for an iteration (simulated)"},
		{"hardly anything", snapOf(t, engine.Simulated, 1e-3), snapOf(t, engine.Simulated, 1.004e-3, "group", "8"),
			"group 4→8: no difference: 1.00 → 1.00 ms for an iteration (simulated)"},
		{"one simulated iteration is enough", snapOf(t, engine.Simulated, 2e-3), one,
			"group 4→8: 2× faster: 2.00 → 1.00 ms for an iteration (simulated)"},
		{"kinds are not mixed up", snapOf(t, engine.Emulated, 2e-3), snapOf(t, engine.Simulated, 1e-3, "fabric", "sim"),
			"fabric live→sim: 2× faster: 2.00 ms emulated → 1.00 ms simulated for an iteration"},
		{"other work", snapOf(t, engine.Measured, 1e-3), snapOf(t, engine.Measured, 200e-3, "segment", "8192"),
			"segment 4096→8192: 200× longer iterations: 1.00 → 200 ms for an iteration (measured)"},
		{"one emulated bandwidth is enough", rated(engine.Emulated, 2e9), rated(engine.Emulated, 3e9, "group", "8"),
			"group 4→8: 1.5× higher b eff: 2 → 3 GB/s (emulated)"},
		{"measured bandwidths vary", rated(engine.Measured, 2e9), rated(engine.Measured, 3e9, "group", "8"), ""},
		{"too few iterations", snapOf(t, engine.Measured, 2e-3), few, ""},
		{"nothing turned", snapOf(t, engine.Measured, 2e-3), snapOf(t, engine.Measured, 1e-3), ""},
		{"how it is looked at", snapOf(t, engine.Measured, 2e-3), snapOf(t, engine.Measured, 1e-3, "timeline", "on"), ""},
		{"another workload", snapOf(t, engine.Measured, 2e-3), tale, ""},
		{"nothing before", nil, snapOf(t, engine.Measured, 1e-3), ""},
	} {
		if got := Change(c.before, c.after); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
	}
}

// product returns a snapshot of a scheme in which communication takes the share comm of
// masteronly's 10 ms; knobs alternate name and value.
func product(t *testing.T, threading string, comm, non, epsilon float64, knobs ...string) *engine.Snapshot {
	t.Helper()
	sc, err := Scenario("schemes")
	if err != nil {
		t.Fatal(err)
	}
	knobs = append([]string{"threading", threading}, knobs...)
	for i := 0; i < len(knobs); i += 2 {
		if err := sc.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	s := &engine.Snapshot{Kind: engine.Simulated, Iteration: 5, IterationTimes: []float64{1e-3}, Scenario: sc,
		Layout: sc.Layout()}
	for name, v := range map[string]float64{
		"f_comm": comm, "f_non": non, "f_overlap": 1 - comm - non, "epsilon": epsilon, "time_masteronly": 10e-3,
		"time_scheme": 10e-3 / epsilon,
	} {
		s.Metrics = append(s.Metrics, engine.Metric{Name: name, Value: v, Kind: s.Kind})
	}
	if threading != "masteronly" {
		s.Metrics = append(s.Metrics, engine.Metric{Name: "epsilon_model", Value: epsilon, Kind: engine.Modelled})
	}
	return viewed(s)
}

// viewed adds the study of the snapshot's scheme.
func viewed(s *engine.Snapshot) *engine.Snapshot {
	table := study.NewTable(schemesStudy)
	table.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
	s.Studies = []engine.StudyView{table.Look(s)}
	return s
}

// Change uses a scheme's name. The time is the scheme's own, not the time of an iteration, in
// which masteronly also runs. The hidden communication equals the gain of the scheme.
func TestChangeOfThreading(t *testing.T) {
	master := product(t, "masteronly", 0.4, 0.2, 1)
	slow := product(t, "masteronly", 0.4, 0.2, 1)
	for i := range slow.Metrics {
		if m := &slow.Metrics[i]; strings.HasPrefix(m.Name, "time_") {
			m.Value *= 1.5
		}
	}
	viewed(slow)
	for _, c := range []struct {
		what          string
		before, after *engine.Snapshot
		want          string
	}{
		{"to multiple", master, product(t, "multiple", 0.4, 0.2, 1.46),
			"multiple, m = 1: 1.46× faster: 10.0 → 6.85 ms for an iteration (simulated); 3.15 ms of 4.00 ms " +
				"communication now hidden"},
		{"the host was slower before", slow, product(t, "multiple", 0.4, 0.2, 1.46),
			"multiple, m = 1: 1.46× faster: 10.0 → 6.85 ms for an iteration (simulated); 3.15 ms of 4.00 ms " +
				"communication now hidden"},
		{"more than all cannot be hidden", master, product(t, "multiple", 0.1, 0.2, 2),
			"multiple, m = 1: 2× faster: 10.0 → 5.00 ms for an iteration (simulated); 1.00 ms of 1.00 ms communication " +
				"now hidden"},
		{"to funneled", product(t, "multiple", 0.4, 0.2, 1.6, "reserved", "2"),
			product(t, "funneled", 0.4, 0.2, 1.28, "reserved", "2"),
			"funneled: 1.25× slower: 6.25 → 7.81 ms for an iteration (simulated); 2.19 ms of 4.00 ms communication " +
				"now hidden"},
		{"m", product(t, "multiple", 0.4, 0.2, 1.6), product(t, "multiple", 0.4, 0.2, 0.8, "reserved", "6"),
			"multiple, m = 6: 2× slower: 6.25 → 12.5 ms for an iteration (simulated); 4.00 ms communication " +
				"overlapped, without a gain"},
		{"and back", product(t, "multiple", 0.4, 0.2, 1.6), master,
			"masteronly: 1.6× slower: 6.25 → 10.0 ms for an iteration (simulated); 4.00 ms communication not hidden"},
		{"with another knob", master, product(t, "multiple", 0.4, 0.2, 1.25, "world-seed", "1"),
			"threading masteronly→multiple, world-seed 0→1: 1.25× faster: 10.0 → 8.00 ms for an iteration " +
				"(simulated); 2.00 ms of 4.00 ms communication now hidden"},
	} {
		if got := Change(c.before, c.after); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.what, got, c.want)
		}
	}
}

// A row of a sweep is compared with the first row of the same problem.
func TestChangesOfASweep(t *testing.T) {
	var rows []Row
	for _, s := range []*engine.Snapshot{
		product(t, "masteronly", 0.4, 0.2, 1), product(t, "masteronly", 0.3, 0.2, 1, "local-k", "16"),
		product(t, "multiple", 0.4, 0.2, 1.25), product(t, "multiple", 0.3, 0.2, 2, "local-k", "16"),
	} {
		rows = append(rows, Row{Snapshot: s})
	}
	want := []string{"", "",
		"multiple, m = 1: 1.25× faster: 10.0 → 8.00 ms for an iteration (simulated); 2.00 ms of 4.00 ms " +
			"communication now hidden",
		"multiple, m = 1: 2× faster: 10.0 → 5.00 ms for an iteration (simulated); 3.00 ms of 3.00 ms communication " +
			"now hidden",
	}
	if d := cmp.Diff(want, Changes(rows)); d != "" {
		t.Error(d)
	}
}

// In a session the text appears when the new run has finished iterations. It compares with the
// last run that has any, and a reset removes it.
func TestChangeOfASession(t *testing.T) {
	sc := storyOf(t, "stroll", "fabric", "sim", "machine", "xc30-edison", "pace", "max")
	s := start(t, sc, Options{})
	s.until("iterations", func(s *engine.Snapshot) bool { return s.Iteration > 3 && s.Change == "" })
	s.do(engine.Set, "ranking", "round-robin")
	s.until("a change", func(s *engine.Snapshot) bool {
		return s.Scenario.Text("ranking") == "round-robin" && s.Iteration > 0 && s.Change != "" && len(s.Change) > 40 &&
			s.Change[:len("ranking sequential→round-robin: ")] == "ranking sequential→round-robin: "
	})
	s.do(engine.Reset)
	s.until("none", func(s *engine.Snapshot) bool { return s.Change == "" && s.Iteration > 0 })
}
