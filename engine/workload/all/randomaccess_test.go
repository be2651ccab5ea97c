package all_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/models"
)

// Paper 1, section 4.3.1 and figure 7: 1/G of uniformly random accesses are rank-local, and |group
// ∩ node|/G of them stay in the node, within the sampling error of a binomial distribution (5
// standard deviations).
func TestRandomAccessFollowsTheLocalityLaw(t *testing.T) {
	const accesses, iterations, seed = 500, 2, 20101
	t.Logf("seed %d", seed)
	for _, ranking := range []string{"sequential", "round-robin"} {
		for _, g := range []int{1, 2, 4, 8, 16} {
			tr := trial{workload: "randomaccess", knobs: map[string]string{
				"nodes": "4", "ranks-per-node": "4", "group": strconv.Itoa(g), "ranking": ranking, "seed": strconv.Itoa(seed + g),
				"accesses": strconv.Itoa(accesses), "flops": "2", "elements": "65536",
			}, iterations: iterations}
			rec := tr.sound(t)
			_, s, _, _, err := tr.plan(t)
			if err != nil {
				t.Fatal(err)
			}
			l := s.Layout()
			law := models.PlacedShares(l.Ranks(), l.NodeOf, l.GroupOf)
			n := float64(16 * accesses * iterations)
			if total := rec.accesses[0] + rec.accesses[1] + rec.accesses[2]; float64(total) != n {
				t.Errorf("%s, groups of %d: %d accesses, want %v", ranking, g, total, n)
			}
			check := func(what string, count int64, p float64) {
				if sigma := math.Sqrt(n * p * (1 - p)); math.Abs(float64(count)-n*p) > 5*sigma {
					t.Errorf("%s, groups of %d: %d of %v accesses in the %s, want %v ± %v", ranking, g, count, n, what, n*p, 5*sigma)
				}
			}
			check("rank", rec.accesses[cluster.InRank], 1/float64(g))
			check("node", rec.accesses[cluster.InRank]+rec.accesses[cluster.InNode], law.Node)
			if ranking == "sequential" && law.Node != float64(min(g, 4))/float64(g) {
				t.Errorf("groups of %d: the law's share of the node is %v", g, law.Node)
			}
			// The program's own traffic matches. It also includes the creation of the replica and
			// its sum, in which each of 16 ranks may read from all other ranks twice.
			for c, ops := range rec.traffic.Ops {
				if extra := ops - rec.accesses[c]; extra < 0 || extra > 2*16*15 {
					t.Errorf("%s, groups of %d: %d operations %v for %d accesses", ranking, g, ops, cluster.Class(c), rec.accesses[c])
				}
			}
		}
	}
}

// The baseline is one full array over all ranks, in the flat model.
func TestRandomAccessBaseline(t *testing.T) {
	tr := trial{workload: "randomaccess",
		knobs: map[string]string{"model": "flat", "replica": "full", "accesses": "200", "flops": "3"}, iterations: 2}
	tr.sound(t)
	_, _, _, plan, err := tr.plan(t)
	if err != nil || plan.Replicas != 1 || plan.Segment != 262144*8/16 {
		t.Errorf("plan %+v, %v: want one replica of 128 KiB a rank", plan, err)
	}
	for _, model := range []string{"nested-multiple", "nested-funneled"} {
		tr.knobs["model"] = model
		_, _, _, _, err := tr.plan(t)
		wantRefusal(t, err, "replica = full under model = "+model, "use model = flat", "or replica = group")
	}
}

// Groups cost memory: on the demo's 4 × 4 ranks the default array fits with every group. The
// paper's 1,000,000 elements need groups of at least 4, and 4,000,000 elements need one group of
// all ranks.
func TestRandomAccessTradesMemoryForLocality(t *testing.T) {
	for _, c := range []struct {
		elements string
		smallest int
	}{{"262144", 1}, {"1000000", 4}, {"4000000", 16}} {
		tr := trial{workload: "randomaccess", knobs: map[string]string{"machine": "demo", "elements": c.elements},
			iterations: 1}
		w, s, m, _, err := tr.plan(t)
		if err != nil {
			t.Fatal(err)
		}
		frame := w.Studies[0].Frame(&s, &m, engine.Emulated)
		smallest := 0
		for _, g := range []int{16, 8, 4, 2, 1} {
			if err := s.Set("group", strconv.Itoa(g)); err != nil {
				t.Fatal(err)
			}
			plan, err := w.Plan(&s, &workload.Site{Machine: &m})
			if err != nil || plan.Replicas != 16/g {
				t.Fatalf("group %d: plan %+v, %v: want %d replicas", g, plan, err, 16/g)
			}
			spec := cluster.Spec{Machine: m, Layout: s.Layout(), Segment: plan.Segment}
			fits := spec.Check() == nil
			if fits {
				smallest = g
			}
			for i, r := range frame.Rows {
				if r.Label == strconv.Itoa(g) && (frame.Cell(i, study.LocalityMemory) != float64(4*plan.Segment) ||
					fits == (r.Flag == engine.Unfit)) {
					t.Errorf("%s elements, group %d: the study has %v B a node, %s; the plan %d a rank, fits %v", c.elements, g,
						frame.Cell(i, study.LocalityMemory), r.Flag, plan.Segment, fits)
				}
			}
		}
		if smallest != c.smallest {
			t.Errorf("%s elements: the smallest group that fits is %d, want %d", c.elements, smallest, c.smallest)
		}
	}
}

