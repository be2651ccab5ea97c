package latency

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// show draws the pane of a run with these times of accesses to the local rank.
func show(q engine.Quantiles, w, rows int) string {
	snap := &engine.Snapshot{Phase: engine.Running, Iteration: 1}
	snap.Latency[0] = q
	g := grid.New(w, rows)
	new(Pane).Draw(g.All(), &pane.Host{Snap: snap, Theme: grid.Themes()[0]})
	return g.PlainText()
}

// A clock with a resolution of 10 ns measures some times as 0. The axis begins at its tick and not
// at 0.
func TestLatencyBeginsAtTheClocksTick(t *testing.T) {
	q := engine.Quantiles{Count: 100, Mean: 6e-9, P99: 2.1e-8, Max: 2.1e-8, Buckets: []engine.Bucket{
		{Upper: 6.5e-11, Count: 60}, {Upper: 1e-9}, {Upper: 1e-8, Count: 30}, {Upper: 2.1e-8, Count: 10},
	}}
	if got := minTime(&q); got != 1e-8 {
		t.Errorf("the least time is %v, want the tick of 10 ns", got)
	}
	got := show(q, 60, 12)
	if strings.Contains(got, " ps") || !strings.Contains(got, "10 ns") || !strings.Contains(got, "< tick") {
		t.Errorf("the axis begins below the clock's tick:\n%s", got)
	}
	q = engine.Quantiles{Count: 3, Buckets: []engine.Bucket{{Upper: 6.5e-11, Count: 3}}}
	if got := minTime(&q); !math.IsInf(got, 1) {
		t.Errorf("the least of zero times is %v, want +Inf", got)
	}
	if got := show(q, 60, 12); !strings.Contains(got, "no individual accesses timed") {
		t.Errorf("zero times are drawn:\n%s", got)
	}
}

// A single value is a line of one column, for any width of its bucket.
func TestOneValueIsALine(t *testing.T) {
	q := engine.Quantiles{Count: 100, Mean: 4e-6, Min: 4e-6, P50: 4e-6, P99: 4e-6, Max: 4e-6,
		Buckets: []engine.Bucket{{Upper: 4.2e-6, Count: 100}}}
	got := show(q, 60, 12)
	if strings.ContainsAny(got, "▁▂▃▄▅▆▇█┆") || strings.Count(got, "│") != 7 {
		t.Errorf("a single value is not drawn as a line:\n%s", got)
	}
	// Empty buckets are left out: the columns between two values are empty.
	q = engine.Quantiles{Count: 200, Mean: 2e-6, Min: 1e-8, P50: 1e-8, P99: 4e-6, Max: 4e-6,
		Buckets: []engine.Bucket{{Upper: 1.1e-8, Count: 100}, {Upper: 4.2e-6, Count: 100}}}
	var bins [60]float64
	spread(bins[:], &q, span{lo: 1e-8, hi: 5e-6})
	filled := 0
	for _, n := range bins {
		if n > 0 {
			filled++
		}
	}
	if filled > 4 {
		t.Errorf("two values fill %d of 60 columns: %v", filled, bins)
	}
}

// All boxes have the same number of iterations and do not move when more follow. The last box
// appears when it is full.
func TestBoxesOfIterations(t *testing.T) {
	times := make([]float64, 100)
	for i := range times {
		times[i] = float64(i+1) * 1e-6
	}
	var b boxes
	for _, tt := range []struct {
		iteration int
		n         int
		want      []string
	}{
		{4, 4, []string{"4"}},
		{32, 32, []string{"4", "8", "12", "16", "20", "24", "28", "32"}},
		{33, 33, []string{"8", "16", "24", "32"}},
		{100, 100, []string{"16", "32", "48", "64", "80", "96"}},
		{1003, 32, []string{"972", "976", "980", "984", "988", "992", "996", "1000"}},
	} {
		b.group(times[:tt.n], tt.iteration)
		var got []string
		for _, it := range b.chart.Items {
			got = append(got, it.Label)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%d times up to iteration %d: boxes %v, want %v", tt.n, tt.iteration, got, tt.want)
		}
	}
	if s := b.chart.Items[1].Spread; s.Low != times[1] || s.High != times[4] {
		t.Errorf("the box of iterations 973 to 976 is %+v", s)
	}
}

func TestLatencyLooksLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "a run", panetest.Slower(panetest.Demo(4, 4, 4), 1.6), panetest.Demo(4, 4, 8))
	look := panetest.Look{W: 76, H: 19, Alone: true}
	golden.Text(t, "next to a baseline of another kind",
		panetest.Draw(Spec.New(), panetest.NextTo(panetest.Slower(panetest.Demo(4, 4, 4), 2.5), panetest.Simulated()), look))
	first := panetest.Demo(4, 4, 8)
	first.Latency = [cluster.Classes]engine.Quantiles{}
	golden.Text(t, "before the first access",
		panetest.Draw(Spec.New(), panetest.NextTo(panetest.Demo(4, 4, 4), first), look))
	times := panetest.Demo(4, 4, 4)
	for i := range 60 {
		times.IterationTimes = append(times.IterationTimes, 20e-6*(1+0.3*math.Sin(float64(i*i))+0.01*float64(i)))
	}
	for _, ascii := range []bool{false, true} {
		golden.Text(t, map[bool]string{false: "boxes", true: "boxes, ascii"}[ascii],
			panetest.Draw(Spec.New(), panetest.Host(times), panetest.Look{W: 76, H: 28, ASCII: ascii}))
	}
}
