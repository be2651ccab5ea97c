package clustertest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var stepCases = []testCase{
	{"an event happens after its fires", onRanks(1, eventHappensAfterFires)},
	{"a continuation posts the next receive and the last one fires", forSizes(2, stepsChainReceives, 8, eager+1)},
	{"continuations broadcast down a tree", onRanks(8, stepsBroadcast)},
	{"a receive with a continuation takes the time of a receive with a wait",
		when((*suite).virtual, when((*suite).calling, stepsTakeTimeOfWait))},
	{"a continuation has a separate argument", onRanks(2, stepsHaveArgument)},
	{"an early continuation of a put may write the buffer and runs no later than another", earlyStepsOwnBuffer},
	{"work takes the machine's time and its continuation follows", onRanks(2, workTakesTime)},
	{"a continuation runs once for each kind of operation", onRanks(2, stepsRunOnce)},
	{"a long chain of continuations that complete at once does not recurse", onRanks(1, stepsDoNotRecurse)},
}

// stepCtx is a context that no team of a small launch has.
const stepCtx = 1 << 20

// stepFunc is a continuation as a function.
type stepFunc func(p cluster.Poster, arg int32, d cluster.Done)

func (f stepFunc) Step(p cluster.Poster, arg int32, d cluster.Done) { f(p, arg, d) }

// firing is a continuation that fires an event.
func firing(e *cluster.Event) stepFunc {
	return func(p cluster.Poster, _ int32, _ cluster.Done) { cluster.FireOn(p, e.Handle()) }
}

func eventHappensAfterFires(p *proc) {
	for _, fires := range []int{3, 1} {
		e := p.event(fires)
		for i := range fires {
			p.check(!p.done(p.Test(&e.Request)), "happened after %d fires of %d", i, fires)
			cluster.FireOn(p.Lib().Port(), e.Handle())
		}
		if fires == 1 {
			p.check(p.done(p.Test(&e.Request)), "not happened after its fire")
		} else {
			p.ok(only(p.Wait(&e.Request)))
		}
	}
}

func stepsChainReceives(p *proc, size int) {
	n := int32(p.times(200))
	if p.ID() == 0 {
		for i := range int(n) {
			p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 3, Buf: data(size, i)})
		}
		return
	}
	b := make([]byte, size)
	e := p.event(1)
	wrong := error(nil)
	var next stepFunc
	post := func(q cluster.Poster, i int32) {
		q.Post(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 3, Buf: b, Then: next, ThenArg: i})
	}
	next = func(q cluster.Poster, i int32, d cluster.Done) {
		if d.Err != cluster.OK || d.Size != int64(size) || !bytes.Equal(b, data(size, int(i))) {
			wrong = fmt.Errorf("message %d: %+v, bytes %v", i, d, b)
		}
		if i == n-1 {
			cluster.FireOn(q, e.Handle())
		} else {
			post(q, i+1)
		}
	}
	post(p.Lib().Port(), 0)
	p.ok(only(p.Wait(&e.Request)))
	p.ok(wrong)
}

func stepsBroadcast(p *proc) {
	me := p.ID()
	var children []int32
	for c := 2*me + 1; c <= 2*me+2 && c < p.Ranks(); c++ {
		children = append(children, int32(c))
	}
	for round := range p.times(20) {
		b, e := make([]byte, 100), p.event(max(len(children), 1))
		arrived := stepFunc(func(q cluster.Poster, _ int32, _ cluster.Done) {
			for _, c := range children {
				q.Post(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: c, Tag: 1, Buf: b, Then: firing(e)})
			}
			if len(children) == 0 {
				cluster.FireOn(q, e.Handle())
			}
		})
		if me == 0 {
			copy(b, data(100, round))
			arrived(p.Lib().Port(), 0, cluster.Done{})
		} else {
			p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: int32((me - 1) / 2), Tag: 1, Buf: b,
				Then: arrived})
		}
		p.ok(only(p.Wait(&e.Request)))
		p.holds(fmt.Sprintf("round %d", round), b, round)
	}
}

func stepsTakeTimeOfWait(s *suite, t *testing.T) {
	for _, size := range []int{8, eager + 1} {
		var ends [2]cluster.Time
		for i := range ends {
			s.run(t, s.spec(2), func(p *proc) {
				if p.ID() == 0 {
					p.finish(&cluster.Op{Kind: cluster.KindSend, Ctx: stepCtx, Peer: 1, Tag: 3, Buf: data(size, 1)})
					return
				}
				recv := cluster.Op{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: 0, Tag: 3, Buf: make([]byte, size)}
				if i == 0 {
					p.finish(&recv)
				} else {
					e := p.event(1)
					recv.Then = firing(e)
					p.Lib().Port().Post(&recv)
					p.ok(only(p.Wait(&e.Request)))
				}
				ends[i] = p.Now()
			})
		}
		if ends[0] != ends[1] {
			t.Errorf("%d B arrive at %v by a wait, at %v by a continuation", size, ends[0], ends[1])
		}
	}
}

