package tui

import (
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// TestGroupsOfKnobs lists the headline knob of each workload first. Knobs without effect are in a folded
// group, which F in the first group unfolds. A layout remembers what is folded.
func TestGroupsOfKnobs(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for _, name := range runs.Workloads() {
		s := runs.Last(name).On(t, "demo")
		a := shownApp(s)
		table := a.Panel.Scenario.Table
		first := workload.First(&s.Scenario, s.Kind)
		if got := table[a.Panel.Rows()[0].Knob].Name; got != first || a.Panel.Selected != first {
			t.Errorf("%s begins with %s and selects %s, want %s", name, got, a.Panel.Selected, first)
		}
		knobs := func() (all []string) {
			for _, r := range a.Panel.Rows() {
				if r.Knob >= 0 {
					all = append(all, table[r.Knob].Name)
				}
			}
			return all
		}
		idle := 0
		for i := range table {
			why := workload.Idle(&s.Scenario, s.Kind, table[i].Name)
			if why != "" {
				idle++
			}
			if slices.Contains(knobs(), table[i].Name) == (why != "") {
				t.Errorf("%s: %s is listed, though it has no effect (%q), or the other way round", name, table[i].Name, why)
			}
		}
		if last := a.Panel.Rows()[len(a.Panel.Rows())-1]; last.Knob >= 0 || last.Folded != idle {
			t.Errorf("%s: %+v is last, want %d knobs without effect", name, last, idle)
		}
		keys(a, "F")
		if n := len(knobs()); n != len(table) {
			t.Errorf("%s: unfolded, %d of %d knobs are listed", name, n, len(table))
		}
		b := newApp()
		b.restore(a.kept())
		b.load(s)
		if !slices.EqualFunc(a.Panel.Rows(), b.Panel.Rows(), func(x, y pane.Row) bool { return x == y }) {
			t.Errorf("%s: the next screen does not remember what is unfolded", name)
		}
	}
}
