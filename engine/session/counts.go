package session

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// counts holds the counts of a probe since the launch.
type counts struct {
	accesses [cluster.Classes]int64
	time     [cluster.Classes]cluster.Time // time of the accesses
	sums     []float64                     // by declared metric, then samples and profiles: reported values; of a rate 1 / value
	reports  []int64
	checks   int64
	failures int64
	checksum uint64 // sum of the parts of all ranks
	detail   string // first failure, or else the first check
}

// report adds a reported value of metric i.
func (c *counts) report(i int, m *engine.MetricSpec, value float64) {
	if m.Rate {
		value = 1 / value
	}
	c.sums[i] += value
	c.reports[i]++
}

// mean returns the mean of the reported values of metric or sample i. It reports false if there are none.
func (c *counts) mean(i int, m *engine.MetricSpec) (float64, bool) {
	if i >= len(c.reports) || c.reports[i] == 0 {
		return 0, false
	}
	x := c.sums[i] / float64(c.reports[i])
	if m.Rate {
		x = 1 / x
	}
	return x, true
}

// copy copies o into c, reusing c's slices.
func (c *counts) copy(o *counts) {
	sums, reports := append(c.sums[:0], o.sums...), append(c.reports[:0], o.reports...)
	*c = *o
	c.sums, c.reports = sums, reports
}

// add adds the counts of o.
func (c *counts) add(o *counts) {
	for i := range cluster.Classes {
		c.accesses[i] += o.accesses[i]
		c.time[i] += o.time[i]
	}
	for i := range o.sums {
		c.sums[i] += o.sums[i]
		c.reports[i] += o.reports[i]
	}
	if c.checks == 0 || o.failures > 0 && c.failures == 0 {
		c.detail = o.detail
	}
	c.checks += o.checks
	c.failures += o.failures
	c.checksum += o.checksum
}

// byClass returns the recorded accesses by class.
func (c *counts) byClass() (all [cluster.Classes]engine.Accesses) {
	for i := range all {
		all[i] = engine.Accesses{Count: c.accesses[i], Time: c.time[i]}
	}
	return all
}

// totalAccesses returns the number of recorded accesses and their total time.
func (c *counts) totalAccesses() (n int64, sum cluster.Time) {
	for i := range cluster.Classes {
		n += c.accesses[i]
		sum += c.time[i]
	}
	return n, sum
}
