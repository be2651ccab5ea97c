package bench

import (
	"fmt"
	"testing"
)

// BenchmarkSim measures the programs of bench sim.
func BenchmarkSim(b *testing.B) {
	for _, k := range SimCases() {
		b.Run(fmt.Sprintf("%s/ranks=%d", k.Name, k.Ranks), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := k.run(b.Context(), nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(k.Messages*float64(b.N)/b.Elapsed().Seconds(), "msgs/s")
		})
	}
}

// Every row runs, is verified by its completion, and is complete. Only the benchmark runs the large
// broadcast.
func TestSimRows(t *testing.T) {
	rows, err := SimRows(t.Context(), []string{"sim_halo512"}, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Value <= 0 || rows[0].Limit <= 0 || rows[0].Ratio <= 0 || rows[0].Want == "" {
		t.Fatalf("rows: %+v", rows)
	}
	if _, err := SimRows(t.Context(), []string{"sim_halo513"}, 1, nil); err == nil {
		t.Fatal("an unknown row: want an error")
	}
}
