package all_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session"
	"github.com/hybridtop/hybridtop/engine/workload"
	"github.com/hybridtop/hybridtop/internal/race"
)

// TestEveryWorkloadOnCheapestPositions runs every workload with ranking = cheapest, on a torus and on nodes of
// several sockets. Each run verifies with the positions that the search found.
func TestEveryWorkloadOnCheapestPositions(t *testing.T) {
	if race.Enabled {
		t.Skip("a simulation runs one goroutine at a time")
	}
	machines, sizes := []string{"xt4-franklin", "ranger"}, [][2]string{{"4", "4"}, {"2", "8"}}
	if testing.Short() {
		machines, sizes = machines[:1], sizes[:1]
	}
	for _, w := range workload.All() {
		t.Run(w.Name, func(t *testing.T) {
			for _, machine := range machines {
				for _, size := range sizes {
					knobs := map[string]string{"machine": machine, "fabric": engine.Sim, "nodes": size[0],
						"ranks-per-node": size[1]}
					maps.Copy(knobs, w.Quick)
					if s, err := session.Scenario(w.Name); err == nil && s.Values["model"] != "flat" {
						knobs["group"] = size[1]
					}
					knobs["ranking"] = engine.Unplaced
					s := run(t, w.Name, knobs, session.Limits{Iterations: 2})
					if got := s.Scenario.Text("ranking"); !strings.HasPrefix(got, engine.Unplaced+" (") {
						t.Errorf("%v: ranking = %q, want positions", knobs, got)
					}
				}
			}
		})
	}
}
