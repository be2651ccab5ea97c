package algorithm

import (
	"context"
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/sim"
)

// simulatedStart is the virtual time at which a simulated call starts, after its communicator is
// made.
const simulatedStart = cluster.Second

// Simulate returns the time of a call on n bytes in elements of unit bytes, among all ranks of a
// spec, in virtual time. All ranks start together; the root is rank 0.
func Simulate(spec *cluster.Spec, k coll.Key, n, unit int64) (cluster.Time, error) {
	s := *spec
	m := &s.Machine
	m.ClockTime = new(cluster.Time)
	m.ComputeNoise, m.LinkNoise, m.DetourRate, m.Slow = 0, 0, 0, nil
	first, last := cluster.Time(math.MaxInt64), cluster.Time(0)
	err := cluster.Launch(context.Background(), sim.New(), s, func(r *cluster.Rank) error {
		c, err := coll.New(r, r.World())
		if err != nil {
			return err
		}
		if err := r.Barrier(r.World()); err != nil {
			return err
		}
		if late := r.Now() - simulatedStart; late > 0 {
			return fmt.Errorf("simulated call: rank %d starts %v later than %s", r.ID(), late, simulatedStart)
		}
		r.Compute(cluster.Work{Until: simulatedStart}, nil)
		first = min(first, r.Now())
		if err := c.Do(k.Sized(r.ID() == 0, n, unit)); err != nil {
			return err
		}
		last = max(last, r.Now())
		return nil
	})
	return last - first, err
}
