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

// TestDetoursDelayNoiseAndWaitsForMemory compares computations that last a second with noise or waits for memory,
// with and without detours: 10⁴ per second of 10 µs each.
func TestDetoursDelayNoiseAndWaitsForMemory(t *testing.T) {
	const us = cluster.Microsecond
	noisy := clustertest.Priced()
	noisy.Flops, noisy.ComputeNoise = 1e9, 0.5
	slow := clustertest.Priced() // the memory of a node is half as fast as the core
	slow.Flops, slow.ComputeNoise, slow.MemoryRate, slow.NodeRate = 1e9, 0, 2e9, 1e9
	for name, c := range map[string]struct {
		machine cluster.Machine
		work    cluster.Work
	}{
		"noise":  {noisy, cluster.Work{Flops: 1e6}},
		"memory": {slow, cluster.Work{Bytes: 1e6}},
	} {
		var times [2]cluster.Time
		for i, rate := range []float64{0, 1e4} {
			m := c.machine
			if rate > 0 {
				m.DetourRate, m.DetourLength = rate, 10*us
			}
			times[i] = simulated(t, clustertest.Spec(m, 1, 1), func(r *cluster.Rank) error {
				for range 1000 {
					r.Compute(c.work, nil)
				}
				return nil
			}).Total()
		}
		if quiet, want := times[0].Seconds(), 1/0.9; quiet < 0.9 || math.Abs(times[1].Seconds()/quiet/want-1) > 0.02 {
			t.Errorf("%s: %.4f s without detours, %.4f s with them: want %.4f times as long", name, quiet, times[1].Seconds(), want)
		}
	}
}
