package explain_test

import (
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
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

// checkSums checks that each list of terms adds up to the time that the program reports. At most 2 %
// of it may belong to no number of the machine.
func checkSums(t *testing.T, sc engine.Scenario) *explain.Run {
	t.Helper()
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
	if r.Total <= 0 {
		t.Errorf("%d ps explained", r.Total)
	}
	lumps := cluster.Time(0)
	for i := range r.Terms {
		if _, _, ok := presets.Value(&r.Machine, r.Terms[i].Name); !ok {
			lumps += max(r.Terms[i].Span, -r.Terms[i].Span)
			t.Logf("no number of the machine: %s, %d of %d ps", r.Terms[i].Name, r.Terms[i].Span, r.Total)
		}
	}
	if 50*lumps > r.Total {
		t.Errorf("%d of %d ps belong to no number of the machine, want at most 2 %%", lumps, r.Total)
	}
	return r
}

// TestSums checks the paths of scenarios.
func TestSums(t *testing.T) {
	for _, p := range simulated(t) {
		t.Run(p.Name, func(t *testing.T) {
			sc, err := session.FromPreset(&p)
			if err != nil {
				t.Fatal(err)
			}
			if r := checkSums(t, sc); !r.Path.Explained {
				t.Error("the program does not mark the time that it reports")
			}
		})
	}
}

// TestSumsOfWorkloads checks the paths of workloads with their default knobs: a few, or with
// CONFORM=1 all.
func TestSumsOfWorkloads(t *testing.T) {
	for _, w := range workload.All() {
		if w.Name != "dot" && w.Name != "heat" && os.Getenv("CONFORM") == "" {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			sc, err := session.Scenario(w.Name)
			if err != nil {
				t.Fatal(err)
			}
			if err := sc.Set("fabric", engine.Sim); err != nil {
				t.Fatal(err)
			}
			for knob, value := range w.Quick {
				if err := sc.Set(knob, value); err != nil {
					t.Fatal(err)
				}
			}
			checkSums(t, sc)
		})
	}
}

// TestInterval checks the forecast for twice the latency. The simulation is inside the interval, or
// the choices differ. The simulation then narrows the interval of smaller changes, and they are
// inside it too.
func TestInterval(t *testing.T) {
	double := []presets.Change{{Key: "remote.latency_s", Factor: 2}}
	half := []presets.Change{{Key: "remote.latency_s", Factor: 1.5}}
	moved := 0
	for _, p := range simulated(t) {
		t.Run(p.Name, func(t *testing.T) {
			sc, err := session.FromPreset(&p)
			if err != nil {
				t.Fatal(err)
			}
			base, err := explain.Explain(t.Context(), sc, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			changed, err := explain.After(t.Context(), sc, double, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			f, sameChoices := base.Forecast(double), base.Path.Choices == changed.Path.Choices
			isInside := changed.Total >= f.Low && changed.Total <= f.High
			t.Logf("line %v, interval %v to %v, simulated %v, same choices %v, inside %v", f.Line, f.Low, f.High,
				changed.Total, sameChoices, isInside)
			o := explain.NewOutlook(base)
			before := o.At(half)
			if o.Add(double, changed) != sameChoices {
				t.Error("the outlook and the forecast disagree about the choices")
			}
			after := o.At(half)
			if !sameChoices {
				moved++
				if !o.At(double).Ended || after.Low != before.Low || after.High != before.High {
					t.Errorf("a run with other choices changes the interval: %+v, before %+v", after, before)
				}
				return
			}
			if !isInside {
				t.Errorf("simulated %d ps, want %d to %d ps", changed.Total, f.Low, f.High)
			}
			if after.Low < before.Low || after.High > before.High {
				t.Errorf("the interval grew from %+v to %+v", before, after)
			}
			if p.Name == "edison-scale" || p.Name == "bh-paper1" {
				return // a third simulation takes long
			}
			r, err := explain.After(t.Context(), sc, half, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Path.Choices == base.Path.Choices && (r.Total < after.Low || r.Total > after.High) {
				t.Errorf("×1.5: simulated %d ps, want %d to %d ps", r.Total, after.Low, after.High)
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
