package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// variants are settings with which some knob has no effect.
var variants = [][]string{
	{}, {"threads-per-rank", "1"}, {"model", "flat"}, {"nodes", "1"}, {"ranks-per-node", "1"}, {"pattern", "cubes"},
	{"threading", "multiple"}, {"threading", "masteronly"}, {"nodes", "1", "ranks-per-node", "1"},
}

// placed returns a short run of a workload on sim, on two nodes. It reports false if the
// workload has none of the knobs, or cannot run so.
func (o *Options) placed(t *testing.T, w *workload.Workload, settings []string) (engine.Scenario, bool) {
	sc, err := Scenario(w.Name)
	if err != nil {
		t.Fatal(err)
	}
	set := func(k, v string) bool {
		_, err := sc.Knob(k)
		return err == nil && sc.Set(k, v) == nil
	}
	set("fabric", engine.Sim)
	set("nodes", "2")
	if _, chosen := w.Defaults["ranks-per-node"]; !chosen {
		set("ranks-per-node", "2")
	}
	set("group", sc.Text("ranks-per-node"))
	for k, v := range w.Quick {
		set(k, v)
	}
	for i := 0; i+1 < len(settings); i += 2 {
		if !set(settings[i], settings[i+1]) {
			return sc, false
		}
	}
	_, err = o.resolve(sc, "")
	return sc, err == nil
}

// A knob that is reported to have no effect has none: the run with another value has the same hash
// over all events.
func TestIdleKnobChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every workload with every idle knob")
	}
	o := Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}}
	hash := func(sc engine.Scenario) uint64 {
		s := start(t, sc, o)
		if err := s.Wait(); err != nil {
			t.Fatalf("%s: %v", sc.Workload, err)
		}
		return s.Load().Virtual.Hash
	}
	turned := map[string]bool{}
	for _, w := range workload.All() {
		if sc, err := Scenario(w.Name); err != nil || sc.Text("machine") != "demo" {
			continue // a workload of these tests
		}
		for _, v := range variants {
			sc, ok := o.placed(t, w, v)
			if !ok {
				continue
			}
			want := uint64(0)
			for i := range sc.Table {
				k := &sc.Table[i]
				why := workload.Idle(&sc, engine.Simulated, k.Name)
				if why == "" || turned[w.Name+k.Name+why] {
					continue
				}
				for _, value := range k.Choices {
					other := sc.Clone()
					if value == sc.Text(k.Name) || other.Set(k.Name, value) != nil {
						continue
					}
					if _, err := o.resolve(other, ""); err != nil {
						continue
					}
					if want == 0 {
						want = hash(sc)
					}
					if got := hash(other); got != want {
						t.Errorf("%s %v: %s %s→%s changes the hash, but is idle: %s", w.Name, v, k.Name, sc.Text(k.Name), value, why)
					}
					turned[w.Name+k.Name+why] = true
					break
				}
			}
		}
	}
	if len(turned) < 20 {
		t.Errorf("%d idle knobs were changed: %v", len(turned), turned)
	}
}

// Changing a knob without effect leaves no mark and no message.
func TestIdleKnobLeavesNoMark(t *testing.T) {
	sc, err := Scenario("randomaccess")
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range [][2]string{{"fabric", engine.Sim}, {"model", "flat"}, {"nodes", "2"}} {
		if err := sc.Set(kv[0], kv[1]); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, sc, Options{Linger: true, Limits: Limits{Iterations: 3}})
	s.until("ended", func(s *engine.Snapshot) bool { return s.Phase == engine.Ended })
	for i, kv := range [][2]string{{"group", "8"}, {"dilation", "50"}, {"threading", "single"}} {
		if err := s.Do(engine.Command{Verb: engine.Set, Knob: kv[0], Value: kv[1]}); err != nil {
			t.Fatal(err)
		}
		after := s.until(fmt.Sprint(kv), func(s *engine.Snapshot) bool {
			return s.Scenario.Text(kv[0]) == kv[1] && s.Phase == engine.Ended
		})
		if len(after.Marks) > 0 || after.Change != "" {
			t.Errorf("%d: marks %v, change %q", i, after.Marks, after.Change)
		}
	}
}

// A knob may change after a run has ended and before the session waits for one: here it changes
// while the end is published. It takes effect nevertheless.
func TestKnobChangedAtEndOfRun(t *testing.T) {
	// the first without effect, the second applied at once
	for _, kv := range [][2]string{{"group", "8"}, {"dilation", "50"}} {
		sc, err := Scenario("randomaccess")
		if err != nil {
			t.Fatal(err)
		}
		for _, kv := range [][2]string{{"fabric", engine.Sim}, {"model", "flat"}, {"nodes", "2"}} {
			if err := sc.Set(kv[0], kv[1]); err != nil {
				t.Fatal(err)
			}
		}
		var s *Session
		turned, after := make(chan error, 1), make(chan struct{})
		options := Options{Fabrics: Fabrics(), Linger: true, Limits: Limits{Iterations: 1}}
		options.published = func(now *engine.Snapshot) {
			switch {
			case now.Phase != engine.Ended:
			case now.Scenario.Text(kv[0]) == kv[1]:
				close(after)
			default:
				turned <- s.Do(engine.Command{Verb: engine.Set, Knob: kv[0], Value: kv[1]})
			}
		}
		s, err = New(sc, options)
		if err != nil {
			t.Fatal(err)
		}
		s.Start(context.Background())
		if err := <-turned; err != nil {
			t.Fatal(err)
		}
		<-after
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
}

// A walk through all workloads and back finds each with its last scenario, on both fabrics.
func TestWalkThroughWorkloads(t *testing.T) {
	for _, fabric := range []string{engine.Live, engine.Sim} {
		sc, err := Scenario("randomaccess")
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", fabric); err != nil {
			t.Fatal(err)
		}
		s := start(t, sc, Options{Linger: true, Limits: Limits{Iterations: 1}})
		set := func(knob, value string) {
			t.Helper()
			if err := s.Do(engine.Command{Verb: engine.Set, Knob: knob, Value: value}); err != nil {
				t.Fatalf("%s = %s: %v", knob, value, err)
			}
		}
		var names []string
		left := map[string]engine.Scenario{}
		for _, w := range workload.All() {
			if sc, err := Scenario(w.Name); err == nil && sc.Text("machine") == "demo" {
				names = append(names, w.Name)
			}
		}
		for i, name := range names {
			set("workload", name)
			k := s.wanted.scenario.Table[0]
			for _, v := range []string{k.Next(k.Default, +1), k.Next(k.Default, -1)} {
				if s.Do(engine.Command{Verb: engine.Set, Knob: k.Name, Value: v}) == nil { // not all values are possible
					break
				}
			}
			set("world-seed", fmt.Sprint(i))
			left[name] = s.wanted.scenario.Clone()
		}
		for _, name := range names {
			set("workload", name)
			if got, want := s.wanted.scenario, left[name]; got.Workload != name ||
				fmt.Sprint(got.Values) != fmt.Sprint(want.Values) {
				t.Errorf("%s on %s: got\n%v, want the last scenario\n%v", name, fabric, got.Values, want.Values)
			}
		}
		if err := s.Stop(); err != nil {
			t.Logf("the last run: %v", err) // for example a deadlock
		}
	}
}
