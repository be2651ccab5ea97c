package tui

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/pane/panetest/runs"
)

// TestRegretIsMapped maps the choices of a library by command and by key, at all sizes of a screen in steps. It refuses live
// runs, other workloads and unknown libraries.
func TestRegretIsMapped(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	a := shownApp(runs.Last("collective").With("collective", "allreduce").With("algorithm", "ring").With("nodes", "2").
		With("ranks-per-node", "2").On(t, "demo"))
	p := &program{ctx: t.Context(), app: a}
	keys(a, ":", "'regret mpich-4.3", "enter")
	p.answer(t)
	r := a.Inquiry.Regret
	if r == nil || r.Library.Name != "mpich-4.3" || r.Collective.String() != "allreduce" || len(r.Ranks) != 2 ||
		len(r.Misses) != len(r.Ranks)*len(r.Sizes) {
		t.Fatalf("the map is %+v", r)
	}
	w := watch(a)
	for columns := minW; columns <= maxW; columns += 11 {
		rows := minH + (columns-minW)*(maxH-minH)/(maxW-minW)
		for _, a.zoomed = range []bool{false, true} {
			for who, faults := range w.faults(columns, rows) {
				t.Errorf("%d×%d, alone %t: %s: %v", columns, rows, a.zoomed, who, faults)
			}
		}
	}
	if keys(a, "Q"); a.Inquiry != nil {
		t.Error("Q does not close the map")
	}
	if keys(a, "Q"); a.InquiryOf("regret") == nil || a.inquiring.asked == nil {
		t.Errorf("Q asks for nothing: %q", a.notice)
	}
	a.endInquiry()
	if err := a.askQuestion("regret", "lam-7"); err == nil || a.Inquiry != nil {
		t.Errorf("an unknown library: %v", err)
	}
	heat := smallHeat(t)
	if keys(heat, "Q"); heat.Inquiry != nil || heat.focus != heat.paneOf("regret") {
		t.Errorf("heat has a map: %+v", heat.Inquiry)
	}
	live := shownApp(demo(4, 4, 4))
	if keys(live, "Q"); live.Inquiry != nil || !strings.Contains(live.notice, "simulate") {
		t.Errorf("a live run: %q", live.notice)
	}
}

// TestACancelledMapLeavesNothing cancels a map of 64 ranks. No goroutine remains.
func TestACancelledMapLeavesNothing(t *testing.T) {
	a := shownApp(runs.Last("collective").With("collective", "exchange").With("algorithm", "pairwise").With("nodes", "4").
		With("ranks-per-node", "16").With("timeline", "off").With("size", "8").On(t, "demo"))
	cancelsInquiry(t, a, "regret", "Q", "Q")
	if a.Inquiry != nil {
		t.Errorf("the question remains: %+v", a.Inquiry)
	}
}
