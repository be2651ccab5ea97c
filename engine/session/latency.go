package session

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Latencies are recorded in picoseconds, from 64 ps to 1000 s, with two significant digits.
const (
	lowestLatency  = 64
	highestLatency = int64(1000 * cluster.Second)
	digits         = 2
)

// Samples are recorded as whole steps up to highestSample: times in picoseconds, shares and ratios
// in millionths, other values as integers.
const highestSample = 1 << 52

// stepsOf returns the number of steps per unit.
func stepsOf(unit string) float64 {
	switch unit {
	case "s":
		return float64(cluster.Second)
	case "1":
		return 1e6
	}
	return 1
}

// latencyQuantiles summarizes the accesses of a class. A count of 0 yields the zero Quantiles.
func latencyQuantiles(h *hdrhistogram.Histogram, count int64, sum cluster.Time) engine.Quantiles {
	if count == 0 {
		return engine.Quantiles{}
	}
	q := quantiles(h, sum.Seconds()/float64(count), float64(cluster.Second))
	q.Buckets = decadeBuckets(h, float64(cluster.Second))
	return q
}

// sampleQuantiles summarizes a declared sample.
func sampleQuantiles(h *hdrhistogram.Histogram, mean, steps float64) engine.Quantiles {
	q := quantiles(h, mean, steps)
	q.Buckets = narrowBuckets(h.Distribution(), steps)
	return q
}

// quantiles returns the numbers of a distribution; steps is the number of steps per unit. The mean
// is exact, the other values have two significant digits.
func quantiles(h *hdrhistogram.Histogram, mean, steps float64) engine.Quantiles {
	n := h.TotalCount()
	if n == 0 {
		return engine.Quantiles{}
	}
	at := h.ValueAtPercentilesSlice([]float64{50, 99})
	value := func(v int64) float64 { return float64(v) / steps }
	return engine.Quantiles{Count: n, Mean: mean, Min: value(h.Min()), P50: value(at[0]), P99: value(at[1]),
		Max: value(h.Max())}
}

// decadeBuckets returns buckets that divide each decade equally.
func decadeBuckets(h *hdrhistogram.Histogram, steps float64) (all []engine.Bucket) {
	last := math.MinInt
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		step := int(math.Ceil(math.Log10(float64(max(bar.To, 1))) * engine.BucketsPerDecade))
		if step != last {
			upper := math.Pow(10, float64(step)/engine.BucketsPerDecade)
			all = append(all, engine.Bucket{Upper: upper / steps})
			last = step
		}
		all[len(all)-1].Count += bar.Count
	}
	return all
}

// maxBuckets is the maximum number of filled buckets of a sample. A wider sample gets buckets of
// twice the width.
const maxBuckets = 128

// narrowBuckets returns the buckets of the histogram itself, the narrowest that distinguish values.
// If there are too many, it merges 2, 4, … of them into one.
func narrowBuckets(bars []hdrhistogram.Bar, steps float64) (all []engine.Bucket) {
	for merged := int64(1); ; merged *= 2 {
		all = all[:0]
		last, filled := int64(-1), 0
		for _, bar := range bars {
			if bar.Count == 0 {
				continue
			}
			wide := (bar.To - bar.From + 1) * merged
			from := bar.From / wide * wide
			if to := from + wide - 1; to != last {
				if last >= 0 && from > last+1 { // an empty gap
					all = append(all, engine.Bucket{Upper: float64(from-1) / steps})
				}
				all = append(all, engine.Bucket{Upper: float64(to) / steps})
				last = to
				filled++
			}
			all[len(all)-1].Count += bar.Count
		}
		if filled <= maxBuckets || merged == maxBuckets {
			return all
		}
	}
}
