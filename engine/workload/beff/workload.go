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
	Doc: "Each process exchanges messages with its neighbours in rings of six lengths and in random rings, or with " +
		"six neighbours in a periodic grid. Messages have many sizes, and three methods send them. " +
		"Compare the network bandwidth of one process per node and of one process per CPU; the slowest process counts.",
	Paper: "paper 2, section 6, table 1",
	Knobs: []engine.Knob{
		{Name: "pattern", Label: "pattern", Doc: "communication pattern: b_eff's rings and random rings (beff), or a " +
			"periodic 3-D grid (3d-cyclic)", Type: engine.Choice, Default: patternBeff,
			Choices: []string{patternBeff, patternCubes}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the bandwidth of six neighbours in a grid compared with rings", Paper: "paper 2, section 6, table 1"},
		{Name: "method", Label: "method", Doc: "method that exchanges messages; best: the fastest of the three",
			Type: engine.Choice, Default: "best",
			Choices: []string{"best", "sendrecv", "alltoallv", "nonblocking"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the fastest method at each size", Paper: "paper 2, section 6"},
		{Name: "sizes", Label: "sizes", Doc: "message sizes: powers of two from 8 B to Lmax (powers, paper 2), or " +
			"b_eff's 1 B to 4 kB and eight equal factors to Lmax (original)", Type: engine.Choice, Default: sizesPowers,
			Choices: []string{sizesPowers, sizesOriginal}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the average over sizes, which is b_eff"},
		{Name: "lmax", Label: "Lmax", Doc: "longest message; memory: 1/128 of the memory of a process, at most 128 MB",
			Type: engine.Size, Unit: "B", Default: "65536", Min: 8, Max: maxLmax,
			Choices: []string{"4096", "65536", "1048576", "8388608", lmaxMemory}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the bandwidth at Lmax and its effect on the average", Paper: "paper 2, section 6"},
		{Name: "randoms", Label: "random rings", Doc: "number of random rings; b_eff uses 30", Type: engine.Integer,
			Default: "3", Min: 1, Max: 1000,
			Choices: []string{"1", "3", "6", "30"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the differences between random rings"},
		{Name: "rounds", Label: "rounds", Doc: "number of timed rounds per pattern, after one warm-up round",
			Type: engine.Integer, Default: "2", Min: 1, Max: 1000,
			Choices: []string{"1", "2", "10", "300"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the run time of an iteration"},
		{Name: "repetitions", Label: "repetitions",
			Doc: "number of repetitions of each measurement, of which the best counts; b_eff uses 3", Type: engine.Integer,
			Default: "1", Min: 1, Max: 100,
			Choices: []string{"1", "3"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the best of several measurements, which hides noise of the host"},
		workload.RealLimit("4096"),
	},
	Defaults: map[string]string{"model": "flat"},
	Question: "do more processes per node fill the adapters?",
	First:    "ranks-per-node", Panes: []string{"locality", "latency"}, Serial: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "b_eff_average", Phrase: "effective bandwidth", Unit: "B/s", Always: true,
			Doc: "total bandwidth of all processes, mean over sizes"},
		{Name: "b_eff_average_per_node", Phrase: "effective bandwidth per node", Unit: "B/s", Always: true,
			Doc: "the same divided by the number of nodes"},
		{Name: "b_eff_average_per_process", Phrase: "effective bandwidth per process", Unit: "B/s", Always: true,
			Doc: "the same divided by the number of processes"},
		{Name: "b_eff_at_lmax", Phrase: "Lmax bandwidth", Unit: "B/s", Always: true,
			Doc: "total bandwidth of all processes with the longest message"},
		{Name: "b_eff_at_lmax_per_node", Phrase: "Lmax bandwidth per node", Unit: "B/s", Always: true,
			Doc: "the same divided by the number of nodes"},
		{Name: "b_eff_at_lmax_per_process", Phrase: "Lmax bandwidth per process", Unit: "B/s", Always: true,
			Doc: "the same divided by the number of processes"},
		{Name: "rings_at_lmax", Phrase: "rings at Lmax", Unit: "B/s", Doc: "bandwidth at Lmax, mean over the rings only"},
		{Name: "random_at_lmax", Phrase: "random rings at Lmax", Unit: "B/s",
			Doc: "bandwidth at Lmax, mean over the random rings only"},
	},
	Derived: []engine.MetricSpec{
		{Name: "b_eff_average_model", Phrase: "effective bandwidth, model", Unit: "B/s",
			Doc: "b_eff_average from the machine's constants: the slowest resource of each round, plus latencies and overheads"},
		{Name: "b_eff_at_lmax_model", Phrase: "bandwidth at Lmax, model", Unit: "B/s",
			Doc: "the same with the longest message"},
	},
	Tallies: []engine.TallySpec{
		{Name: "best_method", Unit: "1", Doc: "number of patterns in which a method was the fastest, by message size",
			Row: "size", Column: "method", Labels: labels},
		{Name: "pattern_bandwidth", Unit: "B/s",
			Doc: "total bandwidth of all processes with the fastest method, summed over iterations and random rings",
			Row: "size", Column: "pattern", Labels: patternLabels},
		{Name: "method_bandwidth", Unit: "B/s",
			Doc: "total bandwidth of all processes, summed over iterations and patterns", Row: "size", Column: "method",
			Labels: labels},
	},
	Studies:    []*engine.Study{overSizes},
	Accesses:   true,
	Iterations: 1,
	Quick:      map[string]string{"lmax": "512", "randoms": "1", "rounds": "1"},
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// lmaxMemory is the knob value for b_eff's own Lmax.
const lmaxMemory = "memory"

// lmax returns the longest message for a value of the knob, or 0 if it depends on an unknown memory
// size.
func lmax(text string, bytes int64, m *cluster.Machine, l *cluster.Layout) int64 {
	if text == lmaxMemory {
		return memoryLmax(m, l)
	}
	return bytes
}

// labels returns the sizes and methods that a scenario measures.
func labels(s *engine.Scenario, m *cluster.Machine) (rows, columns []string) {
	l := s.Layout()
	for _, n := range sizes(s.Text("sizes"), lmax(s.Text("lmax"), s.Int("lmax"), m, &l)) {
		rows = append(rows, cluster.SizeText(float64(n)))
	}
	return rows, methodsOf(s.Text("method"))
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	fail := func(format string, args ...any) (workload.Plan, error) {
		return workload.Plan{}, fmt.Errorf(format, args...)
	}
	world := l.World()
	if len(world) < 2 {
		return fail("only %d process may call MPI, and a ring needs two; use more nodes or ranks per node, or "+
			"smaller groups", len(world))
	}
	if lmax(s.Text("lmax"), s.Int("lmax"), on.Machine, &l) < 8 {
		return fail("lmax = %s: the memory per process of %s is unknown or below 1 kB; use a number of bytes",
			s.Text("lmax"), on.Machine.Name)
	}
	if s.Text("pattern") == patternCubes && l.Ranking == cluster.Cubes {
		if _, even := byNode(world, l.Nodes, l.NodeOf); !even {
			return fail("ranking = cubes: the number of processes that may call MPI differs between nodes; use ranking = " +
				"sequential, model = flat, or groups that fill nodes")
		}
	}
	return workload.Plan{Items: memoryItems(s, on, len(world))}, nil
}

// Bytes and entries that a process stores per pattern: a slice per process, and its exchanges in a
// ring or a grid. Exchanges are appended one by one.
const (
	perProcess   = 24
	ringExchange = 2 * 16
	gridExchange = 16 * 16
	ringSides    = 2
	gridSides    = 6
)

// memoryItems returns the memory of patterns, times and messages. Each process draws all patterns
// again in each iteration. Garbage of the previous iteration may remain, so both count twice.
func memoryItems(s *engine.Scenario, on *workload.Site, processes int) []workload.Item {
	l, p := s.Layout(), int64(processes)
	patterns := s.Int("randoms") + int64(len(ringSizes(processes)))
	sides := int64(ringSides)
	pattern := p * (perProcess + ringExchange)
	orders := s.Int("randoms") * 2 * 8 * p
	if s.Text("pattern") == patternCubes {
		patterns = 1
		sides = gridSides
		pattern = p * (perProcess + gridExchange)
		orders = 0
	}
	longest := lmax(s.Text("lmax"), s.Int("lmax"), on.Machine, &l)
	lengths := int64(len(sizes(s.Text("sizes"), longest)))
	_, verified, _ := workload.Parts(on.Store(s, bytesOf(s.Text("pattern"), longest)), newPart)
	longest = min(longest, verified.longest)
	// A message each way, the messages of the previous length, and some shorter ones.
	return []workload.Item{
		{Name: "patterns", Per: workload.PerRank, Bytes: 2 * (patterns*pattern + orders)},
		{Name: "times", Per: workload.PerRank, Bytes: 2 * 8 * patterns * lengths * int64(len(methodsOf(s.Text("method"))))},
		{Name: "message buffers", Per: workload.PerRank, Bytes: 5 * sides * longest},
		{Name: "messages in progress", Per: workload.PerRank, Bytes: 2 * sides * on.Eager(s, longest)},
	}
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured {
		return nil
	}
	average, atLmax := Model(&snap.Scenario, m)
	return []engine.Metric{
		{Name: "b_eff_average_model", Value: average, Unit: "B/s", Kind: engine.Modelled},
		{Name: "b_eff_at_lmax_model", Value: atLmax, Unit: "B/s", Kind: engine.Modelled},
	}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	cubes := s.Text("pattern") == patternCubes
	switch {
	case knob == "randoms" && cubes:
		return "a grid has no random rings"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
