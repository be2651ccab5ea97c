package tui

import (
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/models"
	"github.com/hybridtop/hybridtop/tui/grid"
)

// wildScheme has numbers that nobody expects.
func wildScheme() *engine.Snapshot {
	s := scheme(1, 8)
	o := s.Overlap
	o.Points[0].Epsilon, o.Points[1].Epsilon, o.Points[2].Comm = math.Inf(1), 1e300, math.NaN()
	o.Points[3].Planes = 1 << 30
	o.Now.CommCost, o.Now.Model, o.Now.Planes = math.Inf(1), math.NaN(), 0
	o.Now.Overlap = 0
	return s
}

// at is the height of a curve over x, which must be one of its points.
func (c *curve) at(t *testing.T, x float64) float64 {
	t.Helper()
	for i := range c.x {
		if math.Abs(c.x[i]-x) < 1e-12 {
			return c.y[i]
		}
	}
	t.Fatalf("the curve has no point over %v: %v", x, c.x)
	return 0
}

// Figure 5's curve for m = 1, n = 8, f_comp,non = 20 %: section 7.2.1 gives ε_max 1.60
// at f_comm 43 %, ε = 1 at 10 %, ε_min 0.90 without communication. The kink at the top
// is a point of the curve, so that no chart cuts it off.
func TestCurveOfFigure5(t *testing.T) {
	r := models.Reserved{M: 1, N: 8}
	var c curve
	c.overComm(r, 0.2)
	l, err := models.LimitsOf(r, 0.2)
	if err != nil {
		t.Fatal(err)
	}
	if top := c.at(t, l.CommBest); math.Abs(top-1.6) > 0.005 || math.Abs(l.CommBest-0.43) > 0.005 {
		t.Errorf("the top is %v over %v, published is 1.60 over 43%%", top, l.CommBest)
	}
	if low := c.at(t, 0); math.Abs(low-0.9) > 0.005 {
		t.Errorf("ε_min is %v, published is 0.90", low)
	}
	if end := c.at(t, 0.8); math.Abs(end-1) > 1e-9 {
		t.Errorf("where all the rest is communication, ε is %v, want 1: one thread takes as long as before", end)
	}
	for i := range c.x {
		if i > 0 && c.x[i] <= c.x[i-1] {
			t.Errorf("f_comm falls from %v to %v", c.x[i-1], c.x[i])
		}
		if above := c.y[i] > 1+1e-9; above != (c.x[i] > l.CommEquiv+1e-9 && c.x[i] < 0.8-1e-9) {
			t.Errorf("f_comm %v: ε = %v, want it above 1 from %v on", c.x[i], c.y[i], l.CommEquiv)
		}
	}
}

// Figure 6: with x_comm/x_MVM,overlap = 4.57 the curve has its top at n_k = 4 and ε =
// 1 at 32. Every whole n_k up to 8 is a point, and so is the last.
func TestCurveOfFigure6(t *testing.T) {
	var c curve
	c.overPlanes(models.Reserved{M: 1, N: 8}, models.PaperCommFitted, models.PaperSplit, 64)
	for nk := 1; nk <= 8; nk++ {
		if y := c.at(t, float64(nk)); y > c.at(t, 4) {
			t.Errorf("ε %v at n_k = %d is above that at 4", y, nk)
		}
	}
	if y := c.at(t, models.PaperCrossover); math.Abs(y-1) > 1e-3 {
		t.Errorf("ε = %v at n_k = 32", y)
	}
	if y := c.at(t, 64); y >= 1 {
		t.Errorf("ε = %v at n_k = 64", y)
	}
}

