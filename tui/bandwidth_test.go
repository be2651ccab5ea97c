package tui

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hybridtop/hybridtop/engine"
)

// sampleAt is a sample with the same rate for every class.
func sampleAt(seconds, rate float64) engine.Sample {
	s := engine.Sample{At: time.Duration(seconds * float64(time.Second))}
	for c := range s.Rate {
		s.Rate[c] = rate
	}
	return s
}

func TestPointsAreMeansOfColumns(t *testing.T) {
	samples := []engine.Sample{sampleAt(0.2, 1), sampleAt(0.8, 3), sampleAt(1.5, 10), sampleAt(2.1, 4), sampleAt(2.9, 8)}
	marks := []engine.Mark{{At: 2500 * time.Millisecond}}
	var b bandwidth
	b.points(samples, nil, 1)
	if diff := cmp.Diff([][]float64{{0.8, 1.5, 2.9}, {2, 10, 6}}, [][]float64{b.x, b.y[0]}); diff != "" {
		t.Error(diff)
	}
	b.points(samples, marks, 1)
	if diff := cmp.Diff([][]float64{{0.8, 1.5, 2.1, 2.9}, {2, 10, 4, 8}}, [][]float64{b.x, b.y[0]}); diff != "" {
		t.Errorf("a mark begins a new point: %s", diff)
	}
}

// What is drawn of the past does not change when new samples come.
func TestPointsStandStill(t *testing.T) {
	s := demo(4, 4, 4)
	var before, after bandwidth
	for n := 500; n < 540; n++ {
		before.points(s.Series[:n], s.Marks, 0.6)
		after.points(s.Series[:n+1], s.Marks, 0.6)
		settled := len(before.x) - 1 // the last column still fills
		if !slices.Equal(before.x[:settled], after.x[:settled]) || !slices.Equal(before.y[0][:settled], after.y[0][:settled]) {
			t.Fatalf("sample %d changes the past", n)
		}
	}
}

func TestVisible(t *testing.T) {
	var all []engine.Sample
	for i := range 10 {
		all = append(all, sampleAt(float64(i), 1))
	}
	for _, c := range []struct {
		from, to    float64
		first, last int
	}{{0, 9, 0, 9}, {3, 6, 2, 6}, {3.5, 6.5, 3, 6}, {-5, 20, 0, 9}} {
		got := visible(all, c.from, c.to)
		if got[0].At != all[c.first].At || got[len(got)-1].At != all[c.last].At {
			t.Errorf("%v to %v s: %v to %v", c.from, c.to, got[0].At, got[len(got)-1].At)
		}
	}
	if got := visible(nil, 0, 1); len(got) != 0 {
		t.Errorf("of nothing: %v", got)
	}
}

func TestCrosshairStaysOnTheData(t *testing.T) {
	a := shownApp(demo(4, 4, 4))
	last := newest(a.Snap)
	keys(a, ".", ".")
	if a.chart.at != last {
		t.Errorf("right of the newest sample: %v of %v s", a.chart.at, last)
	}
	for range 200 {
		keys(a, ",")
	}
	if from, _ := a.chart.span(a.Snap); a.chart.at != from {
		t.Errorf("left of the window: %v, want %v s", a.chart.at, from)
	}
	keys(a, "-", "-", "-", "-", "-", "-", "-")
	if a.chart.window != 0 {
		t.Errorf("the longest window is %v, want all", a.chart.window)
	}
	if from, to := a.chart.span(a.Snap); from != 0 || to != last {
		t.Errorf("all is %v to %v s, want 0 to %v", from, to, last)
	}
}
