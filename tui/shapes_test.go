package tui

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// smallHeat is a simulation whose shapes are simulated quickly.
func smallHeat(t *testing.T) *app {
	t.Helper()
	return shownApp(runs.Last("heat").With("size", "24").With("steps", "4").With("nodes", "2").With("timeline", "off").On(t, "ranger"))
}

// TestShapesAreCompared compares shapes by key and by command, and shows them at all sizes of a screen in steps.
func TestShapesAreCompared(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	a := smallHeat(t)
	p := &program{ctx: t.Context(), app: a}
	keys(a, "X")
	p.answer(t)
	q := a.Inquiry
	if r := q.Shapes; r == nil || r.Best() == nil || len(r.Shapes) != 5 || q.Done != 10 || q.Total != 10 {
		t.Fatalf("%d of %d simulations, shapes %+v", q.Done, q.Total, r)
	}
	if a.focus != a.paneOf("shapes") {
		t.Error("the pane has no focus")
	}
	if keys(a, "E"); a.Inquiry != q {
		t.Error("the critical path replaces the shapes")
	}
	a.setFocus(a.paneOf("shapes"))
	w := watch(a)
	for columns := minW; columns <= maxW; columns += 11 {
		rows := minH + (columns-minW)*(maxH-minH)/(maxW-minW)
		for _, a.zoomed = range []bool{false, true} {
			for who, faults := range w.faults(columns, rows) {
				t.Errorf("%d×%d, alone %t: %s: %v", columns, rows, a.zoomed, who, faults)
			}
		}
	}
	if keys(a, "X"); a.Inquiry != nil {
		t.Error("X does not close the shapes")
	}
	if keys(a, ":", "'shapes", "enter"); a.InquiryOf("shapes") == nil || a.inquiring.asked == nil {
		t.Errorf(":shapes compares nothing: %q", a.notice)
	}
}

// TestShapesNeedSimulationsWithThreads refuses a live run, and names the workloads that use threads.
func TestShapesNeedSimulationsWithThreads(t *testing.T) {
	live := shownApp(demo(4, 4, 4))
	if keys(live, "X"); live.Inquiry != nil || !strings.Contains(live.notice, "simulate") {
		t.Errorf("a live run: %q", live.notice)
	}
	a, _ := mapped(t, "X")
	var s screen
	if text := s.draw(a, 80, 24).PlainText(); a.Inquiry != nil || !strings.Contains(text, "pingpong does not use threads") ||
		!strings.Contains(text, "heat") {
		t.Errorf("a workload without threads: %+v\n%s", a.Inquiry, text)
	}
}

// TestCancelledShapesLeaveNothing cancels a comparison while it simulates, by its key and by another question. No
// goroutine remains.
func TestCancelledShapesLeaveNothing(t *testing.T) {
	for _, key := range []string{"X", "J"} {
		a := shownApp(runs.Last("heat").With("nodes", "2").With("timeline", "off").On(t, "ranger"))
		cancelsInquiry(t, a, "shapes", "X", key)
	}
}

// cancelsInquiry asks a question by a key, and cancels it by a key while it simulates. The simulations end with an
// error, the pane has no question, and no goroutine remains.
func cancelsInquiry(t *testing.T, a *app, where, ask, cancel string) {
	t.Helper()
	p := &program{ctx: t.Context(), app: a}
	before := runtime.NumGoroutine()
	if keys(a, ask); a.inquiring.asked == nil {
		t.Fatalf("%s asks for nothing: %q", ask, a.notice)
	}
	run, progress := p.startInquiry(), a.inquiring.progress
	ended := make(chan answered)
	go func() { ended <- run().(answered) }()
	for began := time.Now(); progress.Load() == nil && time.Since(began) < time.Minute; runtime.Gosched() {
	}
	if progress.Load() == nil {
		t.Fatal("no simulation has started")
	}
	keys(a, cancel)
	select {
	case x := <-ended:
		if a.showAnswer(x); x.err == nil || a.InquiryOf(where) != nil {
			t.Errorf("%s: the simulations end with %v", cancel, x.err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("%s: the simulations continue", cancel)
	}
	for began := time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Since(began) > time.Minute {
			t.Fatalf("%s: %d goroutines, %d before", cancel, runtime.NumGoroutine(), before)
		}
	}
}
