package topology

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

func TestClusterLooksLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "no bytes between nodes", nil, panetest.Demo(4, 4, 4))
	panetest.Looks(t, &Spec, "lines between nodes", panetest.Demo(4, 4, 4), panetest.Demo(4, 4, 16))
	panetest.Looks(t, &Spec, "a matrix of 64 nodes", panetest.Slower(panetest.Demo(64, 16, 128), 1.6),
		panetest.Demo(64, 16, 64))
	draw := func(name string, h *pane.Host, l panetest.Look) {
		golden.Text(t, name, panetest.Draw(&Pane{}, h, l))
	}
	draw("8 nodes, 76×19", panetest.Host(panetest.Demo(8, 16, 128)), panetest.Look{W: 76, H: 19, Alone: true})
	draw("8 nodes, 116×35", panetest.Host(panetest.Demo(8, 16, 128)), panetest.Look{W: 116, H: 35, Alone: true})
	draw("1024 nodes, 76×19", panetest.Host(panetest.Demo(1024, 4, 256)), panetest.Look{W: 76, H: 19, Alone: true})
	draw("1024 nodes, 196×55, mono", panetest.Host(panetest.Demo(1024, 4, 256)),
		panetest.Look{W: 196, H: 55, Theme: "mono"})
	draw("1024 nodes, 27×14", panetest.Host(panetest.Demo(1024, 4, 4)), panetest.Look{W: 27, H: 14})
	h := panetest.NextTo(panetest.Demo(64, 16, 128), panetest.Demo(64, 16, 64))
	h.Absolute = true
	draw("numbers of a matrix next to a baseline", h, panetest.Look{W: 76, H: 19, Alone: true})
	h = panetest.Host(panetest.Demo(4, 4, 16))
	h.Units = grid.BitUnits
	draw("bits", h, panetest.Look{W: 76, H: 19, Alone: true})
	for _, text := range []string{"node 1", "rank 6", "3-7", "wait"} {
		h := panetest.Host(panetest.Demo(4, 4, 16))
		h.Pick, _ = pane.ParsePick(text, &h.Snap.Layout)
		draw("selected: "+text, h, panetest.Look{W: 116, H: 35, Alone: true, Theme: "mono", Styles: true})
	}
	h = panetest.Host(panetest.Demo(1024, 4, 256))
	p := &Pane{}
	panetest.Draw(p, h, panetest.Look{W: 116, H: 35, Alone: true})
	panetest.Act(t, p, h, "row-down", "row-up", "crosshair-right", "crosshair-right")
	golden.Text(t, "selected: a node of 1024, and its peer",
		panetest.Draw(p, h, panetest.Look{W: 116, H: 35, Alone: true, Theme: "mono"}))
	draw("before the first snapshot", panetest.Host(&engine.Snapshot{Phase: engine.Starting}), panetest.Look{W: 32, H: 8})
}

// pairs returns a run in which these pairs of nodes sent bytes.
func pairs(nodes int, sent map[[2]int]int64) *engine.Snapshot {
	s := panetest.Demo(nodes, 2, 2)
	s.Recent = engine.Recent{Span: cluster.Second, Nodes: 1, Pairs: make([]int64, nodes*nodes)}
	for p, bytes := range sent {
		s.Recent.Pairs[p[0]*nodes+p[1]] = bytes
		if p[0] != p[1] {
			s.Recent.Class[cluster.Remote] += bytes
		}
	}
	return s
}

// The head of an arrow is at the node that receives bytes. Nodes that sent no bytes to each other
// have no line. The line of a pair keeps its position if others send bytes, too.
func TestLinesLeadToReceivers(t *testing.T) {
	const w, h = 76, 30
	var alone [2]grid.Grid
	for i, sent := range []map[[2]int]int64{{{0, 2}: 1 << 20}, {{0, 2}: 1 << 20, {1, 3}: 1 << 20, {3, 0}: 1 << 20}} {
		g := &alone[i]
		g.Resize(w, h)
		p := &Pane{}
		host := panetest.Host(pairs(4, sent))
		p.Draw(g.All(), host)
		c, ok := p.layOut(g.All(), h-2)
		if !ok {
			t.Fatal("the lines do not fit")
		}
		heads := strings.Count(g.PlainText(), "◂")
		if heads != len(sent) {
			t.Errorf("%d arrow heads, want %d:\n%s", heads, len(sent), g.PlainText())
		}
		for pair := range sent {
			y := c.port(pair[1], pair[0], 4)
			if r := g.At(c.left, y).Rune; r != '◂' {
				t.Errorf("found %q where node %d receives bytes from node %d, in row %d; want ◂:\n%s", r, pair[1], pair[0], y,
					g.PlainText())
			}
		}
	}
	for y := range h {
		for x := range w {
			if r := alone[0].At(x, y).Rune; strings.ContainsRune("┓┛", r) && alone[1].At(x, y).Rune != r &&
				!strings.ContainsRune("┳┻┫┣┃━┼┤├", alone[1].At(x, y).Rune) {
				t.Errorf("the line has %q at %d,%d, but %q with other lines", r, x, y, alone[1].At(x, y).Rune)
			}
		}
	}
}

