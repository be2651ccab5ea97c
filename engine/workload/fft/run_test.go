package fft_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// try runs fft with some knobs set.
func try(iterations int, knobs ...string) (*engine.Snapshot, error) {
	return sessiontest.Run("fft", nil, iterations, knobs...)
}

// sound runs fft and requires that it verifies.
func sound(t *testing.T, iterations int, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := try(iterations, knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
	if s.Failure != "" || !s.Verification.OK || !s.Verification.Done {
		t.Errorf("%v: failure %q, verification %+v", knobs, s.Failure, s.Verification)
	}
	return s
}

func value(t *testing.T, s *engine.Snapshot, name string) float64 {
	t.Helper()
	m, ok := s.Metric(name)
	if !ok {
		t.Fatalf("no metric %s in %v; %s", name, s.Metrics, s.Failure)
	}
	return m.Value
}

// layout returns the knobs for a grid of ty × tz ranks.
func layout(ty, tz int) []string {
	nodes := 1
	if tz%2 == 0 {
		nodes = 2
	}
	return []string{"nodes", fmt.Sprint(nodes), "ranks-per-node", fmt.Sprint(ty * tz / nodes), "rows", fmt.Sprint(ty)}
}

var grids = [][2]int{{1, 1}, {1, 4}, {4, 4}, {2, 8}, {16, 1}}

// Class S has NASA's checksums on every grid, with either exchange (NPB; paper 5, section 6.3).
func TestClassS(t *testing.T) {
	steps := 6
	if testing.Short() {
		steps = 2
	}
	for i, g := range grids {
		for j, how := range []string{"packed", "slabs"} {
			if testing.Short() && (i+j)%3 != 0 {
				continue
			}
			where := []string{"fabric", "sim", "real-limit", "8388608"}
			if (i+j)%2 == 0 || i == 2 {
				where = []string{"machine", "this-host"}
			}
			s := sound(t, steps, slices.Concat([]string{"exchange", how}, layout(g[0], g[1]), where)...)
			if e := value(t, s, "checksum_error"); e > 1e-12 {
				t.Errorf("grid %v, %s: checksums are off by %.3g", g, how, e)
			}
		}
	}
}

// With two ranks one team has two members and the other has one. They compute NASA's checksums on
// either fabric, with either exchange, with messages and with puts.
func TestTwoRanks(t *testing.T) {
	for _, g := range [][2]int{{1, 2}, {2, 1}} {
		for _, where := range [][]string{{"machine", "this-host"},
			{"fabric", "sim", "real-limit", "8388608", "nodes", "2", "ranks-per-node", "1"}} {
			for _, how := range [][]string{{"exchange", "packed"}, {"exchange", "slabs"},
				{"exchange", "slabs", "transfer", "put", "sync-in", "nosync"}} {
				s := sound(t, 2, slices.Concat(how, layout(g[0], g[1]), where)...)
				if e := value(t, s, "checksum_error"); e > 1e-12 || s.Layout.Ranks() != 2 {
					t.Errorf("grid %v, %v, %v, %d ranks: checksums are off by %.3g", g, where, how, s.Layout.Ranks(), e)
				}
			}
		}
	}
}

// Class W in real time on this host.
func TestClassW(t *testing.T) {
	if testing.Short() {
		t.Skip("a second a grid")
	}
	for _, g := range [][2]int{{2, 2}, {1, 8}} {
		sound(t, 6, slices.Concat([]string{"class", "W", "machine", "this-host"}, layout(g[0], g[1]))...)
	}
}

// Every algorithm, transfer, address mode and synchronization returns the same checksum, in boxes
// with equal or different sides that are not powers of two.
func TestExchangeChoices(t *testing.T) {
	for i, way := range [][]string{
		{"algorithm", "pairwise"},
		{"algorithm", "bruck", "radix", "3", "slices", "5"},
		{"transfer", "put"},
		{"transfer", "put", "addresses", "local", "sync-in", "allsync", "sync-out", "allsync"},
		{"transfer", "put", "addresses", "bounced", "sync-in", "nosync"},
		{"transfer", "put", "sync-in", "nosync", "slabs", "2"},
		{"transfer", "rendezvous", "sync-in", "nosync"},
		{"transfer", "rendezvous", "addresses", "local"},
		{"eager-limit", "0", "sync-in", "allsync"},
		{"algorithm", "hierarchical"},
		{"algorithm", "hierarchical", "transfer", "put"},
	} {
		for j, g := range [][2]int{{3, 2}, {5, 1}, {1, 3}, {2, 4}} {
			sides := []string{"class", "own", "nx", fmt.Sprint(g[0] * g[1] * 4), "ny", fmt.Sprint(g[0] * g[1] * 2), "nz",
				fmt.Sprint(g[0] * g[1] * 6)}
			where := []string{"fabric", "sim"}
			if (i+j)%3 == 0 {
				where = []string{"machine", "this-host"}
			}
			sound(t, 2, slices.Concat(sides, layout(g[0], g[1]), where, way)...)
		}
	}
}

// A step's messages and bytes equal the closed form. Each rank sends one message per slab to each
// other member of its two teams (paper 5, section 3.4: a flat exchange), and the same number for
// the slab that is timed alone. The sum of the checksum uses recursive doubling.
func TestMessages(t *testing.T) {
	const ranks, points, doublings = 16, 32 * 32 * 32, 4
	for _, g := range [][2]int{{4, 4}, {2, 8}, {1, 16}, {16, 1}} {
		for _, how := range []string{"packed", "slabs"} {
			knobs := slices.Concat([]string{"fabric", "sim", "exchange", how, "algorithm", "flat", "class", "own", "nx", "32",
				"ny", "32", "nz", "32"}, layout(g[0], g[1]))
			counts := func(iterations int) (messages, bytes int64) {
				s := sound(t, iterations, knobs...)
				for c := range s.Traffic.Ops {
					messages += s.Traffic.Ops[c]
					bytes += s.Traffic.Bytes[c]
				}
				return messages, bytes
			}
			one, few := counts(1)
			three, more := counts(3)
			slabs := 1
			if how == "slabs" {
				slabs = 32 / g[1]
			}
			peers := g[0] - 1 + g[1] - 1
			sent := 16*points*(g[0]-1)/g[0] + 16*points*(g[1]-1)/g[1]
			messages := ranks * (peers*(slabs+1) + doublings)
			bytes := sent + sent/slabs + ranks*doublings*16
			if got, sizes := int(three-one)/2, int(more-few)/2; got != messages || sizes != bytes {
				t.Errorf("grid %v, %s: %d messages of %d B per step, want %d of %d", g, how, got, sizes, messages, bytes)
			}
		}
	}
}

// Refused scenarios name the cause and a hint.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		says  string
		knobs []string
	}{
		{"use a divisor of them", []string{"rows", "3"}},
		{"does not divide the 64 points along x (use other rows", []string{"nodes", "3", "ranks-per-node", "1"}},
		{"does not divide the 16 planes", []string{"ranks-per-node", "4", "slabs", "3"}},
		{"does not divide the 10 points along z", []string{"class", "own", "nz", "10"}},
		{map[int]string{32: "4 PiB, more than a 32-bit program can address",
			64: "needs 16 PiB of memory (points"}[strconv.IntSize],
			[]string{"class", "own", "nx", "65536", "ny", "65536", "nz", "65536", "real-limit", "17179869184", "machine",
				"this-host"}},
	} {
		s, err := try(1, c.knobs...)
		text := fmt.Sprint(err)
		if err == nil {
			text = s.Failure
		}
		if !strings.Contains(text, c.says) {
			t.Errorf("%v: %q, want %q", c.knobs, text, c.says)
		}
	}
}

// TestExchangesAloneExceedTheStep runs a step that hides most of its exchanges. Without computing, the
// exchanges take longer than the step.
func TestExchangesAloneExceedTheStep(t *testing.T) {
	s := sound(t, 1, "fabric", "sim", "machine", "bgp-intrepid", "nodes", "32", "ranks-per-node", "1", "class", "own", "nx", "1024",
		"ny", "1024", "nz", "256", "rows", "4", "slabs", "16", "algorithm", "pairwise", "transfer", "put", "sync-in", "nosync")
	if alone, step := value(t, s, "exchange_alone"), value(t, s, "step_time"); alone <= step {
		t.Errorf("exchanges take %g s alone, want more than the step's %g s", alone, step)
	}
}
