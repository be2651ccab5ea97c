package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// register numbers the bodies on every rank, and gives the number of the last.
func (p *proc) register(bodies ...func(cluster.RPC) uint64) int {
	fn := 0
	for i, body := range bodies {
		n := p.Register(body)
		p.check(n > 0 && (i == 0 || n == fn+1), "function %d after %d", n, fn)
		fn = n
	}
	p.ok(p.Barrier(p.All()))
	return fn
}

func (s *suite) testRPC(t *testing.T) {
	for _, size := range []int{0, 8, eager, 10_000} {
		s.test(t, "a body runs at the target, and its word returns", 4, func(p *proc) {
			n, me := p.Ranks(), p.ID()
			calls := 0
			first := p.Register(func(cluster.RPC) uint64 { return 0 })
			fn := p.register(func(c cluster.RPC) uint64 {
				calls++
				src := int(c.Src)
				if c.Poster.ID() != me || int(c.Fn) != first+1 || c.Arg != int32(src-5) || len(c.Data) != size {
					return 1 << 63
				}
				for i, b := range data(size, src) {
					if c.Data[i] != b {
						return 1 << 62
					}
				}
				return uint64(100*me + src)
			})
			rounds := s.times(20)
			for range rounds {
				for to := range n {
					word, err := p.RPC(to, fn, int32(me-5), cluster.Of(data(size, me)))
					p.ok(err)
					same(p, "word", word, uint64(100*to+me))
				}
			}
			p.ok(p.Barrier(p.All()))
			same(p, "calls", calls, rounds*n)
		})
	}

	s.test(t, "many under way at once", 4, func(p *proc) {
		var sum uint64
		fn := p.register(func(c cluster.RPC) uint64 { sum += uint64(c.Arg); return sum })
		n := s.times(200)
		qs := make([]cluster.Request, n)
		for i := range n {
			p.ok(p.Irpc(&qs[i], (p.ID()+i)%p.Ranks(), fn, int32(i), cluster.Data{}))
		}
		p.ok(p.Waitall(qs, nil))
		p.ok(p.Barrier(p.All()))
		var total uint64
		for from := range p.Ranks() {
			for i := range n {
				if (from+i)%p.Ranks() == p.ID() {
					total += uint64(i)
				}
			}
		}
		same(p, "sum", sum, total)
	})

	s.test(t, "a function that nobody registered is an error", 2, func(p *proc) {
		fn := p.register(func(cluster.RPC) uint64 { return 4 })
		for _, fn := range []int{fn + 1, 9999, 0, -1} {
			for to := range 2 {
				_, err := p.RPC(to, fn, 0, cluster.Data{})
				p.fails(err, "no function of that number is registered")
			}
		}
		word, err := p.RPC(1-p.ID(), fn, 0, cluster.Data{})
		p.ok(err)
		same(p, "word", word, 4)
		p.ok(p.Barrier(p.All()))
	})

	s.test(t, "a body posts a message and the caller receives it", 2, func(p *proc) {
		n := s.times(50)
		fn := p.register(func(c cluster.RPC) uint64 {
			op := cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: c.Src, Tag: c.Arg, Buf: data(16, int(c.Arg))}
			if c.Poster.Post(&op) != 0 {
				return 1
			}
			return 0
		})
		if p.ID() != 0 {
			p.accept(0)
			return
		}
		for i := range n {
			word, err := p.RPC(1, fn, int32(i), cluster.Data{})
			p.ok(err)
			same(p, "an eager send inside a body completes at once: word", word, 0)
			op := cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 1, Tag: int32(i), Buf: make([]byte, 16)}
			d := finish(p.Lib().Port(), &op)
			same(p, "bytes", d.Size, 16)
			p.holds("message", op.Buf, i)
		}
		p.token(1)
	})

	s.test(t, "put with remote completion runs its function after the bytes stand", 4, func(p *proc) {
		const size = 3000
		n, me := p.Ranks(), p.ID()
		bad, calls := 0, 0
		segment := p.Segment()
		fn := p.register(func(c cluster.RPC) uint64 {
			calls++
			src := int(c.Src)
			want := data(size, src+int(c.Arg))
			for i, b := range segment[src*size:][:size] {
				if b != want[i] {
					bad++
					break
				}
			}
			return 0
		})
		rounds := s.times(20)
		for round := range rounds {
			op, source := make([]cluster.Request, n), make([]cluster.Request, n)
			for to := range n {
				b := data(size, me+round)
				p.ok(p.PutWith(&cluster.Put{To: cluster.At(to, int64(me*size)), Data: cluster.Of(b), Call: cluster.Call{Fn: fn, Arg: int32(round)}}, &op[to], &source[to]))
			}
			p.ok(p.Waitall(source, nil))
			p.ok(p.Waitall(op, nil)) // the functions have run
		}
		p.ok(p.Barrier(p.All()))
		same(p, "calls", calls, rounds*n)
		same(p, "calls that saw other bytes", bad, 0)
	})

	s.test(t, "remote completion with a function that nobody registered", 2, func(p *proc) {
		var q cluster.Request
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(1-p.ID(), 0), Data: cluster.Of(data(8, 1)), Call: cluster.Call{Fn: 9999, Arg: 0}}, &q, nil))
		_, err := p.Wait(&q)
		p.fails(err, "put at rank", "no function of that number is registered")
		p.Quiet()
		p.ok(p.Barrier(p.All()))
	})

	s.test(t, "bodies call on around a ring, and the last fires an event", 5, func(p *proc) {
		n, me := p.Ranks(), p.ID()
		laps := s.times(10)
		home, err := p.NewEvent(1)
		p.ok(err)
		hops := 0
		fn := p.register(func(c cluster.RPC) uint64 {
			hops++
			if c.Arg == 0 {
				cluster.FireOn(c.Poster, home.Handle())
				return 0
			}
			op := cluster.Op{Kind: cluster.KindRPC, Peer: int32((me + 1) % n), Fn: c.Fn, Arg: c.Arg - 1, Then: ignore{}}
			c.Poster.Post(&op)
			return 0
		})
		if me == 0 {
			_, err := p.RPC(1, fn, int32(n*laps-1), cluster.Data{})
			p.ok(err)
			p.ok(errOf(p.Wait(&home.Request)))
		}
		p.ok(p.Barrier(p.All()))
		same(p, "hops", hops, laps)
	})
}

// ignore is a step that does nothing: the operation runs to its end by itself.
type ignore struct{}

func (ignore) Step(cluster.Poster, int32, cluster.Done) {}

// finish posts an operation, waits for it and gives what it came to.
func finish(p cluster.Port, op *cluster.Op) cluster.Done {
	h := p.Post(op)
	if h == 0 {
		return op.Done
	}
	p.Wait([]cluster.Handle{h}, 1)
	d, ok := p.Test(h)
	if !ok {
		panic("clustertest: Wait returned before the operation was complete")
	}
	return d
}
