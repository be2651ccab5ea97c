package waits

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/internal/golden"
	"github.com/hybridtop/hybridtop/tui/grid"
	"github.com/hybridtop/hybridtop/tui/pane/panetest"
)

// hand returns a run with a deadlock of these waits.
func hand(circle []int, waits ...engine.Wait) *engine.Snapshot {
	s := panetest.Demo(4, 4, 4)
	s.Phase, s.Failure = engine.Failed, panetest.DeadlockFailure
	s.Deadlock = &engine.Deadlock{Cycle: circle, Waits: waits}
	return s
}

func TestWaitsLookLikeThis(t *testing.T) {
	panetest.Looks(t, &Spec, "two ranks", nil, panetest.Deadlocked(2))
	draw := func(name string, s *engine.Snapshot, w, h int) {
		golden.Text(t, name, panetest.Draw(&Pane{}, panetest.Host(s), panetest.Look{W: w, H: h}))
	}
	draw("five ranks", panetest.Deadlocked(5), 76, 40)
	draw("more ranks than are drawn", panetest.Deadlocked(100), 76, 90)
	draw("a rank that waits for itself", hand([]int{3}, engine.Wait{Rank: 3, Call: "recv from 3 tag 1", For: []int{3}}),
		76, 19)
	more := hand(nil, engine.Wait{Rank: 0, Call: "recv from any", For: []int{1, 2, 3}, Any: true},
		engine.Wait{Rank: 5, Call: "barrier", For: []int{0, 2, 4, 6, 8, 10, 12}},
		engine.Wait{Rank: 6, Call: "wait"})
	more.Deadlock.More, more.Deadlock.Hint = 12, "post the receives first"
	draw("without a circle", more, 76, 19)
	draw("no deadlock", panetest.Demo(4, 4, 4), 49, 15)
}

// Each arrow of a cycle has the call in which its rank waits. The last arrow returns to the first
// rank.
func TestEveryRankOfACycleHasItsCall(t *testing.T) {
	for _, n := range []int{2, 3, 5, 16} {
		text := panetest.Draw(&Pane{}, panetest.Host(panetest.Deadlocked(n)), panetest.Look{W: 60, H: 90})
		lines := strings.Split(text, "\n")
		at := 0
		for rank := range n {
			name, call := fmt.Sprintf("rank %d, n", rank), fmt.Sprintf("send to %d tag 7 (65536 B)", (rank+1)%n)
			for _, want := range []string{name, call} {
				for at < len(lines) && !strings.Contains(lines[at], want) {
					at++
				}
				if at == len(lines) {
					t.Fatalf("%d ranks: no %q after the previous texts in\n%s", n, want, text)
				}
			}
		}
		if !strings.Contains(lines[at], "╰─────╯") || !strings.Contains(text, "╭─▶") {
			t.Errorf("%d ranks: no arrow returns to the first rank:\n%s", n, text)
		}
	}
}

// A drawing that does not fit scrolls to its last row and not beyond it. Another deadlock is shown
// from its beginning.
func TestALongDrawingScrolls(t *testing.T) {
	h, p := panetest.Host(panetest.Deadlocked(16)), &Pane{}
	g := grid.New(60, 12)
	b := p.Draw(g.All(), h)
	if b.Above || !b.Below {
		t.Fatalf("at the top: %+v", b)
	}
	for range 100 {
		panetest.Act(t, p, h, "scroll-down", "row-down")
		g.Clear()
		b = p.Draw(g.All(), h)
	}
	whole := panetest.Draw(&Pane{}, panetest.Host(panetest.Deadlocked(16)), panetest.Look{W: 60, H: 90})
	last := strings.Split(strings.TrimRight(whole, "\n"), "\n")
	if !b.Above || b.Below || !strings.Contains(g.PlainText(), last[len(last)-1]) {
		t.Errorf("at the end: %+v\n%s", b, g.PlainText())
	}
	top := p.top
	panetest.Act(t, p, h, "row-up", "scroll-up")
	p.Wheel(h, 0, 0, +1)
	if p.Draw(g.All(), h); p.top != top-6 {
		t.Errorf("up by 1, 4 and 1 from %d is %d", top, p.top)
	}
	h.Snap = panetest.Deadlocked(17)
	if p.Draw(g.All(), h); p.top != 0 {
		t.Errorf("another deadlock begins at row %d", p.top)
	}
}

func TestRanksAreNamedInRanges(t *testing.T) {
	for _, c := range []struct {
		all  []int
		want string
	}{
		{[]int{4}, "rank 4"}, {[]int{3, 1, 2}, "ranks 1-3"}, {[]int{0, 2, 3}, "ranks 0, 2-3"},
		{[]int{0, 2, 4, 6, 8, 10, 12}, "ranks 0, 2, 4, 6, 8, 10, …"},
	} {
		if got := ranks(c.all); got != c.want {
			t.Errorf("ranks(%v) = %q, want %q", c.all, got, c.want)
		}
	}
}
