package explain_test

import (
	"cmp"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// TestSentencesAgree turns the first knob of each scenario. The sentence about the change states a ratio of times,
// and the waterfall of the same change has the same ratio. An effective bandwidth averages over messages of all
// sizes, and the waterfall is about the last ones: both must state the same direction.
func TestSentencesAgree(t *testing.T) {
	const (
		tolerance = 1.1 // a study may leave out the last wait of an iteration
		random    = 1.5 // the random numbers of a program differ between iterations
	)
	for _, p := range simulated(t) {
		t.Run(p.Name, func(t *testing.T) {
			before, after := scenarioOf(t, p.Name), scenarioOf(t, p.Name)
			k, err := after.Knob(cmp.Or(p.FirstKnob, workload.First(&after, engine.Simulated)))
			if err != nil {
				t.Fatal(err)
			}
			old := after.Text(k.Name)
			for _, step := range []int{1, -1} {
				if k.Next(old, step) != old {
					if err := after.Set(k.Name, k.Next(old, step)); err != nil {
						t.Fatal(err)
					}
					break
				}
			}
			o := session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 2}}
			rows, err := session.RunRows(t.Context(), make([]session.Row, 2), []engine.Scenario{before, after}, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			text := session.Change(rows[0].Snapshot, rows[1].Snapshot)
			from, ok := session.Headline(rows[0].Snapshot)
			to, okTo := session.Headline(rows[1].Snapshot)
			if !ok || !okTo || text == "" {
				t.Skipf("%s from %s to %s: no sentence: %s", k.Name, old, after.Text(k.Name), rows[1].Snapshot.Failure)
			}
			a, err := explain.Explain(t.Context(), before, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			b, err := explain.Explain(t.Context(), after, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			stated, path := from.Value/to.Value, a.Total.Seconds()/b.Total.Seconds()
			t.Logf("%s: %s; waterfall %s → %s, %.3f×", k.Name, text, a.Total, b.Total, path)
			w, err := workload.Find(before.Workload)
			if err != nil {
				t.Fatal(err)
			}
			switch limit := tolerance; {
			case from.Unit != "s":
				if rows[0].Snapshot.Layout.Ranks() == rows[1].Snapshot.Layout.Ranks() && (stated > 1) == (path > 1) {
					t.Errorf("%q: the waterfall has the opposite direction: %.3f", text, path)
				}
			default:
				if !w.Steady {
					limit = random
				}
				if math.Abs(math.Log(stated/path)) > math.Log(limit) {
					t.Errorf("%q: the sentence states %.3f, the waterfall %.3f", text, stated, path)
				}
			}
		})
	}
}
