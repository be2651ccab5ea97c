package tui

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// wildScheme has unexpected numbers.
func wildScheme() *engine.Snapshot {
	s := scheme(1, 8)
	v := &s.Studies[0]
	set := func(row, column int, x float64) { v.Rows[row].Cells[column] = x }
	set(0, study.EpsilonValue, math.Inf(1))
	set(1, study.EpsilonValue, 1e300)
	set(2, study.EpsilonComm, math.NaN())
	set(len(v.Rows)-1, study.EpsilonPlanes, 1<<30)
	set(v.Now, study.EpsilonCommCost, math.Inf(1))
	set(v.Now, study.EpsilonModel, math.NaN())
	set(v.Now, study.EpsilonPlanes, 0)
	set(v.Now, study.EpsilonOverlap, 0)
	panetest.Schemes.Complete(v, s)
	return s
}

// If a workload compares schemes and no group sizes, the ε pane replaces the locality pane. The
// focused one of the two has priority.
func TestSharedPlace(t *testing.T) {
	for what, c := range map[string]struct {
		a    *app
		want int
	}{
		"group sizes":         {pressed(demo(4, 4, 4)), localityPane},
		"schemes":             {pressed(scheme(1, 8)), epsilonPane},
		"schemes, no run yet": {pressed(firstScheme(1, 8, starting)), epsilonPane},
		"locality asked for":  {pressed(scheme(1, 8), ":", "'zoom-locality", "enter", "z"), localityPane},
		"ε asked for":         {pressed(demo(4, 4, 4), ":", "'zoom-overlap", "enter", "z"), epsilonPane},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {300, 90}} {
			p := arrange(size[0], size[1], c.a)
			other := localityPane + epsilonPane - c.want
			if p.pane(c.want, c.a.specs).Empty() || !p.pane(other, c.a.specs).Empty() {
				t.Errorf("%s: %d×%d shows %v", what, size[0], size[1], p.of)
			}
		}
	}
}

// Each state without data shows what to do, and the user can do it.
func TestEmptyOverlap(t *testing.T) {
	one, all := firstScheme(1, 8, knob("threads-per-rank", "1")),
		firstScheme(1, 8, knob("reserved", "4"), knob("threads-per-rank", "4"))
	for _, c := range []struct {
		s     *engine.Snapshot
		says  string
		typed string
		want  engine.Command
	}{
		{demo(4, 4, 4), ":workload demo-product", "workload demo-product", set("workload", "demo-product")},
		{one, ":threads-per-rank 8", "threads-per-rank 8", set("threads-per-rank", "8")},
		{all, ":reserved 1", "reserved 1", set("reserved", "1")},
	} {
		a := pressed(c.s, ":", "'zoom-overlap", "enter")
		var s screen
		if text := s.draw(a, 80, 24).PlainText(); !strings.Contains(text, c.says) {
			t.Errorf("not on the screen: %s\n%s", c.says, text)
		}
		keys(a, ":", "'"+c.typed, "enter")
		if len(a.out) != 1 || a.out[0] != c.want {
			t.Errorf("%s sends %v", c.says, a.out)
		}
	}
}
