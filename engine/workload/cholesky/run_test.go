package cholesky_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// try runs a factorization with some knobs set.
func try(t *testing.T, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := sessiontest.Run("cholesky", &costs, 1, append([]string{"machine", "demo"}, knobs...)...)
	if err != nil {
		return &engine.Snapshot{Failure: err.Error()}
	}
	return s
}

// sound runs a factorization and fails the test if it is not verified.
func sound(t *testing.T, says string, knobs ...string) *engine.Snapshot {
	t.Helper()
	s := try(t, knobs...)
	if s.Failure != "" || !s.Verification.OK || !s.Verification.Done || !strings.Contains(s.Verification.Detail, says) {
		t.Errorf("%v: failure %q, verification %+v; want %q", knobs, s.Failure, s.Verification, says)
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

// costs is a machine with costs of each kind. Intra-node messages have no overheads, so ranks that
// only communicate do not delay each other.
var costs = cluster.Machine{
	Name: "costs", Emulated: true, Progress: cluster.ProgressCall, Flops: 1e9, MemoryRate: 1e9, EagerLimit: 1024,
	CoresPerNode: 4,
	Kernels:      [cluster.Kernels]float64{cluster.Dgemm: 0.9, cluster.Potrf: 0.5, cluster.Trsm: 0.8},
	Classes: [cluster.Classes]cluster.Link{
		{Latency: 100 * cluster.Nanosecond, Bandwidth: 4e9},
		{Latency: 500 * cluster.Nanosecond, Bandwidth: 2e9},
		{Latency: 2 * cluster.Microsecond, Overhead: 300 * cluster.Nanosecond, Bandwidth: 1e9, Adapters: 1},
	},
}

const lastBit = "every element of U is bitwise correct"

// ways are the combinations of hand-off, transfer and lookahead.
var ways = [][]string{
	{"handoff", "direct"},
	{"handoff", "direct", "transfer", "put"},
	{"handoff", "column", "transfer", "rendezvous", "sync-in", "allsync", "eager-limit", "0"},
	{"handoff", "column", "transfer", "put", "addresses", "bounced", "algorithm", "knomial", "radix", "3", "segments",
		"3"},
	{"handoff", "column", "lookahead", "on"},
	{"handoff", "column", "lookahead", "on", "transfer", "put", "slices", "3", "algorithm", "chain"},
}

// U is bitwise correct on any number of processes and every fabric, with block sizes that divide
// nothing and grids of every shape.
func TestEveryWayIsExact(t *testing.T) {
	shapes := [][]string{
		{"nodes", "1", "ranks-per-node", "1"}, {"nodes", "2", "ranks-per-node", "1", "rows", "2"},
		{"nodes", "3", "ranks-per-node", "1"}, {"nodes", "1", "ranks-per-node", "5"},
		{"nodes", "2", "ranks-per-node", "4"}, {"nodes", "2", "ranks-per-node", "3", "rows", "3"},
		{"nodes", "4", "ranks-per-node", "4"}, {"nodes", "2", "ranks-per-node", "4", "rows", "4"},
	}
	sizes := [][]string{{"n", "61", "block", "7"}, {"n", "40", "block", "40"}, {"n", "29", "block", "1"},
		{"n", "1", "block", "1"}}
	for i, way := range ways {
		for j, shape := range shapes {
			size := sizes[(i+j)%len(sizes)]
			if j >= 4 && (i+j)%2 == 0 {
				size = sizes[0]
			}
			for k, where := range [][]string{{"fabric", "sim", "machine", "costs"}, {"machine", "this-host"}} {
				if testing.Short() && (i+j+k)%3 != 0 {
					continue
				}
				sound(t, lastBit, slices.Concat(way, shape, size, where)...)
			}
		}
	}
	for _, way := range ways {
		sound(t, lastBit,
			slices.Concat(way, []string{"machine", "demo", "nodes", "2", "ranks-per-node", "2", "n", "31", "block", "6"})...)
	}
}

// If only some ranks have an MPI rank, these ranks factor, and broadcasts put across groups.
func TestEveryModel(t *testing.T) {
	for _, model := range []string{"nested-funneled", "nested-multiple"} {
		for _, way := range [][]string{nil, {"handoff", "column", "transfer", "put"},
			{"handoff", "column", "transfer", "rendezvous", "lookahead", "on"}, {"rows", "1", "transfer", "put"}} {
			for _, where := range [][]string{{"machine", "this-host"}, {"fabric", "sim", "machine", "costs"}} {
				sound(t, lastBit,
					slices.Concat([]string{"nodes", "4", "ranks-per-node", "2", "group", "2", "model", model, "n", "50", "block",
						"6"}, where, way)...)
			}
		}
	}
}

// The residual of a random matrix has the size of rounding errors, and its factor matches gonum's.
func TestRandomMatrices(t *testing.T) {
	for i, way := range ways {
		s := sound(t, "U matches gonum",
			slices.Concat(way,
				[]string{"fabric", "sim", "machine", "costs", "matrix", "random", "seed", fmt.Sprint(i + 1), "nodes", "3",
					"ranks-per-node", "2", "n", "100", "block", "9"})...)
		if r := value(t, s, "residual"); !(r > 0 && r < 1) {
			t.Errorf("seed %d: a residual of %g, want rounding: above 0, below 1", i+1, r)
		}
	}
	sound(t, "below 16 (", "fabric", "sim", "machine", "costs", "matrix", "random", "nodes", "2", "ranks-per-node", "2",
		"n", "600", "block", "60", "real-limit", "1048576")
}

// An indefinite matrix ends the run with the row of its pivot, also in the last step, and without a
// deadlock.
func TestIndefinite(t *testing.T) {
	for _, way := range ways {
		for _, size := range []string{"61", "9", "2"} {
			s := try(t,
				slices.Concat(way,
					[]string{"fabric", "sim", "machine", "costs", "matrix", "indefinite", "nodes", "2", "ranks-per-node", "3", "n",
						size, "block", "2"})...)
			n := 0
			fmt.Sscan(size, &n)
			if want := fmt.Sprintf("the pivot of row %d is not positive; use matrix = exact or random",
				2*n/3); !strings.Contains(s.Failure, want) {
				t.Errorf("%v, %s rows: %q, want %q", way, size, s.Failure, want)
			}
		}
	}
}

// Each step sends TY − 1 messages in round 1, TX − 1 per column in round 2, one hand-off to each
// row of processes except the owner's, and TY − 1 per row in round 3, if blocks remain. The test
// compares the differences between a large and a small matrix.
func TestMessageCounts(t *testing.T) {
	const nb = 5
	for _, c := range []struct {
		tx, ty int
		knobs  []string
		direct bool
	}{
		{2, 2, []string{"handoff", "direct"}, true}, {3, 3, []string{"handoff", "column"}, false},
		{4, 4, []string{"handoff", "direct"}, true},
		{1, 4, []string{"handoff", "direct"}, true}, {2, 2, []string{"handoff", "column", "lookahead", "on"}, false},
	} {
		messages := func(blocks int) (all int64) {
			for k := range blocks - 1 {
				all += int64(c.ty-1) + int64(c.ty*(c.tx-1))
				rows, hands := map[int]bool{}, map[int]bool{}
				for i := k + 1; i < blocks; i++ {
					rows[i%c.tx*c.ty+i%c.ty] = true // a piece of a row from a column
					if i%c.tx != k%c.tx {
						hands[i%c.tx*c.ty+i%c.ty] = true
					}
				}
				all += int64(len(rows) * (c.ty - 1))
				if c.direct {
					all += int64(len(hands))
				}
			}
			return all
		}
		sent := func(blocks int) (all int64) {
			s := sound(t, lastBit,
				append(c.knobs, "fabric", "sim", "machine", "costs", "nodes", fmt.Sprint(c.tx*c.ty), "ranks-per-node", "1",
					"rows", fmt.Sprint(c.tx),
					"block", fmt.Sprint(nb), "n", fmt.Sprint(blocks*nb-1), "algorithm", "knomial")...)
			for _, n := range s.Traffic.Ops {
				all += n
			}
			return all
		}
		if got, want := sent(11)-sent(4), messages(11)-messages(4); got != want {
			t.Errorf("%d × %d processes, %v: 11 blocks send %d more messages than 4, want %d", c.tx, c.ty, c.knobs, got, want)
		}
	}
}

// A refusal says what to use instead.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		want  string
		knobs []string
	}{
		{"block = 16: larger than the matrix, n = 15; use block = 15 or less", []string{"n", "15"}},
		{"rows = 3: 16 processes do not divide into 3 rows; use a divisor, or rows = square", []string{"rows", "3"}},
		{"rows = 32: 16 processes do not divide into 32 rows", []string{"rows", "32"}},
		{"the hand-off is a put, which works only inside a UPC group; use handoff = column",
			[]string{"transfer", "put", "model", "nested-multiple"}},
		{"lookahead = on with handoff = direct: the hand-off between the rounds delays what lookahead hides; use " +
			"handoff = column", []string{"lookahead", "on"}},
		{"sync-in = nosync: a root could overwrite a panel that is still in use; use mysync or allsync",
			[]string{"sync-in", "nosync", "transfer", "put"}},
		{"sync-out = nosync: a panel is used as soon as the call returns; use mysync or allsync",
			[]string{"sync-out", "nosync"}},
		{"put-only",
			[]string{"transfer", "put-only", "sync-out", "allsync", "algorithm", "knomial", "nodes", "4", "ranks-per-node",
				"4"}},
		{"GiB", []string{"n", "1000000", "machine", "bgp-intrepid", "fabric", "sim", "nodes", "64", "ranks-per-node", "1"}},
	} {
		if s := try(t, c.knobs...); !strings.Contains(s.Failure, c.want) || !strings.Contains(s.Failure, "use") {
			t.Errorf("%v: %q, want %q and a hint with use", c.knobs, s.Failure, c.want)
		}
	}
}

// With lookahead, processes spend a smaller share in the rounds, and the results are the same.
func TestLookaheadHidesTheRounds(t *testing.T) {
	knobs := []string{"fabric", "sim", "machine", "costs", "nodes", "4", "ranks-per-node", "1", "n", "400", "block",
		"20", "handoff", "column", "matrix", "random", "real-limit", "1048576"}
	blocking, ahead := sound(t, "below 16", knobs...), sound(t, "below 16", append(knobs, "lookahead", "on")...)
	if a, b := value(t, blocking, "wait_share"), value(t, ahead, "wait_share"); b >= a {
		t.Errorf("share of the rounds is %.2f, with lookahead %.2f: want less", a, b)
	}
	if a, b := value(t, blocking, "residual"), value(t, ahead, "residual"); a != b {
		t.Errorf("residual %g, with lookahead %g: want the same", a, b)
	}
}
