package clustertest

import (
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// chosen: a Comm takes its algorithms from a table. A Refiner tries the algorithms that the table
// rates near the best, and all members choose the same one.
func chosen(p *proc) {
	var rules []coll.Rule
	for _, what := range []coll.Collective{coll.OpBcast, coll.OpAllreduce} {
		var choices []coll.Choice
		for _, a := range ofMessages(what)[:coll.MaxChoices] {
			choices = append(choices, coll.Choice{Algorithm: a, Parameters: coll.Parameters{Radix: int(a.Radix)}})
		}
		for _, n := range []int64{0, 512} {
			rules = append(rules, coll.Rule{Tuple: coll.Tuple{Collective: what, Ranks: 8, Bytes: n}, Choices: choices})
			choices = append(choices[1:len(choices):len(choices)], choices[0])
		}
	}
	table, err := coll.NewTable(rules)
	p.ok(err)
	c, err := coll.New(p.Rank, p.All())
	p.ok(err)
	key, err := c.Choose(coll.OpExchange, 8, 0)
	p.ok(err)
	p.check((key.Algorithm.Needs&coll.Reach != 0) == c.Reaches(), "without a table, exchange is by %s", key.Algorithm.Name)
	c.Use(table)
	for _, r := range table.Rules() {
		key, err := c.Choose(r.Collective, r.Bytes, 0)
		p.ok(err)
		p.check(key.Algorithm == r.Choices[0].Algorithm, "%s of %d B is by %s, want %s", r.Collective, r.Bytes,
			key.Algorithm.Name, r.Choices[0].Algorithm.Name)
	}
	p.refined(c, table)
	p.ok(c.Free())
}

// refined: all members try each of a table's choices equally often, unless it drops out, and then
// use the same one.
func (p *proc) refined(c *coll.Comm, table *coll.Table) {
	const tries = 2
	for _, what := range []coll.Collective{coll.OpBcast, coll.OpAllreduce} {
		column := table.Column(what, int32(p.Ranks()), 1)
		near := column.Near(800, 0)
		f := coll.NewRefiner(p.Rank, p.All(), len(near), tries)
		for i := 0; !f.Settled(); i++ {
			p.check(i < tries*len(near), "%s: not settled after %d tries", what, i)
			a := near[f.Now()].Algorithm
			call, check := p.call(a, p.All(), 800, i%p.Ranks(), coll.Modes{})
			start := p.Now()
			p.ok(c.Do(call))
			slowest, err := f.Took(p.Now() - start)
			p.ok(err)
			p.check(slowest > 0, "%s by %s: the slowest member took %s", what, a.Name, slowest)
			check()
		}
		best := f.Trials()[f.Now()]
		for i, t := range f.Trials() {
			p.check(t.Fastest >= best.Fastest && t.Total >= cluster.Time(t.Tries)*t.Fastest, "%s: choice %d took %+v, the best %+v",
				what, i, t, best)
			p.check(t.Tries == tries || t.Dropped || best.Tries < tries, "%s: choice %d: %+v", what, i, t)
		}
		p.check(f.Cost() >= 0, "%s: the tries cost %s", what, f.Cost())
		mine := []int64{int64(f.Now())}
		all := make([]int64, p.Ranks())
		p.ok(coll.Allgather(p.Rank, p.World(), cluster.Of(mine), cluster.Of(all)))
		p.check(!slices.ContainsFunc(all, func(i int64) bool { return i != mine[0] }),
			"%s: members settle on %v of its choices", what, all)
	}
}

// ofMessages lists the algorithms of a collective that serve teams of several nodes.
func ofMessages(what coll.Collective) []*coll.Algorithm {
	return slices.DeleteFunc(slices.Clone(coll.Of(what)), func(a *coll.Algorithm) bool {
		return a.Needs&(coll.Reach|coll.Network) != 0
	})
}
