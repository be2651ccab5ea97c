package sim_test

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// BenchmarkSchedules runs collectives of many ranks with cached schedules: a dissemination, and an
// exchange with all messages in flight at once.
func BenchmarkSchedules(b *testing.B) {
	for _, c := range []struct {
		what  coll.Collective
		name  string
		ranks int
	}{{coll.OpBarrier, "dissemination", 65536}, {coll.OpExchange, "flat", 1024}} {
		b.Run(fmt.Sprintf("%s/ranks=%d", c.what, c.ranks), func(b *testing.B) {
			n := b.N
			messages := 0
			simulated(b, clustertest.Spec(clustertest.Priced(), c.ranks, 1), func(r *cluster.Rank) error {
				comm, err := coll.New(r, r.All())
				if err != nil {
					return err
				}
				a, err := coll.Find(c.what, c.name)
				if err != nil {
					return err
				}
				k, err := a.Key(coll.Parameters{Ranks: c.ranks})
				if err != nil {
					return err
				}
				call := k.Sized(r.ID() == 0, 8, 8)
				for i := range n + 1 {
					if err := comm.Do(call); err != nil {
						return err
					}
					if i == 0 && r.ID() == 0 {
						messages = k.Make(0).Messages() * c.ranks
						b.ResetTimer()
					}
				}
				return nil
			})
			b.ReportMetric(float64(messages)*float64(n)/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}
