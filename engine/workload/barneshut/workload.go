package barneshut

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/study"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&barnesHut) }

// Values of the knobs.
const (
	buildInsert = "insert"
	buildSorted = "sorted"
	byCount     = "count"
	byCost      = "cost"
	chargeExact = "exact"
	chargeBulk  = "bulk"
)

// maxDirect is the maximum number of bodies with θ = 0, where each pair is computed.
const maxDirect = 8192

// exchange gathers the bodies of all groups in each group.
var exchange = algorithm.Main{What: coll.OpAllgather, Bytes: func(s algorithm.Reader, l *cluster.Layout) int64 {
	if l.Groups() == 1 || s.Text("charge") == chargeBulk {
		return 0
	}
	return s.Int("bodies") * bodySize * 8 / int64(l.N().MPI)
}}

var barnesHut = workload.Workload{
	Name:  "barneshut",
	Title: "Barnes-Hut",
	Doc: "Gravitational n-body simulation with an oct-tree in shared memory. All threads of a UPC group build the tree and read it. " +
		"Each group of G ranks has a replica of the tree. Fewer reads leave the rank and the node if a thread computes on bodies near the cells that it made.",
	Paper: "paper 1, sections 4.2 and 4.3.2",
	Knobs: slices.Concat([]engine.Knob{
		{Name: "bodies", Label: "bodies", Doc: "total number of bodies, from the Plummer model (paper 1: 150000)", Type: engine.Integer, Default: "512", Min: 1, Max: 1 << 22,
			Choices: []string{"512", "1024", "4096", "16384", "150000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "reads per body, which grow with the logarithm of the bodies; almost all of a small tree is remote", Paper: "paper 1, section 4.3.2"},
		{Name: "theta", Label: "θ", Doc: "opening angle θ: a cell is opened if its side is at least θ times its distance; 0: all pairs", Type: engine.Real, Default: "1", Min: 0, Max: 2,
			Choices: []string{"0.5", "0.7", "1"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "reads per body and force error: θ = 0.5 needs about four times as many reads and has a quarter of the error", Paper: "paper 1, section 4.2 (unstated there)"},
		{Name: "eps", Label: "softening", Doc: "softening length, which limits the force between close bodies", Type: engine.Real, Default: "0.05", Min: 0, Max: 1,
			Choices: []string{"0", "0.01", "0.05"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the energy: without softening, close encounters spoil it"},
		{Name: "dt", Label: "time step", Doc: "length of a time step", Type: engine.Real, Default: "0.025", Min: 0, Max: 1,
			Choices: []string{"0.0125", "0.025", "0.05"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the energy over many steps"},
		{Name: "placement", Label: "placement", Doc: "bodies that a rank computes: a part of the bodies that its thread inserts (interleave), or one contiguous region per group (block)", Type: engine.Choice, Default: "interleave",
			Choices: []string{"interleave", "block"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "reads in the local rank: interleaved parts are near the rank's own cells; a contiguous region has few owners", Paper: "paper 1, section 4.2 (either fits its words)"},
		{Name: "partition", Label: "partition", Doc: "equal shares by number of bodies (count), or by the interactions of the last step (cost)", Type: engine.Choice, Default: byCount,
			Choices: []string{byCount, byCost}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the slowest rank compared with the mean, from the second step on", Paper: "paper 1, section 4.2 (evenly)"},
		{Name: "build", Label: "build", Doc: "method to build the tree: insertion with compare-and-swap (insert), or from the sorted bodies, where the owner of a cell's first body creates the cell (sorted)", Type: engine.Choice, Default: buildInsert,
			Choices: []string{buildInsert, buildSorted}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the timeline before the forces: insertion waits for atomic operations on other ranks' memory", Paper: "paper 1, section 4.2, algorithm 1"},
		{Name: "cache", Label: "cache", Doc: "cache of other ranks' tree records: on keeps them for a step, off reads them again each time", Type: engine.Choice, Default: "off",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the gain of groups: little of it remains with a cache", Paper: "not in paper 1"},
		{Name: "charge", Label: "charge", Doc: "simulation of reads: one by one (exact), or counted on one tree for all ranks and charged together (bulk; all threads insert at the same pace)", Type: engine.Choice, Default: chargeExact,
			Choices: []string{chargeExact, chargeBulk}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the run time of the simulation; simulated times stay within 1 %"},
	}, exchange.Knobs()),
	Question: "do larger groups pay for walking a shared tree?",
	First:    "group", Panes: []string{"locality", "tables", "cluster"}, Serial: true, Idle: idle,
	Metrics: append([]engine.MetricSpec{
		{Name: "force_time", Phrase: "time of forces", Unit: "s", Always: true, Ranked: true, Doc: "time in which a rank computes its forces of a step (the part in paper 1's figures 8 and 9), mean over ranks"},
		{Name: "force_time_slowest", Phrase: "time of forces, slowest rank", Unit: "s", Always: true, Doc: "the same of the slowest rank, which determines the step"},
		{Name: "reads", Phrase: "reads per rank", Unit: "1", Always: true, Doc: "tree records that a rank reads for the forces of a step; a record is a summary or the children of a cell"},
		{Name: "interactions", Phrase: "interactions per rank", Unit: "1", Always: true, Doc: "body-body and body-cell interactions that a rank computes in a step"},
		{Name: "rank_local_share", Phrase: "share in the local rank", Unit: "1", Doc: "share of the reads from the rank's own memory, mean over ranks (figure 9)"},
		{Name: "node_local_share", Phrase: "share in the local node", Unit: "1", Doc: "share of the reads from memory of the rank's own node, including the rank itself"},
	}, algorithm.Metrics()...),
	Tallies: []engine.TallySpec{
		{Name: "reads_by_depth", Title: "Reads by depth and place", Unit: "1", Doc: "reads for the forces of a step, by depth in the tree and by distance of the owner; all ranks read the top, which few ranks own",
			Shape: engine.Heat, Row: "depth", Column: "where", Labels: func(*engine.Scenario, *cluster.Machine) (rows, columns []string) {
				for depth := range depths {
					rows = append(rows, fmt.Sprintf("depth %d", depth))
				}
				for class := range cluster.Class(cluster.Classes) {
					columns = append(columns, class.String())
				}
				return rows, columns
			}},
		exchange.Tally(),
	},
	Profiles: []engine.ProfileSpec{owners},
	Derived: []engine.MetricSpec{
		{Name: "slowest_over_mean", Phrase: "slowest rank over mean", Unit: "1", Doc: "time of the slowest rank divided by the mean: the load imbalance of equal numbers of bodies"},
		{Name: "memory_per_node", Phrase: "memory per node", Unit: "B", Doc: "sum of the segments of a node's ranks"},
		{Name: "replicas", Phrase: "copies of the tree", Unit: "1", Doc: "number of replicas of the tree in the cluster"},
		{Name: "hybrid_lines", Phrase: "lines for groups", Unit: "1", Doc: "source lines that this program needs for groups (hybrid.go); paper 1: 51"},
		{Name: "hybrid_lines_share", Phrase: "share of lines for groups", Unit: "1", Doc: "these lines divided by all other lines; paper 1: 51 / 2,454"},
	},
	Studies:    []*engine.Study{byGroup, study.Tries},
	Bars:       refusedChoices,
	Iterations: 2, Quick: map[string]string{"bodies": "64"}, // metrics count the lines of this package
	Plan: plan, Run: run,
	Comparison: compareSequential,
	Finish:     finish,
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	n, bulk := s.Int("bodies"), s.Text("charge") == chargeBulk
	switch theta := s.Float("theta"); {
	case math.IsNaN(theta) || theta < 0:
		return workload.Plan{}, fmt.Errorf("theta = %v: want a number of at least 0 (0 computes all pairs)", theta)
	case theta == 0 && n > maxDirect:
		return workload.Plan{}, fmt.Errorf("theta = 0 with bodies = %d: all pairs are limited to %d bodies; set theta = 0.5, or bodies = %d", n, maxDirect, maxDirect)
	case bulk && !on.Virtual:
		return workload.Plan{}, fmt.Errorf("charge = bulk: works only in simulations; set charge = exact, or fabric = sim")
	}
	records := capacityFor(int(n), l.GroupSize(), s.Text("partition") == byCost)
	list := alignLine(int64(listBlock(int(n), l.GroupSize())) * 8)
	p := workload.Plan{Segment: records.bytes() + list, Replicas: l.Groups(), Items: []workload.Item{workload.Renumbering(&l)}, Tries: exchange.Iterations(s, on.Machine, on.Kind())}
	record := int64(bodySize * 8)
	order := int64(40) // per body: its position in the order, during and after the sort
	if bulk {
		p.Segment, p.Modelled = 64, p.Segment
		p.Items = append(p.Items, workload.Item{Name: "tree and bodies", Per: workload.InAll, Bytes: n * (2*record + order + 3*(summaryBytes+childrenBytes))})
	} else {
		p.Items = append(p.Items, workload.Item{Name: "copies of the bodies", Per: workload.PerRank, Bytes: n * (3*record + order)})
	}
	return p, nil
}

func finish(snap *engine.Snapshot, _ *cluster.Machine) []engine.Metric {
	hybrid, others := lines()
	metrics := []engine.Metric{
		{Name: "memory_per_node", Value: float64(snap.MemoryPerNode), Unit: "B", Kind: snap.Kind},
		{Name: "replicas", Value: float64(snap.Replicas), Unit: "1", Kind: snap.Kind},
		{Name: "hybrid_lines", Value: float64(hybrid), Unit: "1", Kind: snap.Kind},
		{Name: "hybrid_lines_share", Value: float64(hybrid) / float64(others), Unit: "1", Kind: snap.Kind},
	}
	mean, ok := snap.Metric("force_time")
	slowest, too := snap.Metric("force_time_slowest")
	if ok && too && mean.Value > 0 {
		metrics = append(metrics, engine.Metric{Name: "slowest_over_mean", Value: slowest.Value / mean.Value, Unit: "1", Kind: snap.Kind})
	}
	return metrics
}

func refusedChoices(s *engine.Scenario, on *workload.Site) map[string]map[string]string {
	return map[string]map[string]string{"algorithm": exchange.Refused(s, on.Machine, on.Kind())}
}

func idle(s *engine.Scenario, _ engine.Kind, knob string) string {
	l := s.Layout()
	if knob == "placement" && (l.Model == cluster.Flat || l.Groups() == 1) {
		return "there is only one group, which has all bodies"
	}
	if knob == "world-seed" && l.Model == cluster.Flat {
		return "no message uses MPI rank numbers"
	}
	return exchange.Idle(s, knob)
}
