package collective

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// fit gives the machine the network of the run's partition.
func fit(s *engine.Scenario, m *cluster.Machine) {
	if s.Text("partition") == partitionOwn {
		m.Topology = m.Topology.Partition(int(s.Int("nodes")))
	}
}
