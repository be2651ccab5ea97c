package clustertest

import (
	"bytes"

	"github.com/hybridtop/hybridtop/cluster"
)

var rpcCases = []testCase{
	{"a function runs at the target and its word returns", forSizes(4, functionsRunAtTarget, 0, 8, eager, 10_000)},
	{"every one of many RPCs runs once", onRanks(4, manyRPCsRun)},
	{"a call of an unregistered function is an error", onRanks(2, unregisteredFails)},
	{"the caller receives a message that the function sends", onRanks(2, functionsSend)},
	{"a put runs its function after its bytes arrive", onRanks(4, putRunsFunction)},
	{"functions call on around a ring and the last fires an event", onRanks(5, functionsCallOn)},
}

// register numbers the bodies on every rank, and returns the number of the last.
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

func functionsRunAtTarget(p *proc, size int) {
	me := p.ID()
	calls := 0
	rounds := p.times(20)
	first := p.Register(func(cluster.RPC) uint64 { return 0 })
	fn := p.register(func(c cluster.RPC) uint64 {
		calls++
		src := int(c.Src)
		if c.Poster.ID() != me || int(c.Fn) != first+1 || c.Arg != int32(src-5) || !bytes.Equal(c.Data, data(size, src)) {
			return 1 << 63
		}
		return uint64(100*me + src)
	})
	for range rounds {
		for to := range p.Ranks() {
			same(p, "word", p.word(p.RPC(to, fn, int32(me-5), cluster.Of(data(size, me)))), uint64(100*to+me))
		}
	}
	p.ok(p.Barrier(p.All()))
	same(p, "calls", calls, rounds*p.Ranks())
}

func manyRPCsRun(p *proc) {
	var sum, total uint64
	fn := p.register(func(c cluster.RPC) uint64 { sum += uint64(c.Arg); return sum })
	qs := make([]cluster.Request, p.times(200))
	for i := range qs {
		p.ok(p.Irpc(&qs[i], (p.ID()+i)%p.Ranks(), fn, int32(i), cluster.Data{}))
	}
	p.ok(p.Waitall(qs, nil))
	p.ok(p.Barrier(p.All()))
	for from := range p.Ranks() {
		for i := range qs {
			if (from+i)%p.Ranks() == p.ID() {
				total += uint64(i)
			}
		}
	}
	same(p, "sum", sum, total)
}

func unregisteredFails(p *proc) {
	fn := p.register(func(cluster.RPC) uint64 { return 4 })
	for _, fn := range []int{fn + 1, 9999, 0, -1} {
		for to := range 2 {
			p.fails(only(p.RPC(to, fn, 0, cluster.Data{})), "function")
		}
	}
	var q cluster.Request
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(1-p.ID(), 0), Data: cluster.Of(data(8, 1)),
		Call: cluster.Call{Fn: 9999, Arg: 0}}, &q, nil))
	p.fails(only(p.Wait(&q)), "put at rank", "has not registered a function with this number")
	p.Quiet()
	same(p, "word", p.word(p.RPC(1-p.ID(), fn, 0, cluster.Data{})), 4)
	p.ok(p.Barrier(p.All()))
}

func functionsSend(p *proc) {
	fn := p.register(func(c cluster.RPC) uint64 {
		return uint64(c.Poster.Post(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: c.Src, Tag: c.Arg,
			Buf: data(16, int(c.Arg))}))
	})
	if p.ID() != 0 {
		p.accept(0)
		return
	}
	for i := range p.times(50) {
		word := p.word(p.RPC(1, fn, int32(i), cluster.Data{}))
		same(p, "an eager send in a function completes at once: handle", word, 0)
		b := make([]byte, 16)
		same(p, "bytes", p.finish(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 1, Tag: int32(i), Buf: b}).Size, 16)
		p.holds("message", b, i)
	}
	p.token(1)
}

func putRunsFunction(p *proc) {
	const size = 3000
	n := p.Ranks()
	me := p.ID()
	rounds := p.times(20)
	bad := 0
	calls := 0
	segment := p.Segment()
	fn := p.register(func(c cluster.RPC) uint64 {
		calls++
		src := int(c.Src)
		if !bytes.Equal(segment[src*size:][:size], data(size, src+int(c.Arg))) {
			bad++
		}
		return 0
	})
	op, source := make([]cluster.Request, n), make([]cluster.Request, n)
	for round := range rounds {
		for to := range n {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(to, int64(me*size)), Data: cluster.Of(data(size, me+round)),
				Call: cluster.Call{Fn: fn, Arg: int32(round)}}, &op[to], &source[to]))
		}
		p.ok(p.Waitall(source, nil))
		p.ok(p.Waitall(op, nil)) // the functions have run
	}
	p.ok(p.Barrier(p.All()))
	same(p, "calls", calls, rounds*n)
	same(p, "calls that saw other bytes", bad, 0)
}

func functionsCallOn(p *proc) {
	n := p.Ranks()
	me := p.ID()
	hops := 0
	laps := p.times(10)
	home := p.event(1)
	fn := p.register(func(c cluster.RPC) uint64 {
		hops++
		if c.Arg == 0 {
			cluster.FireOn(c.Poster, home.Handle())
			return 0
		}
		c.Poster.Post(&cluster.Op{Kind: cluster.KindRPC, Peer: int32((me + 1) % n), Fn: c.Fn, Arg: c.Arg - 1, Then: ignore{}})
		return 0
	})
	if me == 0 {
		p.word(p.RPC(1, fn, int32(n*laps-1), cluster.Data{}))
		p.ok(only(p.Wait(&home.Request)))
	}
	p.ok(p.Barrier(p.All()))
	same(p, "hops", hops, laps)
}

// ignore is a continuation that does nothing.
type ignore struct{}

func (ignore) Step(cluster.Poster, int32, cluster.Done) {}

// finish posts an operation, waits for it and returns its result.
func (p *proc) finish(op *cluster.Op) cluster.Done {
	h := p.Lib().Port().Post(op)
	if h == 0 {
		return op.Done
	}
	p.Lib().Port().Wait([]cluster.Handle{h}, 1)
	var d cluster.Done
	ok := p.Lib().Port().Test(h, &d)
	p.check(ok, "Wait returned before the %v was complete", op.Kind)
	return d
}
