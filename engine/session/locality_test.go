package session

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine/study"
)

// Random access follows the law: for G = 1 to 16 on 4 nodes × 4 ranks the shares are 1/G and
// |group ∩ node|/G within five standard errors. The scenario's seed makes the accesses
// reproducible.
func TestRandomAccessFollowsTheLaw(t *testing.T) {
	sc, err := Scenario("randomaccess")
	if err != nil {
		t.Fatal(err)
	}
	for knob, value := range map[string]string{"machine": "this-host", "accesses": "256", "flops": "0", "seed": "3"} {
		if err := sc.Set(knob, value); err != nil {
			t.Fatal(err)
		}
	}
	o := start(t, storyOf(t, "silent"), Options{Limits: Limits{Iterations: 1}}).options
	o.Limits, o.published = Limits{Iterations: 10}, nil
	rows, err := Sweep(t.Context(), sc, []Axis{{"group", []string{"1", "2", "4", "8", "16"}}}, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		p := rows[i].Snapshot.Study(study.LocalityName).Present()
		if p == nil || p.Cells[study.LocalityAccesses] != 10*16*256 {
			t.Fatalf("%s: %+v: %s", rows[i].Name(), p, rows[i].Snapshot.Failure)
		}
		at := p.Cells
		for _, s := range []struct {
			what          string
			measured, law float64
		}{{"rank", at[study.LocalityRank], at[study.LocalityLawRank]},
			{"node", at[study.LocalityNode], at[study.LocalityLawNode]}} {
			deviation := math.Sqrt(s.law * (1 - s.law) / at[study.LocalityAccesses])
			if math.Abs(s.measured-s.law) > 5*deviation {
				t.Errorf("%s (seed 3): %s-local share %g, the law says %g ± %g", rows[i].Name(), s.what, s.measured, s.law,
					deviation)
			}
		}
	}
}
