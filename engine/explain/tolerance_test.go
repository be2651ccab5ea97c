package explain_test

import (
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/presets"
)

// TestTolerances finds the tolerances of L, o, G and flops: in one scenario, or with CONFORM=1 in
// five. Both ends are simulated again and are on the right sides.
func TestTolerances(t *testing.T) {
	names := []string{"dot-models"}
	losses := []float64{0.05}
	if os.Getenv("CONFORM") != "" {
		names = append(names, "bcast-tree", "ft-fig18", "heat-noise", "overlap-sr8000")
		losses = []float64{0.01, 0.02, 0.05}
	}
	for _, name := range names {
		sc := scenarioOf(t, name)
		base, err := explain.Explain(t.Context(), sc, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range explain.ToleranceKeys(base) {
			for _, loss := range losses {
				x, err := explain.Tolerate(t.Context(), sc, base, key, loss, session.Options{})
				if err != nil {
					t.Errorf("%s: %s: %v", name, key, err)
					continue
				}
				t.Logf("%s: %s: %g %% lost between ×%.4g and ×%.4g, no limit %v, choices change %v, %d simulations", name, key,
					100*loss, x.Low, x.High, x.NoLimit, x.ChoicesChange, x.Simulations)
				if x.Simulations > 10 || x.Low > x.High {
					t.Errorf("%s: %s: %d simulations, ×%g to ×%g", name, key, x.Simulations, x.Low, x.High)
				}
				again := func(factor float64) float64 {
					r, err := explain.After(t.Context(), sc, []presets.Change{x.Change(base, factor)}, session.Options{})
					if err != nil {
						t.Fatal(err)
					}
					return float64(r.Total)/float64(base.Total) - 1
				}
				if lost := again(x.Low); lost > loss {
					t.Errorf("%s: %s ×%g loses %g, want at most %g", name, key, x.Low, lost, loss)
				}
				if lost := again(x.High); !x.NoLimit && lost <= loss {
					t.Errorf("%s: %s ×%g loses %g, want more than %g", name, key, x.High, lost, loss)
				}
			}
		}
	}
}
