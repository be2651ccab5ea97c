package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// Messages from one rank to another keep their order over the links of a network, although each
// uses the first free adapter of its node. An RTS goes between the bytes of puts, while an eager
// message must wait for them.
func TestNoMessageOvertakesOnLinks(t *testing.T) {
	m := clustertest.Priced()
	m.Classes[cluster.Remote].Adapters = 2
	m.Topology = cluster.Topology{Shape: cluster.Torus, Dims: []int{2, 1, 1}, LinkBandwidth: 50e9,
		HopLatency: 500 * cluster.Nanosecond}
	spec := clustertest.Spec(m, 2, 4)
	spec.EagerLimit, spec.Segment = 256, 1<<16
	const n = 200
	simulated(t, spec, func(r *cluster.Rank) error {
		switch r.ID() {
		case 0, 4:
		case 1, 2, 3: // keep the adapters busy
			b := make([]byte, 40000)
			for i := range n {
				if err := r.Put(cluster.At(4+r.ID(), 0), cluster.Of(b[:10000+(i*7919+r.ID()*3571)%30000])); err != nil {
					return err
				}
			}
			return nil
		default:
			return nil
		}
		return inOrder(r, 4, n)
	})
}
