package session

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// counts is what a probe has counted since the launch.
type counts struct {
	accesses [cluster.Classes]int64
	time     [cluster.Classes]cluster.Time // of the accesses
	sums     []float64                     // of reported values, by declared metric, and of samples behind them
	reports  []int64
	checks   int64
	failures int64
	detail   string // the first failure, or the first check
}

// copy takes over o's counts into its own slices.
func (c *counts) copy(o *counts) {
	sums, reports := append(c.sums[:0], o.sums...), append(c.reports[:0], o.reports...)
	*c = *o
	c.sums, c.reports = sums, reports
}

// add adds the counts of others.
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
}

// taken are the accesses that were recorded, by class.
func (c *counts) taken() (all [cluster.Classes]engine.Accesses) {
	for i := range all {
		all[i] = engine.Accesses{Count: c.accesses[i], Time: c.time[i]}
	}
	return all
}

// accessed is how many accesses were recorded, and their time.
func (c *counts) accessed() (n int64, sum cluster.Time) {
	for i := range cluster.Classes {
		n += c.accesses[i]
		sum += c.time[i]
	}
	return n, sum
}
