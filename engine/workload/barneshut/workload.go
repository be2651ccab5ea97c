package barneshut

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func init() { workload.Register(&barnesHut) }

// Choices of knobs.
const (
	buildInsert = "insert"
	buildSorted = "sorted"
	byCount     = "count"
	byCost      = "cost"
	chargeExact = "exact"
	chargeBulk  = "bulk"
)

// mostDirect is up to how many bodies θ may be 0: each pair is then computed.
const mostDirect = 8192

var barnesHut = workload.Workload{
	Name:  "barneshut",
	Title: "Barnes-Hut",
	Doc: "Gravitation of many bodies by an oct-tree in shared memory, which every thread of a UPC group builds and reads. " +
		"With groups of G ranks each group has a replica of the tree: fewer reads leave the rank and the node, where a thread computes on bodies near the cells that it made.",
	Paper: "paper 1, sections 4.2 and 4.3.2",
	Knobs: []engine.Knob{
		{Name: "bodies", Label: "bodies", Doc: "bodies in the cluster, of the Plummer model (paper 1: 150000)", Type: engine.Integer, Default: "512", Min: 1, Max: 1 << 22,
			Choices: []string{"512", "1024", "4096", "16384", "150000"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "reads a body, which grow with the logarithm; a small tree is nearly all remote", Paper: "paper 1, section 4.3.2"},
		{Name: "theta", Label: "θ", Doc: "a cell is opened where its side is at least θ times as long as its distance; 0: all pairs", Type: engine.Real, Default: "1", Min: 0, Max: 2,
			Choices: []string{"0.5", "0.7", "1"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "reads a body and the error of forces: at 0.5 about four times as many reads, a quarter of the error", Paper: "paper 1, section 4.2 (unstated there)"},
		{Name: "eps", Label: "softening", Doc: "length by which distances are softened", Type: engine.Real, Default: "0.05", Min: 0, Max: 1,
			Choices: []string{"0", "0.01", "0.05"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the energy, which close encounters spoil without it"},
		{Name: "dt", Label: "time step", Doc: "time of a step", Type: engine.Real, Default: "0.025", Min: 0, Max: 1,
			Choices: []string{"0.0125", "0.025", "0.05"}, Scope: engine.ScopeBody, Role: engine.Problem,
			Watch: "the energy over many steps"},
		{Name: "placement", Label: "placement", Doc: "which bodies a rank computes: a piece of those that its thread inserts, or a contiguous region a group", Type: engine.Choice, Default: "interleave",
			Choices: []string{"interleave", "block"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "reads in the own rank: interleaved pieces are near the own cells, a group's region belongs to few owners", Paper: "paper 1, section 4.2 (either fits its words)"},
		{Name: "partition", Label: "partition", Doc: "bodies are shared out evenly by count, or by the interactions of the last step", Type: engine.Choice, Default: byCount,
			Choices: []string{byCount, byCost}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the slowest rank against the mean, from the second step on", Paper: "paper 1, section 4.2 (evenly)"},
		{Name: "build", Label: "build", Doc: "the tree is built by insertion with compare-and-swap, or from the sorted order, where a cell's first body says who makes it", Type: engine.Choice, Default: buildInsert,
			Choices: []string{buildInsert, buildSorted}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the timeline before the forces: insertion waits for other ranks' words", Paper: "paper 1, section 4.2, algorithm 1"},
		{Name: "cache", Label: "cache", Doc: "a rank keeps what it read of other ranks' records for a step, or reads it again", Type: engine.Choice, Default: "off",
			Choices: []string{"off", "on"}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "the gain of groups, of which a cache leaves little", Paper: "not in paper 1"},
		{Name: "charge", Label: "charge", Doc: "each read is made, or reads are counted on one tree for all ranks and charged together (simulated; all threads insert at one pace)", Type: engine.Choice, Default: chargeExact,
			Choices: []string{chargeExact, chargeBulk}, Scope: engine.ScopeBody, Role: engine.Scheme,
			Watch: "how long the simulation itself takes; times stay within 1 %"},
	},
	First: "group", Panes: []string{"locality", "tables", "cluster"}, Serial: true, Idle: idle,
	Metrics: []engine.MetricSpec{
		{Name: "force_time", Phrase: "time of forces", Unit: "s", Ranked: true, Doc: "of a rank's forces in a step, the part that paper 1's figures 8 and 9 are of, mean over ranks"},
		{Name: "force_time_slowest", Phrase: "time of forces, slowest rank", Unit: "s", Doc: "likewise of the slowest rank: the step's"},
		{Name: "reads", Phrase: "reads of a rank", Unit: "1", Doc: "records of the tree that a rank read in a step's forces, a summary or a cell's children each"},
		{Name: "interactions", Phrase: "interactions of a rank", Unit: "1", Doc: "pulls that a rank added up in a step"},
		{Name: "rank_local_share", Phrase: "share in the own rank", Unit: "1", Doc: "share of the reads that landed in the own rank's memory, mean over ranks (figure 9)"},
		{Name: "node_local_share", Phrase: "share in the own node", Unit: "1", Doc: "share that landed on the own node, the own rank's memory included"},
	},
	Tallies: []engine.TallySpec{
		{Name: "reads_by_depth", Title: "Reads by depth and place", Unit: "1", Doc: "reads of a step's forces by depth in the tree and by where they landed: the top of the tree is every rank's, and few ranks made it",
			Shape: engine.Heat, Row: "depth", Column: "where", Labels: func(*engine.Scenario, *cluster.Machine) (rows, columns []string) {
				for depth := range depths {
					rows = append(rows, fmt.Sprintf("depth %d", depth))
				}
				for class := range cluster.Class(cluster.Classes) {
					columns = append(columns, class.String())
				}
				return rows, columns
			}},
	},
	Profiles: []engine.ProfileSpec{owners},
	Derived: []engine.MetricSpec{
		{Name: "slowest_over_mean", Phrase: "slowest rank over mean", Unit: "1", Doc: "time of the slowest rank over the mean: what an even count of bodies leaves uneven"},
		{Name: "memory_per_node", Phrase: "memory a node", Unit: "B", Doc: "segments of a node's ranks"},
		{Name: "replicas", Phrase: "copies of the tree", Unit: "1", Doc: "copies of the tree in the cluster"},
		{Name: "hybrid_lines", Phrase: "lines for groups", Unit: "1", Doc: "lines of this program's source that its groups need (hybrid.go); paper 1: 51"},
		{Name: "hybrid_lines_share", Phrase: "of them, share", Unit: "1", Doc: "these lines over all others; paper 1: 51 over 2,454"},
	},
	Studies:    []*engine.Study{byGroup},
	Iterations: 2, Quick: map[string]string{"bodies": "64"}, // metrics count the lines of this package
	Plan: plan, Run: run,
	Beside: beside,
	Finish: finish,
}

func plan(s *engine.Scenario, on *workload.Site) (workload.Plan, error) {
	l := s.Layout()
	n, bulk := s.Int("bodies"), s.Text("charge") == chargeBulk
	switch theta := s.Float("theta"); {
	case math.IsNaN(theta) || theta < 0:
		return workload.Plan{}, fmt.Errorf("theta = %v: must not be negative; 0 computes all pairs", theta)
	case theta == 0 && n > mostDirect:
		return workload.Plan{}, fmt.Errorf("theta = 0 with bodies = %d: all pairs are computed for up to %d bodies: set theta = 0.5, or bodies = %d", n, mostDirect, mostDirect)
	case bulk && !on.Virtual:
		return workload.Plan{}, fmt.Errorf("charge = bulk: time is not simulated, and each read takes its own: set charge = exact, or simulate")
	}
	room := roomFor(int(n), l.GroupSize(), s.Text("partition") == byCost)
	list := round(int64(listBlock(int(n), l.GroupSize())) * 8)
	p := workload.Plan{Segment: room.bytes() + list, Replicas: l.Groups(), Holds: []workload.Item{workload.Renumbering(&l)}}
	record := int64(bodySize * 8)
	order := int64(40) // of a body: its place, while it is sorted, and afterwards
	if bulk {
		p.Segment, p.Modelled = 64, p.Segment
		p.Holds = append(p.Holds, workload.Item{Name: "tree and bodies", Per: workload.InAll, Bytes: n * (2*record + order + 3*(summaryBytes+childrenBytes))})
	} else {
		p.Holds = append(p.Holds, workload.Item{Name: "copies of the bodies", Per: workload.PerRank, Bytes: n * (3*record + order)})
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

func idle(s *engine.Scenario, _ engine.Kind, knob string) string {
	l := s.Layout()
	if knob == "placement" && (l.Model == cluster.Flat || l.Groups() == 1) {
		return "one group has all bodies either way"
	}
	if knob == "world-seed" && l.Model == cluster.Flat {
		return "no message goes by MPI's numbers"
	}
	return ""
}
