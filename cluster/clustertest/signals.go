package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testSignals(t *testing.T) {
	for _, size := range []int{0, 8, 1000, 20_000} {
		if size > s.longest {
			continue
		}
		s.test(t, fmt.Sprintf("who sees the flag sees the %d B", size), 4, func(p *proc) {
			n, me := p.Ranks(), p.ID()
			next := (me + 1) % n
			for i := 1; i <= s.times(50); i++ {
				if me == 0 {
					p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Of(data(size, i)), Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: uint64(i)}, Until: cluster.Source}, nil, nil))
				}
				word, err := p.Await(0, cluster.CmpEqual, uint64(i))
				p.ok(err)
				same(p, "word", word, uint64(i))
				p.holds("data", p.Segment()[64:][:size], i)
				if me != 0 {
					p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Of(data(size, i)), Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: uint64(i)}, Until: cluster.Source}, nil, nil))
				}
			}
			p.ok(p.Quiet())
		})
	}

	s.test(t, "every comparison", 2, func(p *proc) {
		// Rank 0 steps the word of rank 1 from 5 to its value and waits for rank 1,
		// whose await must see the value and no other.
		for _, c := range []struct {
			cmp         cluster.Cmp
			operand     uint64
			value, miss uint64
		}{
			{cluster.CmpEqual, 9, 9, 8},
			{cluster.CmpNotEqual, 5, 6, 5},
			{cluster.CmpGreaterEqual, 9, 9, 8},
			{cluster.CmpGreaterEqual, 9, 1 << 63, 8},
			{cluster.CmpGreater, 9, 10, 9},
			{cluster.CmpLessEqual, 3, 3, 4},
			{cluster.CmpLess, 3, 2, 3},
		} {
			if p.ID() == 0 {
				p.ok(errOf(p.Atomic(cluster.At(1, 0), cluster.AtomicStore, c.miss)))
				p.token(1)
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 8), Data: cluster.Data{}, Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: c.value}, Until: cluster.Source}, nil, nil))
				p.ok(p.Quiet())
				p.accept(1)
				continue
			}
			p.accept(0)
			for range 2 { // the second time it holds already
				word, err := p.Await(0, c.cmp, c.operand)
				p.ok(err)
				same(p, fmt.Sprintf("word that compares %d with %d", c.cmp, c.operand), word, c.value)
			}
			p.token(0)
		}
	})

	s.test(t, "added signals count", 8, func(p *proc) {
		rounds := s.times(50)
		for range rounds {
			for i := range p.Ranks() {
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(i, int64(64+p.ID()*8)), Data: cluster.Of(data(8, p.ID())), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}, Until: cluster.Source}, nil, nil))
			}
		}
		want := uint64(rounds * p.Ranks())
		word, err := p.Await(0, cluster.CmpGreaterEqual, want)
		p.ok(err)
		same(p, "signals", word, want)
		for i := range p.Ranks() {
			p.holds("data", p.Segment()[64+i*8:][:8], i)
		}
		p.ok(p.Quiet())
		p.ok(p.Barrier(p.All()))
	})

	s.test(t, "a signaling put to oneself", 1, func(p *proc) {
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(0, 64), Data: cluster.Of(data(100, 1)), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 8, Value: 3}, Until: cluster.Source}, nil, nil))
		word, err := p.Await(8, cluster.CmpGreater, 0)
		p.ok(err)
		same(p, "word", word, 3)
		p.holds("data", p.Segment()[64:164], 1)
		p.ok(p.Quiet())
	})

	s.test(t, "nonblocking signaling puts", 2, func(p *proc) {
		var op, source cluster.Request
		peer := 1 - p.ID()
		b := data(5000, p.ID())
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(peer, 64), Data: cluster.Of(b), Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: 1}}, &op, &source))
		_, err := p.Wait(&source)
		p.ok(err)
		clear(b)
		_, err = p.Await(0, cluster.CmpEqual, 1)
		p.ok(err)
		p.holds("data", p.Segment()[64:5064], peer)
		_, err = p.Wait(&op)
		p.ok(err)
	})

	s.test(t, "atomics wake an await", 2, func(p *proc) {
		n := s.times(100)
		peer := 1 - p.ID()
		for i := 1; i <= n; i++ {
			if p.ID() == 0 {
				p.ok(errOf(p.Atomic(cluster.At(peer, 0), cluster.AtomicAdd, 1)))
			}
			_, err := p.Await(0, cluster.CmpGreaterEqual, uint64(i))
			p.ok(err)
			if p.ID() == 1 {
				_, err := p.Atomic(cluster.At(peer, 0), cluster.AtomicSwap, uint64(i))
				p.ok(err)
			}
		}
	})

	s.test(t, "a flag that is no word of the segment is refused", 2, func(p *proc) {
		var q cluster.Request
		size := int64(len(p.Segment()))
		for _, off := range []int64{1, 4, 7, size - 4, size, -8, 1 << 40} {
			_, err := p.Await(off, cluster.CmpEqual, 0)
			p.fails(err, fmt.Sprintf("rank %d: await at rank %d", p.ID(), p.ID()), "segment")
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(1-p.ID(), 0), Data: cluster.Of(data(8, 1)), Signal: cluster.Signal{Op: cluster.SigSet, Off: off, Value: 1}}, &q, nil))
			_, err = p.Wait(&q)
			p.fails(err, fmt.Sprintf("rank %d: put at rank %d", p.ID(), 1-p.ID()), "segment")
		}
		p.Quiet()
	})
}
