package cluster_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
)

func TestTimeHasThreeDigitsAndAUnit(t *testing.T) {
	for want, ts := range map[string][]cluster.Time{
		"0 ps":     {0},
		"999 ps":   {999},
		"1.00 ns":  {1000, 1004},
		"-4.10 µs": {-4100 * cluster.Nanosecond},
		"9.99 ns":  {9994},
		"10.0 ns":  {9995, 10_000},
		"99.9 µs":  {99_949 * cluster.Nanosecond},
		"100 µs":   {99_950 * cluster.Nanosecond},
		"999 ms":   {999_499 * cluster.Microsecond},
		"1.00 s":   {999_500 * cluster.Microsecond, cluster.Second},
		"1234 s":   {1234 * cluster.Second},
	} {
		for _, v := range ts {
			if got := v.String(); got != want {
				t.Errorf("%d ps prints as %q, want %q", int64(v), got, want)
			}
		}
	}
}

func TestFromSecondsSaturates(t *testing.T) {
	for s, want := range map[float64]cluster.Time{
		1.5e-12: 2, 1e-6: cluster.Microsecond, 2: 2 * cluster.Second,
		1e9: math.MaxInt64, -1e9: math.MinInt64, math.Inf(1): math.MaxInt64,
	} {
		if got := cluster.FromSeconds(s); got != want {
			t.Errorf("FromSeconds(%g) = %d, want %d", s, got, want)
		}
	}
	if got := cluster.FromSeconds(math.NaN()); got != 0 {
		t.Errorf("FromSeconds(NaN) = %d, want 0", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := cluster.Time(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "ps"))
		if got := cluster.FromSeconds(want.Seconds()); got != want {
			t.Fatalf("%d ps came back from seconds as %d", want, got)
		}
	})
}
