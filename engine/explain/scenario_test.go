package explain_test

import (
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/presets"
)

// simulated returns the scenarios that run in virtual time: a few, or with CONFORM=1 all.
func simulated(t *testing.T) []presets.Scenario {
	all, _ := session.Presets()
	var out []presets.Scenario
	for _, p := range all {
		sc, err := session.FromPreset(&p)
		if err != nil {
			t.Fatal(err)
		}
		short := p.Name == "ft-fig18" || p.Name == "bcast-tree" || p.Name == "dot-models"
		if sc.Text("fabric") == engine.Sim && (short || os.Getenv("CONFORM") != "") {
			out = append(out, p)
		}
	}
	return out
}

func sum(terms []explain.Term) (all cluster.Time) {
	for i := range terms {
		all += terms[i].Span
	}
	return all
}

// TestSums checks that each list of terms adds up to the time that the program reports.
func TestSums(t *testing.T) {
	for _, p := range simulated(t) {
		t.Run(p.Name, func(t *testing.T) {
			sc, err := session.FromPreset(&p)
			if err != nil {
				t.Fatal(err)
			}
			r, err := explain.Explain(t.Context(), sc, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for name, terms := range map[string][]explain.Term{"constants": r.Terms, "parts": r.Phases, "reasons": r.Reasons,
				"activities": r.Spent} {
				if s := sum(terms); s != r.Total {
					t.Errorf("%s add up to %d ps, want %d ps", name, s, r.Total)
				}
			}
			if r.Total <= 0 || !r.Path.Explained {
				t.Errorf("%d ps explained, marked: %v", r.Total, r.Path.Explained)
			}
		})
	}
}

// TestInterval checks the forecast for twice the latency. The simulation is inside the interval, or
// the choices differ.
func TestInterval(t *testing.T) {
	changes := []presets.Change{{Key: "remote.latency_s", Factor: 2}}
	moved := 0
	for _, p := range simulated(t) {
		t.Run(p.Name, func(t *testing.T) {
			sc, err := session.FromPreset(&p)
			if err != nil {
				t.Fatal(err)
			}
			w, err := explain.If(t.Context(), sc, changes, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !w.SameChoices {
				moved++
			}
			t.Logf("line %v, interval %v to %v, simulated %v, same choices %v, inside %v", w.Line, w.Low, w.High,
				w.Simulated.Total, w.SameChoices, w.Inside())
			if w.SameChoices && !w.Inside() {
				t.Errorf("simulated %d ps, want %d to %d ps", w.Simulated.Total, w.Low, w.High)
			}
		})
	}
	t.Logf("choices changed in %d scenarios", moved)
}

// TestNoLongerHidden checks the waterfall of a scenario without overlap. It adds up to the difference,
// and its largest bar is communication that is no longer hidden.
func TestNoLongerHidden(t *testing.T) {
	p, err := presets.FindScenario("ft-fig18")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := session.FromPreset(&p)
	if err != nil {
		t.Fatal(err)
	}
	packed := sc.Clone()
	if err := packed.Set("exchange", "packed"); err != nil {
		t.Fatal(err)
	}
	a, err := explain.Explain(t.Context(), sc, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := explain.Explain(t.Context(), packed, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := explain.Compare(a, b)
	for name, bars := range map[string][]explain.Bar{"activities": w.Spent, "constants": w.Constants, "parts": w.Phases,
		"reasons": w.Reasons} {
		var all cluster.Time
		for i := range bars {
			all += bars[i].Span()
		}
		if all != w.B-w.A {
			t.Errorf("%s add up to %d ps, want %d ps", name, all, w.B-w.A)
		}
	}
	if ms := (w.B - w.A).Seconds() * 1e3; ms < 182.5 || ms > 183.5 {
		t.Errorf("difference %g ms, want 183 ms", ms)
	}
	if w.Spent[0].Name != "communication not hidden" || w.Spent[0].Span() <= 0 {
		t.Errorf("largest bar: %+v", w.Spent[0])
	}
}
