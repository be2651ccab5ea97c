package runs

import (
	"slices"
	"testing"
)

// All chosen runs are of registered workloads.
func TestChosenRunsAreRegistered(t *testing.T) {
	for name := range chosenRuns {
		if !slices.Contains(Workloads(), name) {
			t.Errorf("chosen run of an unknown workload %s", name)
		}
	}
}
