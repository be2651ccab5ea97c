package engine_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/engine"
)

// TestUnverified tests that every run without a verified result has a reason.
func TestUnverified(t *testing.T) {
	right, wrong := engine.Verification{Done: true, OK: true, Detail: "sums"}, engine.Verification{Done: true, Detail: "sum 3"}
	for _, c := range []struct {
		snap         engine.Snapshot
		reason, hint string
	}{
		{engine.Snapshot{Iteration: 1, Verification: right}, "", ""},
		{engine.Snapshot{Iteration: 1, Verification: wrong}, "sum 3", ""},
		{engine.Snapshot{Iteration: 1}, "no check was made", ""},
		{engine.Snapshot{}, "no iteration ended", "use --iterations 1, a longer --for, or a smaller problem"},
		{engine.Snapshot{Verification: right}, "no iteration ended", "use --iterations 1, a longer --for, or a smaller problem"},
		{engine.Snapshot{Phase: engine.Failed, Iteration: 1, Verification: right}, "the run failed", ""},
	} {
		if reason, hint := c.snap.Unverified(); reason != c.reason || hint != c.hint {
			t.Errorf("%+v: got %q and %q, want %q and %q", c.snap.Verification, reason, hint, c.reason, c.hint)
		}
	}
}
