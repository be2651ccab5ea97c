package session

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/engine"
)

// runProbe runs a body with its probe on one rank, without observers.
func runProbe(t testing.TB, body func(p engine.Probe)) *run {
	t.Helper()
	o := Options{Fabrics: map[string]cluster.Fabric{"live": live.New()}}
	set, err := o.resolve(storyOf(t, "silent", "nodes", "1", "ranks-per-node", "1", "group", "1"), "")
	if err != nil {
		t.Fatal(err)
	}
	w := *set.workload
	w.Run = func(_ *cluster.Rank, p engine.Probe) error {
		body(p)
		return nil
	}
	set.workload = &w
	r, err := launch(t.Context(), set, newGate(Limits{}, false))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.handle.Wait(); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAccessDoesNotAllocate(t *testing.T) {
	runProbe(t, func(p engine.Probe) {
		flushes := 0
		if n := testing.AllocsPerRun(10000, func() {
			p.Access(0, 8, 12*cluster.Nanosecond)
			flushes++
			if flushes%100 == 0 {
				p.(*probe).run.requests.Add(1)
			}
		}); n != 0 {
			t.Errorf("an access allocates %g times", n)
		}
		if n := testing.AllocsPerRun(1000, func() {
			p.Report("iteration", 1)
			p.Verify(true, "checked")
		}); n != 0 {
			t.Errorf("a report and a check allocate %g times", n)
		}
		if n := testing.AllocsPerRun(1000, func() {
			p.Sample("span", 3e-6)
			p.Tally("turns", 1, 0, 1)
		}); n != 0 {
			t.Errorf("a sample and a count allocate %g times", n)
		}
		if n := testing.AllocsPerRun(1000, func() { p.Next() }); n != 0 {
			t.Errorf("an iteration allocates %g times", n)
		}
	})
}

func BenchmarkAccess(b *testing.B) {
	b.ReportAllocs()
	runProbe(b, func(p engine.Probe) {
		for b.Loop() {
			p.Access(0, 8, 12*cluster.Nanosecond)
		}
	})
}

func TestUndeclaredPanics(t *testing.T) {
	for want, call := range map[string]func(p engine.Probe){
		"session: workload story does not declare the metric speed": func(p engine.Probe) {
			p.Report("speed", 1)
		},
		"session: workload story does not declare the sample speed": func(p engine.Probe) {
			p.Sample("speed", 1)
		},
		"session: workload story does not declare the table speed": func(p engine.Probe) {
			p.Tally("speed", 0, 0, 1)
		},
		"session: workload story: sample span = -1: want a finite number ≥ 0": func(p engine.Probe) {
			p.Sample("span", -1)
		},
		"session: workload story: sample span = NaN: want a finite number ≥ 0": func(p engine.Probe) {
			p.Sample("span", math.NaN())
		},
		"session: workload story: sample span = +Inf: want a finite number ≥ 0": func(p engine.Probe) {
			p.Sample("span", math.Inf(1))
		},
		"session: workload story: table turns of 1 × 2 × 1 has no cell 0, 2, 0": func(p engine.Probe) {
			p.Tally("turns", 2, 0, 1)
		},
		"session: workload story: table turns of 1 × 2 × 1 has no cell 0, 0, -1": func(p engine.Probe) {
			p.Tally("turns", 0, -1, 1)
		},
	} {
		runProbe(t, func(p engine.Probe) {
			defer func() {
				if v := recover(); v != want {
					t.Errorf("panic %v, want %s", v, want)
				}
			}()
			call(p)
		})
	}
}

// Samples and tables include all ranks, and are exact in count and mean, on each fabric.
func TestSamplesAndTables(t *testing.T) {
	for _, fabric := range []string{"live", "sim"} {
		sc := storyOf(t, "sampled", "fabric", fabric, "machine", "demo", "nodes", "2", "ranks-per-node", "3", "group", "1")
		run := start(t, sc, Options{Limits: Limits{Iterations: 5}})
		if err := run.Wait(); err != nil {
			t.Fatal(err)
		}
		s := run.Load()
		if len(s.Samples) != 2 || s.Samples[0].Name != "number" || s.Samples[1].Name != "span" {
			t.Fatalf("%s: samples %+v", fabric, s.Samples)
		}
		number, span := s.Samples[0], s.Samples[1]
		if number.Count != 30 || number.Mean != 2.5 || number.Min != 0 || number.P50 < 1.99 || number.P50 > 2.01 ||
			number.Max < 4.98 || number.Max > 5.02 || number.Kind != s.Kind {
			t.Errorf("%s: got %+v, want the numbers 0 to 5, five times each", fabric, number)
		}
		if span.Count != 30 || math.Abs(span.Mean/3e-6-1) > 1e-12 || math.Abs(span.Max/5e-6-1) > 0.01 || span.Unit != "s" {
			t.Errorf("%s: spans of 1 to 5 µs are %+v", fabric, span)
		}
		if len(s.Tallies) != 3 || s.Tallies[0].At(0, 0) != 0 {
			t.Fatalf("%s: tables %+v", fabric, s.Tallies)
		}
		if l := s.Tally("layers"); l.In(0, 0, 0) != 0 || l.In(1, 0, 0) != 18 || l.In(2, 0, 0) != 12 || l.At(0, 0) != 30 ||
			l.Each != 1e-12 {
			t.Errorf("%s: of 30 counts 18 in even and 12 in odd iterations: %+v", fabric, l)
		}
		if len(s.Ranked) != 1 || s.Ranked[0].Name != "own" ||
			!slices.Equal(s.Ranked[0].Values, []float64{2, 12, 22, 32, 42, 52}) || s.Ranked[0].Value != 27 {
			t.Errorf("%s: by rank %+v", fabric, s.Ranked)
		}
		if p := s.Profile("squares"); len(s.Profiles) != 1 || p == nil || len(p.Values) != 17 || p.Kind != s.Kind {
			t.Errorf("%s: profiles %+v", fabric, s.Profiles)
		} else {
			for at, x := range p.Values { // 0, 1, 4, 9 and 16 were reported
				if want := at == 0 || at == 1 || at == 4 || at == 9 || at == 16; want != (x == 2.5) || want == math.IsNaN(x) {
					t.Errorf("%s: place %d: %v", fabric, at, x)
				}
			}
		}
		for rank := range 6 {
			if even, odd := s.Tallies[1].At(0, rank), s.Tallies[1].At(1, rank); even != 30 || odd != 20 {
				t.Errorf("%s: rank %d counted %d in even iterations and %d in odd ones, want 30 and 20", fabric, rank, even, odd)
			}
		}
	}
}

// The tables of a run are always those of complete iterations: while it runs, is paused or
// stepped, and at its end.
func TestTablesCoverCompleteIterations(t *testing.T) {
	const ranks = 6
	for _, fabric := range []string{"live", "sim"} {
		run := start(t,
			storyOf(t, "sampled", "fabric", fabric, "machine", "demo", "nodes", "2", "ranks-per-node", "3", "group", "1"),
			Options{Linger: true})
		seen := map[int]bool{}
		whole := func(s *engine.Snapshot) {
			if len(s.Tallies) == 0 {
				return
			}
			seen[s.Counted] = true
			even, odd := (s.Counted+1)/2, s.Counted/2
			for rank := range ranks {
				if a, b := s.Tallies[1].At(0, rank), s.Tallies[1].At(1, rank); a != int64(10*even) || b != int64(10*odd) {
					t.Errorf("%s, iteration %d: rank %d has counted %d and %d in %d iterations, want %d and %d", fabric, s.Iteration,
						rank, a, b, s.Counted, 10*even, 10*odd)
				}
			}
		}
		run.until("looks", func(s *engine.Snapshot) bool { whole(s); return len(seen) > 2 })
		run.do(engine.Pause)
		at := run.until("paused", func(s *engine.Snapshot) bool {
			whole(s)
			return s.Phase == engine.Paused && s.Counted == s.Iteration
		})
		run.do(engine.Step)
		run.until("a step", func(s *engine.Snapshot) bool { whole(s); return s.Counted > at.Counted })
		run.do(engine.Resume)
		run.until("more", func(s *engine.Snapshot) bool { whole(s); return s.Counted > at.Counted+1 })
		if err := run.Stop(); err != nil {
			t.Fatal(err)
		}
		whole(run.Load())
	}
}

// Batches lose none of many values and counts.
func TestManySamples(t *testing.T) {
	r := runProbe(t, func(p engine.Probe) {
		for i := range 10000 {
			p.Sample("span", float64(i)*1e-9)
			p.Tally("turns", i%2, 0, int64(i))
		}
	})
	f := r.frame()
	if n := f.histograms.series[cluster.Classes+1].TotalCount(); n != 10000 {
		t.Errorf("%d values, want 10000", n)
	}
	y := r.tables[1].withCounts(f.cells, engine.Measured)
	if y.At(0, 0) != 24995000 || y.At(1, 0) != 25000000 {
		t.Errorf("counts %v", y.Counts)
	}
}

func BenchmarkSample(b *testing.B) {
	b.ReportAllocs()
	runProbe(b, func(p engine.Probe) {
		for b.Loop() {
			p.Sample("span", 12e-9)
		}
	})
}

func BenchmarkTally(b *testing.B) {
	b.ReportAllocs()
	runProbe(b, func(p engine.Probe) {
		for b.Loop() {
			p.Tally("turns", 1, 0, 1)
		}
	})
}

// Counts that the session did not request are present when the body has ended.
func TestLastCounts(t *testing.T) {
	r := runProbe(t, func(p engine.Probe) {
		for range 1000 {
			p.Access(0, 8, 3*cluster.Microsecond)
		}
		p.Verify(false, "wrong")
	})
	c := r.frame()
	if n, sum := c.totalAccesses(); n != 1000 || sum != 3*cluster.Millisecond ||
		c.histograms.series[cluster.InRank].TotalCount() != 1000 {
		t.Errorf("%d accesses, total time %v", n, sum)
	}
	if c.checks != 1 || c.failures != 1 || c.detail != "wrong" {
		t.Errorf("checks %d, failures %d, %q", c.checks, c.failures, c.detail)
	}
}

// Quantiles agree with sorted values to two digits. The count and extremes agree, too.
func TestQuantilesAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(lowestLatency, int64(cluster.Second)), 1, 3000).Draw(t, "values")
		s := newShards(8, 0, 0)
		for i := 0; i < len(values); i += 100 {
			var b batch
			for _, v := range values[i:min(i+100, len(values))] {
				b.waiting[b.values] = packTime(cluster.Remote, cluster.Time(v))
				b.values++
			}
			s.record(i/100, &b)
			if rapid.Bool().Draw(t, "merge") {
				s.merge()
			}
		}
		sum := cluster.Time(0)
		for _, v := range values {
			sum += cluster.Time(v)
		}
		q := latencyQuantiles(s.merge().series[cluster.Remote], int64(len(values)), sum)
		slices.Sort(values)
		rank := func(p float64) float64 {
			return cluster.Time(values[max(int(math.Ceil(p*float64(len(values)))), 1)-1]).Seconds()
		}
		if q.Count != int64(len(values)) || q.Mean != sum.Seconds()/float64(len(values)) {
			t.Fatalf("count %d, mean %g", q.Count, q.Mean)
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"min", q.Min, rank(0)}, {"p50", q.P50, rank(0.5)}, {"p99", q.P99, rank(0.99)}, {"max", q.Max, rank(1)}} {
			if math.Abs(c.got-c.want) > 0.01*c.want+lowestLatency*1e-12 {
				t.Fatalf("%s is %g, want %g of %d values", c.name, c.got, c.want, len(values))
			}
		}
		n := int64(0)
		for i, b := range q.Buckets {
			n += b.Count
			if b.Count == 0 || i > 0 && b.Upper <= q.Buckets[i-1].Upper {
				t.Fatalf("buckets %v do not rise, or are empty", q.Buckets)
			}
		}
		if n != q.Count || q.Buckets[len(q.Buckets)-1].Upper < rank(1)*0.99 {
			t.Fatalf("buckets hold %d of %d", n, q.Count)
		}
	})
}

