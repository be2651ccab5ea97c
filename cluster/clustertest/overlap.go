package clustertest

import (
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Collectives under way while their ranks do other things.
func (s *suite) testOverlap(t *testing.T) {
	relaying := []string{"reduce-bcast", "staged", "relayed", "direct"} // none of them ends elsewhere without rank 0
	if s.machine.Progress == cluster.ProgressThread && !s.oneAtATime {
		for _, name := range relaying {
			t.Run("a progress thread goes on with allreduces by "+name+" while rank 0 computes", func(t *testing.T) {
				var ended atomic.Int32
				s.run(t, s.node(3), func(p *proc) {
					c, err := coll.New(p.Rank, p.All())
					p.ok(err)
					a, err := coll.Find(coll.OpAllreduce, name)
					p.ok(err)
					var runs [2]*coll.Run
					var checks [2]func()
					for i := range runs { // two at once
						var call coll.Call
						call, checks[i] = p.call(a, p.All(), 24, 0, coll.Modes{})
						runs[i], err = c.Start(call)
						p.ok(err)
					}
					if p.ID() == 0 {
						p.Compute(cluster.Work{}, func() { p.until(func() bool { return ended.Load() == 2 }) })
					}
					for i := range runs {
						p.ok(runs[i].Wait())
						checks[i]()
					}
					ended.Add(1)
					p.ok(c.Free())
				})
			})
		}
	}

	for _, name := range relaying {
		t.Run("the master of a parallel region goes on with an allreduce by "+name, func(t *testing.T) {
			s.run(t, s.node(3), func(p *proc) {
				c, err := coll.New(p.Rank, p.All())
				p.ok(err)
				a, err := coll.Find(coll.OpAllreduce, name)
				p.ok(err)
				call, check := p.call(a, p.All(), 24, 0, coll.Modes{})
				x, err := c.Start(call)
				p.ok(err)
				computed := make([]bool, 2)
				p.fork(2, func(th *proc, thread int) {
					if thread == 0 {
						for done := false; !done; th.Compute(cluster.Work{Flops: 100}, nil) {
							th.Progress()
							done, err = x.Test()
							th.ok(err)
						}
						_, err := c.Start(call)
						th.fails(err, "inside a parallel region")
					}
					th.Compute(cluster.Work{Flops: 1000}, func() { computed[thread] = true })
				})
				check()
				p.check(!slices.Contains(computed, false), "threads have computed: %v", computed)
			})
		})
	}

	t.Run("blocks of several sizes among the masters of nested-funneled", func(t *testing.T) {
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
			for i := range n { // member i has i elements
				displ = append(displ, displ[i]+int64(8*i))
			}
			mine := make([]int64, me)
			for i := range mine {
				mine[i] = int64(100*me + i)
			}
			for _, what := range []coll.Collective{coll.OpGather, coll.OpAllgather} {
				for _, a := range coll.Of(what) {
					if a.Needs&coll.Reach != 0 && !c.Reaches() || a.Needs&coll.EvenBlocks != 0 {
						continue
					}
					key, err := a.Key(coll.Parameters{Ranks: n})
					p.ok(err)
					blocks := key.Blocks(8, 8)
					blocks.Displ = displ
					all := make([]int64, displ[n]/8)
					p.ok(c.Do(coll.Call{Key: key, In: cluster.Of(mine), Out: cluster.Of(all), Blocks: blocks}))
					if what == coll.OpGather && me != 0 {
						continue
					}
					for m := range n {
						for i := range m {
							same(p, a.Name, all[int(displ[m])/8+i], int64(100*m+i))
						}
					}
				}
			}
			p.ok(c.Free())
		})
	})
}
