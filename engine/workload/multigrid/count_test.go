package multigrid

import (
	"os"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
)

// conform reports whether slow tests run, too.
var conform = os.Getenv("CONFORM") != ""

// edison returns a dragonfly with 16 ranks per node and 8 per socket, enough to find links.
func edison(ranks int) (*cluster.Layout, *cluster.Machine) {
	return &cluster.Layout{Nodes: (ranks + 15) / 16, RanksPerNode: 16, Ranking: cluster.Sequential},
		&cluster.Machine{Sockets: 2, Topology: cluster.Topology{Shape: cluster.Dragonfly, Dims: []int{4, 16, 6, 15}}}
}

// exchanges returns the number of ghost exchanges across faces in a whole solve, by level: a
// V-cycle has two passes and a residual.
func exchanges(levels int) (by []int, all int) {
	by = make([]int, levels)
	for at := range levels - 1 {
		by[at] = 9 * (at + 1)
	}
	by[0]++ // the last residual
	for _, n := range by {
		all += n
	}
	return by, all
}

// Puts of ghost rows in a whole solve with a box of 128³ per rank: the maximum of any rank and
// of any node, and the puts that leave their node.
func TestPutsOfASolve(t *testing.T) {
	for _, c := range []struct {
		ranks, boxes, exchanges      int
		rank, node, farRank, farNode int64
	}{
		{8, 2, 325, 285_776, 2_286_208, 0, 0},
		{64, 4, 406, 571_552, 6_901_120, 9_328, 137_152},
		{512, 8, 496, 571_552, 8_049_408, 17_880, 210_048},
		{4096, 16, 595, 580_192, 8_614_112, 28_736, 287_840},
		{32768, 32, 703, 580_192, 8_898_912, 299_424, 572_640},
	} {
		if c.ranks > 64 && testing.Short() || c.ranks > 512 && !conform {
			continue
		}
		l := newLayout(shapes(c.boxes, 128, 8), c.ranks, false)
		by, all := exchanges(len(l.shapes))
		where, m := edison(c.ranks)
		node, farNode := make([]int64, where.Nodes), make([]int64, where.Nodes)
		var rank, farRank int64
		for r := range c.ranks {
			var puts, far int64
			for at := range l.shapes {
				for _, p := range l.sends(at, faces, r) {
					n := int64(by[at] * p.of.Blocks())
					puts += n
					if linkOf(where, m, p.from, p.to) >= linkRouter {
						far += n
					}
				}
			}
			rank, farRank = max(rank, puts), max(farRank, far)
			node[where.NodeOf(r)] += puts
			farNode[where.NodeOf(r)] += far
		}
		var maxNode, maxFarNode int64
		for i := range node {
			maxNode, maxFarNode = max(maxNode, node[i]), max(maxFarNode, farNode[i])
		}
		for _, x := range []struct {
			what      string
			got, want int64
		}{
			{"exchanges", int64(all), int64(c.exchanges)}, {"puts of a rank", rank, c.rank}, {"puts of a node", maxNode, c.node},
			{"puts of a rank to other nodes", farRank, c.farRank}, {"puts of a node to others", maxFarNode, c.farNode},
		} {
			if x.got != x.want {
				t.Errorf("%d ranks: %s: %d, want %d", c.ranks, x.what, x.got, x.want)
			}
		}
	}
}

// Table II: the data that a rank sends on the finest level in each direction, and the farthest
// link that any pair crosses.
func TestTableTwo(t *testing.T) {
	for _, c := range []struct {
		ranks, boxes int
		links        [3]int // along i, j, k
	}{
		{8, 2, [3]int{linkSocket, linkSocket, linkSocket}},
		{64, 4, [3]int{linkSocket, linkNode, linkRouter}},
		{512, 8, [3]int{linkSocket, linkRouter, linkChassis}},
		{4096, 16, [3]int{linkNode, linkChassis, linkGroup}},
		{32768, 32, [3]int{linkRouter, linkChassis, linkGlobal}},
	} {
		if c.ranks > 512 && !conform {
			continue
		}
		l := newLayout(shapes(c.boxes, 128, 8), c.ranks, false)
		where, m := edison(c.ranks)
		var farthest [3]int
		for r := range c.ranks {
			for _, p := range l.sends(0, faces, r) {
				along := 0
				switch {
				case p.of.Block == 8:
					if p.of.Blocks() != 128*128 {
						t.Fatalf("along i: %d messages of 8 B", p.of.Blocks())
					}
				case p.of.Count[0] == 1:
					along = 1
				default:
					along = 2
				}
				if along > 0 && (p.of.Block != 1024 || p.of.Blocks() != 128) {
					t.Fatalf("%d messages of %d B", p.of.Blocks(), p.of.Block)
				}
				farthest[along] = max(farthest[along], linkOf(where, m, p.from, p.to))
			}
		}
		for along, want := range c.links {
			if farthest[along] != want {
				t.Errorf("%d ranks, along %c: %s, want %s", c.ranks, 'i'+along, linkNames[farthest[along]], linkNames[want])
			}
		}
	}
}

