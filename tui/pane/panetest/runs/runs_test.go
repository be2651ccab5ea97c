package runs

import (
	"slices"
	"testing"
)

// The list of runs has no workload that is not registered.
func TestChosenRunsAreOfWorkloads(t *testing.T) {
	for name := range chosen {
		if !slices.Contains(Workloads(), name) {
			t.Errorf("there is no workload %s", name)
		}
	}
}
