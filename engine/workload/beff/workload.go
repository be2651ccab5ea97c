package beff

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&beff) }

var beff = workload.Workload{
	Name:  "beff",
	Title: "Effective bandwidth (b_eff)",
	Doc: "Every process exchanges with its neighbours in rings of six lengths and in rings of random order, with messages of many sizes and by three methods; or with six neighbours in a periodic grid. " +
		"See what one process a node gets of the network, and what a process a CPU gets: the slowest one counts.",
	Paper: "paper 2, section 6, table 1",
	Knobs: []engine.Knob{
		{Name: "pattern", Label: "pattern", Doc: "b_eff's rings and random rings, or the 3-D cyclic grid", Type: engine.Choice, Default: patternBeff,
			Choices: []string{patternBeff, patternCubes}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the bandwidth of six neighbours in a grid against that of rings", Paper: "paper 2, section 6, table 1"},
		{Name: "placing", Label: "placing", Doc: "of the 3-D grid: processes in the order of their numbers, or a box of them on each node", Type: engine.Choice, Default: placingRows,
			Choices: []string{placingRows, placingCube}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the share of bytes that stay in a node: a box keeps half of them, rows fewer", Paper: "paper 2, section 5"},
		{Name: "method", Label: "method", Doc: "how messages are exchanged; best: the best of all", Type: engine.Choice, Default: "best",
			Choices: []string{"best", "sendrecv", "alltoallv", "nonblocking"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "which method is the fastest at which size", Paper: "paper 2, section 6"},
		{Name: "sizes", Label: "sizes", Doc: "powers of two from 8 B to Lmax (paper 2), or b_eff's own 1 B to 4 kB and eight equal factors to Lmax", Type: engine.Choice, Default: sizesPowers,
			Choices: []string{sizesPowers, sizesOriginal}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the average over sizes, which is what b_eff is"},
		{Name: "lmax", Label: "Lmax", Doc: "longest message; memory: a process's memory over 128, at most 128 MB", Type: engine.Size, Unit: "B", Default: "65536", Min: 8, Max: mostLmax,
			Choices: []string{"4096", "65536", "1048576", "8388608", lmaxMemory}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the bandwidth at Lmax, and how much it lifts the average", Paper: "paper 2, section 6"},
		{Name: "randoms", Label: "random rings", Doc: "random orders that are drawn; b_eff draws 30", Type: engine.Integer, Default: "3", Min: 1, Max: 1000,
			Choices: []string{"1", "3", "6", "30"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "how much the random rings differ"},
		{Name: "rounds", Label: "rounds", Doc: "rounds of a pattern that are timed, after one that is not", Type: engine.Integer, Default: "2", Min: 1, Max: 1000,
			Choices: []string{"1", "2", "10", "300"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "how long an iteration takes"},
		{Name: "repetitions", Label: "repetitions", Doc: "times that all is measured, of which the best counts; b_eff makes 3", Type: engine.Integer, Default: "1", Min: 1, Max: 100,
			Choices: []string{"1", "3"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the best of several, which hides a host's disturbances"},
		workload.RealLimit("4096"),
	},
	Defaults: map[string]string{"model": "flat"},
	First:    "ranks-per-node", Panes: []string{"locality"}, Serial: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "b_eff_average", Phrase: "effective bandwidth", Unit: "B/s", Doc: "bandwidth of all processes together, mean over sizes"},
		{Name: "b_eff_average_per_node", Phrase: "effective bandwidth a node", Unit: "B/s", Doc: "the same over the nodes"},
		{Name: "b_eff_average_per_process", Phrase: "effective bandwidth a process", Unit: "B/s", Doc: "the same over the processes"},
		{Name: "b_eff_at_lmax", Phrase: "bandwidth at Lmax", Unit: "B/s", Doc: "bandwidth of all processes together with the longest message"},
		{Name: "b_eff_at_lmax_per_node", Phrase: "bandwidth at Lmax a node", Unit: "B/s", Doc: "the same over the nodes"},
		{Name: "b_eff_at_lmax_per_process", Phrase: "bandwidth at Lmax a process", Unit: "B/s", Doc: "the same over the processes"},
		{Name: "rings_at_lmax", Phrase: "rings' bandwidth at Lmax", Unit: "B/s", Doc: "of b_eff at Lmax, the rings' part"},
		{Name: "random_at_lmax", Phrase: "random rings' at Lmax", Unit: "B/s", Doc: "of b_eff at Lmax, the random rings' part"},
	},
	Derived: []engine.MetricSpec{
		{Name: "b_eff_average_model", Phrase: "effective bandwidth, model", Unit: "B/s", Doc: "b_eff_average out of the machine's constants: of each round the slowest resource, latencies and overheads"},
		{Name: "b_eff_at_lmax_model", Phrase: "bandwidth at Lmax, model", Unit: "B/s", Doc: "likewise with the longest message"},
	},
	Tallies: []engine.TallySpec{
		{Name: "best_method", Unit: "1", Doc: "patterns in which a method was the fastest, by size of the messages", Row: "size", Column: "method", Labels: labels},
		{Name: "pattern_bandwidth", Unit: "B/s", Doc: "bandwidth of all processes together by the fastest method, summed over iterations and random rings", Row: "size", Column: "pattern", Labels: patternLabels},
		{Name: "method_bandwidth", Unit: "B/s", Doc: "bandwidth of all processes together, summed over iterations and patterns", Row: "size", Column: "method", Labels: labels},
	},
	Studies:    []*engine.Study{overSizes},
	Iterations: 1,
	Quick:      map[string]string{"lmax": "512", "randoms": "1", "rounds": "1"},
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// lmaxMemory is the word for b_eff's own Lmax.
const lmaxMemory = "memory"

// lmax is the longest message that a knob stands for; 0: the machine's memory is
// unknown.
func lmax(text string, bytes int64, m *cluster.Machine, l *cluster.Layout) int64 {
	if text == lmaxMemory {
		return memoryLmax(m, l)
	}
	return bytes
}

// labels are the sizes and the methods that a scenario measures.
func labels(s *engine.Scenario, m *cluster.Machine) (rows, columns []string) {
	l := s.Layout()
	for _, n := range sizes(s.Text("sizes"), lmax(s.Text("lmax"), s.Int("lmax"), m, &l)) {
		rows = append(rows, cluster.SizeText(float64(n)))
	}
	return rows, measured(s.Text("method"))
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	world := l.World()
	if len(world) < 2 {
		return fail("%d process may call MPI: a ring needs two; use more nodes or ranks per node, or smaller groups", len(world))
	}
	if lmax(s.Text("lmax"), s.Int("lmax"), on.Machine, &l) < 8 {
		return fail("lmax = %s: the memory of a process of %s is unknown or under 1 kB; use a number of bytes", s.Text("lmax"), on.Machine.Name)
	}
	if s.Text("pattern") == patternCubes && s.Text("placing") == placingCube {
		if _, even := byNode(world, l.Nodes, l.NodeOf); !even {
			return fail("placing = cubes: nodes have different numbers of processes that may call MPI; use placing = rows, model = flat, or groups that fill nodes")
		}
	}
	return workload.Plan{Holds: holds(s, on, len(world))}, nil
}

// What a process keeps of a pattern: a slice a process, and the exchanges in it, of a
// ring and of a grid. Exchanges are put together piece by piece.
const (
	perProcess   = 24
	ringExchange = 2 * 16
	gridExchange = 16 * 16
	ringSides    = 2
	gridSides    = 6
)

// holds is what processes keep of patterns, times and messages. Each process draws all
// patterns, anew in each iteration; what it has no more use for stands a while longer,
// so that both count twice.
func holds(s *engine.Scenario, on *workload.Site, processes int) []workload.Item {
	l, p := s.Layout(), int64(processes)
	patterns, sides, pattern := s.Int("randoms")+int64(len(ringSizes(processes))), int64(ringSides), p*(perProcess+ringExchange)
	orders := s.Int("randoms") * 2 * 8 * p
	if s.Text("pattern") == patternCubes {
		patterns, sides, pattern, orders = 1, gridSides, p*(perProcess+gridExchange), 0
	}
	longest := lmax(s.Text("lmax"), s.Int("lmax"), on.Machine, &l)
	lengths := int64(len(sizes(s.Text("sizes"), longest)))
	_, verified, _ := workload.Parts(on.Store(s, bytesOf(s.Text("pattern"), longest)), newPart)
	longest = min(longest, verified.longest)
	// A message each way, those of the length before, and some shorter ones.
	return []workload.Item{
		{Name: "patterns", Per: workload.PerRank, Bytes: 2 * (patterns*pattern + orders)},
		{Name: "times", Per: workload.PerRank, Bytes: 2 * 8 * patterns * lengths * int64(len(measured(s.Text("method"))))},
		{Name: "message buffers", Per: workload.PerRank, Bytes: 5 * sides * longest},
		{Name: "messages under way", Per: workload.PerRank, Bytes: 2 * sides * on.Eager(s, longest)},
	}
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured {
		return nil
	}
	machine := *m
	if snap.Kind == engine.Emulated {
		for c := range machine.Classes {
			machine.Classes[c].Overhead = 0 // the live fabric's overheads are the host's own
		}
	}
	average, atLmax := Model(&snap.Scenario, &machine)
	return []engine.Metric{
		{Name: "b_eff_average_model", Value: average, Unit: "B/s", Kind: engine.Modelled},
		{Name: "b_eff_at_lmax_model", Value: atLmax, Unit: "B/s", Kind: engine.Modelled},
	}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	cubes := s.Text("pattern") == patternCubes
	switch {
	case knob == "placing" && !cubes:
		return "b_eff's rings are placed by the order of the ranks: only pattern = " + patternCubes + " has boxes"
	case knob == "randoms" && cubes:
		return "a grid has no random rings"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.Ungrouped(s, knob)
}
