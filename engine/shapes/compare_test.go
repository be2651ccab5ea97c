package shapes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/advise"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/gemm"
	_ "github.com/hybridtop/hybridtop/engine/workload/heat"
	_ "github.com/hybridtop/hybridtop/engine/workload/multigrid"
)

// TestUnequalResultsAreFound tests that two shapes with different checksums are an error. Shapes that did not run
// have no checksum.
func TestUnequalResultsAreFound(t *testing.T) {
	r := &Report{Shapes: []*Shape{{Ranks: 1, Threads: 4, Refusal: "too large"}, {Ranks: 2, Threads: 2, Time: 7, Checksum: 1},
		{Ranks: 4, Threads: 1, Time: 5, Checksum: 1}}}
	if err := r.differs(); err != nil {
		t.Error(err)
	}
	r.Shapes[2].Checksum = 2
	if err := r.differs(); err == nil || !strings.Contains(err.Error(), "the checksum of 2 × 2 is 0000000000000001, and of 4 × 1") {
		t.Errorf("got %v, want the two shapes", err)
	}
}

// smallHeat returns a scenario of heat with 24 cells per edge and 4 steps.
func smallHeat(t *testing.T, fabric, machine, nodes string) engine.Scenario {
	t.Helper()
	sc, err := session.Scenario("heat")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"fabric": fabric, "machine": machine, "nodes": nodes, "size": "24", "steps": "4"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	return sc
}

