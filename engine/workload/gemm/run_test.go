package gemm_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// try runs gemm with some knobs set, on the given machine or on one chosen by name.
func try(m *cluster.Machine, knobs ...string) (*engine.Snapshot, error) {
	return sessiontest.Run("gemm", m, 2, knobs...)
}

// sound runs gemm and requires that every element is verified.
func sound(t *testing.T, m *cluster.Machine, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := try(m, knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
	if s.Failure != "" || !s.Verification.OK || !s.Verification.Done ||
		!strings.Contains(s.Verification.Detail, "every element of C = A·B") {
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

// schedules are the schedules of the tests, with every transfer and every way to signal a free
// slot.
var schedules = [][]string{
	{"schedule", "blocking"},
	{"ahead", "1", "slices", "3"},
	{"ahead", "4", "eager-limit", "0"},
	{"schedule", "blocking", "transfer", "put", "sync-in", "nosync"},
	{"ahead", "1", "transfer", "put"},
	{"ahead", "2", "slices", "2", "transfer", "put", "sync-in", "nosync"},
	{"ahead", "3", "transfer", "put", "addresses", "local", "sync-in", "allsync", "sync-out", "allsync"},
	{"ahead", "2", "transfer", "rendezvous", "algorithm", "knomial"},
	{"ahead", "1", "transfer", "put", "addresses", "bounced", "algorithm", "chain", "segments", "3"},
}

// Every schedule multiplies exactly, on both fabrics, on any number of ranks. Neither blocks nor
// ranks divide the matrices (paper 5, section 6.1).
func TestSchedulesAreExact(t *testing.T) {
	for i, schedule := range schedules {
		for j, shape := range [][3]string{{"1", "1", "9"}, {"2", "1", "17"}, {"1", "3", "10"}, {"5", "1", "23"},
			{"2", "4", "29"}, {"4", "4", "35"}} {
			block := fmt.Sprint(3 + (i+j)%3)
			for _, where := range [][]string{{"fabric", "sim"}, {"machine", "this-host"}} {
				sound(t, nil,
					slices.Concat([]string{"nodes", shape[0], "ranks-per-node", shape[1], "n", shape[2], "block", block}, where,
						schedule)...)
			}
		}
	}
	sound(t, nil, "machine", "demo", "nodes", "2", "ranks-per-node", "2", "n", "19", "block", "4") // emulated
}

// Grids that are not square, more ranks than blocks, and blocks as large as the matrix.
func TestGrids(t *testing.T) {
	for _, knobs := range [][]string{
		{"rows", "1", "n", "11", "block", "2"}, {"rows", "8", "n", "11", "block", "2"},
		{"rows", "4", "n", "20", "block", "7"},
		{"n", "3", "block", "2"}, {"n", "6", "block", "6"}, {"n", "1", "block", "1"},
		{"n", "64", "block", "8", "world-seed", "3"},
	} {
		for _, transfer := range []string{"two-sided", "put"} {
			sound(t, nil,
				append(slices.Clone(knobs), "fabric", "sim", "nodes", "4", "ranks-per-node", "2", "transfer", transfer)...)
		}
	}
}

// A rank that computes forty times as slowly keeps its panels: roots that are ahead do not
// overwrite them. The credits come from the call itself, or from barriers of the program.
func TestSlowRankKeepsPanels(t *testing.T) {
	m := costs
	m.Slow = []cluster.Slow{{Node: 2, Adapter: -1, Factor: 40}}
	for _, in := range []string{"mysync", "allsync", "nosync"} {
		for _, ahead := range []string{"1", "3"} {
			sound(t, &m, "fabric", "sim", "nodes", "6", "ranks-per-node", "1", "n", "61", "block", "4", "transfer", "put",
				"sync-in", in, "ahead", ahead)
		}
	}
}

// costs is a machine whose transfers take longer than its products. Its broadcasts advance only
// inside calls.
var costs = cluster.Machine{
	Name: "costs", Emulated: true, Progress: cluster.ProgressCall, Flops: 1e9, MemoryRate: 8e9, EagerLimit: 1024,
	CoresPerNode: 4,
	Kernels:      [cluster.Kernels]float64{cluster.Dgemm: 0.5},
	Classes: [cluster.Classes]cluster.Link{
		{Latency: 100 * cluster.Nanosecond, Bandwidth: 4e9},
		{Latency: 500 * cluster.Nanosecond, Bandwidth: 2e9},
		{Latency: 2 * cluster.Microsecond, Overhead: 300 * cluster.Nanosecond, Bandwidth: 4e8, Adapters: 1},
	},
}

// Overlap needs progress. If only calls make progress, a prefetched broadcast waits for the product
// to end; polls between slices hide as much as adapters that work independently.
func TestOverlapNeedsProgress(t *testing.T) {
	at := func(knobs ...string) float64 {
		return value(t,
			sound(t, &costs,
				append([]string{"fabric", "sim", "nodes", "16", "ranks-per-node", "1", "n", "2048", "block", "64", "algorithm",
					"knomial", "cores", "4"}, knobs...)...), "compute_share")
	}
	blocking, unpolled, polled := at("schedule", "blocking"), at(), at("slices", "8")
	offload := at("progress", "offload")
	if !(blocking < unpolled && unpolled < polled) || offload < polled {
		t.Errorf("share of compute-only speed: blocking %.4f, prefetched %.4f, with polls %.4f, by adapters %.4f: want "+
			"increasing values", blocking, unpolled, polled, offload)
	}
}

// The rate is the kernel's: half of the peak, on the cores that the library uses. A rank alone on a
// node has all four cores.
func TestKernelRate(t *testing.T) {
	const n = 512
	for _, c := range []struct {
		knob string
		rate float64
	}{{"1", 0.5e9}, {"4", 2e9}, {"node", 2e9}} {
		s := sound(t, &costs, "fabric", "sim", "nodes", "1", "ranks-per-node", "1", "n", fmt.Sprint(n), "block", "64",
			"cores", c.knob)
		want := 2 * n * n * n / c.rate
		if got := value(t, s, "compute_time"); got < want || got > 1.001*want {
			t.Errorf("cores = %s: multiplying takes %v s, want %v s", c.knob, got, want)
		}
	}
	s := sound(t, &costs, "fabric", "sim", "nodes", "1", "ranks-per-node", "1", "n", fmt.Sprint(n), "block", "64",
		"cores", "1", "dgemm", "0.8")
	if got, want := value(t, s, "compute_time"), 2*n*n*n/0.8e9; got < want || got > 1.001*want {
		t.Errorf("a share of 0.8: multiplying takes %v s, want %v s", got, want)
	}
}

// A step broadcasts A's panel along a tree to each row of a grid of R × C, R·(C − 1) messages, and
// B's panel to each column, C·(R − 1) messages. All ranks of a line except one receive the n²
// numbers of each matrix (paper 5, section 6.1). A put waits for a flag that signals a free slot.
// Every 4·(ahead + 1) calls a team synchronizes in a dissemination barrier for its flags. A larger
// matrix sends only this more.
func TestMessageCounts(t *testing.T) {
	const nb, products, steps = 5, 2, 8
	const few, many = 4 * nb, 12*nb - 1
	for _, c := range []struct {
		rows, cols int
		ahead      int // 0: no puts
		knobs      []string
	}{
		{2, 2, 0, nil}, {3, 3, 0, []string{"schedule", "blocking"}}, {2, 4, 0, []string{"ahead", "3", "slices", "2"}},
		{4, 4, 0, []string{"algorithm", "chain"}},
		{1, 4, 0, nil}, {4, 1, 0, []string{"algorithm", "flat"}}, {2, 3, 1, []string{"transfer", "put"}},
		{3, 5, 1, []string{"transfer", "put", "slices", "3"}},
	} {
		sent := func(n int) (messages, bytes int) {
			s := sound(t, &costs,
				append([]string{"fabric", "sim", "nodes", fmt.Sprint(c.rows * c.cols), "ranks-per-node", "1", "rows",
					fmt.Sprint(c.rows),
					"block", fmt.Sprint(nb), "n", fmt.Sprint(n), "algorithm", "knomial"}, c.knobs...)...)
			for class := range s.Traffic.Ops {
				messages, bytes = messages+int(s.Traffic.Ops[class]), bytes+int(s.Traffic.Bytes[class])
			}
			return messages, bytes
		}
		edges := c.rows*(c.cols-1) + c.cols*(c.rows-1)
		messages := products * steps * edges
		if c.ahead > 0 {
			barrier := func(members int) int { return members * bits.Len(uint(members-1)) }
			messages += messages + products*steps/4/(c.ahead+1)*(c.rows*barrier(c.cols)+c.cols*barrier(c.rows))
		}
		others := c.cols - 1 + c.rows - 1                                      // receivers of a number of A and of one of B
		bytes := products * 8 * others * (many*many - few*few + nb*(many-few)) // including the panels that are timed alone
		a, b := sent(few)
		m, n := sent(many)
		if m-a != messages || n-b != bytes {
			t.Errorf("%d × %d, %v: 12 blocks send %d messages of %d B more than 4, want %d of %d B", c.rows, c.cols, c.knobs,
				m-a, n-b, messages, bytes)
		}
	}
}

// Refused scenarios name the cause and a hint.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		knobs []string
		says  []string
	}{
		{[]string{"n", "8", "block", "9"}, []string{"block = 9", "n = 8 rows", "use block = 8 or less"}},
		{[]string{"rows", "3"}, []string{"rows = 3: 16 ranks", "use a divisor of 16"}},
		{[]string{"sync-out", "nosync"}, []string{"sync-out = nosync", "use mysync"}},
		{[]string{"transfer", "put-only"}, []string{"put-only", "use"}},
		{[]string{"fabric", "sim", "machine", "bgp-intrepid", "nodes", "4", "ranks-per-node", "1", "n", "32768", "block",
			"256"}, []string{"bgp-intrepid has 2 GiB per node", "use a smaller problem"}},
	} {
		_, err := try(nil, c.knobs...)
		if err == nil {
			t.Errorf("%v: not refused", c.knobs)
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%v: refused with %q, want %q in it", c.knobs, err, part)
			}
		}
	}
}
