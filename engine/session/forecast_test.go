package session_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
)

// TestForecastsHaveTheRowsOfRuns runs the values of a knob that are forecast. The run's row has the key of the
// forecast, and its model the forecast value. A knob that the model does not depend on has no forecasts.
func TestForecastsHaveTheRowsOfRuns(t *testing.T) {
	for _, c := range []struct {
		workload, knob, column string
		labels                 []string
	}{
		{"cartesian", "senders", "exchange_time", []string{"senders 1", "senders 2", "senders 4"}},
		{"heat", "reduce-every", "step_time", []string{"reduce every 1", "reduce every 10", "reduce every 100"}},
		{"gemm", "schedule", "gemm_time", []string{"schedule prefetch", "schedule blocking"}},
		{"collective", "size", "call_time", []string{"size 8 B", "size 64 B", "size 0 B", "size 512 B", "size 4096 B", "size 32768 B"}},
		{"cartesian", "seed", "", nil},
		{"multigrid", "variant", "", nil}, // without a model
	} {
		sc, err := session.Scenario(c.workload)
		if err != nil {
			t.Fatal(err)
		}
		if err := sc.Set("fabric", engine.Sim); err != nil {
			t.Fatal(err)
		}
		rows := session.Forecasts(&sc, c.knob, nil)
		if len(rows) != len(c.labels) {
			t.Fatalf("%s %s: %d forecasts, want %v", c.workload, c.knob, len(rows), c.labels)
		}
		if len(rows) == 0 {
			continue
		}
		k, err := sc.Knob(c.knob)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range rows {
			if r.Label != c.labels[i] || r.Kind != engine.Modelled {
				t.Errorf("%s: forecast %d is %q, %s, want %q, modelled", c.workload, i, r.Label, r.Kind, c.labels[i])
			}
		}
		s, err := sessiontest.Run(c.workload, nil, 1, "fabric", engine.Sim, c.knob, k.Next(sc.Text(c.knob), 1))
		if err != nil {
			t.Fatal(err)
		}
		model, _ := s.Metric(c.column + "_model")
		column := -1
		for i := range s.Studies[0].Columns {
			if s.Studies[0].Columns[i].Name == c.column {
				column = i
			}
		}
		if run := s.Studies[0].Present(); run.Key != rows[1].Key || rows[1].Cells[column] != model.Value || model.Value == 0 {
			t.Errorf("%s: the forecast is %q, %g s; the run is %q, and its model %g s", c.workload, rows[1].Key, rows[1].Cells[column],
				run.Key, model.Value)
		}
	}
}
