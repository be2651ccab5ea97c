package explain

import (
	"context"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// TestMapsLookLikeThis draws the fastest algorithm of a broadcast over its size and the network. It also draws a map
// with more rows than the pane, and maps without a result.
func TestMapsLookLikeThis(t *testing.T) {
	p, err := presets.FindScenario("bcast-tree")
	if err != nil {
		t.Fatal(err)
	}
	sc, err := session.FromPreset(&p)
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"nodes": "8", "ranks-per-node": "1", "machine": "demo"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	axis := func(text string) explain.MapAxis {
		a, err := explain.ParseMapAxis(&sc, text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	h := panetest.Host(&engine.Snapshot{Scenario: sc, Kind: engine.Simulated})
	draw := func(name string, looks ...panetest.Look) {
		for _, l := range looks {
			golden.Text(t, fmt.Sprintf("%s, %d×%d, ascii %t", name, l.W, l.H, l.ASCII), panetest.Draw(Spec.New(), h, l))
		}
	}
	alone := panetest.Look{W: 76, H: 19, Alone: true}
	h.Inquiry = &pane.Inquiry{Action: "decide", Pane: Spec.Name, Title: "Decision map", Scenario: sc}
	draw("map: simulating", alone)
	h.Inquiry = &pane.Inquiry{Action: "decide", Pane: Spec.Name, Title: "Decision map", Scenario: sc, Failure: "machine demo: there is no number remote.colour"}
	draw("map: failed", alone)
	for name, axes := range map[string][3]string{
		"map of two":  {"size=8,1024,16384,262144", "remote.latency_s=0.25..4", "algorithm=kary,scatter-allgather"},
		"map of four": {"remote.latency_s=0.5,1,2,4,8", "size=8,64,512,4096,32768", "algorithm=flat,kary,scatter-allgather,hardware"},
	} {
		if testing.Short() && name == "map of four" {
			continue // it takes a hundred simulations
		}
		m, err := explain.Decide(context.Background(), sc, axis(axes[0]), axis(axes[1]), axis(axes[2]), session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h.Inquiry = &pane.Inquiry{Action: "decide", Pane: Spec.Name, Title: "Decision map", Scenario: sc, Map: m}
		draw(name, looks[:5]...)
	}
}
