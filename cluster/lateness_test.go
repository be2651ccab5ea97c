package cluster

import "testing"

// TestVerdictOnAHost tests which counts mean that a host cannot keep up, and how far the dilation is too small.
func TestVerdictOnAHost(t *testing.T) {
	for _, c := range []struct {
		what   string
		counts Lateness
		proven bool
		excess float64
	}{
		{"nothing has run", Lateness{Shortest: 1000}, false, 0},
		{"few events, all late", Lateness{Shortest: 1000, Events: 100, Late: 100_000}, false, 10},
		{"events late by a tenth", Lateness{Shortest: 1000, Events: 200, Late: 20_000}, true, 1},
		{"events late by a fifth", Lateness{Shortest: 1000, Events: 200, Late: 40_000}, true, 2},
		{"one of few computations overran", Lateness{Shortest: 1000, Events: 200, Bodies: 9, Overruns: 1, Took: 400, Modelled: 100},
			true, 0},
		{"two of few computations overran", Lateness{Shortest: 1000, Events: 200, Bodies: 9, Overruns: 2, Took: 400, Modelled: 100},
			true, 4},
		{"one in fifty overran", Lateness{Shortest: 1000, Bodies: 10_000, Overruns: 200, Took: 400, Modelled: 100}, true, 0},
		{"one in forty overran", Lateness{Shortest: 1000, Bodies: 10_000, Overruns: 250, Took: 400, Modelled: 100}, true, 4},
	} {
		if c.counts.Proven() != c.proven || c.counts.Excess() != c.excess {
			t.Errorf("%s: proven %t, excess %g, want %t, %g", c.what, c.counts.Proven(), c.counts.Excess(), c.proven, c.excess)
		}
	}
}
