package clustertest

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

var onesidedCases = []testCase{
	{"a put writes and a get reads the bytes, between all ranks",
		forSizes(4, putsWriteAndGetsRead, 0, 1, 7, 8, 100, 4096)},
	{"a put returns when its bytes are at the target", onRanks(2, putsReturnAtTarget)},
	{"nonblocking puts and gets complete at the source and at the target", onRanks(4, nonblockingTransfers)},
	{"implicit puts and gets are complete after Quiet", onRanks(4, quietCompletesImplicit)},
	{"Fence orders puts", onRanks(2, fenceOrdersPuts)},
	{"PutUint64 writes a word that GetUint64 reads", onRanks(4, wordsArePutAndGot)},
	{"Reach returns a rank's own segment", onRanks(4, reachIsSegment)},
	{"a transfer beyond the segment is refused and writes nothing", onRanks(2, transfersStayInSegment)},
}

func putsWriteAndGetsRead(p *proc, size int) {
	n, me := p.Ranks(), p.ID()
	slot := func(from int) int64 { return int64(from*8192 + 1 + from) } // unaligned too
	for to := range n {
		p.ok(p.Put(cluster.At(to, slot(me)), cluster.Of(data(size, me*n+to))))
	}
	p.ok(p.Barrier(p.All()))
	b := make([]byte, size)
	for from := range n {
		p.holds("own segment", p.Segment()[slot(from):][:size], from*n+me)
		for at := range n {
			p.ok(p.Get(cluster.At(at, slot(from)), cluster.Of(b)))
			p.holds("get", b, from*n+at)
		}
	}
}

func putsReturnAtTarget(p *proc) {
	for i := range p.times(100) {
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
}

func nonblockingTransfers(p *proc) {
	const size = 1500
	n, me := p.Ranks(), p.ID()
	op, source := make([]cluster.Request, n), make([]cluster.Request, n)
	b := make([][]byte, n)
	for i := range n {
		b[i] = data(size, me*n+i)
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(i, int64(me*size)), Data: cluster.Of(b[i])}, &op[i], &source[i]))
	}
	p.ok(p.Waitall(source, nil))
	for i := range n {
		clear(b[i]) // after source completion the buffer is the program's again
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
	p.ok(p.Barrier(p.All()))
	// without a request for the source
	p.ok(p.PutWith(&cluster.Put{To: cluster.At((me+1)%n, 0), Data: cluster.Of(data(size, me))}, &op[0], nil))
	p.wait(&op[0])
	p.ok(p.Barrier(p.All()))
	p.holds("put", p.Segment()[:size], (me+n-1)%n)
}

func quietCompletesImplicit(p *proc) {
	n := p.Ranks()
	me := p.ID()
	count := p.times(100)
	for i := range count {
		p.ok(p.PutWith(&cluster.Put{To: cluster.At((me+1)%n, int64(i*64)), Data: cluster.Of(data(64, me*count+i)),
			Until: cluster.Later}, nil, nil))
	}
	p.ok(p.Quiet())
	p.ok(p.Barrier(p.All()))
	b := make([]byte, 64*count)
	for i := range count {
		p.ok(p.GetWith(&cluster.Get{From: cluster.At((me+2)%n, int64(i*64)), Data: cluster.Of(b[i*64:][:64]),
			Until: cluster.Later}, nil))
	}
	p.ok(p.Quiet())
	for i := range count {
		p.holds("own segment", p.Segment()[i*64:][:64], (me+n-1)%n*count+i)
		p.holds("get", b[i*64:][:64], (me+1)%n*count+i)
	}
	p.ok(p.Quiet()) // with nothing to complete
}

func fenceOrdersPuts(p *proc) {
	for i := 1; i <= p.times(50); i++ {
		if p.ID() == 0 {
			p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 64), Data: cluster.Of(data(3000, i)), Until: cluster.Later}, nil, nil))
			p.ok(p.Quiet())
			p.ok(only(p.Atomic(cluster.At(1, 0), cluster.AtomicStore, uint64(i))))
			p.accept(1)
			continue
		}
		p.word(p.Await(0, cluster.CmpEqual, uint64(i)))
		p.holds("put before the fence", p.Segment()[64:][:3000], i)
		p.token(0)
	}
}

func wordsArePutAndGot(p *proc) {
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
}

func reachIsSegment(p *proc) {
	p.Segment()[p.ID()] = byte(p.ID() + 1)
	p.ok(p.Barrier(p.All()))
	for i := range p.Ranks() {
		if seg := p.Reach(i); seg != nil {
			same(p, "length", len(seg), len(p.Segment()))
			same(p, "byte", seg[i], byte(i+1))
			p.check(i != p.ID() || &seg[0] == &p.Segment()[0], "the rank reaches another segment as its own")
		}
	}
}

func transfersStayInSegment(p *proc) {
	size := int64(len(p.Segment()))
	b := data(16, 1)
	in := make([]byte, 16)
	var q, source cluster.Request
	for _, off := range []int64{-1, size - 15, size, size + 1, math.MaxInt64 - 8, math.MinInt64} {
		for to := range 2 {
			beyond := fmt.Sprintf("at rank %d: 16 B from %d on reach beyond the end of its segment of %d B", to, off, size)
			put, get := fmt.Sprintf("rank %d: put %s", p.ID(), beyond), fmt.Sprintf("rank %d: get %s", p.ID(), beyond)
			from, into := cluster.Of(b), cluster.Of(in)
			p.fails(p.Put(cluster.At(to, off), from), put)
			p.fails(p.Get(cluster.At(to, off), into), get)
			p.fails(p.PutWith(&cluster.Put{To: cluster.At(to, off), Data: from}, &q, &source), put)
			p.fails(p.GetWith(&cluster.Get{From: cluster.At(to, off), Data: into}, &q), get)
			p.fails(p.PutWith(&cluster.Put{To: cluster.At(to, off), Data: from, Until: cluster.Later}, nil, nil), put)
			p.check(!q.Active() && !source.Active(), "a refused transfer has a request")
		}
	}
	p.ok(p.Put(cluster.At(1-p.ID(), size-16), cluster.Of(b))) // up to the last byte
	p.ok(p.Barrier(p.All()))
	for i, c := range p.Segment()[:size-16] {
		p.check(c == 0, "byte %d was written", i)
	}
	p.holds("the end", p.Segment()[size-16:], 1)
}
