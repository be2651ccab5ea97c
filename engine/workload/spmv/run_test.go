package spmv_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/session/sessiontest"
	_ "github.com/hybridtop/hybridtop/engine/workload/all"
	"github.com/hybridtop/hybridtop/models"
)

// ideal is a machine whose threads, messages and loops have no costs except for their bytes, as
// equations (1) to (14) assume.
var ideal = cluster.Machine{
	Name: "ideal", Emulated: true, Progress: cluster.ProgressCall, Flops: 1e9, MemoryRate: 120e6 * 8, EagerLimit: 1 << 20,
	Classes: [cluster.Classes]cluster.Link{{}, {}, {Bandwidth: 1e9, ThreadRate: 1e9, Adapters: 2}}, // a thread uses one
}

// run runs spmv with some knobs set, and returns its result.
func run(t *testing.T, m *cluster.Machine, iterations int, knobs ...string) *engine.Snapshot {
	t.Helper()
	snap, err := try(m, iterations, knobs...)
	if err != nil {
		t.Fatalf("%v: %v", knobs, err)
	}
	return snap
}

func try(m *cluster.Machine, iterations int, knobs ...string) (*engine.Snapshot, error) {
	return sessiontest.Run("spmv", m, iterations, knobs...)
}

// sound requires that a run has verified its products.
func sound(t *testing.T, s *engine.Snapshot, what ...string) {
	t.Helper()
	if s.Failure != "" || !s.Verification.OK || !s.Verification.Done {
		t.Errorf("%v: failure %q, verification %+v", what, s.Failure, s.Verification)
	}
}

func value(t *testing.T, s *engine.Snapshot, name string) float64 {
	t.Helper()
	m, ok := s.Metric(name)
	if !ok {
		t.Fatalf("no metric %s in %v; %s", name, s.Metrics, s.Failure)
	}
	return m.Value
}

// Every scheme computes the right product on both fabrics, with any number of
// threads, planes and processes.
func TestSchemesVerify(t *testing.T) {
	schemes := [][]string{
		{"threading", "single", "threads-per-rank", "1"},
		{"threading", "masteronly", "threads-per-rank", "3"},
		{"threading", "funneled", "threads-per-rank", "2"},
		{"threading", "funneled", "threads-per-rank", "4", "master-section", "barriers"},
		{"threading", "serialized", "threads-per-rank", "3"},
		{"threading", "serialized", "threads-per-rank", "3", "nowait", "off"},
		{"threading", "serialized", "threads-per-rank", "3", "section", "master"},
		{"threading", "multiple", "threads-per-rank", "4", "reserved", "3"},
		{"threading", "multiple", "threads-per-rank", "3", "reserved", "balanced"},
	}
	shapes := [][]string{
		{"nodes", "1", "local-k", "1"},
		{"nodes", "2", "local-k", "2", "split", "planes"},
		{"nodes", "2", "ranks-per-node", "2", "local-k", "3", "ranking", "round-robin", "eager-limit", "0"},
	}
	for _, fabric := range []string{"live", "sim"} {
		for _, machine := range []string{"this-host", "demo"} {
			if fabric == "sim" && machine == "this-host" {
				continue // it has no costs
			}
			for _, scheme := range schemes {
				for _, shape := range shapes {
					knobs := slices.Concat([]string{"fabric", fabric, "machine", machine, "ni", "6", "nj", "5"}, scheme, shape)
					s := run(t, nil, 2, knobs...)
					sound(t, s, knobs...)
					if s.Failure == "" && value(t, s, "wrong_rows") != 0 {
						t.Errorf("%v: wrong rows, and verified", knobs)
					}
				}
			}
		}
	}
}

// fractions returns the fractions of masteronly in a run.
func fractions(t *testing.T, s *engine.Snapshot) models.Fractions {
	return models.Fractions{Comm: value(t, s, "f_comm"), NonOverlap: value(t, s, "f_non"),
		Overlap: value(t, s, "f_overlap")}
}

