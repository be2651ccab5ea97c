package reduction_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// run runs a reduction that must verify.
func run(t *testing.T, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := sessiontest.Run("reduction", nil, 2, knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
	if s.Failure != "" || !s.Verification.OK || !s.Verification.Done {
		t.Errorf("%v: failure %q, verification %+v", knobs, s.Failure, s.Verification)
	}
	return s
}

func metric(t *testing.T, s *engine.Snapshot, name string) float64 {
	t.Helper()
	m, ok := s.Metric(name)
	if !ok {
		t.Fatalf("no metric %s: %s", name, s.Failure)
	}
	return m.Value
}

// onPaper are the knobs of the machine of paper 2's figure 6, with eight nodes.
var onPaper = []string{"fabric", "sim", "machine", "sr8000-f1", "nodes", "8", "threads-per-rank", "8"}

// TestSettingsVerify tests that every setting computes the sum on both fabrics and in every model, also with fewer elements than
// processes, and with size-only vectors.
func TestSettingsVerify(t *testing.T) {
	for _, fabric := range []string{"live", "sim"} {
		for _, setting := range []string{"whole", "split", "overlapped"} {
			for _, model := range []string{"flat", "nested-funneled", "nested-multiple"} {
				for _, more := range [][]string{
					{"elements", "1"},
					{"elements", "1003", "ranking", "round-robin"},
					{"elements", "20011", "real-limit", "1000", "eager-limit", "0"},
				} {
					run(t, slices.Concat([]string{"fabric", fabric, "machine", "demo", "nodes", "3", "ranks-per-node", "2",
						"group", "2", "threads-per-rank", "3", "model", model, "reduction", setting}, more)...)
				}
			}
		}
	}
}

// TestSplitTimes tests section 7.1: all threads add a vector n times as fast as one. On the SR8000-F1 a thread moves
// 4 GB/s, and an addition moves 24 B: 7/8 of 10⁶ numbers take 5.25 ms. Splitting the reduction does
// not change its messages.
func TestSplitTimes(t *testing.T) {
	const alone = 7. / 8 * 1e6 * 24 / 4e9
	var comm [2]float64
	for i, setting := range []string{"whole", "split"} {
		s := run(t, append([]string{"elements", "1000000", "reduction", setting}, onPaper...)...)
		want := []float64{alone, alone / 8}[i]
		for _, name := range []string{"local_time", "local_time_model"} {
			if got := metric(t, s, name); math.Abs(got/want-1) > 1e-3 {
				t.Errorf("%s: %s %v s, want %v s", setting, name, got, want)
			}
		}
		comm[i] = metric(t, s, "comm_time")
	}
	if math.Abs(comm[0]/comm[1]-1) > 1e-3 {
		t.Errorf("communication takes %v s, and %v s if split", comm[0], comm[1])
	}
}

// TestStudySaysWhoShouldAdd tests that the study names the fastest setting and the reason. Overlapping pays for long vectors; for short
// ones its two messages per piece cost more than they hide.
func TestStudySaysWhoShouldAdd(t *testing.T) {
	for elements, want := range map[string][3]string{
		"1000000": {"whole, 8 threads: 20.7 ms per reduction; the local part takes 25% of it (simulated).",
			"whole, 8 threads is 1.3× slower: here all threads add, and none is reserved for communication.",
			"whole, 8 threads is 1.3× slower: here the other threads add while the master communicates."},
		"1": {"the local part takes 0% of it", "per reduction",
			"8 threads is 1.4× faster: "},
	} {
		w, err := workload.Find("reduction")
		if err != nil {
			t.Fatal(err)
		}
		table := study.NewTable(w.Studies[0])
		for i, setting := range []string{"whole", "split", "overlapped"} {
			s := run(t, append([]string{"elements", elements, "reduction", setting}, onPaper...)...)
			table.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
			if why := table.Look(s).Why; !strings.Contains(why, want[i]) {
				t.Errorf("%s elements, %s: %q, want %q in it", elements, setting, why, want[i])
			}
		}
	}
}

// TestRefusals tests that threads that add during MPI calls need FUNNELED, and one thread more than the master.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		knobs []string
		says  string
	}{
		{[]string{"reduction", "overlapped", "threading", "masteronly"}, "reduction = overlapped: threads add while the " +
			"master communicates, which masteronly forbids (use threading = funneled)"},
		{[]string{"reduction", "overlapped", "threads-per-rank", "1"}, "no other thread can add (use 2 or more threads"},
		{[]string{"reduction", "split", "threading", "single"}, "threads-per-rank = 4: want 1 under threading = single"},
	} {
		if _, err := sessiontest.Run("reduction", nil, 1, c.knobs...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: error %v, want %s", c.knobs, err, c.says)
		}
	}
	for _, setting := range []string{"whole", "split"} {
		run(t, "fabric", "sim", "machine", "demo", "threading", "masteronly", "reduction", setting)
	}
}
