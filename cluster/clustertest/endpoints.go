package clustertest

import (
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

func (s *suite) testEndpoints(t *testing.T) {
	s.test(t, "an endpoint a thread: what is sent to one arrives at no other", 3, func(p *proc) {
		const threads = 4
		rounds := s.times(30)
		ends, err := p.Endpoints(p.World(), threads)
		p.ok(err)
		same(p, "endpoints", len(ends), threads)
		n, me := p.World().Size(), p.World().Rank()
		p.fork(threads, func(th *proc, thread int) {
			own, b := ends[thread], make([]byte, 64)
			same(th, "rank in the endpoint", own.Rank(), me)
			for i := range rounds {
				// Thread after thread, around the ranks, all under one tag.
				to := ends[(thread+i)%threads]
				var q cluster.Request
				th.ok(th.Isend(&q, to, (me+1)%n, 7, cluster.Of(data(64, thread*1000+i))))
				st, err := th.Recv(own, cluster.AnySource, cluster.AnyTag, cluster.Of(b))
				th.ok(err)
				same(th, "source", st.Source, (me+n-1)%n)
				_, err = th.Wait(&q)
				th.ok(err)
			}
		})
		p.ok(p.Barrier(p.World()))
	})

	s.test(t, "messages between two threads through an endpoint stay in order", 2, func(p *proc) {
		const threads = 3
		n := s.times(100)
		ends, err := p.Endpoints(p.World(), threads)
		p.ok(err)
		p.fork(threads, func(th *proc, thread int) {
			qs := make([]cluster.Request, n)
			for i := range qs {
				th.ok(th.Isend(&qs[i], ends[thread], 1-p.ID(), 0, cluster.Of(data(8+i%40*10, i))))
			}
			b := make([]byte, 8+39*10)
			for i := range n {
				st, err := th.Recv(ends[thread], 1-p.ID(), cluster.AnyTag, cluster.Of(b))
				th.ok(err)
				th.holds("message", b[:st.Bytes], i)
			}
			th.ok(th.Waitall(qs, nil))
		})
	})

	s.test(t, "an endpoint is a team: collectives, split and dup work in it", 4, func(p *proc) {
		ends, err := p.Endpoints(p.World(), 2)
		p.ok(err)
		for i, e := range ends {
			p.ok(p.Barrier(e))
			x := []byte{byte(i + 1)}
			if e.Rank() != 1 {
				x[0] = 0
			}
			p.ok(coll.Bcast(p.Rank, e, 1, cluster.Of(x)))
			same(p, "broadcast", int(x[0]), i+1)
			half, err := p.Split(e, e.Rank()%2, 0)
			p.ok(err)
			same(p, "half", half.Size(), 2)
			p.ok(p.Barrier(half))
		}
		dup, err := p.Dup(p.World())
		p.ok(err)
		p.check(!slices.Contains(ends, dup), "a dup is an endpoint")
		p.send((p.ID()+1)%4, 1, data(8, 1)) // in the world
		_, err = p.Sendrecv(dup, (p.ID()+1)%4, 1, cluster.Of(data(8, 2)), cluster.AnySource, 1, cluster.Of(make([]byte, 8)))
		p.ok(err)
		b := make([]byte, 8)
		p.recv(cluster.AnySource, 1, b)
		p.holds("the world's message", b, 1)
	})

	s.test(t, "no endpoints at all is an error", 2, func(p *proc) {
		_, err := p.Endpoints(p.World(), 0)
		p.fails(err, "endpoints: 0 of team MPI_COMM_WORLD")
	})
}
