package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/tui"
)

// Every built-in scenario runs on its fabric, verifies, and opens an existing pane.
func TestEveryPresetRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("a launch of each takes seconds under the race detector")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	all, skipped := session.Presets()
	if len(all) < 10 || len(skipped) > 0 {
		t.Fatalf("%d scenarios, skipped %v", len(all), skipped)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			if !slices.Contains(tui.PaneNames(), p.Pane) {
				t.Errorf("there is no pane %s", p.Pane)
			}
			sc, err := session.FromPreset(&p)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range p.Knobs {
				if sc.Text(k.Name) != k.Value {
					t.Errorf("%s is %s, the file has %s", k.Name, sc.Text(k.Name), k.Value)
				}
			}
			s, err := session.New(sc, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 1}})
			if err != nil {
				t.Fatal(err)
			}
			s.Start(t.Context())
			if err := s.Wait(); err != nil {
				t.Fatal(err)
			}
			if !verified(s.Load()) {
				t.Error(unverified(s.Load()))
			}
			saved, err := session.AsPreset("saved", &sc)
			if err != nil {
				t.Fatal(err)
			}
			back, err := session.FromPreset(&saved)
			if err != nil {
				t.Fatal(err)
			}
			for knob, v := range sc.Values {
				if back.Text(knob) != v {
					t.Errorf("saved and taken again, %s is %s, not %s", knob, back.Text(knob), v)
				}
			}
		})
	}
}

// The cursor starts on the first knob that the text of a scenario changes, named by its label, and
// the knob has an effect.
func TestScenariosTurnWhatTheySay(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	all, _ := session.Presets()
	for _, p := range all {
		sc, err := session.FromPreset(&p)
		if err != nil {
			t.Fatal(err)
		}
		k, err := sc.Knob(p.FirstKnob)
		if err != nil {
			t.Errorf("%s: turn: %v", p.Name, err)
			continue
		}
		if _, words, _ := strings.Cut(p.Text(), "Set "); !strings.HasPrefix(words, k.Label) {
			t.Errorf("%s begins on %s, and its text begins: set %.30s", p.Name, k.Label, words)
		}
		if why := workload.Idle(&sc, engine.Simulated, p.FirstKnob); why != "" && sc.Text("fabric") == "sim" {
			t.Errorf("%s begins on %s, which has no effect: %s", p.Name, k.Label, why)
		}
	}
}