// The present point stands over its f_comm and n_k at its ε, the model's ε over the
// same f_comm, and both move with the run.
func TestThePointMoves(t *testing.T) {
	var s screen
	a := pressed(scheme(1, 8), "7")
	s.draw(a, 120, 40)
	seen := map[[2]int]bool{}
	for _, planes := range []int{2, 8, 32} {
		snap := scheme(1, 8)
		for _, p := range snap.Overlap.Points {
			if p.Planes == planes && p.Kind == engine.Simulated && p.Threading == "multiple" && p.Reserved == 1 {
				snap.Overlap.Now = p
			}
		}
		a.load(snap)
		g := s.draw(a, 120, 40)
		now := &snap.Overlap.Now
		for name, c := range map[string]struct {
			chart *grid.LineChart
			x     float64
			left  int // columns before the chart
		}{"over f_comm": {&s.epsilon.comm, now.Comm, 0}, "over n_k": {&s.epsilon.planes, float64(now.Planes), 59}} {
			col, row, ok := c.chart.Place(c.x, now.Epsilon)
			if !ok {
				t.Fatalf("%s: the point lies outside", name)
			}
			cell := g.At(2+c.left+col, 2+3+row)
			if cell.Rune != '◆' || cell.Fg != a.Theme.Focus.Fg {
				t.Errorf("n_k = %d, %s: %q stands at the present point\n%s", planes, name, cell.Rune, g.PlainText())
			}
			if c.left == 0 {
				seen[[2]int{col, row}] = true
				mc, mr, _ := c.chart.Place(now.Comm, now.Model)
				if r := g.At(2+mc, 5+mr).Rune; r != modelMark && [2]int{mc, mr} != [2]int{col, row} {
					t.Errorf("n_k = %d: %q stands where the model's ε is", planes, r)
				}
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("three n_k have %d places", len(seen))
	}
}

// ε stands in the locality's place where a workload compares schemes and no group
// sizes; the focused one of the two goes first.
func TestSharedPlace(t *testing.T) {
	starting := scheme(1, 8)
	starting.Overlap = nil
	for what, c := range map[string]struct {
		a    *app
		want paneID
	}{
		"group sizes":         {pressed(demo(4, 4, 4)), localityPane},
		"schemes":             {pressed(scheme(1, 8)), epsilonPane},
		"schemes, no run yet": {pressed(starting), epsilonPane},
		"locality asked for":  {pressed(scheme(1, 8), "4", "z"), localityPane},
		"ε asked for":         {pressed(demo(4, 4, 4), "7", "z"), epsilonPane},
	} {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {300, 90}} {
			p := arrange(size[0], size[1], c.a)
			other := localityPane + epsilonPane - c.want
			if p.pane[c.want].Empty() || !p.pane[other].Empty() {
				t.Errorf("%s: %d×%d shows %v", what, size[0], size[1], p.pane)
			}
		}
	}
}

// Each state that has nothing to draw says what to do, and that can be done.
func TestEmptyOverlap(t *testing.T) {
	one, all := scheme(1, 8), scheme(1, 8)
	one.Overlap, one.Layout.ThreadsPerRank, one.Scenario.Values["threads-per-rank"] = nil, 1, "1"
	all.Overlap, all.Layout.ThreadsPerRank, all.Scenario.Values["reserved"] = nil, 4, "4"
	for _, c := range []struct {
		s     *engine.Snapshot
		says  string
		typed string
		want  engine.Command
	}{
		{demo(4, 4, 4), ":workload demo-product", "workload demo-product", set("workload", "demo-product")},
		{one, ":threads-per-rank 8", "threads-per-rank 8", set("threads-per-rank", "8")},
		{all, ":reserved 1", "reserved 1", set("reserved", "1")},
	} {
		a := pressed(c.s, "7")
		var s screen
		if text := s.draw(a, 80, 24).PlainText(); !strings.Contains(text, c.says) {
			t.Errorf("not on the screen: %s\n%s", c.says, text)
		}
		keys(a, ":", "'"+c.typed, "enter")
		if len(a.out) != 1 || a.out[0] != c.want {
			t.Errorf("%s sends %v", c.says, a.out)
		}
	}
}
