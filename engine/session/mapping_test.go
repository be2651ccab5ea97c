package session

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// between returns the bytes between nodes of a placement, in a second way.
func between(bytes [][]int64, positions []int32, perNode int) (sum int64) {
	for i := range bytes {
		for j, b := range bytes[i] {
			if int(positions[i])/perNode != int(positions[j])/perNode {
				sum += b
			}
		}
	}
	return sum
}

// TestMappingsCannotBeImproved tests that the mapping of random traffic is a permutation with the cost
// that it states. Neither a swap of two ranks nor a start of the search is cheaper.
func TestMappingsCannotBeImproved(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		perNode := 1 + rng.IntN(4)
		n := perNode * (1 + rng.IntN(5))
		bytes, start := make([][]int64, n), make([]int, n)
		for i := range bytes {
			start[i] = i / perNode
			bytes[i] = make([]int64, n)
			for j := range bytes[i] {
				bytes[i][j] = max(0, rng.Int64N(200)-100)
			}
		}
		at, cost := cheapestMapping(bytes, perNode, start)
		if err := cluster.CheckPositions(at); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if got := between(bytes, at, perNode); got != cost {
			t.Errorf("seed %d: %d bytes between nodes, stated %d", seed, got, cost)
		}
		sequential := make([]int32, n)
		for i := range sequential {
			sequential[i] = int32(i)
		}
		if was := between(bytes, sequential, perNode); cost > was {
			t.Errorf("seed %d: %d bytes between nodes, sequential %d", seed, cost, was)
		}
		for i := range at {
			for j := range i {
				swapped := slices.Clone(at)
				swapped[i], swapped[j] = at[j], at[i]
				if got := between(bytes, swapped, perNode); got < cost {
					t.Errorf("seed %d: swapping ranks %d and %d has %d bytes between nodes, want at least %d", seed, i, j, got, cost)
				}
			}
		}
	}
}

// TestPartnersShareANode tests that ranks that send only to a partner far away share a node with it, in the same way each time.
func TestPartnersShareANode(t *testing.T) {
	const n = 16
	bytes := make([][]int64, n)
	for i := range bytes {
		bytes[i] = make([]int64, n)
		bytes[i][(i+n/2)%n] = 100
	}
	first, cost := cheapestMapping(bytes, 4)
	if cost != 0 {
		t.Errorf("%d bytes between nodes, want 0", cost)
	}
	if again, _ := cheapestMapping(bytes, 4); !slices.Equal(first, again) {
		t.Errorf("%v, then %v", first, again)
	}
}

// TestCheapestRanking tests that a session replaces ranking = cheapest by the positions that it found, and finds others for another
// scenario. Its counters see the bytes that the value names.
func TestCheapestRanking(t *testing.T) {
	sc, err := Scenario("heat")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range [][2]string{{"fabric", "sim"}, {"machine", "demo"}, {"nodes", "4"}, {"ranks-per-node", "4"},
		{"ranking", "cheapest"}} {
		if err := sc.Set(k[0], k[1]); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Fabrics: Fabrics()}
	set, err := o.resolve(sc, "")
	if err != nil {
		t.Fatal(err)
	}
	const want = "cheapest (184.9 KiB of 275.2 KiB between nodes): 0-1 4-5 2-3 6-9 12-13 10-11 14-15"
	if got := set.scenario.Text("ranking"); got != want {
		t.Errorf("ranking = %q, want %q", got, want)
	}
	if got := string(set.spec.Layout.Ranking); "cheapest (184.9 KiB of 275.2 KiB between nodes): "+got != want {
		t.Errorf("the layout has ranking %q", got)
	}
	next, err := o.planChange(&set.scenario, "nodes", "2")
	if err != nil || next.spec.Layout.Ranks() != 8 || !next.spec.Layout.Ranking.IsList() {
		t.Errorf("with two nodes: %+v, %v", next.spec.Layout, err)
	}
	if one, err := o.planChange(&set.scenario, "nodes", "1"); err != nil || one.spec.Layout.Ranking != cluster.Sequential {
		t.Errorf("with one node: %+v, %v", one.spec.Layout, err)
	}
}