// Buckets of a sample are as narrow as its resolution, one hundredth, and include gaps. They are
// twice as wide if there would be too many.
func TestBucketsOfSamplesAreNarrow(t *testing.T) {
	for _, c := range []struct {
		what          string
		from, by      float64
		n             int
		filled, finer int // filled buckets, and the minimum number per decade
	}{{"a few values near each other", 400e-6, 1.01, 20, 20, 250}, {"one", 1e-3, 1, 50, 1, 250},
		{"a decade", 1e-5, 1.0023, 1000, 100, 60}, {"nine decades", 1e-8, 1.021, 1000, 100, 5}} {
		h := newHistograms(1).series[cluster.Classes]
		x, least := c.from, math.Inf(1)
		for range c.n {
			if err := h.RecordValue(int64(x * stepsOf("s"))); err != nil {
				t.Fatal(err)
			}
			least, x = min(least, x), x*c.by
		}
		q := sampleQuantiles(h, 0, stepsOf("s"))
		n := int64(0)
		filled := 0
		lower := q.Min
		for _, b := range q.Buckets {
			if b.Upper <= lower {
				t.Fatalf("%s: bucket up to %v after one up to %v", c.what, b.Upper, lower)
			}
			if b.Count > 0 {
				filled++
				if wide := math.Log10(b.Upper / lower); wide > 1/float64(c.finer) {
					t.Errorf("%s: a bucket from %v to %v", c.what, lower, b.Upper)
				}
			}
			n, lower = n+b.Count, b.Upper
		}
		if n != int64(c.n) || filled > maxBuckets || filled < min(c.filled, maxBuckets/2) || q.Min > least ||
			q.Buckets[len(q.Buckets)-1].Upper < q.Max*0.9999 {
			t.Errorf("%s: %d values in %d buckets from %v to %v", c.what, n, filled, q.Min, q.Buckets[len(q.Buckets)-1].Upper)
		}
	}
}

