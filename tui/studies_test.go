package tui

import (
	"fmt"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/presets"
)

// The studies that workloads declare, over simulated runs whose digits are the same for
// good: curves over size, a heat map, bars beside the model, shares.
func TestStudiesOfWorkloads(t *testing.T) {
	for _, c := range studyRuns {
		t.Run(c.workload, func(t *testing.T) {
			s := swept(t, "demo", &c)
			for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
				var sc screen
				g := sc.draw(pressed(s, "4"), size[0], size[1])
				inFile(t, fmt.Sprintf("study-%s-%dx%d", c.workload, size[0], size[1]), g.PlainText())
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

// A baseline on another machine: its curves are ghosts, and rows have ratios to its rows
// of the same name.
func TestBaselineOfStudies(t *testing.T) {
	if testing.Short() {
		t.Skip("sweeps every workload on two machines")
	}
	for _, c := range studyRuns {
		t.Run(c.workload, func(t *testing.T) {
			var sc screen
			g := sc.draw(against(swept(t, "demo", &c), swept(t, "osc-ibm1350", &c), "4"), 120, 40)
			inFile(t, fmt.Sprintf("baseline-study-%s-120x40", c.workload), g.PlainText())
		})
	}
}

// studyRuns are the runs that the studies of workloads are drawn with.
var studyRuns = []studyRun{
	{"pingpong", nil, []session.Axis{{Knob: "method", Values: []string{"put", "two-sided"}}, {Knob: "size", Values: []string{"8", "512", "8192", "16384", "262144"}}}},
	{"beff", map[string]string{"lmax": "4096", "randoms": "1", "rounds": "1", "nodes": "2", "ranks-per-node": "2"}, nil},
	{"cartesian", map[string]string{"threads-per-rank": "4", "ranks-per-node": "1"}, []session.Axis{{Knob: "directions", Values: []string{"apart", "together"}}, {Knob: "senders", Values: []string{"1", "2", "4"}}}},
	{"collective", map[string]string{"nodes": "16", "ranks-per-node": "1", "size": "4096"}, []session.Axis{{Knob: "algorithm", Values: []string{"chain", "flat", "scatter-allgather", "knomial"}}}},
	{"barneshut", map[string]string{"bodies": "128"}, []session.Axis{{Knob: "model", Values: []string{"flat", "nested-funneled"}}, {Knob: "group", Values: []string{"4", "8"}}}},
	{"dot", nil, []session.Axis{{Knob: "model", Values: []string{"flat", "nested-funneled", "nested-multiple"}}}},
}

type studyRun struct {
	workload string
	knobs    map[string]string
	axes     []session.Axis
}

// sweeps are those that were simulated: several tests draw the same ones.
var sweeps sync.Map

// swept is the last run of a sweep, with the rows of all before it.
func swept(t *testing.T, machine string, of *studyRun) *engine.Snapshot {
	t.Helper()
	key := fmt.Sprint(machine, *of)
	s, known := sweeps.Load(key)
	if !known {
		s = sweep(t, machine, of)
		sweeps.Store(key, s)
	}
	own := *s.(*engine.Snapshot)
	return &own
}

func sweep(t *testing.T, machine string, of *studyRun) *engine.Snapshot {
	t.Helper()
	name := of.workload
	sc, err := session.Scenario(name)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{{"fabric": "sim", "machine": machine}, of.knobs} {
		for knob, value := range all {
			if err := sc.Set(knob, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := session.Sweep(t.Context(), sc, of.axes, session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	m, err := presets.Machine(machine)
	if err != nil {
		t.Fatal(err)
	}
	var tables []*study.Table
	for _, st := range w.Studies {
		tables = append(tables, study.NewTable(st))
	}
	var last *engine.Snapshot
	for i := range rows {
		if rows[i].Snapshot.Failure != "" {
			t.Fatalf("%s: %s", rows[i].Name(), rows[i].Snapshot.Failure)
		}
		copied := *rows[i].Snapshot
		copied.Studies = nil
		for _, table := range tables {
			table.Begin(&copied.Scenario, &m, copied.Kind)
			copied.Studies = append(copied.Studies, table.Look(&copied))
			table.Fold()
		}
		copied.Ranks, copied.Elapsed, copied.Series = nil, 0, nil // of the host's clock
		copied.Recent = engine.Recent{}
		last = &copied
	}
	last.Layout = cluster.Layout(last.Scenario.Layout())
	return last
}