func stepsHaveArgument(p *proc) {
	peer := int32(1 - p.ID())
	fn := int32(p.register(func(c cluster.RPC) uint64 { return uint64(c.Arg) }))
	e := p.event(3)
	var args [3]int32
	var words [3]uint64
	for i, op := range []cluster.Op{
		{Kind: cluster.KindAwait, Off: 8, Arg: int32(cluster.CmpGreaterEqual), A: 5},
		{Kind: cluster.KindAtomic, Peer: peer, Off: 8, Arg: int32(cluster.AtomicAdd), A: 5},
		{Kind: cluster.KindRPC, Peer: peer, Fn: fn, Arg: 9},
	} {
		op.ThenArg = int32(70 + i)
		op.Then = stepFunc(func(q cluster.Poster, arg int32, d cluster.Done) {
			args[i], words[i] = arg, d.A
			cluster.FireOn(q, e.Handle())
		})
		p.Lib().Port().Post(&op)
	}
	p.ok(only(p.Wait(&e.Request)))
	p.ok(p.Barrier(p.All()))
	same(p, "arguments", args, [3]int32{70, 71, 72})
	same(p, "words", words, [3]uint64{5, 0, 9})
}

func earlyStepsOwnBuffer(s *suite, t *testing.T) {
	for _, size := range []int{8, 40 * eager} {
		at := map[bool]cluster.Time{}
		for _, early := range []bool{true, false} {
			s.run(t, s.spec(2), func(p *proc) {
				if p.ID() == 1 {
					p.word(p.Await(0, cluster.CmpEqual, 1))
					p.holds("data", p.Segment()[64:][:size], 1)
					return
				}
				b := data(size, 1)
				e := p.event(1)
				code := cluster.OK
				p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindPut, Peer: 1, Off: 64, Buf: b, Sig: 0, SigOp: cluster.SigSet,
					A: 1, Early: early,
					Then: stepFunc(func(q cluster.Poster, _ int32, d cluster.Done) {
						code = d.Err
						clear(b)
						cluster.FireOn(q, e.Handle())
					})})
				p.ok(only(p.Wait(&e.Request)))
				at[early] = p.Now()
				same(p, "code", code, cluster.OK)
			})
		}
		if s.virtual() && at[true] >= at[false] {
			t.Errorf("%d B: the early continuation runs at %v, the other at %v", size, at[true], at[false])
		}
	}
}

func workTakesTime(p *proc) {
	s, least := p.suite, cluster.Time(0)
	work := cluster.Op{Kind: cluster.KindWork, A: 50_000, B: 400_000}
	if s.charged() {
		least = 2 * s.machine.ComputeTime(cluster.Work{Flops: 50_000, Bytes: 400_000})
	}
	p.takes("work", least, func() {
		e := p.event(1)
		p.finish(&work)
		work.Then = firing(e)
		p.Lib().Port().Post(&work)
		p.ok(only(p.Wait(&e.Request)))
	})
}

func stepsRunOnce(p *proc) {
	p.Lib().Port().Team(stepCtx, []int32{0, 1})
	me := p.ID()
	peer := int32(1 - p.ID())
	fn := int32(p.register(func(cluster.RPC) uint64 { return 77 }))
	ops := []cluster.Op{
		{Kind: cluster.KindRPC, Peer: peer, Fn: fn},
		{Kind: cluster.KindPut, Peer: peer, Off: 1 << 30, Buf: data(8, me)},
		{Kind: cluster.KindSend, Ctx: stepCtx, Peer: peer, Tag: 1, Buf: data(8, me)},
		{Kind: cluster.KindSsend, Ctx: stepCtx, Peer: peer, Tag: 2, Buf: data(8, me)},
		{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: peer, Tag: 1, Buf: make([]byte, 8)},
		{Kind: cluster.KindRecv, Ctx: stepCtx, Peer: peer, Tag: 2, Buf: make([]byte, 8)},
		{Kind: cluster.KindPut, Peer: peer, Off: 0, Buf: data(8, me)},
		{Kind: cluster.KindGet, Peer: peer, Off: 64, Buf: make([]byte, 8)},
		{Kind: cluster.KindAtomic, Peer: peer, Off: 128, Arg: int32(cluster.AtomicAdd), A: 1},
		{Kind: cluster.KindBarrier, Ctx: stepCtx},
		{Kind: cluster.KindWork, A: 100, B: 100},
	}
	e := p.event(len(ops))
	runs := make([]int, len(ops))
	dones := make([]cluster.Done, len(ops))
	for i := range ops {
		ops[i].Then = stepFunc(func(q cluster.Poster, _ int32, d cluster.Done) {
			runs[i]++
			dones[i] = d
			cluster.FireOn(q, e.Handle())
		})
		p.Lib().Port().Post(&ops[i])
	}
	p.ok(only(p.Wait(&e.Request)))
	p.ok(p.Barrier(p.All()))
	for i, n := range runs {
		p.check(n == 1, "the continuation of %v ran %d times", ops[i].Kind, n)
	}
	same(p, "word of the RPC", dones[0].A, 77)
	same(p, "code of the put beyond the segment", dones[1].Err, cluster.OutOfSegment)
}

func stepsDoNotRecurse(p *proc) {
	left, e := p.times(200_000), p.event(1)
	var next stepFunc
	next = func(q cluster.Poster, _ int32, _ cluster.Done) {
		if left--; left == 0 {
			cluster.FireOn(q, e.Handle())
			return
		}
		q.Post(&cluster.Op{Kind: cluster.KindPut, Peer: 0, Off: 0, Buf: []byte{1}, Then: next})
	}
	next(p.Lib().Port(), 0, cluster.Done{})
	p.ok(only(p.Wait(&e.Request)))
}
