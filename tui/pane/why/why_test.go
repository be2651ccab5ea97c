package why

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

func TestWhyLooksLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "a run", panetest.Slower(panetest.Demo(4, 4, 8), 1.6), panetest.Demo(4, 4, 4))
	draw := func(name string, s *engine.Snapshot, w, h int) {
		golden.Text(t, name, panetest.Draw(&Pane{}, panetest.Host(s), panetest.Look{W: w, H: h}))
	}
	draw("a change", panetest.Scheme(1, 8), 49, 30)
	failed := panetest.Demo(4, 4, 4)
	failed.Phase, failed.Failure = engine.Failed, panetest.DeadlockFailure
	draw("a failure", failed, 49, 30)
	wrong := panetest.Simulated()
	wrong.Verification.OK, wrong.Phase = false, engine.Ended
	wrong.Virtual = &engine.Virtual{Hash: 0x1b5e016efa252b6f, Time: 12 * cluster.Millisecond, Events: 4043755}
	wrong.Warnings = []string{"machine xc30-edison is a sketch: 40% of its numbers are assumed"}
	draw("a wrong result of a simulation", wrong, 49, 30)
	draw("before the first result", &engine.Snapshot{Phase: engine.Starting}, 49, 15)
	if !testing.Short() {
		runs.Looks(t, &Spec, runs.Last, panetest.Look{W: 40, H: 34}, false)
	}
}

// TestChoicesThatHaveNotRun draws the modelled times of other algorithms of a broadcast. A study with bars draws them itself.
func TestChoicesThatHaveNotRun(t *testing.T) {
	s := runs.Last("collective").On(t, "demo")
	h := panetest.Host(s)
	h.Forecasts = &pane.Forecasts{Workload: "collective", Rows: session.Forecasts(&s.Scenario, "algorithm", nil)}
	golden.Text(t, "choices that have not run", panetest.Draw(&Pane{}, h, panetest.Look{W: 60, H: 30}))
	bars := *s
	bars.Studies = slices.Clone(s.Studies)
	bars.Studies[0].Charts = []engine.Chart{{Shape: engine.Bars, Y: []int{0}}}
	h.Snap = &bars
	if text := panetest.Draw(&Pane{}, h, panetest.Look{W: 60, H: 30}); strings.Contains(text, "have not run") {
		t.Errorf("a study with bars:\n%s", text)
	}
}

// Every metric of a run has its name, the symbol of its kind and a value with a unit, in this order
// and at every width of a screen.
func TestMetricsHaveNameKindAndUnit(t *testing.T) {
	s := panetest.Demo(4, 4, 4)
	for w := 32; w < 120; w++ {
		text := panetest.Draw(&Pane{}, panetest.Host(s), panetest.Look{W: w, H: 40})
		flat := strings.Join(strings.Fields(text), " ")
		for _, want := range []string{"access time mean ○ 231 ns", "law access time ╌ 228 ns"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%d columns: no %q in\n%s", w, want, text)
			}
		}
	}
}

// A ratio to the baseline is after its value, or below it if there is no room.
func TestRatiosAreAtTheirMetric(t *testing.T) {
	h := panetest.NextTo(panetest.Slower(panetest.Demo(4, 4, 4), 2), panetest.Demo(4, 4, 4))
	for _, c := range []struct {
		w     int
		below bool
	}{{70, false}, {34, true}} {
		lines := strings.Split(panetest.Draw(&Pane{}, h, panetest.Look{W: c.w, H: 40}), "\n")
		found := false
		for i, line := range lines {
			if strings.Contains(line, "231 ns") {
				if c.below {
					line = lines[i+1]
				}
				found = strings.Contains(line, "0.5×")
			}
		}
		if !found {
			t.Errorf("%d columns: no ratio of 0.5× at the mean time:\n%s", c.w, strings.Join(lines, "\n"))
		}
	}
	h.Base.Inaccurate = true
	text := panetest.Draw(&Pane{}, h, panetest.Look{W: 70, H: 40})
	if _, rest, _ := strings.Cut(text, "231 ns"); strings.HasPrefix(rest, "  0.5×") ||
		!strings.Contains(text, "▲ no ratios") {
		t.Errorf("inaccurate times have ratios:\n%s", text)
	}
}

// The text scrolls to its last row and not beyond it. A failure is shown from its beginning.
func TestALongTextScrolls(t *testing.T) {
	h, p := panetest.Host(panetest.Demo(4, 4, 4)), &Pane{}
	g := grid.New(32, 8)
	if b := p.Draw(g.All(), h); b.Above || !b.Below {
		t.Fatalf("at the top: %+v", b)
	}
	for range 100 {
		panetest.Act(t, p, h, "scroll-down")
	}
	g.Clear()
	if b := p.Draw(g.All(), h); !b.Above || b.Below || !strings.Contains(g.PlainText(), "./randomaccess") {
		t.Errorf("at the end: %+v\n%s", b, g.PlainText())
	}
	end := p.top
	p.Wheel(h, 0, 0, +1)
	if panetest.Act(t, p, h, "scroll-up"); p.top != end-5 {
		t.Errorf("up by 1 and 4 from %d is %d", end, p.top)
	}
	failed := panetest.Demo(4, 4, 4)
	failed.Phase, failed.Failure = engine.Failed, panetest.DeadlockFailure
	h.Snap = failed
	if b := p.Draw(g.All(), h); p.top != 0 || b.Title != "Failed" {
		t.Errorf("a failure begins at row %d, under %q", p.top, b.Title)
	}
}
