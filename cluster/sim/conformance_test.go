package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/internal/soak"
)

// The simulator passes the conformance suite with every progress engine.
func TestConformance(t *testing.T) {
	for _, p := range []cluster.Progress{cluster.ProgressCall, cluster.ProgressOffload, cluster.ProgressThread} {
		t.Run(string(p), func(t *testing.T) {
			if testing.Short() {
				t.Skip("the machine with every cost makes progress in calls")
			}
			clustertest.Run(t, sim.New(), clustertest.With(clustertest.Priced(), p), clustertest.OneAtATime())
		})
	}
	t.Run("every cost", func(t *testing.T) {
		m := clustertest.Priced()
		m.Server = cluster.Server{Send: 700 * cluster.Nanosecond, Receive: 500 * cluster.Nanosecond,
			Handshake: 30 * cluster.Nanosecond}
		m.CopyRate = 2e9
		m.Classes[cluster.Remote].ThreadRate, m.Classes[cluster.Remote].ReceiveRate = 2e9, 3e9
		m.Classes[cluster.Remote].HandshakeGap = 10 * cluster.Nanosecond
		clustertest.Run(t, sim.New(), m, clustertest.OneAtATime())
	})
}

// Mixtures for the time of make soak, with every progress engine.
func TestMixtures(t *testing.T) {
	ways := []cluster.Progress{cluster.ProgressCall, cluster.ProgressOffload, cluster.ProgressThread}
	soak.Rounds(t, 6, func(t *testing.T, seed uint64) {
		clustertest.Mixture(t, sim.New(), clustertest.With(clustertest.Priced(), ways[seed%3]), seed)
	})
}
