package clustertest

import (
	"fmt"
	"github.com/hybridtop/hybridtop/cluster"
	"testing"
)

func (s *suite) testAtomics(t *testing.T) {
	s.test(t, "each does what it says", 2, func(p *proc) {
		if p.ID() == 1 {
			p.ok(p.Barrier(p.All()))
			return
		}
		const off = 128
		for to := range 2 {
			p.ok(errOf(p.Atomic(cluster.At(to, off), cluster.AtomicStore, 5)))
			p.ok(errOf(p.Atomic(cluster.At(to, off), cluster.AtomicAdd, 3)))
			steps := []struct {
				name string
				call func() (uint64, error)
				want uint64
			}{
				{"load", func() (uint64, error) { return p.Atomic(cluster.At(to, off), cluster.AtomicLoad, 0) }, 8},
				{"fetch-add", func() (uint64, error) { return p.Atomic(cluster.At(to, off), cluster.AtomicAdd, 10) }, 8},
				{"swap", func() (uint64, error) { return p.Atomic(cluster.At(to, off), cluster.AtomicSwap, 100) }, 18},
				{"compare-swap that misses", func() (uint64, error) { return p.CompareSwap(cluster.At(to, off), 99, 1) }, 100},
				{"compare-swap that hits", func() (uint64, error) { return p.CompareSwap(cluster.At(to, off), 100, 7) }, 100},
				{"subtract", func() (uint64, error) { return p.Atomic(cluster.At(to, off), cluster.AtomicAdd, ^uint64(0)) }, 7},
				{"load", func() (uint64, error) { return p.Atomic(cluster.At(to, off), cluster.AtomicLoad, 0) }, 6},
			}
			for _, c := range steps {
				got, err := c.call()
				p.ok(err)
				same(p, c.name, got, c.want)
			}
		}
		p.ok(p.Barrier(p.All()))
	})

	for _, ranks := range []int{2, 8} {
		s.test(t, fmt.Sprintf("%d ranks add to one word, and no sum is lost", ranks), ranks, func(p *proc) {
			n := s.times(500)
			var last uint64
			for i := range n {
				before, err := p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, 1)
				p.ok(err)
				p.check(i == 0 || before > last, "a counter that only grows went from %d to %d", last, before)
				last = before
			}
			p.ok(p.Barrier(p.All()))
			sum, err := p.Atomic(cluster.At(0, 8), cluster.AtomicLoad, 0)
			p.ok(err)
			same(p, "sum", sum, uint64(n*ranks))
		})

		s.test(t, fmt.Sprintf("%d ranks draw tickets, and each is drawn once", ranks), ranks, func(p *proc) {
			n := s.times(100)
			for range n {
				ticket, err := p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, 1)
				p.ok(err)
				p.ok(errOf(p.Atomic(cluster.At(ranks-1, int64(64+8*ticket)), cluster.AtomicAdd, 1)))
			}
			p.ok(p.Barrier(p.All()))
			for i := range n * ranks {
				if p.ID() == ranks-1 {
					same(p, fmt.Sprintf("draws of ticket %d", i), p.GetUint64(p.ID(), 8+i), 1)
				}
			}
		})

		s.test(t, fmt.Sprintf("%d ranks count in compare-swap loops", ranks), ranks, func(p *proc) {
			n := s.times(50)
			for range n {
				old, err := p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)
				p.ok(err)
				for {
					seen, err := p.CompareSwap(cluster.At(0, 0), old, old+3)
					p.ok(err)
					if seen == old {
						break
					}
					old = seen
				}
			}
			p.ok(p.Barrier(p.All()))
			got, err := p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)
			p.ok(err)
			same(p, "count", got, uint64(3*n*ranks))
		})

		s.test(t, fmt.Sprintf("%d ranks swap, and nothing is lost or doubled", ranks), ranks, func(p *proc) {
			n := s.times(100)
			var sum uint64
			for i := range n {
				mine := uint64(p.ID()*n + i + 1)
				got, err := p.Atomic(cluster.At(0, 0), cluster.AtomicSwap, mine)
				p.ok(err)
				sum += got
			}
			p.ok(errOf(p.Atomic(cluster.At(0, 8), cluster.AtomicAdd, sum)))
			p.ok(p.Barrier(p.All()))
			left, err := p.Atomic(cluster.At(0, 0), cluster.AtomicLoad, 0)
			p.ok(err)
			taken, err := p.Atomic(cluster.At(0, 8), cluster.AtomicLoad, 0)
			p.ok(err)
			all := uint64(n * ranks)
			same(p, "sum of all tokens", left+taken, all*(all+1)/2)
		})
	}

	s.test(t, "a lock of compare-swap guards plain data", 4, func(p *proc) {
		n := s.times(50)
		for range n {
			for {
				seen, err := p.CompareSwap(cluster.At(0, 0), 0, uint64(p.ID()+1))
				p.ok(err)
				if seen == 0 {
					break
				}
				p.Progress()
			}
			p.PutUint64(0, 8, p.GetUint64(0, 8)+1)
			p.ok(p.Quiet())
			p.ok(errOf(p.Atomic(cluster.At(0, 0), cluster.AtomicStore, 0)))
		}
		p.ok(p.Barrier(p.All()))
		same(p, "count", p.GetUint64(0, 8), uint64(n*p.Ranks()))
	})

	s.test(t, "a word that is none is refused", 2, func(p *proc) {
		size := int64(len(p.Segment()))
		for _, off := range []int64{1, 4, size - 4, size, -8, 1 << 40} {
			for to := range 2 {
				_, err := p.Atomic(cluster.At(to, off), cluster.AtomicAdd, 1)
				p.fails(err, fmt.Sprintf("rank %d: atomic at rank %d", p.ID(), to), "segment")
			}
		}
		_, err := p.Atomic(cluster.At(0, size-8), cluster.AtomicAdd, 1) // the last one
		p.ok(err)
	})
}
