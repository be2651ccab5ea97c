package session

import (
	"math"
	"runtime"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// Latencies are kept in picoseconds from 64 ps to 1000 s with two significant
// digits.
const (
	lowestLatency  = 64
	highestLatency = int64(1000 * cluster.Second)
	latencyDigits  = 2
)

func newHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(lowestLatency, highestLatency, latencyDigits)
}

type histograms [cluster.Classes]*hdrhistogram.Histogram

func newHistograms() *histograms {
	var h histograms
	for c := range h {
		h[c] = newHistogram()
	}
	return &h
}

// shards are the histograms that ranks record into. Any shard will do for any
// rank, because in the end they are added up: a rank that finds one taken tries
// the next.
type shards struct {
	part  []shard
	total *histograms // by the session alone
	spare *histograms // empty, to be swapped for a shard's
}

type shard struct {
	mu    sync.Mutex
	h     *histograms
	fresh bool     // something was recorded since the last merge
	_     [64]byte // shards of two ranks share no cache line
}

func newShards(ranks int) *shards {
	s := &shards{part: make([]shard, min(ranks, 2*runtime.GOMAXPROCS(0))), total: newHistograms(), spare: newHistograms()}
	for i := range s.part {
		s.part[i].h = newHistograms()
	}
	return s
}

// pending is an access that is not recorded yet: picoseconds, and the class in
// the low two bits.
type pending int64

func pack(c cluster.Class, t cluster.Time) pending {
	return pending(min(int64(t), highestLatency)<<2 | int64(c))
}

func (s *shards) record(rank int, values []pending) {
	part := s.free(rank)
	defer part.mu.Unlock()
	part.fresh = true
	for _, v := range values {
		if err := part.h[v&3].RecordValue(int64(v >> 2)); err != nil {
			panic(err) // pack keeps values in range
		}
	}
}

// free locks a shard.
func (s *shards) free(rank int) *shard {
	n := len(s.part)
	for i := range n {
		if p := &s.part[(rank+i)%n]; p.mu.TryLock() {
			return p
		}
	}
	p := &s.part[rank%n]
	p.mu.Lock()
	return p
}

// merge adds what was recorded to the total.
func (s *shards) merge() *histograms {
	for i := range s.part {
		p := &s.part[i]
		p.mu.Lock()
		if !p.fresh {
			p.mu.Unlock()
			continue
		}
		full := p.h
		p.h, p.fresh = s.spare, false
		p.mu.Unlock()
		for c := range full {
			if full[c].TotalCount() > 0 {
				s.total[c].Merge(full[c])
				full[c].Reset()
			}
		}
		s.spare = full
	}
	return s.total
}

// bucketsPerDecade is how finely a distribution is drawn.
const bucketsPerDecade = 16

// quantiles summarizes a class; the mean is exact, the rest is to two digits.
func quantiles(h *hdrhistogram.Histogram, count int64, sum cluster.Time) engine.Quantiles {
	n := h.TotalCount()
	if n == 0 || count == 0 {
		return engine.Quantiles{}
	}
	at := h.ValueAtPercentilesSlice([]float64{50, 99})
	q := engine.Quantiles{
		Count: n,
		Mean:  sum.Seconds() / float64(count),
		Min:   cluster.Time(h.Min()).Seconds(),
		P50:   cluster.Time(at[0]).Seconds(),
		P99:   cluster.Time(at[1]).Seconds(),
		Max:   cluster.Time(h.Max()).Seconds(),
	}
	last := math.MinInt
	for _, bar := range h.Distribution() {
		if bar.Count == 0 {
			continue
		}
		step := int(math.Ceil(math.Log10(float64(max(bar.To, 1))) * bucketsPerDecade))
		if step != last {
			upper := math.Pow(10, float64(step)/bucketsPerDecade)
			q.Buckets = append(q.Buckets, engine.Bucket{Upper: upper / float64(cluster.Second)})
			last = step
		}
		q.Buckets[len(q.Buckets)-1].Count += bar.Count
	}
	return q
}
