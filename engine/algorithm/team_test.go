package algorithm

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Loads reach the ranks of one node, and on this host's memory all.
func TestWhereLoadsReach(t *testing.T) {
	m := &cluster.Machine{}
	for _, c := range []struct {
		Team
		want bool
	}{
		{Team{m, engine.Simulated, true, 4}, true}, {Team{m, engine.Simulated, false, 4}, false},
		{Team{m, engine.Emulated, false, 4}, false}, {Team{m, engine.Measured, false, 4}, true},
	} {
		if got := c.Reach(); got != c.want {
			t.Errorf("%+v: %v", c.Team, got)
		}
	}
}
