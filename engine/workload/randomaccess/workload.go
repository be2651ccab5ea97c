package randomaccess

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&random) }

var random = workload.Workload{
	Name:  "randomaccess",
	Title: "Random access",
	Doc: "Every rank reads random elements of a shared array and computes on each of them. " +
		"Each UPC group of G ranks has a replica of the array: 1/G of the accesses are local, for ranks/G times the memory.",
	Paper: "paper 1, sections 4.1 and 4.3.1",
	Knobs: []engine.Knob{
		{Name: "elements", Label: "elements", Doc: "elements of the shared array, 8 bytes each (paper 1: 1000000)",
			Type: engine.Integer, Default: "262144", Min: 1, Max: 1 << 33,
			Choices: []string{"65536", "262144", "1000000", "4000000", "16000000"}, Scope: engine.ScopeBody,
			Role:  engine.Problem,
			Watch: "the memory per node, which grows; shares and latency do not change", Paper: "paper 1, section 4.1"},
		{Name: "accesses", Label: "accesses", Doc: "accesses per rank and iteration (paper 1: 1000000)",
			Type: engine.Integer, Default: "16", Min: 1, Max: 1e9,
			Choices: []string{"1", "4", "16", "64", "256", "1024", "16384"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the time of an iteration; the time of an access does not change", Paper: "paper 1, section 4.1"},
		{Name: "flops", Label: "flops/access", Doc: "floating-point operations per element", Type: engine.Integer,
			Default: "1000", Min: 0, Max: 1e9,
			Choices: []string{"0", "10", "100", "1000", "10000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the share of access time: at 0 the time follows the locality law, at 10000 locality hardly matters",
			Paper: "paper 1, section 4.3.1"},
		{Name: "replica", Label: "replica", Doc: "replicas of the array; group: one per UPC group; full: one array over " +
			"all ranks, the baseline", Type: engine.Choice, Default: "group",
			Choices: []string{"group", "full"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "locality and memory: with one full array 1/ranks of the accesses are local, and memory is minimal",
			Paper: "paper 1, section 4.3.1, the baseline"},
	},
	Question: "does locality pay?",
	First:    "group", Panes: []string{"locality", "cluster", "latency"}, Serial: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "time_per_access", Phrase: "time of access and flops", Unit: "s", Always: true,
			Doc: "mean time of an access and of the computing on its element, without the time to read the clock"},
	},
	Derived: []engine.MetricSpec{
		{Name: "rank_local_share", Phrase: "share in the local rank", Unit: "1",
			Doc: "share of the accesses to the rank's own memory"},
		{Name: "node_local_share", Phrase: "share in the same node", Unit: "1",
			Doc: "share of the accesses to the rank's own node, including its own memory"},
		{Name: "access_time_mean", Phrase: "time of an access", Unit: "s", Doc: "mean time of an access"},
		{Name: "accesses_per_second", Phrase: "accesses per second", Unit: "1/s",
			Doc: "accesses of all ranks per second, including the computing between them"},
		{Name: "memory_per_node", Phrase: "memory per node", Unit: "B", Doc: "segments of the ranks on a node"},
		{Name: "replicas", Phrase: "copies of the array", Unit: "1", Doc: "copies of the array in the cluster"},
		{Name: "rank_local_share_law", Phrase: "share in local rank, law", Unit: "1",
			Doc: "share by the locality law, 1/G (paper 1, section 4.3.1)"},
		{Name: "node_local_share_law", Phrase: "share in same node, law", Unit: "1",
			Doc: "share by the locality law, |group ∩ node|/G"},
		{Name: "access_time_law", Phrase: "time of an access, law", Unit: "s",
			Doc: "mean latency l_avg, from the machine's latencies and the shares of the locality law"},
	},
	Studies: []*engine.Study{
		study.Locality("time_per_access", func(s *engine.Scenario, group int) int64 { return segment(s.Int("elements"), group) }),
	},
	Accesses:   true,
	Iterations: 10,
	Plan:       plan,
	Run:        run,
	Finish:     finish,
}

// element is the number of bytes of an access.
const element = 8

func plan(s *engine.Scenario, _ *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	if s.Text("replica") == "full" && l.Model != cluster.Flat {
		return workload.Plan{}, fmt.Errorf("replica = full under model = %s: a rank can access UPC memory only inside "+
			"its group (use model = flat, or replica = group)", l.Model)
	}
	n := s.Int("elements")
	if n < 1 {
		return workload.Plan{}, fmt.Errorf("elements = %d: want at least 1", n)
	}
	return workload.Plan{Segment: segment(n, l.GroupSize()), Replicas: l.Groups()}, nil
}

// segment is the largest part of n elements over a group, as the segment's
// allocator rounds it.
func segment(n int64, group int) int64 {
	part := (n + int64(group) - 1) / int64(group) * element
	return (part + 63) &^ 63
}

func idle(s *engine.Scenario, _ engine.Kind, knob string) string {
	switch {
	case knob == "replica" && s.Text("model") == string(cluster.Flat):
		return "under model = flat there is only one group, with the full array"
	case knob == "world-seed":
		return "no message depends on MPI rank numbers"
	}
	return ""
}
