package cartesian

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&cartesian) }

// Choices of the knobs.
const (
	apart    = "apart"
	together = "together"
	staged   = "staged"
)

var cartesian = workload.Workload{
	Name:  "cartesian",
	Title: "Cartesian exchange",
	Doc: "Each CPU exchanges with the same CPU of the neighbouring nodes, and with its neighbours on the own node; or, with one process of n threads a node, the master thread alone sends messages n times as long between nodes. " +
		"Turn ranks × threads and the size and see which way is faster; turn the sending threads and see how many it takes to fill the node's adapters.",
	Paper: "paper 2, section 6, figures 2 to 4",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes of a CPU's message; between nodes a process of n threads sends n times as many", Type: engine.Size, Unit: "B", Default: "65536", Min: 1, Max: 1 << 30,
			Choices: []string{"1024", "4096", "16384", "65536", "262144", "1048576"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "which is faster, a process a CPU or a process a node: it changes with the size", Paper: "paper 2, section 6, figure 3"},
		{Name: "senders", Label: "senders", Doc: "threads of a process that share its messages between nodes; 1: the master, outside of any parallel region", Type: engine.Integer, Default: "1", Min: 1, Max: 1024,
			Choices: []string{"1", "2", "4", "8"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "bandwidth a node: how many threads it takes to fill its adapters", Paper: "paper 2, section 6"},
		{Name: "method", Label: "method", Doc: "one direction after the other by Sendrecv, or all by Irecv, Isend and Waitall", Type: engine.Choice, Default: "sendrecv",
			Choices: []string{"sendrecv", "nonblocking"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "what is won by having all directions under way at once", Paper: "paper 2, section 6"},
		{Name: "directions", Label: "directions", Doc: "vertical and horizontal exchange timed apart and added up, or nonblocking together", Type: engine.Choice, Default: apart,
			Choices: []string{apart, together}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the sum of both directions against both at once", Paper: "paper 2, section 6, figure 2"},
		{Name: "copies", Label: "copies", Doc: "between nodes the sending thread first copies a message in its memory, or does not", Type: engine.Choice, Default: "none",
			Choices: []string{"none", staged}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "what a copy before the send costs one thread, and that several threads hide it", Paper: "paper 2, section 6"},
		{Name: "rounds", Label: "rounds", Doc: "rounds that are timed, after one that is not", Type: engine.Integer, Default: "3", Min: 1, Max: 10000,
			Choices: []string{"1", "3", "10", "100"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "how long an iteration takes"},
		workload.RealLimit("524288"),
	},
	Defaults: map[string]string{"model": "flat"},
	First:    "senders", Panes: []string{"locality"}, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "exchange_time", Phrase: "time of an exchange", Unit: "s", Doc: "of a round, vertical and horizontal, of the slowest process"},
		{Name: "inter_node_time", Phrase: "of it between nodes", Unit: "s", Doc: "of the vertical exchange between nodes; directions = together: of all"},
		{Name: "intra_node_time", Phrase: "of it inside nodes", Unit: "s", Doc: "of the horizontal exchange inside nodes; 0: there is none, or together with the other"},
		{Name: "node_bandwidth", Phrase: "bandwidth of a node", Unit: "B/s", Doc: "what a node sends to others over the time between nodes"},
	},
	Derived: []engine.MetricSpec{
		{Name: "exchange_time_model", Phrase: "time of an exchange, model", Unit: "s", Doc: "the same out of the machine's constants: of each direction the slowest resource, latency and overheads"},
	},
	Samples: []engine.MetricSpec{
		{Name: "process_time", Unit: "s", Doc: "of a round, of each process by its own clock; the slowest one counts"},
	},
	Studies:    []*engine.Study{bySenders},
	Iterations: 3,
	Quick:      map[string]string{"size": "3000"},
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	if n := s.Int("senders"); n > int64(l.ThreadsPerRank) {
		return workload.Plan{}, fmt.Errorf("senders = %d: a process has %d threads; use fewer senders or more threads per rank", n, l.ThreadsPerRank)
	}
	world := l.World()
	if err := even(world, &l); err != nil {
		return workload.Plan{}, err
	}
	return workload.Plan{Holds: holds(s, on, &l, byNode(world, &l))}, nil
}

// holds is what processes keep of messages, by their neighbours: a buffer each way, and
// where messages are staged one more for each sender.
func holds(s *engine.Scenario, on *workload.Site, l *cluster.Layout, members [][]int) []workload.Item {
	size, senders := s.Int("size"), s.Int("senders")
	length := size * int64(l.ThreadsPerRank)
	vertical, horizontal := 0, 0
	if len(members) > 1 {
		vertical = 2
	}
	if len(members[0]) > 1 {
		horizontal = 2
	}
	// Timed and verified parts keep bytes alike, or only the verified one does.
	store := on.Store(s, dataOf(vertical, horizontal, length, size))
	_, held, _ := workload.Parts(store, func(_ cluster.Store, small bool) ([2]int64, error) {
		if small {
			a, b := smaller(length, size, s.Int("real-limit"), senders)
			return [2]int64{a, b}, nil
		}
		return [2]int64{length, size}, nil
	})
	length, size = held[0], held[1]
	buffers := dataOf(vertical, horizontal, length, size)
	part := (length + senders - 1) / senders
	underWay := int64(vertical)*senders*on.Eager(s, part) + int64(horizontal)*on.Eager(s, size)
	if s.Text("copies") == staged && vertical > 0 {
		buffers += length
		underWay += senders * on.Eager(s, part)
	}
	return []workload.Item{
		{Name: "message buffers", Per: workload.PerRank, Bytes: buffers},
		{Name: "messages under way", Per: workload.PerRank, Bytes: 2 * underWay}, // a neighbour may be a round ahead
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
	return []engine.Metric{{Name: "exchange_time_model", Value: Model(&snap.Scenario, &machine).Time(), Unit: "s", Kind: engine.Modelled}}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.Ungrouped(s, knob)
}
