package clustertest

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/upc"
)

// modes are the ways in which a collective may move its bytes.
var modes = []coll.Modes{
	{In: coll.AllSync, Out: coll.AllSync},
	{Transfer: coll.Put},
	{Transfer: coll.Put, In: coll.NoSync},
	{Transfer: coll.Put, In: coll.NoSync, Out: coll.NoSync},
	{Transfer: coll.Put, In: coll.AllSync, Out: coll.AllSync},
	{Transfer: coll.Put, Address: coll.Local},
	{Transfer: coll.Put, Address: coll.Local, In: coll.AllSync, Out: coll.AllSync},
	{Transfer: coll.Put, Address: coll.Bounced, In: coll.NoSync},
	{Transfer: coll.Rendezvous},
	{Transfer: coll.Rendezvous, In: coll.AllSync, Out: coll.AllSync},
	{Transfer: coll.Rendezvous, Address: coll.Local},
	{Transfer: coll.Rendezvous, Address: coll.Bounced},
	{Transfer: coll.PutOnly, In: coll.NoSync, Out: coll.AllSync},
	{Transfer: coll.PutOnly, In: coll.NoSync, Out: coll.NoSync},
	{Transfer: coll.PutOnly, Address: coll.Local, In: coll.MySync, Out: coll.AllSync},
}

func modeName(m coll.Modes) string {
	return fmt.Sprintf("%s, %s, %s in, %s out", m.Transfer, m.Address, m.In, m.Out)
}

