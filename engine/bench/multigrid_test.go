package bench

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster/live"
)

// Rows of faces and of a train run, are verified, and are complete.
func TestMultigridRows(t *testing.T) {
	o := Options{Fabric: live.New(), Machine: thisHost, Only: []string{"mg_face_local", "mg_face_natural", "mg_train"},
		Rounds: 1, Batch: 1}
	all, err := MultigridRows(t.Context(), o, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 {
		t.Fatalf("%d rows, want 3", len(all))
	}
	for _, r := range all {
		if r.Value <= 0 || r.Want == "" || r.Note == "" || r.LimitName == "" {
			t.Errorf("row %+v", r)
		}
	}
	if _, err := MultigridRows(t.Context(), Options{Fabric: live.New(), Machine: thisHost, Only: []string{"mg_face"}},
		nil); err == nil {
		t.Error("an unknown row: want an error")
	}
}

// BenchmarkMultigrid simulates F-cycles of 64 ranks.
func BenchmarkMultigrid(b *testing.B) {
	events, seconds := 0.0, 0.0
	for b.Loop() {
		n, took, err := simulatedSolve(b.Context(), 64, 128)
		if err != nil {
			b.Fatal(err)
		}
		events, seconds = events+float64(n), seconds+took.Seconds()
	}
	b.ReportMetric(events/seconds, "events/s")
}
