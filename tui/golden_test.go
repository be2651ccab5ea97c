package tui

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

const deadlock = panetest.DeadlockFailure

var deadlocked = panetest.Deadlocked

// goldens lists the screens of the golden file: their sizes, and the app with the demo after some
// keys. Panes are titled boxes, so that the screens change only with the layout, the header, the
// footer and the overlays.
var goldens = []struct {
	name  string
	sizes [][2]int
	make  func() *app
}{
	// Layout.
	{"running", sizes(80, 24, 120, 40, 200, 60, 300, 90, 60, 16, 59, 15, 30, 8, 20, 5), typed()},
	{"ascii", sizes(80, 24, 120, 40), func() *app {
		a := shownApp(demo(4, 4, 4))
		a.ascii = true
		return a
	}},
	{"focus on the cluster", sizes(80, 24), func() *app { return pressed(demo(4, 4, 16), "1", "z") }},
	{"focus on the reasons", sizes(80, 24), typed("6", "z")},
	{"zoomed", sizes(80, 24, 120, 40, 30, 8), typed("4")},
	{"a timeline next to the other panes", sizes(200, 60, 300, 90), func() *app {
		return pressed(recorded(4, 2, 4, 8, false), "7", "z")
	}},
	{"failed", sizes(80, 24, 120, 40, 60, 16, 20, 5), func() *app {
		s := demo(4, 4, 4)
		s.Phase, s.Failure = engine.Failed, deadlock
		return shownApp(s)
	}},
	{"deadlock", sizes(80, 24, 120, 40, 200, 60, 30, 8), func() *app { return shownApp(deadlocked(2)) }},
	{"schemes", sizes(80, 24, 20, 5), func() *app { return shownApp(scheme(1, 8)) }},
	// Header, status and footer.
	{"starting", sizes(80, 24, 20, 5), newApp},
	{"paused", sizes(80, 24, 120, 40), func() *app {
		s := demo(4, 4, 4)
		s.Phase = engine.Paused
		return shownApp(s)
	}},
	{"frozen", sizes(80, 24), typed("f")},
	{"simulated", sizes(80, 24, 120, 40, 20, 5), func() *app { return shownApp(simulated()) }},
	{"size-only", sizes(80, 24, 120, 40, 20, 5), func() *app {
		s := simulated()
		s.SizeOnly = &engine.SizeOnly{Bytes: 65536, Limit: 4096}
		return shownApp(s)
	}},
	{"a job", sizes(80, 24), func() *app {
		s := demo(4, 4, 4)
		s.Job = &engine.Job{Library: "MPICH 4.0.2", Processes: 2}
		return shownApp(s)
	}},
	{"simulated and ended", sizes(120, 40), func() *app {
		s := simulated()
		s.Phase = engine.Ended
		s.Virtual = &engine.Virtual{Hash: 0x1b5e016efa252b6f, Time: 12 * cluster.Millisecond, Events: 4043755}
		return shownApp(s)
	}},
	{"refused", sizes(80, 24, 120, 40, 59, 15), func() *app {
		a := shownApp(demo(4, 4, 4))
		a.Set("group", "3")
		a.Panel.HandleResult(a.out[0], fmt.Errorf("group = 3 does not divide 16 ranks: use 2 or 4"))
		return a
	}},
	{"next to a baseline", sizes(80, 24, 120, 40), func() *app {
		return against(panetest.Slower(demo(4, 4, 4), 1.6), demo(4, 4, 8))
	}},
	{"units in bits", sizes(80, 24), typed("B", "B", "B")},
	// A lesson.
	{"lesson, text", sizes(80, 24, 120, 40, 60, 16), inLesson("N")},
	{"lesson, question", sizes(80, 24, 120, 40), inLesson("N", "N", "N", "'1.1", "?")},
	{"lesson, confidence", sizes(80, 24), inLesson("N", "N", "N", "'1.1", "enter")},
	{"lesson, wrong answer", sizes(80, 24, 120, 40), inLesson("N", "N", "N", "'1.1", "enter", "'3", "enter")},
	{"lesson, right answer", sizes(80, 24, 120, 40), inLesson("N", "N", "N", "'1.4", "enter", "'2", "enter")},
	{"lesson, later", sizes(80, 24), inLesson("N", "N", "N", "'1.1", "esc", "W")},
	{"lesson, scrolled", sizes(60, 16), func() *app {
		a := inLesson("N")()
		a.w, a.h = 60, 16
		keys(a, "pgdown")
		return a
	}},
	{"lesson for a class, question", sizes(80, 24), inClass(2)},
	{"lesson for a class, first vote", sizes(80, 24), inClass(3)},
	{"lesson for a class, both votes", sizes(80, 24, 120, 40, 300, 90), inClass(4)},
	{"lesson for a class, answer", sizes(80, 24, 120, 40), inClass(5)},
	{"lesson for a class, choice", sizes(80, 24, 120, 40), inClass(10)},
	// Overlays.
	{"edit", sizes(80, 24, 59, 15), typed("enter", "1", "6")},
	{"help", sizes(80, 24, 120, 40, 60, 16), typed("?")},
	{"help, searched", sizes(80, 24), typed("?", "c", "r", "o", "s", "s")},
	{"palette", sizes(80, 24, 120, 40, 60, 16), typed(":")},
	{"palette, searched", sizes(80, 24, 20, 5), typed(":", "s", "e", "t", " ", "g", "r", "o", "u", "p", " ")},
	{"machines", sizes(80, 24, 120, 40, 59, 15, 20, 5), typed("o", "down", "down")},
	{"machines, scrolled", sizes(80, 24), typed("o", "down", "down", "pgdown", "pgdown")},
	{"machines, searched", sizes(80, 24), typed("o", "c", "r", "a", "y")},
	{"finding", sizes(80, 24, 30, 8), func() *app { return pressed(demo(4, 4, 16), "/", "'rank 12") }},
	{"ids", sizes(80, 24), typed("i")},
	{"launch line", sizes(80, 24, 120, 40, 60, 16), typed("L")},
	{"launch line of threads", sizes(120, 40), func() *app {
		s := demo(4, 4, 4)
		s.Layout.Model = cluster.NestedFunneled
		s.Layout.Ranking = cluster.RoundRobin
		s.Layout.ThreadsPerRank = 8
		s.Layout.WorldSeed = 3
		return pressed(s, "L")
	}},
}

