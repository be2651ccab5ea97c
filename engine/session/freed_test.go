package session

import (
	"context"
	"runtime"
	"testing"
	"weak"
)

// TestEndedSessionIsFreed tests that the context of a session does not hold the session after its end.
func TestEndedSessionIsFreed(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := func() weak.Pointer[Session] {
		sc, err := Scenario("pingpong")
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", "sim"); err != nil {
			t.Fatal(err)
		}
		s, err := New(sc, Options{Fabrics: Fabrics(), Limits: Limits{Iterations: 1}})
		if err != nil {
			t.Fatal(err)
		}
		s.Start(ctx)
		if err := s.Wait(); err != nil {
			t.Fatal(err)
		}
		return weak.Make(s)
	}()
	for range 100 { // the goroutine of the session ends after Wait
		runtime.GC()
		if ended.Value() == nil {
			return
		}
	}
	t.Error("a session that has ended is still in memory: its context holds it")
}
