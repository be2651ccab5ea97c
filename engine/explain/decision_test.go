package explain_test

import (
	"testing"

	"github.com/hybridtop/hybridtop/engine/explain"
	"github.com/hybridtop/hybridtop/engine/session"
)

// axis reads an axis of a decision map.
func axis(t *testing.T, name, text string) explain.MapAxis {
	t.Helper()
	sc := scenarioOf(t, name)
	a, err := explain.ParseMapAxis(&sc, text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestDecisionMap finds the line ε = 1 over the share of communication and the reserved threads. A
// reserved thread wins with few planes and loses with many. Each cell that was not simulated has the
// winner that its simulation has.
func TestDecisionMap(t *testing.T) {
	const name = "overlap-sr8000"
	sc := scenarioOf(t, name)
	if err := sc.Set("ni", "64"); err != nil {
		t.Fatal(err)
	}
	if err := sc.Set("nj", "64"); err != nil {
		t.Fatal(err)
	}
	x, y := axis(t, name, "local-k=1,2,4,8,16,32,64,128,256"), axis(t, name, "remote.bandwidth_bytes_per_s=0.5,1,2")
	variants := axis(t, name, "threading=masteronly,funneled")
	m, err := explain.Decide(t.Context(), sc, x, y, variants, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	inherited := 0
	for j, row := range m.Cells {
		for i := range row {
			c := &row[i]
			seen[c.Winner] = true
			if c.Winner < 0 {
				t.Errorf("cell %d, %d: no winner: %s", i, j, c.Refusal)
			}
			if c.Simulated {
				continue
			}
			inherited++
			one := func(a explain.MapAxis, k int) explain.MapAxis { a.Values = a.Values[k : k+1]; return a }
			alone, err := explain.Decide(t.Context(), sc, one(x, i), one(y, j), variants, session.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := alone.Cells[0][0].Winner; got != c.Winner {
				t.Errorf("cell %d, %d: winner %d, simulated %d", i, j, c.Winner, got)
			}
		}
	}
	if !seen[0] || !seen[1] || inherited == 0 || m.Simulations != 2*(len(x.Values)*len(y.Values)-inherited) {
		t.Errorf("winners %v, %d cells inherited, %d simulations", seen, inherited, m.Simulations)
	}
}

// TestMapAxes checks the texts of axes.
func TestMapAxes(t *testing.T) {
	sc := scenarioOf(t, "overlap-sr8000")
	for text, n := range map[string]int{"local-k=1,2": 2, "remote.latency_s=0.5..8": 9, "remote.latency_s=1,2,3": 3,
		"local-k": 0, "local-k=": 0, "remote.latency_s=8..1": 0, "remote.latency_s=x": 0, "=1": 0} {
		a, err := explain.ParseMapAxis(&sc, text)
		if len(a.Values) != n || (err == nil) != (n > 0) {
			t.Errorf("%q: %d values, error %v, want %d values", text, len(a.Values), err, n)
		}
	}
}
