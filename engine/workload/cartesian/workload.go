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
	directionsApart    = "apart"
	directionsTogether = "together"
	staged             = "staged"
	contiguous         = "contiguous"
	derived            = "derived"
	scratch            = "scratch"
)

var cartesian = workload.Workload{
	Name:  "cartesian",
	Title: "Cartesian exchange",
	Doc: "Each CPU exchanges messages with the same CPU of the neighbouring nodes and with its neighbours on its own " +
		"node. With one process of n threads per node, only the master thread sends, and its messages are n times as long. " +
		"Change ranks × threads and the message size to see which way is faster. Change senders to see how many " +
		"threads fill the node's adapters. Set packing to derived and to scratch to see who should pack strided data.",
	Paper: "paper 2, sections 6 and 7.1, figures 2 to 4",
	Knobs: []engine.Knob{
		{Name: "size", Label: "size", Doc: "bytes of one CPU's message; between nodes, a process of n threads sends n " +
			"times as many", Type: engine.Size, Unit: "B", Default: "65536", Min: 1, Max: 1 << 30,
			Choices: []string{"1024", "4096", "16384", "65536", "262144", "1048576"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "the faster layout, one process per CPU or one per node: it changes with the size",
			Paper: "paper 2, section 6, figure 3"},
		{Name: "senders", Label: "senders", Doc: "number of threads that share the inter-node messages of a process; 1: " +
			"only the master, outside parallel regions", Type: engine.Integer, Default: "1", Min: 1, Max: 1024,
			Choices: []string{"1", "2", "4", "8"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "bandwidth per node: the number of threads that fill its adapters", Paper: "paper 2, section 6"},
		{Name: "method", Label: "method", Doc: "MPI calls: one direction after the other with Sendrecv, or all " +
			"directions with Irecv, Isend and Waitall (nonblocking)", Type: engine.Choice, Default: "sendrecv",
			Choices: []string{"sendrecv", "nonblocking"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the gain of all directions in progress at the same time", Paper: "paper 2, section 6"},
		{Name: "directions", Label: "directions",
			Doc: "vertical (inter-node) and horizontal (intra-node) exchange: timed separately and added (apart), or " +
				"nonblocking at the same time (together)", Type: engine.Choice, Default: directionsApart,
			Choices: []string{directionsApart, directionsTogether}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the sum of both directions compared with both at once", Paper: "paper 2, section 6, figure 2"},
		{Name: "copies", Label: "copies", Doc: "copy of an inter-node message in memory before it is sent: none, or by " +
			"the sending thread (staged)", Type: engine.Choice, Default: "none",
			Choices: []string{"none", staged}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the cost of a copy before the send with one thread, and how several threads hide it",
			Paper: "paper 2, section 6"},
		{Name: "packing", Label: "packing", Doc: "layout of inter-node data; contiguous; or 8-byte elements 64 bytes " +
			"apart, packed by MPI on the sending thread (derived), or by all threads into a scratch buffer (scratch)", Type: engine.Choice, Default: contiguous,
			Choices: []string{contiguous, derived, scratch}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of packing: a scratch copy uses all threads, but they wait for each other in every round",
			Paper: "paper 2, section 7.1"},
		{Name: "rounds", Label: "rounds", Doc: "number of timed rounds, after one warm-up round", Type: engine.Integer,
			Default: "3", Min: 1, Max: 10000,
			Choices: []string{"1", "3", "10", "100"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the run time of an iteration"},
		workload.RealLimit("1048576"),
	},
	Defaults: map[string]string{"model": "flat", "ranks-per-node": "1", "threads-per-rank": "4"},
	Question: "how many threads must send to fill the adapters?",
	Shapes: &workload.Shapes{Problem: map[string]string{"directions": directionsTogether}, Small: map[string]string{"size": "64"}, Time: "exchange_time",
		Tolerance: "every byte of every message is checked"},
	First: "senders", Panes: []string{"locality", "latency"}, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "exchange_time", Phrase: "time of an exchange", Unit: "s", Always: true, Parts: []string{"inter_node_time", "intra_node_time"},
			Doc: "time of a round, vertical and horizontal, on the slowest process"},
		{Name: "inter_node_time", Phrase: "inter-node exchange", Unit: "s",
			Doc: "time of the vertical exchange between nodes; directions = together: of all directions"},
		{Name: "intra_node_time", Phrase: "intra-node exchange", Unit: "s",
			Doc: "time of the horizontal exchange inside nodes; 0: none, or included in the other"},
		{Name: "node_bandwidth", Phrase: "bandwidth per node", Unit: "B/s", Rate: true,
			Doc: "bytes that a node sends to other nodes, divided by inter_node_time"},
	},
	Derived: []engine.MetricSpec{
		{Name: "exchange_time_model", Phrase: "time of an exchange, model", Unit: "s",
			Doc: "the same from the machine's constants: the slowest resource of each direction, plus latency and overheads"},
	},
	Samples: []engine.MetricSpec{
		{Name: "process_time", Unit: "s", Always: true, Doc: "time of a round on each process, by its own clock; the slowest " +
			"process counts"},
	},
	Studies:    []*engine.Study{bySenders},
	Accesses:   true,
	Iterations: 3,
	Quick:      map[string]string{"size": "3000"},
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	if n := s.Int("senders"); n > int64(l.ThreadsPerRank) {
		return workload.Plan{}, fmt.Errorf("senders = %d: a process has only %d threads; use fewer senders or more "+
			"threads per rank", n, l.ThreadsPerRank)
	}
	world := l.World()
	if err := checkEven(world, &l); err != nil {
		return workload.Plan{}, err
	}
	return workload.Plan{Items: memoryItems(s, on, &l, byNode(world, &l))}, nil
}

// memoryItems returns the memory of a process's messages: a buffer each way, and one more per
// sender if messages are staged.
func memoryItems(s *engine.Scenario, on *workload.Site, l *cluster.Layout, members [][]int) []workload.Item {
	size, senders := s.Int("size"), s.Int("senders")
	n := lengths{vertical: size * int64(l.ThreadsPerRank), horizontal: size}
	vertical, horizontal := 0, 0
	if len(members) > 1 {
		vertical = 2
	}
	if len(members[0]) > 1 {
		horizontal = 2
	}
	// Both the timed and the verified part have bytes, or only the verified one.
	store := on.Store(s, n.data(vertical, horizontal))
	_, n, _ = workload.Parts(store, func(_ cluster.Store, small bool) (lengths, error) {
		if small {
			return n.small(workload.Limit(s, l.Ranks()), senders), nil
		}
		return n, nil
	})
	buffers := n.data(vertical, horizontal)
	part := (n.vertical + senders - 1) / senders
	inFlight := int64(vertical)*senders*on.Eager(s, part) + int64(horizontal)*on.Eager(s, n.horizontal)
	if s.Text("copies") == staged && vertical > 0 {
		buffers += n.vertical
		inFlight += senders * on.Eager(s, part)
	}
	if s.Text("packing") != contiguous {
		buffers += int64(vertical) * senders * pitch * elements(part)
	}
	return []workload.Item{
		{Name: "message buffers", Per: workload.PerRank, Bytes: buffers},
		{Name: "messages in progress", Per: workload.PerRank, Bytes: 2 * inFlight}, // a neighbour may be a round ahead
	}
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	if snap.Kind == engine.Measured {
		return nil
	}
	return []engine.Metric{{Name: "exchange_time_model", Value: Model(&snap.Scenario, m).Time(), Unit: "s",
		Kind: engine.Modelled}}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	if l := s.Layout(); knob == "packing" && len(byNode(l.World(), &l)) < 2 {
		return "no process on another node: only data between nodes are packed"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
