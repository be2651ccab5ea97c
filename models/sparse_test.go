package models_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/hybridtop/hybridtop/models"
)

// hitachi is paper 2's product on the SR8000-F1: one of 8 threads reserved.
var hitachi = models.Reserved{M: 1, N: 8}

func product(commOverOverlap float64) models.SparseCosts {
	return models.SparseCosts{Comm: commOverOverlap, NonOverlap: models.PaperSplit, Overlap: 1}
}

// Section 7.2.2 and figure 6: "x_comm/x_MVM,overlap = 4.57 has been chosen. This
// choice fixes the crossover-point ε = 1 at n_k = 32".
func TestCrossoverOfFigure6(t *testing.T) {
	c, err := models.CommAtCrossover(hitachi, 32)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "x_comm/x_MVM,overlap", c, 4.57, 0.01)
	at := func(c float64, nk int) float64 {
		p, err := product(c).Epsilon(hitachi, nk)
		if err != nil {
			t.Fatal(err)
		}
		return p.Value
	}
	near(t, "ε at n_k = 32", at(4.57, 32), 1, 1e-3)
	for nk := 1; nk < 128; nk++ {
		if got := at(c, nk); (nk < 32) != (got > 1+1e-12) || (nk > 32) != (got < 1-1e-12) {
			t.Errorf("n_k = %d: ε = %v, want it above 1 under 32 and below 1 over 32", nk, got)
		}
	}
	nk, err := models.PlanesAtCrossover(hitachi, models.PaperCommFitted)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "n_k where ε = 1 with 4.57", nk, models.PaperCrossover, 0.02)
	if _, err := models.PlanesAtCrossover(hitachi, -1); err == nil {
		t.Error("a negative x_comm is accepted")
	}
	if _, err := models.PlanesAtCrossover(models.Reserved{M: 8, N: 8}, 1); err == nil {
		t.Error("all threads reserved: want an error")
	}
	// With the profiled ratio, 4.17, the crossover is at n_k = 29.2.
	if a, b := at(4.17, 29), at(4.17, 30); a <= 1 || b >= 1 {
		t.Errorf("with 4.17: ε = %v at n_k = 29 and %v at 30, want 1 in between", a, b)
	}
}

// Section 9: "theoretically the total application can run 1.75 times faster". The paper does not
// derive it. The curve of figure 6 has its maximum at n_k = 4, where both terms of equation (14)
// are equal; it is 1.76.
func TestTopOfFigure6(t *testing.T) {
	top, where := 0.0, 0
	for nk := 1; nk <= 64; nk++ {
		p, err := product(4.57).Epsilon(hitachi, nk)
		if err != nil {
			t.Fatal(err)
		}
		if p.Value > top {
			top, where = p.Value, nk
		}
		want := models.TermComm
		if nk >= 4 {
			want = models.TermOverlap
		}
		if got := p.Dominant().Name; got != want {
			t.Errorf("n_k = %d: %s dominates, want %s", nk, got, want)
		}
	}
	if where != 4 {
		t.Errorf("ε is largest at n_k = %d, want 4", where)
	}
	near(t, "the gain that the model allows", top, 1.75, 0.03)
	f, err := product(4.57).Fractions(where)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ε_max of that product", limits(t, 1, 8, f.NonOverlap).Max, top, 1e-3)
}

// Equation (14) equals (3) with the fractions of (11) to (13).
func TestSparseEpsilon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := reserved(t)
		cost := rapid.Float64Range(1e-3, 1e3)
		x := models.SparseCosts{Comm: cost.Draw(t, "x_comm"), NonOverlap: cost.Draw(t, "x_non"),
			Overlap: cost.Draw(t, "x_overlap")}
		nk := rapid.IntRange(1, 10000).Draw(t, "n_k")
		p, err := x.Epsilon(models.Reserved{M: m, N: n}, nk)
		if err != nil {
			t.Fatal(err)
		}
		k := float64(nk)
		want := (x.Comm + x.NonOverlap*k + x.Overlap*k) /
			(x.NonOverlap*k + math.Max(1/m*x.Comm, float64(n)/(float64(n)-m)*x.Overlap*k))
		if math.Abs(p.Value/want-1) > 1e-9 {
			t.Fatalf("ε = %v, equation (14) yields %v", p.Value, want)
		}
		c, err := models.CommAtCrossover(models.Reserved{M: m, N: n}, k)
		if err != nil {
			t.Fatal(err)
		}
		x.Comm = c * x.Overlap
		p, err = x.Epsilon(models.Reserved{M: m, N: n}, nk)
		if err != nil || math.Abs(p.Value-1) > 1e-9 {
			t.Fatalf("ε = %v (%v) at its crossover", p.Value, err)
		}
	})
}

func TestSparseRefusesNonsense(t *testing.T) {
	for _, c := range []struct {
		call func() error
		want string
	}{
		{func() error { _, err := product(4).Epsilon(hitachi, 0); return err }, "n_k = 0 local planes: want at least 1"},
		{func() error { _, err := product(math.NaN()).Epsilon(hitachi, 4); return err },
			"costs of the product: times NaN of communication, 0.6666666666666666 and 4 of computation: want none below 0, " +
				"and one above"},
		{func() error { _, err := product(4).Epsilon(models.Reserved{M: 8, N: 8}, 4); return err },
			"m = 8 of n = 8 threads reserved for communication: want 0 < m < n"},
		{func() error { _, err := models.CommAtCrossover(models.Reserved{M: 8, N: 4}, 4); return err },
			"m = 8 of n = 4 threads reserved for communication: want 0 < m < n"},
		{func() error { _, err := models.CommAtCrossover(hitachi, math.NaN()); return err },
			"n_k = NaN local planes: want a number above 0"},
	} {
		if err := c.call(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
