package session

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// idle returns a session that plans scenarios but runs none.
func idle(t *testing.T, workload string) *Session {
	t.Helper()
	sc, err := Scenario(workload)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(sc, Options{Fabrics: Fabrics(), Memory: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wantedValues returns the wanted scenario in a form that can be compared.
func (s *Session) wantedValues() map[string]string {
	sc := s.wanted.scenario.Clone()
	sc.Values["workload"] = sc.Workload
	return sc.Values
}

func (s *Session) mustDo(t *testing.T, c engine.Command) {
	t.Helper()
	if err := s.Do(c); err != nil {
		t.Fatalf("%+v: %v", c, err)
	}
}

var (
	undo = engine.Command{Verb: engine.Undo}
	redo = engine.Command{Verb: engine.Redo}
)

func set(knob, value string) engine.Command {
	return engine.Command{Verb: engine.Set, Knob: knob, Value: value}
}

// Changes of a knob, workload, model or machine are undone and redone. A new change drops the
// undone ones.
func TestUndoAndRedo(t *testing.T) {
	s := idle(t, "randomaccess")
	all := []map[string]string{s.wantedValues()}
	for _, c := range []engine.Command{set("group", "8"), set("model", "flat"), set("machine", "xc30-edison"),
		set("workload", "pingpong"), set("size", "64"), set("workload", "dot")} {
		s.mustDo(t, c)
		all = append(all, s.wantedValues())
	}
	for i := len(all) - 2; i >= 0; i-- {
		s.mustDo(t, undo)
		if diff := cmp.Diff(all[i], s.wantedValues()); diff != "" {
			t.Errorf("undone to %d: %s", i, diff)
		}
	}
	if err := s.Do(undo); err == nil || !strings.Contains(err.Error(), "nothing to undo") {
		t.Errorf("before the first change: %v", err)
	}
	for _, want := range all[1:4] {
		s.mustDo(t, redo)
		if diff := cmp.Diff(want, s.wantedValues()); diff != "" {
			t.Errorf("redone: %s", diff)
		}
	}
	s.mustDo(t, set("group", "2"))
	if err := s.Do(redo); err == nil || !strings.Contains(err.Error(), "nothing to redo") {
		t.Errorf("after another change: %v", err)
	}
	s.mustDo(t, undo)
	if diff := cmp.Diff(all[3], s.wantedValues()); diff != "" {
		t.Errorf("unexpectedly undone: %s", diff)
	}
}

// Taking a whole scenario is one change. Undoing it restores the previous workload with all its
// knobs, and a walk through the workloads finds its last scenario.
func TestUndoTake(t *testing.T) {
	s := idle(t, "randomaccess")
	s.mustDo(t, set("group", "8"))
	before := s.wantedValues()
	taken, err := Scenario("spmv")
	if err != nil {
		t.Fatal(err)
	}
	if err := taken.Set("threads-per-rank", "8"); err != nil {
		t.Fatal(err)
	}
	s.mustDo(t, engine.Command{Verb: engine.Take, Scenario: &taken})
	after := s.wantedValues()
	if after["workload"] != "spmv" || after["threads-per-rank"] != "8" {
		t.Fatalf("taken: %v", after)
	}
	for range 2 {
		s.mustDo(t, undo)
		if diff := cmp.Diff(before, s.wantedValues()); diff != "" {
			t.Errorf("undone: %s", diff)
		}
		s.mustDo(t, redo)
		if diff := cmp.Diff(after, s.wantedValues()); diff != "" {
			t.Errorf("redone: %s", diff)
		}
	}
	for _, workload := range []string{"dot", "pingpong", "spmv"} {
		s.mustDo(t, set("workload", workload))
	}
	if got := s.wantedValues()["threads-per-rank"]; got != "8" {
		t.Errorf("after a walk through the workloads: %s threads", got)
	}
	s.mustDo(t, set("workload", "randomaccess"))
	if got := s.wantedValues()["group"]; got != "8" {
		t.Errorf("after a walk: group %s", got)
	}
}

// A command that is refused or changes nothing cannot be undone.
func TestNothingToUndo(t *testing.T) {
	s := idle(t, "randomaccess")
	s.mustDo(t, set("group", "4"))
	if err := s.Do(set("group", "3")); err == nil {
		t.Error("a group of 3 is accepted")
	}
	s.mustDo(t, engine.Command{Verb: engine.Default})
	s.mustDo(t, engine.Command{Verb: engine.Pause})
	if err := s.Do(undo); err == nil {
		t.Error("undo succeeded without a change")
	}
}

// One knob or all knobs return to the defaults of the workload, and this is undone like any
// change.
func TestDefaults(t *testing.T) {
	s := idle(t, "spmv")
	first := s.wantedValues()
	changes := []engine.Command{set("threading", "funneled"), set("local-k", "3"), set("machine", "xc30-edison")}
	for _, c := range changes {
		s.mustDo(t, c)
	}
	changed := s.wantedValues()
	s.mustDo(t, engine.Command{Verb: engine.Default, Knob: "local-k"})
	if got := s.wantedValues(); got["local-k"] != first["local-k"] || got["threading"] != "funneled" {
		t.Errorf("local-k %s, threading %s", got["local-k"], got["threading"])
	}
	s.mustDo(t, undo)
	s.mustDo(t, engine.Command{Verb: engine.Default})
	if diff := cmp.Diff(first, s.wantedValues()); diff != "" {
		t.Error(diff)
	}
	s.mustDo(t, undo)
	if diff := cmp.Diff(changed, s.wantedValues()); diff != "" {
		t.Error(diff)
	}
	if err := s.Do(engine.Command{Verb: engine.Default, Knob: "gruop"}); err == nil ||
		!strings.Contains(err.Error(), `unknown knob "gruop"`) {
		t.Errorf("default of an unknown knob: %v", err)
	}
}

// After any sequence of commands, undoing all of them yields the first scenario, and redoing all
// of them the last.
func TestUndoAllRedoAll(t *testing.T) {
	seeds := uint64(20)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		rng := rand.New(rand.NewPCG(seed, 11))
		s := idle(t, "randomaccess")
		s.options.counting = 20 * time.Millisecond // longer searches are refused
		first := s.wantedValues()
		all := workload.All()
		for range 200 {
			table := s.wanted.scenario.Table
			k := &table[rng.IntN(len(table))]
			switch n := rng.IntN(20); {
			case n < 2:
				_ = s.Do(set("workload", all[rng.IntN(len(all))].Name))
			case n < 5:
				_ = s.Do(undo)
			case n < 7:
				_ = s.Do(redo)
			case n < 8:
				_ = s.Do(engine.Command{Verb: engine.Default, Knob: k.Name})
			case n < 9 && rng.IntN(4) == 0:
				_ = s.Do(engine.Command{Verb: engine.Default})
			case len(k.Choices) > 0:
				_ = s.Do(set(k.Name, k.Choices[rng.IntN(len(k.Choices))])) // it may be refused
			}
		}
		for s.Do(redo) == nil {
		}
		last := s.wantedValues()
		n := 0
		for s.Do(undo) == nil {
			n++
		}
		if diff := cmp.Diff(first, s.wantedValues()); diff != "" {
			t.Errorf("seed %d: all undone: %s", seed, diff)
		}
		for range n {
			s.mustDo(t, redo)
		}
		if diff := cmp.Diff(last, s.wantedValues()); diff != "" {
			t.Errorf("seed %d: all redone: %s", seed, diff)
		}
		if err := s.Do(redo); err == nil {
			t.Errorf("seed %d: more redos than undos", seed)
		}
	}
}

// The oldest changes are dropped.
func TestUndoIsLimited(t *testing.T) {
	s := idle(t, "randomaccess")
	for i := range maxUndo + 10 {
		s.mustDo(t, set("seed", []string{"1", "2"}[(i+1)%2]))
	}
	n := 0
	for s.Do(undo) == nil {
		n++
	}
	if n != maxUndo {
		t.Errorf("%d changes undone, want %d", n, maxUndo)
	}
}
