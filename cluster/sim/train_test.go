package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Long and short trains from several ranks of a node through its adapter, in any order, take about
// as long as separate puts. The overhead of posting is hidden if the adapter is the bottleneck.
func TestTrainsShareAnAdapterAsPutsDo(t *testing.T) {
	for _, gap := range []cluster.Time{54, 60, 67, 130, 200} {
		m := cluster.Machine{Name: "trains", Progress: cluster.ProgressCall, EagerLimit: 8192}
		m.Classes[cluster.Remote] = cluster.Link{Latency: 1040 * cluster.Nanosecond, Overhead: 130 * cluster.Nanosecond,
			Gap: gap * cluster.Nanosecond, Bandwidth: 8e9, Adapters: 1}
		took := func(train bool) cluster.Time {
			var last cluster.Time
			spec := clustertest.Spec(m, 1, 8)
			spec.Segment = 1 << 16
			simulated(t, spec, func(r *cluster.Rank) error {
				if err := r.Barrier(r.All()); err != nil {
					return err
				}
				start := r.Now()
				var reqs [3]cluster.Request
				err := r.Using(cluster.Means{Path: cluster.PathAdapter}, func() error {
					for i, peer := range [3]int{min(r.ID()^1, r.ID()^2), max(r.ID()^1, r.ID()^2), r.ID() ^ 4} {
						n, bytes := 32, 512
						if peer == r.ID()^1 {
							n, bytes = 1024, 8
						}
						if train {
							of := cluster.Column(0, int64(bytes), int64(bytes), n)
							if err := r.PutWith(&cluster.Put{To: cluster.At(peer, 0), Data: cluster.Of(make([]byte, n*bytes)), Shape: of,
								Train: true}, &reqs[i], nil); err != nil {
								return err
							}
							continue
						}
						for k := range n {
							if err := r.PutWith(&cluster.Put{To: cluster.At(peer, int64(k*bytes)), Data: cluster.Of(make([]byte, bytes)),
								Until: cluster.Later}, nil, nil); err != nil {
								return err
							}
						}
					}
					if train {
						return r.Waitall(reqs[:], nil)
					}
					return r.Quiet()
				})
				last = max(last, r.Now()-start)
				return err
			})
			return last
		}
		puts, trains := took(false), took(true)
		if off := trains.Seconds()/puts.Seconds() - 1; off > 0.02 || off < -0.02 {
			t.Errorf("gap %d ns: the puts take %v, in trains %v: %+.1f %%", gap, puts, trains, 100*off)
		} else {
			t.Logf("gap %d ns: %v, %v: %+.2f %%", gap, puts, trains, 100*off)
		}
	}
}
