package clustertest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var twosidedCases = []testCase{
	{"messages of every size and tag arrive intact", withEagerLimits(2, everySize, 0, eager, 1<<20)},
	{"8 ranks send to all at once", withEagerLimits(8, allToAll, -1, 0, eager)},
	{"24 ranks send to all at once", withEagerLimits(24, allToAll, -1, 0, eager)},
	{"an eager send needs no receive, and its buffer may be written at once", onRanks(2, eagerSendsNeedNoReceive)},
	{"long and synchronous sends wait for their receive", sendsWaitForReceive},
	{"a rank sends to itself", forSizes(2, ranksSendToThemselves, 0, 8, eager, eager+1, 50_000)},
	{"Sendrecv around a ring does not deadlock", onRanks(6, sendrecvRing)},
	{"a receive reports the length of a shorter message and truncates a longer one",
		forSizes(2, receivesReportLength, 0, 1, 17, 64, eager, eager+1, 5000)},
	{"a message of one team is not received in another", onRanks(2, teamsSeparateMessages)},
	{"ranks are numbered by the team", teamsNumberRanks},
	{"ranks send on one node and with round-robin ranking", layoutsSend},
}

// withEagerLimits is a test that runs a body on n ranks, once with each eager limit.
func withEagerLimits(n int, body func(p *proc), limits ...int64) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		for _, limit := range limits {
			t.Run(fmt.Sprintf("eager limit %d", limit), func(t *testing.T) {
				spec := s.spec(n)
				spec.EagerLimit = limit
				s.run(t, spec, body)
			})
		}
	}
}

// everySize sends each size in each way, from rank 0 to 1 and back.
func everySize(p *proc) {
	me, w := p.ID(), p.World()
	for i, size := range sizes {
		for how, tag := range []int{1, 0, cluster.MaxTag, 7} {
			for sender := range 2 {
				if sender != me {
					st := p.take(1-me, tag, size, i+how+1-me)
					same(p, "status", st, cluster.Status{Source: 1 - me, Tag: tag, Bytes: int64(size)})
					continue
				}
				var q cluster.Request
				switch b := data(size, i+how+me); how {
				case 0:
					p.ok(p.Send(w, 1-me, tag, cluster.Of(b)))
				case 1:
					p.ok(p.Ssend(w, 1-me, tag, cluster.Of(b)))
				case 2:
					p.ok(p.Isend(&q, w, 1-me, tag, cluster.Of(b)))
					p.wait(&q)
				case 3:
					p.ok(p.Issend(&q, w, 1-me, tag, cluster.Of(b)))
					for !p.is(p.Test(&q)) {
					}
				}
			}
		}
	}
}

func allToAll(p *proc) {
	n, me := p.World().Size(), p.World().Rank()
	for round, size := range []int{0, 8, eager, eager + 1, 20_000} {
		qs := make([]cluster.Request, 2*n)
		sts := make([]cluster.Status, 2*n)
		in := make([]byte, n*size)
		for i := range n {
			p.ok(p.Irecv(&qs[i], p.World(), i, round, cluster.Of(in[i*size:][:size])))
		}
		for i := range n {
			to := (me + i) % n
			p.ok(p.Isend(&qs[n+i], p.World(), to, round, cluster.Of(data(size, me*n+to))))
		}
		p.ok(p.Waitall(qs, sts))
		for i := range n {
			same(p, "status", sts[i], cluster.Status{Source: i, Tag: round, Bytes: int64(size)})
			p.holds("message", in[i*size:][:size], i*n+me)
		}
	}
}

func eagerSendsNeedNoReceive(p *proc) {
	peer := 1 - p.ID() // both send before they receive
	for tag, n := range []int{0, 1, eager} {
		b := data(n, tag)
		p.send(peer, tag, b)
		copy(b, data(n, tag+10))
		var q cluster.Request
		p.ok(p.Isend(&q, p.World(), peer, tag, cluster.Of(b)))
		p.wait(&q)
		clear(b)
	}
	for tag, n := range []int{0, 1, eager} {
		p.take(peer, tag, n, tag)
		p.take(peer, tag, n, tag+10)
	}
}

// sendsWaitForReceive checks that sends are not complete before rank 1 posts its receive.
func sendsWaitForReceive(s *suite, t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int64
		size  int
		sync  bool
	}{
		{"a send above the eager limit", eager, eager + 1, false},
		{"a send with eager limit 0", 0, 1, false},
		{"an empty send with eager limit 0", 0, 0, false},
		{"a synchronous send", eager, 1, true},
		{"an empty synchronous send", eager, 0, true},
		{"a long synchronous send", eager, 100_000, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := s.spec(2)
			spec.EagerLimit = c.limit
			s.run(t, spec, func(p *proc) {
				if p.ID() == 1 {
					p.accept(0)
					p.take(0, 7, c.size, 1)
					return
				}
				var q cluster.Request
				if c.sync {
					p.ok(p.Issend(&q, p.World(), 1, 7, cluster.Of(data(c.size, 1))))
				} else {
					p.ok(p.Isend(&q, p.World(), 1, 7, cluster.Of(data(c.size, 1))))
				}
				for range 100 {
					p.check(!p.is(p.Test(&q)), "complete before the receive was posted")
				}
				p.token(1)
				p.wait(&q)
			})
		})
	}
}

