package bandwidth

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// sampleAt returns a sample with the same rate for every class.
func sampleAt(seconds, rate float64) engine.Sample {
	s := engine.Sample{At: time.Duration(seconds * float64(time.Second))}
	for c := range s.Rate {
		s.Rate[c] = rate
	}
	return s
}

func TestBandwidthLooksLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "a run", panetest.Slower(panetest.Demo(4, 4, 4), 1.6), panetest.Demo(4, 4, 8))
	look := panetest.Look{W: 76, H: 19, Alone: true}
	draw := func(name string, h *pane.Host, l panetest.Look, actions ...string) {
		p := Spec.New()
		panetest.Draw(p, h, l)
		panetest.Act(t, p, h, actions...)
		golden.Text(t, name, panetest.Draw(p, h, l))
	}
	draw("next to a baseline of another kind",
		panetest.NextTo(panetest.Slower(panetest.Demo(4, 4, 4), 2.5), panetest.Simulated()), look)
	draw("crosshair", panetest.Host(panetest.Demo(4, 4, 4)), look, "crosshair", "crosshair-left", "crosshair-left")
	draw("logarithmic, all of the time", panetest.Host(panetest.Demo(4, 4, 4)), look, "log", "longer", "longer",
		"longer", "longer")
	virtual := panetest.Simulated()
	virtual.Series = slices.Clone(virtual.Series)
	for i := range virtual.Series {
		virtual.Series[i].Fabric = cluster.Time(i+1) * 20 * cluster.Microsecond
	}
	draw("virtual time", panetest.Host(virtual), look)
	draw("wall time of a simulation", panetest.Host(virtual), look, "clock")
	for u := range grid.Units(len(grid.UnitsNames())) {
		h := panetest.Host(panetest.Demo(4, 4, 4))
		h.Units = u
		draw("units "+u.String(), h, panetest.Look{W: 49, H: 15})
	}
	for i, m := range []grid.Markers{grid.Blocks, grid.Lines} {
		h := panetest.Host(panetest.Demo(4, 4, 4))
		h.Markers = m
		draw([]string{"blocks", "lines"}[i], h, panetest.Look{W: 49, H: 15})
	}
	for _, phase := range []engine.Phase{engine.Starting, engine.Paused, engine.Failed} {
		draw("no samples, "+string(phase), panetest.Host(&engine.Snapshot{Phase: phase}), panetest.Look{W: 49, H: 8})
	}
}

func TestPointsAreMeansOfColumns(t *testing.T) {
	samples := []engine.Sample{sampleAt(0.2, 1), sampleAt(0.8, 3), sampleAt(1.5, 10), sampleAt(2.1, 4), sampleAt(2.9, 8)}
	markers := []engine.Mark{{At: 2500 * time.Millisecond}}
	var p Pane
	p.computePoints(samples, nil, 1)
	if diff := cmp.Diff([][]float64{{0.8, 1.5, 2.9}, {2, 10, 6}}, [][]float64{p.x, p.y[0]}); diff != "" {
		t.Error(diff)
	}
	p.computePoints(samples, markers, 1)
	if diff := cmp.Diff([][]float64{{0.8, 1.5, 2.1, 2.9}, {2, 10, 4, 8}}, [][]float64{p.x, p.y[0]}); diff != "" {
		t.Errorf("a marker begins a new point: %s", diff)
	}
}

// New samples do not change the points of earlier times.
func TestPointsDoNotMove(t *testing.T) {
	s := wave()
	var before, after Pane
	for n := 500; n < 540; n++ {
		before.computePoints(s.Series[:n], s.Marks, 0.6)
		after.computePoints(s.Series[:n+1], s.Marks, 0.6)
		settled := len(before.x) - 1 // the last column is incomplete
		if !slices.Equal(before.x[:settled], after.x[:settled]) ||
			!slices.Equal(before.y[0][:settled], after.y[0][:settled]) {
			t.Fatalf("sample %d changes earlier points", n)
		}
	}
}

func TestVisible(t *testing.T) {
	var all []engine.Sample
	for i := range 10 {
		all = append(all, sampleAt(float64(i), 1))
	}
	for _, c := range []struct {
		from, to    float64
		first, last int
	}{{0, 9, 0, 9}, {3, 6, 2, 7}, {3.5, 6.5, 3, 7}, {-5, 20, 0, 9}} {
		p := Pane{axis: axis{samples: all}}
		got := p.visible(c.from, c.to)
		if got[0].At != all[c.first].At || got[len(got)-1].At != all[c.last].At {
			t.Errorf("%v to %v s: %v to %v", c.from, c.to, got[0].At, got[len(got)-1].At)
		}
	}
	if got := new(Pane).visible(0, 1); len(got) != 0 {
		t.Errorf("without samples: %v, want none", got)
	}
}

// wave returns a run of 42 s whose rates rise at 24 s, when a knob was changed.
func wave() *engine.Snapshot {
	s := &engine.Snapshot{Phase: engine.Running, Marks: []engine.Mark{{At: 24 * time.Second}}}
	for i := range 840 {
		t := float64(i) / 20
		up := 1.0
		if t > 24 {
			up = 1.8
		}
		s.Series = append(s.Series, sampleAt(t, 1e6*up*(1+0.1*math.Sin(t))))
	}
	return s
}

