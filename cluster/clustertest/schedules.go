package clustertest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
)

// Random programs call collectives of all sizes and roots, also while others are in
// progress and while their rank computes.
var scheduleCases = []testCase{
	{"every algorithm is right on teams of all sizes", (*suite).everyAlgorithm},
	{"every algorithm that needs loads is right in a node", onEach([]int{2, 9}, onNode, everyAlgorithmOfLoads)},
	{"every algorithm is right on teams of odd ranks and on teams that overlap", onRanks(7, everyAlgorithmOnParts)},
	{"many calls in progress complete in any order", onNode(4, manyCallsInProgress)},
	{"calls with only sizes take the virtual time of calls with bytes", (*suite).sizesTakeTheTimeOfBytes},
	{"compositions give the results of their collectives", onRanks(6, everyComposition)},
	{"a table chooses an algorithm, and a run refines the choice", onRanks(4, chosen)},
	{"arguments of a call are checked", onRanks(2, scheduleArguments)},
}

func (s *suite) everyAlgorithm(t *testing.T) {
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
}

func everyAlgorithmOfLoads(p *proc) {
	c := p.comm(p.All())
	p.check(c.Reaches(), "loads do not reach all ranks of a node")
	for _, a := range coll.All() {
		if a.Needs&coll.Reach != 0 {
			p.everyWay(a, p.All())
		}
	}
}

// everyComposition: compositions run like registered algorithms.
func everyComposition(p *proc) {
	for _, c := range []struct {
		what coll.Collective
		text string
	}{
		{coll.OpBcast, "scatter knomial + allgather bruck"},
		{coll.OpReduce, "reduce-scatter pairwise + gather knomial"},
		{coll.OpAllreduce, "reduce-scatter ring + allgather flat"},
		{coll.OpAllreduce, "reduce knomial + bcast chain"},
		{coll.OpAllgather, "gather kary radix 3 + bcast scatter-allgather"},
		{coll.OpReduceScatter, "reduce flat + scatter fork"},
		{coll.OpBcast, "leaders bcast flat + node bcast knomial"},
		{coll.OpAllreduce, "node reduce flat + leaders allreduce rabenseifner + node bcast flat"},
		{coll.OpBarrier, "node barrier tree + leaders barrier dissemination + node barrier tree"},
	} {
		a, err := coll.Find(c.what, c.text)
		p.ok(err)
		p.everyWay(a, p.All())
	}
}

func everyAlgorithmOnParts(p *proc) {
	for _, color := range []int{p.ID() % 2, p.ID() / 3, 0} {
		team := p.made(p.Split(p.All(), color, -p.ID()))
		for _, a := range coll.All() {
			p.everyWay(a, team)
		}
	}
}

func manyCallsInProgress(p *proc) {
	c := p.comm(p.All())
	var runs []*coll.Run
	var checks []func()
	for i := range 100 { // the tags of a Comm are used again
		for _, what := range []coll.Collective{coll.OpAllreduce, coll.OpExchange, coll.OpBcast} {
			all := serving(c, what)
			call, check := p.call(all[i%len(all)], p.All(), 24, i%p.Ranks(), coll.Modes{})
			x, err := c.Start(call)
			p.ok(err)
			runs, checks = append(runs, x), append(checks, check)
		}
		if i%20 == 19 {
			for j := len(runs) - 1; j >= 0; j-- {
				p.ok(runs[j].Wait())
				checks[j]()
			}
			runs, checks = runs[:0], checks[:0]
		}
	}
	p.ok(c.Free())
}

func (s *suite) sizesTakeTheTimeOfBytes(t *testing.T) {
	if s.fabric.Clock(&s.machine) != cluster.VirtualClock {
		t.Skip("the clock is not virtual")
	}
	var ends [2][6]cluster.Time
	for i := range ends {
		s.run(t, s.node(6), func(p *proc) {
			c := p.comm(p.All())
			for _, a := range coll.All() {
				call, _ := p.call(a, p.All(), 1200, 0, coll.Modes{})
				if !c.Serves(a) || call.Key.Ranks == 0 {
					continue
				}
				if i == 1 {
					call.In = cluster.Sized(call.In.Len())
					call.Out = cluster.Sized(call.Out.Len())
					call.Combine = nil
				}
				p.ok(c.Do(call))
			}
			ends[i][p.ID()] = p.Now()
		})
	}
	if ends[0] != ends[1] {
		t.Errorf("ranks end at %v with bytes, at %v without", ends[0], ends[1])
	}
}

