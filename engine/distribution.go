package engine

// Quantiles summarizes a distribution: the latencies of a locality class, in seconds,
// or a sample in its own unit.
type Quantiles struct {
	Count              int64
	Mean               float64
	Min, P50, P99, Max float64
	// Buckets are counts by ascending upper bound, for drawing. The buckets of a sample are as
	// narrow as the resolution of its values. Each begins at the end of the previous one, the
	// first at Min. Gaps between values have empty buckets.
	Buckets []Bucket
}

// BucketsPerDecade is the resolution of latencies for drawing. Empty buckets are left out. A
// bucket therefore begins at the end of the previous one, or a sixteenth of a decade below its
// bound, whichever is nearer.
const BucketsPerDecade = 16

// A Bucket counts the values up to its bound.
type Bucket struct {
	Upper float64 `json:"upper"`
	Count int64   `json:"count"`
}

// A Distribution holds the values of a declared sample, of all ranks since the launch.
type Distribution struct {
	Name string
	Unit string
	Kind Kind
	Quantiles
}
