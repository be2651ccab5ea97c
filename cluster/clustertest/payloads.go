package clustertest

import (
	"bytes"
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// far is the end of the size-only memory of these tests: much more than any host has.
const far = 1 << 40

func column(off, stride, block int64, count int) *cluster.Strided {
	s := cluster.Column(off, stride, block, count)
	return &s
}

var payloadCases = []testCase{
	{"a message of one kind of data may meet a receive of the other", onRanks(2, mixedKindsMatch)},
	{"size-only puts and gets touch only flags", on((*suite).farSegment, touchNothing)},
	{"size-only puts and gets count as traffic", onRanks(2, sizesCount)},
	{"size-only puts and gets that do not fit are refused and not counted", onRanks(2, sizesAreChecked)},
	{"bytes are refused in size-only memory", on((*suite).farSegment, bytesNeedBytes)},
	{"memory of a size-only store follows the segment", on((*suite).farSegment, sizesFollowBytes)},
	{"each block of a packet train is a separate put", onRanks(4, trainsAreTheirPuts)},
	{"a fabric checks the range of a size-only operation", on((*suite).farSegment, fabricsCheckRanges)},
}

// mixedKindsMatch sends bytes to size-only receives, and sizes to receives of bytes, on both sides
// of the eager limit, also too long for the receive.
func mixedKindsMatch(p *proc) {
	peer := 1 - p.ID()
	for _, size := range []int{0, 1, eager, eager + 1, 5000} {
		buf := data(size, 3)
		for i, c := range []struct{ out, in cluster.Data }{
			{cluster.Of(data(size, 1)), cluster.Sized(int64(size))},
			{cluster.Sized(int64(size)), cluster.Of(buf)},
		} {
			st := p.status(p.Sendrecv(p.World(), peer, i, c.out, peer, i, c.in))
			same(p, "bytes", st.Bytes, int64(size))
			if size > 0 {
				short, err := c.in.Part(0, int64(size-1)), error(nil)
				var q cluster.Request
				p.ok(p.Isend(&q, p.World(), peer, 9, c.out))
				_, err = p.Recv(p.World(), peer, 9, short)
				p.fails(err, fmt.Sprintf("truncated, %d B into %d B", size, size-1))
				p.ok(only(p.Wait(&q)))
			}
		}
		p.holds("a receive of a size-only message", buf, 3)
	}
}

// bytesNeedBytes puts bytes where there are none.
func bytesNeedBytes(p *proc) {
	b, size := make([]byte, 8), p.Spec().Segment
	for _, off := range []int64{size - 7, size, far - 8} {
		p.fails(p.Put(cluster.At(1, off), cluster.Of(b)), fmt.Sprintf("put at rank 1: 8 B from %d on", off),
			"size-only memory follows")
		p.fails(p.Get(cluster.At(1, off), cluster.Of(b)), fmt.Sprintf("get at rank 1: 8 B from %d on", off),
			"size-only memory follows")
	}
	p.fails(p.Put(cluster.At(1, far-7), cluster.Sized(8)), "beyond the end")
	spans := []cluster.Span{{Off: 0, Len: 8}, {Off: far - 8, Len: 8}}
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(16), Spans: spans}, nil, nil))
	p.ok(p.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Sized(16), Spans: spans}, nil))
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Of(make([]byte, 16)), Spans: spans}, nil, nil),
		"span 1")
	p.fails(p.GetWith(&cluster.Get{From: cluster.At(1, 0), Data: cluster.Of(b), Until: cluster.Source}, nil),
		"no source completion")
}