func TestScreensLookLikeThis(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	for _, g := range goldens {
		for _, size := range g.sizes {
			var s screen
			golden.Text(t, fmt.Sprintf("%s, %d×%d", g.name, size[0], size[1]),
				s.draw(boxed(g.make()), size[0], size[1]).PlainText())
		}
	}
	many := runs.Last("multigrid").With("timeline", "on").On(t, "demo")
	for _, size := range sizes(80, 24, 300, 90) {
		var s screen
		golden.Text(t, fmt.Sprintf("many panes, %d×%d", size[0], size[1]),
			s.draw(boxed(shownApp(many)), size[0], size[1]).PlainText())
	}
}

// The colours of the screen in some themes.
func TestThemesLookLikeThis(t *testing.T) {
	for _, name := range []string{"dark", "light", "sixteen", "mono"} {
		a := shownApp(demo(4, 4, 4))
		a.chooseTheme(name)
		var s screen
		golden.Text(t, "theme "+name, s.draw(boxed(a), 80, 24).StyledText())
	}
}

// box is a pane that shows only its size. The screen around it has its title.
type box struct{ pane.Pane }

func (box) Draw(v grid.View, h *pane.Host) pane.Border {
	v.TextIn(0, v.H()/2, v.W(), fmt.Sprintf("%d×%d", v.W(), v.H()), grid.Center, h.Theme.Dim)
	return pane.Border{}
}

// boxed replaces each pane of an app by a box.
func boxed(a *app) *app {
	for i, p := range a.panes {
		a.panes[i] = box{p}
	}
	return a
}

func sizes(n ...int) (all [][2]int) {
	for ; len(n) > 0; n = n[2:] {
		all = append(all, [2]int{n[0], n[1]})
	}
	return all
}

// typed is the demo after some keys.
func typed(keys ...string) func() *app {
	return func() *app {
		a := shownApp(demo(4, 4, 4))
		for _, k := range keys {
			text := ""
			if len(k) == 1 {
				text = k
			}
			a.press(k, text)
		}
		return a
	}
}

// against is a run with another one as its baseline.
func against(base, now *engine.Snapshot, all ...string) *app {
	a := pressed(base, "b")
	a.load(now)
	keys(a, all...)
	return a
}

// pressed is a snapshot's screen after some keys.
func pressed(s *engine.Snapshot, all ...string) *app {
	a := shownApp(s)
	keys(a, all...)
	return a
}
