package sim

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/hybridtop/hybridtop/cluster"
)

// slowness has the slow parts of a machine: factors in parts per 2¹⁶; 0: not slow. It is nil for a
// machine without slow parts.
type slowness struct {
	nodes    []uint64
	adapters map[[2]int]uint64
}

func newSlowness(list []cluster.Slow, nodes int) (*slowness, error) {
	if len(list) == 0 {
		return nil, nil
	}
	s := &slowness{nodes: make([]uint64, nodes), adapters: map[[2]int]uint64{}}
	for _, x := range list {
		if !(x.Factor >= 1 && x.Factor <= 1e6) {
			return nil, fmt.Errorf("slow node %d: factor %v, want 1 to 1e6", x.Node, x.Factor)
		}
		f := uint64(math.Round(x.Factor * 65536))
		switch {
		case x.Node < 0 || x.Node >= nodes: // not part of this layout
		case x.Adapter < 0:
			s.nodes[x.Node] = f
		default:
			s.adapters[[2]int{x.Node, x.Adapter}] = f
		}
	}
	return s, nil
}

func (s *slowness) compute(node int32, t cluster.Time) cluster.Time {
	return scale(t, s.nodes[node])
}

// atAdapter returns the gap of a message and the time of its bytes at an adapter that may be slow.
func (s *slowness) atAdapter(node int32, adapter int, gap, carry cluster.Time) (cluster.Time, cluster.Time) {
	if s == nil {
		return gap, carry
	}
	return s.atSlowAdapter(node, adapter, gap, carry)
}

func (s *slowness) atSlowAdapter(node int32, adapter int, gap, carry cluster.Time) (cluster.Time, cluster.Time) {
	parts := s.adapters[[2]int{int(node), adapter}]
	return scale(gap, parts), scale(carry, parts)
}

// scale multiplies by parts per 2¹⁶, rounded down; 0 parts leave t as it is.
func scale(t cluster.Time, parts uint64) cluster.Time {
	if parts == 0 {
		return t
	}
	hi, lo := bits.Mul64(uint64(t), parts)
	if hi >= 1<<15 {
		return math.MaxInt64 / 2
	}
	return cluster.Time(hi<<48 | lo>>16)
}
