package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// Random programs compare strided and indexed transfers of all shapes with copies.
var vectorCases = []testCase{
	{"threads of a region pack their strided puts apart", threadsPackSeparately},
	{"an indexed or strided transfer that does not fit is refused", (*suite).vectorsThatDoNotFit},
}

func threadsPackSeparately(s *suite, t *testing.T) {
	const threads, rows, bytes = 4, 6, 40
	spec := s.spec(2)
	spec.Layout.ThreadsPerRank = max(threads, s.threads)
	s.run(t, spec, func(p *proc) {
		to, strided := 1-p.ID(), column(0, bytes, bytes, threads*rows)
		p.ok(p.Using(cluster.Means{Path: cluster.PathMessages}, func() error {
			return p.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(data(threads*rows*bytes, 0)),
				Shape: *strided}, nil, nil)
		}))
		p.ok(p.Barrier(p.All()))
		for round := range p.times(20) {
			p.fork(threads, func(th *proc, thread int) {
				var op cluster.Request
				at := column(int64(thread*bytes), threads*bytes, bytes, rows)
				th.ok(th.Using(cluster.Means{Path: cluster.PathMessages}, func() error {
					return th.PutWith(&cluster.Put{To: cluster.At(to, 0), Data: cluster.Of(data(rows*bytes, thread+round)),
						Shape: *at}, &op, nil)
				}))
				th.status(th.Wait(&op))
				th.ok(th.Quiet())
			})
			p.ok(p.Barrier(p.All()))
			for i := range rows * threads {
				from := i / threads * bytes
				want := data(rows*bytes, i%threads+round)[from : from+bytes]
				p.check(string(p.Segment()[i*bytes:][:bytes]) == string(want), "round %d: row %d of thread %d has other bytes",
					round, i/threads, i%threads)
			}
			p.ok(p.Barrier(p.All()))
		}
	})
}

func (s *suite) vectorsThatDoNotFit(t *testing.T) {
	spec := s.grouped(cluster.NestedMultiple, 2, 1, 0)
	spec.Segment = 104
	s.run(t, spec, func(p *proc) {
		if p.ID() == 0 {
			refuseIndexed(p, make([]byte, 20))
			refuseStrided(p, make([]byte, 20))
		}
	})
}

const huge = int64(1) << 62

// at makes a list of spans of offsets and lengths.
func at(v ...int64) (spans []cluster.Span) {
	for i := 0; i < len(v); i += 2 {
		spans = append(spans, cluster.Span{Off: v[i], Len: v[i+1]})
	}
	return spans
}

func refuseIndexed(p *proc, b []byte) {
	var q cluster.Request
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: at(0, 10)}, nil, nil),
		"indexed put at rank 0: the spans do not cover 10 of the data's 20 B")
	p.refused(p.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Of(b), Spans: at(0, 10, 10, 11)}, nil),
		"indexed get at rank 0: the spans up to 1 are longer than the data of 20 B")
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: at(85, 20)}, nil, nil),
		"indexed put at rank 0: span 0 (20 B at 85) is not inside its segment of 104 B")
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: at(9, 20, -1, 0)}, &q, nil),
		"indexed put at rank 0: span 1 (0 B at -1) is not inside its segment of 104 B")
	p.refused(p.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Of(b), Spans: at(huge, huge)}, &q),
		"indexed get at rank 0: span 0 (4611686018427387904 B at 4611686018427387904) is not inside its segment of 104 B")
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(1, 0), Data: cluster.Data{}, Spans: []cluster.Span{}}, nil, nil),
		"indexed put at rank 1: in UPC group 1, not in the caller's group 0 (send an MPI message, or use larger groups)")
	// these just fit
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Spans: at(84, 20, 104, 0)}, nil, nil))
	p.ok(p.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Data{}, Spans: nil}, nil))
}

// boxes is a strided transfer of 2 × 3 blocks of 2 B.
func boxes(far, near cluster.Lattice) *cluster.Strided {
	return &cluster.Strided{Block: 2, Count: [2]int{3, 2}, Far: far, Near: near}
}

func refuseStrided(p *proc, b []byte) {
	const beyond = " and 0 B reach beyond the end of its segment of 104 B"
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, 10, 7, 3)}, nil, nil),
		"strided put at rank 0: 1 × 3 blocks of 7 B from 0 on with strides of 7 and 0 B reach beyond the end of the "+
			"data of 20 B")
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, 10, -5, -4)}, nil,
		nil), "strided put at rank 0: 1 × -4 blocks of -5 B: must not be negative")
	p.refused(p.GetWith(&cluster.Get{From: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, 4, 5, 4)}, nil),
		"strided get at rank 0: 1 × 4 blocks of 5 B overlap in its segment at strides of 4 and 0 B: use strides of at "+
			"least a block, and a row of them")
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(10, 30, 5, 4)}, nil, nil),
		"strided put at rank 0: 1 × 4 blocks of 5 B from 10 on with strides of 30"+beyond)
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(0, huge, 5, 4)}, nil,
		nil), "strided put at rank 0: 1 × 4 blocks of 5 B from 0 on with strides of 4611686018427387904"+beyond)
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(-1, 10, 5, 4)}, nil, nil),
		"strided put at rank 0: 1 × 4 blocks of 5 B from -1 on with strides of 10"+beyond)
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b),
		Shape: *boxes(cluster.Lattice{Stride: [2]int64{4, 8}}, cluster.Lattice{Stride: [2]int64{2, 6}})}, nil, nil),
		"strided put at rank 0: 2 × 3 blocks of 2 B overlap in its segment at strides of 4 and 8 B: use strides of at "+
			"least a block, and a row of them")
	p.refused(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b),
		Shape: *boxes(cluster.Lattice{Stride: [2]int64{4, 90}}, cluster.Lattice{Off: 9, Stride: [2]int64{2, 6}})}, nil, nil),
		"strided put at rank 0: 2 × 3 blocks of 2 B from 9 on with strides of 2 and 6 B reach beyond the end of the "+
			"data of 20 B")
	p.refused(p.GetWith(&cluster.Get{From: cluster.At(2, 0), Data: cluster.Of(b), Shape: *column(0, 10, 5, 4)}, nil),
		"strided get at rank 2: ranks are 0 to 1")
	// these just fit
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(9, 30, 5, 4)}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Of(b), Shape: *column(84, 0, 20, 1)}, nil, nil))
	p.ok(p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Data{}, Shape: *column(0, 0, 0, 9)}, nil, nil))
}
