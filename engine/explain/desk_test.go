package explain_test

import (
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// scenarioOf returns a built-in scenario.
func scenarioOf(t *testing.T, name string) engine.Scenario {
	t.Helper()
	p, err := presets.FindScenario(name)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := session.FromPreset(&p)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// await returns the answer once no simulation is in progress.
func await(t *testing.T, d *explain.Desk) *explain.Answer {
	t.Helper()
	d.Wait()
	return d.Answer()
}

func latency(by float64) []presets.Change {
	return []presets.Change{{Key: "remote.latency_s", Factor: by}}
}

// TestDesk asks one question after the other. The forecast is there at once, the simulation replaces
// it, and the interval of a later question is narrower.
func TestDesk(t *testing.T) {
	d := explain.NewDesk(session.Options{})
	defer d.Close()
	sc := scenarioOf(t, "bcast-tree")
	d.Ask(explain.Question{Scenario: sc})
	if a := d.Answer(); a == nil || a.Run != nil || !a.Running {
		t.Fatalf("at first: %+v", a)
	}
	base := await(t, d)
	if base.Run == nil || base.Failure != "" || base.Run.Timeline == nil {
		t.Fatalf("run %v, failure %q", base.Run, base.Failure)
	}
	d.Ask(explain.Question{Scenario: sc, Changes: latency(2)})
	first := d.Answer()
	if first.Run != base.Run || first.Changed != nil || !first.Forecast.Known || first.Forecast.Line <= base.Run.Total {
		t.Fatalf("with a change: %+v", first)
	}
	done := await(t, d)
	if done.Changed == nil || !done.Same || done.Changed.Total < first.Forecast.Low || done.Changed.Total > first.Forecast.High {
		t.Fatalf("simulated: %+v", done)
	}
	if w, _, to := done.Waterfall(); w.B-w.A != done.Changed.Total-base.Run.Total || to != "xt4-franklin-changed" {
		t.Errorf("waterfall to %q: %d ps", to, w.B-w.A)
	}
	before := base.Run.Forecast(latency(math.Sqrt2))
	d.Ask(explain.Question{Scenario: sc, Changes: latency(math.Sqrt2)})
	if f := d.Answer().Forecast; f.High-f.Low >= before.High-before.Low {
		t.Errorf("the interval is %+v, from the first run alone %+v", f, before)
	}
	next := sc.Clone()
	if err := next.Set("algorithm", "chain"); err != nil {
		t.Fatal(err)
	}
	d.Ask(explain.Question{Scenario: next, Baseline: &sc})
	a := await(t, d)
	if w, from, _ := a.Waterfall(); from != "baseline" || w.A != base.Run.Total || w.B != a.Run.Total {
		t.Errorf("from %q: %+v", from, w)
	}
	d.Ask(explain.Question{Scenario: sc, Changes: []presets.Change{{Key: "nothing", Factor: 2}}})
	if a := await(t, d); a.Failure == "" || a.Run == nil {
		t.Errorf("a change of nothing: %+v", a)
	}
}

// TestDeskLeavesNothing asks faster than simulations end. Only the last question is answered, and no
// goroutine remains.
func TestDeskLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	d := explain.NewDesk(session.Options{})
	sc := scenarioOf(t, "ft-fig18")
	d.Ask(explain.Question{Scenario: sc})
	await(t, d)
	for i := range 40 {
		d.Ask(explain.Question{Scenario: sc, Changes: latency(1 + float64(i)/8)})
	}
	a := await(t, d)
	if a.Changed == nil || a.Changes[0].Factor != 1+39.0/8 || a.Failure != "" {
		t.Errorf("the last question has the answer %+v", a)
	}
	d.Ask(explain.Question{Scenario: sc, Changes: latency(9)})
	d.Close()
	d.Ask(explain.Question{Scenario: sc})
	for began := time.Now(); time.Since(began) < time.Minute; runtime.Gosched() { // a cancelled simulation ends
		if runtime.NumGoroutine() <= before {
			return
		}
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}
