package tui

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/timeline"
)

const deadlock = `deadlock: no rank below can go on
a send above the eager limit returns only when its receive is posted: post a receive first on one side, use Sendrecv, or raise the eager limit
  rank 0 waits in send to 1 tag 7 (65536 B) for rank 1
  rank 1 waits in send to 0 tag 7 (65536 B) for rank 0`

// The screens that are kept as goldens: what was done to the demo, and at which
// sizes.
var goldens = []struct {
	name  string
	sizes [][2]int
	make  func() *app
}{
	{"starting", sizes(80, 24, 20, 5), newApp},
	{"running", sizes(80, 24, 120, 40, 200, 60, 300, 90, 60, 16, 59, 15, 30, 8, 20, 5), func() *app { return shownApp(demo(4, 4, 4)) }},
	{"ranks-1024", sizes(80, 24, 120, 40, 200, 60, 300, 90), func() *app { return shownApp(demo(64, 16, 16)) }},
	{"failed", sizes(80, 24, 120, 40, 60, 16, 20, 5), func() *app {
		s := demo(4, 4, 4)
		s.Phase, s.Failure = engine.Failed, deadlock
		return shownApp(s)
	}},
	{"deadlock", sizes(80, 24, 120, 40, 200, 60, 60, 16, 30, 8), func() *app { return shownApp(deadlocked(2)) }},
	{"deadlock-circle-5", sizes(80, 24, 120, 40), func() *app { return shownApp(deadlocked(5)) }},
	{"deadlock-ascii", sizes(80, 24), func() *app {
		a := shownApp(deadlocked(3))
		a.ascii = true
		return a
	}},
	{"zoom-waits", sizes(80, 24, 120, 40), func() *app { return pressed(deadlocked(100), "4", "pgdown") }},
	{"paused", sizes(80, 24, 120, 40), func() *app {
		s := demo(4, 4, 4)
		s.Phase = engine.Paused
		return shownApp(s)
	}},
	{"frozen", sizes(80, 24), func() *app {
		a := shownApp(demo(4, 4, 4))
		a.press("f", "f")
		return a
	}},
	{"help", sizes(80, 24, 120, 40, 60, 16), typed("?")},
	{"help-search", sizes(80, 24), typed("?", "c", "r", "o", "s", "s")},
	{"palette", sizes(80, 24, 120, 40, 60, 16), typed(":")},
	{"palette-search", sizes(80, 24, 20, 5), typed(":", "s", "e", "t", " ", "g", "r", "o", "u", "p", " ")},
	{"edit", sizes(80, 24, 59, 15), typed("enter", "1", "6")},
	{"refused", sizes(80, 24, 120, 40, 59, 15), func() *app {
		a := shownApp(demo(4, 4, 4))
		a.Set("group", "3")
		a.Panel.Answered(a.out[0], fmt.Errorf("group = 3 does not divide 16 ranks: use 2 or 4"))
		return a
	}},
	{"zoom-cluster", sizes(80, 24), typed("1")},
	{"traffic-inside", sizes(120, 40, 200, 60), func() *app { return pressed(demo(4, 4, 4), "1", "z") }},
	{"traffic", sizes(80, 24, 120, 40, 200, 60), func() *app { return pressed(demo(4, 4, 16), "1", "z") }},
	{"zoom-traffic", sizes(80, 24, 120, 40, 200, 60, 30, 8), func() *app { return pressed(demo(4, 4, 16), "1") }},
	{"zoom-traffic-nodes-8", sizes(80, 24, 120, 40), func() *app { return pressed(demo(8, 16, 128), "1") }},
	{"zoom-traffic-nodes-1024", sizes(80, 24, 120, 40, 200, 60), func() *app { return pressed(demo(1024, 4, 256), "1", ":", "'theme mono", "enter") }},
	{"selected", sizes(80, 24, 120, 40), func() *app { return pressed(demo(4, 4, 16), "1", "z", "j", "j") }},
	{"selected-rank-zoomed", sizes(120, 40), func() *app { return pressed(demo(4, 4, 16), "1", "j", "j", "]", "j") }},
	{"selected-nodes-1024", sizes(120, 40), func() *app {
		return pressed(demo(1024, 4, 256), "1", "j", "k", ".", ".", ":", "'theme mono", "enter")
	}},
	{"selected-found", sizes(80, 24), func() *app { return pressed(recorded(4, 2, 4, 8, false), "/", "'rank 7 thread 2", "enter", "7") }},
	{"finding", sizes(80, 24, 30, 8), func() *app { return pressed(demo(4, 4, 16), "/", "'rank 12") }},
	{"zoom-traffic-ascii", sizes(80, 24), func() *app {
		a := pressed(demo(4, 4, 16), "1")
		a.ascii = true
		return a
	}},
	{"zoom-traffic-mono", sizes(80, 24), func() *app { return pressed(demo(64, 16, 64), "1", ":", "'theme mono", "enter") }},
	{"zoom-latency", sizes(80, 24), typed("3")},
	{"zoom-locality", sizes(80, 24, 120, 40), typed("4")},
	{"zoom-why", sizes(80, 24), typed("6")},
	{"crosshair", sizes(120, 40), typed("c", ",", ",")},
	{"ids", sizes(80, 24), typed("i")},
	{"launch-line", sizes(80, 24, 120, 40, 60, 16), typed("L")},
	{"launch-line-funneled", sizes(120, 40), func() *app {
		s := demo(4, 4, 4)
		s.Layout.Model, s.Layout.Ranking, s.Layout.ThreadsPerRank, s.Layout.WorldSeed = cluster.NestedFunneled, cluster.RoundRobin, 8, 3
		return pressed(s, "L")
	}},
	{"simulated", sizes(80, 24, 120, 40, 20, 5), func() *app { return shownApp(simulated()) }},
	{"simulated-ended", sizes(120, 40), func() *app {
		s := simulated()
		s.Phase = engine.Ended
		s.Virtual = &engine.Virtual{Hash: 0x1b5e016efa252b6f, Time: 12 * cluster.Millisecond, Events: 4043755}
		return shownApp(s)
	}},
	{"machines", sizes(80, 24, 120, 40, 59, 15, 20, 5), typed("o", "down", "down")},
	{"machines-scrolled", sizes(80, 24), typed("o", "down", "down", "pgdown", "pgdown")},
	{"machines-search", sizes(80, 24), typed("o", "c", "r", "a", "y")},
	{"zoom-overlap", sizes(80, 24, 120, 40, 300, 90, 60, 16, 30, 8), func() *app { return pressed(scheme(1, 8), "4") }},
	{"overlap", sizes(80, 24, 120, 40, 200, 60, 20, 5), func() *app { return shownApp(scheme(1, 8)) }},
	{"overlap-m2-n16", sizes(120, 40), func() *app { return pressed(scheme(2, 16), "4") }},
	{"overlap-masteronly", sizes(80, 24), func() *app { return pressed(scheme(1, 8, masteronly), "4") }},
	{"overlap-starting", sizes(80, 24), func() *app { return pressed(firstScheme(1, 8, starting), "4") }},
	{"overlap-none", sizes(80, 24, 30, 8), pressedDemo(":", "'zoom-overlap", "enter")},
	{"overlap-one-thread", sizes(80, 24), func() *app { return pressed(firstScheme(1, 8, knob("threads-per-rank", "1")), "4") }},
	{"overlap-all-reserved", sizes(80, 24), func() *app {
		return pressed(firstScheme(1, 8, knob("reserved", "4"), knob("threads-per-rank", "4")), "4")
	}},
	{"overlap-failed", sizes(80, 24), func() *app {
		return pressed(firstScheme(1, 8, func(s *engine.Snapshot) { s.Metrics, s.Phase, s.Failure = nil, engine.Failed, deadlock }), "4")
	}},
	{"overlap-mono", sizes(120, 40), func() *app { return pressed(scheme(1, 8), "4", ":", "'theme mono", "enter") }},
	{"overlap-ascii", sizes(80, 24), func() *app {
		a := pressed(scheme(1, 8), "4")
		a.ascii = true
		return a
	}},
	{"timeline", sizes(80, 24, 120, 40, 200, 60, 300, 90, 60, 16, 30, 8), func() *app { return pressed(recorded(4, 2, 4, 8, false), "7") }},
	{"timeline-pane", sizes(120, 40, 80, 24), func() *app { return pressed(recorded(4, 2, 4, 8, false), "7", "z") }},
	{"timeline-cursor", sizes(80, 24, 120, 40), func() *app {
		a := pressed(recorded(4, 2, 4, 8, false), "7")
		a.panes[timelinePane].(*timeline.Pane).Want = timeline.Want{Cursor: true, Row: 4, At: 670 * us}
		return a
	}},
	{"timeline-arrows", sizes(120, 40), func() *app { return pressed(recorded(4, 2, 4, 8, true), "7", "a", "[") }},
	{"timeline-ranks-1024", sizes(80, 24, 200, 60), func() *app { return pressed(recorded(64, 16, 1, 8, false), "7") }},
	{"timeline-off", sizes(80, 24, 30, 8), pressedDemo("7")},
	{"timeline-empty", sizes(80, 24), func() *app { return pressed(recorded(4, 2, 4, 0, false), "7") }},
	{"timeline-failed", sizes(80, 24), func() *app {
		s := recorded(4, 2, 4, 3, false)
		s.Phase, s.Failure = engine.Failed, deadlock
		return pressed(s, "7")
	}},
	{"timeline-held", sizes(80, 24), func() *app {
		a := pressed(recorded(4, 2, 1, 8, false), "7")
		a.panes[timelinePane].(*timeline.Pane).Want = timeline.Want{End: 500 * us, Column: 5 * us}
		return a
	}},
	{"timeline-mono", sizes(80, 24), func() *app { return pressed(recorded(2, 2, 4, 8, false), "7", ":", "'theme mono", "enter") }},
	{"timeline-ascii", sizes(80, 24), func() *app {
		a := pressed(recorded(2, 2, 4, 8, false), "7")
		a.ascii = true
		return a
	}},
	{"baseline", sizes(80, 24, 120, 40, 200, 60), func() *app { return against(panetest.Slower(demo(4, 4, 4), 1.6), demo(4, 4, 8)) }},
	{"baseline-other-kind", sizes(80, 24, 120, 40, 200, 60), func() *app { return against(panetest.Slower(demo(4, 4, 4), 2.5), simulated(), "6") }},
	{"baseline-overlap", sizes(80, 24, 120, 40, 200, 60), func() *app { return against(scheme(1, 8, masteronly), scheme(1, 8), "4") }},
	{"baseline-overlap-same-table", sizes(120, 40), func() *app {
		base := scheme(1, 8, func(s *engine.Snapshot) { knob("nodes", "8")(s); s.Metrics[3].Value *= 0.9 })
		return against(base, scheme(1, 8), "4")
	}},
	{"baseline-overlap-other-table", sizes(120, 40), func() *app { return against(scheme(1, 4), scheme(1, 8), "4") }},
	{"baseline-traffic", sizes(120, 40), func() *app { return against(demo(4, 4, 4), demo(4, 4, 16), "1") }},
	{"baseline-matrix", sizes(80, 24, 120, 40), func() *app { return against(panetest.Slower(demo(64, 16, 128), 1.6), demo(64, 16, 64), "1") }},
	{"baseline-matrix-mono", sizes(80, 24), func() *app {
		return against(demo(64, 16, 128), demo(64, 16, 64), "1", ":", "'theme mono", "enter")
	}},
	{"baseline-matrix-numbers", sizes(80, 24), func() *app { return against(demo(64, 16, 128), demo(64, 16, 64), "1", "%") }},
	{"baseline-starting", sizes(80, 24, 120, 40), func() *app {
		s := demo(4, 4, 8)
		s.Phase, s.Series, s.Metrics, s.Iteration = engine.Starting, nil, nil, 0
		for c := range s.Latency {
			s.Latency[c] = engine.Quantiles{}
		}
		return against(demo(4, 4, 4), s)
	}},
	{"baseline-mono", sizes(80, 24, 120, 40), func() *app {
		return against(panetest.Slower(demo(4, 4, 4), 1.6), demo(4, 4, 8), ":", "'theme mono", "enter")
	}},
	{"baseline-ascii", sizes(80, 24, 120, 40), func() *app {
		a := against(panetest.Slower(demo(4, 4, 4), 1.6), demo(4, 4, 8))
		a.ascii = true
		return a
	}},
	{"units-binary", sizes(120, 40), typed("B")},
	{"units-decimal", sizes(80, 24, 120, 40), typed("B", "B")},
	{"units-bits", sizes(80, 24, 120, 40, 200, 60), typed("B", "B", "B")},
	{"ascii", sizes(80, 24, 120, 40), func() *app {
		a := shownApp(demo(4, 4, 4))
		a.ascii = true
		return a
	}},
}

