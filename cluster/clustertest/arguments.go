package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var argumentCases = []testCase{
	{"an invalid argument is refused, and nothing is sent", onRanks(2, refuseArguments)},
	{"nested-funneled lets only UPC thread 0 of a group call MPI", (*suite).refuseMPI},
	{"UPC access ends at the group's boundary in nested-funneled", accessEnds(cluster.NestedFunneled)},
	{"UPC access ends at the group's boundary in nested-multiple", accessEnds(cluster.NestedMultiple)},
	{"a short form of access outside the group ends the body with that error", (*suite).shortFormFails},
}

func refuseArguments(p *proc) {
	w := p.World()
	var q cluster.Request
	for _, c := range []struct {
		err  error
		want string
	}{
		{p.Send(w, 2, 0, cluster.Data{}), "send to rank 2: team MPI_COMM_WORLD has ranks 0 to 1"},
		{p.Send(w, -1, 0, cluster.Data{}), "send to rank -1"},
		{p.Ssend(w, 0, -1, cluster.Data{}), "ssend to 0 tag -1: tags are 0 to 1073741823"},
		{p.Isend(&q, w, 0, cluster.MaxTag+1, cluster.Data{}), "send to 0 tag 1073741824"},
		{p.Issend(&q, w, 7, 0, cluster.Data{}), "ssend to rank 7"},
		{p.Irecv(&q, w, 2, 0, cluster.Data{}), "recv from rank 2"},
		{p.Irecv(&q, w, -2, 0, cluster.Data{}), "recv from rank -2"},
		{p.Irecv(&q, w, 0, -2, cluster.Data{}), "tag -2"},
		{p.Put(cluster.At(2, 0), cluster.Data{}), "put at rank 2: ranks are 0 to 1"},
		{p.Get(cluster.At(-1, 0), cluster.Data{}), "get at rank -1"},
		{p.PutWith(&cluster.Put{To: cluster.At(2, 0), Data: cluster.Data{},
			Signal: cluster.Signal{Op: cluster.SigSet, Off: 0, Value: 1}, Until: cluster.Source}, nil, nil),
			"put with signal at rank 2"},
		{only(p.Atomic(cluster.At(9, 0), cluster.AtomicStore, 1)), "atomic at rank 9"},
		{p.Irpc(&q, 2, 1, 0, cluster.Data{}), "rpc at rank 2"},
		{p.PutWith(&cluster.Put{To: cluster.At(0, 0), Data: cluster.Data{}, Call: cluster.Call{Fn: -1}}, &q, nil),
			"function -1"},
		{p.Fork(-1, nil), "fork of -1 threads"},
		{only(p.Probe(w, 3, 0)), "probe from rank 3"},
		{third(p.Iprobe(w, 0, -5)), "iprobe from 0 tag -5"},
		{only(p.NewEvent(0)), "event of 0 fires"},
		{only(p.Alloc(-1)), "alloc of -1 B"},
		{only(p.Alloc(1 << 30)), "alloc of 1073741824 B: 65536 of the segment's 65536 B are free"},
	} {
		p.fails(c.err, c.want, fmt.Sprintf("rank %d: ", p.ID()))
	}
	p.check(!q.Active(), "a refused call left a request active")
	p.ok(p.Barrier(w))
	p.check(!p.is(p.Iprobe(w, cluster.AnySource, cluster.AnyTag)), "a refused send sent")
}

func (s *suite) refuseMPI(t *testing.T) {
	s.run(t, s.nested(cluster.NestedFunneled, 8, 4), func(p *proc) {
		w := p.World()
		same(p, "MPI ranks", w.Size(), 2)
		if p.Group().Rank() == 0 {
			p.status(p.Sendrecv(w, 1-w.Rank(), 1, cluster.Data{}, 1-w.Rank(), 1, cluster.Data{}))
			p.ok(p.Barrier(w))
		} else {
			var q cluster.Request
			for _, err := range []error{
				p.Send(w, 0, 0, cluster.Data{}), only(p.Recv(w, 0, 0, cluster.Data{})), only(p.Probe(w, cluster.AnySource, 0)),
				p.Irecv(&q, w, cluster.AnySource, 0, cluster.Data{}), p.Barrier(w), p.Notify(&q, w),
			} {
				p.fails(err, "may not call MPI in nested-funneled", "only UPC thread 0")
			}
		}
		p.ok(p.Barrier(p.Group()))
	})
}

func accessEnds(model cluster.Model) func(*suite, *testing.T) {
	return on(func(s *suite) cluster.Spec { return s.nested(model, 8, 4) }, func(p *proc) {
		var q cluster.Request
		var b [8]byte
		other, next := (p.ID()+4)%8, p.ID()/4*4+(p.ID()+1)%4
		for _, err := range []error{
			p.Put(cluster.At(other, 0), cluster.Of(b[:])), p.Get(cluster.At(other, 0), cluster.Of(b[:])),
			p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(b[:])}, &q, nil),
			p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Of(b[:])}, &q),
			p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(b[:]), Until: cluster.Later}, nil, nil),
			p.GetWith(&cluster.Get{From: cluster.At(other, 0), Data: cluster.Of(b[:]), Until: cluster.Later}, nil),
			p.PutWith(&cluster.Put{To: cluster.At(other, 0), Data: cluster.Of(b[:]),
				Signal: cluster.Signal{Op: cluster.SigSet, Off: 8, Value: 1}, Until: cluster.Source}, nil, nil),
			only(p.Atomic(cluster.At(other, 0), cluster.AtomicAdd, 1)), only(p.RPC(other, 1, 0, cluster.Data{})),
		} {
			p.fails(err, "in UPC group", "the caller's group")
		}
		p.check(p.Reach(other) == nil, "another group's segment is in reach")
		p.ok(p.Put(cluster.At(next, 0), cluster.Of(data(8, p.ID()))))
		p.ok(p.Barrier(p.Group()))
		p.holds("put inside the group", p.Segment()[:8], p.ID()/4*4+(p.ID()+3)%4)
	})
}

func (s *suite) shortFormFails(t *testing.T) {
	err := s.launch(t, s.nested(cluster.NestedMultiple, 4, 2), func(p *proc) {
		if p.ID() == 1 {
			p.PutUint64(2, 0, 1)
		}
	})
	if !contains(err, "rank 1: put at rank 2", "in UPC group") {
		t.Errorf("error %v", err)
	}
}
