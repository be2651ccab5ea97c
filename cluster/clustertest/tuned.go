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
	_, err = c.Refine(1)
	p.fails(err, "refine", "has no table")
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
	const tries = 2
	f, err := c.Refine(tries)
	p.ok(err)
	for i := range tries*coll.MaxChoices + 2 {
		for _, what := range []coll.Collective{coll.OpBcast, coll.OpAllreduce} {
			_, settled := f.Settled(what, 800, 0)
			p.check(settled == (i >= tries*coll.MaxChoices), "call %d of %s: settled is %v", i, what, settled)
			call, check := p.call(ofMessages(what)[0], p.All(), 800, i%p.Ranks(), coll.Modes{})
			p.ok(f.Do(what, 800, 8, 0, call))
			check()
		}
	}
	for _, what := range []coll.Collective{coll.OpBcast, coll.OpAllreduce} { // all members settle on the same
		key, _ := f.Settled(what, 800, 0)
		mine := []int64{int64(slices.Index(coll.Of(what), key.Algorithm))}
		all := make([]int64, p.Ranks())
		p.ok(coll.Allgather(p.Rank, p.World(), cluster.Of(mine), cluster.Of(all)))
		p.check(!slices.ContainsFunc(all, func(i int64) bool { return i != mine[0] }),
			"%s: members settle on %v of its algorithms", what, all)
	}
	p.ok(c.Free())
}

// ofMessages lists the algorithms of a collective that serve teams of several nodes.
func ofMessages(what coll.Collective) []*coll.Algorithm {
	return slices.DeleteFunc(slices.Clone(coll.Of(what)), func(a *coll.Algorithm) bool {
		return a.Needs&(coll.Reach|coll.Network) != 0
	})
}
