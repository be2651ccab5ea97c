package models_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/models"
)

func epsilon(t rapid.TB, m float64, n int, comm, nonOverlap float64) models.Prediction {
	t.Helper()
	f, err := models.Split(comm, nonOverlap)
	if err != nil {
		t.Fatal(err)
	}
	p, err := models.Epsilon(models.Reserved{M: m, N: n}, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func limits(t rapid.TB, m float64, n int, nonOverlap float64) models.Limits {
	t.Helper()
	l, err := models.LimitsOf(models.Reserved{M: m, N: n}, nonOverlap)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// near checks that got equals want within digit, the precision that a paper prints.
func near(t rapid.TB, what string, got, want, digit float64) {
	t.Helper()
	if !(math.Abs(got-want) <= digit/2) {
		t.Errorf("%s is %v, published %v", what, got, want)
	}
}

// Paper 2, section 7.2.1: "if m = 1, n = 8, and f_comp,non = 20%, then ε_max =
// 1.60 (5) is achieved for f_comm,best = 43% (6). For f_comm,equiv = 10% ... ε = 1.
// And for smaller f_comm, the ratio can decrease to ε_min = 0.90 for f_comm = 0%".
func TestPaperExampleOfEpsilon(t *testing.T) {
	l := limits(t, 1, 8, 0.2)
	near(t, "ε_max", l.Max, 1.60, 0.01)
	near(t, "f_comm,best", l.CommBest, 0.43, 0.01)
	near(t, "f_comm,equiv", l.CommEquiv, 0.10, 1e-12)
	near(t, "ε_min", l.Min, 0.90, 0.01)
	near(t, "ε at f_comm,best", epsilon(t, 1, 8, l.CommBest, 0.2).Value, 1.60, 0.01)
	near(t, "ε at 10%", epsilon(t, 1, 8, 0.1, 0.2).Value, 1, 1e-12)
	near(t, "ε at 0%", epsilon(t, 1, 8, 0, 0.2).Value, 0.90, 0.01)
}

// The bounds of Wellein et al. for one reserved thread, 1 − 1/n ≤ ε ≤ 2 − 1/n
// (section 7.2.1), are reached.
func TestBoundsWithOneThread(t *testing.T) {
	for _, n := range []int{2, 4, 8, 16, 64} {
		l := limits(t, 1, n, 0)
		near(t, "lower bound", l.Lower, 1-1/float64(n), 1e-12)
		near(t, "upper bound", l.Upper, 2-1/float64(n), 1e-12)
		near(t, "ε without communication", epsilon(t, 1, n, 0, 0).Value, l.Lower, 1e-12)
		near(t, "ε at its best", epsilon(t, 1, n, l.CommBest, 0).Value, l.Upper, 1e-12)
	}
}

// Below f_comm,best the largest term is the computation on fewer threads, above it the
// communication. The value follows from the terms.
func TestTermsOfEpsilon(t *testing.T) {
	for _, c := range []struct {
		comm   float64
		ruling string
		value  float64
	}{
		{0.1, models.TermOverlap, 0.7 * 8 / 7},
		{0.4, models.TermOverlap, 0.4 * 8 / 7},
		{0.5, models.TermComm, 0.5},
		{0.8, models.TermComm, 0.8},
	} {
		p := epsilon(t, 1, 8, c.comm, 0.2)
		top := p.Dominant()
		if top.Name != c.ruling || math.Abs(top.Value-c.value) > 1e-12 || top.Unit != "1" {
			t.Errorf("f_comm %v: %+v dominates, want %s with %v", c.comm, top, c.ruling, c.value)
		}
		if got := 1 / (p.Sum[0].Value + top.Value); math.Abs(got-p.Value) > 1e-12 {
			t.Errorf("f_comm %v: the terms yield ε = %v, the value is %v", c.comm, got, p.Value)
		}
	}
}

// reserved draws whole and fractional m. It limits them so that ε keeps nine digits: n/(n−m)
// magnifies the rounding error of 1 − f_comp,non − f_comm.
func reserved(t *rapid.T) (m float64, n int) {
	n = rapid.IntRange(2, 256).Draw(t, "n")
	if rapid.Bool().Draw(t, "whole m") {
		return float64(rapid.IntRange(1, n-1).Draw(t, "m")), n
	}
	return rapid.Float64Range(1e-3, float64(n)-0.1).Draw(t, "m"), n
}

// fractions draws f_comp,non and a compatible f_comm.
func fractions(t *rapid.T) (comm, nonOverlap float64) {
	nonOverlap = rapid.Float64Range(0, 0.999).Draw(t, "f_non")
	return (1 - nonOverlap) * rapid.Float64Range(0, 1).Draw(t, "f_comm/(1 − f_non)"), nonOverlap
}

// Equation (3) holds as the paper writes it, and (7) and (9) hold for all valid input: 1 − m/n ≤
// ε_min ≤ ε ≤ ε_max ≤ 1 + m(1 − 1/n). The lower two need m ≥ m_min.
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := reserved(t)
		comm, non := fractions(t)
		f, err := models.Split(comm, non)
		if err != nil {
			t.Fatal(err)
		}
		r := models.Reserved{M: m, N: n}
		p, err := models.Epsilon(r, f)
		if err != nil {
			t.Fatal(err)
		}
		direct := 1 / (f.NonOverlap + math.Max(f.Comm*1/m, f.Overlap*float64(n)/(float64(n)-m)))
		if math.Abs(p.Value/direct-1) > 1e-12 {
			t.Fatalf("ε = %v, equation (3) yields %v", p.Value, direct)
		}
		l := limits(t, m, n, non)
		const slack = 1e-9
		if p.Value > l.Max*(1+slack) || l.Max > l.Upper*(1+slack) {
			t.Fatalf("want ε %v ≤ ε_max %v ≤ %v", p.Value, l.Max, l.Upper)
		}
		least, err := f.MinimumThreads()
		if err != nil {
			t.Fatal(err)
		}
		if l.Min < l.Lower*(1-slack) || m >= least && p.Value < l.Min*(1-slack) {
			t.Fatalf("m_min %v: want %v ≤ ε_min %v ≤ ε %v", least, l.Lower, l.Min, p.Value)
		}
		if least > 1 {
			t.Fatalf("m_min = %v: one thread always suffices", least)
		}
		if m < least*(1-slack) && p.Value >= 1 {
			t.Fatalf("ε = %v with m below m_min %v", p.Value, least)
		}
	})
}

