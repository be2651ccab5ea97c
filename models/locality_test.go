package models_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/models"
)

// Paper 1's setting: nodes of 4 cores, groups of 4, 8 and 16, and a baseline of
// one group over all processors (section 4.3).
func TestSharesOfPaper1(t *testing.T) {
	for _, c := range []struct {
		what         string
		group        int
		intersection int
		rank, node   float64
	}{
		{"group 4 spans one node: all data is in the node", 4, 4, 1. / 4, 1},
		{"group 8 spans two nodes", 8, 4, 1. / 8, 1. / 2},
		{"group 16 spans four nodes", 16, 4, 1. / 16, 1. / 4},
		{"baseline of 256 processors", 256, 4, 1. / 256, 1. / 64},
		{"a group of one holds everything itself", 1, 1, 1, 1},
	} {
		if got := models.RankShare(c.group); got != c.rank {
			t.Errorf("%s: rank share %v, want %v", c.what, got, c.rank)
		}
		if got := models.NodeShare(c.intersection, c.group); got != c.node {
			t.Errorf("%s: node share %v, want %v", c.what, got, c.node)
		}
	}
}

// Figure 7: with groups the local share does not depend on the number of
// processors; for the baseline it falls as 1/THREADS.
func TestSharesFollowThePlacement(t *testing.T) {
	const perNode = 4
	for _, p := range []int{4, 16, 64, 256} {
		for _, g := range []int{1, 2, 4, 8, 16, p} {
			if p%g != 0 {
				continue
			}
			group := func(r int) int { return r / g }
			sequential := models.PlacedShares(p, func(r int) int { return r / perNode }, group)
			want := models.Shares{Rank: 1 / float64(g), Node: float64(min(g, perNode)) / float64(g)}
			if diff := cmp.Diff(want, sequential, approx); diff != "" {
				t.Errorf("%d ranks, sequential, groups of %d (-want +got):\n%s", p, g, diff)
			}
			nodes := p / perNode
			dealt := models.PlacedShares(p, func(r int) int { return r % nodes }, group)
			want.Node = float64(max(1, g/nodes)) / float64(g)
			if diff := cmp.Diff(want, dealt, approx); diff != "" {
				t.Errorf("%d ranks, round-robin, groups of %d (-want +got):\n%s", p, g, diff)
			}
		}
	}
	// Nodes of 3 ranks and groups of 2: ranks 2 and 3 share a group over two nodes.
	got := models.PlacedShares(6, func(r int) int { return r / 3 }, func(r int) int { return r / 2 })
	if diff := cmp.Diff(models.Shares{Rank: 0.5, Node: 5. / 6}, got, approx); diff != "" {
		t.Errorf("straddling groups (-want +got):\n%s", diff)
	}
}

var approx = cmpopts.EquateApprox(1e-12, 1e-15)

// Section 4.3.1: as P approaches 0 the average approaches l_r, and at P = 1 it is
// l_l; the second form of the equation equals the first.
func TestAverageLatencyLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ll := rapid.Float64Range(1e-9, 1e-5).Draw(t, "l_l")
		lr := rapid.Float64Range(1e-9, 1e-2).Draw(t, "l_r")
		p := rapid.Float64Range(0, 1).Draw(t, "P")
		got := models.AverageLatency(ll, lr, p)
		if models.AverageLatency(ll, lr, 0) != lr {
			t.Fatalf("P = 0: %v, want l_r = %v", models.AverageLatency(ll, lr, 0), lr)
		}
		if first := ll*p + lr*(1-p); math.Abs(got-first) > 1e-12*(ll+lr) {
			t.Fatalf("%v, but l_l·P + l_r·(1 − P) = %v", got, first)
		}
		slack := 1e-12 * (ll + lr)
		if got < min(ll, lr)-slack || got > max(ll, lr)+slack {
			t.Fatalf("%v is not between %v and %v", got, ll, lr)
		}
		q := rapid.Float64Range(p, 1).Draw(t, "Q")
		if nearer := models.AverageLatency(ll, lr, q); ll < lr && nearer > got+slack {
			t.Fatalf("a larger local share %v ≥ %v costs more: %v > %v", q, p, nearer, got)
		}
		both := models.Levels{Rank: ll, Node: ll, Remote: lr}
		inner := rapid.Float64Range(0, p).Draw(t, "rank share")
		if three := both.Average(models.Shares{Rank: inner, Node: p}); math.Abs(three-got) > slack {
			t.Fatalf("three levels of which two are equal: %v, want the law's %v", three, got)
		}
	})
}

// Shares are in 0..1, the rank's share is at most the node's, and a larger group never has more
// local accesses.
func TestShareBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(1, 8).Draw(t, "nodes")
		perNode := rapid.IntRange(1, 8).Draw(t, "ranks per node")
		g := rapid.IntRange(1, nodes*perNode).Draw(t, "group")
		node := func(r int) int { return r / perNode }
		if rapid.Bool().Draw(t, "round-robin") {
			node = func(r int) int { return r % nodes }
		}
		p := nodes * perNode / g * g
		s := models.PlacedShares(p, node, func(r int) int { return r / g })
		if s.Rank <= 0 || s.Rank > s.Node+1e-12 || s.Node > 1 {
			t.Fatalf("shares %+v: want 0 < rank ≤ node ≤ 1", s)
		}
		if math.Abs(s.Rank-models.RankShare(g)) > 1e-12 {
			t.Fatalf("rank share %v, want 1/%d", s.Rank, g)
		}
		if g > 1 && models.RankShare(g) >= models.RankShare(g-1) {
			t.Fatalf("groups of %d have no smaller share than groups of %d", g, g-1)
		}
	})
}

// Paper 1's abstract: with groups over two nodes (G = 8) at 256 cores the run is
// 1.33 times as fast. The rank-local share alone could not give that unless
// l_r were very large: at most (1 − 1/256)/(1 − 1/8) = 1.14.
func TestRankShareAloneCannotExplainTheSpeedup(t *testing.T) {
	baseline := models.AverageLatency(0, 1, models.RankShare(256))
	hybrid := models.AverageLatency(0, 1, models.RankShare(8))
	if got := baseline / hybrid; math.Abs(got-1.138) > 0.001 {
		t.Errorf("bound by the rank-local share %v, want 1.138", got)
	}
	baseline = models.AverageLatency(0, 1, models.NodeShare(4, 256))
	hybrid = models.AverageLatency(0, 1, models.NodeShare(4, 8))
	if got := baseline / hybrid; got < 1.33 {
		t.Errorf("bound by the node-local share %v, want at least the measured 1.33", got)
	}
}

func TestRelativeError(t *testing.T) {
	if got := models.RelativeError(90, 100); math.Abs(got+0.1) > 1e-15 {
		t.Errorf("90 for 100: %v, want −0.1", got)
	}
}

func TestSharesRefuseNonsense(t *testing.T) {
	for what, call := range map[string]func(){
		"group of 0":              func() { models.RankShare(0) },
		"more in node than group": func() { models.NodeShare(5, 4) },
		"none on its own node":    func() { models.NodeShare(0, 4) },
		"no ranks":                func() { models.PlacedShares(0, nil, nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: want a panic", what)
				}
			}()
			call()
		}()
	}
}
