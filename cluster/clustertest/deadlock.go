package clustertest

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var deadlockCases = []testCase{
	{"two synchronous sends head to head are a deadlock", deadlocks(2,
		func(p *proc) { p.ok(p.Ssend(p.World(), 1-p.ID(), 7, cluster.Data{})) },
		"rank 0 waits in ssend to 1 tag 7 (0 B) for rank 1", "rank 1 waits in ssend to 0 tag 7 (0 B) for rank 0")},
	{"two sends above the eager limit head to head are a deadlock", deadlocks(2,
		func(p *proc) { p.send(1-p.ID(), 7, make([]byte, eager+1)) },
		"rank 0 waits in send to 1 tag 7 (257 B) for rank 1", "rank 1 waits in send to 0 tag 7 (257 B) for rank 0")},
	{"a ring of receives is a deadlock", deadlocks(3,
		func(p *proc) { p.recv((p.ID()+1)%3, 3, nil) },
		"rank 0 waits in recv from 1 tag 3 for rank 1", "rank 1 waits in recv from 2 tag 3 for rank 2",
		"rank 2 waits in recv from 0 tag 3 for rank 0")},
	{"a receive with the wrong tag is a deadlock", deadlocks(2,
		roles(func(p *proc) { p.send(1, 1, nil) }, func(p *proc) { p.recv(0, 2, nil) }),
		"rank 1 waits in recv from 0 tag 2 for rank 0")},
	{"a receive from a rank that has finished is a deadlock", deadlocks(3,
		roles(func(p *proc) { p.recv(1, 7, nil) }),
		"rank 0 waits in recv from 1 tag 7 for rank 1")},
	{"a send above the eager limit to a rank that has finished is a deadlock", deadlocks(2,
		roles(func(p *proc) { p.send(1, 7, make([]byte, eager+1)) }),
		"rank 0 waits in send to 1 tag 7 (257 B) for rank 1")},
	{"a receive from any source is a deadlock after all other ranks have finished", deadlocks(3,
		roles(func(p *proc) { p.recv(cluster.AnySource, cluster.AnyTag, nil) }),
		"rank 0 waits in recv from any tag any for any of rank 1, rank 2")},
	{"a receive from any source in a cycle is a deadlock", deadlocks(3,
		roles(func(p *proc) { p.recv(cluster.AnySource, 1, nil) }, recvFrom0, recvFrom0),
		"rank 0 waits in recv from any tag 1 for any of rank 1, rank 2", "rank 1 waits in recv from 0* for rank 0",
		"rank 2 waits in recv from 0* for rank 0")},
	{"a probe of a message that no rank sends is a deadlock", deadlocks(2,
		func(p *proc) { p.status(p.Probe(p.World(), 1-p.ID(), 4)) },
		"rank 0 waits in probe from 1 tag 4 for rank 1", "rank 1 waits in probe from 0 tag 4 for rank 0")},
	{"a barrier that one member does not enter is a deadlock", deadlocks(4,
		roles(enterBarrier, enterBarrier, nil, enterBarrier),
		"rank 0 waits in barrier* for rank 2", "rank 1 waits in barrier* for rank 2", "rank 3 waits in barrier* for rank 2")},
	{"a barrier against a receive is a deadlock", deadlocks(2,
		roles(enterBarrier, recvFrom0),
		"rank 0 waits in barrier* for rank 1", "rank 1 waits in recv from 0 tag 7 for rank 0")},
	{"a flag that no rank sets is a deadlock", deadlocks(2,
		roles(func(p *proc) { p.word(p.Await(16, cluster.CmpNotEqual, 0)) }),
		"rank 0 waits in await* for rank 1")},
	{"an event that no rank fires is a deadlock", deadlocks(2,
		roles(func(p *proc) {
			e := p.event(2)
			cluster.FireOn(p.Lib().Port(), e.Handle())
			p.ok(only(p.Wait(&e.Request)))
		}),
		"rank 0 waits in event*")},
	{"a wait for any of two ranks that have finished is a deadlock", deadlocks(3,
		roles(func(p *proc) { p.ok(third(p.Waitany(recvTwo(p)))) }),
		"rank 0 waits in recv from 1* for rank 1", "rank 0 waits in recv from 2* for rank 2")},
	{"a deadlock of some ranks is found while the others communicate", deadlocks(4,
		func(p *proc) {
			if p.ID() < 2 {
				p.ok(p.Ssend(p.World(), 1-p.ID(), 7, cluster.Data{}))
				return
			}
			p.chat(5 - p.ID())
		},
		"rank 0 waits in ssend to 1 tag 7 (0 B) for rank 1", "rank 1 waits in ssend to 0 tag 7 (0 B) for rank 0")},
	{"a wait for all is a deadlock if one of its messages can never arrive", deadlocks(4,
		roles(func(p *proc) { p.ok(p.Waitall(recvTwo(p), nil)) }, nil, chatWith(3), chatWith(2)),
		"rank 0 waits in recv from 1 tag 7 for rank 1")},
	{"a deadlock is found while another rank receives a message of a matched probe", deadlocks(6,
		roles(func(p *proc) { p.recv(1, 7, nil) }, recvFrom0, mrecvFrom(3), sendLateTo(2), chatWith(5), chatWith(4)),
		"rank 0 waits in recv from 1 tag 7 for rank 1", "rank 1 waits in recv from 0 tag 7 for rank 0")},
	{"one stuck rank of many is found", deadlocks(40,
		func(p *proc) {
			if p.ID() == 33 {
				p.recv(12, 7, nil)
			}
		},
		"rank 33 waits in recv from 12 tag 7 for rank 12")},
	{"a stuck thread is named", deadlocks(2,
		roles(func(p *proc) {
			p.fork(3, func(th *proc, thread int) {
				if thread == 2 {
					th.recv(1, 7, nil)
				}
			})
		}),
		"rank 0 thread 2 waits in recv from 1 tag 7 for rank 1")},
	{"a wait for any is no deadlock while one of its messages may arrive", onRanks(4, waitanyGoesOn)},
	{"a long chain of waits is no deadlock while its last rank computes", onRanks(16, chainGoesOn)},
}

