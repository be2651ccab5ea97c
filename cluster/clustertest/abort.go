package clustertest

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

var abortCases = []testCase{
	{"an error of one rank ends the run", whileBusy(failOnRank0, func(t *testing.T, err error) {
		if !errors.Is(err, errBoom) {
			t.Errorf("error %v, want rank 0's", err)
		}
	})},
	{"a panic of one rank ends the run, and the error names the rank",
		whileBusy(panicOnRank0, func(t *testing.T, err error) {
			abortedBy(t, 0, cluster.ReasonPanic, errBoom, err, "rank 0 panicked: boom")
		})},
	{"a rank that ends its goroutine ends the run, and the error names the rank",
		whileBusy(exitOnRank0, func(t *testing.T, err error) {
			a := abortedBy(t, 0, cluster.ReasonExit, nil, err, "rank 0 ended its goroutine (runtime.Goexit")
			if !strings.Contains(a.Stack, "exitOnRank0") {
				t.Errorf("stack %s", a.Stack)
			}
		})},
	{"a cancelled context ends the run", whileBusy(cancelAndChat, func(t *testing.T, err error) {
		aborted(t, cluster.ReasonCancelled, errBoom, err)
	})},
	{"Run.Cancel ends the run", (*suite).runCancels},
	{"the report of a cancel names the peer of a matched receive", (*suite).cancelNamesPeer},
	{"a context that is cancelled before the start ends the run", (*suite).cancelledBefore},
	{"the error of a panic in a callback names the rank",
		callbackEnds(func() { panic(errBoom) }, cluster.ReasonPanic, errBoom)},
	{"the error of a goroutine's end in a callback names the rank", callbackEnds(runtime.Goexit, cluster.ReasonExit, nil)},
	{"a panic inside a call frees the threads of the rank", onBodies(badCalls, panicFreesThreads)},
	{"a panic in an RPC body ends the run", func(s *suite, t *testing.T) {
		s.rpcAborts(t, func(*proc) { panic("no error value") }, "rank 1 panicked: no error value")
	}},
	{"an RPC body that waits ends the run", func(s *suite, t *testing.T) {
		s.rpcAborts(t, func(p *proc) { p.recv(0, 99, nil) })
	}},
	{"the fabric runs on after an abort", onRanks(4, allToAll)},
}

// endings are the ways in which ranks may be busy at an abort: in each blocking call
// on rank 0, which never answers, or polling.
var endings = []namedBody{
	{"recv", func(p *proc) { p.recv(0, 99, nil) }},
	{"any", func(p *proc) { p.recv(cluster.AnySource, 99, nil) }},
	{"ssend", func(p *proc) { p.ok(p.Ssend(p.World(), 0, 99, cluster.Data{})) }},
	{"probe", func(p *proc) { p.status(p.Probe(p.World(), 0, 99)) }},
	{"await", func(p *proc) { p.word(p.Await(0, cluster.CmpEqual, 99)) }},
	{"event", func(p *proc) { p.ok(only(p.Wait(&p.event(1).Request))) }},
	{"barrier", enterBarrier},
	{"rpc", func(p *proc) {
		fn := p.Register(func(cluster.RPC) uint64 { return 0 })
		// an error until the other rank has registered, which does no harm
		forever(func() { _, _ = p.RPC(3-p.ID(), fn, 0, cluster.Data{}) })
	}},
	{"fork", func(p *proc) { p.fork(3, func(th *proc, _ int) { th.recv(0, 99, nil) }) }},
	{"test", func(p *proc) {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 0, 99, cluster.Data{}))
		forever(func() { p.check(!p.is(p.Test(&q)), "complete") })
	}},
	{"iprobe", func(p *proc) { forever(func() { p.check(!p.is(p.Iprobe(p.World(), 0, 99)), "found") }) }},
	{"progress", func(p *proc) { forever(p.Progress) }},
}

// whileBusy is a test that ends a run in each way in which rank 1 and 2 may be busy.
func whileBusy(end func(*proc), check func(*testing.T, error)) func(*suite, *testing.T) {
	return onBodies(endings, func(s *suite, t *testing.T, busy func(*proc)) {
		check(t, s.launch(t, s.spec(4), endWhile(busy, end)))
	})
}

// endWhile is a program whose rank 0 and 3 work together and then end the run, while
// rank 1 and 2 are busy.
func endWhile(busy, end func(*proc)) func(*proc) {
	work := func(p *proc) {
		p.exchange(3-p.ID(), p.times(20))
		end(p)
	}
	return roles(work, busy, busy, work)
}

func failOnRank0(p *proc) {
	if p.ID() == 0 {
		p.failf("%w", errBoom)
	}
	p.recv(0, 99, nil)
}

func panicOnRank0(p *proc) {
	if p.ID() == 0 {
		panic(errBoom)
	}
	p.recv(0, 99, nil)
}

func exitOnRank0(p *proc) {
	if p.ID() == 0 {
		runtime.Goexit()
	}
	defer runtime.Goexit() // while the other ranks unwind
	p.recv(0, 99, nil)
}

func cancelAndChat(p *proc) {
	p.cancel(errBoom)
	p.chat(3 - p.ID())
}

// abortedBy checks that a rank ended the run, with an error that contains all words.
func abortedBy(t *testing.T, rank int, reason cluster.Reason, cause, err error, words ...string) *cluster.Abort {
	t.Helper()
	a := aborted(t, reason, cause, err)
	if a.Rank != rank || !contains(a, words...) {
		t.Errorf("rank %d, error %v, want rank %d and %q", a.Rank, a, rank, words)
	}
	return a
}