// f_comm,best maximizes ε, equations (4) to (6): both terms are equal there, ε rises below it and
// falls above it. The theorem: ε = 1 at f_comm,equiv. ε is larger between there and f_comm,best,
// and beyond if m > m_min.
func TestBestAndEquivalentCommunication(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := reserved(t)
		comm, non := fractions(t)
		l := limits(t, m, n, non)
		best := epsilon(t, m, n, l.CommBest, non)
		if math.Abs(best.Value/l.Max-1) > 1e-9 {
			t.Fatalf("ε = %v at f_comm,best, ε_max is %v", best.Value, l.Max)
		}
		if a, b := best.Max[0].Value, best.Max[1].Value; math.Abs(a-b) > 1e-12*float64(n)/(float64(n)-m) {
			t.Fatalf("the terms at f_comm,best are %v and %v, equation (4) wants them equal", a, b)
		}
		if m < float64(n)/2 && !best.Balanced() {
			t.Fatalf("%+v are not balanced at f_comm,best", best.Max)
		}
		if p := epsilon(t, m, n, l.CommBest*0.99, non); p.Balanced() || p.Dominant().Name != models.TermOverlap {
			t.Fatalf("%+v: below f_comm,best want computation to dominate", p.Max)
		}
		if l.CommEquiv > l.CommBest*(1+1e-12) {
			t.Fatalf("f_comm,equiv %v beyond f_comm,best %v", l.CommEquiv, l.CommBest)
		}
		if got := epsilon(t, m, n, l.CommEquiv, non).Value; math.Abs(got-1) > 1e-9 {
			t.Fatalf("ε = %v at f_comm,equiv", got)
		}
		if got := epsilon(t, m, n, 0, non).Value; math.Abs(got/l.Min-1) > 1e-9 {
			t.Fatalf("ε = %v without communication, ε_min is %v", got, l.Min)
		}
		here := epsilon(t, m, n, comm, non).Value
		more := comm + (1-non-comm)*rapid.Float64Range(0, 1).Draw(t, "more")
		there := epsilon(t, m, n, more, non).Value
		switch {
		case more <= l.CommBest && there < here*(1-1e-9):
			t.Fatalf("ε falls from %v to %v before f_comm,best", here, there)
		case comm >= l.CommBest && there > here*(1+1e-9):
			t.Fatalf("ε rises from %v to %v beyond f_comm,best", here, there)
		}
		f, err := models.Split(comm, non)
		if err != nil {
			t.Fatal(err)
		}
		least, err := f.MinimumThreads()
		if err != nil {
			t.Fatal(err)
		}
		if comm > l.CommEquiv*(1+1e-6) && m > least*(1+1e-6) && here <= 1 {
			t.Fatalf("ε = %v beyond f_comm,equiv %v with m over m_min %v", here, l.CommEquiv, least)
		}
	})
}

