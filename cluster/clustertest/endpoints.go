package clustertest

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Random programs check the order of messages through endpoints, and collectives on them.
var endpointCases = []testCase{
	{"a message to one endpoint arrives at no other", onRanks(3, endpointsReceiveSeparately)},
	{"an endpoint is a team with its own collectives, splits and messages", onRanks(4, endpointsAreTeams)},
	{"a call for no endpoints is refused", onRanks(2, func(p *proc) {
		_, err := p.Endpoints(p.World(), 0)
		p.fails(err, "endpoints: 0 of team MPI_COMM_WORLD")
	})},
}

func (p *proc) endpoints(n int) []*cluster.Team {
	ends, err := p.Endpoints(p.World(), n)
	p.ok(err)
	same(p, "endpoints", len(ends), n)
	return ends
}

func endpointsReceiveSeparately(p *proc) {
	const threads = 4
	ends := p.endpoints(threads)
	n := p.World().Size()
	me := p.World().Rank()
	p.fork(threads, func(th *proc, thread int) {
		mine, b := ends[thread], make([]byte, 64)
		same(th, "rank in the endpoint", mine.Rank(), me)
		for i := range th.times(30) {
			// Thread after thread, around the ranks, all with one tag.
			var q cluster.Request
			th.ok(th.Isend(&q, ends[(thread+i)%threads], (me+1)%n, 7, cluster.Of(data(64, thread*1000+i))))
			st := th.status(th.Recv(mine, cluster.AnySource, cluster.AnyTag, cluster.Of(b)))
			same(th, "source", st.Source, (me+n-1)%n)
			th.status(th.Wait(&q))
		}
	})
	p.ok(p.Barrier(p.World()))
}

func endpointsAreTeams(p *proc) {
	ends, b := p.endpoints(2), make([]byte, 8)
	for i, e := range ends {
		p.ok(p.Barrier(e))
		x := []byte{byte(i + 1)}
		if e.Rank() != 1 {
			x[0] = 0
		}
		p.ok(coll.Bcast(p.Rank, e, 1, cluster.Of(x)))
		same(p, "broadcast", int(x[0]), i+1)
		half := p.made(p.Split(e, e.Rank()%2, 0))
		same(p, "half", half.Size(), 2)
		p.ok(p.Barrier(half))
	}
	dup := p.made(p.Dup(p.World()))
	p.check(!slices.Contains(ends, dup), "a dup is an endpoint")
	next := (p.ID() + 1) % 4
	p.send(next, 1, data(8, 1)) // in the world
	p.status(p.Sendrecv(dup, next, 1, cluster.Of(data(8, 2)), cluster.AnySource, 1, cluster.Of(b)))
	p.recv(cluster.AnySource, 1, b)
	p.holds("the world's message", b, 1)
}
