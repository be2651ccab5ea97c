package advise_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/presets"
)

// scenario returns a simulated scenario with changed knobs. A name with a dash is a preset.
func scenario(t testing.TB, name string, knobs ...string) engine.Scenario {
	t.Helper()
	var sc engine.Scenario
	var err error
	if strings.Contains(name, "-") {
		var p presets.Scenario
		if p, err = presets.FindScenario(name); err == nil {
			sc, err = session.FromPreset(&p)
		}
	} else {
		sc, err = session.Scenario(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	for pair := range slices.Chunk(append([]string{"fabric", engine.Sim, "timeline", "off"}, knobs...), 2) {
		if err := sc.Set(pair[0], pair[1]); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// ask returns advice with the default knobs.
func ask(t testing.TB, sc engine.Scenario, flips int) *advise.Advice {
	t.Helper()
	axes, late, err := advise.Axes(&sc, nil, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := advise.Advise(t.Context(), advise.Request{Scenario: sc, Axes: axes, Late: late, Most: 64, Flips: flips})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// checkWinner compares the winner with a full sweep of the same knobs, the late ones included. Each point of the sweep may be
// faster by at most 2 %.
func checkWinner(t *testing.T, a *advise.Advice) {
	t.Helper()
	rows, scenarios, err := session.Combinations(a.Scenario, slices.Concat(a.Axes, a.Late))
	if err != nil {
		t.Fatal(err)
	}
	var best cluster.Time
	at, ran := 0, 0
	err = explain.RunAll(t.Context(), rows, scenarios, session.Options{}, nil, func(i int, s *engine.Snapshot, r *explain.Run, err error) {
		if err != nil || !s.Verification.OK {
			return
		}
		if ran++; best == 0 || r.Total < best {
			best, at = r.Total, i
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	w := a.Winner()
	t.Logf("winner %s: %v; fastest of %d points: %s: %v", w.Name(), w.Time, ran, rows[at].Name(), best)
	if float64(w.Run.Total) > 1.02*float64(best) {
		t.Errorf("winner %s takes %v, but %s takes %v", w.Name(), w.Run.Total, rows[at].Name(), best)
	}
}

// checkFlips simulates each reported factor again, 2 % before and 2 % after it. The faster of the two
// candidates differs.
func checkFlips(t *testing.T, a *advise.Advice) {
	t.Helper()
	for _, f := range a.Flips {
		for _, side := range []struct {
			factor float64
			leads  bool
		}{{f.Near.Factor, true}, {f.Far.Factor, false}} {
			if x := side.factor / f.Factor; (x-1)*(x-1) > 0.021*0.021 {
				t.Errorf("%s: simulated at %g, more than 2 %% from %g", f.Key, side.factor, f.Factor)
			}
			var times [2]cluster.Time
			for i, c := range []*advise.Candidate{a.Winner(), a.RunnerUp()} {
				r, err := explain.After(t.Context(), c.Scenario, []presets.Change{{Key: f.Key, Factor: side.factor}}, session.Options{})
				if err != nil {
					t.Fatal(err)
				}
				times[i] = r.Total
			}
			if leads := times[0] <= times[1]; leads != side.leads {
				t.Errorf("%s × %g: winner %v, runner-up %v", f.Key, side.factor, times[0], times[1])
			}
		}
		t.Logf("%s × %.3g: %s", f.Key, f.Factor, f.Source)
	}
}

// TestAdvice asks for the algorithm of a broadcast. The algorithms that the model puts far behind are not
// simulated, and the others are ranked. The runner-up wins on a network with a larger latency.
func TestAdvice(t *testing.T) {
	a := ask(t, scenario(t, "collective", "nodes", "8", "ranks-per-node", "1", "size", "32768", "algorithm", "knomial"), 2)
	checkWinner(t, a)
	checkFlips(t, a)
	if len(a.Flips) == 0 {
		t.Error("no constant changes the order")
	}
	pruned := 0
	for _, c := range a.Candidates {
		switch {
		case c.Pruned:
			pruned++
			if c.Run != nil || c.Modelled < 3*a.Winner().Modelled {
				t.Errorf("%s is pruned: modelled %g s, winner %g s", c.Name(), c.Modelled, a.Winner().Modelled)
			}
		case c.Run == nil && c.Refusal == "":
			t.Errorf("%s has neither a time nor a reason", c.Name())
		case c.Run != nil && c.MemoryPerNode <= 0:
			t.Errorf("%s uses no memory", c.Name())
		}
	}
	if pruned == 0 || a.Simulations == 0 {
		t.Errorf("%d pruned, %d simulations", pruned, a.Simulations)
	}
	for i, c := range a.Candidates[1:] {
		if before := a.Candidates[i]; c.Run != nil && c.Place < before.Place {
			t.Errorf("place %d after place %d", c.Place, before.Place)
		}
	}
}

// TestCancelled ends the context before the first simulation. The advice has no winner.
func TestCancelled(t *testing.T) {
	sc := scenario(t, "dot")
	axes, _, err := advise.Axes(&sc, nil, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	a, err := advise.Advise(ctx, advise.Request{Scenario: sc, Axes: axes})
	if !errors.Is(err, enough) || a == nil || a.Winner() != nil {
		t.Errorf("advice %+v, error %v", a, err)
	}
}

// TestNoise compares noisy candidates by pairs of equal seeds. The variants of heat differ by less than
// the noise, or really.
func TestNoise(t *testing.T) {
	sc := scenario(t, "heat", "machine", "ac922-summit", "nodes", "2", "ranks-per-node", "2", "steps", "4", "noise-rate", "1000")
	axes, _, err := advise.Axes(&sc, []string{"variant"}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := advise.Advise(t.Context(), advise.Request{Scenario: sc, Axes: axes})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Winner().Seeds) != 6 {
		t.Errorf("%d seeds of the winner, want 6", len(a.Winner().Seeds))
	}
}

// TestAxes lists the knobs that change by default.
func TestAxes(t *testing.T) {
	for name, want := range map[string]string{
		"spmv": "threading reserved ranks-per-node,threads-per-rank,local-k |", "fft": "exchange ranks-per-node algorithm |",
		"heat": "variant | algorithm", "collective": "algorithm |", "randomaccess": "model group |", "multigrid": "variant | algorithm",
	} {
		sc := scenario(t, name)
		axes, late, err := advise.Axes(&sc, nil, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, a := range slices.Concat(axes, []session.Axis{{Knob: "|"}}, late) {
			names = append(names, a.Knob)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestCheck returns a live scenario that this program can load, smaller than the advised one.
func TestCheck(t *testing.T) {
	a := ask(t, scenario(t, "overlap-sr8000"), 0)
	c, err := a.Check(t.Context(), session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := c.Scenario
	sc, err := session.FromPreset(&p)
	if err != nil {
		t.Fatal(err)
	}
	if sc.Text("fabric") != engine.Live || len(p.Expect) != 1 || p.Expect[0].Low > c.Ratio || p.Expect[0].High < c.Ratio {
		t.Errorf("check %+v", c)
	}
	if need, err := session.HostMemory(sc, session.Options{Fabrics: session.Fabrics()}); err != nil || need > 64<<20 {
		t.Errorf("%g bytes, %v", need, err)
	}
}

// TestPapers plays the cases of the papers against full sweeps.
func TestPapers(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("many minutes: set CONFORM=1")
	}
	for _, c := range []struct {
		name  string
		knobs []string
		want  func(a *advise.Advice) bool // the paper's winner; nil: only the sweep decides
	}{
		{"overlap-sr8000", nil, func(a *advise.Advice) bool {
			return reservesOne(a) && masteronlyFarBehind(a)
		}},
		{"ft-fig18", nil, func(a *advise.Advice) bool { return a.Winner().Scenario.Text("exchange") == "slabs" }},
		{"heat-two-sided-signal", nil, func(a *advise.Advice) bool {
			return placeOf(a, "variant", "put-rpc") == 1 && placeOf(a, "variant", "put-signal") == 1 && placeOf(a, "variant", "two-sided") > 1
		}},
		{"locality-256", nil, func(a *advise.Advice) bool { return placeOf(a, "group", "4") == 1 }},
		{"multigrid-ladder", nil, func(a *advise.Advice) bool {
			return placeOf(a, "variant", "bulk") == 1 && placeOf(a, "variant", "groupsync") == 1
		}},
		{"bcast-tree", []string{"size", "8"}, nil},
		{"bcast-tree", []string{"size", "4096"}, nil},
		{"bcast-tree", []string{"size", "262144"}, nil},
		{"compose-allreduce", []string{"size", "8", "algorithm", "ring"}, nil},
		{"compose-allreduce", []string{"size", "4096", "algorithm", "ring"}, nil},
		{"compose-allreduce", []string{"size", "262144", "algorithm", "ring"}, nil},
		{"alltoall-crossover", []string{"size", "8"}, nil},
		{"alltoall-crossover", []string{"size", "64"}, nil},
		{"alltoall-crossover", []string{"size", "512"}, nil},
	} {
		t.Run(strings.Join(append([]string{c.name}, c.knobs...), " "), func(t *testing.T) {
			a := ask(t, scenario(t, c.name, c.knobs...), 3)
			if c.want != nil && !c.want(a) {
				t.Errorf("the paper's winner does not win: %s", a.Winner().Name())
			}
			checkFlips(t, a)
			checkWinner(t, a)
		})
	}
}

// placeOf returns the best place of a candidate with a value of a knob, or 0.
func placeOf(a *advise.Advice, knob, value string) int {
	for _, c := range a.Candidates {
		if c.Run != nil && c.Scenario.Text(knob) == value {
			return c.Place
		}
	}
	return 0
}

// reservesOne reports whether one communicating thread wins: reserved for communication, or with a part
// of the computing.
func reservesOne(a *advise.Advice) bool {
	w := a.Winner().Scenario
	level, reserved := w.Text("threading"), w.Text("reserved")
	one := level == "funneled" || level == "serialized" || level == "multiple" && (reserved == "1" || reserved == "balanced")
	return one && w.Text("ranks-per-node") == "1"
}

// masteronlyFarBehind reports whether the fastest masteronly takes more than 1.3 times as long as the winner.
func masteronlyFarBehind(a *advise.Advice) bool {
	for _, c := range a.Candidates {
		if c.Run != nil && c.Scenario.Text("threading") == "masteronly" {
			return a.Ratio(c) > 1.3
		}
	}
	return false
}
