package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A Play is one execution of a program.
type Play struct {
	*Program
	Seen  func(r *cluster.Rank) // called after each call of a rank, outside regions; may be nil
	Store cluster.Store         // of the data of messages, puts, gets and collectives

	fault       fault
	ranks       []playedRank
	stamps      []uint64 // by message: its place among the sends that a lock orders
	maxOpenSize int      // bytes of the longest message in an open stream
}

// playedRank is the state that the threads of a rank share.
type playedRank struct {
	teams  []*cluster.Team
	comms  []*coll.Comm
	runs   map[int]startedCall // collectives in progress, by joint call
	events []*cluster.Event
	calls  int // RPCs served
	fn     int

	got     [][]*received // by thread, in the order of posting
	mu      sync.Mutex
	handed  []handed
	sending sync.Mutex
	sent    uint64
	posting sync.Mutex
	posted  uint64
}

// startedCall is a collective in progress.
type startedCall struct {
	run   *coll.Run
	check func()
}

// received is a message that a receive took.
type received struct {
	index int // of the message that the receive was made for
	st    cluster.Status
	buf   cluster.Buf[byte]
	post  uint64 // its place among the receives that a lock orders
}

// handed is a receive that another thread completes.
type handed struct {
	q *cluster.Request
	g *received
}

// endingKind is a way to end a run.
type endingKind int

const (
	endReturns endingKind = iota // all ranks return
	endError
	endPanic
	endExit // of the goroutine
	endCancel
	endingKinds
)

// fault is the end of a run by a rank, before one of its calls.
type fault struct {
	how               endingKind
	rank, phase, call int
	cancel            context.CancelCauseFunc
}

// errDrawn is the cause of a drawn end.
var errDrawn = errors.New("the end was drawn")

// NewPlay prepares an execution.
func NewPlay(g *Program) *Play {
	x := &Play{Program: g, ranks: make([]playedRank, g.Ranks), stamps: make([]uint64, len(g.msgs))}
	for r := range x.ranks {
		x.ranks[r].got = make([][]*received, g.Threads)
	}
	for i := range g.msgs {
		if m := &g.msgs[i]; m.stream.open() {
			x.maxOpenSize = max(x.maxOpenSize, m.size)
		}
	}
	return x
}

// Body is a rank's part.
func (x *Play) Body(r *cluster.Rank) error {
	if r.ID() >= x.Ranks {
		return nil
	}
	return dress(x.play)(r)
}

// player is a thread of a rank that makes its calls.
type player struct {
	*proc
	*playedRank
	x      *Play
	thread int
	reqs   []cluster.Request
	done   []completion // by request
	quiet  []func()     // checks after the next Quiet
}

// completion is an action for a complete request.
type completion struct {
	with   func(cluster.Status)
	status bool // it needs the status
}

func (x *Play) play(p *proc) {
	w := &player{proc: p, playedRank: &x.ranks[p.ID()], x: x}
	w.teams, w.comms = make([]*cluster.Team, len(x.teams)), make([]*coll.Comm, len(x.teams))
	copy(w.teams, []*cluster.Team{teamWorld: p.World(), teamAll: p.All(), teamGroup: p.Group()})
	w.runs = map[int]startedCall{}
	first, err := p.Alloc(int64(len(x.image[0])))
	p.ok(err)
	same(p, "offset of a first allocation", first, 0)
	copy(w.Segment()[wordBytes:], x.image[p.ID()][wordBytes:][:readOnly])
	w.fn = p.Register(w.serve)
	for _, e := range x.events {
		w.events = append(w.events, nil)
		if e.owner == p.ID() {
			w.events[len(w.events)-1] = p.event(e.fires)
		}
	}
	if !x.firstTeam {
		w.newComm(teamAll)
	}
	for i := range x.phases {
		w.phase(i)
	}
	same(p, "RPCs served", w.calls, x.served[p.ID()])
	words := cluster.Words(w.Segment()[:wordBytes])
	for i, want := range x.words[p.ID()] {
		p.check(words[i] == want, "word %d of the segment is %d, want %d", i, words[i], want)
	}
	for _, c := range w.comms {
		if c != nil {
			p.ok(c.Free())
		}
	}
	w.barrier()
}

// barrier is a barrier of all ranks that take part.
func (w *player) barrier() {
	if w.x.firstTeam {
		w.ok(w.Barrier(w.teams[teamsOfLaunch]))
		return
	}
	w.ok(w.Barrier(w.All()))
}

// phase plays a phase, and checks all bytes that were put so far.
func (w *player) phase(i int) {
	ph, me := &w.x.phases[i], w.ID()
	w.run(ph.before[me], -1)
	if i == 0 {
		w.barrier() // every rank has registered its functions
	}
	end := -1
	if f := &w.x.fault; f.how != endReturns && f.rank == me && f.phase == i {
		end = f.call % max(1, len(ph.calls[me][0]))
	}
	switch {
	case end >= 0 && (ph.threads > 1 || len(ph.calls[me][0]) == 0):
		w.end()
	case ph.threads > 1:
		w.fork(ph.threads, func(th *proc, thread int) {
			(&player{proc: th, playedRank: w.playedRank, x: w.x, thread: thread}).run(ph.calls[me][thread], -1)
		})
	default:
		w.run(ph.calls[me][0], end)
	}
	w.barrier()
	lo, hi := wordBytes, w.x.written[i][me]
	w.matches("segment", w.Segment()[lo:hi], w.x.image[me][lo:hi])
	w.run(ph.after[me], -1)
}

