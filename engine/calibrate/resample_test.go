package calibrate

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// host is a host whose trials take the truth's times, with jitter in either direction per batch. In
// a share of its rounds another program runs: each batch then takes longer by a different time.
type host struct {
	truth
	jitter, busy float64
	seed         uint64
}

// turns returns rounds of every trial, with three batches each.
func (h host) turns(rounds int, eager int64) [][][]float64 {
	rng := rand.New(rand.NewPCG(h.seed, 7))
	times := h.times(0, 0, eager)
	all := make([][][]float64, len(times))
	for range rounds {
		busy := rng.Float64() < h.busy
		for i, t := range times {
			turn := make([]float64, 3)
			for k := range turn {
				turn[k] = t.Seconds * (1 + h.jitter*rng.NormFloat64())
				if busy {
					turn[k] += t.Seconds * 3 * rng.ExpFloat64()
				}
			}
			all[i] = append(all[i], turn)
		}
	}
	return all
}

// calibrated fits such a host, or returns an error.
func (h host) calibrated(t *testing.T, rounds int) (*Model, error) {
	t.Helper()
	base := preset(t, "this-host")
	turns := h.turns(rounds, base.EagerLimit)
	if err := checkHost(turns); err != nil {
		return nil, err
	}
	times := h.times(0, 0, base.EagerLimit)
	fit := func(seconds []float64) (*Model, error) {
		ts := slices.Clone(times)
		for i := range ts {
			ts[i].Seconds = seconds[i]
		}
		return Fit(ts, base, "calibrated", 2)
	}
	settled := make([]float64, len(turns))
	for i := range turns {
		settled[i], _ = estimate(slices.Concat(turns[i]...))
	}
	m, err := fit(settled)
	if err != nil {
		return nil, err
	}
	again, err := resample(turns, nil, rounds, fit)
	if err != nil {
		return nil, err
	}
	again.ranges(m)
	return m, nil
}

// A quiet host's numbers have narrow ranges. A busy host's ranges are wider, or the fit returns an
// error. In both cases the ranges contain the true numbers, except for the few that 95 of 100 miss.
func TestBusyHostsWidenRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("half a minute under the race detector")
	}
	want := plain.numbers()
	for _, busy := range []float64{0, .3, .6, .8, .95} {
		inside := 0
		numbers := 0
		refused := 0
		var widths []float64
		const seeds = 4
		for seed := range uint64(seeds) {
			m, err := host{plain, .03, busy, seed}.calibrated(t, 16)
			if err != nil {
				if !errors.Is(err, ErrBusy) && !errors.Is(err, ErrFit) {
					t.Fatal(err)
				}
				refused++
				continue
			}
			for _, n := range m.Numbers {
				v, fitted := want[n.Key]
				if !fitted {
					continue
				}
				numbers++
				if n.Low <= v*1.01 && n.High >= v*.99 {
					inside++
				}
				if n.Low > n.Value || n.High < n.Value {
					t.Errorf("seed %d, %s: %g is not from %g to %g", seed, n.Key, n.Value, n.Low, n.High)
				}
				widths = append(widths, n.Width())
			}
		}
		t.Logf("busy %g: %d of %d numbers inside, %d of %d refused, median width %.3g", busy, inside, numbers, refused,
			seeds, median(widths))
		if float64(inside) < .9*float64(numbers) {
			t.Errorf("busy in %g of its rounds: %d of %d numbers are inside their ranges", busy, inside, numbers)
		}
		if busy == 0 && (refused > 0 || median(widths) > .1) {
			t.Errorf("quiet: %d refused, median width %g", refused, median(widths))
		}
		if busy > .9 && refused < seeds {
			t.Errorf("busy in %g of its rounds: %d of %d refused", busy, refused, seeds)
		}
	}
}

// The quiet third is not biased: with noise in both directions its median is the true time, while
// the fastest third is below it.
func TestQuietTimeIsNotBiased(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	sum := 0.0
	const tries = 200
	for range tries {
		batches := make([]float64, 180)
		for i := range batches {
			batches[i] = 1 + .1*rng.NormFloat64()
			if i%2 == 0 {
				batches[i] += rng.ExpFloat64()
			}
		}
		quiet, _ := estimate(batches)
		sum += quiet
	}
	if mean := sum / tries; math.Abs(mean-1) > .04 {
		t.Errorf("half of the batches disturbed: the mean quiet time is %.3g, want 1", mean)
	}
}

// The fit separates the overhead and the gap, for either order of size.
func TestOverheadAndGap(t *testing.T) {
	base := preset(t, "this-host")
	for _, c := range []struct{ o, g, fitted float64 }{
		{30e-9, 65e-9, 65e-9},
		{65e-9, 30e-9, 65e-9}, // a flood cannot show a gap below the overhead
	} {
		h := plain
		h.shortO, h.g = c.o, c.g
		m, err := Fit(h.times(0, 1, base.EagerLimit), base, "calibrated", 2)
		if err != nil {
			t.Fatal(err)
		}
		l := m.Machine.Classes[cluster.InNode]
		if math.Abs(l.Inline.Overhead.Seconds()/c.o-1) > .01 || math.Abs(l.Inline.Gap.Seconds()/c.fitted-1) > .05 {
			t.Errorf("o %g, g %g: fitted %v and %v", c.o, c.g, l.Inline.Overhead, l.Inline.Gap)
		}
	}
}

// A check with an uncertain live time does not judge a prediction.
func TestJudge(t *testing.T) {
	check := func(live, simulated, width float64) Check {
		c := newCheck("p", "x", live, simulated, 0)
		c.LiveRange = Range{live * (1 - width/2), live * (1 + width/2)}
		return c
	}
	for _, c := range []struct {
		name   string
		checks []Check
		want   Judged
		pass   bool
	}{
		{"near enough", []Check{check(1, 1.05, .1), check(1, .7, .1), check(1, 1.02, .1)},
			Judged{Median: .05, Worst: .3, Noisy: 0, Checks: 3}, true},
		{"a noisy one is left out", []Check{check(1, 1.05, .1), check(1, 9, .3), check(1, 1.02, .1), check(1, 1, .1)},
			Judged{Median: .02, Worst: .05, Noisy: 1, Checks: 4}, true},
		{"too many noisy ones", []Check{check(1, 1, .1), check(1, 1, .3)}, Judged{Median: 0, Worst: 0, Noisy: 1, Checks: 2},
			false},
		{"one far off", []Check{check(1, 1, .1), check(1, 1, .1), check(1, 1.4, .1)},
			Judged{Median: 0, Worst: .4, Noisy: 0, Checks: 3}, false},
		{"all noisy", []Check{check(1, 1, .3)}, Judged{Median: math.NaN(), Worst: math.NaN(), Noisy: 1, Checks: 1}, false},
	} {
		got := Judge(c.checks)
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }
		if !near(got.Median, c.want.Median) || !near(got.Worst, c.want.Worst) || got.Noisy != c.want.Noisy ||
			got.Checks != c.want.Checks || got.Pass() != c.pass {
			t.Errorf("%s: %+v, pass %v", c.name, got, got.Pass())
		}
	}
}
