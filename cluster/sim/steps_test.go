package sim_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
)

// again is a continuation that posts its receive again, up to a number of times.
type again struct {
	left int
	done cluster.Handle
	op   cluster.Op
}

func (s *again) receive(p cluster.Poster) {
	s.op = cluster.Op{Kind: cluster.KindRecv, Ctx: 1 << 20, Peer: 0, Tag: 1, Size: 8, Then: s}
	p.Post(&s.op)
}

func (s *again) Step(p cluster.Poster, _ int32, _ cluster.Done) {
	if s.left--; s.left == 0 {
		cluster.FireOn(p, s.done)
		return
	}
	s.receive(p)
}

// An operation with a continuation does not allocate after the same number of operations was in
// progress before.
func TestStepsDoNotAllocate(t *testing.T) {
	const n = 2000
	simulated(t, clustertest.Spec(clustertest.Priced(), 2, 1), func(r *cluster.Rank) error {
		send := cluster.Op{Kind: cluster.KindSend, Ctx: 1 << 20, Peer: 1, Tag: 1, Size: 8}
		s := &again{}
		round := func() {
			if r.ID() == 0 {
				for range n {
					r.Lib().Port().Post(&send)
				}
			} else {
				s.left, s.done = n, r.Lib().Port().Post(&cluster.Op{Kind: cluster.KindEvent, Arg: 1})
				s.receive(r.Lib().Port())
				r.Lib().Port().Wait([]cluster.Handle{s.done}, 1)
				r.Lib().Port().Test(s.done)
			}
			if err := r.Barrier(r.All()); err != nil {
				t.Error(err)
			}
		}
		round()
		if r.ID() == 0 {
			for range 4 {
				round()
			}
			return nil
		}
		if got := testing.AllocsPerRun(3, round); got > n/10 { // including the other rank and the loop
			t.Errorf("%.0f allocations for %d receives with a step", got, n)
		}
		return nil
	})
}
