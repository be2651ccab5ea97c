package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
	"github.com/hybridtop/hybridtop/tui/pane/timeline"
)

// asking is a host whose questions a desk answers.
type asking struct {
	*pane.Host
	desk *explain.Desk
	q    explain.Question
}

func newAsking(t testing.TB) *asking {
	t.Helper()
	p, err := presets.FindScenario("ft-fig18")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := session.FromPreset(&p)
	if err != nil {
		t.Fatal(err)
	}
	h := &asking{panetest.Host(&engine.Snapshot{Scenario: sc, Kind: engine.Simulated}), explain.NewDesk(session.Options{}),
		explain.Question{Scenario: sc}}
	t.Cleanup(h.desk.Close)
	h.WhatIf = func(changes []presets.Change) {
		h.q.Changes = changes
		h.ask()
	}
	return h
}

func (h *asking) ask() {
	h.desk.Ask(h.q)
	h.Explained = h.desk.Answer()
}

// await waits for all simulations.
func (h *asking) await() {
	h.desk.Wait()
	h.Explained = h.desk.Answer()
}

// looks are the sizes on screens of 80×24 and 120×40, alone and next to other panes.
var looks = []panetest.Look{{W: 32, H: 8}, {W: 49, H: 15}, {W: 76, H: 19, Alone: true}, {W: 116, H: 35, Alone: true},
	{W: 76, H: 19, Alone: true, ASCII: true}, {W: 76, H: 19, Alone: true, Theme: "mono", Styles: true}}

func TestExplainLooksLikeThis(t *testing.T) {
	p, h := &Pane{}, newAsking(t)
	draw := func(name string, all ...panetest.Look) {
		for _, l := range all {
			what := fmt.Sprintf("%s, %d×%d", name, l.W, l.H)
			if l.ASCII {
				what += ", ASCII"
			}
			golden.Text(t, what+l.Theme, panetest.Draw(p, h.Host, l))
		}
	}
	draw("not asked", looks[2])
	h.ask()
	h.await()
	draw("one run", looks...)
	piece := h.Explained.Run.Longest(1)[0]
	h.Moment = pane.Moment{Marked: true, At: piece.Start + piece.Span/2, Path: true}
	draw("the moment of the timeline's cursor", looks[2], looks[5])
	h.Moment.Path = false // on the clock of the run
	if got := panetest.Draw(p, h.Host, looks[2]); strings.Contains(got, "┊") {
		t.Errorf("a moment of the run is marked on the path:\n%s", got)
	}
	h.Moment = pane.Moment{}
	panetest.Act(t, p, h.Host, "path-by")
	draw("by reason", looks[2])
	panetest.Act(t, p, h.Host, "path-by", "path-by", "path-by", "row-down", "row-down", "constant-up")
	draw("in the next frame", looks[2])
	panetest.Act(t, p, h.Host, "constant-up", "constant-up", "constant-up")
	h.await()
	draw("simulated", looks...)
	panetest.Act(t, p, h.Host, "constant-reset")
	packed := h.q.Scenario.Clone()
	if err := packed.Set("exchange", "packed"); err != nil {
		t.Fatal(err)
	}
	baseline := h.q.Scenario
	h.q.Baseline, h.q.Scenario = &baseline, packed
	h.ask()
	h.await()
	draw("next to a baseline", looks...)
}

// TestSlider moves the slider to its ends. The factor is 16 or 1/16, and the first number is chosen.
func TestSlider(t *testing.T) {
	p, h := &Pane{}, newAsking(t)
	h.ask()
	h.await()
	for range 2 * maxStep {
		panetest.Act(t, p, h.Host, "constant-down")
	}
	if c := h.q.Changes; len(c) != 1 || c[0].Factor != 1.0/16 || c[0].Key != p.keys[0].Key {
		t.Errorf("changes %v, want the first number / 16", c)
	}
	panetest.Act(t, p, h.Host, "row-down")
	if len(h.q.Changes) != 0 || p.key != p.keys[1].Key {
		t.Errorf("changes %v of %s after another number", h.q.Changes, p.key)
	}
}

// TestLiveRunsHaveNoPath checks that the pane offers a simulation.
func TestLiveRunsHaveNoPath(t *testing.T) {
	text := panetest.Draw(&Pane{}, panetest.Host(panetest.Demo(4, 4, 4)), panetest.Look{W: 60, H: 12})
	if !strings.Contains(text, "no critical path") || !strings.Contains(text, "simulate") {
		t.Error(text)
	}
}

// TestPathOnTheTimeline shows the path on the timeline of the explained run, and moves through its
// longest pieces.
func TestPathOnTheTimeline(t *testing.T) {
	p, h := timeline.Spec.New(), newAsking(t)
	h.ask()
	h.await()
	panetest.Act(t, p, h.Host, "path")
	draw := func(name string, all ...panetest.Look) {
		for _, l := range all {
			golden.Text(t, fmt.Sprintf("%s, %d×%d, ASCII %v", name, l.W, l.H, l.ASCII), panetest.Draw(p, h.Host, l))
		}
	}
	draw("timeline", looks[0], looks[2], looks[3], looks[4])
	said := ""
	h.Say = func(text string) { said = text }
	for i, x := range h.Explained.Run.Longest(3) {
		panetest.Act(t, p, h.Host, "next-piece")
		for _, want := range []string{fmt.Sprintf("piece %d of", i+1), x.Constant.Name(&h.Explained.Run.Machine),
			fmt.Sprintf("on rank %d", x.Rank)} {
			if !strings.Contains(said, want) {
				t.Errorf("piece %d: no %q in %q", i+1, want, said)
			}
		}
		if text := panetest.Draw(p, h.Host, looks[3]); !strings.Contains(text, "path: "+x.Constant.Name(&h.Explained.Run.Machine)) {
			t.Errorf("piece %d: the cursor is elsewhere:\n%s", i+1, text)
		}
	}
	panetest.Act(t, p, h.Host, "previous-piece")
	draw("the second longest piece", looks[2])
}

// BenchmarkSlide moves the slider and draws the next frame.
func BenchmarkSlide(b *testing.B) {
	p, h := &Pane{}, newAsking(b)
	h.ask()
	h.await()
	g := grid.New(116, 35)
	i := 0
	for b.Loop() {
		i++
		h.WhatIf([]presets.Change{{Key: "remote.latency_s", Factor: 1 + float64(i)/1000}})
		p.Draw(g.All(), h.Host)
	}
}
