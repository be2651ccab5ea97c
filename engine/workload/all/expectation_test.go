package all_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

var (
	// shortExpectations are the scenarios whose runs take less than a second under the race detector.
	shortExpectations = []string{"access-pages", "access-ways", "cartesian-senders", "dot-models", "eager-deadlock",
		"eager-step", "overlap-sr8000", "put-or-message"}
	// longExpectations are the scenarios whose runs take more than five seconds.
	longExpectations = []string{"bh-cache", "bh-paper1", "ft-s", "heat-500"}
	// shortQuestions are the questions whose runs take less than a second under the race detector.
	shortQuestions = []string{"larger-messages", "one-copy", "placement", "put-get-or-message", "thread-multiple",
		"which-algorithm"}
)

// Every built-in scenario has expectations, and its runs meet them. With CONFORM=1 the long scenarios
// run, too.
func TestExpectations(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	all, skipped := session.Presets()
	if len(skipped) > 0 {
		t.Fatal(skipped)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			switch {
			case len(p.Expect) == 0:
				t.Fatal("it has no expectation")
			case os.Getenv("CONFORM") != "":
			case testing.Short() && !slices.Contains(shortExpectations, p.Name), slices.Contains(longExpectations, p.Name):
				t.Skip("it takes seconds")
			}
			testPlay(t, &p)
		})
	}
}

// testPlay plays a scenario, and reports the expectations that are not met.
func testPlay(t *testing.T, p *presets.Scenario) {
	outcomes, err := session.Play(t.Context(), p,
		session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Usual: time.Second}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range outcomes {
		if o := &outcomes[i]; !o.Met() {
			t.Errorf("expect.%d: %s of %v against %v %s %g %s, want %g to %g %s", i+1, o.Metric, o.Knobs, o.Against,
				o.Relation, o.Value, o.Unit, o.Low, o.High, o.Failed)
		}
	}
}

// TestQuestions plays the questions: with -short those that take less than a second under the race detector,
// and all of them with CONFORM=1.
func TestQuestions(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	all, skipped := presets.Questions()
	if len(skipped) > 0 {
		t.Fatal(skipped)
	}
	for i := range all {
		q := &all[i]
		t.Run(q.Scenario.Name, func(t *testing.T) {
			sc, err := session.FromPreset(&q.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			if sc.Values["fabric"] != engine.Sim {
				t.Error("it is not simulated")
			}
			for _, knob := range q.Turn {
				if _, err := sc.Knob(knob); err != nil {
					t.Error(q.Scenario.Wrong("turn", err))
				}
			}
			if os.Getenv("CONFORM") == "" && !slices.Contains(shortQuestions, q.Scenario.Name) {
				t.Skip("it takes seconds")
			}
			testPlay(t, &q.Scenario)
		})
	}
}

// An expectation with another value or without a value is not met.
func TestExpectationsCanFail(t *testing.T) {
	p := presets.Scenario{Name: "x", Workload: "dot", Knobs: []presets.Knob{{Name: "fabric", Value: "sim"}},
		Expect: []presets.Expectation{
			{Metric: "dot_time", Relation: presets.Is, Low: 1, High: 2},
			{Metric: "dot_time", Relation: presets.Is, Low: 0, High: 2, Knobs: []presets.Knob{{Name: "nodes", Value: "65536"}}},
			{Metric: "dot_time", Relation: presets.Times, Low: 0, High: 1e9, Knobs: []presets.Knob{{Name: "fabric", Value: "live"}}},
			{Metric: "verified", Relation: presets.Is, Low: 1, High: 1},
		}}
	outcomes, err := session.Play(t.Context(), &p, session.Options{Fabrics: session.Fabrics(),
		Limits: session.Limits{Iterations: 3}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct{ met, failed bool }{{false, false}, {false, true}, {false, true}, {true, false}} {
		if o := &outcomes[i]; o.Met() != want.met || (o.Failed != "") != want.failed {
			t.Errorf("expectation %d: %g is %t, failed %q", i+1, o.Value, o.Met(), o.Failed)
		}
	}
	for _, wrong := range []presets.Expectation{
		{Metric: "no_such", Relation: presets.Is},
		{Metric: "dot_time", Relation: presets.Is, Knobs: []presets.Knob{{Name: "grupo", Value: "1"}}},
		{Metric: "dot_time", Relation: presets.Times, Against: []presets.Knob{{Name: "group", Value: "x"}}},
	} {
		p.Expect = []presets.Expectation{wrong}
		if _, err := session.Play(t.Context(), &p, session.Options{Fabrics: session.Fabrics()}, nil); err == nil {
			t.Errorf("%+v is played", wrong)
		}
	}
}
