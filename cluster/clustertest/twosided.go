package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testTwoSided(t *testing.T) {
	for _, limit := range []int64{0, eager, 1 << 20} {
		t.Run(fmt.Sprintf("messages of every size arrive intact, eager limit %d", limit), func(t *testing.T) {
			spec := s.spec(2)
			spec.EagerLimit = limit
			s.run(t, spec, everySize)
		})
	}

	for _, limit := range []int64{-1, 0, eager} {
		for _, ranks := range []int{8, 24} {
			t.Run(fmt.Sprintf("all to all of %d ranks at once, eager limit %d", ranks, limit), func(t *testing.T) {
				spec := s.spec(ranks)
				spec.EagerLimit = limit
				s.run(t, spec, allToAll)
			})
		}
	}

	s.test(t, "sends up to the eager limit need no receive", 2, func(p *proc) {
		// Both send before they receive.
		peer := 1 - p.ID()
		in := make([]byte, eager)
		for tag, n := range []int{0, 1, eager} {
			p.send(peer, tag, data(n, tag))
			var q cluster.Request
			p.ok(p.Isend(&q, p.World(), peer, tag, cluster.Of(data(n, tag+10))))
			_, err := p.Wait(&q)
			p.ok(err)
		}
		for tag, n := range []int{0, 1, eager} {
			for _, number := range []int{tag, tag + 10} {
				st := p.recv(peer, tag, in)
				same(p, "bytes", st.Bytes, int64(n))
				p.holds("message", in[:n], number)
			}
		}
	})

	s.test(t, "an eager send's buffer may be written at once", 2, func(p *proc) {
		b := make([]byte, eager)
		if p.ID() == 0 {
			for i := range 10 {
				copy(b, data(eager, i))
				p.send(1, 0, b)
			}
			return
		}
		for i := range 10 {
			p.recv(0, 0, b)
			p.holds("message", b, i)
		}
	})

	// Rank 1 posts its receive only after a token, so until then these must not
	// complete.
	type start func(p *proc, q *cluster.Request, b []byte) error
	isend := func(p *proc, q *cluster.Request, b []byte) error { return p.Isend(q, p.World(), 1, 7, cluster.Of(b)) }
	issend := func(p *proc, q *cluster.Request, b []byte) error { return p.Issend(q, p.World(), 1, 7, cluster.Of(b)) }
	for _, c := range []struct {
		name  string
		limit int64
		size  int
		start start
	}{
		{"a send above the eager limit waits for its receive", eager, eager + 1, isend},
		{"with eager limit 0 every send waits for its receive", 0, 1, isend},
		{"with eager limit 0 a send of nothing waits for its receive", 0, 0, isend},
		{"a synchronous send waits for its receive", eager, 1, issend},
		{"a synchronous send of nothing waits for its receive", eager, 0, issend},
		{"a long synchronous send waits for its receive", eager, 100_000, issend},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec := s.spec(2)
			spec.EagerLimit = c.limit
			s.run(t, spec, func(p *proc) {
				b := make([]byte, c.size)
				if p.ID() == 1 {
					_, err := p.Recv(p.All(), 0, tokenTag, cluster.Data{})
					p.ok(err)
					p.recv(0, 7, b)
					p.holds("message", b, 1)
					return
				}
				copy(b, data(c.size, 1))
				var q cluster.Request
				p.ok(c.start(p, &q, b))
				for range 100 {
					_, done, err := p.Test(&q)
					p.ok(err)
					p.check(!done, "complete before the receive was posted")
				}
				p.token(1)
				_, err := p.Wait(&q)
				p.ok(err)
			})
		})
	}

	for _, size := range []int{0, 8, eager, eager + 1, 50_000} {
		s.test(t, fmt.Sprintf("a rank sends %d B to itself", size), 2, func(p *proc) {
			me := p.World().Rank()
			in := make([]byte, size)
			// The receive first.
			var r, q cluster.Request
			p.ok(p.Irecv(&r, p.World(), me, 1, cluster.Of(in)))
			p.ok(p.Ssend(p.World(), me, 1, cluster.Of(data(size, 1))))
			st, err := p.Wait(&r)
			p.ok(err)
			same(p, "source", st.Source, me)
			p.holds("posted first", in, 1)
			// The send first.
			p.ok(p.Isend(&q, p.World(), me, 2, cluster.Of(data(size, 2))))
			p.recv(cluster.AnySource, 2, in)
			_, err = p.Wait(&q)
			p.ok(err)
			p.holds("sent first", in, 2)
			// Both at once.
			_, err = p.Sendrecv(p.World(), me, 3, cluster.Of(data(size, 3)), me, 3, cluster.Of(in))
			p.ok(err)
			p.holds("sendrecv", in, 3)
		})
	}

	s.test(t, "sendrecv around a ring does not wait in a circle", 6, func(p *proc) {
		n, me := p.World().Size(), p.World().Rank()
		for i, size := range sizes {
			in := make([]byte, size)
			st, err := p.Sendrecv(p.World(), (me+1)%n, 5, cluster.Of(data(size, me+i)), (me+n-1)%n, 5, cluster.Of(in))
			p.ok(err)
			same(p, "source", st.Source, (me+n-1)%n)
			p.holds("message", in, (me+n-1)%n+i)
		}
	})

	s.test(t, "the first and the last tag", 2, func(p *proc) {
		for _, tag := range []int{0, cluster.MaxTag} {
			if p.ID() == 0 {
				p.send(1, tag, data(8, tag))
				continue
			}
			b := make([]byte, 8)
			st := p.recv(0, tag, b)
			same(p, "tag", st.Tag, tag)
			p.holds("message", b, tag)
		}
	})

	s.test(t, "a message may be shorter than the receive", 2, func(p *proc) {
		for _, size := range []int{0, 1, 100, eager + 1, 5000} {
			if p.ID() == 0 {
				p.send(1, 0, data(size, 1))
				continue
			}
			b := data(size+100, 9)
			st := p.recv(0, 0, b)
			same(p, "bytes", st.Bytes, int64(size))
			p.holds("message", b[:size], 1)
			for i, c := range b[size:] {
				p.check(c == data(size+100, 9)[size+i], "byte %d behind the message was written", i)
			}
		}
	})

	s.testTruncation(t)
	s.testTeams(t)
}

