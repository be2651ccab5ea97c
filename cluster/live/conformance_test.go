package live_test

import (
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/internal/soak"
)

// The live fabric passes the conformance suite on this host, with and without a progress thread,
// with VCIs for threads, and on a small emulated machine.
func TestConformance(t *testing.T) {
	host := clustertest.Host()
	fewer := clustertest.Without()
	if testing.Short() || race.Enabled && os.Getenv("CONFORM") == "" { // host and emulated run them
		fewer = clustertest.Without("schedules", "modes")
	}
	t.Run("host", func(t *testing.T) { clustertest.Run(t, live.New(), host) })
	t.Run("host, progress threads", func(t *testing.T) {
		clustertest.Run(t, live.New(), clustertest.With(host, cluster.ProgressThread), fewer)
	})
	t.Run("host, VCIs", func(t *testing.T) { clustertest.Run(t, live.New(), host, clustertest.Threads(4), fewer) })
	t.Run("emulated", func(t *testing.T) {
		clustertest.Run(t, live.New(), clustertest.Emulated(), clustertest.Smaller(3))
	})
}

// Mixtures for the time of make soak, on each of the machines in turn.
func TestMixtures(t *testing.T) {
	host := clustertest.Host()
	machines := []cluster.Machine{host, clustertest.With(host, cluster.ProgressThread), clustertest.Emulated()}
	soak.Rounds(t, 6, func(t *testing.T, seed uint64) {
		clustertest.Mixture(t, live.New(), machines[seed%3], seed)
	})
}
