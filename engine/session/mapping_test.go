package session

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
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
		at, cost, err := cheapestMapping(t.Context(), bytes, perNode, start)
		if err != nil {
			t.Fatal(err)
		}
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
	first, cost, err := cheapestMapping(t.Context(), bytes, 4)
	if err != nil {
		t.Fatal(err)
	}
	if cost != 0 {
		t.Errorf("%d bytes between nodes, want 0", cost)
	}
	if again, _, _ := cheapestMapping(t.Context(), bytes, 4); !slices.Equal(first, again) {
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

// TestPositionsFollowDistances tests that ranks in a row of nodes have the shortest routes on a torus of
// one dimension, and that partners of one node have the same socket.
func TestPositionsFollowDistances(t *testing.T) {
	const nodes, perNode = 8, 4
	bytes := make([][]int64, nodes*perNode)
	for i := range bytes {
		bytes[i] = make([]int64, len(bytes))
	}
	order := rand.New(rand.NewPCG(1, 1)).Perm(nodes)
	for k, node := range order { // a ring through the nodes, and pairs that sequential ranking has on two sockets
		first := node * perNode
		bytes[first][order[(k+1)%nodes]*perNode] = 10
		for i := range perNode {
			bytes[first+i][first+(i+2)%perNode] += 1000
			bytes[first+i][first+(i+1)%perNode] += 100
		}
	}
	m := &cluster.Machine{Sockets: 2, Topology: cluster.Topology{Shape: cluster.Torus, Dims: []int{nodes, 1, 1}}}
	l := &cluster.Layout{Nodes: nodes, RanksPerNode: perNode}
	at, between, err := cheapestMapping(t.Context(), bytes, perNode)
	if err != nil || between != 10*nodes {
		t.Fatalf("%d bytes between nodes, %v", between, err)
	}
	near, err := byDistance(t.Context(), bytes, at, m, l)
	if err != nil || cluster.CheckPositions(near) != nil {
		t.Fatalf("%v: %v, %v", near, cluster.CheckPositions(near), err)
	}
	hops, err := hopsOf(m, nodes)
	if err != nil {
		t.Fatal(err)
	}
	length := func(positions []int32) (sum int64) {
		for i := range bytes {
			for j, n := range bytes[i] {
				if a, b := int(positions[i])/perNode, int(positions[j])/perNode; a != b {
					sum += n * int64(hops(a, b))
				}
			}
		}
		return sum
	}
	if got := length(near); got >= length(at) || got > 2*10*nodes {
		t.Errorf("routes of %d B·links, before %d, shortest %d", got, length(at), 10*nodes)
	}
	for i := range bytes {
		partner := i/perNode*perNode + (i+2)%perNode
		if near[i]/2 != near[partner]/2 {
			t.Errorf("ranks %d and %d have positions %d and %d, on two sockets", i, partner, near[i], near[partner])
		}
	}
}

// counting is a simulator that reports the start of a count of bytes.
type counting struct {
	cluster.Fabric
	started chan struct{}
}

// Start starts a run.
func (c counting) Start(ctx context.Context, spec cluster.Spec, body func(cluster.Port) error) (cluster.Run, error) {
	if spec.PairRanks {
		signal(c.started)
	}
	return c.Fabric.Start(ctx, spec, body)
}

// TestSearchesEnd tests that a command ends the search of an earlier one, and that the session can be stopped
// during a search.
func TestSearchesEnd(t *testing.T) {
	large := map[string]string{"fabric": "sim", "machine": "ranger", "nodes": "64", "ranks-per-node": "16", "class": "A",
		"ranking": "cheapest"}
	for _, end := range []engine.Command{{Verb: engine.Set, Knob: "nodes", Value: "1"}, {Verb: engine.Stop}} {
		sc, err := Scenario("fft")
		if err != nil {
			t.Fatal(err)
		}
		fabrics := Fabrics()
		counts := counting{fabrics[engine.Sim], make(chan struct{}, 1)}
		fabrics[engine.Sim] = counts
		s, err := New(sc, Options{Fabrics: fabrics, Linger: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Start(t.Context())
		wanted := sc.Clone()
		for _, knob := range []string{"fabric", "machine", "nodes", "ranks-per-node", "class", "ranking"} {
			if err := wanted.Set(knob, large[knob]); err != nil {
				t.Fatal(err)
			}
		}
		failed := make(chan error)
		go func() { failed <- s.Do(engine.Command{Verb: engine.Take, Scenario: &wanted}) }()
		<-counts.started
		if err := s.Do(end); err != nil {
			t.Errorf("%s during a search: %v", end.Verb, err)
		}
		if err := <-failed; !errors.Is(err, errNewer) && !errors.Is(err, errOver) {
			t.Errorf("%s: the search ends with %v", end.Verb, err)
		}
		if err := s.Do(engine.Command{Verb: engine.Stop}); err != nil && !errors.Is(err, errOver) {
			t.Error(err)
		}
		if err := s.Wait(); err != nil {
			t.Error(err)
		}
	}
}