// ε is continuous in f_comm, also at f_comm,best: 1/ε never changes faster than its terms.
func TestEpsilonIsContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := reserved(t)
		_, non := fractions(t)
		at := limits(t, m, n, non).CommBest
		if rapid.Bool().Draw(t, "elsewhere") {
			at = (1 - non) * rapid.Float64Range(0, 1).Draw(t, "at")
		}
		step := (1 - non) * rapid.Float64Range(0, 1e-3).Draw(t, "step")
		a, b := max(at-step, 0), min(at+step, 1-non)
		steepest := max(1/m, float64(n)/(float64(n)-m))
		change := math.Abs(1/epsilon(t, m, n, a, non).Value - 1/epsilon(t, m, n, b, non).Value)
		if change > steepest*(b-a)*(1+1e-6)+1e-9 {
			t.Fatalf("1/ε changes by %v between f_comm %v and %v", change, a, b)
		}
	})
}

// With m fixed and n → ∞: ε_max → (1 + m)/(1 + f·m), ε_min → 1, f_comm,best →
// (1 − f)·m/(m + 1), f_comm,equiv → 0.
func TestLimitsOfManyThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.Float64Range(0.1, 8).Draw(t, "m")
		non := rapid.Float64Range(0, 1).Draw(t, "f_non")
		l := limits(t, m, 1e9, non)
		for _, c := range []struct {
			what      string
			got, want float64
		}{
			{"ε_max", l.Max, (1 + m) / (1 + non*m)},
			{"ε_min", l.Min, 1},
			{"f_comm,best", l.CommBest, (1 - non) * m / (m + 1)},
			{"f_comm,equiv", l.CommEquiv, 0},
			{"upper bound", l.Upper, 1 + m},
			{"lower bound", l.Lower, 1},
		} {
			if math.Abs(c.got-c.want) > 1e-6 {
				t.Fatalf("%s = %v with 1e9 threads, want %v", c.what, c.got, c.want)
			}
		}
	})
}

// ε_max falls with f_comp,non and rises with m and n. ε_min rises with f_comp,non and n and falls
// with m. Without overlappable work ε is 1.
func TestLimitsAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := reserved(t)
		non := rapid.Float64Range(0, 1).Draw(t, "f_non")
		l := limits(t, m, n, non)
		waits := limits(t, m, n, rapid.Float64Range(non, 1).Draw(t, "larger f_non"))
		fewer := limits(t, m*rapid.Float64Range(0.01, 1).Draw(t, "m shrinks by"), n, non)
		wider := limits(t, m, n+rapid.IntRange(0, 100).Draw(t, "more threads"), non)
		const slack = 1 + 1e-12
		if waits.Max > l.Max*slack || fewer.Max > l.Max*slack || wider.Max*slack < l.Max {
			t.Fatalf("ε_max %v; %v with larger f_non, %v with smaller m, %v with larger n", l.Max, waits.Max, fewer.Max,
				wider.Max)
		}
		if waits.Min*slack < l.Min || fewer.Min*slack < l.Min || wider.Min*slack < l.Min {
			t.Fatalf("ε_min %v; %v with larger f_non, %v with smaller m, %v with larger n", l.Min, waits.Min, fewer.Min,
				wider.Min)
		}
		if nothing := limits(t, m, n, 1); math.Abs(nothing.Max-1) > 1e-12 || math.Abs(nothing.Min-1) > 1e-12 {
			t.Fatalf("f_comp,non = 1: ε_max %v, ε_min %v, want 1", nothing.Max, nothing.Min)
		}
	})
}

// Fractions of times in any unit sum to 1.
func TestFractionsOfTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := [3]float64{}
		for i := range times {
			times[i] = rapid.Float64Range(0, 1e6).Draw(t, "time")
		}
		times[rapid.IntRange(0, 2).Draw(t, "above 0")] += 1e-3
		f, err := models.FractionsOf(times[0], times[1], times[2])
		if err != nil || f.Check() != nil {
			t.Fatalf("%+v of times %v: %v, %v", f, times, err, f.Check())
		}
		if math.Abs(f.Comm*times[1]-f.NonOverlap*times[0]) > 1e-9*max(times[0], times[1]) {
			t.Fatalf("%+v are not in the ratio of %v", f, times)
		}
	})
}

