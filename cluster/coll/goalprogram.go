package coll

import (
	"fmt"
	"io"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
)

// GoalProgram is what GOAL text says, as a whole.
type GoalProgram struct {
	ranks    []goalRank
	rank     int32 // under way
	Messages int   // sends
	Receives int
	Bytes    int64 // of all sends
	Ops      int
	most     int
}

type goalRank struct {
	ops  []GoalOp
	need []goalEdge
	any  bool // it has a receive from any, or with any tag
}

type goalEdge struct {
	op, before int32
	started    bool
}

// LoadGoal reads GOAL text of at most so many operations and requirements.
func LoadGoal(r io.Reader, most int) (*GoalProgram, error) {
	p := &GoalProgram{most: most}
	if err := ReadGoal(r, p); err != nil {
		return nil, err
	}
	return p, nil
}

// Ranks, Rank, Op and Requires take what ReadGoal reads.
func (p *GoalProgram) Ranks(n int32) error {
	p.ranks = make([]goalRank, n)
	return nil
}

// Rank begins a rank.
func (p *GoalProgram) Rank(rank int32) error {
	p.rank = rank
	return nil
}

// Op adds an operation.
func (p *GoalProgram) Op(o GoalOp) error {
	if p.most--; p.most < 0 {
		return fmt.Errorf("more operations than are kept at once")
	}
	r := &p.ranks[p.rank]
	r.ops = append(r.ops, o)
	p.Ops++
	switch o.Kind {
	case GoalSend:
		p.Messages++
		p.Bytes += o.Size
	case GoalRecv:
		p.Receives++
		r.any = r.any || o.Peer == cluster.AnySource || o.Tag == cluster.AnyTag
	}
	return nil
}

// Requires adds what one requires.
func (p *GoalProgram) Requires(op, before int32, started bool) error {
	if p.most--; p.most < 0 {
		return fmt.Errorf("more requirements than are kept at once")
	}
	r := &p.ranks[p.rank]
	r.need = append(r.need, goalEdge{op, before, started})
	return nil
}

// Size is how many ranks there are.
func (p *GoalProgram) Size() int { return len(p.ranks) }

// Price runs the program on a model of LogGP alone, as Price does schedules: what is
// calculated takes its ns of the processor.
func (p *GoalProgram) Price(c Cost) (*Trace, error) {
	m := newPricing(c, int32(len(p.ranks)))
	for r := range p.ranks {
		g, x := &p.ranks[r], &m.ranks[r]
		x.any = g.any
		left, err := g.left(r)
		if err != nil {
			return nil, err
		}
		done := edges(len(g.ops), g.need, false)
		begun := edges(len(g.ops), g.need, true)
		x.next = func(node int32, started bool) []int32 {
			if started {
				return begun(node)
			}
			return done(node)
		}
		x.task = func(node int32) task {
			o := &g.ops[node]
			switch o.Kind {
			case GoalSend:
				return task{kind: Send, peer: o.Peer, tag: o.Tag, size: o.Size}
			case GoalRecv:
				return task{kind: Recv, peer: o.Peer, tag: o.Tag}
			}
			return task{kind: Copy, takes: cluster.Time(min(o.Size, MostGoalSize)) * cluster.Nanosecond}
		}
		m.begins(int32(r), left)
	}
	return m.run()
}

// edges gives for each operation those that wait for it, until it has started or is
// complete.
func edges(n int, need []goalEdge, started bool) func(int32) []int32 {
	first := make([]int32, n+1)
	for _, e := range need {
		if e.started == started {
			first[e.before+1]++
		}
	}
	for i := range n {
		first[i+1] += first[i]
	}
	next := make([]int32, first[n])
	at := slices.Clone(first[:n])
	for _, e := range need {
		if e.started == started {
			next[at[e.before]] = e.op
			at[e.before]++
		}
	}
	return func(i int32) []int32 { return next[first[i]:first[i+1]] }
}
