package clustertest

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

var overlapCases = []testCase{
	{"a progress thread advances allreduces while rank 0 computes",
		when((*suite).threaded, when((*suite).parallel, overlapsCompute))},
	{"the master of a parallel region advances an allreduce", overlapsRegion},
	{"the masters of nested-funneled gather blocks of several sizes", mastersGatherUneven},
}

// relaying are the allreduces that end on no rank without rank 0.
var relaying = []string{"reduce-bcast", "staged", "relayed", "direct"}

// allreduce starts an allreduce. It returns the call and what checks the result, too.
func (p *proc) allreduce(c *coll.Comm, name string) (*coll.Run, coll.Call, func()) {
	call, check := p.call(p.algorithm(coll.OpAllreduce, name), p.All(), 24, 0, coll.Modes{})
	return p.start(c, call), call, check
}

func overlapsCompute(s *suite, t *testing.T) {
	for _, name := range relaying {
		t.Run(name, func(t *testing.T) {
			var ended atomic.Int32
			s.run(t, s.node(3), func(p *proc) {
				c := p.comm(p.All())
				x, _, checkX := p.allreduce(c, name)
				y, _, checkY := p.allreduce(c, name) // two at once
				if p.ID() == 0 {
					p.Compute(cluster.Work{}, func() { p.until(func() bool { return ended.Load() == 2 }) })
				}
				p.ok(x.Wait())
				checkX()
				p.ok(y.Wait())
				checkY()
				ended.Add(1)
				p.ok(c.Free())
			})
		})
	}
}

func overlapsRegion(s *suite, t *testing.T) {
	for _, name := range relaying {
		t.Run(name, func(t *testing.T) {
			s.run(t, s.node(3), func(p *proc) {
				c := p.comm(p.All())
				x, call, check := p.allreduce(c, name)
				computed := make([]bool, 2)
				p.fork(2, func(th *proc, thread int) {
					if thread == 0 {
						for !th.flag(x.Test()) {
							th.Compute(cluster.Work{Flops: 100}, nil)
							th.Progress()
						}
						th.fails(only(c.Start(call)), "inside a parallel region")
					}
					th.Compute(cluster.Work{Flops: 1000}, func() { computed[thread] = true })
				})
				check()
				p.check(!slices.Contains(computed, false), "threads have computed: %v", computed)
			})
		})
	}
}

func mastersGatherUneven(s *suite, t *testing.T) {
	s.run(t, s.grouped(cluster.NestedFunneled, 4, 2, 0), func(p *proc) {
		world := p.World()
		c, err := coll.New(p.Rank, world)
		if p.Group().Rank() != 0 {
			p.fails(err, "nested-funneled")
			return
		}
		p.ok(err)
		n, me := world.Size(), world.Rank()
		same(p, "masters", n, 4)
		displ := []int64{0}
		var mine, want []int64
		for m := range n { // member m has m elements
			displ = append(displ, displ[m]+int64(8*m))
			for i := range m {
				want = append(want, int64(100*m+i))
			}
			if m == me {
				mine = want[len(want)-m:]
			}
		}
		for _, a := range slices.Concat(serving(c, coll.OpGather), serving(c, coll.OpAllgather)) {
			if a.Needs&coll.EvenBlocks != 0 {
				continue
			}
			key, err := a.Key(coll.Parameters{Ranks: n})
			p.ok(err)
			blocks, all := key.Blocks(8, 8), make([]int64, len(want))
			blocks.Displ = displ
			p.ok(c.Do(coll.Call{Key: key, In: cluster.Of(mine), Out: cluster.Of(all), Blocks: blocks}))
			p.check(a.Collective == coll.OpGather && me != 0 || slices.Equal(all, want), "%s: %v, want %v", a.Name, all, want)
		}
		p.ok(c.Free())
	})
}
