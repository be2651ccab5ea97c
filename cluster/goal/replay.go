package goal

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// A Replay runs a program on a cluster. Each operation is posted as soon as the operations
// that it requires are complete, or have started. Messages are size-only.
//
// A rank whose operations follow each other makes blocking calls (blocking.go): it posts one
// operation after the other, and waits for the requirements of the next one. The operations
// of any other rank are continuations, which the fabric's progress engine posts.
type Replay struct{ ranks []replayed }

// replayed is one rank's part of a replay.
type replayed struct {
	lib   cluster.Lib
	rank  *cluster.Rank
	team  *cluster.Team
	of    *rankOps
	flops float64
	open  int // operations that are not complete
	op    cluster.Op

	// Of continuations.
	next    func(op int32, started bool) []int32
	left    []uint16 // requirements, by operation
	posted  []bool   // receives that wait
	ready   []int32
	end     cluster.Handle
	trouble error

	// Of blocking calls.
	blocking bool
	handles  []cluster.Handle // by operation; 0: it is complete
	awaited  []cluster.Handle // scratch
}

// NewReplay prepares a run on processors of this many flop/s. 0 is valid only for programs
// without calculations.
func (p *Program) NewReplay(flops float64) (*Replay, error) {
	g := &Replay{ranks: make([]replayed, len(p.ranks))}
	for r := range p.ranks {
		of := &p.ranks[r]
		for i := range of.ops {
			if o := &of.ops[i]; o.Kind == Calc && o.Size > 0 && !(flops > 0 && flops <= 1e15) {
				return nil, fmt.Errorf("rank %d calculates, and the machine has no flop rate: take one with flop/s", r)
			}
		}
		x := &g.ranks[r]
		*x = replayed{of: of, flops: flops, open: len(of.ops), blocking: of.sequential()}
		if x.blocking {
			x.handles = make([]cluster.Handle, len(of.ops))
			continue
		}
		var err error
		x.left, err = of.deps(r)
		if err != nil {
			return nil, err
		}
		x.posted, x.next = make([]bool, len(of.ops)), of.next()
	}
	return g, nil
}

// begins is the argument of the first continuation, which is not an operation's.
const begins = -1

// Rank runs one rank's operations. Every rank of a world with the program's number of ranks
// calls it once.
func (g *Replay) Rank(r *cluster.Rank) error {
	x := &g.ranks[r.World().Rank()]
	x.rank = r
	x.lib = r.Lib()
	x.team = r.World()
	if x.open == 0 {
		return nil
	}
	if x.blocking {
		return x.callInTurn()
	}
	for i, n := range x.left {
		if n == 0 {
			x.ready = append(x.ready, int32(i))
		}
	}
	x.op = cluster.Op{Kind: cluster.KindEvent, Arg: 1}
	x.end = x.lib.Port().Post(&x.op)
	x.op = cluster.Op{Kind: cluster.KindWork, Then: x, ThenArg: begins}
	x.lib.Port().Post(&x.op)
	x.lib.Await(x.end)
	return x.trouble
}

// Step implements cluster.Step: an operation is complete.
func (x *replayed) Step(p cluster.Poster, op int32, d cluster.Done) {
	if op != begins {
		x.open--
		x.posted[op] = false
		if d.Err != cluster.OK && x.trouble == nil {
			x.trouble = x.lib.Errorf("operation %d of its part of the program failed (code %d)", op+1, d.Err)
		}
		x.release(x.next(op, false))
	}
	for i := 0; i < len(x.ready) && x.trouble == nil; i++ {
		x.post(p, x.ready[i]) // which may append more
	}
	x.ready = x.ready[:0]
	if x.open == 0 || x.trouble != nil && x.open > 0 {
		x.open = -1
		x.op = cluster.Op{Kind: cluster.KindFire, Event: x.end}
		p.Post(&x.op)
	}
}

// release counts one requirement of each operation down.
func (x *replayed) release(ops []int32) {
	for _, i := range ops {
		if x.left[i]--; x.left[i] == 0 {
			x.ready = append(x.ready, i)
		}
	}
}

// post starts an operation.
func (x *replayed) post(p cluster.Poster, op int32) {
	if o := &x.of.ops[op]; o.Kind == Calc {
		x.op = cluster.Op{Kind: cluster.KindWork, A: x.work(o)}
	} else {
		x.message(o)
		x.posted[op] = o.Kind == Recv
	}
	x.op.Then, x.op.ThenArg = x, op
	p.Post(&x.op)
	x.release(x.next(op, true))
}

// work returns the flop of a calculation.
func (x *replayed) work(o *Op) uint64 { return uint64(float64(o.Size)*1e-9*x.flops + 0.5) }

// message makes the cluster's operation of a send or a receive.
func (x *replayed) message(o *Op) {
	x.op = cluster.Op{Kind: cluster.KindSend, Size: o.Size, Ctx: x.lib.Context(x.team), Tag: o.Tag, Peer: o.Peer}
	if o.Peer >= 0 {
		x.op.Peer = int32(x.team.Global(int(o.Peer)))
	}
	if o.Kind == Recv {
		x.op.Kind, x.op.Size = cluster.KindRecv, MaxSize // the sender determines the size
		return
	}
	x.rank.Account(int(x.op.Peer), 1, o.Size)
}

// Deadlock names the waiting ranks of a run that ended in a deadlock with these waits.
func (g *Replay) Deadlock(calls []cluster.Wait) error {
	d := &coll.Deadlock{}
	var ranks []int
	for r := range g.ranks {
		x := &g.ranks[r]
		if x.open > 0 {
			d.Open += x.open
			ranks = append(ranks, r)
		}
		for i, posted := range x.posted {
			if o := &x.of.ops[i]; posted {
				d.Receives = append(d.Receives, coll.Waiting{Rank: int32(r), Peer: o.Peer, Tag: o.Tag})
			}
		}
		for _, w := range calls {
			if x.blocking && w.Kind == cluster.KindRecv && x.team.Local(w.Rank) == r {
				peer := w.Peer
				if peer >= 0 {
					peer = x.team.Local(peer)
				}
				d.Receives = append(d.Receives, coll.Waiting{Rank: int32(r), Peer: int32(peer), Tag: int32(w.Tag)})
			}
		}
	}
	d.Reason = "none of them a receive: sends that wait, or operations that require each other"
	if len(ranks) > 0 {
		d.Reason += fmt.Sprintf(", on ranks %v", ranks[:min(len(ranks), 4)])
	}
	return d
}