// sizesFollowBytes allocates in both kinds of memory, and puts between them.
func sizesFollowBytes(p *proc) {
	next := (p.ID() + 1) % p.Ranks()
	sizes := cluster.Bytewise(false)
	flags, err := cluster.Alloc[uint64](p.Rank, cluster.Store{}, 4)
	p.ok(err)
	same(p, "offset of flags", flags.Off, 0)
	first, err := cluster.Alloc[float64](p.Rank, sizes, 100)
	p.ok(err)
	same(p, "first size-only offset", first.Off, p.Spec().Segment)
	second, err := cluster.Alloc[float64](p.Rank, sizes, 1<<30)
	p.ok(err)
	same(p, "second size-only offset", second.Off, first.Add(100).Off+63-(first.Add(100).Off+63)%64)
	_, err = cluster.Alloc[float64](p.Rank, cluster.Store{}, math.MaxInt/16)
	p.fails(err, "are free")
	p.ok(p.Barrier(p.All()))
	out := first.Local(p.Rank, 100)
	p.check(out.Slice() == nil && out.Len() == 100 && out.Data().Len() == 800,
		"a local size-only buffer has %d elements", out.Len())
	p.ok(p.PutWith(&cluster.Put{To: second.On(next).Add(5).Target, Data: out.Data(),
		Signal: cluster.Signal{Op: cluster.SigSet, Off: flags.Add(2).Off, Value: 7}, Until: cluster.Source}, nil, nil))
	same(p, "flag", p.word(p.Await(flags.Add(2).Off, cluster.CmpEqual, 7)), 7)
	p.ok(p.Quiet())
	p.ok(p.Release(second.Off))
	again, err := cluster.Alloc[float64](p.Rank, sizes, 1)
	p.ok(err)
	same(p, "offset after a release", again.Off, second.Off)
}

// trainsAreTheirPuts puts trains with bytes. Their blocks arrive, and count as messages.
func trainsAreTheirPuts(p *proc) {
	next, before := (p.ID()+1)%p.Ranks(), *p.Traffic()
	const count = 20
	b := data(8*count, p.ID())
	for i, until := range []cluster.Completion{cluster.Operation, cluster.Source, cluster.Later} {
		p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, int64(1024*(i+1))), Data: cluster.Of(b),
			Shape: cluster.Column(0, 32, 8, count), Train: true, Until: until}, nil, nil))
	}
	var op, source cluster.Request
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 4096), Data: cluster.Of(b), Shape: cluster.Column(0, 32, 8, count),
		Train: true, Signal: cluster.Signal{Op: cluster.SigAdd, Value: 1}}, &op, &source))
	p.word(p.Await(0, cluster.CmpEqual, 1))
	from := data(8*count, (p.ID()+p.Ranks()-1)%p.Ranks())
	for i := range count {
		p.check(bytes.Equal(p.Segment()[4096+32*i:][:8], from[8*i:][:8]), "block %d of a train with a signal is not there", i)
	}
	p.ok(p.Waitall([]cluster.Request{op}, nil))
	p.ok(only(p.Wait(&source)))
	p.ok(p.Quiet())
	p.ok(p.Barrier(p.All()))
	for at := 1024; at < 4096; at += 1024 {
		for i := range count {
			p.check(bytes.Equal(p.Segment()[at+32*i:][:8], from[8*i:][:8]), "block %d of the train at %d is not there", i, at)
		}
	}
	messages, sent := p.since(before, p.Spec().Layout.ClassOf(p.ID(), next))
	same(p, "messages", messages, 4*count)
	same(p, "bytes", sent, 4*8*count)
}

func (s *suite) farSegment() cluster.Spec {
	spec := s.spec(4)
	spec.Modelled = far
	return spec
}

func sizesCount(p *proc) {
	before, to := *p.Traffic(), 1-p.ID()
	var op cluster.Request
	p.ok(p.Put(cluster.At(to, 0), cluster.Sized(100)))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Sized(column(0, 64, 8, 30).Bytes()),
		Shape: *column(0, 64, 8, 30), Train: true}, &op, nil))
	p.ok(p.Waitall([]cluster.Request{op}, nil))
	messages, bytes := p.since(before, p.Spec().Layout.ClassOf(p.ID(), to))
	same(p, "messages", messages, 31)
	same(p, "bytes", bytes, 100+30*8)
}

