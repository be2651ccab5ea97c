package clustertest

import (
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// levelCases test the permissions of MPI's thread levels and of paper 2, section 3.
var levelCases = []testCase{
	{"masteronly permits no thread of a region to send",
		regionSends(cluster.ThreadMasteronly, "MASTERONLY", "MASTERONLY")},
	{"funneled permits only the master to send", regionSends(cluster.ThreadFunneled, "", "FUNNELED")},
	{"serialized permits the threads to send in turn", regionSends(cluster.ThreadSerialized, "", "")},
	{"multiple permits each thread to send", regionSends(cluster.ThreadMultiple, "", "")},
	{"an unset level permits each thread to send", regionSends(cluster.ThreadUnset, "", "")},
	{"funneled refuses SINGLE if a worker arrives first, serialized permits it", singleInRegion},
	{"funneled refuses each kind of MPI call by a second thread, and no UPC call",
		atLevel(cluster.ThreadFunneled, 2, funneledRefuses)},
	{"serialized refuses a call while another thread waits in one",
		atLevel(cluster.ThreadSerialized, 2, serializedRefuses)},
	{"a collective is refused while another thread of the rank is inside one on the team", onRanks(2, oneCollectiveAtATime)},
	{"notify and barrier of two threads of a rank on one team are refused", onRanks(2, notifyAlone)},
	{"teams are made only outside of regions", onRanks(2, teamsOutsideRegions)},
	{"a second wait for one request is refused", onRanks(2, refuseSecondWait)},
	{"single forbids threads", atLevel(cluster.ThreadSingle, 1, func(p *proc) {
		p.fails(p.Fork(2, func(*cluster.Thread) error { return nil }), "fork of 2 threads", "SINGLE")
		p.fork(1, func(*proc, int) {})
	})},
	{"the provided level is the minimum of the required level and the machine's limit", (*suite).levelProvided},
	{"regions do not nest, and the rank's own handle is unusable during a region", onRanks(1, func(p *proc) {
		p.fork(2, func(th *proc, thread int) {
			th.fails(th.Fork(2, func(*cluster.Thread) error { return nil }), "fork", "do not nest")
			th.fails(only(th.InitThread(cluster.ThreadMultiple)), "inside a parallel region")
			if thread == 0 {
				th.fails(p.Send(p.World(), p.World().Rank(), levelTag, cluster.Data{}), "the Rank was used inside")
			}
		})
	})},
}

const levelTag = 5

// oneCollectiveAtATime lets two threads call collectives on one team. Rank 1 joins when one of them has
// been refused.
func oneCollectiveAtATime(p *proc) {
	w := p.World()
	b := make([]int64, 1)
	for _, call := range []func(r *cluster.Rank, b []int64) error{
		func(r *cluster.Rank, b []int64) error { return coll.Bcast(r, w, 1, cluster.Of(b)) },
		func(r *cluster.Rank, b []int64) error { return coll.Allreduce(r, w, cluster.Sum, b, b) },
		func(r *cluster.Rank, _ []int64) error { return r.Barrier(w) },
		func(r *cluster.Rank, _ []int64) error { return r.SyncNeighbours(w, []int{1 - r.ID()}) },
	} {
		if p.ID() == 1 {
			p.take(0, levelTag, 8, 0)
			p.ok(call(p.Rank, b))
			p.ok(call(p.Rank, b))
			continue
		}
		refused := [2]bool{}
		p.fork(2, func(th *proc, thread int) {
			err := call(th.Rank, make([]int64, 1))
			if refused[thread] = err != nil; err != nil {
				th.fails(err, "another thread of the rank is inside a collective on this team", "make a team for each thread")
				th.ok(th.Send(w, 1, levelTag, cluster.Of(data(8, 0))))
			}
		})
		same(p, "one of the threads is refused", refused[0], !refused[1])
		p.fork(2, func(th *proc, thread int) { // in turn
			if thread == 1 {
				th.ok(call(th.Rank, b))
			}
		})
	}
}

// notifyAlone lets one thread notify and the other enter a barrier of the same team. The thread that
// comes second is refused, and lets rank 1 join.
func notifyAlone(p *proc) {
	w := p.World()
	for notifier := range 2 {
		if p.ID() == 1 {
			p.take(0, levelTag, 8, 0)
			p.ok(p.Barrier(w))
			continue
		}
		var refused [2]bool
		p.fork(2, func(th *proc, thread int) {
			var q cluster.Request
			var err error
			if thread == notifier {
				err = th.Notify(&q, w)
			} else {
				err = th.Barrier(w)
			}
			if refused[thread] = err != nil; refused[thread] {
				why := "another thread of the rank is inside a collective on this team"
				if strings.Contains(err.Error(), "notify started") {
					why = "wait for its request"
				}
				th.fails(err, []string{"barrier on", "notify on"}[(thread+notifier+1)%2], why)
				th.ok(th.Send(w, 1, levelTag, cluster.Of(data(8, 0))))
			}
			th.status(th.Wait(&q))
		})
		same(p, "one of the threads is refused", refused[0], !refused[1])
	}
}

// teamsOutsideRegions makes teams in a parallel region, on both threads at once.
func teamsOutsideRegions(p *proc) {
	w := p.World()
	p.fork(2, func(th *proc, _ int) {
		for _, err := range []error{only(th.Dup(w)), only(th.Split(w, 0, 0)), only(th.Subteam(w, []int{0, 1})),
			only(th.Endpoints(w, 2))} {
			th.fails(err, "of "+w.Name(), "inside a parallel region")
		}
	})
}

// atLevel is onRanks at a thread level.
func atLevel(level cluster.ThreadLevel, ranks int, body func(p *proc)) func(*suite, *testing.T) {
	return on(func(s *suite) cluster.Spec {
		spec := s.spec(ranks)
		spec.Threading = level
		return spec
	}, body)
}

// regionSends is a test of two threads that send in turn. A refusal contains the word
// of its thread; a thread without a word may send.
func regionSends(level cluster.ThreadLevel, master, other string) func(*suite, *testing.T) {
	return atLevel(level, 2, func(p *proc) {
		self := p.World().Rank()
		var errs [2]error
		p.region(2, func(_ *proc, th *cluster.Thread) {
			for sender := range 2 {
				if sender == th.Number() {
					errs[sender] = th.Send(th.World(), self, levelTag, cluster.Data{})
				}
				th.Meet()
			}
		})
		for thread, word := range []string{master, other} {
			if word != "" {
				p.fails(errs[thread], "send", word, []string{"", "thread 1"}[thread])
				continue
			}
			p.ok(errs[thread])
			p.recv(self, levelTag, nil)
		}
		p.send(self, levelTag, nil) // outside of regions the rank may send
		p.recv(self, levelTag, nil)
	})
}

// singleInRegion is a test of a SINGLE section that sends. The worker arrives first; the master
// waits for a flag in memory that the worker sets after its section.
func singleInRegion(s *suite, t *testing.T) {
	for level, word := range map[cluster.ThreadLevel]string{cluster.ThreadFunneled: "FUNNELED", cluster.ThreadSerialized: ""} {
		atLevel(level, 1, func(p *proc) {
			self := p.World().Rank()
			flag := cluster.At(p.ID(), 0)
			var sent [2]bool
			var errs [2]error
			p.region(2, func(at *proc, th *cluster.Thread) {
				n := th.Number()
				for n == 0 && at.word(th.Atomic(flag, cluster.AtomicLoad, 0)) == 0 {
				}
				errs[n] = th.SingleNowait(func() error {
					sent[n] = true
					return th.Send(th.World(), self, levelTag, cluster.Data{})
				})
				if n == 1 {
					at.word(th.Atomic(flag, cluster.AtomicStore, 1))
				}
				th.Meet()
			})
			same(p, "threads that ran the section", sent, [2]bool{false, true})
			if word != "" {
				p.fails(errs[1], "send", word, "use Master")
				return
			}
			p.ok(errs[1])
			p.recv(self, levelTag, nil)
		})(s, t)
	}
}

func funneledRefuses(p *proc) {
	w := p.World()
	var before cluster.Request
	p.ok(p.Irecv(&before, w, 1-w.Rank(), levelTag, cluster.Data{}))
	p.region(2, func(q *proc, th *cluster.Thread) {
		if th.Number() == 0 {
			return
		}
		var r cluster.Request
		word := []uint64{1}
		for _, c := range []struct {
			call string
			err  error
		}{
			{"send", th.Send(w, 0, 1, cluster.Data{})},
			{"send", th.Isend(&r, w, 0, 1, cluster.Data{})},
			{"send", th.Isend(&r, w, 0, 1, cluster.Sized(8))},
			{"ssend", th.Ssend(w, 0, 1, cluster.Data{})},
			{"ssend", th.Issend(&r, w, 0, 1, cluster.Data{})},
			{"recv", only(th.Recv(w, 0, 1, cluster.Data{}))},
			{"recv", th.Irecv(&r, w, 0, 1, cluster.Data{})},
			{"recv", th.Irecv(&r, w, 0, 1, cluster.Sized(8))},
			{"probe", only(th.Probe(w, 0, 1))},
			{"mprobe", only(th.Mprobe(w, 0, 1))},
			{"sendrecv", only(th.Sendrecv(w, 0, 1, cluster.Data{}, 0, 1, cluster.Data{}))},
			{"barrier", th.Barrier(w)},
			{"notify", th.Notify(&r, w)},
			{"bcast", coll.Bcast(&th.Rank, w, 0, cluster.Data{})},
			{"reduce", coll.Reduce(&th.Rank, w, 0, cluster.Sum, word, word)},
			{"allreduce", coll.Allreduce(&th.Rank, w, cluster.Sum, word, word)},
			{"gather", coll.Gather(&th.Rank, w, 0, cluster.Data{}, cluster.Data{})},
			{"allgather", coll.Allgather(&th.Rank, w, cluster.Data{}, cluster.Data{})},
			{"neighbour sync", th.SyncNeighbours(w, nil)},
			{"split", only(th.Split(w, 0, 0))},
			{"wait", only(th.Wait(&before))},
		} {
			q.fails(c.err, c.call, "thread 1")
		}
		q.fails(only(th.Mrecv(cluster.Message{}, cluster.Data{})), "no probe of this rank matched") // a message of no team
		q.ok(th.Waitall([]cluster.Request{{}}, nil))
		q.ok(th.PutWith(&cluster.Put{To: cluster.At(th.ID(), 8), Data: cluster.Of([]byte{1}), Until: cluster.Later}, nil,
			nil))
	})
	p.send(1-w.Rank(), levelTag, nil)
	p.status(p.Wait(&before))
}

// sendAfterFlag lets rank 1 send to rank 0 after a thread of rank 0 was refused.
func sendAfterFlag(p *proc) {
	p.word(p.Await(0, cluster.CmpEqual, 1))
	p.send(p.World().Local(0), levelTag, nil)
}

func serializedRefuses(p *proc) {
	if p.ID() == 1 {
		sendAfterFlag(p)
		return
	}
	var refusal error
	p.ok(p.Fork(2, func(th *cluster.Thread) error {
		if th.Number() == 0 {
			for {
				_, err := th.Recv(th.World(), th.World().Local(1), levelTag, cluster.Data{})
				if err == nil || !strings.Contains(err.Error(), "SERIALIZED") {
					return err
				}
				th.Now() // thread 1 was probing: try again a little later
			}
		}
		for refusal == nil { // until thread 0 is inside its call
			_, _, refusal = th.Iprobe(th.World(), cluster.AnySource, levelTag+1)
		}
		return only(th.Atomic(cluster.At(1, 0), cluster.AtomicStore, 1))
	}))
	p.fails(refusal, "rank 0", "thread 1", "iprobe", "thread 0 is inside", "SERIALIZED")
}

func refuseSecondWait(p *proc) {
	if p.ID() == 1 {
		sendAfterFlag(p)
		return
	}
	var q cluster.Request
	p.ok(p.Irecv(&q, p.World(), p.World().Local(1), levelTag, cluster.Data{}))
	var errs [2]error
	p.ok(p.Fork(2, func(th *cluster.Thread) error {
		_, err := th.Wait(&q)
		errs[th.Number()] = err
		if err != nil {
			return only(th.Atomic(cluster.At(1, 0), cluster.AtomicStore, 1))
		}
		return nil
	}))
	p.check((errs[0] == nil) != (errs[1] == nil), "refusals %v", errs)
	for _, err := range errs {
		if err != nil {
			p.fails(err, "wait", "already completes that request")
		}
	}
}

func (s *suite) levelProvided(t *testing.T) {
	for _, limit := range append([]cluster.ThreadLevel{cluster.ThreadUnset}, cluster.ThreadLevels...) {
		spec := s.spec(1)
		spec.Machine.Threading = limit
		s.run(t, spec, func(p *proc) {
			for _, required := range cluster.ThreadLevels {
				want := required
				if limit != cluster.ThreadUnset {
					want = min(required, limit)
				}
				current := want
				if limit == cluster.ThreadMasteronly {
					want = cluster.ThreadSingle // MPI does not know MASTERONLY (paper 2, section 3)
				}
				got, err := p.InitThread(required)
				p.ok(err)
				same(p, "provided", got, want)
				same(p, "current", p.ThreadLevel(), current)
			}
			p.fails(only(p.InitThread(cluster.ThreadUnset)), "init thread")
		})
	}
}
