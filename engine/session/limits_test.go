package session

import (
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine"
)

// The current iteration at the limit may take as long again. On a simulation, where a long
// iteration is just a large one, it may take at least a minute.
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

// A launch makes one iteration even within the shortest time limit. If it is not stopped, the
// iteration completes, on hosts of any speed.
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
		if snap := s.Load(); snap.Phase != engine.Ended || snap.Iteration < 1 || !snap.Verification.OK ||
			len(snap.Warnings) > 0 {
			t.Errorf("%s: %s after %d iterations, verified %v, warnings %v", fabric, snap.Phase, snap.Iteration,
				snap.Verification.OK, snap.Warnings)
		}
	}
}
