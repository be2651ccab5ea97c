package collective_test

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// If ranks compute during a call, the sentence and the gain of a change begin with the hidden
// share. If they do not, neither mentions it.
func TestSentenceSaysWhatIsHidden(t *testing.T) {
	for overlap, want := range map[string]map[string]string{
		"1000000": {"1": ": 467 µs per call, 3% of 217 µs hidden (simulated)",
			"256": ": 467 µs per call, 95% of 217 µs hidden (simulated)"},
		"0": {"1": ": 467 µs per call (simulated)"},
	} {
		for slices, says := range want {
			s, err := sessiontest.Run("collective", nil, 1, "fabric", "sim", "machine", "xt4-franklin", "nodes", "32",
				"ranks-per-node", "1",
				"collective", "allreduce", "algorithm", "ring", "size", "65536", "overlap", overlap, "slices", slices)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(s.Why, says) || strings.HasSuffix(s.Studies[0].Gain, " hidden") != (overlap != "0") {
				t.Errorf("overlap %s, %s slices: %q, gain %q, want %q", overlap, slices, s.Why, s.Studies[0].Gain, says)
			}
		}
	}
}
