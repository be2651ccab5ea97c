package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// nodeCores is the value of the knob for a rank's share of its node's cores.
const nodeCores = "node"

// Cores is the knob for the number of cores that a kernel uses.
var Cores = engine.Knob{
	Name: "cores", Label: "cores", Doc: "cores that each rank's kernels use, as threads of the kernel library; node: " +
		"an equal share of the node's cores", Type: engine.Integer, Default: nodeCores, Min: 1, Max: 4096,
	Choices: []string{nodeCores, "1", "2", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
	Watch: "the share of communication: faster kernels hide less of it, and one rank per node with all cores sends " +
		"fewer and longer messages", Paper: "paper 5, section 6",
}

// CoresOf returns the number of cores that a rank's kernels use.
func CoresOf(s interface{ Int(knob string) int64 }, m *cluster.Machine, l *cluster.Layout) int {
	if n := s.Int(Cores.Name); n > 0 {
		return int(n)
	}
	return max(m.CoresPerNode/l.RanksPerNode, 1)
}

// MachineIdle returns the reason why the knob cores or partition has no effect, or "".
func MachineIdle(kind engine.Kind, knob string) string {
	switch {
	case knob == Cores.Name && kind == engine.Measured:
		return "measured kernels run on one core of this host"
	case knob == Partition.Name && kind != engine.Simulated:
		return "only simulations model the machine's network"
	}
	return ""
}
