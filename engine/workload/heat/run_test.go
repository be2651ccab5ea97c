package heat_test

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
)

// try runs heat with some knobs set, on the given machine or on one chosen by name.
func try(m *cluster.Machine, iterations int, knobs ...string) (*engine.Snapshot, error) {
	return sessiontest.Run("heat", m, iterations, knobs...)
}

// sound runs heat and requires that it verifies and names its checks.
func sound(t *testing.T, m *cluster.Machine, says string, knobs ...string) *engine.Snapshot {
	t.Helper()
	s, err := try(m, 2, knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
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

const bits = "equals the sequential program's"

// Every variant computes the sequential temperatures, bit for bit, on any number of ranks and on
// every fabric, also with rare reductions and with another numbering of MPI ranks.
func TestVariantsEqualSequential(t *testing.T) {
	for _, variant := range [][]string{
		{"variant", "two-sided"},
		{"variant", "two-sided", "prepost", "on", "eager-limit", "0", "overlap", "off"},
		{"variant", "put-rpc", "world-seed", "2"},
		{"variant", "put-signal", "overlap", "off"},
	} {
		for i, shape := range [][2]string{{"1", "1"}, {"2", "1"}, {"2", "3"}, {"1", "7"}, {"3", "4"}} {
			for j, where := range [][]string{{"fabric", "sim"}, {"machine", "this-host"}} {
				every := strconv.Itoa(1 + 2*((i+j)%2))
				sound(t, nil, bits,
					slices.Concat([]string{"nodes", shape[0], "ranks-per-node", shape[1], "size", "9", "steps", "6", "reduce-every",
						every}, where, variant)...)
			}
		}
		sound(t, nil, bits,
			slices.Concat([]string{"machine", "demo", "nodes", "2", "ranks-per-node", "2", "size", "8", "steps", "4"},
				variant)...)
		sound(t, nil, bits,
			slices.Concat([]string{"fabric", "sim", "nodes", "2", "ranks-per-node", "3", "size", "8", "steps", "4", "model",
				"nested-multiple", "group", "6"}, variant)...)
	}
}

// TestThreadsEqualSequential tests that threads share the rows of a block, and compute the sequential temperatures, bit for bit. A rank may have more
// threads than rows.
func TestThreadsEqualSequential(t *testing.T) {
	for _, where := range [][]string{{"fabric", "sim"}, {"machine", "this-host"}, {"machine", "demo", "threading", "masteronly"}} {
		for _, threads := range []string{"2", "3", "100"} {
			sound(t, nil, bits, slices.Concat([]string{"nodes", "2", "ranks-per-node", "2", "size", "9", "steps", "6",
				"threads-per-rank", threads}, where)...)
		}
	}
}

// TestThreadsShareTheTime tests that two threads compute in half the time, in addition to the time of their regions.
func TestThreadsShareTheTime(t *testing.T) {
	m := costs
	m.ForkTime = 3 * cluster.Microsecond
	knobs := []string{"fabric", "sim", "nodes", "2", "ranks-per-node", "1", "size", "40", "overlap", "off"}
	one := value(t, sound(t, &m, "", knobs...), "compute_time")
	two := value(t, sound(t, &m, "", append(knobs, "threads-per-rank", "2")...), "compute_time")
	if got, want := two, one/2+3*m.ForkTime.Seconds(); math.Abs(got/want-1) > 0.01 {
		t.Errorf("two threads compute for %g s, want %g s", got, want)
	}
}

// The averages that the example has published.
func TestPublishedAverages(t *testing.T) {
	const published = "the average temperature equals the published one"
	for _, c := range [][2]string{{"20", "10"}, {"20", "100"}, {"20", "1000"}, {"100", "10"}, {"100", "100"}} {
		if testing.Short() && (c[0] == "100" || c[1] == "1000") {
			continue
		}
		sound(t, nil, published, "fabric", "sim", "nodes", "2", "ranks-per-node", "3", "size", c[0], "steps", c[1],
			"variant", "put-signal", "real-limit", "16777216")
	}
}

// A rank that computes forty times as slowly lets its neighbours run ahead as far as the faces
// allow. Two inboxes are enough.
func TestSlowRankWithoutReductions(t *testing.T) {
	m := costs
	m.Slow = []cluster.Slow{{Node: 2, Adapter: -1, Factor: 40}}
	for _, variant := range []string{"two-sided", "put-rpc", "put-signal"} {
		sound(t, &m, bits, "fabric", "sim", "nodes", "6", "ranks-per-node", "1", "size", "12", "steps", "20",
			"reduce-every", "10", "variant", variant)
	}
}

// Blocks in device memory have the sequential bits on every fabric. Kernels compute them; in real
// time on this host a device is only a label.
func TestDevicesEqualSequential(t *testing.T) {
	for i, memory := range []string{"staged", "direct"} {
		for j, variant := range []string{"two-sided", "put-rpc", "put-signal"} {
			overlap := []string{"on", "off"}[(i+j)%2]
			for _, where := range [][]string{{"machine", "ac922-summit", "fabric", "sim"}, {"machine", "this-host"},
				{"machine", "ac922-summit", "dilation", "1"}} {
				if where[1] == "ac922-summit" && len(where) == 4 && where[2] == "dilation" && testing.Short() && i > 0 {
					continue
				}
				sound(t, nil, bits,
					slices.Concat([]string{"nodes", "2", "ranks-per-node", "3", "size", "9", "steps", "5", "memory", memory,
						"variant", variant, "overlap", overlap}, where)...)
			}
		}
	}
}

// One inbox and a counter that is reset to 0, as in listing 2, are safe while every step has a
// reduction. Without it, a face of the next step is counted for this step, and the run does not
// verify or waits forever. Two inboxes are safe under the same conditions.
func TestOneInboxRaces(t *testing.T) {
	m := costs
	m.Slow = []cluster.Slow{{Node: 2, Adapter: -1, Factor: 40}}
	knobs := []string{"fabric", "sim", "nodes", "6", "ranks-per-node", "1", "size", "12", "steps", "20"}
	for _, variant := range []string{"put-rpc", "put-signal"} {
		with := append(slices.Clone(knobs), "variant", variant)
		sound(t, &m, bits, append(with, "inboxes", "one")...)
		sound(t, &m, bits, append(with, "inboxes", "two", "reduce-every", "10")...)
		var results [2]string
		for i := range results {
			s, err := try(&m, 1, append(with, "inboxes", "one", "reduce-every", "10")...)
			if err != nil {
				t.Fatal(err)
			}
			if s.Failure == "" && s.Verification.OK {
				t.Errorf("%s: one inbox without reductions was not detected: %+v", variant, s.Verification)
			}
			results[i] = s.Failure + s.Verification.Detail
		}
		if results[0] != results[1] {
			t.Errorf("%s: the race has two different results: %q and %q", variant, results[0], results[1])
		}
	}
}

// Detours take additional time, which depends only on the seed, and more at a higher rate.
func TestNoise(t *testing.T) {
	at := func(rate, seed string) float64 {
		return value(t,
			sound(t, &costs, bits, "fabric", "sim", "nodes", "3", "ranks-per-node", "1", "size", "12", "steps", "60",
				"noise-rate", rate, "noise-length", "0.0001", "seed", seed), "step_time")
	}
	none, some, more := at("0", "1"), at("200", "1"), at("2000", "1")
	if again := at("200", "1"); again != some {
		t.Errorf("a step takes %v s and %v s with equal seeds", some, again)
	}
	if other := at("200", "2"); other == some {
		t.Errorf("a step takes %v s with another seed, too", other)
	}
	if some <= none || more <= some {
		t.Errorf("a step takes %v, %v and %v s at 0, 200 and 2000 detours per second: want more each time", none, some, more)
	}
}

// costs is a machine with costs of every kind.
var costs = cluster.Machine{
	Name: "costs", Emulated: true, Progress: cluster.ProgressThread, Flops: 1e9, MemoryRate: 1e9, EagerLimit: 1024,
	HandlerTime: 300 * cluster.Nanosecond,
	Classes: [cluster.Classes]cluster.Link{
		{Latency: 100 * cluster.Nanosecond, Bandwidth: 4e9},
		{Latency: 500 * cluster.Nanosecond, Bandwidth: 2e9},
		{Latency: 2 * cluster.Microsecond, Overhead: 300 * cluster.Nanosecond, Bandwidth: 1e9, Adapters: 1},
	},
	Device: cluster.Device{Count: 2, Memory: 1 << 20, Rate: 1e11, Flops: 1e12,
		Link: cluster.Link{Latency: 5 * cluster.Microsecond, Bandwidth: 1e10}},
}

// Staged faces in device memory wait for the copies through host memory; direct faces do not.
func TestStagingCosts(t *testing.T) {
	at := func(memory, variant string) float64 {
		return value(t,
			sound(t, &costs, bits, "fabric", "sim", "nodes", "4", "ranks-per-node", "1", "size", "20", "memory", memory,
				"variant", variant), "exchange_time")
	}
	for _, variant := range []string{"two-sided", "put-rpc", "put-signal"} {
		staged, direct := at("staged", variant), at("direct", variant)
		if more := staged - direct; more < 2*costs.Device.Link.Latency.Seconds() {
			t.Errorf("%s: staged %v s, direct %v s: want two copies' latency more", variant, staged, direct)
		}
	}
}

// Above the eager limit a message waits for its receive and a put does not. The model predicts the
// same order.
func TestPutsBeatMessagesAboveTheEagerLimit(t *testing.T) {
	var took, modelled [2]float64
	for i, variant := range []string{"two-sided", "put-signal"} {
		s := sound(t, &costs, bits, "fabric", "sim", "nodes", "4", "ranks-per-node", "1", "size", "24", "steps", "8",
			"reduce-every", "100", "variant", variant)
		took[i], modelled[i] = value(t, s, "step_time"), value(t, s, "step_time_model")
	}
	if took[1] >= took[0] || modelled[1] >= modelled[0] {
		t.Errorf("two-sided and put-signal take %v s, modelled %v: want less for the puts", took, modelled)
	}
	alone := sound(t, &costs, bits, "fabric", "sim", "nodes", "1", "ranks-per-node", "1")
	if a, b := value(t, alone, "step_time"), value(t, alone, "step_time_model"); a < 0.999*b || a > 1.001*b {
		t.Errorf("a process alone takes %v s, modelled %v s", a, b)
	}
}

// Refused scenarios name the cause and a hint.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		knobs []string
		says  []string
	}{
		{[]string{"size", "3"}, []string{"size", "4"}},
		{[]string{"steps", "3"}, []string{"steps", "4"}},
		{[]string{"nodes", "17", "ranks-per-node", "1", "size", "16"},
			[]string{"17 processes form a grid of 17×1×1", "use size = 17 or more"}},
		{[]string{"model", "nested-multiple", "variant", "put-signal"},
			[]string{"under model = nested-multiple with 4 groups: a put cannot leave its UPC group",
				"use model = flat, or one group, or variant = two-sided"}},
		{[]string{"fabric", "sim", "memory", "direct"}, []string{"machine demo has no devices", "use memory = host"}},
		{[]string{"memory", "staged"}, []string{"machine demo has no devices", "use memory = host"}},
		{[]string{"inboxes", "one", "variant", "put-signal", "reduce-every", "2"}, []string{"a race", "use fabric = sim"}},
		{[]string{"machine", "ac922-summit", "fabric", "sim", "ranks-per-node", "7", "memory", "direct"},
			[]string{"7 ranks per node", "use ranks-per-node = 6"}},
		{[]string{"machine", "ac922-summit", "fabric", "sim", "nodes", "1", "ranks-per-node", "1", "size", "1600", "memory",
			"direct"}, []string{"a device of ac922-summit has", "use a smaller size"}},
	} {
		_, err := try(nil, 1, c.knobs...)
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

// Paper 4's machine at a size that no host can hold: 768 devices with a cube of 6400³.
func TestACubeOfThePaper(t *testing.T) {
	if os.Getenv("CONFORM") == "" {
		t.Skip("takes seconds under the race detector: CONFORM=1 runs it")
	}
	s := sound(t, nil, "balances", "machine", "ac922-summit", "fabric", "sim", "nodes", "128", "ranks-per-node", "6",
		"memory", "direct", "size", "6400", "steps", "4", "variant", "put-signal")
	cells := 6400. * 6400 * 6400 / 768
	if compute := value(t, s, "compute_time"); compute < cells*40/900e9 || compute > 1.1*cells*40/900e9 {
		t.Errorf("computing takes %v s, want about 40 B per cell at 900 GB/s", compute)
	}
}