// testModes runs every algorithm in every mode, on members whose segments are used
// differently.
func (s *suite) testModes(t *testing.T) {
	every, teams := 1, []int{2, 3, 6}
	if os.Getenv("CONFORM") == "" { // each mode has other algorithms
		every = 3
	}
	if testing.Short() {
		every, teams = 7, []int{6}
	}
	for i, m := range modes {
		t.Run(modeName(m), func(t *testing.T) {
			for _, ranks := range teams {
				spec := s.spec(ranks)
				spec.Segment = 1 << 18
				s.run(t, spec, func(p *proc) {
					c, at := p.roomy(p.All(), m)
					for j, a := range coll.All() {
						if ((i+j)%every == 0 || m.Transfer == coll.PutOnly) && c.Serves(a) {
							p.inMode(c, a, p.All(), m, at)
						}
					}
					p.ok(c.Free())
				})
			}
		})
	}
	s.test(t, "one-sided calls under way on a slot each, and more than there are slots", 4, func(p *proc) {
		for _, m := range modes {
			if m.Address != coll.Bounced {
				continue
			}
			c, err := coll.New(p.Rank, p.All())
			p.ok(err)
			p.ok(c.Reserve(coll.Room{Words: 100, Bytes: 1 << 10}, 5))
			var runs []*coll.Run
			var checks []func()
			for i := range s.times(40) {
				what := coll.Collective(i % int(coll.OpScan))
				all := serving(c, what)
				a := all[i%len(all)]
				call, check := p.call(a, p.All(), 16, i%p.Ranks(), m)
				if call.Key.Ranks == 0 {
					continue
				}
				x, err := c.Start(call)
				p.ok(err)
				runs, checks = append(runs, x), append(checks, check)
				if i%8 == 7 || i == s.times(40)-1 {
					for j := range slices.Backward(runs) {
						p.ok(runs[j].Wait())
						checks[j]()
					}
					runs, checks = runs[:0], checks[:0]
				}
			}
			for _, x := range runs {
				p.ok(x.Wait())
			}
			p.ok(c.Free())
		}
	})
	s.test(t, "room that was reserved is given back", 4, func(p *proc) {
		mark := p.Lib().Heap()
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		a, err := coll.Find(coll.OpBcast, "knomial")
		p.ok(err)
		for i := range 3 { // together more than the segment has
			p.ok(c.Reserve(coll.Room{Words: 40, Bytes: int64(len(p.Segment()))/4 - int64(i)*64 - 4096}, 1))
			call, check := p.call(a, p.All(), 16, i, coll.Modes{Transfer: coll.Put, Address: coll.Bounced, In: coll.NoSync})
			p.ok(c.Do(call))
			check()
		}
		p.ok(c.Free())
		p.check(p.Lib().Heap() == mark, "%d B of the segment are in use, %d before", p.Lib().Heap(), mark)
		kept, err := p.Alloc(64)
		p.ok(err)
		c, err = coll.New(p.Rank, p.All())
		p.ok(err)
		p.ok(c.Reserve(coll.Room{Words: 40, Bytes: 64}, 1))
		_, err = p.Alloc(64)
		p.ok(err)
		used := p.Lib().Heap()
		p.ok(c.Free()) // what lies behind keeps it
		p.check(p.Lib().Heap() == used, "%d B of the segment are in use, want %d", p.Lib().Heap(), used)
		p.ok(p.Release(kept))
	})
	s.test(t, "the places of a team follow from its members", 4, func(p *proc) {
		l := &p.Spec().Layout
		want := coll.Places{Per: int32(l.RanksPerNode)}
		if l.RanksPerNode == 1 {
			want = coll.Places{}
		}
		p.check(coll.PlacesOf(l, p.All()) == want, "places %v of the world, want %v", coll.PlacesOf(l, p.All()), want)
		turned, err := p.Split(p.All(), 0, p.ID()%l.RanksPerNode*100+p.ID())
		p.ok(err)
		if l.Nodes > 1 && l.RanksPerNode > 1 {
			want = coll.Places{Places: int32(l.Nodes)}
		}
		p.check(coll.PlacesOf(l, turned) == want, "places %v of a team dealt to nodes, want %v", coll.PlacesOf(l, turned), want)
		odd, err := p.Split(p.All(), 0, (p.ID()+1)%4)
		p.ok(err)
		if l.Nodes > 1 && l.RanksPerNode > 1 {
			p.check(coll.PlacesOf(l, odd) == coll.Places{}, "places %v of a team that begins inside a node", coll.PlacesOf(l, odd))
		}
	})
	s.test(t, "a pointer to shared names the root", 4, func(p *proc) {
		words, err := upc.NewShared[int64](p.Rank, 8, 1)
		p.ok(err)
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		for from := range p.Ranks() {
			at := words.Ptr(p.Ranks() + from) // the second word of that thread
			root, place, err := c.Root(at)
			p.ok(err)
			same(p, "root", root, from)
			a, err := coll.Find(coll.OpBcast, "knomial")
			p.ok(err)
			key, err := a.Key(coll.Parameters{Ranks: p.Ranks(), Modes: coll.Modes{Transfer: coll.Put}})
			p.ok(err)
			blocks := key.Blocks(8, 8)
			p.ok(c.Reserve(key.Room(blocks), 1))
			if p.ID() == from {
				p.ok(at.Store(p.Rank, int64(100+from)))
			}
			p.ok(c.Do(coll.Call{Key: key, Root: root, OutAt: place, Blocks: blocks}))
			same(p, "word", int(cluster.View[int64](p.Segment()[place.Off:])[0]), 100+from)
		}
		p.ok(c.Free())
	})
	s.test(t, "what one-sided transfers cannot do is refused", 2, func(p *proc) {
		c, err := coll.New(p.Rank, p.All())
		p.ok(err)
		a, err := coll.Find(coll.OpBcast, "knomial")
		p.ok(err)
		put := coll.Modes{Transfer: coll.Put, In: coll.NoSync}
		call, _ := p.call(a, p.All(), 8, 0, put)
		_, err = c.Start(call)
		p.fails(err, "bcast by put", "no room in the segments", "Reserve")
		p.ok(c.Reserve(coll.Room{Words: 20, Bytes: 128}, 1))
		call.OutAt = &coll.At{Of: []int64{8}}
		_, err = c.Start(call)
		p.fails(err, "1 addresses", "each of 2 members")
		call.OutAt = &coll.At{Off: int64(len(p.Segment())) - 4}
		_, err = c.Start(call)
		p.fails(err, "out of 8 B at", "the segment has")
		call.OutAt = &coll.At{Off: 0}
		_, err = c.Start(call)
		p.fails(err, "out is not where its address says")
		call, _ = p.call(a, p.All(), 1000, 0, coll.Modes{Transfer: coll.Put, Address: coll.Bounced})
		_, err = c.Start(call)
		p.fails(err, "slots of 24 words and 128 B, the call needs")
		p.ok(c.Free())
	})
}

