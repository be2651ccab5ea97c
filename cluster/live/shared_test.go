package live_test

import (
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
)

// TestRanksShareMemoryAndCores computes on four ranks of a node at the same time. It checks the time from the first
// begin to the last end. A host that falls behind only adds to this time, so the test checks only a minimum.
func TestRanksShareMemoryAndCores(t *testing.T) {
	const alone = cluster.Millisecond
	work := cluster.Work{Bytes: 1e6}
	for _, c := range []struct {
		name string
		set  func(m *cluster.Machine)
		want cluster.Time
	}{
		{"alone", func(*cluster.Machine) {}, alone},
		{"memory for two", func(m *cluster.Machine) { m.NodeRate = 2 * m.MemoryRate }, 2 * alone},
		{"four cores", func(m *cluster.Machine) { m.CoresPerNode = 4 }, alone},
		{"progress threads", func(m *cluster.Machine) { m.CoresPerNode, m.Progress = 4, cluster.ProgressThread }, 2 * alone},
	} {
		m := clustertest.Emulated()
		c.set(&m)
		spec := clustertest.Spec(m, 1, 4)
		var begins, ends [4]cluster.Time
		clustertest.Must(t, live.New(), spec, func(r *cluster.Rank) error {
			if err := r.Barrier(r.All()); err != nil {
				return err
			}
			begins[r.ID()] = r.Now()
			r.Compute(work, nil)
			ends[r.ID()] = r.Now()
			return nil
		})
		if got := slices.Max(ends[:]) - slices.Min(begins[:]); got < c.want*99/100 {
			t.Errorf("%s: four ranks take %v, want at least %v", c.name, got, c.want)
		}
	}
}