func (s *suite) runCancels(t *testing.T) {
	started := make(chan struct{}, 2)
	run, err := s.start(t.Context(), s.spec(4), endWhile(recvFrom0, func(p *proc) {
		started <- struct{}{}
		p.chat(3 - p.ID())
	}))
	if err != nil {
		t.Fatal(err)
	}
	<-started
	run.Cancel(errBoom)
	run.Cancel(errors.New("again"))
	err = run.Wait()
	aborted(t, cluster.ReasonCancelled, errBoom, err)
	if again := run.Wait(); again == nil || again.Error() != err.Error() {
		t.Errorf("Wait returns %v and then %v", err, again)
	}
}

func (s *suite) cancelNamesPeer(t *testing.T) {
	work := func(p *proc) {
		p.exchange(3-p.ID(), s.times(2000))
		cancelAndChat(p)
	}
	err := s.launch(t, s.spec(4), roles(work, mrecvFrom(2), sendLateTo(1), work))
	for _, w := range aborted(t, cluster.ReasonCancelled, errBoom, err).Waits {
		if w.Rank == 1 && strings.HasPrefix(w.Call, "mrecv") && w.Call != "mrecv from 2 tag 7" {
			t.Errorf("%v, want mrecv from 2 tag 7", w)
		}
	}
}

func (s *suite) cancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errBoom)
	err := s.launchIn(ctx, t, s.spec(2), func(p *proc) { p.chat(1 - p.ID()) })
	if !errors.Is(err, errBoom) {
		t.Errorf("error %v, want boom", err)
	}
}

// A callback calls end in a function that a rank passes to a call.
type callback struct {
	name string
	body func(p *proc, end func())
}

var callbacks = []callback{
	{"compute", func(p *proc, end func()) { p.Compute(cluster.Work{}, end) }},
	{"a thread", func(p *proc, end func()) { p.fork(3, func(th *proc, thread int) { endThread(th, thread == 1, end) }) }},
	{"the first thread", func(p *proc, end func()) {
		p.fork(3, func(th *proc, thread int) { endThread(th, thread == 0, end) })
	}},
	{"a step", func(p *proc, end func()) {
		p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindPut, Peer: 2, Buf: []byte{1},
			Then: stepFunc(func(cluster.Poster, int32, cluster.Done) { end() })})
		p.recv(0, 99, nil)
	}},
	{"an RPC to itself", func(p *proc, end func()) {
		fn := p.Register(func(cluster.RPC) uint64 { end(); return 0 })
		p.word(p.RPC(2, fn, 0, cluster.Data{}))
	}},
}

func endThread(th *proc, ends bool, end func()) {
	if ends {
		end()
	}
	th.recv(0, 99, nil)
}

// callbackEnds is a test that ends a run in each callback of rank 2.
func callbackEnds(end func(), reason cluster.Reason, cause error) func(*suite, *testing.T) {
	return func(s *suite, t *testing.T) {
		for _, c := range callbacks {
			t.Run(c.name, func(t *testing.T) {
				abortedBy(t, 2, reason, cause, s.launch(t, s.spec(4), roles(
					func(p *proc) { p.recv(cluster.AnySource, 99, nil) }, chatWith(3), func(p *proc) { c.body(p, end) }, chatWith(1))))
			})
		}
	}
}

// badCalls pass a rank or a handle that does not exist to the port. The panic is
// inside the library, whose locks other threads of the rank wait for.
var badCalls = []namedBody{
	{"a send", func(p *proc) {
		p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindSend, Peer: 1 << 20, Tag: 99, Buf: make([]byte, 8)})
	}},
	{"a rendezvous", func(p *proc) {
		p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindSsend, Peer: 1 << 20, Tag: 99, Buf: make([]byte, 8)})
	}},
	{"a wait", func(p *proc) {
		var q cluster.Request
		p.ok(p.Irecv(&q, p.World(), 0, 98, cluster.Data{}))
		p.Lib().Port().Wait([]cluster.Handle{1<<62 | 1<<28 | 1<<20}, 1)
	}},
	{"a test", func(p *proc) { p.Lib().Test(1<<62 | 1<<28 | 1<<20) }},
	{"a wait for two", func(p *proc) {
		h := p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindRecv, Peer: 1, Tag: 98})
		p.Lib().Port().Wait([]cluster.Handle{1<<62 | 2<<28 | 1<<20, h}, 2)
	}},
	{"a send from a step", func(p *proc) {
		p.Lib().Port().Post(&cluster.Op{Kind: cluster.KindPut, Peer: 2, Buf: []byte{1},
			Then: stepFunc(func(p cluster.Poster, _ int32, _ cluster.Done) {
				p.Post(&cluster.Op{Kind: cluster.KindSend, Peer: 1 << 20, Tag: 99, Buf: make([]byte, 8)})
			})})
		p.recv(0, 99, nil)
	}},
}

func panicFreesThreads(s *suite, t *testing.T, call func(p *proc)) {
	abortedBy(t, 2, cluster.ReasonPanic, nil, s.launch(t, s.spec(4), func(p *proc) {
		if p.ID() == 2 {
			p.fork(3, func(p *proc, thread int) {
				if thread == 1 {
					call(p)
					p.failf("the call came back")
				}
				p.recv(0, 99, nil)
			})
		}
		p.recv(0, 99, nil)
	}))
}

// rpcAborts checks that rank 1 ends the run in the body of an RPC.
func (s *suite) rpcAborts(t *testing.T, body func(p *proc), words ...string) {
	t.Helper()
	abortedBy(t, 1, cluster.ReasonPanic, nil, s.launch(t, s.spec(2), func(p *proc) {
		fn := p.register(func(cluster.RPC) uint64 { body(p); return 0 })
		if p.ID() == 0 {
			p.word(p.RPC(1, fn, 0, cluster.Data{}))
		}
		p.ok(p.Barrier(p.All()))
	}), words...)
}
