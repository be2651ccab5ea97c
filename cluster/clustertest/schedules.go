package clustertest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// The collectives that are data: every algorithm on every fabric.
func (s *suite) testSchedules(t *testing.T) {
	for _, a := range coll.All() {
		t.Run(a.Collective.String()+" by "+a.Name, func(t *testing.T) {
			for _, ranks := range []int{1, 2, 3, 4, 6, 8} {
				if ranks > 4 && s.scale > 4 && ranks != 6 {
					continue
				}
				s.run(t, s.spec(ranks), func(p *proc) { p.everyWay(a, p.All()) })
			}
		})
	}
	t.Run("in a node", func(t *testing.T) {
		for _, ranks := range []int{2, 9} {
			s.run(t, s.node(ranks), func(p *proc) {
				c, err := coll.New(p.Rank, p.All())
				p.ok(err)
				p.check(c.Reaches(), "loads do not reach all ranks of a node")
				for _, a := range coll.All() {
					if a.Needs&coll.Reach != 0 {
						p.everyWay(a, p.All())
					}
				}
			})
		}
	})
	s.test(t, "teams of odd ranks, and teams that overlap", 7, func(p *proc) {
		for _, color := range []int{p.ID() % 2, p.ID() / 3, 0} {
			team, err := p.Split(p.All(), color, -p.ID())
			p.ok(err)
			for _, a := range coll.All() {
				p.everyWay(a, team)
			}
		}
	})
	inNode := func(name string, ranks int, body func(p *proc)) {
		t.Run(name, func(t *testing.T) { s.run(t, s.node(ranks), body) })
	}
	inNode("many calls under way, completed from the last to the first", 4, func(p *proc) {
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		var runs []*coll.Run
		var checks []func()
		for i := range 100 { // more than one turn of the tags
			for _, what := range []coll.Collective{coll.OpAllreduce, coll.OpExchange, coll.OpBcast} {
				all := serving(c, what)
				a := all[i%len(all)]
				call, check := p.call(a, p.All(), 24, i%p.Ranks(), coll.Modes{})
				x, err := c.Start(call)
				p.ok(err)
				runs, checks = append(runs, x), append(checks, check)
			}
			if i%20 < 19 {
				continue
			}
			for j := len(runs) - 1; j >= 0; j-- {
				p.ok(runs[j].Wait())
				checks[j]()
			}
			runs, checks = runs[:0], checks[:0]
		}
		p.ok(c.Free())
	})
	inNode("calls that block between calls under way, of all sizes, from all roots", 5, func(p *proc) {
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		rng := rand.New(rand.NewPCG(7, 7)) // the same calls at every rank
		var runs []*coll.Run
		var checks []func()
		for range s.times(400) {
			all := serving(c, []coll.Collective{coll.OpBcast, coll.OpScatter, coll.OpAllreduce, coll.OpReduce, coll.OpExchange, coll.OpBarrier}[rng.IntN(6)])
			a := all[rng.IntN(len(all))]
			call, check := p.call(a, p.All(), 8*rng.IntN(8), rng.IntN(p.Ranks()), coll.Modes{})
			if call.Key.Ranks == 0 {
				continue
			}
			if rng.IntN(3) > 0 {
				p.ok(c.Do(call))
				check()
				continue
			}
			x, err := c.Start(call)
			p.ok(err)
			if runs, checks = append(runs, x), append(checks, check); rng.IntN(8) > 0 {
				continue
			}
			for i := range runs {
				p.ok(runs[i].Wait())
				checks[i]()
			}
			runs, checks = runs[:0], checks[:0]
		}
		for i := range runs {
			p.ok(runs[i].Wait())
			checks[i]()
		}
		p.ok(c.Free())
	})
	s.test(t, "a call goes on while its rank computes and makes other calls", 4, func(p *proc) {
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		for range s.times(20) {
			call, check := p.call(coll.Of(coll.OpAllreduce)[0], p.All(), 800, 0, coll.Modes{})
			x, err := c.Start(call)
			p.ok(err)
			p.Compute(cluster.Work{Flops: 1000}, func() {})
			p.ok(p.Barrier(p.All()))
			for done := false; !done; {
				done, err = x.Test()
				p.ok(err)
			}
			check()
		}
		p.ok(c.Free())
	})
	if s.fabric.Clock(&s.machine) == cluster.VirtualClock {
		t.Run("sizes without bytes take the time of bytes", func(t *testing.T) {
			var ends [2][6]cluster.Time
			for i := range ends {
				s.run(t, s.node(6), func(p *proc) {
					c, err := coll.New(p.Rank, p.All())
					p.ok(err)
					for _, a := range slices.DeleteFunc(slices.Clone(coll.All()), func(a *coll.Algorithm) bool { return !c.Serves(a) }) {
						call, _ := p.call(a, p.All(), 1200, 0, coll.Modes{})
						if call.Key.Ranks == 0 {
							continue
						}
						if i == 1 {
							call.In, call.Out, call.Combine, call.Sizes = nil, nil, nil, true
						}
						p.ok(c.Do(call))
					}
					ends[i][p.ID()] = p.Now()
				})
			}
			if ends[0] != ends[1] {
				t.Errorf("ranks end at %v with bytes, at %v without", ends[0], ends[1])
			}
		})
	}
	s.test(t, "a table chooses, and a run refines its choice", 4, chosen)
	s.test(t, "what cannot be is refused", 2, func(p *proc) {
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		call, _ := p.call(coll.Of(coll.OpBcast)[0], p.All(), 8, 0, coll.Modes{})
		call.Root = 2
		_, err = c.Start(call)
		p.fails(err, "bcast", "root 2", "ranks 0 to 1")
		call.Root, call.Out = 0, call.Out[:7]
		_, err = c.Start(call)
		p.fails(err, "out of 7 B, want 8")
		call, _ = p.call(coll.Of(coll.OpAllreduce)[0], p.All(), 8, 0, coll.Modes{})
		call.Combine = nil
		_, err = c.Start(call)
		p.fails(err, "nothing to combine with")
		bruck, err := coll.Find(coll.OpExchange, "bruck")
		p.ok(err)
		call, _ = p.call(bruck, p.All(), 8, 0, coll.Modes{})
		call.Blocks.Displ = []int64{0, 8, 16}
		_, err = c.Start(call)
		p.fails(err, "exchange by bruck", "equal ones", "another algorithm")
		call, _ = p.call(coll.Of(coll.OpAllreduce)[0], p.All(), 16, 0, coll.Modes{})
		call.Out = make([]byte, 24)
		call.In, call.Out = call.Out[8:], call.Out[:16]
		_, err = c.Start(call)
		p.fails(err, "in and out overlap", "a copy of in")
		p.ok(c.Free())
	})
}

