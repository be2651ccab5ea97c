package grid

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sampleBoxes() *BoxPlot {
	b := &BoxPlot{Y: Axis{Unit: Seconds, FromZero: true}}
	for i, label := range []string{"64 B", "256 B", "1 KiB", "4 KiB", "16 KiB"} {
		var times []float64
		for k := range 40 {
			times = append(times, 1e-6*float64(i+4)*(1+0.4*math.Sin(float64(k))+0.02*float64(k*i)))
		}
		it := BoxItem{Label: label}
		it.Spread, _, _ = SpreadOf(times, nil)
		b.Items = append(b.Items, it)
	}
	b.Items = append(b.Items,
		BoxItem{Label: "one", Spread: Spread{Low: 5e-6, Q1: 5e-6, Median: 5e-6, Q3: 5e-6, High: 5e-6}})
	return b
}

// An axis from zero has a number above zero for any values and rows.
func TestBoxesHaveANumberAboveZero(t *testing.T) {
	for _, x := range []float64{0.1, 0.11, 0.16, 0.2, 0.25, 0.3, 0.46, 0.49, 0.7, 0.99} {
		for rows := 5; rows < 12; rows++ {
			b := BoxPlot{Items: []BoxItem{{Spread: Spread{Low: x, Q1: x, Median: x, Q3: x, High: x}}},
				Y: Axis{Unit: Seconds, FromZero: true}}
			g := New(40, rows)
			b.Draw(g.All(), Themes()[0])
			if n := strings.Count(g.PlainText(), "┤"); n < 2 {
				t.Errorf("%g s on %d rows: %d numbers\n%s", x, rows, n, g.PlainText())
			}
		}
	}
}

// The quartiles of 1 to 5 are 2, 3 and 4. Values between are interpolated, and NaN is ignored.
func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   Spread
	}{
		{[]float64{5, 1, 4, 2, 3}, Spread{Low: 1, Q1: 2, Median: 3, Q3: 4, High: 5}},
		{[]float64{math.NaN(), 2, math.Inf(1), 1}, Spread{Low: 1, Q1: 1.25, Median: 1.5, Q3: 1.75, High: 2}},
		{[]float64{7}, Spread{Low: 7, Q1: 7, Median: 7, Q3: 7, High: 7}},
	} {
		if got, _, ok := SpreadOf(tt.values, nil); !ok || got != tt.want {
			t.Errorf("of %v: %v, want %v", tt.values, got, tt.want)
		}
	}
	if _, _, ok := SpreadOf([]float64{math.NaN()}, nil); ok {
		t.Error("nothing has a spread")
	}
	rapid.Check(t, func(t *rapid.T) {
		s, _, ok := SpreadOf(anyValues().Draw(t, "values"), nil)
		if ok && !(s.Low <= s.Q1 && s.Q1 <= s.Median && s.Median <= s.Q3 && s.Q3 <= s.High) {
			t.Fatalf("%+v does not rise", s)
		}
	})
}
