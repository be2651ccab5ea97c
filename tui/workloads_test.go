package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// workloadRuns are the runs that the screens of workloads are drawn with, beside those
// of studies: every workload has one.
var workloadRuns = append(slices.Clone(studyRuns),
	studyRun{"randomaccess", nil, []session.Axis{{Knob: "group", Values: []string{"1", "2", "8", "16", "4"}}}},
	studyRun{"spmv", map[string]string{"threads-per-rank": "4", "ranks-per-node": "1"}, []session.Axis{{Knob: "threading", Values: []string{"masteronly", "funneled", "multiple"}}}},
	studyRun{"gemm", nil, []session.Axis{{Knob: "schedule", Values: []string{"blocking", "prefetch"}}, {Knob: "slices", Values: []string{"8", "1"}}}},
	studyRun{"headtohead", nil, nil},
	studyRun{"fft", map[string]string{"class": "own", "nx": "32", "ny": "32", "nz": "32"}, []session.Axis{{Knob: "exchange", Values: []string{"packed", "slabs"}}}},
	studyRun{"heat", nil, []session.Axis{{Knob: "variant", Values: []string{"put-rpc", "put-signal", "two-sided"}}}},
	studyRun{"cholesky", nil, []session.Axis{{Knob: "transfer", Values: []string{"two-sided", "put"}}, {Knob: "handoff", Values: []string{"direct", "column"}}}},
	studyRun{"multigrid", map[string]string{"boxes": "2", "nodes": "4", "ranks-per-node": "2"}, []session.Axis{{Knob: "variant", Values: []string{"bulk", "natural", "shm", "vis", "groupsync"}}}},
)

// Every workload's screen, at every size that panes are laid out for. Large ones have room
// for the timeline beside the other panes.
func TestScreensOfWorkloads(t *testing.T) {
	for _, w := range workload.All() {
		if strings.HasPrefix(w.Name, "demo-") {
			continue // of these tests
		}
		i := slices.IndexFunc(workloadRuns, func(r studyRun) bool { return r.workload == w.Name })
		if i < 0 {
			t.Errorf("%s has no run to be drawn", w.Name)
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			s := recordedRun(t, "demo", &workloadRuns[i])
			with := workloadRuns[i]
			with.knobs = maps.Clone(with.knobs)
			if with.knobs == nil {
				with.knobs = map[string]string{}
			}
			with.knobs["timeline"] = "on"
			traced := recordedRun(t, "demo", &with)
			for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {300, 90}} {
				if size[0] >= manyW {
					s = traced
				}
				g := wholly(shownApp(s), size[0], size[1])
				inFile(t, fmt.Sprintf("workload-%s-%dx%d", w.Name, size[0], size[1]), g.PlainText())
			}
		})
	}
}

// A baseline stands on every workload's screen: here its run on another machine.
func TestBaselineOnScreensOfWorkloads(t *testing.T) {
	for _, c := range workloadRuns {
		t.Run(c.workload, func(t *testing.T) {
			base, now := recordedRun(t, "demo", &c), recordedRun(t, "osc-ibm1350", &c)
			for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
				var sc screen
				g := sc.draw(against(base, now), size[0], size[1])
				inFile(t, fmt.Sprintf("baseline-%s-%dx%d", c.workload, size[0], size[1]), g.PlainText())
			}
			mono := against(base, now, ":", "'theme mono", "enter")
			mono.ascii = true
			var sc screen
			inFile(t, fmt.Sprintf("baseline-%s-ascii-mono-120x40", c.workload), sc.draw(mono, 120, 40).PlainText())
		})
	}
}

// recordedRun is a simulated run, and in the place of what depends on the host's clock
// what its own time gives: even rates, and all its traffic as the last second's.
func recordedRun(t *testing.T, machine string, of *studyRun) *engine.Snapshot {
	t.Helper()
	s := swept(t, machine, of)
	l := &s.Layout
	for r := range l.Ranks() {
		s.Ranks = append(s.Ranks, engine.RankView{Node: l.NodeOf(r), Group: l.GroupOf(r)})
	}
	s.Recent = engine.Recent{Span: s.Fabric, Class: s.Traffic.Bytes, Nodes: 1}
	for _, row := range s.NodePairs {
		s.Recent.Pairs = append(s.Recent.Pairs, row...)
	}
	for i := range 100 {
		x := engine.Sample{At: time.Duration(i) * 50 * time.Millisecond}
		for c, b := range s.Traffic.Bytes {
			x.Rate[c] = float64(b) / s.Fabric.Seconds()
		}
		s.Series = append(s.Series, x)
	}
	s.Elapsed = 5 * time.Second
	return s
}

// The tree of Barnes-Hut by owner: a plane of its lowest level that is shown, and the one
// above.
func TestScreensOfTheTree(t *testing.T) {
	i := slices.IndexFunc(workloadRuns, func(r studyRun) bool { return r.workload == "barneshut" })
	s := recordedRun(t, "demo", &workloadRuns[i])
	for _, c := range []struct {
		name string
		keys []string
	}{{"deep", nil}, {"above", []string{"[", "k"}}} {
		for _, size := range [][2]int{{80, 24}, {200, 60}} {
			a := pressed(s, append([]string{":", "'zoom-boxes", "enter"}, c.keys...)...)
			inFile(t, fmt.Sprintf("tree-%s-%dx%d", c.name, size[0], size[1]), wholly(a, size[0], size[1]).PlainText())
		}
	}
}

// What the links of a torus carry of an FFT's exchanges and of a broadcast.
func TestScreensOfLinks(t *testing.T) {
	wide := map[string]string{"nodes": "32", "ranks-per-node": "1"}
	box := map[string]string{"class": "own", "nx": "64", "ny": "64", "nz": "64", "rows": "4", "nodes": "32", "ranks-per-node": "1"}
	for _, run := range []studyRun{{"fft", box, nil}, {"collective", wide, nil}} {
		s := recordedRun(t, "xt4-franklin", &run)
		for _, size := range [][2]int{{80, 24}, {200, 60}} {
			a := pressed(s, ":", "'zoom-links", "enter")
			inFile(t, fmt.Sprintf("links-%s-%dx%d", run.workload, size[0], size[1]), wholly(a, size[0], size[1]).PlainText())
		}
	}
}
