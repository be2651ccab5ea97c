package session

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/randomaccess"
)

// planned is a setup of 4 nodes × 4 ranks whose group sizes are compared.
func planned(group int, memory int64) *setup {
	return &setup{
		machine: cluster.Machine{MemoryPerNode: memory},
		spec:    cluster.Spec{Layout: cluster.Layout{Nodes: 4, RanksPerNode: 4, Ranking: cluster.Sequential, Model: cluster.NestedMultiple, Group: group}},
		plan:    workload.Plan{Locality: true, Memory: func(g int) int64 { return 1 << 20 / int64(g) }},
	}
}

func TestLocalityFrame(t *testing.T) {
	var l locality
	l.begin(planned(4, 1<<20), false)
	type row struct {
		Group, Replicas int
		Rank, Node      float64
		Memory          int64
		Fits            bool
	}
	var got []row
	points := l.points(&counts{})
	for _, p := range points {
		got = append(got, row{p.Group, p.Replicas, p.LawRank, p.LawNode, p.Memory, p.Fits})
		if !math.IsNaN(p.RankLocal) || !math.IsNaN(p.Access) || !math.IsNaN(p.LawAccess) || p.Accesses != 0 {
			t.Errorf("group %d has numbers before it ran: %+v", p.Group, p)
		}
	}
	// The law: 1/G, and |group ∩ node|/G (paper 1, section 4.3.1).
	want := []row{
		{1, 16, 1, 1, 4 << 20, false},
		{2, 8, 1. / 2, 1, 2 << 20, false},
		{4, 4, 1. / 4, 1, 1 << 20, true},
		{8, 2, 1. / 8, 1. / 2, 512 << 10, true},
		{16, 1, 1. / 16, 1. / 4, 256 << 10, true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if g := smallestFit(points); g != 4 {
		t.Errorf("the smallest group that fits is %d, want 4", g)
	}
}

// Each class's mean latency over all points, weighed by the law's shares.
func TestLawAccess(t *testing.T) {
	var l locality
	l.begin(planned(4, 0), false)
	ns := func(rank, node, remote int64) *counts {
		c := &counts{accesses: [cluster.Classes]int64{rank, node, remote}}
		for class, t := range []cluster.Time{10, 100, 4000} {
			c.time[class] = cluster.Time(c.accesses[class]) * t * cluster.Nanosecond
		}
		return c
	}
	law := func(points []engine.LocalityPoint) []float64 {
		var v []float64
		for _, p := range points {
			v = append(v, math.Round(p.LawAccess*1e12)/1e3) // ns
		}
		return v
	}
	c := ns(100, 300, 0)
	got := law(l.points(c))
	if d := cmp.Diff([]float64{10, 55, 77.5}, got[:3]); d != "" || !math.IsNaN(got[3]) || !math.IsNaN(got[4]) {
		t.Errorf("with no remote access: %v", got)
	}
	l.fold(c)
	l.begin(planned(16, 0), true)
	if d := cmp.Diff([]float64{10, 55, 77.5, 2038.75, 3019.375}, law(l.points(ns(100, 300, 1200)))); d != "" {
		t.Error(d)
	}
}

func TestGroupSizes(t *testing.T) {
	tests := []struct {
		ranks, group int
		want         []int
	}{
		{1, 1, []int{1}},
		{12, 4, []int{1, 2, 3, 4, 6, 12}},
		{720, 45, []int{1, 2, 4, 8, 16, 45, 720}}, // of 30 divisors
		{1 << 15, 64, []int{64}},
	}
	for _, tt := range tests {
		if d := cmp.Diff(tt.want, groupSizes(tt.ranks, tt.group)); d != "" {
			t.Errorf("%d ranks: %s", tt.ranks, d)
		}
	}
}

// Random access measures the law: over G = 1 to 16 on 4 nodes × 4 ranks the
// shares are 1/G and |group ∩ node|/G within five standard errors. The seed is
// the scenario's; with it the accesses repeat.
func TestRandomAccessFollowsTheLaw(t *testing.T) {
	sc, err := Scenario("randomaccess")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"machine": "this-host", "accesses": "256", "flops": "0", "seed": "3"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	o := start(t, told(t, "silent"), Options{Limits: Limits{Iterations: 1}}).options
	o.Limits, o.published = Limits{Iterations: 10}, nil
	rows, err := Sweep(t.Context(), sc, []Axis{{"group", []string{"1", "2", "4", "8", "16"}}}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		p := here(rows[i].Snapshot)
		if p == nil || p.Accesses != 10*16*256 {
			t.Fatalf("%s: %+v: %s", rows[i].Name(), p, rows[i].Snapshot.Failure)
		}
		for _, s := range []struct {
			what          string
			measured, law float64
		}{{"rank", p.RankLocal, p.LawRank}, {"node", p.NodeLocal, p.LawNode}} {
			deviation := math.Sqrt(s.law * (1 - s.law) / float64(p.Accesses))
			if math.Abs(s.measured-s.law) > 5*deviation {
				t.Errorf("%s (seed 3): %s-local share %g, the law says %g ± %g", rows[i].Name(), s.what, s.measured, s.law, deviation)
			}
		}
	}
}
