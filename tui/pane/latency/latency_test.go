package latency

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
)

// show draws the pane of a run whose accesses in the own rank took such times.
func show(q engine.Quantiles, w, rows int) string {
	snap := &engine.Snapshot{Phase: engine.Running, Iteration: 1}
	snap.Latency[0] = q
	g := grid.New(w, rows)
	new(Pane).Draw(g.All(), &pane.Host{Snap: snap, Theme: grid.Themes()[0]})
	return g.PlainText()
}

// A clock that tells 10 ns apart gives times of nothing; the axis begins at its tick
// and not at nothing.
func TestLatencyBeginsAtTheClocksTick(t *testing.T) {
	q := engine.Quantiles{Count: 100, Mean: 6e-9, P99: 2.1e-8, Max: 2.1e-8, Buckets: []engine.Bucket{
		{Upper: 6.5e-11, Count: 60}, {Upper: 1e-9}, {Upper: 1e-8, Count: 30}, {Upper: 2.1e-8, Count: 10},
	}}
	if got := least(&q); got != 1e-8 {
		t.Errorf("the least time is %v, want the tick", got)
	}
	got := show(q, 60, 12)
	if strings.Contains(got, " ps") || !strings.Contains(got, "10 ns") || !strings.Contains(got, "< tick") {
		t.Errorf("the axis begins below the clock's tick:\n%s", got)
	}
	q = engine.Quantiles{Count: 3, Buckets: []engine.Bucket{{Upper: 6.5e-11, Count: 3}}}
	if got := least(&q); !math.IsInf(got, 1) {
		t.Errorf("the least time of nothing is %v", got)
	}
	if got := show(q, 60, 12); !strings.Contains(got, "no single accesses timed") {
		t.Errorf("times of nothing are drawn:\n%s", got)
	}
}

// One value is a line as wide as a column, whatever its bucket is.
func TestOneValueIsALine(t *testing.T) {
	q := engine.Quantiles{Count: 100, Mean: 4e-6, Min: 4e-6, P50: 4e-6, P99: 4e-6, Max: 4e-6, Buckets: []engine.Bucket{{Upper: 4.2e-6, Count: 100}}}
	got := show(q, 60, 12)
	if strings.ContainsAny(got, "▁▂▃▄▅▆▇█┆") || strings.Count(got, "│") != 2 {
		t.Errorf("one value is no line:\n%s", got)
	}
}
