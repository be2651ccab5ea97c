package sim_test

import (
	"context"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// A call on the collective network ends at the time of its formula, counted from the arrival of the
// last rank. Consecutive calls use the network one after another.
func TestCollectiveNetwork(t *testing.T) {
	m := clustertest.Priced()
	m.ClockTime = new(cluster.Time) // reading the clock is free
	cost, err := coll.CostOf(&m)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  coll.Collective
		bytes int64
	}{{coll.OpBcast, 8}, {coll.OpBcast, 64 << 10}, {coll.OpReduce, 800}, {coll.OpAllreduce, 8},
		{coll.OpAllreduce, 64 << 10}, {coll.OpBarrier, 0}} {
		a, err := coll.Find(c.what, "hardware")
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int{2, 5, 64} {
			key, err := a.Key(coll.Parameters{Ranks: ranks})
			if err != nil {
				t.Fatal(err)
			}
			var began, last cluster.Time
			late := 100 * cluster.Microsecond // of the last rank
			err = cluster.Launch(context.Background(), sim.New(), clustertest.Spec(m, ranks, 1), func(r *cluster.Rank) error {
				comm, err := coll.New(r, r.World())
				if err != nil {
					return err
				}
				if r.ID() == ranks-1 {
					r.Compute(cluster.Work{Until: late}, func() {})
					began = r.Now()
				}
				if err := comm.Do(key.Sized(r.ID() == 0, c.bytes, 8)); err != nil {
					return err
				}
				last = max(last, r.Now())
				return nil
			})
			if want := began + key.Predict(&cost, c.bytes); err != nil || last != want {
				t.Errorf("%s of %d B among %d ranks: ends at %v, want %v: %v", c.what, c.bytes, ranks, last, want, err)
			}
		}
	}
}

// If a rank does not arrive at a call on the collective network, the error lists the waiting ranks
// and the call.
func TestCollectiveNetworkDeadlock(t *testing.T) {
	a, err := coll.Find(coll.OpBarrier, "hardware")
	if err != nil {
		t.Fatal(err)
	}
	key, err := a.Key(coll.Parameters{Ranks: 3})
	if err != nil {
		t.Fatal(err)
	}
	err = cluster.Launch(context.Background(), sim.New(), clustertest.Spec(clustertest.Priced(), 3, 1),
		func(r *cluster.Rank) error {
			comm, err := coll.New(r, r.World())
			if err != nil || r.ID() == 1 {
				return err
			}
			return comm.Do(coll.Call{Key: key, Blocks: key.Blocks(0, 1)})
		})
	if err == nil {
		t.Error("two of three ranks pass a barrier of three")
	}
}