// A wrong element is noticed.
func TestRandomAccessNoticesWrongData(t *testing.T) {
	tr := trial{workload: "randomaccess",
		knobs: map[string]string{"elements": "40", "accesses": "100", "nodes": "2", "ranks-per-node": "2", "group": "2",
			"flops": "1"}, iterations: 2,
		before: func(r *cluster.Rank, iteration int) {
			if r.ID() == 3 && iteration == 1 {
				cluster.View[float64](r.Segment())[0]++
			}
		}}
	rec, err := tr.run(t)
	if err != nil {
		t.Fatal(err)
	}
	if len(rec.failures) != 2 { // ranks 2 and 3, in the second iteration
		t.Errorf("failures %q, want one from each of the two ranks with the wrong replica", rec.failures)
	}
}

func TestRandomAccessWantsElements(t *testing.T) {
	tr := trial{workload: "randomaccess", knobs: nil, iterations: 1}
	_, s, _, _, err := tr.plan(t)
	if err != nil {
		t.Fatal(err)
	}
	for knob, v := range map[string]string{"elements": "0", "accesses": "0", "flops": "-1", "replica": "half"} {
		wantRefusal(t, s.Set(knob, v), knob+" = ", "want ")
	}
}

// Shares and times are computed from the recorded accesses, each with its kind, and the law is a
// metric, too.
func TestRandomAccessMetrics(t *testing.T) {
	tr := trial{workload: "randomaccess", knobs: map[string]string{"machine": "demo", "group": "16"}, iterations: 1}
	w, s, m, plan, err := tr.plan(t)
	if err != nil {
		t.Fatal(err)
	}
	snap := &engine.Snapshot{
		Scenario: s, Layout: s.Layout(), Kind: engine.Emulated, Fabric: 2 * cluster.Second, MemoryPerNode: 4 * plan.Segment,
		Replicas: 1,
		Latency: [cluster.Classes]engine.Quantiles{{Count: 10, Mean: 1e-6}, {Count: 30, Mean: 2e-6},
			{Count: 160, Mean: 4e-6}},
		Studies: []engine.StudyView{w.Studies[0].Frame(&s, &m, engine.Emulated)},
	}
	snap.Studies[0].Name = study.LocalityName
	got := w.Finish(snap, &m)
	for _, c := range []struct {
		name string
		want float64
		kind engine.Kind
	}{
		{"rank_local_share", .05, engine.Emulated},
		{"node_local_share", .2, engine.Emulated},
		{"access_time_mean", (10*1e-6 + 30*2e-6 + 160*4e-6) / 200, engine.Emulated},
		{"accesses_per_second", 100, engine.Emulated},
		{"memory_per_node", 4 * 262144 * 8 / 16, engine.Emulated},
		{"replicas", 1, engine.Emulated},
		{"rank_local_share_law", 1. / 16, engine.Modelled},
		{"node_local_share_law", 1. / 4, engine.Modelled},
		// 1/16 in the rank, 3/16 in the node, 12/16 over the link and back.
		{"access_time_law", (400.5e-9 + 3*420.667e-9 + 12*(4e-6+0.8e-9)) / 16, engine.Modelled},
	} {
		m := metric(t, got, c.name)
		if math.Abs(m.Value-c.want) > 1e-6*c.want || m.Kind != c.kind {
			t.Errorf("%s = %v (%s), want %v (%s)", c.name, m.Value, m.Kind, c.want, c.kind)
		}
	}
	if len(got) != len(w.Derived) {
		t.Errorf("%d metrics, want the %d declared ones", len(got), len(w.Derived))
	}
}