func TestCrosshairStaysOnTheData(t *testing.T) {
	p := Spec.New().(*Pane)
	h := &pane.Host{Snap: wave()}
	act := func(name string) {
		all := p.Actions()
		all[slices.IndexFunc(all, func(a pane.Action) bool { return a.Name == name })].Do(h)
	}
	p.updateAxis(h.Snap)
	last := p.axis.newest
	act("crosshair-right")
	act("crosshair-right")
	if p.crossAt != last {
		t.Errorf("the crosshair is at %v s, want the newest sample at %v s", p.crossAt, last)
	}
	for range 200 {
		act("crosshair-left")
	}
	if from, _ := p.span(h); p.crossAt != from {
		t.Errorf("the crosshair is at %v s, want the left edge at %v s", p.crossAt, from)
	}
	for range 20 {
		act("longer")
	}
	if from, to := p.span(h); from != 0 || to != 50 {
		t.Errorf("the longest window is %v to %v s, want 0 to 50 for %v s", from, to, last)
	}
}

// An exported picture shows the whole run, independent of the time window.
func TestPictureShowsAll(t *testing.T) {
	p := Spec.New().(*Pane)
	if from, to := p.span(&pane.Host{Snap: wave(), Picture: true}); from != 0 || to < 41.9 {
		t.Errorf("a picture shows %v to %v s, want the whole run", from, to)
	}
}

// After a change of workload the time axis begins again at the marker of the change. Nothing before
// it is shown.
func TestAxisBeginsWithTheWorkload(t *testing.T) {
	s := wave()
	s.Marks[0] = engine.Mark{At: 24 * time.Second, Label: "workload dot→spmv", NewWorkload: true}
	p := Spec.New().(*Pane)
	from, to := p.span(&pane.Host{Snap: s})
	got := p.visible(from, to)
	if from != 0 || got[0].At != 24*time.Second || p.axis.newest != s.Series[839].At.Seconds()-24 {
		t.Errorf("the axis begins at %v s, its first sample is at %v, the last one at %v s", from, got[0].At, p.axis.newest)
	}
	if x, ok := p.axis.markerPosition(&s.Marks[0]); !ok || x != 0 {
		t.Errorf("the marker of the workload is at %v, %v; want 0", x, ok)
	}
	if x, ok := p.axis.markerPosition(&engine.Mark{At: time.Second}); ok {
		t.Errorf("a marker of the previous workload is at %v, want none", x)
	}
}

// TestAxisOfASimulation shows virtual time, in which launches follow each other, or wall time.
func TestAxisOfASimulation(t *testing.T) {
	s := wave()
	s.Kind = engine.Simulated
	for i := range s.Series {
		s.Series[i].Fabric = cluster.Time(i%480+1) * cluster.Microsecond
	}
	p := Spec.New().(*Pane)
	h := &pane.Host{Snap: s, Theme: grid.Themes()[0]}
	from, to := p.span(h)
	if from != 0 || to != 1e-3 || p.axis.newest != 840e-6 || p.caption(h) != "◆ simulated, virtual time" {
		t.Errorf("%v to %v s, newest %v, %q", from, to, p.axis.newest, p.caption(h))
	}
	if got := p.visible(from, to); len(got) != 840 {
		t.Errorf("%d samples are visible, want both launches", len(got))
	}
	if x, ok := p.axis.markerPosition(&engine.Mark{At: 23975 * time.Millisecond}); !ok || math.Abs(x-481e-6) > 1e-12 {
		t.Errorf("the knob changed between the launches is at %v, %v", x, ok)
	}
	p.widen(h, -1)
	p.widen(h, -1)
	if from, to := p.span(h); math.Abs(from-640e-6) > 1e-12 || math.Abs(to-840e-6) > 1e-12 || h.Window.Span != 200*cluster.Microsecond {
		t.Errorf("two steps below 1 ms are %v to %v, %+v", from, to, h.Window)
	}
	s.Marks[0] = engine.Mark{At: 23975 * time.Millisecond, NewWorkload: true}
	h.Window.Follow()
	if from, to := p.span(h); from != 0 || to != 500e-6 || p.axis.newest != 360e-6 {
		t.Errorf("after a change of workload, %v to %v s, newest %v", from, to, p.axis.newest)
	}
	s.Marks[0].At = time.Hour // the new workload has no sample
	p.toggleCross(h)
	p.moveCross(h, -0.1)
	if h.Moment.Marked || len(p.axis.samples) > 0 {
		t.Errorf("before the first sample the crosshair marks %v, of %d samples", h.Moment, len(p.axis.samples))
	}
	s.Marks[0].At = 23975 * time.Millisecond
	p.switchClock(h)
	if p.span(h); p.caption(h) != "◆ simulated, wall time" {
		t.Errorf("the caption is %q", p.caption(h))
	}
}
