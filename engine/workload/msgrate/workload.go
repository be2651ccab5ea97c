package msgrate

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&msgrate) }

// Choices of the knobs.
const (
	shared        = "shared"
	communicators = "communicators"
	endpoints     = "endpoints"

	posted    = "posted"
	ownTasks  = "own-tasks"
	anyTasks  = "any-tasks"
	noMachine = 0 // of vcis: the machine's number
)

var msgrate = workload.Workload{
	Name:  "msgrate",
	Title: "Message rate of threads",
	Doc: "The threads of a rank send small messages to the threads of another rank, all at the same time. " +
		"If they share a communicator, the library's lock orders their calls, and more threads can be slower than one. " +
		"Change channels and VCIs to give each thread its own lock.",
	Paper: "R. Zambre, A. Chandramowlishwaran, P. Balaji, ICS 2020; J. Yan, M. Snir, Y. Guo, EuroMPI 2025",
	Knobs: []engine.Knob{
		{Name: "channels", Label: "channels", Doc: "communicators of the threads: one for all (shared), one per thread " +
			"(communicators), or one endpoint per thread", Type: engine.Choice, Default: shared,
			Choices: []string{shared, communicators, endpoints}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the message rate: threads with their own channels do not wait for each other if there are enough VCIs"},
		{Name: "vcis", Label: "VCIs", Doc: "VCIs of a rank, each with a lock and queues, assigned to the channels " +
			"round-robin; 0: the machine's number", Type: engine.Integer, Default: "8", Min: 0,
			Max: cluster.MaxVCIs, Choices: []string{"0", "1", "2", "4", "8", "16", "32", "64"}, Scope: engine.ScopeCluster,
			Role:  engine.Scheme,
			Watch: "the message rate: one VCI serializes all threads, also with separate channels"},
		{Name: "receive", Label: "receive", Doc: "work of the receiving threads: post receives (posted), or run a task for each message " +
			"found by a matched probe in their own channel (own-tasks) or in any channel (any-tasks)",
			Type: engine.Choice, Default: posted, Choices: []string{posted, ownTasks, anyTasks}, Scope: engine.ScopeBody,
			Role:  engine.Scheme,
			Watch: "the rate with tasks: a message waits while the thread that watches its channel runs another task"},
		{Name: "task", Label: "task", Doc: "mean time of a task; the times are exponentially distributed",
			Type: engine.Real, Unit: "µs", Default: "0", Min: 0, Max: 1e6,
			Choices: []string{"0", "1", "10", "100"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the best number of VCIs: short tasks want one per thread, long tasks want shared channels"},
		{Name: "size", Label: "size", Doc: "bytes of a message", Type: engine.Size, Unit: "B", Default: "8", Min: number,
			Max: 1 << 24, Choices: []string{"8", "64", "512", "4096", "32768"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the size from which the network, and not the threads, limits the rate"},
		{Name: "window", Label: "window", Doc: "messages in flight between two threads", Type: engine.Integer,
			Default: "64", Min: 1, Max: 4096, Choices: []string{"1", "16", "64", "256"}, Scope: engine.ScopeBody,
			Role: engine.Problem, Watch: "the rate: with few messages in flight, latency limits it"},
		{Name: "rounds", Label: "rounds", Doc: "windows of each thread per iteration, and round trips for the latency",
			Type: engine.Integer, Default: "4", Min: 1, Max: 1e4,
			Choices: []string{"1", "4", "16", "64"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the time of an iteration; the rate does not change"},
	},
	Defaults: map[string]string{"model": "flat", "ranks-per-node": "1", "threads-per-rank": "4"},
	Question: "do threads with their own communicators send faster?",
	Alike: map[string]string{"channels": "a call takes no time on a machine without overheads, such as demo, and holds no " +
		"lock; choose lumi-c or perlmutter-cpu"},
	First: "channels", Panes: []string{"locality", "latency"}, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "message_rate", Phrase: "messages per second", Unit: "1/s", Rate: true, Always: true,
			Doc: "messages of all pairs of threads per second, from the first to the last one"},
		{Name: "message_time", Phrase: "time per message", Unit: "s", Always: true, Doc: "1 / message_rate"},
		{Name: "latency", Phrase: "time one way", Unit: "s", Always: true,
			Doc: "half a round trip of a message, all pairs of threads at the same time; the slowest pair"},
	},
	Derived: []engine.MetricSpec{
		{Name: "message_rate_model", Phrase: "messages per second, model", Unit: "1/s",
			Doc: "messages per second, predicted from the machine's overhead, lock time, latency and gap, and from the busiest worker's tasks"},
	},
	Studies:    []*engine.Study{byThreads},
	Accesses:   true,
	Iterations: 3,
	Quick:      map[string]string{"rounds": "1"},
	Fit:        fit,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// number is the length of a message's number in bytes.
const number = 8

// fit sets the number of VCIs of a rank.
func fit(s *engine.Scenario, m *cluster.Machine) {
	if n := s.Int("vcis"); n != noMachine {
		m.VCIs = int(n)
	}
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	threads := int64(l.ThreadsPerRank)
	if level := s.Text("threading"); threads > 1 && level != cluster.ThreadMultiple.String() {
		return workload.Plan{}, fmt.Errorf("threading = %s: every thread of msgrate sends (use threading = multiple, or "+
			"threads-per-rank = 1)", level)
	}
	if n := len(l.World()); n < 2 {
		return workload.Plan{}, fmt.Errorf("%d MPI rank has no partner (use 2 or more)", n)
	}
	size, window := s.Int("size"), s.Int("window")
	messages := window
	if s.Text("receive") != posted {
		messages *= s.Int("rounds")
	}
	const request, task = 64, 48
	return workload.Plan{Items: []workload.Item{
		{Name: "message buffers", Per: workload.PerRank, Bytes: threads * window * size},
		{Name: "requests", Per: workload.PerRank, Bytes: threads * window * request},
		{Name: "numbers and times of tasks", Per: workload.PerRank, Bytes: threads * (messages + 1) * task},
		{Name: "messages in flight", Per: workload.PerRank, Bytes: threads * messages * on.Eager(s, size)},
	}}, nil
}

// idle returns the reason why a change of a knob has no effect, or "".
func idle(s *engine.Scenario, _ engine.Kind, knob string) string {
	alone := s.Layout().ThreadsPerRank == 1
	tasks := s.Text("receive") != posted
	switch knob {
	case "channels", "vcis", "threading", "thread-support":
		if alone {
			return "each rank has one thread"
		}
	case "task":
		if !tasks {
			return "no thread runs a task: receive = posted"
		}
	case "seed":
		if !tasks || s.Float("task") == 0 {
			return "no task has a random length"
		}
	}
	return workload.GroupIdle(s, knob)
}
