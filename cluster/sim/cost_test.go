package sim

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

// anyInt draws integers of all magnitudes.
func anyInt(t *rapid.T, name string) int64 {
	return int64(rapid.Uint64().Draw(t, name) >> rapid.IntRange(1, 63).Draw(t, name+": shift"))
}

// n bytes at a rate take n × 10¹² / rate ps, rounded to the nearest, halves up. Larger values
// saturate.
func TestRateTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, n := rate(anyInt(t, "rate")), anyInt(t, "bytes")
		got := r.time(n)
		if r == 0 || n == 0 {
			if got != 0 {
				t.Fatalf("%d bytes at %d B/s: %d ps, want none", n, r, got)
			}
			return
		}
		x := new(big.Int).Mul(big.NewInt(n), big.NewInt(int64(cluster.Second)))
		x.Add(x, new(big.Int).SetUint64(uint64(r)/2))
		x.Quo(x, new(big.Int).SetUint64(uint64(r)))
		want := int64(math.MaxInt64 / 2)
		if x.IsInt64() {
			want = min(want, x.Int64())
		}
		if int64(got) != want {
			t.Fatalf("%d bytes at %d B/s: %d ps, want %d", n, r, got, want)
		}
	})
}

// Zero and negative sizes cost nothing: an empty message has n − 1 = −1.
func TestRateTimeOfNothing(t *testing.T) {
	for _, n := range []int64{0, -1, math.MinInt64} {
		if got := rate(1).time(n); got != 0 {
			t.Errorf("%d bytes take %d ps", n, got)
		}
	}
}

// Rates of a machine file become integers; an invalid rate costs nothing.
func TestRateOf(t *testing.T) {
	for _, c := range []struct {
		in   float64
		want rate
	}{{0, 0}, {-1, 0}, {math.NaN(), 0}, {0.4, 0}, {1.5, 2}, {4e9, 4e9}, {1e18, 1e18}} {
		if got := rateOf(c.in); got != c.want {
			t.Errorf("%g a second: %d, want %d", c.in, got, c.want)
		}
	}
}

// The last size is remembered, and does not change the result.
func TestCarry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := wayOf(cluster.Link{Bandwidth: 3.7e9})
		for range 10 {
			n := rapid.Int64Range(0, 3).Draw(t, "bytes")
			if got, want := w.carry(n), w.bandwidth.time(n-1); got != want {
				t.Fatalf("%d bytes: %d ps, want %d", n, got, want)
			}
		}
	})
}

// Jitter is a normal error with mean 0 and the requested deviation, and at least −t. The seed is
// fixed, so the sample is always the same.
func TestNoiseMoments(t *testing.T) {
	const samples, span = 100_000, cluster.Millisecond
	for _, sd := range []float64{0.01, 0.05, 0.2} {
		s := newNoise(7, 3)
		var sum, squares float64
		for range samples {
			x := float64(s.jitter(span, partsOf(sd))) / float64(span)
			if x < -1 {
				t.Fatalf("sd %g: an error of %g of the time itself", sd, x)
			}
			sum += x
			squares += x * x
		}
		mean := sum / samples
		got := math.Sqrt(squares/samples - mean*mean)
		if bound := 4 * sd / math.Sqrt(samples); math.Abs(mean) > bound {
			t.Errorf("sd %g: mean %g, want within %g of 0", sd, mean, bound)
		}
		if math.Abs(got/sd-1) > 0.01 {
			t.Errorf("sd %g: deviation %g", sd, got)
		}
	}
}

// Jitter is exact at its ends.
func TestNoiseBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newNoise(rapid.Uint64().Draw(t, "seed"), 0)
		span := cluster.Time(anyInt(t, "span"))
		x := s.jitter(span, partsOf(rapid.Float64Range(0, 10).Draw(t, "sd")))
		if x < -span {
			t.Fatalf("%d ps of error on %d ps", x, span)
		}
	})
	s := newNoise(1, 1)
	if x := s.jitter(cluster.Second, 0); x != 0 {
		t.Errorf("no noise gives %d ps", x)
	}
	if a, b := newNoise(1, 1), newNoise(1, 2); a.next() == b.next() {
		t.Errorf("two ranks have the same noise")
	}
}

// Work on a server takes at least its own time, and all work together at least the server's time.
func TestServer(t *testing.T) {
	s := server{rate: rate(1e12)} // one byte per ps
	for _, c := range []struct{ at, minTime, want cluster.Time }{
		{0, 30, 30},    // its own time
		{0, 30, 30},    // the server has done 20 by then
		{0, 5, 30},     // three times ten
		{0, 5, 40},     // and four
		{100, 5, 110},  // the server was idle
		{100, 50, 150}, // its own time again
	} {
		if got := s.serve(c.at, 1, 10, c.minTime); got != c.want {
			t.Errorf("at %d for %d: done at %d, want %d", c.at, c.minTime, got, c.want)
		}
	}
	free := server{}
	if got := free.serve(7, 1, 1<<40, 3); got != 10 {
		t.Errorf("server without a rate: ends at %d", got)
	}
}