// Lines on the same track never overlap, for any number of nodes and any size.
func TestLanesAreNotShared(t *testing.T) {
	fit := 0
	for nodes := 2; nodes <= maxLined; nodes++ {
		for h := nodes; h < 60; h++ {
			for boxed := range 2 {
				c := column{hasFrames: boxed == 1, w: 12, h: 1 + 2*boxed}
				if !c.fits(nodes, 100, h) {
					continue
				}
				fit++
				if c.n != nodes*(nodes-1)/2 {
					t.Fatalf("%d nodes have %d pairs", nodes, c.n)
				}
				for i, a := range c.pairs[:c.n] {
					if a.ya >= a.yb || a.yb >= h {
						t.Errorf("%d nodes in %d rows: a line from row %d to %d", nodes, h, a.ya, a.yb)
					}
					for _, b := range c.pairs[:i] {
						if a.track == b.track && a.ya <= b.yb && b.ya <= a.yb {
							t.Errorf("%d nodes in %d rows: lines %v and %v overlap", nodes, h, a, b)
						}
					}
				}
			}
		}
	}
	if fit == 0 {
		t.Error("no layout fits: the test checks nothing")
	}
}

// The weight of a line is its decade relative to the largest rate.
func TestWeightsAreDecades(t *testing.T) {
	p := &Pane{}
	r := pairs(4, map[[2]int]int64{{0, 1}: 5e6, {1, 2}: 4e5, {2, 3}: 3e3, {3, 3}: 9e9}).Recent
	heavy := p.heavyRate(&r, 4)
	if heavy != 1e6 {
		t.Errorf("heavy lines begin at %g B/s, want 1e6: the inside of a node does not count", heavy)
	}
	for rate, want := range map[float64]uint8{0: 0, 3e3: 1, 4e5: 2, 1e6: 3, 5e6: 3} {
		if got := weightOf(rate, heavy); got != want {
			t.Errorf("%g B/s has weight %d, want %d", rate, got, want)
		}
	}
}

// A click on a rank selects the rank, a second one its node, at every size that shows ranks.
func TestClicksSelectRanks(t *testing.T) {
	for _, c := range []struct{ nodes, group, w, h int }{{4, 16, 76, 19}, {4, 4, 49, 15}, {64, 16, 60, 40},
		{64, 16, 27, 17}, {1024, 4, 100, 60}} {
		host, p := panetest.Host(panetest.Demo(c.nodes, 4, c.group)), &Pane{}
		g := grid.New(c.w, c.h)
		p.Draw(g.All(), host)
		if len(p.spots) == 0 {
			t.Errorf("%+v: no rank is shown", c)
		}
		for _, s := range p.spots {
			host.Pick = pane.Pick{}
			rank := int(p.slots[s.first])
			want := fmt.Sprintf("rank %d of node %d", rank, host.Snap.Layout.NodeOf(rank))
			node := fmt.Sprintf("node %d", host.Snap.Layout.NodeOf(rank))
			if s.n > 1 {
				want = node
			}
			if !p.Click(host, s.r.X, s.r.Y) || host.Pick.String() != want {
				t.Fatalf("%+v: a click on rank %d selects %s", c, rank, host.Pick)
			}
			if p.Click(host, s.r.X+s.r.W-1, s.r.Y+s.r.H-1); host.Pick.String() != node {
				t.Fatalf("%+v: a second click on rank %d selects %s", c, rank, host.Pick)
			}
		}
		if p.Click(host, -1, -1) {
			t.Errorf("%+v: a click outside the pane selects %s", c, host.Pick)
		}
	}
}

// A click on the matrix selects the sending node, and the receiving node as its peer.
func TestClicksSelectCellsOfTheMatrix(t *testing.T) {
	host, p := panetest.Host(panetest.Demo(64, 16, 64)), &Pane{}
	p.Draw(grid.New(116, 80).All(), host)
	for _, node := range []int{0, 7, 63} {
		found := false
		for y := range p.heatAt.H {
			for x := range p.heatAt.W {
				if row, col, ok := p.heat.CellAt(x, y); ok && row == node && col == 9 && !found {
					found = p.Click(host, p.heatAt.X+x, p.heatAt.Y+y)
				}
			}
		}
		if !found || host.Pick.Level != pane.OneNode || host.Pick.Node != node || p.peer != 9 || !p.peerSelected {
			t.Errorf("a click on row %d, column 9 (found: %v) selects %v with peer %d", node, found, host.Pick, p.peer)
		}
	}
}

// Every rank is shown once, in its node, for every ranking.
func TestEveryRankIsShownOnce(t *testing.T) {
	for _, ranking := range []cluster.Ranking{cluster.Sequential, cluster.RoundRobin} {
		s := panetest.Demo(8, 6, 8)
		s.Layout.Ranking = ranking
		p := &Pane{}
		p.sortRanks(&s.Layout)
		seen := map[int32]bool{}
		for i, rank := range p.slots {
			if s.Layout.NodeOf(int(rank)) != i/6 || seen[rank] {
				t.Errorf("%v: rank %d is shown in node %d, or twice", ranking, rank, i/6)
			}
			seen[rank] = true
		}
		if len(seen) != 48 {
			t.Errorf("%v: %d ranks are shown, want 48", ranking, len(seen))
		}
	}
}

// Blocks of nodes fit into the view.
func TestBlocksFit(t *testing.T) {
	for _, n := range []int{1, 5, 64, 1000} {
		for w := 10; w < 120; w += 7 {
			for h := 4; h < 60; h += 5 {
				bw, bh, gap := blockSize(n, w, h)
				if cols := w / (bw + gap); bw > 1 && (cols < 1 || (n+cols-1)/cols*bh > h) {
					t.Errorf("%d blocks of %d×%d do not fit in %d×%d", n, bw, bh, w, h)
				}
			}
		}
	}
}
