package clustertest

import "github.com/hybridtop/hybridtop/cluster"

// far is the modelled segment of these tests: much more than any host has.
const far = 1 << 40

func column(off, stride, block int64, count int) *cluster.Strided {
	s := cluster.Column(off, stride, block, count)
	return &s
}

// One-sided transfers of only sizes reach as far as the machine's segment, beyond the
// bytes that exist. Flag words and remote functions are real.
var phantomCases = []testCase{
	{"one-sided transfers of only sizes touch only flags", on((*suite).farSegment, touchNothing)},
	{"one-sided transfers of only sizes count as traffic", onRanks(2, sizesCount)},
	{"one-sided transfers of only sizes that do not fit are refused", onRanks(2, sizesAreChecked)},
	{"a fabric checks the range of an operation of only sizes", on((*suite).farSegment, fabricsCheckRanges)},
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
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Sized(column(0, 64, 8, 30).Bytes()), Shape: *column(0, 64, 8, 30), Train: true}, &op, nil))
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
	p.fails(p.Put(cluster.At(1, end-7), cluster.Sized(8)), "put at rank 1: 8 B from 65529 on reach beyond the end of its segment of 65536 B")
	p.fails(p.Put(cluster.At(1, 0), cluster.Sized(-1)), "put at rank 1 of -1 B: a size must not be negative")
	p.fails(p.GetWith(&cluster.Get{From: cluster.At(1, -8), Data: cluster.Sized(8)}, &q), "get at rank 1: 8 B from -8 on")
	p.fails(p.Get(cluster.At(2, 0), cluster.Sized(8)), "ranks are 0 to 1")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(column(0, 64, 8, 1025).Bytes()), Shape: *column(0, 64, 8, 1025), Train: true}, &q, nil), "1 × 1025 blocks of 8 B from 0 on with strides of 64 and 0 B reach beyond the end of its segment of 65536 B")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(column(0, 4, 8, 2).Bytes()), Shape: *column(0, 4, 8, 2), Train: true}, &q, nil), "1 × 2 blocks of 8 B overlap in its segment at strides of 4 and 0 B")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(column(0, 1, 1, 1<<16).Bytes()), Shape: *column(0, 1, 1, 1<<16), Train: true}, &q, nil), "train of 65536 puts at rank 1: at most 65535; make several")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(8), Call: cluster.Call{Fn: -1}}, &q, nil), "function -1: no function of that number")
	p.fails(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Sized(8), Signal: cluster.Signal{Op: cluster.SigSet, Off: 12, Value: 1}, Until: cluster.Source}, nil, nil), "the word must stand")
	same(p, "messages", p.Traffic().Ops[p.Spec().Layout.ClassOf(p.ID(), 1)], 1) // the put whose flag is wrong
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
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, far-2000), Data: cluster.Sized(2000), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}, Until: cluster.Source}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 64), Data: cluster.Sized(3), Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}}, &op[1], &source[1]))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 1<<39), Data: cluster.Sized(700), Call: cluster.Call{Fn: fn, Arg: 5}}, &op[2], nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 0), Data: cluster.Sized(column(1<<39, 100, 8, 50).Bytes()), Shape: *column(1<<39, 100, 8, 50)}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 0), Data: cluster.Sized(column(1<<39, 100, 8, 50).Bytes()), Shape: *column(1<<39, 100, 8, 50), Train: true}, &op[3], nil))
	st, err := p.Wait(&op[2])
	p.ok(err)
	same(p, "word of the remote function", st.Word, 5)
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(next, 0), Data: cluster.Sized(column(64, 16, 16, 20).Bytes()), Shape: *column(64, 16, 16, 20), Train: true, Signal: cluster.Signal{Op: cluster.SigAdd, Off: 0, Value: 1}}, &op[2], nil))
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
