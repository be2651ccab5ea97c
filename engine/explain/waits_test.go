package explain_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// TestWaits adds up the waits of a simulation, whose times are exact, and of a live run. They are part
// of the threads' time.
func TestWaits(t *testing.T) {
	for _, fabric := range []string{engine.Sim, "live"} {
		sc, err := session.Scenario("dot")
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", fabric); err != nil {
			t.Fatal(err)
		}
		w, err := explain.Waits(t.Context(), sc, session.Options{Fabrics: session.Fabrics()})
		if err != nil {
			t.Fatal(err)
		}
		if w.Threads == 0 || w.Total <= 0 || len(w.Waits) == 0 || sum(w.Waits) > w.Total {
			t.Errorf("%s: %+v", fabric, w)
		}
		remote := func(m explain.Term) bool { return strings.Contains(m.Name, "peer on another node") }
		if fabric == engine.Sim && !slices.ContainsFunc(w.Waits, remote) {
			t.Errorf("no wait for another node: %+v", w.Waits)
		}
	}
}
