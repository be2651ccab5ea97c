package grid

import (
	"math"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestNumbersWithUnits(t *testing.T) {
	for _, tt := range []struct {
		unit Unit
		v    float64
		cols int
		want string
	}{
		{BytesPerSecond, 12.34e9, 20, "12.3 GB/s"},
		{BytesPerSecond, 12.34e9, 9, "12.3 GB/s"},
		{BytesPerSecond, 12.34e9, 8, "12 GB/s"},
		{BytesPerSecond, 12.34e9, 6, "12GB/s"},
		{BytesPerSecond, 12.34e9, 5, "12.3G"},
		{BytesPerSecond, 12.34e9, 3, "12G"},
		{BytesPerSecond, 12.34e9, 2, "##"},
		{BytesPerSecond, 12.34e9, 0, ""},
		{BytesPerSecond, 0, 20, "0 B/s"},
		{BytesPerSecond, 999.96e6, 20, "1 GB/s"},
		{BytesPerSecond, 999.4e6, 20, "999 MB/s"},
		{Seconds, 4.1e-6, 20, "4.1 µs"},
		{Seconds, 95e-9, 20, "95 ns"},
		{Seconds, 1e-12, 20, "1 ps"},
		{Seconds, 1500, 20, "1500 s"},
		{Seconds, -0.002, 20, "-2 ms"},
		{Seconds, 3e-30, 20, "3e-12 as"},
		{Count, 1234, 20, "1.23k"},
		{Count, 0.07, 20, "0.07"},
		{Count, 0.0123, 20, "0.0123"},
		{Count, 1e300, 20, "1e+282E"},
		{Bytes, 8, 20, "8 B"},
		{Bytes, 8192, 20, "8 KiB"},
		{Bytes, 8192, 4, "8KiB"},
		{Bytes, 1536, 20, "1.5 KiB"},
		{Bytes, 1 << 30, 20, "1 GiB"},
		{Bytes, 1023.9, 20, "1 KiB"},
		{Share, 0.25, 20, "25%"},
		{Share, 0.1234, 20, "12.3%"},
		{Share, 0.1234, 3, "12%"},
		{Factor, 1.9, 20, "1.9×"},
		{Factor, 1234.5, 20, "1234×"},
		{Unit{Kind: Plain, Div: 1e9}, 4e9, 20, "4"},
		{Seconds, math.NaN(), 20, "–"},
		{Seconds, math.Inf(1), 20, "∞"},
		{Seconds, math.Inf(-1), 20, "-∞"},
		{Seconds, math.Inf(-1), 1, "#"},
	} {
		if got := tt.unit.Format(tt.v, tt.cols); got != tt.want {
			t.Errorf("%v %q in %d columns is %q, want %q", tt.v, tt.unit.Symbol, tt.cols, got, tt.want)
		}
	}
}

func TestNumbersNeverTakeMoreColumnsThanAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := anyUnit().Draw(t, "unit")
		v := anyValue().Draw(t, "v")
		cols := rapid.IntRange(-1, 14).Draw(t, "cols")
		s := u.Format(v, cols)
		if n := utf8.RuneCountInString(s); n > max(0, cols) || n == 0 && cols > 0 || !utf8.ValidString(s) {
			t.Fatalf("%q has %d columns, asked for %d", s, n, cols)
		}
	})
}

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		scale  Scale
		lo, hi float64
		n      int
		want   []float64
	}{
		{Linear, 0, 10, 6, []float64{0, 2, 4, 6, 8, 10}},
		{Linear, 0, 10, 3, []float64{0, 5, 10}},
		{Linear, 0, 1, 5, []float64{0, 0.5, 1}},
		{Linear, -3, 3, 5, []float64{-2, 0, 2}},
		{Linear, 1000.1, 1000.9, 4, []float64{1000.2, 1000.4, 1000.6, 1000.8}},
		{Linear, 5, 5, 4, nil},
		{Linear, math.NaN(), 5, 4, nil},
		{Linear, 0, 10, 0, nil},
		{binary, 0, 1 << 20, 5, []float64{0, 1 << 18, 1 << 19, 3 << 18, 1 << 20}},
		{Log2, 8, 4 << 20, 4, []float64{32, 1 << 10, 1 << 15, 1 << 20}},
		{Log2, 1, 16, 6, []float64{1, 2, 4, 8, 16}},
		{Log10, 1e-8, 1e-4, 6, []float64{1e-8, 1e-7, 1e-6, 1e-5, 1e-4}},
		{Log10, 1, 10, 9, []float64{1, 2, 5, 10}},
		{Log10, 2, 8, 4, []float64{2, 4, 6, 8}},
	} {
		got := Ticks(nil, tt.scale, tt.lo, tt.hi, tt.n)
		same := len(got) == len(tt.want)
		for i := range min(len(got), len(tt.want)) {
			same = same && math.Abs(got[i]-tt.want[i]) <= 1e-9*math.Abs(tt.want[i])
		}
		if !same {
			t.Errorf("Ticks(%d, %v, %v, %d) = %v, want %v", tt.scale, tt.lo, tt.hi, tt.n, got, tt.want)
		}
	}
}

func TestTicksRiseInsideTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := anyValue().Draw(t, "lo")
		hi := anyValue().Draw(t, "hi")
		n := rapid.IntRange(-1, 30).Draw(t, "n")
		scale := rapid.SampledFrom([]Scale{Linear, Log2, Log10, binary}).Draw(t, "scale")
		ticks := Ticks(nil, scale, lo, hi, n)
		if len(ticks) > max(0, n) {
			t.Fatalf("%d ticks, asked for %d", len(ticks), n)
		}
		tolerance := (math.Abs(lo) + math.Abs(hi)) * 1e-9
		for i, v := range ticks {
			if !(v >= lo-tolerance && v <= hi+tolerance) || i > 0 && v <= ticks[i-1] {
				t.Fatalf("ticks %v from %v to %v", ticks, lo, hi)
			}
		}
	})
}

// The mouse reads the value that the chart shows at a column, to within the width of a column.
func TestAxisThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ax := Axis{Scale: rapid.SampledFrom([]Scale{Linear, Log2, Log10}).Draw(t, "scale"), Fixed: true, Min: 1, Max: 1e6}
		m := ax.mapSpan(emptySpan(), false, 0)
		v := rapid.Float64Range(1, 1e6).Draw(t, "v")
		f, ok := m.frac(v)
		if back := m.value(f); !ok || math.Abs(back-v) > 1e-6*v {
			t.Fatalf("%v lies at %v, where %v is", v, f, back)
		}
	})
}
