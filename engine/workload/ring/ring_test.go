package ring_test

import (
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/ring"
)

// On the machine demo, a hop between nodes takes 2 µs of latency and 0.1 ns per byte. Above
// the eager limit of 8192 bytes, a handshake adds the latency twice. Ranks do not begin an
// iteration at exactly the same time, so the test allows 10 %.
func TestAHopTakesTheTimeOfItsMessage(t *testing.T) {
	for size, want := range map[string]float64{"8": 2.0008e-6, "8192": 2.8192e-6, "8193": 6.8193e-6} {
		s, err := sessiontest.Run("ring", nil, 2, "fabric", "sim", "machine", "demo", "nodes", "4", "ranks-per-node", "1", "size", size)
		if err != nil {
			t.Fatal(err)
		}
		if !s.Verification.OK || s.Verification.Checks != 2*4 {
			t.Errorf("%s B: failure %q, verification %+v", size, s.Failure, s.Verification)
		}
		if hop, ok := s.Metric("hop_time"); !ok || math.Abs(hop.Value-want) > 0.1*want {
			t.Errorf("%s B: a hop took %g s, want %g s", size, hop.Value, want)
		}
	}
}
