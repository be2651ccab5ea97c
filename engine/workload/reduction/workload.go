package reduction

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&reduction) }

// The settings of the knob reduction.
const (
	whole      = "whole"
	split      = "split"
	overlapped = "overlapped"
)

var reduction = workload.Workload{
	Name:  "reduction",
	Title: "Split reduction",
	Doc: "Sums vectors of all processes at every process. The additions are done by the master, as inside one MPI " +
		"call (whole), by all threads between MPI calls (split), or by the other threads during them (overlapped). " +
		"Change reduction to see which one is fastest, and increase the threads.",
	Paper: "paper 2, section 7.1",
	Knobs: []engine.Knob{
		{Name: "elements", Label: "elements", Doc: "numbers in the vector of a process, 8 bytes each", Type: engine.Integer,
			Default: "100000", Min: 1, Max: 1 << 27,
			Choices: []string{"1", "1000", "10007", "100000", "1000000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of the local part, which is small for short vectors", Paper: "paper 2, section 7.1"},
		{Name: "reduction", Label: "reduction", Doc: "who adds received numbers; whole: the master, as inside an MPI call; " +
			"split: all threads, between MPI calls; overlapped: all threads except the master, during MPI calls (needs " +
			"funneled)", Type: engine.Choice, Default: whole, Choices: []string{whole, split, overlapped},
			Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the time of the local part: all threads shorten it, and communication hides it",
			Paper: "paper 2, section 7.1"},
		workload.RealLimit("4194304"),
	},
	Defaults: map[string]string{"model": "flat", "ranks-per-node": "1", "threads-per-rank": "4", "threading": "funneled"},
	Question: "should one thread add while the others wait?",
	First:    "reduction", Panes: []string{"locality", "latency"}, Steady: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "reduction_time", Phrase: "time of a reduction", Unit: "s", Always: true, Parts: []string{"local_time", "comm_time"}, Doc: "time of one reduction, mean over processes"},
		{Name: "local_time", Phrase: "local reduction", Unit: "s",
			Doc: "part of reduction_time in which the master adds, or waits for the threads that do"},
		{Name: "comm_time", Phrase: "communication", Unit: "s", Doc: "rest of reduction_time"},
	},
	Derived: []engine.MetricSpec{
		{Name: "local_time_model", Phrase: "local reduction, model", Unit: "s",
			Doc: "local_time from the machine's constants; not for reduction = overlapped"},
	},
	Studies:    []*engine.Study{byReduction},
	Bars:       refusedChoices,
	Accesses:   true,
	Iterations: 5,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// refused returns the reason why the present level or layout refuses an overlapped reduction, or "".
func refused(s *engine.Scenario) string {
	switch threads := s.Layout().ThreadsPerRank; {
	case s.Threading() < cluster.ThreadFunneled:
		return fmt.Sprintf("threads add while the master communicates, which %s forbids (use threading = funneled)",
			s.Text("threading"))
	case threads < 2:
		return "the master communicates, and no other thread can add (use 2 or more threads per rank)"
	}
	return ""
}

// refusedChoices returns the settings that cannot run with the other knobs.
func refusedChoices(s *engine.Scenario, _ *workload.Site) map[string]map[string]string {
	if why := refused(s); why != "" {
		return map[string]map[string]string{"reduction": {overlapped: why}}
	}
	return nil
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	if s.Threading() == cluster.ThreadSingle && l.ThreadsPerRank > 1 && s.Text("reduction") != whole {
		return workload.Plan{}, fmt.Errorf("threads-per-rank = %d: want 1 under threading = single (or use threading = "+
			"masteronly)", l.ThreadsPerRank)
	}
	if why := refused(s); why != "" && s.Text("reduction") == overlapped {
		return workload.Plan{}, fmt.Errorf("reduction = overlapped: %s", why)
	}
	n, processes := int(s.Int("elements")), l.N().MPI
	_, n, _ = workload.Parts(on.Store(s, bytes(n, processes)), func(_ cluster.Store, small bool) (int, error) {
		return lengthOf(n, processes, small), nil
	})
	return workload.Plan{Items: []workload.Item{
		{Name: "vectors and received sums", Per: workload.PerRank, Bytes: bytes(n, processes)},
		{Name: "sums in flight", Per: workload.PerRank, // sent and unexpected, in both phases
			Bytes: 8 * on.Eager(s, 8*int64(longest(n, processes)))},
	}}, nil
}

// longest returns the number of elements of the longest piece.
func longest(n, processes int) int { return (n + processes - 1) / processes }

// bytes returns the bytes of a process's vector, result and received partial sums.
func bytes(n, processes int) int64 {
	return 8 * (2*int64(n) + int64(processes-1)*int64(longest(n, processes)))
}

// lengthOf returns n, or the elements of a small vector with some elements per piece.
func lengthOf(n, processes int, small bool) int {
	if small {
		return min(n, 7*processes+3)
	}
	return n
}

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	s := &snap.Scenario
	if s.Text("reduction") == overlapped || !m.Emulated || snap.Kind == engine.Measured {
		return nil
	}
	l := s.Layout()
	world := l.World()
	threads, processes := 1., float64(len(world))
	if s.Text("reduction") == split {
		threads = float64(l.ThreadsPerRank)
	}
	w := work(float64(s.Int("elements")) * (processes - 1) / processes)
	t := m.ComputeTime(cluster.Work{Flops: w.Flops / threads, Bytes: w.Bytes / threads}).Seconds()
	if m.NodeRate > 0 {
		t = max(t, w.Bytes*processes/float64(l.Nodes)/m.NodeRate)
	}
	return []engine.Metric{{Name: "local_time_model", Value: t, Unit: "s", Kind: engine.Modelled}}
}

// work returns the work for a number of additions: each reads two numbers and writes one.
func work(additions float64) cluster.Work {
	return cluster.Work{Flops: additions, Bytes: 3 * 8 * additions}
}

func idle(s *engine.Scenario, kind engine.Kind, knob string) string {
	l := s.Layout()
	switch {
	case knob == "reduction" && l.N().MPI < 2:
		return "a single process receives nothing to add"
	case knob == "threads-per-rank" && s.Text("reduction") == whole:
		return "reduction = whole: only the master adds"
	}
	if why := workload.LimitIdle(kind, knob); why != "" {
		return why
	}
	return workload.GroupIdle(s, knob)
}
