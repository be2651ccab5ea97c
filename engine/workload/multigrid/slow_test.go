package multigrid

import (
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

// checks counts the verdicts of a solve's verification.
type checks struct {
	engine.Probe
	mu          sync.Mutex
	good, wrong int
}

func (c *checks) Checksum(func() uint64)     {}
func (c *checks) Iteration() int             { return 0 }
func (c *checks) Report(string, float64)     {}
func (c *checks) Place(string, int, float64) {}
func (c *checks) Verify(ok bool, _ string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ok {
		c.good++
	} else {
		c.wrong++
	}
}

// One synchronization of neighbours per exchange is enough, even for a slow rank. Without
// it verification finds a wrong u on every layout.
func TestOneSynchronizationIsEnough(t *testing.T) {
	for _, ranks := range []int{2, 4, 8} {
		for _, c := range []struct {
			slow  int // rank; −1: none
			loose bool
		}{{-1, false}, {0, false}, {1, false}, {ranks - 1, false}, {1, true}} {
			m := clustertest.Priced()
			m.MemoryRate = 1e9
			if c.slow >= 0 {
				m.Slow = []cluster.Slow{{Node: c.slow, Adapter: -1, Factor: 40}}
			}
			v := *variantOf("groupsync")
			v.unsynchronized = c.loose
			a := problem{boxes: 2, side: 8, threshold: 8, degree: 4, cycles: 1, variant: &v}
			l := a.layout(ranks)
			spec := clustertest.Spec(m, ranks, 1)
			spec.Segment = l.data
			var got checks
			err := cluster.Launch(t.Context(), sim.New(), spec, func(r *cluster.Rank) error {
				s, err := newSolver(r, l, cluster.Store{}, a.degree, &v)
				if err != nil {
					return err
				}
				if err := s.computeExpected(&a); err != nil {
					return err
				}
				_, residuals, err := s.timeSolve(a.cycles)
				if err != nil {
					return err
				}
				return s.verify(&got, residuals)
			})
			if err != nil {
				t.Fatal(err)
			}
			if got.wrong+got.good != ranks || (got.wrong > 0) != c.loose {
				t.Errorf("%d ranks, rank %d slow, loose %t: %d ranks have a wrong u, %d the right one", ranks, c.slow, c.loose,
					got.wrong, got.good)
			}
		}
	}
}
