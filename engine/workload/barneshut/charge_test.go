package barneshut_test

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session/sessiontest"

	_ "github.com/hybridtop/hybridtop/engine/workload/barneshut"
)

// Reads that are charged together do not wait for reads of other ranks. With 256 ranks of the
// paper's cluster, the difference is less than 1 % of the slowest rank's time.
func TestBulkIsExactWithinAHundredth(t *testing.T) {
	if testing.Short() {
		t.Skip("each of five million reads is simulated")
	}
	var slowest [2]float64
	for i, charge := range []string{"exact", "bulk"} {
		s, err := sessiontest.Run("barneshut", nil, 1, "fabric", "sim", "machine", "osc-ibm1350", "nodes", "64", "ranks-per-node", "4",
			"model", "flat", "bodies", "16384", "charge", charge)
		if err != nil {
			t.Fatal(err)
		}
		m, ok := s.Metric("force_time_slowest")
		if !ok || !s.Verification.OK {
			t.Fatalf("charge %s: %v, %+v, %s", charge, m, s.Verification, s.Failure)
		}
		slowest[i] = m.Value
	}
	if off := slowest[1]/slowest[0] - 1; math.Abs(off) > 0.01 {
		t.Errorf("the slowest rank takes %v s with charge = exact, %v s with bulk: %.2f %%", slowest[0], slowest[1], 100*off)
	}
}