func scheduleArguments(p *proc) {
	c := p.comm(p.All())
	call, _ := p.call(coll.Of(coll.OpBcast)[0], p.All(), 8, 0, coll.Modes{})
	refused := func(words ...string) {
		_, err := c.Start(call)
		p.fails(err, words...)
	}
	call.Root = 2
	refused("bcast", "root 2", "ranks 0 to 1")
	call.Root, call.Out = 0, call.Out.Part(0, 7)
	refused("out of 7 B, want 8")
	call, _ = p.call(coll.Of(coll.OpAllreduce)[0], p.All(), 8, 0, coll.Modes{})
	call.Combine = nil
	refused("no Combine function")
	bruck, err := coll.Find(coll.OpExchange, "bruck")
	p.ok(err)
	call, _ = p.call(bruck, p.All(), 8, 0, coll.Modes{})
	call.Blocks.Displ = []int64{0, 8, 16}
	refused("exchange by bruck", "blocks of equal size", "another algorithm")
	call, _ = p.call(coll.Of(coll.OpAllreduce)[0], p.All(), 16, 0, coll.Modes{})
	both := cluster.Of(make([]byte, 24))
	call.In, call.Out = both.Part(8, 16), both.Part(0, 16)
	refused("in and out overlap", "a copy of in")
	p.ok(c.Free())
}

// serving are the algorithms of a collective that a team can use.
func serving(c *coll.Comm, what coll.Collective) []*coll.Algorithm {
	return slices.DeleteFunc(slices.Clone(coll.Of(what)), func(a *coll.Algorithm) bool { return !c.Serves(a) })
}

