package all_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The programs of figures 2, 3 and 4 compute the same bits. This holds for groups and threads that
// do not divide the elements, and for any order of MPI's ranks.
func TestDotIsTheSameInEveryModel(t *testing.T) {
	for _, n := range []int{1, 5, 1000, 10007} {
		want := math.NaN()
		for _, c := range []map[string]string{
			{"model": "flat"},
			{"model": "flat", "world-seed": "2", "ranking": "round-robin"},
			{"model": "nested-funneled", "group": "4"},
			{"model": "nested-funneled", "group": "3", "world-seed": "3"},
			{"model": "nested-multiple", "group": "2", "world-seed": "1"},
			{"model": "nested-multiple", "group": "12"},
		} {
			c["nodes"], c["ranks-per-node"], c["elements"] = "3", "4", strconv.Itoa(n)
			tr := trial{workload: "dot", knobs: c, iterations: 3}
			rec := tr.sound(t)
			dots := rec.reports["dot"]
			if len(dots) != 3 || len(rec.reports["dot_time"]) != 3*12 {
				t.Errorf("%v: %d values in 3 iterations, %d times", c, len(dots), len(rec.reports["dot_time"]))
			}
			for _, d := range dots {
				if math.IsNaN(want) {
					want = d
				}
				if math.Float64bits(d) != math.Float64bits(want) {
					t.Errorf("%v: %v, in other models %v", c, d, want)
				}
			}
		}
	}
}

// Paper 1, section 3.2.1: only one process of a group can take part in MPI.
func TestDotRefusesMPIOutsideTheMasters(t *testing.T) {
	tr := trial{workload: "dot", knobs: map[string]string{"model": "nested-funneled", "callers": "every"}, iterations: 1}
	_, err := tr.run(t)
	wantRefusal(t, err, "may not call MPI in nested-funneled", "only UPC thread 0 of a group has an MPI rank",
		"use nested-multiple")
	for _, model := range []string{"flat", "nested-multiple"} {
		tr.knobs["model"] = model
		tr.sound(t)
	}
}

// A wrong element is noticed in the replica that uses it.
func TestDotNoticesWrongData(t *testing.T) {
	tr := trial{workload: "dot",
		knobs: map[string]string{"elements": "100", "nodes": "2", "ranks-per-node": "2", "group": "2"}, iterations: 3,
		before: func(r *cluster.Rank, iteration int) {
			if r.ID() == 0 && iteration == 2 {
				cluster.View[float64](r.Segment())[0]++
			}
		}}
	rec, err := tr.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.failures) != 2 || rec.checks != 4 { // the rank's part, and the product
		t.Errorf("%d checks, failures %q, want 2 failures in 4 checks", rec.checks, rec.failures)
	}
}

// 100,000 elements over 16 ranks of the demo: memory is the limit, with 16 bytes per element at 8
// GB/s.
func TestDotComputeTime(t *testing.T) {
	tr := trial{workload: "dot", knobs: map[string]string{"machine": "demo"}, iterations: 1}
	w, s, m, plan, err := tr.plan(t)
	if err != nil {
		t.Fatal(err)
	}
	got := metric(t, w.Finish(&engine.Snapshot{Scenario: s, Layout: s.Layout(), Kind: engine.Emulated}, &m),
		"dot_compute_time")
	if want := 100000. / 16 * 16 / 8e9; math.Abs(got.Value-want) > 1e-9*want || got.Kind != engine.Modelled {
		t.Errorf("%+v, want %v s, modelled", got, want)
	}
	if plan.Segment != 2*25000*8 || plan.Replicas != 4 {
		t.Errorf("plan %+v: want two vectors over groups of 4", plan)
	}
}
