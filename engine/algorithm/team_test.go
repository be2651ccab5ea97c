package algorithm

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Loads reach the ranks of one node, and all ranks on this host.
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
}
