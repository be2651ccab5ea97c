package explain_test

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// TestReportedTime compares the explained time with the metric that the program reports, a mean over ranks. The programs
// heat and multigrid run once more after the last iteration, to verify their waits. The program gemm times its panels alone after the
// product. These parts are not explained.
func TestReportedTime(t *testing.T) {
	for _, c := range []struct {
		workload, metric string
		times            float64
	}{{"multigrid", "solve_time", 1}, {"heat", "step_time", 11}, {"gemm", "gemm_time", 1}} {
		sc, err := session.Scenario(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", engine.Sim); err != nil {
			t.Fatal(err)
		}
		o := session.Options{Fabrics: session.Fabrics(), Limits: session.Limits{Iterations: 2}}
		rows, err := session.Sweep(t.Context(), sc, nil, o, nil)
		if err != nil {
			t.Fatal(err)
		}
		reported, why := session.Result(rows[0].Snapshot, c.metric)
		if why != "" {
			t.Fatal(why)
		}
		r, err := explain.Explain(t.Context(), sc, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := reported.Value * c.times
		if got := r.Total.Seconds(); math.Abs(got-want) > 0.05*want {
			t.Errorf("%s: %g s explained, want %g s of %s", c.workload, got, want, c.metric)
		}
	}
}
