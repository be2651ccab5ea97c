package runs

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/all" // the workloads
	"github.com/hybridtop/hybridtop/presets"
)

// Run is a run of a workload, or several runs that its study compares. The last one is shown.
type Run struct {
	Workload   string
	Knobs      map[string]string // values that differ from the defaults
	Axes       []session.Axis
	Iterations int // at least the usual number
}

// Workloads returns the names of all registered workloads, without those for tests.
func Workloads() []string {
	var names []string
	for _, w := range workload.All() {
		if !strings.HasPrefix(w.Name, "demo-") {
			names = append(names, w.Name)
		}
	}
	return names
}

// Chosen returns the names of the workloads whose runs are in golden files. Tests that loop over
// Workloads draw the others.
func Chosen() []string { return slices.Sorted(maps.Keys(chosenRuns)) }

// Of returns the run of a workload for drawings in tests: the one from the list below, or one with
// default knobs.
func Of(name string) Run {
	r := chosenRuns[name]
	r.Workload = name
	return r
}

// Last returns only the last of the runs of a workload, which is faster to simulate.
func Last(name string) Run {
	r := Of(name)
	for _, x := range r.Axes {
		r = r.With(x.Knob, x.Values[len(x.Values)-1])
	}
	r.Axes = nil
	return r
}

// With returns the run with another value of a knob.
func (r Run) With(knob, value string) Run {
	r.Knobs = maps.Clone(r.Knobs)
	if r.Knobs == nil {
		r.Knobs = map[string]string{}
	}
	r.Knobs[knob] = value
	return r
}

// chosenRuns are runs that show more than the defaults, or are faster to simulate.
var chosenRuns = map[string]Run{
	"access": {Axes: []session.Axis{{Knob: "size", Values: []string{"1024", "10240"}}}},
	"pingpong": {Axes: []session.Axis{{Knob: "method", Values: []string{"put", "two-sided"}},
		{Knob: "size", Values: []string{"8", "512", "8192", "16384", "262144"}}}},
	"beff": {Knobs: map[string]string{"lmax": "4096", "randoms": "1", "rounds": "1", "nodes": "2",
		"ranks-per-node": "2"}},
	"cartesian": {Knobs: map[string]string{"threads-per-rank": "4", "ranks-per-node": "1"},
		Axes: []session.Axis{{Knob: "directions", Values: []string{"apart", "together"}},
			{Knob: "senders", Values: []string{"1", "2", "4"}}}},
	"collective": {Knobs: map[string]string{"nodes": "16", "ranks-per-node": "1", "size": "4096"},
		Axes: []session.Axis{{Knob: "algorithm", Values: []string{"chain", "flat", "scatter-allgather", "knomial"}}}},
	"barneshut": {Knobs: map[string]string{"bodies": "128"},
		Axes: []session.Axis{{Knob: "model", Values: []string{"flat", "nested-funneled"}},
			{Knob: "group", Values: []string{"4", "8"}}}},
	"dot": {Axes: []session.Axis{{Knob: "model",
		Values: []string{"flat", "nested-funneled", "nested-multiple"}}}},
	"reduction":    {Axes: []session.Axis{{Knob: "reduction", Values: []string{"whole", "overlapped", "split"}}}},
	"randomaccess": {Axes: []session.Axis{{Knob: "group", Values: []string{"1", "2", "8", "16", "4"}}}},
	"spmv": {Knobs: map[string]string{"threads-per-rank": "4", "ranks-per-node": "1"},
		Axes: []session.Axis{{Knob: "threading", Values: []string{"masteronly", "funneled", "multiple"}}}},
	"gemm": {Axes: []session.Axis{{Knob: "schedule", Values: []string{"blocking", "prefetch"}},
		{Knob: "slices", Values: []string{"8", "1"}}}},
	"fft": {Knobs: map[string]string{"class": "own", "nx": "32", "ny": "32", "nz": "32"},
		Axes: []session.Axis{{Knob: "exchange", Values: []string{"packed", "slabs"}}}},
	"headtohead": {},
	"heat":       {Axes: []session.Axis{{Knob: "variant", Values: []string{"put-rpc", "put-signal", "two-sided"}}}},
	"cholesky": {Axes: []session.Axis{{Knob: "transfer", Values: []string{"two-sided", "put"}},
		{Knob: "handoff", Values: []string{"direct", "column"}}}},
	"multigrid": {Knobs: map[string]string{"boxes": "2", "nodes": "4", "ranks-per-node": "2"},
		Axes: []session.Axis{{Knob: "variant", Values: []string{"bulk", "natural", "shm", "vis", "groupsync"}}}},
}

// finished caches simulated runs, because several tests draw the same ones.
var finished sync.Map

// On returns the snapshot of a run on a machine. Values that depend on the host's clock are
// replaced: the rates are constant, and the last second has all traffic.
func (r Run) On(t testing.TB, machine string) *engine.Snapshot {
	t.Helper()
	key := fmt.Sprint(machine, r)
	kept, ok := finished.Load(key)
	if !ok {
		kept = r.simulate(t, machine)
		finished.Store(key, kept)
	}
	s := *kept.(*engine.Snapshot)
	return &s
}

func (r Run) simulate(t testing.TB, machine string) *engine.Snapshot {
	t.Helper()
	sc, err := session.Scenario(r.Workload)
	if err != nil {
		t.Fatal(err)
	}
	for _, all := range []map[string]string{{"fabric": "sim", "machine": machine}, r.Knobs} {
		for knob, value := range all {
			if err := sc.Set(knob, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	rows, err := session.Sweep(t.Context(), sc, r.Axes,
		session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: max(r.Iterations, 2)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	w, err := workload.Find(r.Workload)
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
		last = &copied
	}
	last.Layout = cluster.Layout(last.Scenario.Layout())
	replaceTimes(last)
	return last
}

// replaceTimes replaces the values that depend on the host's clock. It removes the events and the
// hash, because they change with the simulator.
func replaceTimes(s *engine.Snapshot) {
	s.Ranks = nil
	s.Series = nil
	s.Virtual = nil
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
}