func ranksSendToThemselves(p *proc, size int) {
	me, in := p.World().Rank(), make([]byte, size)
	var r, q cluster.Request
	p.ok(p.Irecv(&r, p.World(), me, 1, cluster.Of(in))) // the receive first
	p.ok(p.Ssend(p.World(), me, 1, cluster.Of(data(size, 1))))
	same(p, "source", p.wait(&r).Source, me)
	p.holds("posted first", in, 1)
	p.ok(p.Isend(&q, p.World(), me, 2, cluster.Of(data(size, 2)))) // the send first
	p.take(cluster.AnySource, 2, size, 2)
	p.wait(&q)
	p.status(p.Sendrecv(p.World(), me, 3, cluster.Of(data(size, 3)), me, 3, cluster.Of(in))) // both at once
	p.holds("sendrecv", in, 3)
}

func sendrecvRing(p *proc) {
	n, me := p.World().Size(), p.World().Rank()
	from := (me + n - 1) % n
	for i, size := range sizes {
		in := make([]byte, size)
		st := p.status(p.Sendrecv(p.World(), (me+1)%n, 5, cluster.Of(data(size, me+i)), from, 5, cluster.Of(in)))
		same(p, "source", st.Source, from)
		p.holds("message", in, from+i)
	}
}

func receivesReportLength(p *proc, size int) {
	for _, room := range []int{16, size + 100} {
		for _, c := range []struct {
			from, tag int
			posted    bool // before the send
		}{{0, 7, false}, {cluster.AnySource, cluster.AnyTag, false}, {0, 7, true}} {
			if p.ID() == 0 {
				if c.posted {
					p.accept(1)
				}
				p.send(1, 7, data(size, 1))
				p.send(1, 7, data(16, 2))
				continue
			}
			b := data(room+48, 3)
			st := cluster.Status{}
			err := error(nil)
			if c.posted {
				var q cluster.Request
				p.ok(p.Irecv(&q, p.World(), c.from, c.tag, cluster.Of(b[:room])))
				p.token(0)
				st, err = p.Wait(&q)
			} else {
				st, err = p.Recv(p.World(), c.from, c.tag, cluster.Of(b[:room]))
			}
			if size > room {
				p.ok(Refused(err, fmt.Sprintf("rank 1: recv from 0 tag 7: truncated, %d B into 16 B", size)))
			} else {
				p.ok(err)
				same(p, "bytes", st.Bytes, int64(size))
				p.holds("message", b[:size], 1)
			}
			end := min(size, room)
			p.check(bytes.Equal(b[end:], data(room+48, 3)[end:]), "bytes behind the message were written")
			p.take(0, 7, 16, 2) // the long message is consumed
		}
	}
}

func teamsSeparateMessages(p *proc) {
	teams, b := []*cluster.Team{p.World(), p.All(), p.Group()}, make([]byte, 8)
	if p.ID() == 0 {
		for i, team := range teams {
			p.ok(p.Send(team, 1, 7, cluster.Of(data(8, i))))
		}
		return
	}
	for i, team := range slices.Backward(teams) {
		p.status(p.Recv(team, cluster.AnySource, cluster.AnyTag, cluster.Of(b)))
		p.holds(team.Name(), b, i)
	}
}

func teamsNumberRanks(s *suite, t *testing.T) {
	spec := s.spec(8)
	spec.Layout.Model = cluster.NestedMultiple
	spec.Layout.Group = 4
	spec.Layout.WorldSeed = 3
	s.run(t, spec, func(p *proc) {
		for _, team := range []*cluster.Team{p.World(), p.Group()} {
			n, me := team.Size(), team.Rank()
			same(p, "number in the team", team.Global(me), p.ID())
			left := (me + n - 1) % n
			out := []byte{byte(p.ID())}
			in := make([]byte, 1)
			for tag, from := range []int{left, cluster.AnySource} {
				st := p.status(p.Sendrecv(team, (me+1)%n, tag, cluster.Of(out), from, tag, cluster.Of(in)))
				same(p, "source", st.Source, left)
				same(p, "sender", int(in[0]), team.Global(left))
			}
		}
	})
}

func layoutsSend(s *suite, t *testing.T) {
	spec := s.spec(6)
	spec.Layout.Ranking = cluster.RoundRobin
	s.run(t, spec, allToAll)
	spec.Layout.Nodes, spec.Layout.RanksPerNode = 1, 6
	s.run(t, spec, allToAll)
}
