package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// The simulator keeps the contract, however it progresses.
func TestConformance(t *testing.T) {
	for _, p := range []cluster.Progress{cluster.ProgressCall, cluster.ProgressOffload, cluster.ProgressThread} {
		t.Run(string(p), func(t *testing.T) {
			clustertest.Run(t, sim.New(), clustertest.With(clustertest.Priced(), p), clustertest.OneAtATime())
		})
	}
}
