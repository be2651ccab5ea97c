package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The choices of the knob partition.
const (
	partitionOwn   = "own"
	partitionWhole = "machine"
)

// Partition is the knob of programs that a network's bisection bears on.
var Partition = engine.Knob{
	Name: "partition", Label: "partition", Doc: "network of a torus: one of its own for the nodes of the run, as square as they divide, or the first nodes of the whole machine's", Type: engine.Choice, Default: partitionOwn,
	Choices: []string{partitionOwn, partitionWhole}, Scope: engine.ScopeCluster, Role: engine.Machine,
	Watch: "exchanges, which its bisection bounds", Paper: "paper 5, section 4",
}

// FitPartition gives the machine the network of the run's partition: a workload's Fit.
func FitPartition(s *engine.Scenario, m *cluster.Machine) {
	if s.Text("partition") == partitionOwn {
		m.Topology = m.Topology.Partition(int(s.Int("nodes")))
	}
}
