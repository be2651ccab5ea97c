package coll

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// GoalReplay is a GOAL program on a cluster: each rank posts its operations as what they
// require is complete, or has started. Messages are sizes without bytes. A rank whose
// operations each follow the one before makes calls: it posts one after the other, and waits
// for what the next one requires. Another rank's are steps, posted as they are ready.
type GoalReplay struct {
	program *GoalProgram
	flops   float64 // a second, by which calculations take their ns
	ranks   []replayed
}

// replayed is one rank's part, a step of the fabric.
type replayed struct {
	rank    *cluster.Rank
	lib     cluster.Lib
	team    *cluster.Team
	of      *goalRank
	flops   float64
	done    func(int32) []int32 // what waits for an operation
	begun   func(int32) []int32
	left    []uint16
	waiting []bool // receives that were posted
	ready   []int32
	open    int
	op      cluster.Op
	end     cluster.Handle
	trouble error

	calls   bool
	handles []cluster.Handle // of operations under way, where the rank makes calls; 0: complete
	awaited []cluster.Handle // scratch
}

// NewReplay prepares a run on processors of so many flop/s each; 0: unknown, which only
// programs without calculations do with.
func (p *GoalProgram) NewReplay(flops float64) (*GoalReplay, error) {
	g := &GoalReplay{program: p, flops: flops, ranks: make([]replayed, len(p.ranks))}
	for r := range p.ranks {
		of := &p.ranks[r]
		for i := range of.ops {
			if o := &of.ops[i]; o.Kind == GoalCalc && o.Size > 0 && !(flops > 0 && flops <= 1e15) {
				return nil, fmt.Errorf("rank %d calculates, and the machine does not say how fast: give one with flop/s", r)
			}
		}
		x := replayed{of: of, flops: flops, open: len(of.ops), calls: of.sequential()}
		if x.calls {
			x.handles = make([]cluster.Handle, len(of.ops))
		} else {
			var err error
			if x.left, err = of.left(r); err != nil {
				return nil, err
			}
			x.waiting = make([]bool, len(of.ops))
			x.done, x.begun = edges(len(of.ops), of.need, false), edges(len(of.ops), of.need, true)
		}
		g.ranks[r] = x
	}
	return g, nil
}

// left counts what each operation requires.
func (g *goalRank) left(rank int) ([]uint16, error) {
	left := make([]uint16, len(g.ops))
	for _, e := range g.need {
		if left[e.op] == math.MaxUint16 {
			return nil, fmt.Errorf("rank %d: an operation requires more than %d others", rank, math.MaxUint16)
		}
		left[e.op]++
	}
	return left, nil
}

// Rank does one rank's operations to their end. Every rank of the world, which has as
// many as the program, calls it once.
func (g *GoalReplay) Rank(r *cluster.Rank) error {
	x := &g.ranks[r.World().Rank()]
	x.rank, x.lib, x.team = r, r.Lib(), r.World()
	if x.open == 0 {
		return nil
	}
	if x.calls {
		return x.makes()
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
func (x *replayed) Step(p cluster.Poster, node int32, d cluster.Done) {
	if node != begins {
		x.open--
		x.waiting[node] = false
		if d.Err != cluster.OK && x.trouble == nil {
			x.trouble = x.lib.Errorf("operation %d of its part of the program failed (code %d)", node+1, d.Err)
		}
		x.release(x.done(node))
	}
	for i := 0; i < len(x.ready) && x.trouble == nil; i++ {
		x.post(p, x.ready[i])
	}
	x.ready = x.ready[:0]
	if x.open == 0 || x.trouble != nil && x.open > 0 {
		x.open = -1
		x.op = cluster.Op{Kind: cluster.KindFire, Event: x.end}
		p.Post(&x.op)
	}
}

func (x *replayed) release(nodes []int32) {
	for _, i := range nodes {
		if x.left[i]--; x.left[i] == 0 {
			x.ready = append(x.ready, i)
		}
	}
}

// post starts an operation.
func (x *replayed) post(p cluster.Poster, node int32) {
	o := &x.of.ops[node]
	if o.Kind == GoalCalc {
		x.op = cluster.Op{Kind: cluster.KindWork, A: x.takes(o)}
	} else {
		x.message(o)
		x.waiting[node] = o.Kind == GoalRecv
	}
	x.op.Then, x.op.ThenArg = x, node
	p.Post(&x.op)
	x.release(x.begun(node)) // the loop of Step goes on with them
}

// takes is a calculation's flop.
func (x *replayed) takes(o *GoalOp) uint64 { return uint64(float64(o.Size)*1e-9*x.flops + 0.5) }

// message makes the op of a send or a receive.
func (x *replayed) message(o *GoalOp) {
	x.op = cluster.Op{Kind: cluster.KindSend, Size: o.Size, Ctx: x.lib.Context(x.team), Tag: o.Tag, Peer: o.Peer}
	if o.Peer >= 0 {
		x.op.Peer = int32(x.team.Global(int(o.Peer)))
	}
	if o.Kind == GoalRecv {
		x.op.Kind, x.op.Size = cluster.KindRecv, MostGoalSize // the sender says how many
		return
	}
	x.rank.Account(int(x.op.Peer), 1, o.Size)
}

// Stuck names the ranks that wait after a run that ended in a deadlock with these waits.
func (g *GoalReplay) Stuck(calls []cluster.Wait) error {
	open, waits := 0, 0
	words := ""
	const most = 4
	receive := func(rank int, peer, tag int32) {
		if waits++; waits <= most {
			words += fmt.Sprintf("; rank %d waits for %s with %s", rank, anyOr("rank", peer), anyOr("tag", tag))
		}
	}
	for r := range g.ranks {
		x := &g.ranks[r]
		if x.open > 0 {
			open += x.open
		}
		for i, waiting := range x.waiting {
			if waiting {
				receive(r, x.of.ops[i].Peer, x.of.ops[i].Tag)
			}
		}
		for _, w := range calls {
			if x.calls && w.Kind == cluster.KindRecv && x.team.Local(w.Rank) == r {
				peer := int32(w.Peer)
				if peer >= 0 {
					peer = int32(x.team.Local(w.Peer))
				}
				receive(r, peer, int32(w.Tag))
			}
		}
	}
	if waits > most {
		words += fmt.Sprintf("; and %d more receives", waits-most)
	}
	if waits == 0 {
		words = ", none of them a receive: sends that wait, or operations that require each other"
		var ranks []int
		for r := range g.ranks {
			if g.ranks[r].open > 0 && len(ranks) < most {
				ranks = append(ranks, r)
			}
		}
		if len(ranks) > 0 {
			words += fmt.Sprintf(", on ranks %v", slices.Clip(ranks))
		}
	}
	return errors.New(fmt.Sprintf("deadlock: %d operations are left", open) + words)
}