func sizesAreChecked(p *proc) {
	if p.ID() == 1 {
		return
	}
	var q cluster.Request
	end := p.Spec().Segment
	p.fails(p.Put(cluster.At(1, end-7), cluster.Sized(8)),
		"put at rank 1: 8 B from 65529 on reach beyond the end of its segment of 65536 B")
	p.fails(p.Put(cluster.At(1, 0), cluster.Sized(-1)), "put at rank 1 of -1 B: size must not be negative")
	p.fails(p.GetWith(&cluster.Get{From: cluster.At(1, -8), Data: cluster.Sized(8)}, &q), "get at rank 1: 8 B from -8 on")
	p.fails(p.Get(cluster.At(2, 0), cluster.Sized(8)), "ranks are 0 to 1")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(column(0, 64, 8, 1025).Bytes()),
		Shape: *column(0, 64, 8, 1025), Train: true}, &q, nil),
		"1 × 1025 blocks of 8 B from 0 on with strides of 64 and 0 B reach beyond the end of its segment of 65536 B")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(column(0, 4, 8, 2).Bytes()),
		Shape: *column(0, 4, 8, 2), Train: true}, &q, nil),
		"1 × 2 blocks of 8 B overlap in its segment at strides of 4 and 0 B")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(column(0, 1, 1, 1<<16).Bytes()),
		Shape: *column(0, 1, 1, 1<<16), Train: true}, &q, nil),
		"train of 65536 puts at rank 1: want at most 65535 (use several trains)")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(8), Call: cluster.Call{Fn: -1}}, &q, nil),
		"function -1: no function of that number")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(8),
		Signal: cluster.Signal{Op: cluster.SigSet, Off: 12, Value: 1}, Until: cluster.Source}, nil, nil),
		"the flag at 12 must be 8-byte aligned and inside the segment")
	same(p, "messages", p.Traffic().Ops[p.Spec().Layout.ClassOf(p.ID(), 1)], 0)
}

func touchNothing(p *proc) {
	me, next := p.ID(), (p.ID()+1)%p.Ranks()
	want := data(1000, me)
	copy(p.Segment()[64:], want)
	fn := p.register(func(c cluster.RPC) uint64 { return uint64(c.Arg) })
	p.ok(p.Barrier(p.All()))
	var op, source [4]cluster.Request
	p.ok(p.Put(cluster.At(next, 64), cluster.Sized(1000)))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, far-500), Data: cluster.Sized(500)}, &op[0], &source[0]))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Sized(8), Until: cluster.Later}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, far-2000), Data: cluster.Sized(2000),
		Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}, Until: cluster.Source}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Sized(3),
		Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}}, &op[1], &source[1]))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 1<<39), Data: cluster.Sized(700),
		Call: cluster.Call{Fn: fn, Arg: 5}}, &op[2], nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 0), Data: cluster.Sized(column(1<<39, 100, 8, 50).Bytes()),
		Shape: *column(1<<39, 100, 8, 50)}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 0), Data: cluster.Sized(column(1<<39, 100, 8, 50).Bytes()),
		Shape: *column(1<<39, 100, 8, 50), Train: true}, &op[3], nil))
	st, err := p.Wait(&op[2])
	p.ok(err)
	same(p, "word of the remote function", st.Word, 5)
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 0), Data: cluster.Sized(column(64, 16, 16, 20).Bytes()),
		Shape: *column(64, 16, 16, 20), Train: true, Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}}, &op[2],
		nil))
	_, err = p.Await(0, cluster.CmpEqual, 3)
	p.ok(err)
	p.ok(p.Waitall(op[:], nil))
	p.ok(p.Waitall(source[:], nil))
	p.ok(p.Get(cluster.At(next, 64), cluster.Sized(1000)))
	p.ok(p.GetWith(&cluster.Get{From: cluster.At(next, far-1), Data: cluster.Sized(1)}, &op[0]))
	p.ok(p.Waitall(op[:1], nil))
	p.ok(p.Quiet())
	p.ok(p.Barrier(p.All()))
	p.holds("own segment", p.Segment()[64:1064], me)
}

func fabricsCheckRanges(p *proc) {
	if p.ID() != 0 {
		return
	}
	for _, kind := range []cluster.Kind{cluster.KindPut, cluster.KindGet} {
		op := cluster.Op{Kind: kind, Peer: 1, Off: far - 8, Size: 9}
		same(p, "handle", p.Lib().Port().Post(&op), 0)
		same(p, "code", op.Done.Err, cluster.OutOfSegment)
		op = cluster.Op{Kind: kind, Peer: 1, Off: far - 8, Buf: make([]byte, 8)} // real bytes are not there
		same(p, "handle", p.Lib().Port().Post(&op), 0)
		same(p, "code", op.Done.Err, cluster.OutOfSegment)
	}
}
