package clustertest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// stuck is what a deadlock's report has to say of one rank.
type stuck struct {
	rank  int
	call  string // the start of it
	waits []int
	any   bool
}

func (s *suite) testDeadlock(t *testing.T) {
	big := make([]byte, eager+1)
	for _, c := range []struct {
		name  string
		ranks int
		body  func(p *proc)
		want  []stuck
		rest  []int // ranks that must not be reported
	}{
		{"two synchronous sends head to head", 2, func(p *proc) {
			p.ok(p.Ssend(p.World(), 1-p.ID(), 7, nil))
		}, []stuck{{0, "ssend to 1 tag 7", []int{1}, false}, {1, "ssend to 0 tag 7", []int{0}, false}}, nil},

		{"two sends above the eager limit head to head", 2, func(p *proc) {
			p.send(1-p.ID(), 7, big)
		}, []stuck{{0, "send to 1 tag 7", []int{1}, false}, {1, "send to 0 tag 7", []int{0}, false}}, nil},

		{"a ring of receives", 4, func(p *proc) {
			p.recv((p.ID()+1)%4, 3, nil)
		}, []stuck{{0, "recv from 1 tag 3", []int{1}, false}, {3, "recv from 0 tag 3", []int{0}, false}}, nil},

		{"a receive with the wrong tag", 2, func(p *proc) {
			if p.ID() == 0 {
				p.send(1, 1, nil)
			} else {
				p.recv(0, 2, nil)
			}
		}, []stuck{{1, "recv from 0 tag 2", []int{0}, false}}, []int{0}},

		{"a receive from a rank that has finished", 3, func(p *proc) {
			if p.ID() == 0 {
				p.recv(1, 7, nil)
			}
		}, []stuck{{0, "recv from 1 tag 7", []int{1}, false}}, []int{1, 2}},

		{"a send above the eager limit to a rank that has finished", 2, func(p *proc) {
			if p.ID() == 0 {
				p.send(1, 7, big)
			}
		}, []stuck{{0, "send to 1 tag 7", []int{1}, false}}, []int{1}},

		{"any source with nobody left to send", 3, func(p *proc) {
			if p.ID() == 0 {
				p.recv(cluster.AnySource, cluster.AnyTag, nil)
			}
		}, []stuck{{0, "recv from any tag any", []int{1, 2}, true}}, []int{1, 2}},

		{"any source in a circle", 3, func(p *proc) {
			if p.ID() == 0 {
				p.recv(cluster.AnySource, 1, nil)
			} else {
				p.recv(0, 1, nil)
			}
		}, []stuck{{0, "recv from any tag 1", []int{1, 2}, true}, {1, "recv from 0", []int{0}, false}, {2, "recv from 0", []int{0}, false}}, nil},

		{"a probe of what nobody sends", 2, func(p *proc) {
			_, err := p.Probe(p.World(), 1-p.ID(), 4)
			p.ok(err)
		}, []stuck{{0, "probe from 1 tag 4", []int{1}, false}, {1, "probe from 0 tag 4", []int{0}, false}}, nil},

		{"a barrier that one does not enter", 4, func(p *proc) {
			if p.ID() != 2 {
				p.ok(p.Barrier(p.All()))
			}
		}, []stuck{{0, "barrier", []int{2}, false}, {1, "barrier", []int{2}, false}, {3, "barrier", []int{2}, false}}, []int{2}},

		{"a barrier against a receive", 2, func(p *proc) {
			if p.ID() == 0 {
				p.ok(p.Barrier(p.All()))
			} else {
				p.recv(0, 7, nil)
			}
		}, []stuck{{0, "barrier", []int{1}, false}, {1, "recv from 0 tag 7", []int{0}, false}}, nil},

		{"a flag that nobody sets", 2, func(p *proc) {
			if p.ID() == 0 {
				_, err := p.Await(16, cluster.CmpNotEqual, 0)
				p.ok(err)
			}
		}, []stuck{{0, "await", []int{1}, true}}, []int{1}},

		{"an event that nobody fires", 2, func(p *proc) {
			if p.ID() == 0 {
				e, err := p.NewEvent(2)
				p.ok(err)
				p.Fire(e)
				p.ok(p.WaitEvent(e))
			}
		}, []stuck{{0, "event", nil, true}}, []int{1}},

		{"a wait for any of two that have finished", 3, func(p *proc) {
			if p.ID() == 0 {
				qs := make([]cluster.Request, 2)
				p.ok(p.Irecv(&qs[0], p.World(), 1, 7, nil))
				p.ok(p.Irecv(&qs[1], p.World(), 2, 7, nil))
				_, _, err := p.Waitany(qs)
				p.ok(err)
			}
		}, []stuck{{0, "recv from 1", []int{1}, false}, {0, "recv from 2", []int{2}, false}}, nil},

		{"part of the ranks, while the others go on", 4, func(p *proc) {
			if p.ID() < 2 {
				p.ok(p.Ssend(p.World(), 1-p.ID(), 7, nil))
				return
			}
			p.chat(5 - p.ID())
		}, []stuck{{0, "ssend to 1 tag 7", []int{1}, false}, {1, "ssend to 0 tag 7", []int{0}, false}}, []int{2, 3}},

		{"a wait for all, of which one can never come, while the other may", 4, func(p *proc) {
			switch p.ID() {
			case 0:
				qs := make([]cluster.Request, 2)
				p.ok(p.Irecv(&qs[0], p.World(), 1, 7, nil))
				p.ok(p.Irecv(&qs[1], p.World(), 2, 7, nil))
				p.ok(p.Waitall(qs, nil))
			case 2, 3:
				p.chat(5 - p.ID())
			}
		}, []stuck{{0, "recv from 1 tag 7", []int{1}, false}}, []int{2, 3}},

		{"two ranks, while another one receives what a matched probe took", 6, func(p *proc) {
			const long = 1000
			switch me := p.ID(); me {
			case 0, 1:
				p.recv(1-me, 7, nil)
			case 2:
				m, err := p.Mprobe(p.World(), 3, 7)
				p.ok(err)
				_, err = p.Mrecv(m, make([]byte, long)) // waits where the sender has to answer
				p.ok(err)
				p.chat(3)
			case 3:
				var q cluster.Request
				p.ok(p.Isend(&q, p.World(), 2, 7, data(long, 3)))
				p.Compute(cluster.Work{Flops: 1e15}, nil)
				_, err := p.Wait(&q)
				p.ok(err)
				p.chat(2)
			default:
				p.chat(9 - me)
			}
		}, []stuck{{0, "recv from 1 tag 7", []int{1}, false}, {1, "recv from 0 tag 7", []int{0}, false}}, []int{2, 3, 4, 5}},

		{"one rank of many", 40, func(p *proc) {
			if p.ID() == 33 {
				p.recv(12, 7, nil)
			}
		}, []stuck{{33, "recv from 12 tag 7", []int{12}, false}}, []int{12}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.deadlock(t, s.spec(c.ranks), c.body)
			for _, w := range c.want {
				if !slices.ContainsFunc(a.Waits, func(g cluster.Wait) bool {
					slices.Sort(g.For)
					return g.Rank == w.rank && strings.HasPrefix(g.Call, w.call) && (w.waits == nil || slices.Equal(g.For, w.waits)) &&
						(g.Any == w.any || len(g.For) == 1)
				}) {
					t.Errorf("the report does not say that rank %d waits in %s for %v:\n%v", w.rank, w.call, w.waits, a)
				}
				if line := fmt.Sprintf("rank %d waits in %s", w.rank, w.call); !strings.Contains(a.Error(), line) {
					t.Errorf("the error does not say %q:\n%v", line, a)
				}
			}
			for _, g := range a.Waits {
				if slices.Contains(c.rest, g.Rank) {
					t.Errorf("rank %d is reported, and is not stuck:\n%v", g.Rank, a)
				}
			}
		})
	}

	t.Run("a thread of a rank", func(t *testing.T) {
		a := s.deadlock(t, s.spec(2), func(p *proc) {
			if p.ID() == 0 {
				p.fork(3, func(th *proc, thread int) {
					if thread == 2 {
						th.recv(1, 7, nil)
					}
				})
			}
		})
		for _, g := range a.Waits {
			if g.Rank == 0 && g.Thread == 2 && strings.HasPrefix(g.Call, "recv from 1") {
				return
			}
		}
		t.Errorf("the report does not name rank 0 thread 2:\n%v", a)
	})

	s.test(t, "a wait for any is no deadlock while one may come", 4, func(p *proc) {
		switch p.ID() {
		case 0:
			qs := make([]cluster.Request, 2)
			p.ok(p.Irecv(&qs[0], p.World(), 1, 7, nil)) // has finished
			p.ok(p.Irecv(&qs[1], p.World(), 2, 7, nil))
			i, _, err := p.Waitany(qs)
			p.ok(err)
			same(p, "index", i, 1)
			taken, err := p.Cancel(&qs[0])
			p.ok(err)
			p.check(taken, "the other receive could not be cancelled")
			_, err = p.Wait(&qs[0])
			p.ok(err)
		case 2, 3:
			b := make([]byte, 8)
			for range s.times(2000) {
				_, err := p.Sendrecv(p.World(), 5-p.ID(), 1, b, 5-p.ID(), 1, b)
				p.ok(err)
			}
			if p.ID() == 2 {
				p.send(0, 7, nil)
			}
		}
	})

	s.test(t, "a long chain of waits is no deadlock while its end works", 16, func(p *proc) {
		me := p.ID()
		if last := p.Ranks() - 1; me == last {
			for range s.times(100) {
				p.Compute(cluster.Work{Flops: 1000}, func() {
					x := 1.0
					for range 10_000 {
						x = x*0.5 + 1
					}
					p.check(x > 1, "%v", x)
				})
			}
			p.send(me-1, 1, nil)
			return
		}
		p.recv(me+1, 1, nil)
		if me > 0 {
			p.send(me-1, 1, nil)
		}
	})
}

// deadlock runs a program that has to be found stuck, and gives the report.
func (s *suite) deadlock(t *testing.T, spec cluster.Spec, body func(p *proc)) *cluster.Abort {
	t.Helper()
	return s.aborts(t, spec, cluster.ReasonDeadlock, body)
}

// aborts runs a program that has to be aborted for a reason.
func (s *suite) aborts(t *testing.T, spec cluster.Spec, reason cluster.Reason, body func(p *proc)) *cluster.Abort {
	t.Helper()
	err := s.launch(t, spec, body)
	var a *cluster.Abort
	if !errors.As(err, &a) || a.Reason != reason {
		t.Fatalf("error %v, want an abort: %s", err, reason)
	}
	return a
}
