package access_test

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	"github.com/hybridtop/hybridtop/engine/workload/access"
)

// run simulates two iterations on two nodes of a machine.
func run(t *testing.T, machine string, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := sessiontest.Run("access", nil, 2, append([]string{"fabric", "sim", "machine", machine, "nodes", "2",
		"ranks-per-node", "2"}, knobs...)...)
	if err != nil {
		t.Fatal(err)
	}
	if s.Failure != "" {
		t.Fatal(s.Failure)
	}
	return s
}

func value(t *testing.T, s *engine.Snapshot, name string) float64 {
	t.Helper()
	m, ok := s.Metric(name)
	if !ok {
		t.Fatalf("no metric %s", name)
	}
	return m.Value
}

// TestWaysHaveTheBandwidthOfTable2 tests that without contention each way except prefetch has the bandwidth of its formula: on machines with
// and without overheads, for reads and writes, contiguous and strided. The size is below the eager
// limit, because the formula of messages has no handshake. A window's fences cost more.
func TestWaysHaveTheBandwidthOfTable2(t *testing.T) {
	for _, machine := range []string{"demo", "xt4-franklin", "sr8000-f1"} {
		for _, direction := range []string{"read", "write"} {
			for _, stride := range []string{"1", "64"} {
				s := run(t, machine, "direction", direction, "stride", stride, "size", "4096")
				if !s.Verification.OK || s.Verification.Checks != 2*6 {
					t.Errorf("%s, %s, stride %s: %+v", machine, direction, stride, s.Verification)
				}
				for _, name := range []string{"two_sided", "page", "word", "buffering"} {
					got, want := value(t, s, "bandwidth_"+name), value(t, s, "formula_"+name)
					if stride != "1" && (name == "two_sided" || name == "buffering") {
						continue // the words are also packed
					}
					if math.Abs(got/want-1) > 0.01 {
						t.Errorf("%s, %s, stride %s: %s at %g B/s, want %g by its formula", machine, direction, stride, name, got,
							want)
					}
				}
			}
		}
	}
}

// TestPrefetchHidesTheLatency tests that a single prefetch of a word is a word access. More of them in progress take less time, until the
// link limits them: then the bandwidth is the formula's b∞.
func TestPrefetchHidesTheLatency(t *testing.T) {
	words := run(t, "demo", "method", "word", "size", "8192")
	last := value(t, words, "time_word")
	one := value(t, run(t, "demo", "method", "prefetch", "size", "8192", "line", "8", "depth", "1"), "time_prefetch")
	if math.Abs(one/last-1) > 0.01 {
		t.Errorf("1 prefetch in progress: %g s, word by word %g s", one, last)
	}
	for _, depth := range []string{"2", "4", "8"} {
		took := value(t, run(t, "demo", "method", "prefetch", "size", "8192", "line", "8", "depth", depth), "time_prefetch")
		if took > 0.55*last {
			t.Errorf("%s prefetches in progress: %g s, with half as many %g s", depth, took, last)
		}
		last = took
	}
	full := run(t, "xt4-franklin", "method", "prefetch", "size", "4194304", "line", "65536", "depth", "16")
	if got, want := value(t, full, "bandwidth_prefetch"), value(t, full, "formula_prefetch"); got < 0.95*want || got > want {
		t.Errorf("prefetch of 64 KiB: %g B/s, want nearly b∞ = %g", got, want)
	}
}

// TestPagesArePoorIfPartsAreNeeded tests that if one word of each page is needed, pages are slower than words.
func TestPagesArePoorIfPartsAreNeeded(t *testing.T) {
	dense, sparse := run(t, "demo", "size", "1024"), run(t, "demo", "size", "1024", "stride", "512")
	if page, word := value(t, dense, "time_page"), value(t, dense, "time_word"); page > word/50 {
		t.Errorf("contiguous: a page takes %g s, words %g s", page, word)
	}
	if page, word := value(t, sparse, "time_page"), value(t, sparse, "time_word"); page < word {
		t.Errorf("one word per page: pages take %g s, words %g s", page, word)
	}
}

// TestAForgottenWordIsReported tests that a way that forgets a word is reported, with its name, in both directions.
func TestAForgottenWordIsReported(t *testing.T) {
	defer access.SkipLastWord()()
	for _, method := range []string{"one-sided", "page", "word", "prefetch", "buffering"} {
		for _, direction := range []string{"read", "write"} {
			s := run(t, "demo", "method", method, "direction", direction, "size", "800", "stride", "3")
			if s.Verification.OK || !strings.Contains(s.Verification.Detail, method) {
				t.Errorf("%s, %s: %+v", method, direction, s.Verification)
			}
		}
	}
}

// TestOnlyMPILeavesTheGroup tests that UPC access ends at the group: with groups of one node, only the MPI ways reach another node.
func TestOnlyMPILeavesTheGroup(t *testing.T) {
	s := run(t, "demo", "model", "nested-multiple", "group", "2")
	if _, ok := s.Metric("time_word"); ok || value(t, s, "time_two_sided") <= 0 || value(t, s, "time_one_sided") <= 0 {
		t.Errorf("metrics %v", s.Metrics)
	}
	_, err := sessiontest.Run("access", nil, 1, "fabric", "sim", "model", "nested-multiple", "group", "2", "nodes", "2",
		"ranks-per-node", "2", "method", "word")
	if err == nil || !strings.Contains(err.Error(), "use larger groups") {
		t.Errorf("method = word across groups: %v", err)
	}
}
