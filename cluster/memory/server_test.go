package memory

import (
	"math/rand/v2"
	"testing"
)

// TestServe checks that a piece takes at least its own time, and all together at least the server's.
func TestServe(t *testing.T) {
	var s Server[int64]
	for _, c := range []struct{ at, need, minTime, want int64 }{
		{0, 10, 30, 30},    // its own time
		{0, 10, 30, 30},    // the server ends at 20
		{0, 10, 5, 30},     // three times ten
		{100, 10, 5, 110},  // the server was idle
		{20, 40, 5, 70},    // idle from 30 on
		{80, 25, 50, 130},  // idle from 80 to 100, and 5 more after 110
		{60, 10, 5, 80},    // idle from 70 to 80
		{60, 10, 5, 125},   // never idle before 115
		{200, 10, 30, 230}, // its own time again
	} {
		if got := s.Serve(c.at, c.need, c.minTime); got != c.want {
			t.Errorf("at %d for %d: ends at %d, want %d", c.at, c.need, got, c.want)
		}
	}
}

// TestWorkAlternates serves a piece that is much shorter than one in progress.
func TestWorkAlternates(t *testing.T) {
	var s Server[int64]
	if got := s.Work(0, 100, 10); got != 100 {
		t.Errorf("the first piece ends at %d, want 100", got)
	}
	if got := s.Serve(10, 10, 1); got != 30 {
		t.Errorf("a short piece ends at %d, want 30: every other byte", got)
	}
	if got := s.Serve(10, 80, 1); got != 190 {
		t.Errorf("a long piece ends at %d, want 190: after both", got)
	}
}

// TestReserveTakesTheFirstIdleTimes reserves in any order of time.
func TestReserveTakesTheFirstIdleTimes(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		var s Server[int64]
		var busy [20000]bool
		for n := range 2 * mostIdle / 3 {
			at, need := random.Int64N(int64(1+20*n)), random.Int64N(30)
			got, want := s.reserve(at, need), at
			for left := need; left > 0; want++ {
				if !busy[want] {
					busy[want] = true
					left--
				}
			}
			if need > 0 && got != want {
				t.Fatalf("piece %d: %d from %d on ends at %d, want %d", n, need, at, got, want)
			}
		}
		for at, b := range busy {
			if b && int64(at) >= s.Free() {
				t.Fatalf("busy at %d, but free from %d on", at, s.Free())
			}
		}
	}
}

// TestIdleIntervalsAreLimited reserves after more idle intervals than the server remembers. Some pieces split an
// interval at the limit.
func TestIdleIntervalsAreLimited(t *testing.T) {
	var s Server[int64]
	for i := range int64(3 * mostIdle) {
		s.reserve(10*i, 5)
		if len(s.idle) == mostIdle {
			s.reserve(10*i-3, 1)
		}
	}
	if len(s.idle) > mostIdle {
		t.Errorf("%d idle intervals, want at most %d", len(s.idle), mostIdle)
	}
	at := int64(10 * (3*mostIdle - 10))
	if got := s.reserve(at, 5); got != at+10 {
		t.Errorf("5 from %d on ends at %d, want %d", at, got, at+10)
	}
}
