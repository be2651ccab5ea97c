package coll

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// partsOf returns the registered algorithms that the parts of a form may use.
func partsOf(f *form) [][]Part {
	all := [][]Part{nil}
	for _, p := range f.parts {
		var longer [][]Part
		for _, before := range all {
			for _, a := range Of(p.what) {
				longer = append(longer, append(slices.Clip(before), Part{Level: p.level, Algorithm: a}))
			}
		}
		all = longer
	}
	return all
}

// compositions returns all compositions of registered algorithms. A seed shuffles them.
func compositions(t *testing.T, seed uint64) []*Algorithm {
	var all []*Algorithm
	for i := range forms {
		for _, parts := range partsOf(&forms[i]) {
			if a, err := Compose(forms[i].of, parts); err == nil {
				all = append(all, a)
			}
		}
	}
	if len(all) < 150 {
		t.Fatalf("%d compositions, want at least 150", len(all))
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestOracleOfCompositions checks that compositions of all forms have the defined result of their
// collective. They run by messages and by puts, for several roots and sizes, on equal and unequal nodes.
func TestOracleOfCompositions(t *testing.T) {
	const seed = 1
	ran := map[Collective]int{}
	for i, a := range compositions(t, seed) {
		teams := []int{1, 2, 3, 4, 6, 7, 8, 12, 16, 17}
		if !exhaustive() { // two teams, different ones for each composition
			teams = []int{teams[i%len(teams)], teams[(3*i+5)%len(teams)]}
			if testing.Short() && i%4 > 0 {
				continue
			}
		}
		for _, p := range teams {
			for j, k := range keys(a, p) {
				roots := []int32{0}
				if a.Collective.Rooted() && p > 1 {
					roots = append(roots, int32((i+j)%p))
				}
				for n, m := range []Modes{{}, {Transfer: Put}, {In: AllSync, Out: AllSync}, {Transfer: Put, In: NoSync, Out: AllSync}} {
					if a.Collective == OpBarrier && n > 0 {
						continue
					}
					k.Modes = m
					for _, root := range roots {
						c := trial{key: k, cache: &Cache{}, root: root, n: []int64{0, 2, 6, 128}[(i+j+n)%4], seed: uint64(seed + i), sync: (i + n) % 3 * 50}
						if _, err := c.run(); err != nil {
							t.Fatalf("%s, %s: %v", c, m.Transfer, err)
						}
						ran[a.Collective]++
					}
				}
			}
		}
	}
	for _, what := range []Collective{OpBcast, OpReduce, OpAllreduce, OpAllgather, OpReduceScatter, OpBarrier} {
		if ran[what] < 8 {
			t.Errorf("%s: %d trials", what, ran[what])
		}
	}
}

// TestClassesOfCompositions checks that ranks of one class have the same schedule.
func TestClassesOfCompositions(t *testing.T) {
	for i, a := range compositions(t, 3) {
		if !exhaustive() && i%5 > 0 {
			continue
		}
		for _, k := range keys(a, 12) {
			for _, root := range []int32{0, 5} {
				if root > 0 && !a.Collective.Rooted() {
					continue
				}
				k.setRoot(root)
				first := map[int64]*Schedule{}
				for rel := range k.Ranks {
					s := k.Make(rel)
					for i := range s.Nodes {
						if !s.Nodes[i].Peer.Xor {
							s.Nodes[i].Peer.D = wrap(s.Nodes[i].Peer.D, k.Ranks)
						}
					}
					if other := first[k.class(rel)]; other != nil && !s.equal(other) {
						t.Fatalf("%s, places %v, root %d: rank %d has another schedule than its class", a.Name, k.Places, root, rel)
					}
					first[k.class(rel)] = s
				}
			}
		}
	}
}

// TestCompositionsCostTheSumOfTheirParts compares the modelled time of a composition with the sum of
// its parts' times.
func TestCompositionsCostTheSumOfTheirParts(t *testing.T) {
	c := Cost{L: 5000, O: 300, Gap: 200, G: 2, Copy: 1, Combine: 3}
	const ranks, n = 16, 1 << 14
	part := func(what Collective, name string, ranks int, n int64) cluster.Time {
		a, err := Find(what, name)
		if err != nil {
			t.Fatal(err)
		}
		k, err := a.Key(Parameters{Ranks: ranks})
		if err != nil {
			t.Fatal(err)
		}
		return k.Predict(&c, n)
	}
	for _, x := range []struct {
		what Collective
		text string
		want cluster.Time
	}{
		{OpAllreduce, "reduce-scatter ring + allgather ring", part(OpReduceScatter, "ring", 16, n/16) + part(OpAllgather, "ring", 16, n/16)},
		{OpAllreduce, "reduce knomial + bcast scatter-allgather", part(OpReduce, "knomial", 16, n) + part(OpBcast, "scatter-allgather", 16, n)},
		{OpAllgather, "gather flat + bcast knomial", part(OpGather, "flat", 16, n) + part(OpBcast, "knomial", 16, 16*n)},
		{OpAllreduce, "node reduce flat + leaders allreduce recursive-doubling + node bcast flat",
			part(OpReduce, "flat", 4, n) + part(OpAllreduce, "recursive-doubling", 4, n) + part(OpBcast, "flat", 4, n)},
	} {
		a, err := Find(x.what, x.text)
		if err != nil {
			t.Fatal(err)
		}
		p := Parameters{Ranks: ranks}
		if a.UsesPlaces {
			p.Places = Places{Per: 4}
		}
		k, err := a.Key(p)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.Predict(&c, n); got != x.want || got == 0 {
			t.Errorf("%s by %s: %s, want %s", x.what, x.text, got, x.want)
		}
	}
}

// TestPredictionsOfCompositions compares the priced messages of a composition with its modelled time.
// A rank may begin a part before others have ended the part before.
func TestPredictionsOfCompositions(t *testing.T) {
	c := Cost{L: 2500, O: 1500, Gap: 1000, G: 6, Copy: 1, Combine: 2}
	for i, a := range compositions(t, 4) {
		if !exhaustive() && i%4 > 0 {
			continue
		}
		for _, ranks := range []int{4, 8, 12, 16} {
			for _, k := range keys(a, ranks) {
				for _, n := range []int64{8, 4096} {
					tr, err := Price(k, 0, k.Blocks(n, 1), c)
					if err != nil {
						t.Fatal(err)
					}
					if got, want := float64(tr.Last()), float64(k.Predict(&c, n)); k.Segments == 1 && (got > 1.3*want || got < 0.5*want) {
						t.Errorf("%s by %s: ranks %d, places %v, %d B: priced %g, predicted %g", a.Collective, a.Name, ranks, k.Places, n, got, want)
					}
				}
			}
		}
	}
}

// TestParseComposition checks that equal compositions are one algorithm, and that invalid ones are
// errors with a hint.
func TestParseComposition(t *testing.T) {
	a, err := Find(OpAllreduce, " reduce-scatter ring+allgather  ring")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Find(OpAllreduce, a.Name); err != nil || a != b || a.Name != "reduce-scatter ring + allgather ring" {
		t.Errorf("%q is %p, %p, %v", a.Name, a, b, err)
	}
	for _, x := range []struct {
		what       Collective
		text, want string
	}{
		{OpAllreduce, "reduce-scatter ring +", "part 2 of the composition: \"\": want a collective and its algorithm"},
		{OpAllreduce, "reduce-scatter ring + allgather rings", "part 2 of the composition: allgather by \"rings\": want one of"},
		{OpAllreduce, "allgather ring + reduce-scatter ring", "these parts do not make allreduce: want reduce-scatter + allgather, or reduce + bcast"},
		{OpExchange, "scatter flat + gather flat", "no compositions of this collective (use one of its algorithms)"},
		{OpAllreduce, "reduce direct + bcast knomial", "it uses no messages (use"},
		{OpAllreduce, "reduce knomial radix 4 + bcast knomial radix x", "radix x: want a whole number"},
		{OpAllreduce, "reduce-scatter ring radix 3 + allgather ring", "the algorithm has no radix"},
		{OpBcast, "leaders bcast knomial + node bcast scatter-allgather", "it divides the data by ranks"},
		{OpBcast, "leaders bcast hierarchical + node bcast flat", "a level has no further levels"},
		{OpBcast, "rack bcast flat + node bcast flat", "part 1 of the composition: \"rack bcast flat \": want"},
	} {
		if _, err := Find(x.what, x.text); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s by %s: %v, want %q", x.what, x.text, err, x.want)
		}
	}
	a, err = Find(OpAllreduce, "reduce-scatter recursive-halving + allgather ring")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Key(Parameters{Ranks: 6}); err == nil || !strings.Contains(err.Error(), "6 ranks: want a power of two") {
		t.Errorf("recursive halving of 6 ranks: %v", err)
	}
}
