package goal

import "github.com/hybridtop/hybridtop/cluster"

// sequential reports whether each operation requires its predecessor, complete or started,
// as in a program that makes one call after the other.
func (o *rankOps) sequential() bool {
	follows := make([]bool, len(o.ops))
	for _, e := range o.edges {
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

// callInTurn makes the calls of a rank whose operations follow each other. The rank answers
// RTS messages only inside these calls.
func (x *replayed) callInTurn() error {
	before := group(x.of.edges, len(x.of.ops), func(e edge) (key, value int32, ok bool) {
		return e.op, e.before,
			!e.started
	})
	for i := range x.of.ops {
		o := &x.of.ops[i]
		if err := x.await(before(int32(i))); err != nil {
			return err
		}
		if o.Kind == Calc {
			if o.Size > 0 {
				x.rank.Compute(cluster.Work{Flops: float64(x.work(o))}, nil)
			}
			x.open--
			continue
		}
		x.message(o)
		x.handles[i] = x.lib.Port().Post(&x.op)
		if x.handles[i] == 0 {
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

// await waits for all of these operations that are in progress.
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
