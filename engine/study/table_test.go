package study_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
)

// runRows holds the rows of a run: key and number.
type runRows map[string]float64

// counting is a study whose rows the test provides, in the order of keys.
type counting struct {
	study engine.Study
	table *study.Table
	now   []engine.Row
	knobs engine.Scenario
}

func newCounting(adds bool, frame ...engine.Row) *counting {
	c := &counting{knobs: engine.NewScenario("counting", []engine.Knob{
		{Name: "size", Default: "8", Role: engine.Problem}, {Name: "way", Default: "put", Role: engine.Scheme},
		{Name: "seed", Default: "1", Role: engine.View},
	})}
	c.study = engine.Study{
		Form:    engine.Form{Name: "counting", Columns: []engine.Column{{Name: "n"}}},
		Varying: []string{"size"},
		Adds:    adds,
		Observe: func(*engine.Snapshot) []engine.Row { return c.now },
		Complete: func(v *engine.StudyView, _ *engine.Snapshot) {
			for i := range v.Rows {
				if r := &v.Rows[i]; len(r.Raw) > 0 {
					r.Cells = []float64{r.Raw[0]}
				}
			}
		},
	}
	if frame != nil {
		c.study.Frame = func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView {
			return engine.StudyView{Rows: frame, Now: 0}
		}
	}
	c.table = study.NewTable(&c.study)
	return c
}

// begin starts a launch with a knob at a value.
func (c *counting) begin(knob, value string) {
	c.knobs.Values[knob] = value
	c.table.Begin(&c.knobs, &cluster.Machine{}, engine.Measured)
	c.now = nil
}

// look returns the rows of the view, and the key of the current one.
func (c *counting) look(rows ...engine.Row) (runRows, string) {
	c.now = rows
	v := c.table.Look(&engine.Snapshot{})
	all := runRows{}
	for i, r := range v.Rows {
		all[r.Key] = v.Cell(i, 0)
	}
	if p := v.Present(); p != nil {
		return all, p.Key
	}
	return all, ""
}

func row(key string, n float64) engine.Row {
	return engine.Row{Key: key, Cells: []float64{n}, Raw: []float64{n}}
}

func (c *counting) want(t *testing.T, what string, want runRows, now string, rows ...engine.Row) {
	t.Helper()
	got, at := c.look(rows...)
	if d := cmp.Diff(want, got); d != "" || at != now {
		t.Errorf("%s: at %q, want %q; rows (-want +got)\n%s", what, at, now, d)
	}
}

// A later run replaces an earlier one with the same key. Rows remain while knobs change that the
// study names, or knobs of the role view; other knobs hide them.
func TestRowsReplace(t *testing.T) {
	c := newCounting(false)
	c.begin("size", "8")
	c.want(t, "nothing yet", runRows{}, "")
	c.want(t, "a run", runRows{"8": 1}, "8", row("8", 1))
	c.want(t, "which goes on", runRows{"8": 2}, "8", row("8", 2))
	c.table.Fold()
	c.begin("size", "64")
	c.want(t, "another size, no row yet", runRows{"8": 2}, "")
	c.want(t, "several rows of a run", runRows{"8": 2, "64": 5, "64b": 6}, "64", row("64", 5), row("64b", 6))
	c.begin("way", "get")
	c.want(t, "another way", runRows{"64": 7}, "64", row("64", 7))
	c.begin("way", "put")
	c.want(t, "and back", runRows{"8": 2, "64": 5, "64b": 6}, "")
	c.begin("seed", "2")
	c.want(t, "how it is looked at", runRows{"8": 3, "64": 5, "64b": 6}, "8", row("8", 3))
	passing := row("none", 9)
	passing.Flag = engine.Passing
	c.begin("size", "1")
	c.want(t, "a row that passes", runRows{"8": 3, "64": 5, "64b": 6, "none": 9}, "none", passing)
	c.begin("size", "2")
	c.want(t, "is not kept", runRows{"8": 3, "64": 5, "64b": 6}, "")
	c.table.Forget()
	c.want(t, "a reset", runRows{}, "")
	c.want(t, "after which the run goes on", runRows{"2": 1}, "2", row("2", 1))
}

// If sums add up, launches with the same key share a row. Cleared results of the current launch do
// not count again.
func TestRowsAdd(t *testing.T) {
	c := newCounting(true, row("a", 0), row("b", 0))
	c.begin("size", "8")
	c.want(t, "the frame", runRows{"a": 0, "b": 0}, "a")
	c.want(t, "a run", runRows{"a": 3, "b": 0}, "a", row("a", 3))
	c.table.Fold()
	c.want(t, "an ended run that is looked at again", runRows{"a": 3, "b": 0}, "a", row("a", 3))
	c.table.Fold()
	c.begin("size", "64")
	c.want(t, "another", runRows{"a": 3, "b": 4}, "b", row("b", 4))
	c.table.Fold()
	c.begin("size", "8")
	c.want(t, "the first again", runRows{"a": 5, "b": 4}, "a", row("a", 2))
	c.table.Forget()
	c.want(t, "a reset", runRows{"a": 0, "b": 0}, "a", row("a", 2))
	c.want(t, "after which the run goes on", runRows{"a": 6, "b": 0}, "a", row("a", 8))
	c.table.Fold()
	c.begin("way", "get")
	c.want(t, "another way", runRows{"a": 1, "b": 0}, "a", row("a", 1))
}