// Equation (3): if only bytes have a cost, ε follows from the fractions of masteronly, with either
// split and any m. The equation omits the last byte of a message (1 ns of 21 µs), and the rounding
// of times to whole picoseconds, or ns of a poll.
func TestEpsilonIsEquation3(t *testing.T) {
	for _, c := range []struct {
		knobs []string
		m     float64
	}{
		{[]string{"threading", "funneled"}, 1},
		{[]string{"threading", "multiple", "reserved", "1"}, 1},
		{[]string{"threading", "multiple", "reserved", "2"}, 2},
		{[]string{"threading", "funneled", "split", "planes"}, 1},
	} {
		for _, planes := range []string{"4", "8", "28"} {
			knobs := slices.Concat(c.knobs,
				[]string{"fabric", "sim", "nodes", "4", "threads-per-rank", "8", "ni", "16", "nj", "168", "local-k", planes,
					"real-limit", "1"})
			s := run(t, &ideal, 1, knobs...)
			sound(t, s, knobs...)
			f := fractions(t, s)
			e, err := models.Epsilon(models.Reserved{M: c.m, N: 8}, f)
			if err != nil {
				t.Fatal(err)
			}
			if got := value(t, s, "epsilon"); math.Abs(got/e.Value-1) > 1e-4 || value(t, s, "epsilon_model") != e.Value {
				t.Errorf("%v: ε %v, equation (3) %v of %+v", knobs, got, e.Value, f)
			}
			// The machine's own constants give the same: x_comm/x_overlap = 16 B/1 GB/s over
			// 120 B · 6/7 / (8 · 0.96 GB/s) with the paper's split.
			if got := value(t, s, "epsilon_machine"); math.Abs(got/e.Value-1) > 1e-3 {
				t.Errorf("%v: ε %v by the machine's constants, equation (3) %v", knobs, got, e.Value)
			}
			if want := 16e-9 / (120 * 6. / 7 / (8 * ideal.MemoryRate)); c.knobs[len(c.knobs)-1] != "planes" {
				if got := value(t, s, "x_comm_over_x_overlap"); math.Abs(got/want-1) > 1e-3 {
					t.Errorf("%v: x_comm/x_overlap %v, want %v", knobs, got, want)
				}
			}
		}
	}
}

// Full load balancing reaches the best ratio, equation (4), up to one chunk per thread. The single
// communicating thread computes when it has finished, so ε is never below the ε of a reserved
// thread, and hardly below 1.
func TestBalanced(t *testing.T) {
	for _, planes := range []string{"2", "8", "28"} {
		knobs := []string{"fabric", "sim", "nodes", "4", "threads-per-rank", "8", "ni", "64", "nj", "56", "local-k", planes,
			"threading", "multiple", "real-limit", "1"}
		one := run(t, &ideal, 1, append(knobs, "reserved", "1")...)
		all := run(t, &ideal, 1, append(knobs, "reserved", "balanced")...)
		sound(t, all, planes)
		a, b := value(t, one, "epsilon"), value(t, all, "epsilon")
		if b < a*.98 || b < .98 || math.Abs(b/value(t, all, "epsilon_model")-1) > .04 {
			t.Errorf("%s planes: ε %v with a reserved thread, %v balanced, modelled %v", planes, a, b,
				value(t, all, "epsilon_model"))
		}
	}
}

// TestBothBarriersAreMasteronly tests section 4: with a barrier before and after its section, the scheme is masteronly again (T1b); they
// take the same time. SINGLE has the second barrier unless NOWAIT drops it.
func TestBothBarriersAreMasteronly(t *testing.T) {
	for _, machine := range []string{"sr8000-f1", "ibm-sp-power3"} {
		for _, scheme := range [][]string{
			{"master-section", "barriers"},
			{"threading", "serialized", "section", "master", "master-section", "barriers"},
			{"threading", "serialized", "nowait", "off"},
		} {
			knobs := append([]string{"fabric", "sim", "machine", machine, "threads-per-rank", "8", "ni", "256", "nj", "256",
				"local-k", "8"}, scheme...)
			s := run(t, nil, 1, knobs...)
			sound(t, s, knobs...)
			if e := value(t, s, "epsilon"); math.Abs(e-1) > 1e-3 {
				t.Errorf("%v: T_masteronly / T1b = %v, want 1", knobs, e)
			}
			if e := value(t, s, "epsilon_machine"); math.Abs(e-1) > 1e-9 {
				t.Errorf("%v: modelled %v, want 1", knobs, e)
			}
		}
	}
}

