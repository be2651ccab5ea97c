package cartesian_test

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

// run runs an exchange that must verify, on the live fabric or in a simulation.
func run(t *testing.T, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := sessiontest.Run("cartesian", nil, 2, knobs...)
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

// TestPackingVerifies tests that strided data arrive complete in every model, however they are packed. The tested sizes also end
// inside an element, or are size-only.
func TestPackingVerifies(t *testing.T) {
	for _, fabric := range []string{"live", "sim"} {
		for _, packing := range []string{"derived", "scratch"} {
			for _, model := range []string{"flat", "nested-funneled", "nested-multiple"} {
				for _, senders := range []string{"1", "3"} {
					for _, more := range [][]string{
						{"size", "1"},
						{"size", "1003", "method", "nonblocking", "copies", "staged"},
						{"size", "70001", "directions", "together"},
					} {
						run(t, slices.Concat([]string{"fabric", fabric, "machine", "demo", "nodes", "3", "ranks-per-node", "2",
							"group", "2", "threads-per-rank", "3", "model", model, "packing", packing, "senders", senders,
							"real-limit", "100000"}, more)...)
					}
				}
			}
		}
	}
}

// TestPackingTimes tests section 7.1: the master packs a derived datatype alone, and all threads pack a scratch copy. On
// the SR8000-F1 a thread moves 4 GB/s, and n threads move n times as many. Two directions of n
// messages of b bytes take 2·2·n·b/(4 GB/s), or the n-th part of it. The rest of the exchange does not
// change.
func TestPackingTimes(t *testing.T) {
	const n, b = 8, 65536
	times := map[string]float64{}
	for _, packing := range []string{"contiguous", "derived", "scratch"} {
		s := run(t, "fabric", "sim", "machine", "sr8000-f1", "nodes", "4", "ranks-per-node", "1", "threads-per-rank", "8",
			"size", "65536", "packing", packing)
		times[packing] = metric(t, s, "exchange_time")
		if model := metric(t, s, "exchange_time_model"); math.Abs(model/times[packing]-1) > .02 {
			t.Errorf("%s: %v s, modelled %v s", packing, times[packing], model)
		}
	}
	one := 2 * 2 * n * b / 4e9
	for packing, want := range map[string]float64{"derived": one, "scratch": one / n} {
		if got := times[packing] - times["contiguous"]; math.Abs(got/want-1) > .02 {
			t.Errorf("%s: packing takes %v s, want %v s", packing, got, want)
		}
	}
}

// TestStudyComparesPacking tests that the study names the faster way to pack. All threads pack faster
// than the master. A scratch copy makes several senders wait for each other, and is slower.
func TestStudyComparesPacking(t *testing.T) {
	for senders, says := range map[string]string{"1": "The scratch copy wins (1.4×): all 8 threads pack it, and 1 a derived datatype.",
		"2": "The derived datatype wins (1.1×): its senders start no other threads"} {
		w, err := workload.Find("cartesian")
		if err != nil {
			t.Fatal(err)
		}
		table := study.NewTable(w.Studies[0])
		for i, packing := range []string{"derived", "scratch", "contiguous"} {
			s := run(t, "fabric", "sim", "machine", "sr8000-f1", "nodes", "4", "ranks-per-node", "1", "threads-per-rank", "8",
				"size", "65536", "senders", senders, "packing", packing)
			table.Begin(&s.Scenario, &cluster.Machine{}, engine.Measured)
			why := table.Look(s).Why
			if compares := strings.Contains(why, says); compares != (i == 1) {
				t.Errorf("%s senders, %s: %q; want %q in the comparison only", senders, packing, why, says)
			}
		}
	}
}
