package sim

import (
	"cmp"
	"math"
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/memory"
)

// rate is a number of bytes or operations per second; 0: no cost.
type rate uint64

func rateOf(perSecond float64) rate {
	if !(perSecond > 0) {
		return 0
	}
	return rate(math.Round(perSecond))
}

// times returns n times the rate; 0 stays 0.
func (r rate) times(n int) rate {
	if n > 1 && uint64(r) > math.MaxUint64/uint64(n) {
		return math.MaxUint64
	}
	return r * rate(n)
}

// time returns the time of n bytes, rounded once, to the nearest picosecond. It saturates at half
// of the maximum Time, so that overflowing sums are detected.
func (r rate) time(n int64) cluster.Time {
	if r == 0 || n <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(n), uint64(cluster.Second))
	lo, carry := bits.Add64(lo, uint64(r)/2, 0)
	hi += carry
	if hi >= uint64(r) {
		return math.MaxInt64 / 2
	}
	q, _ := bits.Div64(hi, lo, uint64(r))
	return cluster.Time(min(q, math.MaxInt64/2))
}

// way is the cost of one class of messages.
type way struct {
	l, o, g     cluster.Time
	bandwidth   rate         // of an adapter
	threadRate  rate         // of one thread; 0: no limit
	receiveRate rate         // of one thread's receives; 0: no limit
	access      cluster.Time // of a load or store; 0: no loads and stores
	accessRate  rate         // of a load or store beyond a cache line
	inline      int64        // longest inline message; -1: none
	inlineL     cluster.Time
	inlineO     cluster.Time
	inlineG     cluster.Time
	copy        rate // of a thread's copy of an eager message; 0: free
	pull        rate // of the receiver's copy of a rendezvous; 0: the sender sends it
	cached      int64
	uncached    rate // the same for more bytes than cached
	adapters    int

	lastN int64 // the cost of the last size
	lastT cluster.Time
}

func wayOf(l cluster.Link) way {
	w := way{receiveRate: rateOf(l.ReceiveRate), l: min(l.Latency, end), o: min(l.Overhead, end), g: min(l.Gap, end),
		bandwidth: rateOf(l.Bandwidth), threadRate: rateOf(l.ThreadRate), access: min(l.Access, end), adapters: l.Adapters,
		lastN: -1}
	w.copy = rateOf(l.EagerCopy)
	w.pull = rateOf(l.SingleCopy)
	w.inline = -1
	if l.Inline.Limit > 0 {
		w.inline = l.Inline.Limit
		w.inlineL = min(l.Inline.Latency, end)
		w.inlineO = min(l.Inline.Overhead, end)
		w.inlineG = min(cmp.Or(l.Inline.Gap, l.Gap), end)
	}
	w.cached, w.uncached = math.MaxInt64, w.pull
	if l.Uncached.Limit > 0 {
		w.cached, w.uncached = l.Uncached.Limit, rateOf(l.Uncached.Copy)
	}
	w.accessRate = w.bandwidth
	if l.AccessRate > 0 {
		w.accessRate = rateOf(l.AccessRate)
	}
	if w.adapters == 1 && w.threadRate >= w.bandwidth && w.receiveRate == 0 {
		w.threadRate = 0 // the adapter is not faster
	}
	return w
}

// overhead returns the CPU time of an eager message of n bytes at each end, without copies.
func (w *way) overhead(n int64) cluster.Time {
	if n <= w.inline {
		return w.inlineO
	}
	return w.o
}

// overheadConstant returns the field of overhead.
func (w *way) overheadConstant(n int64) Constant {
	if n <= w.inline {
		return ofInlineOverhead
	}
	return ofOverhead
}

// latencyConstant returns the field of latency.
func (w *way) latencyConstant(n int64) Constant {
	if n <= w.inline {
		return ofInlineLatency
	}
	return ofLatency
}

// pullTime returns the time of a receiver's copy of n bytes. uncopied is the number of bytes that
// the sender wrote since then and that are not copied yet.
func (w *way) pullTime(uncopied, n int64) cluster.Time {
	if uncopied > w.cached {
		return w.uncached.time(n)
	}
	return w.pull.time(n)
}