// TestNowaitOverlaps tests section 4: SINGLE NOWAIT overlaps like MASTER, and its communicating thread computes afterwards.
// MASTER at SERIALIZED takes the same time as at FUNNELED.
func TestNowaitOverlaps(t *testing.T) {
	epsilon := func(knobs ...string) float64 {
		s := run(t, nil, 1, append([]string{"fabric", "sim", "machine", "sr8000-f1", "nodes", "4", "threads-per-rank", "8",
			"ni", "256", "nj", "256", "local-k", "8"}, knobs...)...)
		sound(t, s, knobs...)
		return value(t, s, "epsilon")
	}
	master, single := epsilon("threading", "funneled"), epsilon("threading", "serialized")
	if master < 1.2 || single < .95*master {
		t.Errorf("ε %v with MASTER and %v with SINGLE NOWAIT, want both to overlap", master, single)
	}
	if e := epsilon("threading", "serialized", "section", "master"); e != master {
		t.Errorf("ε %v with MASTER at SERIALIZED, %v at FUNNELED", e, master)
	}
}

// Section 4: MASTER without barriers is a race. The simulation shows it every time: the lines that
// other threads compute next to the halo use the old one.
func TestMissingBarriers(t *testing.T) {
	for _, size := range []string{"16", "512"} { // the second is timed without numbers
		for _, scheme := range [][3]string{ // level, its knob and value
			{"funneled", "master-section", "bare"},
			{"serialized", "nowait", "all"},
		} {
			s := run(t, nil, 2, "fabric", "sim", "machine", "sr8000-f1", "nodes", "2", "threads-per-rank", "4", "ni", size,
				"nj", size, "local-k", "4", "threading", scheme[0], scheme[1], scheme[2])
			v := s.Verification
			says := map[string]string{"funneled": "this is a race. MASTER has no barrier",
				"serialized": "this is a race. NOWAIT dropped the barrier of the loop, too"}[scheme[0]]
			if s.Failure != "" || v.OK || !strings.Contains(v.Detail, says) ||
				!strings.Contains(v.Detail, scheme[0]+": row {") {
				t.Errorf("%v: failure %q, verification %+v", scheme, s.Failure, v)
			}
			if w := value(t, s, "wrong_rows"); w <= 0 || w > .5 {
				t.Errorf("%v: %v of the rows are wrong, want those of boundary planes", scheme, w)
			}
			if v.Checks != 2*2*2 {
				t.Errorf("%v: %d checks, want the checks of masteronly as well", scheme, v.Checks)
			}
		}
	}
	// On the live fabric it may be shown or not; a wrong row is never overlooked.
	s := run(t, nil, 5, "machine", "demo", "nodes", "2", "threads-per-rank", "2", "ni", "8", "nj", "8", "local-k", "2",
		"master-section", "bare")
	if w := value(t, s, "wrong_rows"); s.Failure != "" || (w > 0) == s.Verification.OK {
		t.Errorf("failure %q, %v of the rows are wrong, verification %+v", s.Failure, w, s.Verification)
	}
}

// Refused scenarios name the cause and a hint.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		knobs []string
		says  string
	}{
		{[]string{"threading", "single"}, "threads-per-rank = 8: want 1 under threading = single"},
		{[]string{"threads-per-rank", "1", "threading", "funneled"}, "threads-per-rank = 1: want 2 or more under threading = funneled"},
		{[]string{"threads-per-rank", "4", "threading", "multiple", "reserved", "4"},
			"reserved = 4 of 4 threads: no thread is left to compute (use fewer"},
		{[]string{"reserved", "0"}, "reserved = \"0\": want a whole number from 1 to 1023, or balanced"},
		{[]string{"ni", "0"}, "ni = \"0\""},
		{[]string{"local-k", "0"}, "local-k = \"0\""},
		{[]string{"threading", "funneled", "section", "single"}, "section = single under threading = funneled: SINGLE lets any thread call MPI, but " +
			"FUNNELED permits only the master (use threading = serialized, or section = master)"},
		{[]string{"master-section", "none"}, "want one of overlapped, barriers, bare"},
		{[]string{"ni", "16384", "nj", "16384", "local-k", "2"}, "points per process: want at most"},
	} {
		if _, err := try(nil, 1, c.knobs...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: error %v, want %s", c.knobs, err, c.says)
		}
	}
}

