package coll

import "github.com/hybridtop/hybridtop/cluster"

// sequential reports whether each operation requires the one before it, complete or started,
// as those of a program that makes one call after the other do.
func (g *goalRank) sequential() bool {
	follows := make([]bool, len(g.ops))
	for _, e := range g.need {
		if e.before > e.op {
			return false
		}
		follows[e.op] = follows[e.op] || e.before == e.op-1
	}
	for _, f := range follows[min(1, len(follows)):] {
		if !f {
			return false
		}
	}
	return true
}

// makes makes the calls of a rank whose operations follow each other: who asks it for a
// rendezvous is answered between two of them, and what is complete costs it when it waits.
func (x *replayed) makes() error {
	before := x.before()
	for i := range x.of.ops {
		o := &x.of.ops[i]
		if err := x.await(before(int32(i))); err != nil {
			return err
		}
		if o.Kind == GoalCalc {
			if o.Size > 0 {
				x.rank.Compute(cluster.Work{Flops: float64(x.takes(o))}, nil)
			}
			x.open--
			continue
		}
		x.message(o)
		if x.handles[i] = x.lib.Port().Post(&x.op); x.handles[i] == 0 {
			x.open--
		}
	}
	all := make([]int32, 0, x.open)
	for i, h := range x.handles {
		if h != 0 {
			all = append(all, int32(i))
		}
	}
	return x.await(all)
}

// await waits for those of a rank's operations that are under way, all at once.
func (x *replayed) await(ops []int32) error {
	x.awaited = x.awaited[:0]
	for _, i := range ops {
		if h := x.handles[i]; h != 0 {
			x.awaited = append(x.awaited, h)
			x.handles[i] = 0
		}
	}
	if len(x.awaited) == 0 {
		return nil
	}
	code := x.lib.AwaitAll(x.awaited)
	x.open -= len(x.awaited)
	if code != cluster.OK {
		return x.lib.Errorf("an operation of its part of the program failed (code %d)", code)
	}
	return nil
}

// before gives for each operation those that have to be complete.
func (x *replayed) before() func(int32) []int32 {
	turned := make([]goalEdge, 0, len(x.of.need))
	for _, e := range x.of.need {
		if !e.started {
			turned = append(turned, goalEdge{op: e.before, before: e.op})
		}
	}
	return edges(len(x.of.ops), turned, false)
}
