package tui

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/race"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// b keeps the run on the screen as the baseline and clears it again. Meanwhile every part of the
// screen compares with it.
func TestBaseline(t *testing.T) {
	a := pressed(panetest.Slower(demo(4, 4, 4), 2), "b")
	a.load(demo(4, 4, 16))
	var s screen
	text := s.draw(a, 200, 60).PlainText()
	for _, want := range []string{"╌ baseline: group 4  dilation", "│ ╌ baseline: group 4 ",
		"0.5× baseline: group 4"} {
		if !strings.Contains(text, want) {
			t.Errorf("not on the screen: %q\n%s", want, text)
		}
	}
	a.load(demo(4, 4, 2))
	if text := s.draw(a, 200, 60).PlainText(); !strings.Contains(text, "0.5× baseline: group 4") {
		t.Errorf("the baseline is another one:\n%s", text)
	}
	keys(a, "b")
	want := (&screen{}).draw(pressed(demo(4, 4, 2), ":", "esc"), 200, 60).PlainText()
	a.notice = ""
	if got := s.draw(a, 200, 60).PlainText(); got != want {
		t.Errorf("dropped, the baseline leaves something behind:\n%s", got)
	}
}

// b on a frozen screen keeps the frozen run.
func TestBaselineOfAFrozenScreen(t *testing.T) {
	a := pressed(demo(4, 4, 4), "f")
	a.load(demo(4, 4, 8))
	keys(a, "b", "f")
	if a.Base == nil || a.Base.Name != "group 4" {
		t.Errorf("the baseline is %+v", a.Base)
	}
}

func TestNoBaselineBeforeAnIteration(t *testing.T) {
	failed := demo(4, 4, 4)
	failed.Phase = engine.Failed
	first := demo(4, 4, 4)
	first.Iteration = 0
	for _, s := range []*engine.Snapshot{nothing, failed, first} {
		if a := pressed(s, "b"); a.base != nil || !strings.Contains(a.notice, "no baseline yet") {
			t.Errorf("kept %v, said %q", a.base, a.notice)
		}
	}
}

// A baseline may have no samples, no numbers or another workload.
func TestBaselineOfAnything(t *testing.T) {
	if race.Enabled {
		t.Skip("one goroutine")
	}
	empty := demo(4, 4, 4)
	empty.Series = nil
	empty.Metrics = nil
	empty.Studies = nil
	empty.Marks = nil
	for c := range empty.Latency {
		empty.Latency[c] = engine.Quantiles{}
	}
	bare := &engine.Snapshot{Iteration: 1, Kind: engine.Measured}
	one := demo(4, 4, 2)
	one.Series = one.Series[len(one.Series)-1:]
	bases := []*engine.Snapshot{bare, empty, one, scheme(1, 8), wildScheme()}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 0} {
		bases = append(bases, filled(x))
	}
	for i, base := range bases {
		base.Phase = engine.Running
		for k, now := range []*engine.Snapshot{demo(4, 4, 8), scheme(1, 8), empty, bare} {
			a := pressed(base, "b")
			a.load(now)
			for p := range a.panes {
				a.focus, a.zoomed = p, p%2 == 0
				for _, m := range []grid.Markers{grid.Braille, grid.Blocks, grid.Lines} {
					a.Markers = m
					for _, size := range [][2]int{{31, 9}, {61, 17}, {101, 29}, {200, 60}} {
						var s screen
						if g := s.draw(a, size[0], size[1]); g.W != size[0] {
							t.Fatalf("baseline %d of %d: %d columns", i, k, g.W)
						}
					}
				}
			}
		}
	}
}

// filled returns the demo with one value for all numbers.
func filled(x float64) *engine.Snapshot {
	s := demo(4, 4, 4)
	for i := range s.Series {
		for c := range s.Series[i].Rate {
			s.Series[i].Rate[c] = x
		}
	}
	for c := range s.Latency {
		q := &s.Latency[c]
		q.Mean = x
		q.Min = x
		q.P50 = x
		q.P99 = x
		q.Max = x
		for i := range q.Buckets {
			q.Buckets[i].Upper = x
		}
	}
	for i := range s.Metrics {
		s.Metrics[i].Value = x
	}
	for i := range s.Studies {
		for k := range s.Studies[i].Rows {
			for c := range s.Studies[i].Rows[k].Cells {
				s.Studies[i].Rows[k].Cells[c] = x
			}
		}
	}
	return s
}
