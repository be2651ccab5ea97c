package dot

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&product) }

// reduce adds the sums of all MPI processes.
var reduce = algorithm.Main{What: coll.OpReduce, Bytes: func(algorithm.Reader, *cluster.Layout) int64 { return 8 }}

var product = workload.Workload{
	Name:  "dot",
	Title: "Dot product",
	Doc: "The dot product of two shared vectors, as paper 1 writes it in each execution model. Flat reduces over all " +
		"ranks, nested-funneled in two steps (UPC in the group, MPI between the masters), and nested-multiple in one step. " +
		"The vectors contain integers, so every model computes the same bits. Under nested-funneled, let every rank " +
		"call MPI to see the refusal.",
	Paper: "paper 1, section 3, figures 2 to 4",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "elements", Label: "elements", Doc: "number of elements of each vector, 8 bytes each; any number works",
			Type: engine.Integer, Default: "100000", Min: 1, Max: 1 << 33,
			Choices: []string{"1", "1000", "10007", "100000", "1000000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of reductions in a product, which falls with more elements", Paper: "paper 1, section 3"},
		{Name: "callers", Label: "MPI callers",
			Doc: "ranks that call MPI_Reduce: the ranks that the model permits, or every rank", Type: engine.Choice,
			Default: "permitted",
			Choices: []string{"permitted", "every"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the refusal under nested-funneled: only UPC thread 0 of a group may call MPI",
			Paper: "paper 1, section 3.2.1"},
	}, reduce.Knobs()),
	Alike: map[string]string{"model": "the models send equally few messages; they differ in who may call MPI, and in " +
		"the copies of the vectors"},
	Question: "does it matter which ranks may call MPI?",
	First:    "model", Panes: []string{"locality"}, Serial: true, Steady: true, Idle: idle,
	Metrics: append([]engine.MetricSpec{
		{Name: "dot", Phrase: "dot product", Unit: "1", Doc: "the dot product"},
		{Name: "dot_time", Phrase: "time of a product", Unit: "s", Always: true, Parts: []string{"compute_time", "reduce_time"}, Doc: "time of one dot product, mean over ranks"},
		{Name: "compute_time", Phrase: "computing", Unit: "s", Doc: "time of the multiplications of a rank's own elements"},
		{Name: "reduce_time", Phrase: "reducing", Unit: "s", Always: true, Doc: "time of the reductions, waiting included"},
	}, algorithm.Metrics()...),
	Derived: []engine.MetricSpec{
		{Name: "dot_compute_time", Phrase: "time of computing, model", Unit: "s",
			Doc: "time that the emulated machine needs for one rank's elements, without the reductions"},
		{Name: "memory_per_node", Phrase: "memory per node", Unit: "B", Doc: "sum of the segments of a node's ranks"},
		{Name: "replicas", Phrase: "copies of the vectors", Unit: "1",
			Doc: "number of replicas of the vectors in the cluster"},
	},
	Tallies:    []engine.TallySpec{reduce.Tally()},
	Studies:    []*engine.Study{byModel, study.Tries},
	Bars:       refusedChoices,
	Iterations: 10,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	part := (s.Int("elements") + int64(l.GroupSize()) - 1) / int64(l.GroupSize()) * 8
	part = (part + 63) &^ 63
	return workload.Plan{Segment: 2 * part, Replicas: l.Groups(), Items: []workload.Item{workload.Renumbering(&l)},
		Tries: reduce.Iterations(s, on.Machine, on.Kind())}, nil
}

func refusedChoices(s *engine.Scenario, on *workload.Site) map[string]map[string]string {
	return map[string]map[string]string{"algorithm": reduce.Refused(s, on.Machine, on.Kind())}
}

func idle(s *engine.Scenario, _ engine.Kind, knob string) string { return reduce.Idle(s, knob) }

func finish(snap *engine.Snapshot, m *cluster.Machine) []engine.Metric {
	metrics := []engine.Metric{
		{Name: "memory_per_node", Value: float64(snap.MemoryPerNode), Unit: "B", Kind: snap.Kind},
		{Name: "replicas", Value: float64(snap.Replicas), Unit: "1", Kind: snap.Kind},
	}
	if m.Emulated {
		t := m.ComputeTime(work(float64(snap.Scenario.Int("elements")) / float64(snap.Layout.Ranks())))
		metrics = append(metrics,
			engine.Metric{Name: "dot_compute_time", Value: t.Seconds(), Unit: "s", Kind: engine.Modelled})
	}
	return metrics
}

// work returns the work for a number of elements: a multiplication and an addition each, on two
// numbers of 8 bytes.
func work(elements float64) cluster.Work {
	return cluster.Work{Flops: 2 * elements, Bytes: 16 * elements}
}
