package session

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Latencies are kept in picoseconds from 64 ps to 1000 s with two significant
// digits.
const (
	lowestLatency  = 64
	highestLatency = int64(1000 * cluster.Second)
	digits         = 2
)

// Samples are kept in whole steps up to a highest value: times in picoseconds, shares
// and ratios in millionths, other numbers as whole ones.
const highestSample = 1 << 52

// stepsOf is how many steps a unit has.
func stepsOf(unit string) float64 {
	switch unit {
	case "s":
		return float64(cluster.Second)
	case "1":
		return 1e6
	}
	return 1
}

// latencyQuantiles summarizes the accesses of a class; no count: none were recorded.
func latencyQuantiles(h *hdrhistogram.Histogram, count int64, sum cluster.Time) engine.Quantiles {
	if count == 0 {
		return engine.Quantiles{}
	}
	return quantiles(h, sum.Seconds()/float64(count), float64(cluster.Second))
}

// quantiles summarizes a distribution of which a unit is so many steps; the mean is
// exact, the rest is to two digits.
func quantiles(h *hdrhistogram.Histogram, mean, steps float64) engine.Quantiles {
	n := h.TotalCount()
	if n == 0 {
		return engine.Quantiles{}
	}
	at := h.ValueAtPercentilesSlice([]float64{50, 99})
	value := func(v int64) float64 { return float64(v) / steps }
	q := engine.Quantiles{Count: n, Mean: mean, Min: value(h.Min()), P50: value(at[0]), P99: value(at[1]), Max: value(h.Max())}
	last := math.MinInt
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		step := int(math.Ceil(math.Log10(float64(max(bar.To, 1))) * engine.BucketsPerDecade))
		if step != last {
			upper := math.Pow(10, float64(step)/engine.BucketsPerDecade)
			q.Buckets = append(q.Buckets, engine.Bucket{Upper: upper / steps})
			last = step
		}
		q.Buckets[len(q.Buckets)-1].Count += bar.Count
	}
	return q
}
