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
	p.ok(p.PutPhantom(to, 0, 100))
	p.ok(p.IputTrainPhantom(&op, nil, to, column(0, 64, 8, 30)))
	p.ok(p.Waitall([]cluster.Request{op}, nil))
	messages, bytes := p.since(before, p.Class(to))
	same(p, "messages", messages, 31)
	same(p, "bytes", bytes, 100+30*8)
}

func sizesAreChecked(p *proc) {
	if p.ID() == 1 {
		return
	}
	var q cluster.Request
	end := p.Spec().Segment
	p.fails(p.PutPhantom(1, end-7, 8), "put at rank 1: 8 B from 65529 on reach beyond the end of its segment of 65536 B")
	p.fails(p.PutPhantom(1, 0, -1), "put at rank 1 of -1 B: a size must not be negative")
	p.fails(p.IgetPhantom(&q, 1, -8, 8), "get at rank 1: 8 B from -8 on")
	p.fails(p.GetPhantom(2, 0, 8), "ranks are 0 to 1")
	p.fails(p.IputTrainPhantom(&q, nil, 1, column(0, 64, 8, 1025)), "1 × 1025 blocks of 8 B from 0 on with strides of 64 and 0 B reach beyond the end of its segment of 65536 B")
	p.fails(p.IputTrainPhantom(&q, nil, 1, column(0, 4, 8, 2)), "1 × 2 blocks of 8 B overlap in its segment at strides of 4 and 0 B")
	p.fails(p.IputTrainPhantom(&q, nil, 1, column(0, 0, 0, 1<<16)), "train of 65536 puts at rank 1: at most 65535; make several")
	p.fails(p.IputRPCPhantom(&q, nil, 1, 0, 8, 0, 0), "function 0: no function of that number")
	p.fails(p.PutSignalPhantom(1, 0, 8, 12, cluster.SigSet, 1), "the word must stand")
	same(p, "messages", p.Traffic().Ops[p.Class(1)], 1) // the put whose flag is wrong
}

func touchNothing(p *proc) {
	me, next := p.ID(), (p.ID()+1)%p.Ranks()
	want := data(1000, me)
	copy(p.Segment()[64:], want)
	fn := p.register(func(c cluster.RPC) uint64 { return uint64(c.Arg) })
	p.ok(p.Barrier(p.All()))
	var op, source [4]cluster.Request
	p.ok(p.PutPhantom(next, 64, 1000))
	p.ok(p.IputPhantom(&op[0], &source[0], next, far-500, 500))
	p.ok(p.PutImplicitPhantom(next, 64, 8))
	p.ok(p.PutSignalPhantom(next, far-2000, 2000, 0, cluster.SigAdd, 1))
	p.ok(p.IputSignalPhantom(&op[1], &source[1], next, 64, 3, 0, cluster.SigAdd, 1))
	p.ok(p.IputRPCPhantom(&op[2], nil, next, 1<<39, 700, fn, 5))
	p.ok(p.PutStridedPhantom(next, column(1<<39, 100, 8, 50)))
	p.ok(p.IputTrainPhantom(&op[3], nil, next, column(1<<39, 100, 8, 50)))
	st, err := p.Wait(&op[2])
	p.ok(err)
	same(p, "word of the remote function", st.Word, 5)
	p.ok(p.IputTrainSignalPhantom(&op[2], nil, next, column(64, 16, 16, 20), 0, cluster.SigAdd, 1))
	_, err = p.Await(0, cluster.CmpEqual, 3)
	p.ok(err)
	p.ok(p.Waitall(op[:], nil))
	p.ok(p.Waitall(source[:], nil))
	p.ok(p.GetPhantom(next, 64, 1000))
	p.ok(p.IgetPhantom(&op[0], next, far-1, 1))
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
		same(p, "handle", p.Port().Post(&op), 0)
		same(p, "code", op.Done.Err, cluster.OutOfSegment)
		op = cluster.Op{Kind: kind, Peer: 1, Off: far - 8, Buf: make([]byte, 8)} // real bytes are not there
		same(p, "handle", p.Port().Post(&op), 0)
		same(p, "code", op.Done.Err, cluster.OutOfSegment)
	}
}