// everySize sends each size in each way, from rank 0 to 1 and back.
func everySize(p *proc) {
	me, w := p.ID(), p.World()
	send := []func(b []byte) error{
		func(b []byte) error { return p.Send(w, 1-me, 1, cluster.Of(b)) },
		func(b []byte) error { return p.Ssend(w, 1-me, 1, cluster.Of(b)) },
		func(b []byte) error {
			var q cluster.Request
			p.ok(p.Isend(&q, w, 1-me, 1, cluster.Of(b)))
			_, err := p.Wait(&q)
			return err
		},
		func(b []byte) error {
			var q cluster.Request
			p.ok(p.Issend(&q, w, 1-me, 1, cluster.Of(b)))
			for {
				if _, done, err := p.Test(&q); done {
					return err
				}
			}
		},
	}
	for i, size := range sizes {
		for how := range send {
			for turn := range 2 {
				if turn == me {
					p.ok(send[how](data(size, i+how+me)))
					continue
				}
				b := make([]byte, size)
				st := p.recv(1-me, 1, b)
				same(p, "bytes", st.Bytes, int64(size))
				same(p, "source", st.Source, 1-me)
				same(p, "tag", st.Tag, 1)
				p.holds(fmt.Sprintf("%d B, way %d", size, how), b, i+how+1-me)
			}
		}
	}
}

func allToAll(p *proc) {
	n, me := p.World().Size(), p.World().Rank()
	for round, size := range []int{0, 8, eager, eager + 1, 20_000} {
		qs := make([]cluster.Request, 2*n)
		in := make([][]byte, n)
		for i := range n {
			in[i] = make([]byte, size)
			p.ok(p.Irecv(&qs[i], p.World(), i, round, cluster.Of(in[i])))
		}
		for i := range n {
			to := (me + i) % n
			p.ok(p.Isend(&qs[n+i], p.World(), to, round, cluster.Of(data(size, me*n+to))))
		}
		sts := make([]cluster.Status, 2*n)
		p.ok(p.Waitall(qs, sts))
		for i := range n {
			same(p, "source", sts[i].Source, i)
			same(p, "bytes", sts[i].Bytes, int64(size))
			p.holds("message", in[i], i*n+me)
		}
	}
}

