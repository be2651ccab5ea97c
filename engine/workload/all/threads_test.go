package all_test

import (
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
)

// TestThreadsShareLoops runs the loops of programs on threads on every fabric. The results stay exact. Ranks may
// have more threads than some loops have units.
func TestThreadsShareLoops(t *testing.T) {
	for workload, knobs := range map[string][]string{
		"heat":      {"size", "9", "steps", "6"},
		"gemm":      {"n", "29", "block", "4", "slices", "2"},
		"fft":       {"class", "own", "nx", "16", "ny", "8", "nz", "8", "slices", "3"},
		"multigrid": {"boxes", "2", "box", "8"},
	} {
		for _, where := range [][]string{
			{"fabric", "sim", "threads-per-rank", "2"},
			{"fabric", "sim", "threads-per-rank", "12", "real-limit", "0", "threading", "funneled"},
			{"machine", "this-host", "threads-per-rank", "3"},
			{"machine", "demo", "threads-per-rank", "2", "threading", "masteronly"},
		} {
			all := slices.Concat(knobs, where, []string{"nodes", "2", "ranks-per-node", "2"})
			s, err := sessiontest.Run(workload, nil, 1, all...)
			if err != nil {
				t.Fatalf("%s %v: %v", workload, all, err)
			}
			if s.Failure != "" || !s.Verification.OK || !s.Verification.Done {
				t.Errorf("%s %v: failure %q, verification %+v", workload, all, s.Failure, s.Verification)
			}
		}
		if _, err := sessiontest.Run(workload, nil, 1, append(knobs, "threads-per-rank", "2", "threading", "single")...); err == nil {
			t.Errorf("%s runs two threads at level single", workload)
		}
	}
}