// latency returns the latency of an eager message of n bytes.
func (w *way) latency(n int64) cluster.Time {
	if n <= w.inline {
		return w.inlineL
	}
	return w.l
}

// movedByThreads reports whether the threads at both ends move the bytes of an eager message.
func (w *way) movedByThreads(n int64) bool { return n <= w.inline || w.copy > 0 }

// carry returns (n − 1)G, the time of the bytes after the first one.
func (w *way) carry(n int64) cluster.Time {
	if n != w.lastN {
		w.computeCarry(n)
	}
	return w.lastT
}

// computeCarry computes carry for another size than the last one.
//
//go:noinline
func (w *way) computeCarry(n int64) { w.lastN, w.lastT = n, w.bandwidth.time(n-1) }

// noise is a seeded source of relative errors. It uses only integers. The sum of twelve uniform
// numbers approximates a normal distribution.
type noise struct{ state uint64 }

func newNoise(seed, stream uint64) noise {
	return noise{state: seed*0x9e3779b97f4a7c15 + stream*0xbf58476d1ce4e5b9 + 1}
}

func (s *noise) next() uint64 { // splitmix64
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// jitter returns a normal error of t with a standard deviation of parts per 2¹⁶; at least −t.
func (s *noise) jitter(t cluster.Time, parts int64) cluster.Time {
	sum := int64(0)
	for range 3 {
		z := s.next()
		sum += int64(z&0xffff) + int64(z>>16&0xffff) + int64(z>>32&0xffff) + int64(z>>48)
	}
	sum -= 6 * 0xffff // standard deviation 2¹⁶
	neg := (sum < 0) != (t < 0)
	hi, lo := bits.Mul64(abs(int64(t)), abs(sum)*uint64(parts))
	d := cluster.Time(hi<<32 | lo>>32)
	if hi>>31 != 0 {
		d = math.MaxInt64 / 2
	}
	if neg {
		return max(-d, -t)
	}
	return d
}

func abs(x int64) uint64 {
	if x < 0 {
		return uint64(-x)
	}
	return uint64(x)
}

// partsOf converts a relative standard deviation to parts per 2¹⁶.
func partsOf(sd float64) int64 { return int64(math.Round(sd * 65536)) }

// shared returns a computing time on a node with more threads than cores: each thread gets its
// share of a core. It assumes that all ranks of the node have the same number of threads and cores
// per thread. A progress thread also uses a core.
func (r *rank) shared(dt cluster.Time, cores int) cluster.Time {
	w := r.w
	if w.cores == 0 {
		return dt
	}
	threads := int64(1)
	if r.region != nil {
		threads = int64(r.group.threads)
	}
	threads *= int64(cores)
	if w.progress == cluster.ProgressThread {
		threads++
	}
	threads *= w.ranksPerNode
	if threads <= w.cores {
		return dt
	}
	hi, lo := bits.Mul64(uint64(dt), uint64(threads))
	if hi >= uint64(w.cores) {
		return math.MaxInt64 / 2
	}
	q, _ := bits.Div64(hi, lo, uint64(w.cores))
	return cluster.Time(min(q, math.MaxInt64/2))
}

// server is a shared resource with a rate; 0: no limit.
type server struct {
	memory.Server[cluster.Time]
	rate rate
}

// serve starts pieces of n bytes at t that together take at least minTime, and returns their end.
func (s *server) serve(t, pieces cluster.Time, n int64, minTime cluster.Time) cluster.Time {
	if s.rate == 0 {
		return t + minTime
	}
	return s.Serve(t, pieces*s.rate.time(n), minTime)
}

// work is serve for a thread's computation, which may alternate with others.
func (s *server) work(t cluster.Time, n int64, minTime cluster.Time) cluster.Time {
	if s.rate == 0 {
		return t + minTime
	}
	return s.Work(t, s.rate.time(n), minTime)
}
