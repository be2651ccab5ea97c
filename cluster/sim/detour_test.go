package sim_test

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// TestDetoursDelayComputing compares the time of a long computation with the rate and the length of detours. Two
// programs have detours at the same times.
func TestDetoursDelayComputing(t *testing.T) {
	const us = cluster.Microsecond
	m := clustertest.Priced()
	m.Flops, m.ComputeNoise = 1e9, 0
	m.DetourRate, m.DetourLength = 1e4, 10*us
	run := func(m cluster.Machine, seed uint64, parts int) cluster.Time {
		s := clustertest.Spec(m, 1, 1)
		s.Seed = seed
		return simulated(t, s, func(r *cluster.Rank) error {
			for range parts {
				r.Compute(cluster.Work{Flops: 1e9 / float64(parts)}, nil)
			}
			return nil
		}).Total()
	}
	distinct := map[cluster.Time]bool{}
	for seed := range uint64(5) {
		whole := run(m, seed, 1)
		// A second of computing has 10,000 detours, and their time has more: 1 / (1 − 10⁴·10 µs) s.
		if want := 1 / 0.9; math.Abs(whole.Seconds()/want-1) > 0.006 {
			t.Errorf("seed %d: a second of computing takes %.4f s, want %.4f s", seed, whole.Seconds(), want)
		}
		if parts := run(m, seed, 1000); parts != whole {
			t.Errorf("seed %d: a thousand parts take %d ps, one takes %d ps", seed, parts, whole)
		}
		distinct[whole] = true
	}
	if len(distinct) < 3 {
		t.Errorf("five seeds have %d different times", len(distinct))
	}
	quiet := m
	quiet.DetourRate = 0
	if got := run(quiet, 1, 1); got != cluster.Second {
		t.Errorf("without detours a second takes %d ps", got)
	}
}