// serving are the algorithms of a collective that a team can use.
func serving(c *coll.Comm, what coll.Collective) []*coll.Algorithm {
	return slices.DeleteFunc(slices.Clone(coll.Of(what)), func(a *coll.Algorithm) bool { return !c.Serves(a) })
}

// everyWay runs an algorithm on a team: blocks of none, of one element, and longer ones
// than are eager; from the first and the last root; at once, and beside others.
func (p *proc) everyWay(a *coll.Algorithm, team *cluster.Team) {
	c, err := coll.New(p.Rank, team)
	p.ok(err)
	if a.Needs&coll.Reach != 0 && !c.Reaches() {
		call, _ := p.call(a, team, 8, 0, coll.Modes{})
		p.fails(c.Do(call), a.Collective.String(), "loads do not reach all its ranks")
		p.ok(c.Free())
		return
	}
	if a.Needs&coll.Network != 0 && !c.Networked() {
		call, _ := p.call(a, team, 8, 0, coll.Modes{})
		p.fails(c.Do(call), a.Collective.String(), "a collective network", "a team of all ranks")
		p.ok(c.Free())
		return
	}
	for _, n := range []int{0, 8, 2*eager + 40} {
		for _, root := range []int{0, team.Size() - 1} {
			if root > 0 && !a.Collective.Rooted() {
				continue
			}
			call, check := p.call(a, team, n, root, coll.Modes{})
			if call.Key.Ranks == 0 {
				continue
			}
			p.ok(c.Do(call))
			check()
			if a.Needs&coll.Reach == 0 {
				continue
			}
			call, check = p.call(a, team, n, root, coll.Modes{}) // by steps, too
			x, err := c.Start(call)
			p.ok(err)
			p.ok(x.Wait())
			check()
		}
	}
	p.ok(c.Free())
}

