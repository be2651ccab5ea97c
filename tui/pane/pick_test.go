package pane_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	_ "github.com/hybridtop/hybridtop/internal/golden" // the flag -update of go test ./tui/...
	"github.com/hybridtop/hybridtop/tui/pane"
)

var fourByTwo = cluster.Layout{Nodes: 4, RanksPerNode: 2, ThreadsPerRank: 3, Ranking: cluster.RoundRobin,
	Model: cluster.Flat}

// The selection moves from a node to its first rank and to that rank's first thread, and back.
func TestPickGoesFinerAndCoarser(t *testing.T) {
	l := &fourByTwo
	p := pane.Pick{}
	for _, want := range []string{"node 0", "node 1", "rank 1 of node 1", "rank 2 of node 2",
		"thread 0 of rank 2, node 2", "thread 1 of rank 2, node 2"} {
		switch want {
		case "node 1", "rank 2 of node 2", "thread 1 of rank 2, node 2":
			p = p.Step(+1, l)
		default:
			p = p.Finer(l)
		}
		if p.String() != want {
			t.Fatalf("selected %v, want %s", p, want)
		}
	}
	for _, want := range []string{"rank 2 of node 2", "node 2", "nothing"} {
		p = p.Coarser()
		if p.String() != want {
			t.Errorf("selected %v, want %s", p, want)
		}
	}
}

// After any move and in any layout, the selection is part of the layout.
func TestPickStaysInsideTheLayout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := pane.Pick{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			l := cluster.Layout{Nodes: rapid.IntRange(0, 5).Draw(t, "nodes"),
				RanksPerNode:   rapid.IntRange(1, 4).Draw(t, "ranks"),
				ThreadsPerRank: rapid.IntRange(0, 3).Draw(t, "threads"), Model: cluster.Flat}
			p = p.Within(&l)
			switch rapid.IntRange(0, 4).Draw(t, "move") {
			case 3:
				p, _ = pane.ParsePick("idle", &l)
			case 4:
				p, _ = pane.ParsePick("1-2", &l)
			case 0:
				p = p.Finer(&l)
			case 1:
				p = p.Coarser()
			default:
				p = p.Step(rapid.IntRange(-3, 3).Draw(t, "by"), &l)
			}
			if p != p.Within(&l) {
				t.Fatalf("selection %+v is not in layout %+v", p, l)
			}
			s := &engine.Snapshot{Layout: l, Ranks: make([]engine.RankView, l.Ranks())}
			if p.Level > pane.OneNode && !p.Has(s, p.Rank, p.Thread) ||
				p.Level == pane.OneNode && !p.Has(s, p.Finer(&l).Rank, 0) {
				t.Fatalf("selection %v does not include itself", p)
			}
		}
	})
}

func TestParsePick(t *testing.T) {
	for text, want := range map[string]string{
		"node 3": "node 3", "rank 5": "rank 5 of node 1", "5": "rank 5 of node 1",
		" Rank 5  THREAD 2 ": "thread 2 of rank 5, node 1",
		"node 4":             "", "rank 8": "", "rank 5 thread 3": "", "rank": "", "thread 1": "", "": "", "node -1": "",
		"rank 1 node 2": "",
		"3-7":           "ranks 3 to 7", "7-3": "", "3-8": "", "-3": "", "3-": "", "wait": "ranks that wait",
		"Compute": "ranks that compute",
	} {
		p, ok := pane.ParsePick(text, &fourByTwo)
		if got := p.String(); ok != (want != "") || ok && got != want {
			t.Errorf("ParsePick(%q) = %s, %t; want %q", text, got, ok, want)
		}
	}
}
