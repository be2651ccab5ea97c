package gemm

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// The closed form equals gonum's product, and one wrong element is found.
func TestClosedForm(t *testing.T) {
	for _, n := range []int{1, 2, 63, 512} {
		x := &product{problem: problem{shape: shape{1, 1}, n: n, block: 5}, m: n, w: n, inner: [2]int{n, n},
			a: make([]float64, n*n), b: make([]float64, n*n)}
		x.fill()
		var c mat.Dense
		c.Mul(mat.NewDense(n, n, x.a), mat.NewDense(n, n, x.b))
		x.c = c.RawMatrix().Data
		if wrong := x.firstWrong(sumsOf(n)); wrong != "" {
			t.Fatalf("n = %d: %s", n, wrong)
		}
		x.c[n*n/2]++
		if wrong := x.firstWrong(sumsOf(n)); !strings.HasPrefix(wrong, "C(") {
			t.Errorf("n = %d: an element that is off by 1 is not found: %q", n, wrong)
		}
	}
}

// TestFirstWrongPanel tests that one wrong element of a panel is found.
func TestFirstWrongPanel(t *testing.T) {
	const n, block = 7, 3
	x := &product{problem: problem{shape: shape{1, 1}, n: n, block: block}, m: n, w: n, inner: [2]int{n, n},
		a: make([]float64, n*n), b: make([]float64, n*n)}
	x.fill()
	for line := range lines {
		words := make([]float64, n*block)
		x.lines[line] = &panels{long: n, slots: []slot{{words: cluster.Wrap(words)}}}
		x.now = part{line: line, wide: block}
		x.packPart(0, 0, []int{x.m, block}[line])
	}
	if wrong := x.firstWrongPanel(); wrong != "" {
		t.Fatal(wrong)
	}
	for line, name := range map[int]string{row: "panel of A", column: "panel of B"} {
		x.lines[line].slots[0].words.Slice()[5]++
		if wrong := x.firstWrongPanel(); !strings.Contains(wrong, name) {
			t.Errorf("an element of the %s that is off by 1 is not found: %q", name, wrong)
		}
		x.lines[line].slots[0].words.Slice()[5]--
	}
}

// TestWrongOverlap tests that a product is found that prefetches although its schedule does not, or does
// not although its schedule does.
func TestWrongOverlap(t *testing.T) {
	for _, c := range []struct {
		schedule string
		most     int
		right    bool
	}{{blocking, 1, true}, {blocking, 3, false}, {prefetch, 3, true}, {prefetch, 1, false}} {
		x := &product{problem: problem{shape: shape{1, 1}, n: 40, block: 4}, most: c.most}
		if wrong := x.wrongOverlap(c.schedule, 2); (wrong == "") != c.right {
			t.Errorf("%s with %d steps in progress: %q", c.schedule, c.most, wrong)
		}
	}
}

// The ranks' parts cover the matrices completely.
func TestGridCoversMatrices(t *testing.T) {
	for ranks := 1; ranks <= 16; ranks++ {
		g, err := shapeOf(0, ranks)
		if err != nil || g.rows*g.cols != ranks || g.rows > g.cols {
			t.Fatalf("%d ranks: a grid of %v, %v", ranks, g, err)
		}
		p := problem{shape: g, n: 37, block: 4}
		total := 0
		for me := range ranks {
			inRow, at := g.members(row, me)
			inColumn, atColumn := g.members(column, me)
			if len(inRow) != g.cols || inRow[at] != me || len(inColumn) != g.rows || inColumn[atColumn] != me {
				t.Fatalf("%d ranks: rank %d is number %d of %v and %d of %v", ranks, me, at, inRow, atColumn, inColumn)
			}
			total += p.along(g.rows).Len(atColumn) * p.along(g.cols).Len(at)
		}
		if total != p.n*p.n {
			t.Errorf("%d ranks have %d elements of C, want %d", ranks, total, p.n*p.n)
		}
	}
}

// The sentence names the hidden share, the missing polls, and the schedule that hides more.
func TestExplanation(t *testing.T) {
	snap := &engine.Snapshot{Scenario: gemm.Scenario([]string{"demo"}), Kind: engine.Simulated}
	row := func(scheme string, time, wait float64) engine.Row {
		c := make([]float64, len(scheduleColumns))
		c[columnRanks] = 256
		c[columnTime] = time
		c[columnPanel] = 48e-3
		c[columnStepWait] = wait
		c[columnLongest] = 44e-3
		c[columnStep] = 12
		c[columnShare] = 0.95
		return engine.Row{Key: scheme + " on 256, n = 131072, 4 cores, nb 256", Label: "256, " + scheme, Series: scheme,
			Kind: engine.Simulated, Cells: c}
	}
	v := frame(&snap.Scenario, &cluster.Machine{Progress: cluster.ProgressCall}, engine.Simulated)
	v.Form, v.Now = bySchedule.Form, 0
	v.Rows = []engine.Row{row("1 ahead, 1 slice", 10, 40e-3), row("1 ahead, 8 slices", 9, 8e-3)}
	complete(&v, snap)
	const want = "1 ahead, 1 slice: each step waits 40.0 ms for its panels, which take 48.0 ms alone. Of that time, " +
		"17% is hidden. Step 12 waited longest, 44.0 ms, because no rank polled during its product. " +
		"With 1 ahead, 8 slices, 83% is hidden, and the product is 1.1× faster (simulated)."
	if v.Why != want {
		t.Errorf("why\n%q, want\n%q", v.Why, want)
	}
	if v.Rows[1].Flag != engine.Best {
		t.Error("the faster row is not marked")
	}
}
