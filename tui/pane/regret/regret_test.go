package regret

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/tuner"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// TestRegretLooksLikeThis draws the choices of a library, and the pane without an answer, at the sizes of screens of
// 80×24 to 300×90 and on other terminals.
func TestRegretLooksLikeThis(t *testing.T) {
	looks := []panetest.Look{{W: 32, H: 8}, {W: 49, H: 15}, {W: 76, H: 19, Alone: true}, {W: 116, H: 35, Alone: true},
		{W: 296, H: 85, Alone: true}, {W: 76, H: 19, Alone: true, ASCII: true}, {W: 76, H: 19, Alone: true, Theme: "mono", Styles: true},
		{W: 49, H: 15, Theme: "light", Styles: true}}
	m, err := presets.Machine("demo")
	if err != nil {
		t.Fatal(err)
	}
	r, err := tuner.MapLibrary(context.Background(), m, "allreduce", "openmpi-4.1", 16, 4, nil)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(what, workload, fabric string, q *pane.Inquiry, all []panetest.Look) {
		sc, err := session.Scenario(workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", fabric); err != nil {
			t.Fatal(err)
		}
		kind := map[string]engine.Kind{engine.Sim: engine.Simulated, "live": engine.Measured}[fabric]
		h := panetest.Host(&engine.Snapshot{Scenario: sc, Kind: kind, Layout: sc.Layout()})
		h.Inquiry = q
		for _, l := range all {
			text := panetest.Draw(Spec.New(), h, l)
			golden.Text(t, fmt.Sprintf("%s, %d×%d, ascii %t %s", what, l.W, l.H, l.ASCII, l.Theme), text)
			if i := strings.IndexFunc(strings.SplitN(text, "\n", 2)[1], func(r rune) bool { return r > '~' }); l.ASCII && i >= 0 {
				t.Errorf("%s is not in ASCII:\n%s", what, text)
			}
		}
	}
	one := looks[:3]
	draw("a map", "allreduce", engine.Sim, &pane.Inquiry{Pane: Spec.Name, Regret: r}, looks)
	draw("not asked", "allreduce", engine.Sim, nil, one)
	draw("simulating", "allreduce", engine.Sim, &pane.Inquiry{Pane: Spec.Name, Done: 3, Total: 24}, one)
	draw("failed", "scan", engine.Sim, &pane.Inquiry{Pane: Spec.Name, Failure: "regret: MPICH 4.3 has no rules for scan (use another library or collective)"}, one)
	draw("no collective", "heat", engine.Sim, nil, one)
	draw("live", "allreduce", "live", nil, one)
}