// everyWay runs an algorithm on a team, at once and started, from the first and the last
// root. Blocks have no byte, one element, or more bytes than an eager message.
func (p *proc) everyWay(a *coll.Algorithm, team *cluster.Team) {
	c := p.comm(team)
	lacks := ""
	switch {
	case a.Needs&coll.Reach != 0 && !c.Reaches():
		lacks = "loads do not reach all ranks"
	case a.Needs&coll.Network != 0 && !c.Networked():
		lacks = "a collective network"
	}
	if lacks != "" {
		call, _ := p.call(a, team, 8, 0, coll.Modes{})
		p.fails(c.Do(call), a.Collective.String(), lacks)
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
// checks its result. If the algorithm cannot serve the team there is no key.
func (p *proc) call(a *coll.Algorithm, team *cluster.Team, n, root int, m coll.Modes) (coll.Call, func()) {
	return p.salted(0, a, team, n, root, m)
}

// salted is call with data that differ by a number.
func (p *proc) salted(salt int, a *coll.Algorithm, team *cluster.Team, n, root int, m coll.Modes) (coll.Call, func()) {
	want := coll.Parameters{Ranks: team.Size(), Modes: m}
	if a.UsesPlaces {
		want.Places = coll.PlacesOf(&p.Spec().Layout, team)
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
	d := collected{salt: salt, size: team.Size(), me: team.Rank(), root: root, elements: n / 8}
	d.exchange(a.Collective)
	combine, err := coll.Combining[int64](p.Rank, "combine", cluster.Sum)
	p.ok(err)
	all, err := coll.CombiningAll[int64](p.Rank, "combine", cluster.Sum)
	p.ok(err)
	return coll.Call{Key: key, Root: root, In: cluster.Of(d.in), Out: cluster.Of(d.out), Blocks: key.Blocks(int64(n), 8),
			Combine: combine, CombineAll: all}, func() {
			for i, want := range d.result {
				if d.out[i] != want {
					p.failf("%s by %s on %d ranks from %d, %d B: element %d is %d, want %d", a.Collective, a.Name, team.Size(), root,
						n, i, d.out[i], want)
				}
			}
		}
}

// collected is a member's data in a collective: its input, room for its output, and the
// right result.
type collected struct {
	salt, size, me, root, elements int
	in, out, result                []int64
}

// given returns element e of member m's contribution for member to.
func (d *collected) given(m, to, e int) int64 {
	return int64(1000*m+100*to+e)*7919 + int64(d.salt)*104729 + 1
}

// fill returns a member's contribution to some blocks.
func (d *collected) fill(m, blocks int) (all []int64) {
	for to := range blocks {
		for e := range d.elements {
			all = append(all, d.given(m, to, e))
		}
	}
	return all
}

// want is the result: blocks, by their elements.
func (d *collected) want(blocks int, of func(block, e int) int64) {
	for b := range blocks {
		for e := range d.elements {
			d.result = append(d.result, of(b, e))
		}
	}
}

// sum adds up what some members give.
func (d *collected) sum(members, to, e int) (s int64) {
	for m := range members {
		s += d.given(m, to, e)
	}
	return s
}

func (d *collected) exchange(what coll.Collective) {
	isRoot := d.me == d.root
	switch what {
	case coll.OpBcast:
		d.want(1, func(_, e int) int64 { return d.given(d.root, 0, e) })
		d.out = make([]int64, d.elements)
		if isRoot {
			d.out = d.fill(d.root, 1)
		}
	case coll.OpScatter:
		if isRoot {
			d.in = d.fill(d.root, d.size)
		}
		d.want(1, func(_, e int) int64 { return d.given(d.root, d.me, e) })
	case coll.OpGather, coll.OpAllgather:
		d.in = d.fill(d.me, 1)
		if what == coll.OpAllgather || isRoot {
			d.want(d.size, func(b, e int) int64 { return d.given(b, 0, e) })
		}
	case coll.OpExchange:
		d.in = d.fill(d.me, d.size)
		d.want(d.size, func(b, e int) int64 { return d.given(b, d.me, e) })
	case coll.OpReduce, coll.OpAllreduce:
		d.in = d.fill(d.me, 1)
		if what == coll.OpAllreduce || isRoot {
			d.want(1, func(_, e int) int64 { return d.sum(d.size, 0, e) })
		}
	case coll.OpReduceScatter:
		d.in = d.fill(d.me, d.size)
		d.want(1, func(_, e int) int64 { return d.sum(d.size, d.me, e) })
	case coll.OpScan:
		d.in = d.fill(d.me, 1)
		d.want(1, func(_, e int) int64 { return d.sum(d.me+1, 0, e) })
	}
	if d.out == nil {
		d.out = make([]int64, len(d.result))
	}
}

// program calls a collective of coll's functions, and checks its result.
func (p *proc) program(salt int, what coll.Collective, team *cluster.Team, n, root int) {
	call, check := p.salted(salt, coll.Of(what)[0], team, n, root, coll.Modes{})
	in, out := cluster.View[int64](call.In.Bytes()), cluster.View[int64](call.Out.Bytes())
	switch what {
	case coll.OpBcast:
		p.ok(coll.Bcast(p.Rank, team, root, call.Out))
	case coll.OpGather:
		p.ok(coll.Gather(p.Rank, team, root, call.In, call.Out))
	case coll.OpAllgather:
		p.ok(coll.Allgather(p.Rank, team, call.In, call.Out))
	case coll.OpReduce:
		p.ok(coll.Reduce(p.Rank, team, root, cluster.Sum, in, out))
	case coll.OpAllreduce:
		p.ok(coll.Allreduce(p.Rank, team, cluster.Sum, in, out))
	default:
		panic(fmt.Sprint("no function of ", what))
	}
	check()
}

// ofPrograms are the collectives that are functions of coll.
var ofPrograms = []coll.Collective{coll.OpBcast, coll.OpGather, coll.OpReduce, coll.OpAllgather, coll.OpAllreduce}
