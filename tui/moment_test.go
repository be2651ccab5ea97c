package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	panereg "github.com/hybridtop/hybridtop/tui/pane/all"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// twoLaunches returns a snapshot of a simulation with a timeline of 600 µs. Its second launch has n samples.
func twoLaunches(n int) *engine.Snapshot {
	s := panetest.Recorded(2, 2, 2, 6, false)
	s.Series, s.Marks = nil, nil
	for launch := range 2 {
		for i := range n {
			s.Series = append(s.Series, engine.Sample{At: time.Duration(launch*n+i) * 10 * time.Millisecond,
				Fabric: cluster.Time(i+1) * 600 * cluster.Microsecond / cluster.Time(n), Rate: [cluster.Classes]float64{1, 2, 3}})
		}
	}
	s.Elapsed, s.Fabric = s.Series[2*n-1].At, s.Series[2*n-1].Fabric
	return s
}

// TestCrosshairsMarkOneMoment moves the crosshair of the bandwidth and the cursor of the timeline, on the virtual
// and on the wall clock. Both panes always mark the same time of the latest launch.
func TestCrosshairsMarkOneMoment(t *testing.T) {
	h := panetest.Host(twoLaunches(60))
	panes := map[string]pane.Pane{}
	for i := range panereg.Panes {
		panes[panereg.Panes[i].Name] = panereg.Panes[i].New()
	}
	draw := func(name string) string {
		g := grid.New(120, 16)
		for panes[name].Draw(g.All(), h).Incomplete {
		}
		return g.PlainText()
	}
	press := func(name, action string) {
		draw(name)
		all := panes[name].Actions()
		all[slices.IndexFunc(all, func(a pane.Action) bool { return a.Name == action })].Do(h)
	}
	for range 4 {
		press("bandwidth", "crosshair-left")
	}
	if !h.Moment.Marked || h.Moment.At <= 400*cluster.Microsecond || h.Moment.At >= 500*cluster.Microsecond {
		t.Fatalf("the moment is %+v, want one between 400 and 500 µs", h.Moment)
	}
	if text := draw("timeline"); !strings.Contains(text, "▲") {
		t.Errorf("the timeline does not mark the moment:\n%s", text)
	}
	press("timeline", "crosshair")
	at := h.Moment.At
	for range 10 {
		press("timeline", "crosshair-left")
	}
	if h.Moment.At >= at {
		t.Errorf("the cursor went from %v to %v, want an earlier time", at, h.Moment.At)
	}
	want := fmt.Sprintf(" %.3g ms", (600*cluster.Microsecond+h.Moment.At).Seconds()*1e3) // after the first launch
	if got := draw("bandwidth"); !strings.Contains(got, want) {
		t.Errorf("want%s at the crosshair of the bandwidth:\n%s", want, got)
	}
	press("bandwidth", "clock")
	before := h.Moment
	if text := draw("bandwidth"); h.Moment != before || !strings.Contains(text, "wall time") && !strings.Contains(text, " s") {
		t.Errorf("on the wall clock the moment is %+v, want %+v\n%s", h.Moment, before, text)
	}
	press("timeline", "crosshair")
	if draw("bandwidth"); h.Moment.Marked || strings.Contains(draw("timeline"), "▲") {
		t.Errorf("a moment is marked after the cursor is hidden: %+v", h.Moment)
	}
}

