package coll

import (
	"sync"
	"testing"
)

// Ranks share schedules: a class has one schedule, and each rank uses the schedule of its class.
func TestClasses(t *testing.T) {
	for _, a := range All() {
		for _, p := range []int{1, 2, 3, 7, 8, 12, 16, 33} {
			for _, k := range keys(a, p) {
				var c Cache
				for rel := range k.Ranks {
					if got, want := c.Schedule(k, rel), k.Make(rel); !got.equal(want) {
						t.Fatalf("%s by %s, ranks %d, radix %d: rank %d has the schedule of another class", a.Collective, a.Name, p,
							k.Radix, rel)
					}
				}
			}
		}
	}
}

// A large team needs few schedules.
func TestSchedulesOfLargeTeams(t *testing.T) {
	for _, c := range []struct {
		collective Collective
		name       string
		ranks      int
		radix      int
		want       int
	}{
		{OpBcast, "knomial", 65_536, 0, 17},
		{OpScatter, "knomial", 65_536, 0, 17},
		{OpReduce, "knomial", 65_536, 0, 17},
		{OpBcast, "knomial", 65_536, 4, 25},
		{OpBcast, "chain", 65_536, 0, 3},
		{OpBarrier, "dissemination", 65_536, 0, 1},
		{OpBarrier, "dissemination", 50_000, 8, 1},
		{OpAllgather, "recursive-doubling", 4096, 0, 1},
		{OpAllreduce, "recursive-doubling", 65_536, 0, 1},
		{OpAllreduce, "recursive-doubling", 50_000, 0, 3},
		{OpAllreduce, "rabenseifner", 50_000, 0, 3},
		{OpAllreduce, "ring", 4096, 0, 1},
		{OpExchange, "bruck", 4096, 4, 1},
		{OpExchange, "flat", 4096, 0, 1},
		{OpScan, "recursive-doubling", 65_536, 0, 32},
		{OpGather, "flat", 65_537, 0, 65_537},
	} {
		a, err := Find(c.collective, c.name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.Key(Parameters{Ranks: c.ranks, Radix: c.radix})
		if err != nil {
			t.Fatal(err)
		}
		var cache Cache
		for rel := range k.Ranks {
			cache.Schedule(k, rel)
		}
		if cache.Size() != c.want {
			t.Errorf("%s by %s, %d ranks, radix %d: %d schedules, want %d", c.collective, c.name, c.ranks, k.Radix,
				cache.Size(), c.want)
		}
	}
}

// TestNodeWaitsForManyOthers checks a schedule in which all blocks of more than 65,535 ranks arrive before its end.
func TestNodeWaitsForManyOthers(t *testing.T) {
	a, err := Find(OpGather, "flat")
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Key(Parameters{Ranks: 70_000})
	if err != nil {
		t.Fatal(err)
	}
	s := k.Make(0)
	waits := make([]int, len(s.Nodes))
	for i := range s.Nodes {
		for _, next := range s.Next(i) {
			waits[next]++
		}
	}
	for i, n := range waits {
		if n != int(s.Nodes[i].Deps) {
			t.Fatalf("node %d waits for %d others, and counts %d", i, n, s.Nodes[i].Deps)
		}
	}
	last := len(s.Nodes) - 1
	if n := len(s.Next(last)); n > 0 || waits[last] != 2 {
		t.Errorf("the last node waits for %d groups, and %d nodes wait for it", waits[last], n)
	}
}

// Many ranks may use one cache concurrently, and get the same schedules.
func TestCacheOfManyRanks(t *testing.T) {
	a, err := Find(OpBcast, "knomial")
	if err != nil {
		t.Fatal(err)
	}
	k, err := a.Key(Parameters{Ranks: 64})
	if err != nil {
		t.Fatal(err)
	}
	var c Cache
	var group sync.WaitGroup
	got := make([][]*Schedule, 4)
	for i := range got {
		group.Go(func() {
			for rel := range k.Ranks {
				got[i] = append(got[i], c.Schedule(k, rel))
			}
		})
	}
	group.Wait()
	for i := range got {
		for rel := range k.Ranks {
			if got[i][rel] != got[0][rel] {
				t.Fatalf("rank %d has two schedules", rel)
			}
		}
	}
	if c.Size() != 7 {
		t.Errorf("%d schedules, want 7", c.Size())
	}
}

// Restrictions of algorithms are errors with a reason.
func TestRestrictions(t *testing.T) {
	for _, c := range []struct {
		collective Collective
		name       string
		p          Parameters
		want       string
	}{
		{OpBcast, "knomial", Parameters{Ranks: 0}, "bcast by knomial: 0 ranks: from 1 to 1048576"},
		{OpBcast, "knomial", Parameters{Ranks: 8, Radix: 1}, "bcast by knomial: radix 1: from 2 to 4096"},
		{OpBcast, "chain", Parameters{Ranks: 8, Radix: 2}, "bcast by chain: radix 2: it has none"},
		{OpBcast, "chain", Parameters{Ranks: 8, Segments: 70_000}, "bcast by chain: 70000 segments: from 1 to 65535"},
		{OpScatter, "chain", Parameters{Ranks: 8, Segments: 2}, "scatter by chain: 2 segments: it has none"},
		{OpAllgather, "recursive-doubling", Parameters{Ranks: 6},
			"allgather by recursive-doubling: 6 ranks: want a power of two"},
		{OpAllgather, "neighbour-exchange", Parameters{Ranks: 7},
			"allgather by neighbour-exchange: 7 ranks: want an even number"},
	} {
		a, err := Find(c.collective, c.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := a.Key(c.p); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	const want = `bcast by "ring": want one of chain, flat, fork, hierarchical, kary, knomial, ` +
		`scatter-allgather, direct, staged, hardware`
	if _, err := Find(OpBcast, "ring"); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// The size of a team's temporary buffers follows from one member of each class.
func TestTemporary(t *testing.T) {
	for _, a := range All() {
		for _, p := range []int{1, 5, 8, 12} {
			for _, k := range keys(a, p) {
				for _, blocks := range []Blocks{k.Blocks(24, 8), k.Blocks(7, 1)} {
					all := int64(0)
					for rel := range k.Ranks {
						at := Place{Schedule: k.Make(rel), Rel: rel, Blocks: blocks}
						for i := range at.Schedule.Temps {
							all += aligned8(at.Size(temps + Buf(i)))
						}
					}
					if got := k.Temporary(blocks); got != all {
						t.Errorf("%s by %s, ranks %d, radix %d, places %v: %d B, want %d", a.Collective, a.Name, p, k.Radix, k.Places,
							got, all)
					}
				}
			}
		}
	}
}