// Section 3: a library that provides less than the scheme needs reports it. A library that supports
// only MASTERONLY reports SINGLE, and masteronly runs on it.
func TestThreadSupport(t *testing.T) {
	for _, fabric := range []string{"live", "sim"} {
		for _, c := range [][3]string{
			{"multiple", "serialized", "threading = multiple: the MPI library provides serialized (use threading = " +
				"serialized, or a machine or thread-support that provides more"},
			{"funneled", "masteronly", "threading = funneled: the MPI library provides single (use threading = masteronly"},
			{"serialized", "funneled", "threading = serialized: the MPI library provides funneled (use threading = funneled"},
			{"masteronly", "single", "threading = masteronly: the MPI library provides single (use threading = single"},
			{"masteronly", "masteronly", ""},
			{"funneled", "funneled", ""},
		} {
			s := run(t, nil, 1, "fabric", fabric, "threads-per-rank", "2", "ni", "4", "nj", "4", "threading", c[0],
				"thread-support", c[1])
			if c[2] == "" {
				sound(t, s, fmt.Sprint(c))
			} else if !strings.Contains(s.Failure, c[2]) {
				t.Errorf("%s, %v: failure %q", fabric, c, s.Failure)
			}
		}
	}
}

// A simulation of sixty-four nodes with the paper's largest grid is fast, and its ε equals that of
// four nodes (figure 6: only a weak dependence).
func TestNodesMatterLittle(t *testing.T) {
	var all []float64
	for _, nodes := range []string{"4", "64"} {
		s := run(t, nil, 1, "fabric", "sim", "machine", "sr8000-f1", "nodes", nodes, "threads-per-rank", "8", "ni", "512",
			"nj", "512", "local-k", "64")
		sound(t, s, nodes)
		all = append(all, value(t, s, "epsilon"))
	}
	if math.Abs(all[0]/all[1]-1) > .01 {
		t.Errorf("ε %v on 4 and 64 nodes", all)
	}
}

// The predictions from the machines' constants agree with the simulation within 3 %, in every
// scheme, if all messages leave the node, lines are shared evenly and chunks are small. With two
// processes per node, a message inside the node slows down the computing threads.
func TestModelOfTheMachine(t *testing.T) {
	if testing.Short() {
		t.Skip("runs 192 scenarios")
	}
	for _, machine := range []string{"sr8000-f1", "ibm-sp-power3", "demo", "earth-simulator"} {
		for _, scheme := range [][]string{
			{"threading", "masteronly"},
			{"threading", "funneled"},
			{"threading", "funneled", "split", "planes"},
			{"threading", "serialized"},
			{"threading", "multiple", "reserved", "2"},
			{"threading", "multiple", "reserved", "balanced"},
		} {
			for perNode, near := range map[string]float64{"1": .03, "2": .12} {
				for _, planes := range []string{"4", "32"} {
					threads := map[string]string{"1": "8", "2": "4"}[perNode]
					knobs := slices.Concat(scheme,
						[]string{"nodes", "4", "ranks-per-node", perNode, "threads-per-rank", threads, "fabric", "sim", "machine",
							machine, "ni", "512", "nj", "504", "local-k", planes})
					s := run(t, nil, 1, knobs...)
					sound(t, s, knobs...)
					got, want := value(t, s, "epsilon"), value(t, s, "epsilon_machine")
					if math.Abs(got/want-1) > near {
						t.Errorf("%v: ε %v, modelled %v", knobs, got, want)
					}
				}
			}
		}
	}
}
