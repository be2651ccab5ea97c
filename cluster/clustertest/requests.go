package clustertest

import (
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testRequests(t *testing.T) {
	if s.fabric.Clock(&s.machine) == cluster.VirtualClock {
		t.Run("waiting for any of many takes no more time than waiting for any of two", func(t *testing.T) {
			var took [2][2]cluster.Time
			for i, others := range []int{1, 200} {
				s.run(t, s.spec(2), func(p *proc) {
					if p.ID() == 0 {
						for round := range 2 {
							p.ok(p.Barrier(p.All()))
							p.send(1, 1000+round, nil)
						}
						p.ok(p.Barrier(p.All()))
						for tag := range others {
							p.send(1, tag, nil)
						}
						return
					}
					qs := make([]cluster.Request, others+2)
					for tag := range others {
						p.ok(p.Irecv(&qs[tag], p.World(), 0, tag, cluster.Data{}))
					}
					p.ok(p.Irecv(&qs[others], p.World(), 0, 1000, cluster.Data{}))
					p.ok(p.Irecv(&qs[others+1], p.World(), 0, 1001, cluster.Data{}))
					p.ok(p.Barrier(p.All()))
					began := p.Now()
					n, _, err := p.Waitany(qs)
					p.ok(err)
					same(p, "the first that is complete", n, others)
					took[i][0] = p.Now() - began
					p.ok(p.Barrier(p.All()))
					began = p.Now()
					done, err := p.Waitsome(qs, nil)
					p.ok(err)
					p.check(len(done) == 1 && done[0] == others+1, "complete are %v, want %d", done, others+1)
					took[i][1] = p.Now() - began
					p.ok(p.Barrier(p.All()))
					p.ok(p.Waitall(qs, nil))
				})
			}
			if took[0] != took[1] {
				t.Errorf("%v for any of two or three, %v for any of two hundred", took[0], took[1])
			}
		})
	}

	s.test(t, "waitall finishes many, whatever the order", 2, func(p *proc) {
		for _, size := range []int{8, eager + 1} {
			n := s.times(500)
			qs := make([]cluster.Request, n)
			b := make([][]byte, n)
			for i := range n {
				if p.ID() == 0 {
					p.ok(p.Isend(&qs[i], p.World(), 1, i, cluster.Of(data(size, i))))
				} else {
					b[i] = make([]byte, size)
					p.ok(p.Irecv(&qs[n-1-i], p.World(), 0, n-1-i, cluster.Of(b[i])))
				}
			}
			p.ok(p.Waitall(qs, nil))
			for i := range n {
				p.check(!qs[i].Active(), "request %d is active after waitall", i)
				if p.ID() == 1 {
					p.holds("message", b[i], n-1-i)
				}
			}
		}
	})

	s.test(t, "waitany gives each once, then none", 4, func(p *proc) {
		if p.ID() != 0 {
			p.send(0, p.ID(), data(8, p.ID()))
			return
		}
		qs := make([]cluster.Request, 4)
		b := make([][8]byte, 4)
		for i := 1; i < 4; i++ {
			p.ok(p.Irecv(&qs[i], p.World(), i, i, cluster.Of(b[i][:])))
		}
		seen := map[int]bool{}
		for range 3 {
			i, st, err := p.Waitany(qs)
			p.ok(err)
			p.check(i > 0 && !seen[i], "index %d again", i)
			seen[i] = true
			same(p, "source", st.Source, i)
			p.holds("message", b[i][:], i)
		}
		i, _, err := p.Waitany(qs)
		p.ok(err)
		same(p, "index with none active", i, -1)
	})

	s.test(t, "waitany waits for one, not for all", 3, func(p *proc) {
		switch p.ID() {
		case 0:
			qs := make([]cluster.Request, 2)
			p.ok(p.Irecv(&qs[0], p.World(), 1, 0, cluster.Data{}))
			p.ok(p.Irecv(&qs[1], p.World(), 2, 0, cluster.Data{}))
			i, _, err := p.Waitany(qs)
			p.ok(err)
			same(p, "index", i, 1)
			p.token(1) // only now rank 1 sends
			i, _, err = p.Waitany(qs)
			p.ok(err)
			same(p, "index", i, 0)
		case 1:
			p.accept(0)
			p.send(0, 0, nil)
		case 2:
			p.send(0, 0, nil)
		}
	})

	s.test(t, "waitsome gives all that are complete", 5, func(p *proc) {
		if p.ID() != 0 {
			p.send(0, 0, data(p.ID()*eager/2, p.ID()))
			return
		}
		qs := make([]cluster.Request, 4)
		b := make([][]byte, 4)
		for i := range qs {
			b[i] = make([]byte, 4*eager)
			p.ok(p.Irecv(&qs[i], p.World(), i+1, 0, cluster.Of(b[i])))
		}
		seen := map[int]bool{}
		for len(seen) < 4 {
			done, err := p.Waitsome(qs, nil)
			p.ok(err)
			p.check(len(done) > 0, "waitsome returned with none")
			for _, i := range done {
				p.check(!seen[i], "index %d again", i)
				seen[i] = true
				p.holds("message", b[i][:(i+1)*eager/2], i+1)
			}
		}
		done, err := p.Waitsome(qs, nil)
		p.ok(err)
		same(p, "some of none", len(done), 0)
	})

	s.test(t, "a test turns true once, and clears the request", 2, func(p *proc) {
		if p.ID() == 0 {
			p.accept(1)
			p.send(1, 7, data(8, 1))
			return
		}
		var q cluster.Request
		b := make([]byte, 8)
		p.ok(p.Irecv(&q, p.World(), 0, 7, cluster.Of(b)))
		for range 50 {
			_, done, err := p.Test(&q)
			p.ok(err)
			p.check(!done && q.Active(), "complete before anything was sent")
		}
		p.token(0)
		for {
			st, done, err := p.Test(&q)
			p.ok(err)
			if done {
				same(p, "status", st, cluster.Status{Source: 0, Tag: 7, Bytes: 8})
				break
			}
		}
		p.holds("message", b, 1)
		p.check(!q.Active(), "active after test")
		_, done, err := p.Test(&q)
		p.ok(err)
		p.check(done, "a request that is not active tests as complete")
	})

	s.test(t, "requests that completed inside Post count as complete", 2, func(p *proc) {
		peer := 1 - p.ID()
		p.send(peer, 1, data(8, 1))
		_, err := p.Probe(p.World(), peer, 1)
		p.ok(err)
		// The message waits and the send is eager: both complete at once.
		b := make([]byte, 8)
		qs := make([]cluster.Request, 3)
		p.ok(p.Irecv(&qs[0], p.World(), peer, 1, cluster.Of(b)))
		p.ok(p.Isend(&qs[1], p.World(), peer, 2, cluster.Of(data(8, 2))))
		p.ok(p.Irecv(&qs[2], p.World(), peer, 2, cluster.Of(make([]byte, 8))))
		for range 2 {
			i, _, err := p.Waitany(qs[:2])
			p.ok(err)
			p.check(i >= 0, "waitany finds none")
		}
		p.holds("message", b, 1)
		p.ok(p.Waitall(qs, nil))
	})

	s.test(t, "waits of nothing return", 1, func(p *proc) {
		var q cluster.Request
		_, err := p.Wait(&q)
		p.ok(err)
		p.ok(p.Waitall(nil, nil))
		p.ok(p.Waitall(make([]cluster.Request, 3), make([]cluster.Status, 3)))
	})

	s.test(t, "waitall gives statuses and the first failure", 2, func(p *proc) {
		if p.ID() == 0 {
			p.send(1, 1, data(8, 1))
			p.send(1, 2, data(100, 2))
			p.send(1, 3, data(8, 3))
			return
		}
		qs := make([]cluster.Request, 3)
		sts := make([]cluster.Status, 3)
		b := make([][8]byte, 3)
		for i := range qs {
			p.ok(p.Irecv(&qs[i], p.World(), 0, i+1, cluster.Of(b[i][:])))
		}
		p.fails(p.Waitall(qs, sts), "rank 1: recv from 0 tag 2: truncated, 100 B into 8 B")
		same(p, "tag", sts[2].Tag, 3)
		p.holds("first", b[0][:], 1)
		p.holds("last", b[2][:], 3)
	})

	s.test(t, "a receive that has not matched can be cancelled", 2, func(p *proc) {
		if p.ID() == 0 {
			p.accept(1)
			p.send(1, 7, data(8, 1))
			return
		}
		qs := make([]cluster.Request, 3)
		b := data(8, 5)
		for i := range qs {
			p.ok(p.Irecv(&qs[i], p.World(), []int{0, cluster.AnySource, 0}[i], []int{7, 7, cluster.AnyTag}[i], cluster.Of(b)))
		}
		for i := range qs {
			taken, err := p.Cancel(&qs[i])
			p.ok(err)
			p.check(taken, "a receive with nothing sent could not be cancelled")
		}
		for i := range qs {
			st, err := p.Wait(&qs[i])
			p.ok(err)
			p.check(st.Cancelled, "the status does not say that it was cancelled")
		}
		p.holds("the buffer of cancelled receives", b, 5)
		p.token(0)
		p.recv(0, 7, b)
		p.holds("message", b, 1)
		taken, err := p.Cancel(&qs[0])
		p.ok(err)
		p.check(!taken, "an inactive request was cancelled")
	})

	s.test(t, "a receive that has matched cannot be cancelled", 2, func(p *proc) {
		if p.ID() == 0 {
			p.send(1, 7, data(8, 1))
			p.send(1, 8, nil)
			return
		}
		b := make([]byte, 8)
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 0, 7, cluster.Of(b)))
		p.recv(0, 8, nil) // came after it
		taken, err := p.Cancel(&q)
		p.ok(err)
		p.check(!taken, "a receive that has matched was cancelled")
		st, err := p.Wait(&q)
		p.ok(err)
		p.check(!st.Cancelled, "status says cancelled")
		p.holds("message", b, 1)
	})

	s.test(t, "a cancel that races with a message has one winner", 2, func(p *proc) {
		b := make([]byte, 8)
		for i := range s.times(100) {
			if p.ID() == 0 {
				p.send(1, 7, data(8, i))
				p.accept(1)
				continue
			}
			var q cluster.Request
			p.ok(p.Irecv(&q, p.World(), 0, 7, cluster.Of(b)))
			taken, err := p.Cancel(&q)
			p.ok(err)
			st, err := p.Wait(&q)
			p.ok(err)
			same(p, "cancelled", st.Cancelled, taken)
			if taken {
				p.recv(0, 7, b)
			}
			p.holds("message", b, i)
			p.token(0)
		}
	})

	s.test(t, "only receives are cancelled", 2, func(p *proc) {
		if p.ID() == 0 {
			var q cluster.Request
			p.ok(p.Issend(&q, p.World(), 1, 7, cluster.Data{}))
			_, err := p.Cancel(&q)
			p.fails(err, "rank 0: cancel of a ssend")
			p.token(1)
			_, err = p.Wait(&q)
			p.ok(err)
			return
		}
		p.accept(0)
		p.recv(0, 7, nil)
	})
}
