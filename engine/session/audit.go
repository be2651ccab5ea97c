package session

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// audit describes the first declared metric or sample with an impossible value in the counts of a complete run, or
// returns "". A program can be correct and report wrong numbers. virtual reports whether the clock is virtual:
// on other clocks a short time may be 0. Without messages, also a virtual time may be 0.
func (c *counts) audit(w *workload.Workload, virtual, messages bool) string {
	mean := map[string]float64{}
	reported := slices.Concat(w.Metrics, w.Samples)
	for i := range reported {
		m := &reported[i]
		x, ok := c.mean(i, m)
		if !ok {
			if m.Always && messages {
				return fmt.Sprintf("no rank has reported %s", m.Name)
			}
			continue
		}
		mean[m.Name] = x
		switch {
		case math.IsNaN(x) || math.IsInf(x, 0):
			return fmt.Sprintf("%s is %g: want a finite number", m.Name, x)
		case x < 0 && m.Unit != "1", x == 0 && m.Always && virtual && messages && m.Unit != "B/s":
			return fmt.Sprintf("%s is %g: want a number above 0", m.Name, x)
		}
	}
	for i := range w.Metrics {
		m := &w.Metrics[i]
		if len(m.Parts) == 0 || !virtual {
			continue
		}
		sum, known := 0.0, true
		for _, part := range m.Parts {
			x, found := mean[part]
			sum, known = sum+x, known && found
		}
		if x, found := mean[m.Name]; found && known && !(math.Abs(x-sum) <= partTolerance*x) {
			return fmt.Sprintf("%s is %g, but its parts add up to %g", m.Name, x, sum)
		}
	}
	if n, _ := c.totalAccesses(); w.Accesses && messages && n == 0 {
		return "no rank has recorded an access"
	}
	return ""
}

// partTolerance is the relative rounding error of a sum of parts.
const partTolerance = 1e-9

// checkElapsed makes the verification fail if a reported time is longer than the iteration so far. Only a
// virtual clock can be read without an effect on the run.
func (p *probe) checkElapsed(m *engine.MetricSpec, value float64) {
	if p.clocked == nil || m.Unit != "s" || m.Total || p.iteration < 0 {
		return
	}
	if elapsed := (p.now() - p.started).Seconds(); value > elapsed*(1+partTolerance) {
		p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s is %g s, but the iteration has taken only %g s", p.rank.ID(),
			p.iteration, m.Name, value, elapsed))
	}
}