func (s *suite) testTruncation(t *testing.T) {
	for _, c := range []struct {
		name      string
		from, tag int
		posted    bool
	}{
		{"exact receive", 0, 7, false},
		{"any source and any tag", cluster.AnySource, cluster.AnyTag, false},
		{"receive posted first", 0, 7, true},
	} {
		for _, size := range []int{17, 64, eager, 4096} {
			s.test(t, fmt.Sprintf("a message of %d B into 16 B is truncated and says so, %s", size, c.name), 2, func(p *proc) {
				if p.ID() == 0 {
					if c.posted {
						p.accept(1)
					}
					p.send(1, 7, data(size, 1))
					p.send(1, 7, data(16, 2))
					return
				}
				b := data(64, 3)
				var err error
				if c.posted {
					var q cluster.Request
					p.ok(p.Irecv(&q, p.World(), c.from, c.tag, cluster.Of(b[:16])))
					p.token(0)
					_, err = p.Wait(&q)
				} else {
					_, err = p.Recv(p.World(), c.from, c.tag, cluster.Of(b[:16]))
				}
				want := fmt.Sprintf("rank 1: recv from 0 tag 7: truncated, %d B into 16 B", size)
				p.check(err != nil && err.Error() == want, "error %q, want %q", err, want)
				for i := 16; i < 64; i++ {
					p.check(b[i] == data(64, 3)[i], "byte %d behind the receive was written", i)
				}
				// The long message is consumed: the next one comes next.
				p.recv(0, 7, b[:16])
				p.holds("next message", b[:16], 2)
			})
		}
	}
}

func (s *suite) testTeams(t *testing.T) {
	s.test(t, "a message of one team is not received in another", 2, func(p *proc) {
		b := make([]byte, 8)
		teams := []*cluster.Team{p.World(), p.All(), p.Group()}
		if p.ID() == 0 {
			for i, team := range teams {
				p.ok(p.Send(team, 1, 7, cluster.Of(data(8, i))))
			}
			return
		}
		for i := len(teams) - 1; i >= 0; i-- {
			_, err := p.Recv(teams[i], cluster.AnySource, cluster.AnyTag, cluster.Of(b))
			p.ok(err)
			p.holds(teams[i].Name(), b, i)
		}
	})

	t.Run("ranks are numbered by the team", func(t *testing.T) {
		spec := s.spec(8)
		spec.Layout.Model, spec.Layout.Group, spec.Layout.WorldSeed = cluster.NestedMultiple, 4, 3
		s.run(t, spec, func(p *proc) {
			for _, team := range []*cluster.Team{p.World(), p.Group()} {
				n, me := team.Size(), team.Rank()
				same(p, "own number", team.Global(me), p.ID())
				var b [8]byte
				out := []byte{byte(p.ID()), 0, 0, 0, 0, 0, 0, 0}
				st, err := p.Sendrecv(team, (me+1)%n, 1, cluster.Of(out), (me+n-1)%n, 1, cluster.Of(b[:]))
				p.ok(err)
				same(p, "source", st.Source, (me+n-1)%n)
				same(p, "sender", int(b[0]), team.Global((me+n-1)%n))
				st, err = p.Sendrecv(team, (me+1)%n, 2, cluster.Of(out), cluster.AnySource, 2, cluster.Of(b[:]))
				p.ok(err)
				same(p, "any source", st.Source, (me+n-1)%n)
			}
		})
	})

	t.Run("round-robin ranking and a single node send as well", func(t *testing.T) {
		spec := s.spec(6)
		spec.Layout.Ranking = cluster.RoundRobin
		s.run(t, spec, allToAll)
		spec.Layout.Nodes, spec.Layout.RanksPerNode = 1, 6
		s.run(t, spec, allToAll)
	})
}