// call is a collective on n bytes (of each block, where blocks go by member), and what
// checks its result. Where the algorithm cannot serve the team there is no key.
func (p *proc) call(a *coll.Algorithm, team *cluster.Team, n, root int, m coll.Modes) (coll.Call, func()) {
	size, me := team.Size(), team.Rank()
	want := coll.Parameters{Ranks: size, Modes: m}
	if a.Housed {
		want.Places = coll.PlacesOf(p.Layout(), team)
	}
	if a.Segmented {
		want.Segments = 3
	}
	key, err := a.Key(want)
	if err != nil {
		return coll.Call{}, nil
	}
	if !a.Collective.Rooted() {
		root = 0
	}
	// Element e of what member m gives for member to.
	given := func(m, to, e int) int64 { return int64(1000*m+100*to+e)*7919 + 1 }
	fill := func(m, blocks int) []int64 {
		var all []int64
		for to := range blocks {
			for e := range n / 8 {
				all = append(all, given(m, to, e))
			}
		}
		return all
	}
	sum := func(members, to, e int) int64 {
		s := int64(0)
		for m := range members {
			s += given(m, to, e)
		}
		return s
	}
	var in, out, result []int64
	each := func(blocks int, of func(block, e int) int64) {
		for b := range blocks {
			for e := range n / 8 {
				result = append(result, of(b, e))
			}
		}
	}
	switch a.Collective {
	case coll.OpBcast:
		each(1, func(_, e int) int64 { return given(root, 0, e) })
		if out = make([]int64, n/8); me == root {
			out = fill(root, 1)
		}
	case coll.OpScatter:
		if me == root {
			in = fill(root, size)
		}
		each(1, func(_, e int) int64 { return given(root, me, e) })
	case coll.OpGather, coll.OpAllgather:
		in = fill(me, 1)
		if a.Collective == coll.OpAllgather || me == root {
			each(size, func(b, e int) int64 { return given(b, 0, e) })
		}
	case coll.OpExchange:
		in = fill(me, size)
		each(size, func(b, e int) int64 { return given(b, me, e) })
	case coll.OpReduce, coll.OpAllreduce:
		in = fill(me, 1)
		if a.Collective == coll.OpAllreduce || me == root {
			each(1, func(_, e int) int64 { return sum(size, 0, e) })
		}
	case coll.OpReduceScatter:
		in = fill(me, size)
		each(1, func(_, e int) int64 { return sum(size, me, e) })
	case coll.OpScan:
		in = fill(me, 1)
		each(1, func(_, e int) int64 { return sum(me+1, 0, e) })
	}
	if out == nil {
		out = make([]int64, len(result))
	}
	combine, err := cluster.Combining[int64](p.Rank, "combine", cluster.Sum)
	p.ok(err)
	all, err := cluster.CombiningAll[int64](p.Rank, "combine", cluster.Sum)
	p.ok(err)
	return coll.Call{Key: key, Root: root, In: cluster.Bytes(in), Out: cluster.Bytes(out), Blocks: key.Blocks(int64(n), 8), Combine: combine, CombineAll: all}, func() {
		for i := range result {
			if out[i] != result[i] {
				p.failf("%s by %s on %d ranks from %d, %d B: element %d is %d, want %d", a.Collective, a.Name, size, root, n, i, out[i], result[i])
			}
		}
	}
}
