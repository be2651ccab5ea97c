package workload

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// nodeCores is the choice of a rank's share of its node's cores.
const nodeCores = "node"

// Cores is the knob of programs whose kernels compute on several cores.
var Cores = engine.Knob{
	Name: "cores", Label: "cores", Doc: "cores that each rank's kernels use, as threads of the kernel library; node: an equal share of the node's cores", Type: engine.Integer, Default: nodeCores, Min: 1, Max: 4096,
	Choices: []string{nodeCores, "1", "2", "4", "8", "16"}, Scope: engine.ScopeBody, Role: engine.Scheme,
	Watch: "the share of communication: faster kernels hide less of it, and one rank per node with all cores sends fewer and longer messages", Paper: "paper 5, section 6",
}

// CoresOf is how many cores a rank's kernels compute on.
func CoresOf(s interface{ Int(knob string) int64 }, m *cluster.Machine, l *cluster.Layout) int {
	if n := s.Int(Cores.Name); n > 0 {
		return int(n)
	}
	return max(m.CoresPerNode/l.RanksPerNode, 1)
}

// Unmachined says of the knobs cores and partition why they have no effect.
func Unmachined(kind engine.Kind, knob string) string {
	switch {
	case knob == Cores.Name && kind == engine.Measured:
		return "measured kernels run on one core of this host"
	case knob == Partition.Name && kind != engine.Simulated:
		return "only simulations model the machine's network"
	}
	return ""
}
