package session

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// TestAudit tests that a run finds impossible values of its metrics.
func TestAudit(t *testing.T) {
	w := &workload.Workload{
		Metrics: []engine.MetricSpec{
			{Name: "whole", Unit: "s", Always: true, Parts: []string{"first", "second"}},
			{Name: "first", Unit: "s"}, {Name: "second", Unit: "s"}, {Name: "share", Unit: "1"},
		},
		Samples:  []engine.MetricSpec{{Name: "sample", Unit: "s", Always: true}},
		Accesses: true,
	}
	right := func() *counts {
		c := &counts{sums: []float64{6, 4, 2, -1, 3}, reports: []int64{2, 2, 2, 2, 2}}
		c.accesses[0] = 1
		return c
	}
	if wrong := right().audit(w, true, true); wrong != "" {
		t.Errorf("right values: %s", wrong)
	}
	for want, change := range map[string]func(c *counts){
		"no rank has reported whole":       func(c *counts) { c.reports[0] = 0 },
		"no rank has reported sample":      func(c *counts) { c.reports[4] = 0 },
		"share is NaN":                     func(c *counts) { c.sums[3] = math.NaN() },
		"first is +Inf":                    func(c *counts) { c.sums[1] = math.Inf(1) },
		"second is -1":                     func(c *counts) { c.sums[2] = -2 },
		"whole is 0":                       func(c *counts) { c.sums = []float64{0, 0, 0, 0, 3} },
		"whole is 3, but its parts add up": func(c *counts) { c.sums[1] = 3.9 },
		"no rank has recorded an access":   func(c *counts) { c.accesses[0] = 0 },
	} {
		c := right()
		change(c)
		if wrong := c.audit(w, true, true); !strings.HasPrefix(wrong, want) {
			t.Errorf("got %q, want %q", wrong, want)
		}
	}
	c := &counts{sums: make([]float64, 5), reports: []int64{2, 2, 2, 2, 0}}
	if wrong := c.audit(w, true, false); wrong != "" {
		t.Errorf("without messages, times may be 0: %s", wrong)
	}
}

// TestMeans checks the means of reports. The mean of a rate is the rate over all times: 10 in 1 s and 10 in
// 4 s are 4 per second.
func TestMeans(t *testing.T) {
	specs := []engine.MetricSpec{{Name: "time", Unit: "s"}, {Name: "rate", Unit: "1/s", Rate: true},
		{Name: "none", Unit: "1/s", Rate: true}, {Name: "nothing", Unit: "B/s", Rate: true}}
	c := &counts{sums: make([]float64, 4), reports: make([]int64, 4)}
	for _, took := range []float64{1, 4} {
		c.report(0, &specs[0], took)
		c.report(1, &specs[1], 10/took)
		c.report(3, &specs[3], 0)
	}
	for i, want := range []float64{2.5, 4, 0, 0} {
		if got, ok := c.mean(i, &specs[i]); got != want || ok != (i != 2) {
			t.Errorf("mean of %s: %v, %v, want %v", specs[i].Name, got, ok, want)
		}
	}
}
