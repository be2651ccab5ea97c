package all_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// TestProgressOfEveryWorkload tests that every workload has the knob progress. It changes the progress engine of every machine, and its
// default is the machine's own.
func TestProgressOfEveryWorkload(t *testing.T) {
	for _, name := range presets.Machines() {
		own, err := presets.Machine(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range workload.All() {
			s := w.Scenario(presets.Machines())
			for by, want := range map[string]cluster.Progress{"machine": own.Progress, "call": cluster.ProgressCall,
				"thread": cluster.ProgressThread, "offload": cluster.ProgressOffload} {
				if err := s.Set("progress", by); err != nil {
					t.Fatal(err)
				}
				m := own
				if w.Fitted(&s, &m); m.Progress != want {
					t.Errorf("%s on %s, progress = %s: got %s, want %s", w.Name, name, by, m.Progress, want)
				}
			}
		}
	}
}

// TestOffloadOnLiveIsRefused tests a refusal: only simulations have adapters that advance messages. On this host the choice is blocked and
// refused with a hint, whether times are measured or emulated.
func TestOffloadOnLiveIsRefused(t *testing.T) {
	for _, w := range workload.All() {
		s := w.Scenario(presets.Machines())
		if err := s.Set("progress", "offload"); err != nil {
			t.Fatal(err)
		}
		for _, m := range []string{"this-host", "demo"} {
			m, err := presets.Machine(m)
			if err != nil {
				t.Fatal(err)
			}
			live, virtual := &workload.Site{Machine: &m}, &workload.Site{Machine: &m, Virtual: true}
			wantRefusal(t, workload.CheckProgress(&s, live), "progress = offload", "progress = thread", "fabric = sim")
			if err := workload.CheckProgress(&s, virtual); err != nil {
				t.Errorf("%s: refused in a simulation: %v", w.Name, err)
			}
			if k := knobOf(t, w.WithBars(s, live)); k.Blocked["offload"] == "" || k.Blocked["thread"] != "" {
				t.Errorf("%s: blocked on live: %v, want offload", w.Name, k.Blocked)
			}
			if k := knobOf(t, w.WithBars(s, virtual)); len(k.Blocked) > 0 {
				t.Errorf("%s: blocked on sim: %v, want none", w.Name, k.Blocked)
			}
		}
	}
}

func knobOf(t *testing.T, s engine.Scenario) *engine.Knob {
	t.Helper()
	k, err := s.Knob("progress")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestExplainProgress tests that an explanation names the progress engine if the knob chooses it, and if the live fabric lacks the
// machine's own.
func TestExplainProgress(t *testing.T) {
	w, err := workload.Find("heat")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		machine, by string
		kind        engine.Kind
		want        string // in the sentence; "": none
	}{
		{"xt4-franklin", "machine", engine.Simulated, ""},
		{"xt4-franklin", "machine", engine.Emulated, ""},
		{"aurora", "machine", engine.Simulated, ""},
		{"aurora", "machine", engine.Emulated, "On this host only the ranks' own calls do"},
		{"aurora", "call", engine.Emulated, "(progress = call)"},
		{"xt4-franklin", "thread", engine.Measured, "(progress = thread)"},
		{"xt4-franklin", "offload", engine.Simulated, "(progress = offload)"},
	} {
		s := w.Scenario(presets.Machines())
		for knob, v := range map[string]string{"machine": c.machine, "progress": c.by} {
			if err := s.Set(knob, v); err != nil {
				t.Fatal(err)
			}
		}
		m, err := presets.Machine(c.machine)
		if err != nil {
			t.Fatal(err)
		}
		w.Fitted(&s, &m)
		if got := workload.ExplainProgress(&s, &m, c.kind); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s, progress = %s, %s: %q, want %q", c.machine, c.by, c.kind, got, c.want)
		}
		for _, knob := range []string{"nodes", "ranks-per-node"} {
			if err := s.Set(knob, "1"); err != nil {
				t.Fatal(err)
			}
		}
		if got := workload.ExplainProgress(&s, &m, c.kind); got != "" {
			t.Errorf("one rank: %q, want no sentence", got)
		}
	}
}
