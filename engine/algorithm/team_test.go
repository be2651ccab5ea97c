package algorithm

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// TestWhereLoadsReach checks that loads reach ranks of one node, or of one process on this host.
func TestWhereLoadsReach(t *testing.T) {
	m := &cluster.Machine{}
	for _, c := range []struct {
		Team
		want bool
	}{
		{Team{Machine: m, Kind: engine.Simulated, Node: true}, true}, {Team{Machine: m, Kind: engine.Simulated}, false},
		{Team{Machine: m, Kind: engine.Emulated}, false}, {Team{Machine: m, Kind: engine.Measured}, true},
	} {
		if got := c.Reach(); got != c.want {
			t.Errorf("%+v: %v", c.Team, got)
		}
	}
	l := cluster.Layout{Nodes: 4, RanksPerNode: 2, ThreadsPerRank: 1, Group: 8}
	for _, c := range []struct {
		processes int
		ranks     []int32
		want      bool
	}{
		{0, []int32{0, 7}, true}, {1, []int32{0, 7}, true}, {2, []int32{0, 3}, true}, {2, []int32{3, 4}, false},
		{4, []int32{2, 3}, true}, {4, []int32{0, 3}, false}, {8, []int32{0, 2}, false},
	} {
		m := &cluster.Machine{Processes: c.processes}
		if got := Among(m, engine.Measured, &l, c.ranks).Reach(); got != c.want {
			t.Errorf("%d processes, ranks %v: %v", c.processes, c.ranks, got)
		}
	}
}
