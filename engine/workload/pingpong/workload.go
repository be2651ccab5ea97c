package pingpong

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&pingpong) }

var pingpong = workload.Workload{
	Name:  "pingpong",
	Title: "Ping-pong",
	Doc: "Rank 0 and another rank send a message back and forth. Change the size to see where bandwidth replaces " +
		"latency as the limit, and the cost of the handshake above the eager limit. " +
		"Choose a partner on rank 0's node or on another node. Compare two-sided messages with puts: puts with signal, " +
		"or puts into an MPI window.",
	Paper: "paper 1, section 2.1; paper 4",
	Knobs: []engine.Knob{
		{Name: "pair", Label: "partner", Doc: "location of rank 0's partner: on its own node or on another node",
			Type: engine.Choice, Default: "remote",
			Choices: []string{"in-node", "remote"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "latency by locality class: messages to a partner on the same node go through memory",
			Paper: "paper 1, section 2.1"},
		{Name: "size", Label: "size", Doc: "bytes of the message", Type: engine.Size, Unit: "B", Default: "8", Min: 0,
			Max:     1 << 30,
			Choices: []string{"0", "8", "64", "512", "4096", "8192", "16384", "65536", "262144", "1048576"},
			Scope:   engine.ScopeBody, Role: engine.Problem,
			Watch: "n½, the size that reaches half of the bandwidth, and the step at the eager limit",
			Paper: "paper 5, section 3.3"},
		{Name: "method", Label: "method", Doc: "transfer method; two-sided: send and receive; put: put with signal; or " +
			"a put into an MPI window: between fences (fence), between start and complete (pscw), or under a lock (lock)",
			Type: engine.Choice, Default: "two-sided",
			Choices: []string{"two-sided", "put", "fence", "pscw", "lock"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the handshake, which a put with signal does not need, and the cost that a window adds to a put; with " +
				"lock the way back is a get", Paper: "paper 1, section 2.1; paper 5, section 3.3.1"},
		{Name: "rounds", Label: "rounds", Doc: "round trips per iteration", Type: engine.Integer, Default: "10", Min: 1,
			Max:     1e6,
			Choices: []string{"1", "10", "100", "1000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the time of an iteration; the latency does not change"},
	},
	Defaults: map[string]string{"model": "flat"},
	Question: "what does the distance of two ranks cost?",
	First:    "pair", Panes: []string{"locality", "latency"}, Serial: true, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "latency", Phrase: "time one way", Unit: "s", Always: true, Doc: "half a round trip"},
		{Name: "bandwidth", Phrase: "bandwidth", Unit: "B/s", Rate: true, Always: true, Doc: "size / latency"},
	},
	Derived: []engine.MetricSpec{
		{Name: "latency_model", Phrase: "time one way, model", Unit: "s",
			Doc: "one-way time of the machine, with the handshake above the eager limit and a window's synchronization; " +
				"for simulated runs also the processor overheads"},
		{Name: "bandwidth_model", Phrase: "bandwidth, model", Unit: "B/s", Doc: "size / modelled latency"},
	},
	Studies:    []*engine.Study{overSizes},
	Accesses:   true,
	Iterations: 10,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// flag is the size of a put's flag word in a segment, and of a window's control block.
const flag = 64

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	if _, err := partner(&l, s.Text("pair"), s.Text("method")); err != nil {
		return workload.Plan{}, err
	}
	size := s.Int("size")
	items := func(buffers, inFlight int64) []workload.Item {
		return []workload.Item{{Name: "message buffers", Per: workload.InAll, Bytes: 2 * buffers},
			{Name: "messages in flight", Per: workload.InAll, Bytes: 2 * inFlight}}
	}
	segment := flag + (size+63)&^63
	switch s.Text("method") {
	case "two-sided":
		return workload.Plan{Items: items(2*size, on.Eager(s, size))}, nil
	case "lock":
		return workload.Plan{Segment: segment, Items: items(2*size, workload.Copy(size))}, nil
	}
	return workload.Plan{Segment: segment, Items: items(size, workload.Copy(size))}, nil
}

// classes are the choices of pair.
var classes = map[string]cluster.Class{"in-node": cluster.InNode, "remote": cluster.Remote}

// partner returns the first rank that can be rank 0's partner.
func partner(l *cluster.Layout, pair, method string) (int, error) {
	there := false
	for q := 1; q < l.Ranks(); q++ {
		if l.ClassOf(0, q) != classes[pair] {
			continue
		}
		there = true
		if method == "put" && l.GroupOf(q) == l.GroupOf(0) || method != "put" && l.MayCallMPI(q) {
			return q, nil
		}
	}
	switch {
	case !there && pair == "in-node":
		return 0, fmt.Errorf("pair = in-node: rank 0 is alone on its node (use 2 or more ranks per node, or pair = remote)")
	case !there:
		return 0, fmt.Errorf("pair = remote: there is only one node (use 2 or more nodes, or pair = in-node)")
	case method == "put":
		return 0, fmt.Errorf("pair = %s, method = put: no such rank in rank 0's UPC group of %d (use larger groups, "+
			"model = flat, or method = two-sided)", pair, l.GroupSize())
	}
	return 0, fmt.Errorf("pair = %s, method = %s: only UPC thread 0 of a group may call MPI (use nested-multiple or "+
		"flat, smaller groups, or method = put)", pair, method)
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	size := snap.Scenario.Int("size")
	t, ok := model(&snap.Scenario, m, snap.Kind, size)
	if !ok {
		return nil
	}
	metrics := []engine.Metric{{Name: "latency_model", Value: t.Seconds(), Unit: "s", Kind: engine.Modelled}}
	if t > 0 {
		metrics = append(metrics,
			engine.Metric{Name: "bandwidth_model", Value: float64(size) / t.Seconds(), Unit: "B/s", Kind: engine.Modelled})
	}
	return metrics
}

// eagerLimit returns the size of the longest message that needs no handshake.
func eagerLimit(s *engine.Scenario, m *cluster.Machine) int64 {
	if eager := s.Int("eager-limit"); eager >= 0 {
		return eager
	}
	return m.EagerLimit
}

// model returns the machine's one-way time for a message of size bytes, for runs of this
// kind. It returns false for measured runs, because the host's own times have no model.
func model(s *engine.Scenario, m *cluster.Machine, kind engine.Kind, size int64) (cluster.Time, bool) {
	if kind == engine.Measured {
		return 0, false
	}
	eager := eagerLimit(s, m)
	c := classes[s.Text("pair")]
	o := m.Classes[c].Overhead
	t := m.TransferTime(c, size) + o
	empty := m.TransferTime(c, 0)
	acknowledgement := cluster.Time(0)
	if c == cluster.Remote { // inside a node an answer is visible at once
		acknowledgement = empty
	}
	switch s.Text("method") {
	case "two-sided":
		t += o
		if size > eager || eager == 0 {
			t += 2 * empty // ready to send, clear to send
			if m.Progress != cluster.ProgressOffload {
				t += 2 * o
			}
		}
	case "fence": // the acknowledgement, then the barrier's message
		t += acknowledgement + empty + 2*o
	case "pscw": // the acknowledgement, then the message of Complete; Start receives that of Post
		t += acknowledgement + empty + 3*o
	case "lock": // half of a put and a get, which need two requests each
		request := empty + acknowledgement + o + m.HandlerTime
		if m.Progress != cluster.ProgressOffload {
			request += o
		}
		t += acknowledgement + 2*request
	}
	return t, true
}

func idle(s *engine.Scenario, _ engine.Kind, knob string) string {
	put := s.Text("method") == "put"
	switch {
	case knob == "world-seed":
		return "the partner is chosen by location, not by MPI rank"
	case !put:
		return workload.GroupIdle(s, knob)
	}
	return ""
}
