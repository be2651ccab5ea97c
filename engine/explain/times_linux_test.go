package explain_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// processorTime returns the processor time of the process.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestProcessorTimes prints the processor time of the simulation that replaces a forecast.
func TestProcessorTimes(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("CONFORM=1 measures all scenarios")
	}
	within, all := 0, simulated(t)
	for _, p := range all {
		before := processorTime(t)
		if _, err := explain.After(t.Context(), scenarioOf(t, p.Name), latency(2), session.Options{}); err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		spent := processorTime(t) - before
		t.Logf("%-24s %7d ms", p.Name, spent.Milliseconds())
		if spent <= time.Second {
			within++
		}
	}
	t.Logf("%d of %d within 1 s", within, len(all))
}