// roles runs the i-th body on rank i. A rank without a body, or with nil, ends at once.
func roles(bodies ...func(p *proc)) func(p *proc) {
	return func(p *proc) {
		if i := p.ID(); i < len(bodies) && bodies[i] != nil {
			bodies[i](p)
		}
	}
}

func enterBarrier(p *proc)            { p.ok(p.Barrier(p.All())) }
func recvFrom0(p *proc)               { p.recv(0, 7, nil) }
func chatWith(peer int) func(p *proc) { return func(p *proc) { p.chat(peer) } }

// recvTwo posts receives from rank 1 and 2.
func recvTwo(p *proc) []cluster.Request {
	qs := make([]cluster.Request, 2)
	p.ok(p.Irecv(&qs[0], p.World(), 1, 7, cluster.Data{}))
	p.ok(p.Irecv(&qs[1], p.World(), 2, 7, cluster.Data{}))
	return qs
}

// mrecvFrom receives, by a matched probe, what sendLateTo sends, and then chats. The
// receive waits if the sender has to answer.
func mrecvFrom(peer int) func(p *proc) {
	return func(p *proc) {
		m, err := p.Mprobe(p.World(), peer, 7)
		p.ok(err)
		p.status(p.Mrecv(m, cluster.Of(make([]byte, 4*eager))))
		p.chat(peer)
	}
}

// sendLateTo sends a message above the eager limit, computes for long, and then chats.
func sendLateTo(peer int) func(p *proc) {
	return func(p *proc) {
		var q cluster.Request
		p.ok(p.Isend(&q, p.World(), peer, 7, cluster.Of(data(4*eager, 3))))
		p.Compute(cluster.Work{Flops: 1e15}, nil)
		p.status(p.Wait(&q))
		p.chat(peer)
	}
}

// deadlocks is a test of a program that has to be found stuck.
func deadlocks(ranks int, body func(p *proc), want ...string) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) { s.stuck(t, s.spec(ranks), body, want...) }
}

// stuck runs a program that has to be found stuck. The report must contain lines of
// the wanted patterns, and no rank that none of them names.
func (s *suite) stuck(t *testing.T, spec cluster.Spec, body func(p *proc), want ...string) {
	t.Helper()
	a := s.deadlock(t, spec, body)
	for _, w := range a.Waits {
		slices.Sort(w.For)
		if !slices.ContainsFunc(want, func(line string) bool {
			return strings.HasPrefix(line, fmt.Sprintf("rank %d ", w.Rank))
		}) {
			t.Errorf("rank %d is reported, and is not stuck:\n%v", w.Rank, a)
		}
	}
	lines := strings.Split(a.Error(), "\n")
	for _, pattern := range want {
		if !slices.ContainsFunc(lines, func(line string) bool { ok, _ := path.Match("  "+pattern, line); return ok }) {
			t.Errorf("the report has no line %q:\n%v", pattern, a)
		}
	}
}

func waitanyGoesOn(p *proc) {
	switch p.ID() {
	case 0:
		qs := recvTwo(p) // rank 1 has finished
		i, _, err := p.Waitany(qs)
		p.ok(err)
		same(p, "index", i, 1)
		taken, err := p.Cancel(&qs[0])
		p.ok(err)
		p.check(taken, "the other receive could not be cancelled")
		p.status(p.Wait(&qs[0]))
	case 2, 3:
		p.exchange(5-p.ID(), p.times(2000))
		if p.ID() == 2 {
			p.send(0, 7, nil)
		}
	}
}

func chainGoesOn(p *proc) {
	me := p.ID()
	if me < p.Ranks()-1 {
		p.recv(me+1, 1, nil)
	} else {
		for range p.times(100) {
			p.Compute(cluster.Work{Flops: 1000}, func() {
				x := 1.0
				for range 10_000 {
					x = x*0.5 + 1
				}
				p.check(x > 1, "%v", x)
			})
		}
	}
	if me > 0 {
		p.send(me-1, 1, nil)
	}
}

// deadlock runs a program that has to be found stuck, and returns the report.
func (s *suite) deadlock(t *testing.T, spec cluster.Spec, body func(p *proc)) *cluster.Abort {
	t.Helper()
	return s.aborts(t, spec, cluster.ReasonDeadlock, body)
}

// aborts runs a program that has to be aborted for a reason.
func (s *suite) aborts(t *testing.T, spec cluster.Spec, reason cluster.Reason, body func(p *proc)) *cluster.Abort {
	t.Helper()
	return aborted(t, reason, nil, s.launch(t, spec, body))
}

// errBoom is the error with which tests end a run.
var errBoom = errors.New("boom")

// aborted checks the reason and, unless it is nil, the cause of a run's error.
func aborted(t *testing.T, reason cluster.Reason, cause, err error) *cluster.Abort {
	t.Helper()
	var a *cluster.Abort
	if !errors.As(err, &a) || a.Reason != reason || cause != nil && !errors.Is(err, cause) {
		t.Fatalf("error %v, want an abort: %s", err, reason)
	}
	return a
}
