package clustertest

import (
	"fmt"
	"math"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testOneSided(t *testing.T) {
	for _, size := range []int{0, 1, 7, 8, 100, 4096} {
		if size > s.longest {
			continue
		}
		s.test(t, fmt.Sprintf("put and get of %d B between all", size), 4, func(p *proc) {
			n, me := p.Ranks(), p.ID()
			slot := func(from int) int64 { return int64(from*8192 + 1 + from) } // unaligned too
			for to := range n {
				p.ok(p.Put(cluster.At(to, slot(me)), cluster.Of(data(size, me*n+to))))
			}
			p.ok(p.Barrier(p.All()))
			for from := range n {
				p.holds("own segment", p.Segment()[slot(from):][:size], from*n+me)
			}
			b := make([]byte, size)
			for at := range n {
				for from := range n {
					p.ok(p.Get(cluster.At(at, slot(from)), cluster.Of(b)))
					p.holds("get", b, from*n+at)
				}
			}
		})
	}

	s.test(t, "put returns when the bytes stand at the target", 2, func(p *proc) {
		for i := range s.times(100) {
			if p.ID() == 0 {
				p.ok(p.Put(cluster.At(1, 0), cluster.Of(data(1000, i))))
				p.token(1)
				p.accept(1)
				continue
			}
			p.accept(0)
			p.holds("segment", p.Segment()[:1000], i)
			p.token(0)
		}
	})

	s.test(t, "nonblocking puts and gets", 4, func(p *proc) {
		const size = 1500
		n, me := p.Ranks(), p.ID()
		op, source := make([]cluster.Request, n), make([]cluster.Request, n)
		b := make([][]byte, n)
		for i := range n {
			b[i] = data(size, me*n+i)
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(i, int64(me*size)), Data: cluster.Of(b[i])}, &op[i], &source[i]))
		}
		// After source completion the buffer is the program's again.
		p.ok(p.Waitall(source, nil))
		for i := range n {
			clear(b[i])
		}
		p.ok(p.Waitall(op, nil))
		p.ok(p.Barrier(p.All()))
		for i := range n {
			p.ok(p.GetWith(&cluster.Get{From: cluster.At(i, int64(me*size)), Data: cluster.Of(b[i])}, &op[i]))
		}
		p.ok(p.Waitall(op, nil))
		for i := range n {
			p.holds("get", b[i], me*n+i)
			p.holds("own segment", p.Segment()[i*size:][:size], i*n+me)
		}
		// Without a request for the source.
		p.ok(p.Barrier(p.All()))
		p.ok(p.PutWith(&cluster.Put{To: cluster.At((me+1)%n, 0), Data: cluster.Of(data(size, me))}, &op[0], nil))
		_, err := p.Wait(&op[0])
		p.ok(err)
		p.ok(p.Barrier(p.All()))
		p.holds("put", p.Segment()[:size], (me+n-1)%n)
	})

	s.test(t, "implicit puts and gets are complete after quiet", 4, func(p *proc) {
		n, me := p.Ranks(), p.ID()
		count := s.times(100)
		for i := range count {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At((me+1)%n, int64(i*64)), Data: cluster.Of(data(64, me*count+i)), Until: cluster.Later}, nil, nil))
		}
		p.ok(p.Quiet())
		p.ok(p.Barrier(p.All()))
		b := make([]byte, 64*count)
		for i := range count {
			p.ok(p.GetWith(&cluster.Get{From: cluster.At((me+2)%n, int64(i*64)), Data: cluster.Of(b[i*64:][:64]), Until: cluster.Later}, nil))
		}
		p.ok(p.Quiet())
		for i := range count {
			p.holds("own segment", p.Segment()[i*64:][:64], (me+n-1)%n*count+i)
			p.holds("get", b[i*64:][:64], (me+1)%n*count+i)
		}
		p.ok(p.Quiet()) // of nothing
	})

	s.test(t, "fence orders puts", 2, func(p *proc) {
		n := s.times(50)
		if p.ID() == 0 {
			for i := 1; i <= n; i++ {
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 64), Data: cluster.Of(data(3000, i)), Until: cluster.Later}, nil, nil))
				p.ok(p.Quiet())
				p.ok(errOf(p.Atomic(cluster.At(1, 0), cluster.AtomicStore, uint64(i))))
				p.accept(1)
			}
			return
		}
		for i := 1; i <= n; i++ {
			_, err := p.Await(0, cluster.CmpEqual, uint64(i))
			p.ok(err)
			p.holds("put before the fence", p.Segment()[64:][:3000], i)
			p.token(0)
		}
	})

	s.test(t, "words", 4, func(p *proc) {
		n, me := p.Ranks(), p.ID()
		for to := range n {
			p.PutUint64(to, me, uint64(me*100+to))
		}
		p.ok(p.Barrier(p.All()))
		for at := range n {
			for from := range n {
				same(p, "word", p.GetUint64(at, from), uint64(from*100+at))
			}
		}
	})

	s.test(t, "segments in reach are the ranks' own", 4, func(p *proc) {
		n, me := p.Ranks(), p.ID()
		p.Segment()[me] = byte(me + 1)
		p.ok(p.Barrier(p.All()))
		for i := range n {
			if seg := p.Reach(i); seg != nil {
				same(p, "length", len(seg), len(p.Segment()))
				same(p, "byte", seg[i], byte(i+1))
			}
		}
		if own := p.Reach(me); own != nil {
			p.check(&own[0] == &p.Segment()[0], "the own segment is another one in reach")
		}
	})

	s.test(t, "what is not in the segment is refused, and nothing is written", 2, func(p *proc) {
		size := int64(len(p.Segment()))
		b := data(16, 1)
		var q, src cluster.Request
		for _, off := range []int64{-1, size - 15, size, size + 1, math.MaxInt64 - 8, math.MinInt64} {
			for to := range 2 {
				for name, err := range map[string]error{
					"put": p.Put(cluster.At(to, off), cluster.Of(b)), "get": p.Get(cluster.At(to, off), cluster.Of(make([]byte, 16))),
				} {
					p.fails(err, fmt.Sprintf("rank %d: %s at rank %d: 16 B", p.ID(), name, to), fmt.Sprintf("reach beyond the end of its segment of %d B", size))
				}
				p.fails(p.PutWith(&cluster.Put{To: cluster.At(to, off), Data: cluster.Of(b)}, &q, &src), "put at rank", "beyond the end")
				p.fails(p.GetWith(&cluster.Get{From: cluster.At(to, off), Data: cluster.Of(make([]byte, 16))}, &q), "get at rank", "beyond the end")
				err := p.PutWith(&cluster.Put{To: cluster.At(to, off), Data: cluster.Of(b), Until: cluster.Later}, nil, nil)
				if quiet := p.Quiet(); err == nil {
					err = quiet
				}
				p.fails(err, "put at rank", "beyond the end")
			}
		}
		p.ok(p.Put(cluster.At(1-p.ID(), size-16), cluster.Of(b))) // up to the last byte
		p.ok(p.Barrier(p.All()))
		for i, c := range p.Segment()[:size-16] {
			p.check(c == 0, "byte %d was written", i)
		}
		p.holds("the end", p.Segment()[size-16:], 1)
	})
}