// A view is immutable: later looks do not change it.
func TestViewsAreImmutable(t *testing.T) {
	c := newCounting(true, row("a", 0))
	c.begin("size", "8")
	c.now = []engine.Row{row("a", 3)}
	v := c.table.Look(&engine.Snapshot{})
	c.want(t, "later", runRows{"a": 7}, "a", row("a", 7))
	if got := v.Cell(0, 0); got != 3 {
		t.Errorf("a view has changed to %v", got)
	}
}

// Inaccurate rows are shown next to the others and marked. Complete does not see them, so the best
// row and the text do not depend on them.
func TestLateRowsAreSeparate(t *testing.T) {
	best := row("b", 0)
	best.Flag = engine.Best
	passing := row("p", 9)
	passing.Flag = engine.Passing
	for _, adds := range []bool{false, true} {
		c := newCounting(adds, row("a", 0), best)
		var seen []string
		complete := c.study.Complete
		c.study.Complete = func(v *engine.StudyView, s *engine.Snapshot) {
			seen = nil
			for _, r := range v.Rows {
				if r.Flag == engine.Late || slices.Contains([]float64{5, 9}, r.Raw[0]) {
					seen = append(seen, r.Key)
				}
			}
			if complete != nil {
				complete(v, s)
			}
		}
		c.begin("size", "8")
		for _, keeping := range []engine.Keeping{engine.Unproven, engine.Behind, engine.Beyond} {
			c.now = []engine.Row{row("a", 5), passing}
			v := c.table.Look(&engine.Snapshot{Kind: engine.Emulated, Keeping: keeping})
			if len(seen) > 0 {
				t.Errorf("adds %v, %s: completed from %v", adds, keeping, seen)
			}
			if late := keeping != engine.Unproven; late != (v.Rows[0].Flag == engine.Late) || v.Rows[1].Flag != engine.Best {
				t.Errorf("adds %v, %s: %+v", adds, keeping, v.Rows)
			}
		}
		c.now = []engine.Row{row("a", 4)}
		if v := c.table.Look(&engine.Snapshot{Kind: engine.Emulated}); v.Rows[0].Flag != "" || v.Cell(0, 0) != 4 ||
			v.Now != 0 {
			t.Errorf("adds %v, kept: %+v", adds, v.Rows)
		}
		c.table.Fold()
		c.begin("size", "8")
		c.now = []engine.Row{row("a", 5)}
		if v := c.table.Look(&engine.Snapshot{Kind: engine.Emulated, Keeping: engine.Behind}); v.Cell(0, 0) != 4 ||
			len(seen) > 0 {
			t.Errorf("adds %v: a late row replaced an accurate one: %+v", adds, v.Rows)
		}
	}
}

// Sorting keeps track of the current row, and unknown numbers come last.
func TestSort(t *testing.T) {
	v := engine.StudyView{Rows: []engine.Row{row("u", unknown), row("c", 3), row("a", 1), row("b", 1)}, Now: 1}
	study.Sort(&v, 0)
	var keys []string
	for _, r := range v.Rows {
		keys = append(keys, r.Key)
	}
	if d := cmp.Diff([]string{"a", "b", "c", "u"}, keys); d != "" || v.Present().Key != "c" {
		t.Errorf("present %q: %s", v.Present().Key, d)
	}
}

// TestSlowFrames tests that Start replaces the fast frame when the slow one is ready, and that Begin waits for the slow
// one. A launch ignores the slow frame of an earlier one.
func TestSlowFrames(t *testing.T) {
	frame := func(key string) engine.StudyView {
		return engine.StudyView{Rows: []engine.Row{row(key, 1)}, Now: 0}
	}
	release := make(chan string)
	st := &engine.Study{
		Frame: func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView { return frame("fast") },
		Slow:  func(*engine.Scenario, *cluster.Machine, engine.Kind) engine.StudyView { return frame(<-release) },
	}
	s := &engine.Scenario{}
	table := study.NewTable(st)
	check := func(when, want string, complete bool) {
		t.Helper()
		if got := table.Frame().Rows[0].Key; got != want || table.IsComplete() != complete {
			t.Errorf("%s: the frame is %s, complete %v; want %s, %v", when, got, table.IsComplete(), want, complete)
		}
	}
	ready := make(chan struct{})
	begin := func() { table.Start(s, &cluster.Machine{}, engine.Simulated, func() { ready <- struct{}{} }) }
	begin()
	check("at the start", "fast", false)
	release <- "slow"
	<-ready
	check("when the slow frame is ready", "slow", true)
	begin()
	release <- "earlier"
	begin() // before the frame of the earlier launch is received
	<-ready
	check("after a second launch", "fast", false)
	release <- "later"
	<-ready
	check("when its slow frame is ready", "later", true)
	table.Start(s, &cluster.Machine{}, engine.Simulated, nil)
	check("without a function to call", "fast", true)
	go func() { release <- "awaited" }()
	table.Begin(s, &cluster.Machine{}, engine.Simulated)
	check("after Begin", "awaited", true)
}
