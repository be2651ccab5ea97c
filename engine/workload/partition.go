package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// OfMachine is the choice of what a machine's file says.
const OfMachine = "machine"

// partitionOwn is the choice of a network of the run's own.
const partitionOwn = "own"

// Partition is the knob of programs that a network's bisection bears on.
var Partition = engine.Knob{
	Name: "partition", Label: "partition", Doc: "network of a torus: one of its own for the nodes of the run, as square as they divide, or the first nodes of the whole machine's", Type: engine.Choice, Default: partitionOwn,
	Choices: []string{partitionOwn, OfMachine}, Scope: engine.ScopeCluster, Role: engine.Machine,
	Watch: "exchanges, which its bisection bounds, and broadcasts that share links", Paper: "paper 5, section 4",
}

// Progress is the knob of programs that communicate while they compute.
var Progress = engine.Knob{
	Name: "progress", Label: "progress", Doc: "who goes on with transfers while ranks compute: their own calls alone, a thread beside each, or the adapter; machine: what its file says", Type: engine.Choice, Default: OfMachine,
	Choices: []string{OfMachine, string(cluster.ProgressCall), string(cluster.ProgressThread), string(cluster.ProgressOffload)}, Scope: engine.ScopeCluster, Role: engine.Machine,
	Watch: "what slices are for: with an adapter that goes on by itself nobody has to poll", Paper: "paper 5, section 4",
}

// FitMachine gives the machine the network of the run's partition, and the progress that is
// asked for: the Fit of a workload that has one of these knobs, or both.
func FitMachine(s *engine.Scenario, m *cluster.Machine) {
	if s.Text("partition") == partitionOwn {
		m.Topology = PartOf(m.Topology, int(s.Int("nodes")))
	}
	if by, asked := s.Values["progress"]; asked && by != OfMachine {
		m.Progress = cluster.Progress(by)
	}
}

// PartOf returns the network of a part of so many nodes that a run has to itself: of a
// torus, one as near to a cube as goes, the longer sides first; of others, the same.
func PartOf(t cluster.Topology, nodes int) cluster.Topology {
	if t.Shape != cluster.Torus || nodes < 1 {
		return t
	}
	best := []int{nodes, 1, 1}
	for a := 1; a*a*a <= nodes; a++ {
		for b := a; nodes%a == 0 && a*b*b <= nodes; b++ {
			if c := nodes / a / b; a*b*c == nodes && c-a < best[0]-best[2] {
				best = []int{c, b, a}
			}
		}
	}
	t.Dims = best
	return t
}