func TestLatenciesBeyondTheScaleAreClamped(t *testing.T) {
	s := newShards(1, 0, 0)
	s.record(0,
		&batch{values: 2, waiting: [256]pending{packTime(cluster.InNode, 0), packTime(cluster.InNode, math.MaxInt64)}})
	q := latencyQuantiles(s.merge().series[cluster.InNode], 2, 2000*cluster.Second)
	if q.Count != 2 || q.Min != 0 || math.Abs(q.Max-1000) > 10 {
		t.Errorf("%+v", q)
	}
	if q := latencyQuantiles(s.total.series[cluster.Remote], 0, 0); q.Count != 0 || q.Buckets != nil {
		t.Errorf("no accesses: %+v", q)
	}
}

func TestGate(t *testing.T) {
	g := newGate(Limits{}, false)
	expect := func(what string, done int, want verdict) {
		t.Helper()
		if got := g.ask(done, 0); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	expect("open", 0, proceed)
	g.step() // in a running session, the current iteration is the step
	expect("stepped", 1, hold)
	g.step()
	g.step()
	expect("first step", 1, proceed)
	expect("second step", 2, proceed)
	expect("no step left", 3, hold)
	g.resume()
	expect("resumed", 3, proceed)
	g.pause()
	expect("paused", 4, hold)
	g.close()
	g.wait() // does not block
	expect("closed", 4, end)
	g.reopen()
	expect("a new run of a paused session", 0, hold)
	g.resume()
	g.expire()
	expect("expired before the first iteration", 0, proceed)
	expect("expired", 1, end)
	g = newGate(Limits{Iterations: 2}, false)
	expect("below the limit", 1, proceed)
	expect("at the limit", 2, end)

	at := func(what string, done int, now cluster.Time, want verdict) {
		t.Helper()
		if got := g.ask(done, now); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	g = newGate(Limits{Until: 100}, false)
	at("late, but the first", 0, 100, proceed)
	at("before its time", 1, 99, proceed)
	at("at its time", 1, 100, end)
	g = newGate(Limits{Until: 100}, true)
	at("a lingering session, before", 1, 99, proceed)
	at("a lingering session pauses", 2, 100, hold)
	g.resume()
	at("and goes on beyond", 2, 200, proceed)
}