// TestPanesShareOneWindow zooms and scrolls on one pane. The other pane shows the same time, and both follow the run again.
func TestPanesShareOneWindow(t *testing.T) {
	h := panetest.Host(twoLaunches(60))
	h.Keys = func(string) string { return "g" }
	panes := [2]pane.Pane{}
	for i := range panereg.Panes {
		switch panereg.Panes[i].Name {
		case "bandwidth":
			panes[0] = panereg.Panes[i].New()
		case "timeline":
			panes[1] = panereg.Panes[i].New()
		}
	}
	var shown [2]string
	draw := func() {
		for i, p := range panes {
			g := grid.New(120, 16)
			var b pane.Border
			for b = p.Draw(g.All(), h); b.Incomplete; b = p.Draw(g.All(), h) {
			}
			shown[i] = b.Right + "\n" + g.PlainText()
		}
	}
	press := func(pane int, action string) {
		draw()
		panetest.Act(t, panes[pane], h, action)
		draw()
	}
	press(0, "clock") // to the wall clock, on which a launch of 600 µs takes 0.59 s
	for range 6 {
		press(0, "shorter")
	}
	span := h.Window.Span
	if span == 0 || span >= 600*cluster.Microsecond {
		t.Fatalf("the window is %+v, want a part of the launch", h.Window)
	}
	press(0, "earlier")
	if want := 600*cluster.Microsecond - span/4; max(h.Window.End-want, want-h.Window.End) > cluster.Nanosecond {
		t.Errorf("scrolled by a quarter, the window is %+v, want an end at %v", h.Window, want)
	}
	for i, text := range shown {
		if !strings.HasPrefix(text, "held: g follow") {
			t.Errorf("pane %d is not held:\n%s", i, text)
		}
	}
	before := shown
	press(1, "earlier")
	press(1, "shorter")
	if shown[0] == before[0] || h.Window.Span >= span {
		t.Errorf("the bandwidth does not follow the timeline to %+v:\n%s", h.Window, shown[0])
	}
	press(1, "follow")
	press(0, "follow")
	if h.Window != (pane.Window{}) || strings.Contains(shown[0]+shown[1], "held") {
		t.Errorf("the window is %+v, want none", h.Window)
	}
}

// TestMomentsHaveBothClocks converts a time to the wall clock and back. Times outside of a launch have none.
func TestMomentsHaveBothClocks(t *testing.T) {
	launch := pane.LatestLaunch(twoLaunches(60).Series)
	if len(launch) != 60 || launch[0].At != 600*time.Millisecond {
		t.Fatalf("the latest launch has %d samples from %v, want 60 from 600 ms", len(launch), launch[0].At)
	}
	rapid.Check(t, func(t *rapid.T) {
		at := cluster.Time(rapid.Int64Range(int64(launch[0].Fabric), int64(launch[59].Fabric)).Draw(t, "at"))
		wall, ok := pane.WallOf(launch, at)
		back, ok2 := pane.ClockOf(launch, wall)
		if !ok || !ok2 || max(back-at, at-back) > cluster.Nanosecond {
			t.Fatalf("%v is at %g s, which is %v (%v, %v)", at, wall, back, ok, ok2)
		}
	})
	if _, ok := pane.WallOf(launch, launch[59].Fabric+1); ok {
		t.Error("a time after the last sample has a wall-clock time")
	}
	if _, ok := pane.ClockOf(launch, 0.1); ok {
		t.Error("a time of the first launch has a time in the second")
	}
}

// TestGoingBackShowsTheTimelineOfThatTime cuts the latest timeline at the time of an earlier snapshot.
func TestGoingBackShowsTheTimelineOfThatTime(t *testing.T) {
	latest := twoLaunches(60)
	past := *latest
	past.Timeline, past.Elapsed, past.Fabric = nil, 900*time.Millisecond, 300*cluster.Microsecond
	a := shownApp(latest)
	a.past = func(time.Duration) (*engine.Snapshot, error) { p := past; return &p, nil }
	if err := a.rewind("-0.3s"); err != nil {
		t.Fatal(err)
	}
	if tl := a.Snap.Timeline; tl == nil || tl.Edge != 300*cluster.Microsecond || latest.Timeline.Edge <= tl.Edge {
		t.Fatalf("the timeline is %+v, want one up to 300 µs", tl)
	}
	past.Elapsed = 100 * time.Millisecond // in the first launch, whose timeline is gone
	if err := a.rewind("-0.9s"); err != nil {
		t.Fatal(err)
	}
	if a.Snap.Timeline != nil {
		t.Error("the timeline of another launch is shown")
	}
	p := &program{app: a, w: 120, h: 40}
	lines := strings.Split(strings.TrimRight(p.screen.draw(a, 120, 40).PlainText(), "\n"), "\n")
	if footer := lines[len(lines)-1]; !strings.Contains(footer, "{} 5 s") || !strings.Contains(footer, "f unfreeze") {
		t.Errorf("the footer is %q, want {} and f", footer)
	}
}
