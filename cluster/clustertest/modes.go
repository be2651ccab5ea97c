package clustertest

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/cluster/upc"
	"github.com/hybridtop/hybridtop/internal/race"
)

// modes are the ways in which a collective moves its bytes.
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

var modeCases = []testCase{
	{"algorithms run in every mode on different layouts of segments", algorithmsRunInModes},
	{"more one-sided calls than slots are in progress at once", onRanks(4, callsShareSlots)},
	{"Free returns the scratch space that Reserve took", onRanks(4, freeReturnsRoom)},
	{"the places of a team follow from its members", onRanks(4, placesFollowMembers)},
	{"a pointer to shared memory names the root", onRanks(4, pointersNameRoot)},
	{"calls that one-sided transfers cannot make are refused", onRanks(2, impossibleModesAreRefused)},
}

func algorithmsRunInModes(s *suite, t *testing.T) {
	every, teams := 1, []int{2, 3, 6}
	if os.Getenv("CONFORM") == "" || s.scale > 1 { // each mode has other algorithms
		every = 3
	}
	if testing.Short() || race.Enabled && os.Getenv("CONFORM") == "" {
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
}

// comm returns a Comm of a team.
func (p *proc) comm(team *cluster.Team) *coll.Comm {
	c, err := coll.New(p.Rank, team)
	p.ok(err)
	return c
}

// algorithm returns an algorithm by its name.
func (p *proc) algorithm(what coll.Collective, name string) *coll.Algorithm {
	a, err := coll.Find(what, name)
	p.ok(err)
	return a
}

// start starts a call that must not fail.
func (p *proc) start(c *coll.Comm, call coll.Call) *coll.Run {
	x, err := c.Start(call)
	p.ok(err)
	return x
}

func callsShareSlots(p *proc) {
	n := p.times(40)
	for _, m := range modes {
		if m.Address != coll.Bounced {
			continue
		}
		c := p.comm(p.All())
		p.ok(c.Reserve(coll.Room{Words: 100, Bytes: 1 << 10}, 5))
		var ends []func()
		for i := range n {
			all := serving(c, coll.Collective(i%int(coll.OpScan)))
			if call, check := p.call(all[i%len(all)], p.All(), 16, i%p.Ranks(), m); call.Key.Ranks > 0 {
				x := p.start(c, call)
				ends = append(ends, func() { p.ok(x.Wait()); check() })
			}
			if i%8 == 7 || i == n-1 {
				for _, end := range slices.Backward(ends) {
					end()
				}
				ends = nil
			}
		}
		p.ok(c.Free())
	}
}

func freeReturnsRoom(p *proc) {
	used := p.Lib().Heap()
	c := p.comm(p.All())
	bcast := p.algorithm(coll.OpBcast, "knomial")
	for i := range 3 { // together more than the segment has
		p.ok(c.Reserve(coll.Room{Words: 40, Bytes: int64(len(p.Segment()))/4 - int64(i)*64 - 4096}, 1))
		call, check := p.call(bcast, p.All(), 16, i, coll.Modes{Transfer: coll.Put, Address: coll.Bounced, In: coll.NoSync})
		p.ok(c.Do(call))
		check()
	}
	p.ok(c.Free())
	same(p, "bytes in use after Free", p.Lib().Heap(), used)
	kept, err := p.Alloc(64)
	p.ok(err)
	c = p.comm(p.All())
	p.ok(c.Reserve(coll.Room{Words: 40, Bytes: 64}, 1))
	p.ok(only(p.Alloc(64)))
	used = p.Lib().Heap()
	p.ok(c.Free()) // memory behind it is in use
	same(p, "bytes in use below others", p.Lib().Heap(), used)
	p.ok(p.Release(kept))
}

func placesFollowMembers(p *proc) {
	l := &p.Spec().Layout
	world, dealt := coll.Places{Per: int32(l.RanksPerNode)}, coll.Places{Places: int32(l.Nodes)}
	if l.RanksPerNode == 1 {
		world = coll.Places{}
	}
	same(p, "places of the world", coll.PlacesOf(l, p.All()), world)
	turned, err := p.Split(p.All(), 0, p.ID()%l.RanksPerNode*100+p.ID())
	p.ok(err)
	odd, err := p.Split(p.All(), 0, (p.ID()+1)%4)
	p.ok(err)
	if l.Nodes == 1 || l.RanksPerNode == 1 {
		same(p, "places of a team in another order", coll.PlacesOf(l, turned), world)
		return
	}
	same(p, "places of a team distributed over nodes", coll.PlacesOf(l, turned), dealt)
	same(p, "places of a team that begins inside a node", coll.PlacesOf(l, odd), coll.Places{})
}

func pointersNameRoot(p *proc) {
	words, err := upc.NewShared[int64](p.Rank, 8, 1)
	p.ok(err)
	c := p.comm(p.All())
	key, err := p.algorithm(coll.OpBcast,
		"knomial").Key(coll.Parameters{Ranks: p.Ranks(), Modes: coll.Modes{Transfer: coll.Put}})
	p.ok(err)
	blocks := key.Blocks(8, 8)
	for from := range p.Ranks() {
		at := words.Ptr(p.Ranks() + from) // the second word of that thread
		root, rootWord, err := c.Root(at)
		p.ok(err)
		same(p, "root", root, from)
		p.ok(c.Reserve(key.Room(blocks), 1))
		if p.ID() == from {
			p.ok(at.Store(p.Rank, int64(100+from)))
		}
		p.ok(c.Do(coll.Call{Key: key, Root: root, OutAt: rootWord, Blocks: blocks}))
		same(p, "word", int(cluster.View[int64](p.Segment()[rootWord.Off:])[0]), 100+from)
	}
	p.ok(c.Free())
}

func impossibleModesAreRefused(p *proc) {
	c, bcast := p.comm(p.All()), p.algorithm(coll.OpBcast, "knomial")
	call, _ := p.call(bcast, p.All(), 8, 0, coll.Modes{Transfer: coll.Put, In: coll.NoSync})
	p.fails(only(c.Start(call)), "bcast by put", "no space in the segments", "Reserve")
	p.ok(c.Reserve(coll.Room{Words: 20, Bytes: 128}, 1))
	call.OutAt = &coll.At{Of: []int64{8}}
	p.fails(only(c.Start(call)), "1 addresses", "each of 2 members")
	call.OutAt = &coll.At{Off: int64(len(p.Segment())) - 4}
	p.fails(only(c.Start(call)), "out of 8 B at", "the segment has")
	call.OutAt = &coll.At{Off: 0}
	p.fails(only(c.Start(call)), "out is not at its address")
	call, _ = p.call(bcast, p.All(), 1000, 0, coll.Modes{Transfer: coll.Put, Address: coll.Bounced})
	p.fails(only(c.Start(call)), "slots of 24 words and 128 B, the call needs")
	p.ok(c.Free())
}

// longest is the size of the largest blocks of a test in bytes.
const longest = 2*eager + 40

// roomy returns a Comm with room for any call of the tests, and the offsets of two buffers
// of this member, which differ between members.
func (p *proc) roomy(team *cluster.Team, m coll.Modes) (*coll.Comm, [2]int64) {
	p.ok(only(p.Alloc(int64(8 + 100*(p.ID()%3)))))
	var at [2]int64
	for i := range at {
		var err error
		at[i], err = p.Alloc(int64(longest * team.Size()))
		p.ok(err)
	}
	c, largest := p.comm(team), coll.Room{}
	for _, a := range coll.All() {
		if call, _ := p.call(a, team, longest, 0, m); call.Key.Ranks > 0 {
			largest = largest.Max(call.Key.Room(call.Blocks))
		}
	}
	if m.Transfer != coll.TwoSided {
		p.ok(c.Reserve(largest, 4))
	}
	return c, at
}

// inMode runs an algorithm in a mode, from the first and the last root. Blocks are empty,
// of one element, and longer than eager ones.
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

// ends reports whether no member forwards received data.
func ends(a *coll.Algorithm) bool {
	return a.Name == "flat" &&
		slices.Contains([]coll.Collective{coll.OpBcast, coll.OpScatter, coll.OpExchange, coll.OpAllgather}, a.Collective)
}

// placed is a call whose buffers are in the segments, unless the library bounces its bytes.
func (p *proc) placed(a *coll.Algorithm, team *cluster.Team, n, root int, m coll.Modes,
	at [2]int64) (coll.Call, func()) {
	call, check := p.call(a, team, n, root, m)
	if call.Key.Ranks == 0 || m.Transfer == coll.TwoSided || m.Address == coll.Bounced {
		return call, check
	}
	given := [2][]byte{call.In.Bytes(), call.Out.Bytes()}
	for i, b := range given {
		copy(p.Segment()[at[i]:], b)
	}
	locate := func(off int64) *coll.At {
		if m.Address == coll.Local {
			return &coll.At{Off: off}
		}
		all := make([]int64, team.Size())
		p.ok(coll.Allgather(p.Rank, team, cluster.Of([]int64{off}), cluster.Of(all)))
		return &coll.At{Of: all}
	}
	call.InAt, call.OutAt = locate(at[0]), locate(at[1])
	call.In, call.Out = cluster.Data{}, cluster.Data{}
	return call, func() {
		copy(given[0], p.Segment()[at[0]:])
		copy(given[1], p.Segment()[at[1]:])
		check()
	}
}
