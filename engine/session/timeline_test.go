package session

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster/timeline"
	"github.com/hybridtop/hybridtop/engine"
)

// The knob timeline records the activities of every thread on either fabric, and the run
// continues. If it is off, the snapshot has no timeline.
func TestTimelineKnob(t *testing.T) {
	s := start(t, storyOf(t, "stroll", "threads-per-rank", "2"), Options{})
	off := s.until("an iteration", func(s *engine.Snapshot) bool { return s.Iteration > 0 })
	if off.Timeline != nil {
		t.Error("unexpected timeline")
	}
	for _, knob := range [][2]string{{"timeline", "on"}, {"timeline", "arrows"}, {"machine", "demo"}, {"fabric", "sim"}} {
		s.do(engine.Set, knob[0], knob[1])
		snap := s.until(knob[0]+" "+knob[1], func(s *engine.Snapshot) bool {
			return s.Scenario.Text(knob[0]) == knob[1] && s.Iteration > 2 && s.Timeline != nil && s.Timeline.To > 0
		})
		tl := snap.Timeline
		if len(tl.Lanes) != 2*snap.Layout.Ranks() || tl.Layout != snap.Layout {
			t.Fatalf("%v: %d lanes for %d ranks of 2 threads", knob, len(tl.Lanes), snap.Layout.Ranks())
		}
		if arrows := snap.Scenario.Text("timeline") == "arrows"; (tl.Arrows != nil) != arrows {
			t.Errorf("%v: %d arrows", knob, len(tl.Arrows))
		}
		for i := range tl.Lanes {
			l := &tl.Lanes[i]
			sums := l.Sums(tl.To, new(timeline.Cursor))
			if l.Thread == 0 && sums[timeline.ActivityWait] == 0 {
				t.Errorf("%v: rank %d never waited: %v", knob, l.Rank, sums)
			}
			if l.Thread > 0 && sums[timeline.ActivitySleep] == 0 {
				t.Errorf("%v: thread %d of rank %d never slept: %v", knob, l.Thread, l.Rank, sums)
			}
		}
	}
	s.do(engine.Set, "timeline", "off")
	s.until("off again", func(s *engine.Snapshot) bool { return s.Iteration > 0 && s.Timeline == nil })
}

// The timeline of a simulation is complete, from launch to end, and is the same for the same seed.
func TestTimelineOfASimulation(t *testing.T) {
	run := func() *timeline.View {
		snap := finished(t, start(t, simulated(t, "timeline", "arrows"), Options{Limits: Limits{Iterations: 5}}))
		if snap.Timeline.From != 0 || snap.Timeline.To != snap.Virtual.Time {
			t.Errorf("from %v to %v, and the run ended at %v", snap.Timeline.From, snap.Timeline.To, snap.Virtual.Time)
		}
		return snap.Timeline
	}
	a, b := run(), run()
	for i := range a.Lanes {
		next := b.Lanes[i].Intervals(0, b.To)
		var all []timeline.Interval
		for x := range next {
			all = append(all, x)
		}
		k := 0
		for x := range a.Lanes[i].Intervals(0, a.To) {
			if k >= len(all) || all[k] != x {
				t.Fatalf("lane %d differs at %v", i, x.Begin)
			}
			k++
		}
	}
}