// longest is how many bytes the largest blocks of a test have.
const longest = 2*eager + 40

// roomy makes a Comm with room for any call of the tests, and gives where this member,
// unlike the others, may have its two buffers.
func (p *proc) roomy(team *cluster.Team, m coll.Modes) (*coll.Comm, [2]int64) {
	_, err := p.Alloc(int64(8 + 100*(p.ID()%3)))
	p.ok(err)
	var at [2]int64
	for i := range at {
		at[i], err = p.Alloc(int64(longest * team.Size()))
		p.ok(err)
	}
	c, err := coll.New(p.Rank, team)
	p.ok(err)
	var most coll.Room
	for _, a := range coll.All() {
		if call, _ := p.call(a, team, longest, 0, m); call.Key.Ranks > 0 {
			most = most.Most(call.Key.Room(call.Blocks))
		}
	}
	if m.Transfer != coll.TwoSided {
		p.ok(c.Reserve(most, 4))
	}
	return c, at
}

// inMode runs an algorithm in a mode: on blocks of none, of one element, and longer
// ones than are eager; from the first and the last root.
func (p *proc) inMode(c *coll.Comm, a *coll.Algorithm, team *cluster.Team, m coll.Modes, at [2]int64) {
	for _, n := range []int{0, 8, longest} {
		for _, root := range []int{0, team.Size() - 1} {
			if root > 0 && !a.Collective.Rooted() || m.Transfer == coll.PutOnly && !ends(a) {
				continue
			}
			call, check := p.placed(a, team, n, root, m, at)
			if call.Key.Ranks == 0 {
				continue
			}
			p.ok(p.Barrier(team)) // all have their data where the others may read and write
			p.ok(c.Do(call))
			if m.Out == coll.NoSync {
				p.ok(p.Barrier(team))
			}
			check()
			p.ok(p.Barrier(team))
		}
	}
}

// ends reports whether no member passes on what comes to it.
func ends(a *coll.Algorithm) bool {
	return a.Name == "flat" && (a.Collective == coll.OpBcast || a.Collective == coll.OpScatter || a.Collective == coll.OpExchange || a.Collective == coll.OpAllgather)
}

// placed is a call whose buffers are in the segments, unless its bytes go through the
// library's.
func (p *proc) placed(a *coll.Algorithm, team *cluster.Team, n, root int, m coll.Modes, at [2]int64) (coll.Call, func()) {
	call, check := p.call(a, team, n, root, m)
	if call.Key.Ranks == 0 || m.Transfer == coll.TwoSided || m.Address == coll.Bounced {
		return call, check
	}
	given := [2][]byte{call.In.Bytes(), call.Out.Bytes()}
	for i, b := range given {
		copy(p.Segment()[at[i]:], b)
	}
	place := func(off int64) *coll.At {
		if m.Address == coll.Local {
			return &coll.At{Off: off}
		}
		all := make([]int64, team.Size())
		p.ok(coll.Allgather(p.Rank, team, cluster.Of([]int64{off}), cluster.Of(all)))
		return &coll.At{Of: all}
	}
	call.InAt, call.OutAt = place(at[0]), place(at[1])
	call.In, call.Out = cluster.Data{}, cluster.Data{}
	return call, func() {
		copy(given[0], p.Segment()[at[0]:])
		copy(given[1], p.Segment()[at[1]:])
		check()
	}
}