// TestStyles keeps the colours of one screen.
func TestStyles(t *testing.T) {
	var s screen
	inFile(t, "styles-80x24", s.draw(shownApp(demo(4, 4, 4)), 80, 24).StyledText())
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

func pressedDemo(all ...string) func() *app {
	return func() *app { return pressed(demo(4, 4, 4), all...) }
}

// wholly draws a screen with what its panes leave for later frames.
func wholly(a *app, w, h int) *grid.Grid {
	var s screen
	for s.draw(a, w, h); s.late(); {
		s.draw(a, w, h)
	}
	return &s.g
}

func TestScreen(t *testing.T) {
	for _, g := range goldens {
		for _, size := range g.sizes {
			name := fmt.Sprintf("%s-%dx%d", g.name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				inFile(t, name, wholly(g.make(), size[0], size[1]).PlainText())
			})
		}
	}
}

func TestTimelineStyles(t *testing.T) {
	for _, theme := range []string{"dark", "light", "sixteen"} {
		a := pressed(recorded(2, 2, 2, 6, false), "7")
		a.chooseTheme(theme)
		inFile(t, "timeline-"+theme, wholly(a, 80, 16).StyledText())
	}
}

// deadlocked has a circle of ranks that send to each other; the others wait for them.
func deadlocked(circle int) *engine.Snapshot {
	s := demo(4, max(4, circle/4), 4)
	s.Phase, s.Failure = engine.Failed, deadlock
	n := s.Layout.Ranks()
	a := &cluster.Abort{Reason: cluster.ReasonDeadlock, Rank: -1}
	for rank := range n {
		w := cluster.Wait{Rank: rank, Call: "barrier", For: []int{0, 1}}
		if rank < circle {
			to := (rank + 1) % circle
			w.Call, w.For = fmt.Sprintf("send to %d tag 7 (65536 B)", to), []int{to}
		}
		a.Waits = append(a.Waits, w)
	}
	s.Deadlock = engine.DeadlockOf(a)
	return s
}
