package engine

// Quantiles summarizes a distribution: the latencies of a locality class, in seconds,
// or a sample in its own unit.
type Quantiles struct {
	Count              int64
	Mean               float64
	Min, P50, P99, Max float64
	// Buckets are counts by upper bound, rising, for drawing. Those of a sample are as
	// narrow as its values are told apart: each begins where the one before ends, an empty
	// one where nothing lies between, and the first at Min.
	Buckets []Bucket
}

// BucketsPerDecade is how finely latencies are kept for drawing. Empty buckets are left out,
// so a bucket begins where the one before ends or a sixteenth of a decade below its bound,
// whichever is nearer.
const BucketsPerDecade = 16

// Bucket counts the values up to its bound.
type Bucket struct {
	Upper float64 `json:"upper"`
	Count int64   `json:"count"`
}

// Distribution is what a declared sample came to, of all ranks since the launch.
type Distribution struct {
	Name string
	Unit string
	Kind Kind
	Quantiles
}
