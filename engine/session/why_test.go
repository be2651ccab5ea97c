package session

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// point is a group size on 4 nodes of 4 ranks; access and law in ns, 0: none.
func point(group int, access, law float64) engine.LocalityPoint {
	p := engine.LocalityPoint{
		Group: group, Memory: int64(16 << 20 / group), Replicas: 16 / group, Fits: group > 1,
		RankLocal: 1 / float64(group), NodeLocal: math.Min(1, 4/float64(group)),
		Access: math.NaN(), LawAccess: math.NaN(),
	}
	if access > 0 {
		p.Access, p.Accesses = access*1e-9, 1000
	}
	if law > 0 {
		p.LawAccess = law * 1e-9
	}
	return p
}

func TestWhy(t *testing.T) {
	tests := []struct {
		name   string
		group  int
		nodes  int
		points []engine.LocalityPoint
		want   string
	}{
		{"measured, faster", 4, 4, []engine.LocalityPoint{point(4, 400, 0), point(8, 600, 0), point(16, 760, 0)},
			"group 4 keeps every access inside a node: 1.9× faster than group 16, at 4× the memory (4 replicas)."},
		{"measured, slower", 16, 4, []engine.LocalityPoint{point(4, 400, 0), point(16, 8000, 0)},
			"group 16 sends 75% of its accesses to other nodes. Group 4 is 20× faster, at 4× the memory (4 replicas)."},
		{"measured, as fast", 4, 4, []engine.LocalityPoint{point(1, 400, 0), point(4, 404, 0)},
			"group 4 keeps every access inside a node: as fast as group 1, with 1/4 of the memory (4 replicas)."},
		{"modelled, which must fit", 16, 4, []engine.LocalityPoint{point(1, 0, 100), point(4, 0, 400), point(16, 700, 800)},
			"group 16 sends 75% of its accesses to other nodes. Group 4 is 2× faster (modelled), at 4× the memory (4 replicas)."},
		{"measured goes before modelled", 4, 4, []engine.LocalityPoint{point(2, 0, 10), point(4, 400, 400), point(8, 800, 700)},
			"group 4 keeps every access inside a node: 2× faster than group 8, at 2× the memory (4 replicas)."},
		{"alone", 1, 4, []engine.LocalityPoint{point(1, 400, 400), point(16, 0, 0)},
			"group 1 keeps every access in the own rank's memory."},
		{"one node", 4, 1, []engine.LocalityPoint{point(4, 400, 0), point(16, 760, 0)},
			"group 4 finds 25% of its accesses in the own rank's memory: 1.9× faster than group 16, at 4× the memory (4 replicas)."},
		{"nothing that stands", 4, 4, []engine.LocalityPoint{point(4, 0, 400), point(16, 760, 0)}, ""},
	}
	for _, tt := range tests {
		s := &engine.Snapshot{Locality: tt.points}
		s.Layout = cluster.Layout{Nodes: tt.nodes, RanksPerNode: 16 / tt.nodes, Model: cluster.NestedMultiple, Group: tt.group}
		if got := why(s); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestWhyWithoutLocality(t *testing.T) {
	s := &engine.Snapshot{Ranks: []engine.RankView{
		{Share: [cluster.States]float64{cluster.Computing: 0.5, cluster.Waiting: 0.5}},
		{Share: [cluster.States]float64{cluster.Calling: 1}},
	}}
	want := "in the last second ranks spent 25% computing, 50% inside calls and 25% waiting."
	if got := why(s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := why(&engine.Snapshot{}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
