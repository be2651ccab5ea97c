package clustertest

import (
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testProbe(t *testing.T) {
	for _, size := range []int{0, 8, eager, eager + 1, 10_000} {
		s.test(t, fmt.Sprintf("probe tells of %d B and leaves the message", size), 2, func(p *proc) {
			if p.ID() == 0 {
				p.send(1, 7, data(size, 1))
				return
			}
			for range 2 {
				st, err := p.Probe(p.World(), cluster.AnySource, cluster.AnyTag)
				p.ok(err)
				same(p, "probe", st, cluster.Status{Source: 0, Tag: 7, Bytes: int64(size)})
			}
			st, found, err := p.Iprobe(p.World(), 0, 7)
			p.ok(err)
			p.check(found, "iprobe does not find what probe found")
			same(p, "bytes", st.Bytes, int64(size))
			b := make([]byte, st.Bytes)
			p.recv(st.Source, st.Tag, b)
			p.holds("message", b, 1)
			_, found, err = p.Iprobe(p.World(), cluster.AnySource, cluster.AnyTag)
			p.ok(err)
			p.check(!found, "iprobe finds a message that was received")
		})

		s.test(t, fmt.Sprintf("a matched probe takes a message of %d B", size), 2, func(p *proc) {
			if p.ID() == 0 {
				qs := make([]cluster.Request, 3)
				for i := range qs {
					p.ok(p.Isend(&qs[i], p.World(), 1, 7, cluster.Of(data(size, i+1))))
				}
				p.ok(p.Waitall(qs, nil))
				return
			}
			first, err := p.Mprobe(p.World(), 0, 7)
			p.ok(err)
			same(p, "bytes", first.Bytes, int64(size))
			var second cluster.Message
			for found := false; !found; {
				second, found, err = p.Improbe(p.World(), cluster.AnySource, cluster.AnyTag)
				p.ok(err)
			}
			// What was taken cannot be received by anybody else.
			b := make([]byte, size)
			p.recv(0, 7, b)
			p.holds("third", b, 3)
			_, found, err := p.Improbe(p.World(), 0, 7)
			p.ok(err)
			p.check(!found, "improbe finds a message that was taken")
			st, err := p.Mrecv(second, cluster.Of(b))
			p.ok(err)
			same(p, "tag", st.Tag, 7)
			same(p, "source", st.Source, 0)
			p.holds("second", b, 2)
			var q cluster.Request
			p.ok(p.Imrecv(&q, first, cluster.Of(b)))
			_, err = p.Wait(&q)
			p.ok(err)
			p.holds("first", b, 1)
			_, err = p.Mrecv(first, cluster.Of(b))
			p.fails(err, "rank 1", "mrecv", "received already")
		})
	}

	s.test(t, "a poll with iprobe ends when the message comes", 4, func(p *proc) {
		n := s.times(20)
		if p.ID() != 0 {
			for i := range n {
				p.send(0, p.ID(), data(p.ID()*100, i))
			}
			return
		}
		for i := range n {
			for from := 3; from > 0; from-- {
				var st cluster.Status
				for found := false; !found; {
					var err error
					st, found, err = p.Iprobe(p.World(), from, cluster.AnyTag)
					p.ok(err)
				}
				same(p, "tag", st.Tag, from)
				b := make([]byte, st.Bytes)
				p.recv(from, from, b)
				p.holds("message", b, i)
			}
		}
	})

	s.test(t, "a probe does not see what a posted receive takes", 2, func(p *proc) {
		if p.ID() == 0 {
			p.accept(1)
			p.send(1, 7, data(8, 1))
			p.send(1, 8, data(9, 2))
			return
		}
		var q cluster.Request
		b := make([]byte, 16)
		p.ok(p.Irecv(&q, p.World(), 0, cluster.AnyTag, cluster.Of(b)))
		p.token(0)
		st, err := p.Probe(p.World(), 0, cluster.AnyTag)
		p.ok(err)
		same(p, "tag", st.Tag, 8)
		st, err = p.Wait(&q)
		p.ok(err)
		same(p, "tag", st.Tag, 7)
		p.recv(0, 8, b)
	})

	s.test(t, "a matched receive can be truncated", 2, func(p *proc) {
		if p.ID() == 0 {
			p.send(1, 7, data(100, 1))
			return
		}
		m, err := p.Mprobe(p.World(), 0, 7)
		p.ok(err)
		_, err = p.Mrecv(m, cluster.Of(make([]byte, 10)))
		p.fails(err, "rank 1: mrecv from 0 tag 7: truncated, 100 B into 10 B")
	})

	s.test(t, "a probe minds the team", 2, func(p *proc) {
		if p.ID() == 0 {
			p.ok(p.Send(p.World(), 1, 7, cluster.Data{}))
			p.token(1)
			return
		}
		p.accept(0)
		_, found, err := p.Iprobe(p.All(), 0, cluster.AnyTag)
		p.ok(err)
		p.check(!found, "a probe of one team finds a message of another")
		_, err = p.Probe(p.World(), 0, 7)
		p.ok(err)
		p.recv(0, 7, nil)
	})
}