// TestInterrupted ends a comparison in real time after the first check of the second shape. Only the first one has a time.
func TestInterrupted(t *testing.T) {
	sc := smallHeat(t, "live", "demo", "1")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Compare(ctx, Request{Scenario: sc, Progress: func(p *session.Progress) {
		if p.Done != 1 || len(p.Running) == 0 {
			return
		}
		for !p.Running[0].Session.Load().Verification.Done {
			<-time.After(time.Millisecond)
		}
		cancel()
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if r.Kind != engine.Emulated {
		t.Errorf("the times are %s", r.Kind)
	}
	for i, s := range r.Shapes {
		if first := i == 0; first != (s.Time > 0) || first != (s.Place == 1) || first != (s.Missing() == "") {
			t.Errorf("%s: time %d ps, place %d, missing: %q", s.Name(), s.Time, s.Place, s.Missing())
		} else if !first && s.Missing() != "not finished (interrupted)" {
			t.Errorf("%s: %s", s.Name(), s.Missing())
		}
	}
	want := "Best of the shapes that have run (1 of 5): 1 × 16 ranks × threads."
	if got := r.Conclusion(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestInterruptedSimulation ends a comparison before its first simulation ends.
func TestInterruptedSimulation(t *testing.T) {
	sc := smallHeat(t, "sim", "ranger", "2")
	ctx, cancel := context.WithCancel(t.Context())
	r, err := Compare(ctx, Request{Scenario: sc, Progress: func(*session.Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for _, s := range r.Shapes {
		if s.Missing() != "not finished (interrupted)" {
			t.Errorf("%s: %q", s.Name(), s.Missing())
		}
	}
}

// TestPlacesAreConsecutive tests the places after the results of a shape were wrong. Ties of the advice remain.
func TestPlacesAreConsecutive(t *testing.T) {
	r := &Report{Advice: &advise.Advice{}, Shapes: []*Shape{{Ranks: 1, Time: 9, Place: 5}, {Ranks: 2, Time: 7, Place: 2},
		{Ranks: 4, Time: 5, Place: 1}, {Ranks: 8, Time: 7, Place: 2}, {Ranks: 16, Time: 8, Place: 4}}}
	r.Shapes[2].takeResults(&engine.Snapshot{})
	r.rank()
	for i, want := range []int{4, 1, 0, 1, 3} {
		if s := r.Shapes[i]; s.Place != want {
			t.Errorf("%d ranks have place %d, want %d", s.Ranks, s.Place, want)
		}
	}
	if s := r.Shapes[2]; s.Time != 0 || !strings.HasPrefix(s.Missing(), "wrong") {
		t.Errorf("got %+v without a check", s)
	}
}

// TestConclusion tests the sentence for ties, a runner-up, and shapes that take the same time.
func TestConclusion(t *testing.T) {
	r := &Report{Shapes: []*Shape{{Ranks: 1, Threads: 4, Time: 110}, {Ranks: 2, Threads: 2, Time: 100}, {Ranks: 4, Threads: 1, Time: 100}}}
	r.rank()
	want := "Best: 2 × 2 ranks × threads, in a tie with 4 × 1. Runner-up: 1 × 4, 10 % more time."
	if got := r.Conclusion(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Shapes = r.Shapes[1:]
	if got, want := r.Conclusion(), "Best: 2 × 2 ranks × threads, in a tie with 4 × 1."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.Shapes = append(r.Shapes, &Shape{Ranks: 8, Threads: 1, Interrupted: true})
	if got, want := r.Conclusion(), "Best of the shapes that have run (2 of 3): 2 × 2 ranks × threads, in a tie with 4 × 1."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := new(Report).Conclusion(); got != "No shape has run." {
		t.Errorf("got %q without shapes", got)
	}
}

// TestReason compares the shapes of a small problem. The reason has the two largest differences of the critical paths, and
// all differences add up to the additional time of the runner-up.
func TestReason(t *testing.T) {
	sc := smallHeat(t, "sim", "ranger", "2")
	r, err := Compare(t.Context(), Request{Scenario: sc})
	if err != nil {
		t.Fatal(err)
	}
	ps := func(t cluster.Time) string { return fmt.Sprint(int64(t)) }
	all := r.Advice.Difference.Constants
	var sum cluster.Time
	for i := range all {
		sum += all[i].Span()
		text := all[i].Name + " takes " + ps(max(all[i].Span(), -all[i].Span()))
		if has := strings.Contains(r.Reason(ps), text); has != (i < 2) {
			t.Errorf("%q of bar %d is in the reason: %t: %s", text, i, has, r.Reason(ps))
		}
	}
	best, next := r.Best(), r.RunnerUp()
	if sum != next.Time-best.Time || !strings.Contains(r.Reason(ps), "critical path of "+next.Name()) {
		t.Errorf("the bars add up to %d ps, want %d: %s", sum, next.Time-best.Time, r.Reason(ps))
	}
	best.Time, best.Place = 0, 0 // its small problem failed: the paths belong to other shapes
	if why := r.Reason(ps); why != "" {
		t.Errorf("the reason of another winner is %s", why)
	}
}

// TestChosenKnobs tests that a knob of the problem keeps the value that the user has set, even its default. The others
// have the values of the large problem, unless they are coupled.
func TestChosenKnobs(t *testing.T) {
	for _, c := range []struct{ workload, chosen, first, second, want string }{
		{"multigrid", "", "boxes", "box", "16 32"},
		{"multigrid", "boxes", "boxes", "box", "4 32"},
		{"multigrid", "box", "boxes", "box", "16 8"},
		{"gemm", "", "n", "block", "16384 512"},
		{"gemm", "n", "n", "block", "150 16"},
		{"gemm", "block", "n", "block", "150 16"},
	} {
		sc, err := session.Scenario(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", "sim"); err != nil {
			t.Fatal(err)
		}
		w, err := workload.Find(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		r := &Report{Scenario: sc.Clone(), Cores: 2}
		if _, err := r.list(w, &Request{Scenario: sc, Chosen: []string{c.chosen}}); err != nil {
			t.Fatal(err)
		}
		if got := r.Scenario.Text(c.first) + " " + r.Scenario.Text(c.second); got != c.want {
			t.Errorf("%s, %q is set: %s and %s = %s, want %s", c.workload, c.chosen, c.first, c.second, got, c.want)
		}
	}
}
