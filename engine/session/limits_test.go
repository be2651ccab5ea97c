package session

import (
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// The iteration under way at the limit may take as long again; on a simulation,
// where a long one is a large one, a minute at least.
func TestPatience(t *testing.T) {
	for _, c := range []struct{ limit, live, simulated time.Duration }{
		{time.Millisecond, time.Second, time.Minute},
		{3 * time.Second, 3 * time.Second, time.Minute},
		{time.Hour, time.Hour, time.Hour},
	} {
		l := Limits{For: c.limit}
		if got := l.patience(false); got != c.live {
			t.Errorf("For %v: live %v, want %v", c.limit, got, c.live)
		}
		if got := l.patience(true); got != c.simulated {
			t.Errorf("For %v: simulated %v, want %v", c.limit, got, c.simulated)
		}
	}
}

// However short the time, a launch makes one iteration: where nothing cuts it off, all
// of it, on a host however slow.
func TestOneIterationAtLeast(t *testing.T) {
	for fabric, machine := range map[string]string{"live": "this-host", "sim": "demo"} {
		sc, err := Scenario("randomaccess")
		if err != nil {
			t.Fatal(err)
		}
		for knob, value := range map[string]string{"fabric": fabric, "machine": machine} {
			if err := sc.Set(knob, value); err != nil {
				t.Fatal(err)
			}
		}
		s, err := New(sc, Options{Fabrics: Fabrics(), Limits: Limits{For: time.Nanosecond}, patience: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		s.Start(t.Context())
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		if snap := s.Load(); snap.Phase != engine.Ended || snap.Iteration < 1 || !snap.Verification.OK || len(snap.Warnings) > 0 {
			t.Errorf("%s: %s after %d iterations, verified %v, warnings %v", fabric, snap.Phase, snap.Iteration, snap.Verification.OK, snap.Warnings)
		}
	}
}
