package session

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// An iteration of ten steps of a second each: after four and a half steps, the estimate is about
// five and a half seconds. Pauses do not count.
func TestProgressBySteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, storyOf(t, "steps"), Options{})
		time.Sleep(4500 * time.Millisecond)
		expect(t, s.Load(), 4500*time.Millisecond, 0.4, 5500*time.Millisecond)
		time.Sleep(5 * time.Second)
		s.do(engine.Pause)
		time.Sleep(time.Minute)
		if p := s.Load().Progress; p.Spent > 200*time.Millisecond {
			t.Errorf("pause of one minute: %v counted for the next iteration", p.Spent)
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// A program that reports no steps: for its first iteration only the spent time is known, for the
// next one the estimate is the duration of the first.
func TestProgressByPreviousIteration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, storyOf(t, "wordless"), Options{})
		time.Sleep(4 * time.Second)
		expect(t, s.Load(), 4*time.Second, math.NaN(), 0)
		time.Sleep(10 * time.Second)
		expect(t, s.Load(), 4*time.Second, math.NaN(), 6*time.Second)
		time.Sleep(5 * time.Second)
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
}

func expect(t *testing.T, snap *engine.Snapshot, spent time.Duration, share float64, left time.Duration) {
	t.Helper()
	const look = 200 * time.Millisecond // possible delay of the session
	p := &snap.Progress
	same := p.Share == share || math.IsNaN(p.Share) && math.IsNaN(share)
	if (p.Spent-spent).Abs() > look || (p.Left-left).Abs() > look || !same {
		t.Errorf("iteration %d: %+v, want %v spent, %g done, %v left", snap.Iteration, *p, spent, share, left)
	}
}

// If the steps stop, the estimate counts down to zero. A long step does not increase the estimate
// of the others before it has ended.
func TestEstimateRunsOut(t *testing.T) {
	u := iterationProgress{}
	f := newFrame(0, 0)
	for now := time.Duration(0); now <= 20*time.Second; now += time.Second {
		f.share = min(now.Seconds()/10, 0.5)
		p := u.update(now, true, f, nil)
		want := max(10*time.Second-now, 0)
		if now == 0 {
			want = 0
		}
		if (p.Left - want).Abs() > time.Millisecond {
			t.Errorf("after %v: %v left, want %v", now, p.Left, want)
		}
	}
}

// A simulation whose iteration reports no progress shows its clock and its events.
func TestProgressOfASimulation(t *testing.T) {
	s := start(t, storyOf(t, "endless", "fabric", "sim", "machine", "demo"), Options{})
	snap := s.until("events", func(s *engine.Snapshot) bool { return s.Progress.Events > 10000 })
	if snap.Iteration != 0 || snap.Progress.Clock <= cluster.Microsecond {
		t.Errorf("iteration %d: %+v", snap.Iteration, snap.Progress)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}
