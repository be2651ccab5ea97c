package clustertest

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

func (s *suite) testOrder(t *testing.T) {
	for name, size := range map[string]func(i int) int{
		"small":         func(int) int { return 8 },
		"eager":         func(int) int { return eager },
		"long":          func(int) int { return eager + 8 },
		"of every size": func(i int) int { return 8 + i*37%(2*eager) },
	} {
		for _, c := range []struct {
			name      string
			from, tag int
		}{
			{"exact receives", 0, 7},
			{"any source", cluster.AnySource, 7},
			{"any tag", 0, cluster.AnyTag},
			{"any source and tag", cluster.AnySource, cluster.AnyTag},
		} {
			s.test(t, fmt.Sprintf("messages %s do not overtake, %s", name, c.name), 2, func(p *proc) {
				n := s.times(200)
				qs := make([]cluster.Request, n)
				b := make([][]byte, n)
				for i := range n {
					b[i] = make([]byte, 8, 2*eager+8)
					if p.ID() == 0 {
						b[i] = b[i][:size(i)]
						binary.LittleEndian.PutUint64(b[i], uint64(i))
						p.ok(p.Isend(&qs[i], p.World(), 1, 7, cluster.Of(b[i])))
					} else {
						b[i] = b[i][:cap(b[i])]
						p.ok(p.Irecv(&qs[i], p.World(), c.from, c.tag, cluster.Of(b[i])))
					}
				}
				p.ok(p.Waitall(qs, nil))
				for i := range n {
					same(p, "message", binary.LittleEndian.Uint64(b[i]), uint64(i))
				}
			})
		}
	}

	s.test(t, "messages of different tags come in the order of sending to any tag", 2, func(p *proc) {
		n := s.times(300)
		var b [8]byte
		for i := range n {
			if p.ID() == 0 {
				p.send(1, i*7%13, data(8, i))
			}
		}
		for i := range n {
			if p.ID() == 1 {
				st := p.recv(0, cluster.AnyTag, b[:])
				same(p, "tag", st.Tag, i*7%13)
				p.holds("message", b[:], i)
			}
		}
	})

	s.test(t, "receives pick by tag from what waits", 2, func(p *proc) {
		n := s.times(2000)
		var b [8]byte
		if p.ID() == 0 {
			for i := range n {
				p.send(1, i, data(8, i))
			}
			return
		}
		for i := range n {
			tag := n - 1 - i
			p.recv(0, tag, b[:])
			p.holds("message", b[:], tag)
		}
	})

	s.test(t, "a message goes to the earliest posted receive that matches", 2, func(p *proc) {
		if p.ID() == 0 {
			p.accept(1)
			for i := range 4 {
				p.send(1, 7, data(8, i))
			}
			return
		}
		b := make([][8]byte, 4)
		qs := make([]cluster.Request, 4)
		p.ok(p.Irecv(&qs[0], p.World(), cluster.AnySource, 7, cluster.Of(b[0][:])))
		p.ok(p.Irecv(&qs[1], p.World(), 0, 7, cluster.Of(b[1][:])))
		p.ok(p.Irecv(&qs[2], p.World(), cluster.AnySource, cluster.AnyTag, cluster.Of(b[2][:])))
		p.ok(p.Irecv(&qs[3], p.World(), 0, 7, cluster.Of(b[3][:])))
		p.token(0)
		p.ok(p.Waitall(qs, nil))
		for i := range b {
			p.holds("message", b[i][:], i)
		}
	})

	for _, size := range []int{8, eager + 1} {
		s.test(t, fmt.Sprintf("any source takes each message of %d B once, in order by source", size), 8, func(p *proc) {
			n := s.times(100)
			if me := p.ID(); me != 0 {
				for i := range n {
					p.send(0, 3, data(size, me*1000+i))
				}
				return
			}
			next := make([]int, p.Ranks())
			b := make([]byte, size)
			for range n * (p.Ranks() - 1) {
				st := p.recv(cluster.AnySource, 3, b)
				p.holds("message", b, st.Source*1000+next[st.Source])
				next[st.Source]++
			}
		})
	}

	s.test(t, "a flood waits for its receiver", 2, func(p *proc) {
		n := s.times(6000)
		var b [8]byte
		if p.ID() == 0 {
			for i := range n {
				p.send(1, 1, data(8, i))
			}
			p.token(1)
			return
		}
		p.accept(0)
		for i := range n {
			p.recv(0, 1, b[:])
			p.holds("message", b[:], i)
		}
	})

	s.test(t, "a flood of mixed sizes keeps its order", 2, func(p *proc) {
		n := s.times(3000)
		size := func(i int) int { return []int{0, 8, 24, 200, 16}[i%5] }
		b := make([]byte, 200)
		if p.ID() == 0 {
			for i := range n {
				p.send(1, 1, data(size(i), i))
			}
			return
		}
		for i := range n {
			st := p.recv(0, cluster.AnyTag, b)
			same(p, "bytes", st.Bytes, int64(size(i)))
			p.holds("message", b[:st.Bytes], i)
		}
	})

	for _, ranks := range []int{16, 70} {
		s.test(t, fmt.Sprintf("%d ranks flood one", ranks-1), ranks, func(p *proc) {
			n := s.times(5000 / ranks)
			var b [8]byte
			if p.ID() != 0 {
				for i := range n {
					p.send(0, p.ID(), data(8, i))
				}
				return
			}
			// Backwards by source, so that most wait unexpected.
			for from := p.Ranks() - 1; from > 0; from-- {
				for i := range n {
					p.recv(cluster.AnySource, from, b[:])
					p.holds("message", b[:], i)
				}
			}
		})
	}
}