// The levels equal HPGMG-FV's.
func TestLevels(t *testing.T) {
	for _, c := range []struct {
		boxes, side int
		want        []shape
	}{
		{2, 128, []shape{{2, 128}, {2, 64}, {2, 32}, {2, 16}, {2, 8}, {1, 8}, {1, 4}, {1, 2}, {1, 1}}},
		{3, 16, []shape{{3, 16}, {3, 8}, {3, 4}, {3, 2}, {1, 3}}},
		{1, 4, []shape{{1, 4}, {1, 2}, {1, 1}}},
		{6, 8, []shape{{6, 8}, {3, 8}, {3, 4}, {3, 2}, {1, 3}}},
	} {
		got := shapes(c.boxes, c.side, 8)
		if len(got) != len(c.want) {
			t.Fatalf("%d boxes of %d: %v, want %v", c.boxes, c.side, got, c.want)
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%d boxes of %d: %v, want %v", c.boxes, c.side, got, c.want)
			}
		}
	}
	if n := len(shapes(32, 128, 8)); n != 13 {
		t.Errorf("32 boxes of 128: %d levels, want 13", n)
	}
}

// Every piece that is sent is received, in the same order at both ends, and its bytes are
// inside the boxes.
func TestSentIsReceived(t *testing.T) {
	for _, c := range []struct{ boxes, side, ranks int }{{2, 8, 8}, {3, 8, 5}, {4, 4, 7}, {6, 8, 27}, {1, 8, 3}} {
		l := newLayout(shapes(c.boxes, c.side, 8), c.ranks, true)
		for at := range l.shapes {
			for way := range ways {
				if way >= down && at == len(l.shapes)-1 {
					break
				}
				given, taken := map[[2]int]group{}, map[[2]int]group{}
				for r := range c.ranks {
					ch, arrivals := l.channel(at, way, r), l.arrivals
					for _, g := range ch.out {
						source, inbox := 0, int64(0)
						for _, from := range arrivals(at, way, g.peer) {
							if from.peer < r {
								source, inbox = source+1, inbox+from.bytes
							}
						}
						if g.source != source || g.inbox != inbox {
							t.Errorf("%v, level %d, way %d: rank %d is source %d of rank %d with an inbox at %d, want %d at %d", c, at,
								way, r, g.source, g.peer, g.inbox, source, inbox)
						}
						given[[2]int{r, g.peer}] = g
					}
					for _, g := range ch.in {
						taken[[2]int{g.peer, r}] = g
					}
				}
				if len(given) != len(taken) {
					t.Errorf("%v, level %d, way %d: %d pairs send, %d receive", c, at, way, len(given), len(taken))
				}
				for pair, g := range given {
					in := taken[pair]
					if len(in.pieces) != len(g.pieces) {
						t.Fatalf("%v, level %d, way %d, %v: %d pieces sent, %d received", c, at, way, pair, len(g.pieces), len(in.pieces))
					}
					for k := range g.pieces {
						if !g.pieces[k].of.Within(l.data) || g.pieces[k].of.Far != in.pieces[k].of.Far ||
							g.pieces[k].key != in.pieces[k].key {
							t.Errorf("%v, level %d, way %d, %v: piece %d is %+v, but %+v at the receiver", c, at, way, pair, k,
								g.pieces[k], in.pieces[k])
						}
					}
				}
			}
		}
	}
}
