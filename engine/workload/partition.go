package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// OfMachine is the knob value for the setting in the machine's file.
const OfMachine = "machine"

// partitionOwn is the knob value for a network that only this run uses.
const partitionOwn = "own"

// Partition is the knob of programs whose time depends on the bisection of the network.
var Partition = engine.Knob{
	Name: "partition", Label: "partition", Doc: "network of a run on a torus: its own torus, as near to a cube as " +
		"possible (own), or the first nodes of the whole machine (machine)", Type: engine.Choice, Default: partitionOwn,
	Choices: []string{partitionOwn, OfMachine}, Scope: engine.ScopeCluster, Role: engine.Machine,
	Watch: "exchanges, which the bisection limits, and broadcasts that share links", Paper: "paper 5, section 4",
}

// FitPartition sets the machine's network to the value of the knob partition. It is the Fit of
// workloads with this knob.
func FitPartition(s *engine.Scenario, m *cluster.Machine) {
	if s.Text("partition") == partitionOwn {
		m.Topology = PartOf(m.Topology, int(s.Int("nodes")))
	}
}

// PartOf returns the network of a part with the given number of nodes that a run has for itself. In
// a torus it is the torus nearest to a cube, with the longer sides first. Other networks are
// returned unchanged.
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