// matches checks bytes, if there are any.
func (w *player) matches(what string, got, want []byte) {
	w.ok(w.x.Store.Do(func() error {
		if bytes.Equal(got, want) {
			return nil
		}
		i := 0
		for got[i] == want[i] {
			i++
		}
		return fmt.Errorf("%s: byte %d of %d is %#x, want %#x", what, i, len(got), got[i], want[i])
	}))
}

// run makes calls. Before one of them the run may end.
func (w *player) run(cs []call, end int) {
	n := 0
	for _, c := range cs {
		n = max(n, c.req+1, c.src+1)
	}
	w.reqs, w.done = make([]cluster.Request, n), make([]completion, n)
	for i := range cs {
		if i == end {
			w.end()
		}
		w.call(&cs[i])
		if w.x.Seen != nil && !w.Lib().Parallel() {
			w.x.Seen(w.Rank)
		}
	}
	w.ok(w.Quiet())
	for _, check := range w.quiet {
		check()
	}
	w.quiet = nil
}

// end ends the run in the way that was drawn.
func (w *player) end() {
	switch w.x.fault.how {
	case endError:
		w.failf("%w", errDrawn)
	case endPanic:
		panic(errDrawn)
	case endExit:
		runtime.Goexit()
	case endCancel:
		w.x.fault.cancel(errDrawn)
		for {
			w.Compute(cluster.Work{Flops: 1e3}, runtime.Gosched)
		}
	}
}

func (w *player) call(c *call) {
	switch c.verb {
	case vSend, vIsend:
		w.send(c)
	case vRecv, vIrecv, vImprobe:
		w.receive(c)
	case vSendrecv:
		w.sendrecv(c)
	case vHand:
		w.hand(c)
	case vAdopt:
		w.adopt()
	case vWait:
		w.wait(c)
	case vMove:
		w.move(c)
	case vHolds:
		w.arrived(&w.x.moves[c.index])
	case vAwait:
		x := &w.x.moves[c.index]
		same(w.proc, "flag", w.word(w.Await(int64(8*x.flag), cluster.CmpEqual, x.value)), x.value)
		w.arrived(x)
	case vAwaitSum:
		w.word(w.Await(8*sumWord, cluster.CmpGreaterEqual, uint64(c.n)))
	case vAtomic:
		w.atomic(&w.x.atomics[c.index])
	case vRPC:
		w.rpc(c)
	case vFire:
		cluster.FireOn(w.Lib().Port(), w.events[c.index].Handle())
	case vWaitEvent:
		w.waitEvent(c)
	case vCompute:
		w.compute(c)
	case vCancel:
		w.cancel(c)
	case vBarrier:
		w.ok(w.Barrier(w.teams[c.index]))
	case vNotify:
		w.ok(w.Notify(&w.reqs[c.req], w.teams[c.index]))
	case vSync:
		team := w.teams[c.index]
		n, me := team.Size(), team.Rank()
		w.ok(w.SyncNeighbours(team, []int{(me + n*c.n - c.n) % n, me, (me + c.n) % n}))
	case vCollective, vFinish:
		w.collective(c)
	case vWindow:
		w.window(&w.x.joints[c.index])
	case vTeam:
		w.team(c)
	case vFree:
		if c := w.comms[c.index]; c != nil {
			w.ok(c.Free())
		}
		w.comms[c.index] = nil
		w.ok(w.FreeTeam(w.teams[c.index]))
	}
}

// complete notes that a request is complete.
func (w *player) complete(i int, st cluster.Status) {
	if with := w.done[i].with; with != nil {
		with(st)
	}
}

// The ways to wait for several requests; every second one polls.
const (
	waitAll = iota
	testEach
	waitBackwards
	waitAny
	waitAllAgain
	waitSome
)

// wait completes n requests from the first on.
func (w *player) wait(c *call) {
	qs, how := w.reqs[c.req:][:c.n], c.style
	for i := range qs {
		if how == waitSome && w.done[c.req+i].status { // it returns no status
			how = waitAll
		}
	}
	switch how {
	case testEach:
		for left := true; left; {
			left = false
			for i := range qs {
				if !qs[i].Active() {
					continue
				}
				if st, ok, err := w.Test(&qs[i]); ok || err != nil {
					w.complete(c.req+i, w.status(st, err))
				}
				left = true
			}
		}
	case waitBackwards:
		for i := len(qs) - 1; i >= 0; i-- {
			w.complete(c.req+i, w.status(w.Wait(&qs[i])))
		}
	case waitAny:
		for {
			i, st, err := w.Waitany(qs)
			if w.ok(err); i < 0 {
				return
			}
			w.complete(c.req+i, st)
		}
	case waitSome:
		for {
			done, err := w.Waitsome(qs, nil)
			if w.ok(err); len(done) == 0 {
				return
			}
			for _, i := range done {
				w.complete(c.req+i, cluster.Status{})
			}
		}
	default:
		sts := make([]cluster.Status, c.n)
		w.ok(w.Waitall(qs, sts))
		for i, st := range sts {
			w.complete(c.req+i, st)
		}
	}
}
