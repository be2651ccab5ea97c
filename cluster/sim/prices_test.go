package sim_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// called returns the time of a call on a machine with LogGP costs. All members begin at the same
// time.
func called(t *testing.T, m cluster.Machine, k coll.Key, n int64) cluster.Time {
	t.Helper()
	spec := clustertest.Spec(m, int(k.Ranks), 1)
	spec.Segment = 1 << 16
	spec.Modelled = 1 << 40
	begin := 10 * cluster.Millisecond
	last := cluster.Time(0)
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		c, err := coll.New(r, r.World())
		if err != nil {
			return err
		}
		call := k.Sized(r.ID() == 0, n, 1)
		if k.Transfer.OneSided() {
			scratch := k.Room(call.Blocks)
			scratch.Store = cluster.Bytewise(false)
			if err := c.Reserve(scratch, 4); err != nil {
				return err
			}
			call.InAt, call.OutAt = &coll.At{Off: 1 << 20}, &coll.At{Off: 1 << 30}
		}
		r.Compute(cluster.Work{Flops: (begin - sim.Clock(r.Lib().Port())).Seconds() * m.Flops}, nil)
		if at := sim.Clock(r.Lib().Port()); at != begin {
			return fmt.Errorf("begins at %d", at)
		}
		if err := c.Do(call); err != nil {
			return err
		}
		last = max(last, sim.Clock(r.Lib().Port()))
		return nil
	})
	if err != nil {
		t.Fatalf("%s by %s: %v", k.Algorithm.Collective, k.Algorithm.Name, err)
	}
	return last - begin
}

// A call takes the time of its algorithm's formula, within 30 %, whole or in segments, by messages,
// puts and rendezvous, if no two messages share a link.
func TestPricesOfTransfers(t *testing.T) {
	const ns = cluster.Nanosecond
	m := cluster.Machine{Name: "loggp", ClockTime: new(cluster.Time), Progress: cluster.ProgressCall,
		EagerLimit: 1 << 40, Flops: 1e12, MemoryRate: 2e9}
	for i := range m.Classes {
		m.Classes[i] = cluster.Link{Latency: 2500 * ns, Overhead: 1500 * ns, Gap: 1000 * ns, Bandwidth: 1 / 6e-9, Adapters: 1}
	}
	c, err := coll.CostOf(&m)
	if err != nil {
		t.Fatal(err)
	}
	teams := []int{2, 3, 8, 16}
	lengths := []int64{8, 4096, 65536}
	radices := []int{0, 4}
	if testing.Short() {
		teams = teams[2:3]
		lengths = lengths[1:2]
		radices = radices[:1]
	}
	for _, a := range coll.All() {
		if a.Needs&(coll.Reach|coll.Network) != 0 || a.UsesPlaces || a.Collective == coll.OpBarrier {
			continue
		}
		worst, where := 0.0, ""
		for _, transfer := range []coll.Transfer{coll.TwoSided, coll.Put, coll.Rendezvous} {
			for _, segments := range []int{1, 4, 16} {
				for _, p := range teams {
					for _, radix := range radices {
						for _, n := range lengths {
							if segments > 1 && (!a.Segmented || n < 4096) || radix > 0 && a.Radix == 0 ||
								!a.Takes(coll.Tuple{Collective: a.Collective, Ranks: int32(p)}) {
								continue
							}
							k, err := a.Key(coll.Parameters{Ranks: p, Segments: segments, Radix: radix,
								Modes: coll.Modes{Transfer: transfer}})
							if err != nil {
								t.Fatal(err)
							}
							got, want := called(t, m, k, n), k.Predict(&c, n)
							if off := math.Abs(float64(want-got)) / float64(got); off > worst {
								worst, where = off, fmt.Sprintf("%s, ranks %d, radix %d, %d segments, %d B: simulated %s, "+
									"predicted %s", transfer, p, k.Radix, segments, n, got, want)
							}
						}
					}
				}
			}
		}
		if worst > 0.3 {
			t.Errorf("%s by %s is off by %.3g, at %s", a.Collective, a.Name, worst, where)
		}
	}
}