func TestMinimumThreads(t *testing.T) {
	for _, c := range []struct {
		f    models.Fractions
		want float64
	}{
		{models.Fractions{Comm: 0.3, NonOverlap: 0.2, Overlap: 0.5}, 0.375},
		{models.Fractions{Comm: 0.8, NonOverlap: 0.2}, 1},
		{models.Fractions{NonOverlap: 1}, 0},
	} {
		if got, err := c.f.MinimumThreads(); err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%+v: m_min %v, %v, want %v", c.f, got, err, c.want)
		}
	}
}

func TestEpsilonRefusesNonsense(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	one, half := models.Reserved{M: 1, N: 8}, models.Fractions{Comm: 0.5, Overlap: 0.5}
	of := func(r models.Reserved, f models.Fractions) func() error {
		return func() error { _, err := models.Epsilon(r, f); return err }
	}
	split := func(comm, non float64) func() error {
		return func() error { _, err := models.Split(comm, non); return err }
	}
	times := func(a, b, c float64) func() error {
		return func() error { _, err := models.FractionsOf(a, b, c); return err }
	}
	limit := func(r models.Reserved, non float64) func() error {
		return func() error { _, err := models.LimitsOf(r, non); return err }
	}
	for _, c := range []struct {
		call func() error
		want string
	}{
		{of(models.Reserved{M: 8, N: 8}, half), "m = 8 of n = 8 threads reserved for communication: want 0 < m < n"},
		{of(models.Reserved{M: 9, N: 8}, half), "m = 9 of n = 8 threads reserved for communication: want 0 < m < n"},
		{of(models.Reserved{M: 0, N: 8}, half), "m = 0 of n = 8 threads reserved for communication: want 0 < m < n"},
		{of(models.Reserved{M: nan, N: 8}, half), "m = NaN of n = 8 threads reserved for communication: want 0 < m < n"},
		{of(one, models.Fractions{Comm: 0.5, Overlap: 0.4}), "f_comm 0.5 + f_comp,non 0 + f_comp,overlap 0.4 = 0.9: want 1"},
		{of(one, models.Fractions{Comm: 1.5, NonOverlap: -0.5}), "f_comm = 1.5: want a fraction from 0 to 1"},
		{of(one, models.Fractions{Comm: 0.5, NonOverlap: nan, Overlap: 0.5}),
			"f_comp,non = NaN: want a fraction from 0 to 1"},
		{split(0.5, 0.6), "f_comm 0.5 + f_comp,non 0.6 = 1.1: want at most 1"},
		{split(nan, 0.6), "f_comm = NaN: want a fraction from 0 to 1"},
		{split(0.5, -1), "f_comp,non = -1: want a fraction from 0 to 1"},
		{times(0, 0, 0), "times 0 of communication, 0 and 0 of computation: want none below 0, and one above"},
		{times(1, -1, 3), "times 1 of communication, -1 and 3 of computation: want none below 0, and one above"},
		{times(1, nan, 3), "times 1 of communication, NaN and 3 of computation: want none below 0, and one above"},
		{times(1, 1, inf), "times 1 of communication, 1 and +Inf of computation: want none below 0, and one above"},
		{limit(models.Reserved{M: 2, N: 2}, 0), "m = 2 of n = 2 threads reserved for communication: want 0 < m < n"},
		{limit(one, 1.01), "f_comp,non = 1.01: want a fraction from 0 to 1"},
		{limit(one, nan), "f_comp,non = NaN: want a fraction from 0 to 1"},
		{func() error { _, err := models.Fractions{Comm: 1, Overlap: 1}.MinimumThreads(); return err },
			"f_comm 1 + f_comp,non 0 + f_comp,overlap 1 = 2: want 1"},
	} {
		if err := c.call(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// EpsilonAt returns the value of Epsilon, bit for bit.
func TestEpsilonAtEqualsEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := models.Reserved{M: rapid.Float64Range(0, 20).Draw(t, "m"), N: rapid.IntRange(1, 20).Draw(t, "n")}
		non := rapid.Float64Range(0, 1).Draw(t, "non")
		f := models.Fractions{NonOverlap: non, Comm: rapid.Float64Range(0, 1-non).Draw(t, "comm")}
		f.Overlap = 1 - f.NonOverlap - f.Comm
		at := models.EpsilonAt(r, f)
		if p, err := models.Epsilon(r, f); err == nil && at != p.Value || err != nil && at == at {
			t.Fatalf("%v, want %v, %v", at, p.Value, err)
		}
	})
}
