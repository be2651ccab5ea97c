package tui

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// The studies that workloads declare, over simulated runs whose digits are the same for
// good: curves over size, a heat map, bars beside the model, shares.
func TestStudiesOfWorkloads(t *testing.T) {
	for _, c := range []struct {
		workload string
		knobs    map[string]string
		axes     []session.Axis
	}{
		{"pingpong", nil, []session.Axis{{Knob: "method", Values: []string{"put", "two-sided"}}, {Knob: "size", Values: []string{"8", "512", "8192", "16384", "262144"}}}},
		{"beff", map[string]string{"lmax": "4096", "randoms": "1", "rounds": "1", "nodes": "2", "ranks-per-node": "2"}, nil},
		{"cartesian", map[string]string{"threads-per-rank": "4", "ranks-per-node": "1"}, []session.Axis{{Knob: "directions", Values: []string{"apart", "together"}}, {Knob: "senders", Values: []string{"1", "2", "4"}}}},
		{"dot", nil, []session.Axis{{Knob: "model", Values: []string{"flat", "nested-funneled", "nested-multiple"}}}},
	} {
		t.Run(c.workload, func(t *testing.T) {
			s := swept(t, c.workload, c.knobs, c.axes)
			for _, size := range [][2]int{{80, 24}, {120, 40}} {
				var sc screen
				g := sc.draw(pressed(s, "4"), size[0], size[1])
				panetest.Golden(t, fmt.Sprintf("study-%s-%dx%d", c.workload, size[0], size[1]), g.PlainText())
			}
			for _, size := range [][2]int{{30, 8}, {60, 16}, {61, 9}, {200, 12}, {300, 90}} {
				var sc screen
				if g := sc.draw(pressed(s, "4"), size[0], size[1]); g.W != size[0] || g.H != size[1] {
					t.Errorf("%d×%d, want %v", g.W, g.H, size)
				}
			}
		})
	}
}

// swept is the last run of a sweep, with the rows of all before it.
func swept(t *testing.T, name string, knobs map[string]string, axes []session.Axis) *engine.Snapshot {
	t.Helper()
	sc, err := session.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{{"fabric": "sim", "machine": "demo"}, knobs} {
		for knob, value := range all {
			if err := sc.Set(knob, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := session.Sweep(t.Context(), sc, axes, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := presets.Machine("demo")
	if err != nil {
		t.Fatal(err)
	}
	table := study.NewTable(w.Studies[0])
	var last *engine.Snapshot
	for i := range rows {
		if rows[i].Snapshot.Failure != "" {
			t.Fatalf("%s: %s", rows[i].Name(), rows[i].Snapshot.Failure)
		}
		copied := *rows[i].Snapshot
		table.Begin(&copied.Scenario, &m, copied.Kind)
		copied.Studies = []engine.StudyView{table.Look(&copied)}
		copied.Ranks, copied.Elapsed, copied.Series = nil, 0, nil // of the host's clock
		table.Fold()
		last = &copied
	}
	last.Layout = cluster.Layout(last.Scenario.Layout())
	return last
}
