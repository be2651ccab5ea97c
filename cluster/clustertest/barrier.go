package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testBarrier(t *testing.T) {
	// Each rank counts itself before it notifies; after the wait all must have.
	for _, ranks := range []int{1, 2, 5, 16} {
		for _, split := range []bool{false, true} {
			name := fmt.Sprintf("nobody leaves before all have come, %d ranks", ranks)
			if split {
				name += ", split phase"
			}
			s.test(t, name, ranks, func(p *proc) {
				for round := 1; round <= s.times(100); round++ {
					p.ok(errOf(p.Atomic(cluster.At(0, 0), cluster.AtomicAdd, 1)))
					if split {
						var q cluster.Request
						p.ok(p.Notify(&q, p.All()))
						for range p.Rand().IntN(3) {
							p.Progress() // work between notify and wait
						}
						_, err := p.Wait(&q)
						p.ok(err)
					} else {
						p.ok(p.Barrier(p.All()))
					}
					come, err := p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)
					p.ok(err)
					p.check(come >= uint64(round*ranks), "left barrier %d when %d of %d had come", round, come, round*ranks)
				}
			})
		}
	}

	s.test(t, "messages pass between notify and wait", 4, func(p *proc) {
		n, me := p.Ranks(), p.ID()
		for i := range s.times(30) {
			var q cluster.Request
			p.ok(p.Notify(&q, p.All()))
			b := make([]byte, eager+1)
			_, err := p.Sendrecv(p.World(), (me+1)%n, 1, cluster.Of(data(eager+1, me+i)), (me+n-1)%n, 1, cluster.Of(b))
			p.ok(err)
			p.holds("message", b, (me+n-1)%n+i)
			for done := false; !done; {
				_, done, err = p.Test(&q)
				p.ok(err)
			}
		}
	})

	s.test(t, "a notified barrier does not open while one is missing", 3, func(p *proc) {
		var q cluster.Request
		if p.ID() == 2 {
			p.accept(0)
			p.accept(1)
			p.ok(p.Barrier(p.All()))
			return
		}
		p.ok(p.Notify(&q, p.All()))
		for range 50 {
			_, done, err := p.Test(&q)
			p.ok(err)
			p.check(!done, "open although rank 2 has not come")
		}
		p.token(2)
		_, err := p.Wait(&q)
		p.ok(err)
	})

	t.Run("each team has its own barrier", func(t *testing.T) {
		spec := s.spec(6)
		spec.Layout.Model, spec.Layout.Group = cluster.NestedMultiple, 3
		s.run(t, spec, func(p *proc) {
			for range s.times(20) {
				// Group 0 passes three barriers before group 1 comes to its first.
				if p.ID() < 3 {
					for range 3 {
						p.ok(p.Barrier(p.Group()))
					}
					p.token(p.ID() + 3)
				} else {
					p.accept(p.ID() - 3)
					for range 3 {
						p.ok(p.Barrier(p.Group()))
					}
				}
				p.ok(p.Barrier(p.World()))
				p.ok(p.Barrier(p.All()))
			}
		})
	})

	s.test(t, "puts before a barrier are seen after it", 4, func(p *proc) {
		n, me := p.Ranks(), p.ID()
		for i := range s.times(100) {
			for to := range n {
				p.PutUint64(to, me, uint64(i*n+me))
			}
			p.ok(p.Barrier(p.All()))
			for from := range n {
				same(p, "word", p.GetUint64(me, from), uint64(i*n+from))
			}
			p.ok(p.Barrier(p.All()))
		}
	})
}
