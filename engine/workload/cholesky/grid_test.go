package cholesky

import (
	"math"
	"testing"
)

// In round 3, a row of processes gets each index once, from columns that have it, for all shapes of
// grids. A piece has its blocks at the offsets that update uses.
func TestPiecesAreTheRowsThatAreLeft(t *testing.T) {
	for _, shape := range [][4]int{{50, 3, 1, 1}, {50, 3, 2, 2}, {61, 4, 2, 3}, {61, 4, 4, 6}, {40, 5, 6, 2},
		{7, 7, 2, 2}, {100, 1, 3, 5}} {
		n, nb, tx, ty := shape[0], shape[1], shape[2], shape[3]
		for i := range tx * ty {
			g := gridOf(n, nb, tx, ty, i)
			if g.x*ty+g.y != i {
				t.Fatalf("process %d is at (%d, %d)", i, g.x, g.y)
			}
			for k := range g.blocks() {
				from := g.first(k + 1)
				sum := 0
				for y := range ty {
					z := g.classOf(g.x, y)
					if z >= 0 && (z%tx != g.x || z%ty != y) {
						t.Fatalf("%v: class %d of (%d, %d)", shape, z, g.x, y)
					}
					sum += g.shared(z, from)
				}
				if sum != g.down(g.x, from) {
					t.Fatalf("%v, step %d: row %d of processes has %d rows left, but gets %d", shape, k, g.x, g.down(g.x, from), sum)
				}
			}
			for b := range g.blocks() {
				if b%tx == g.x && g.classOf(g.x, b%ty) != b%g.both.Ranks {
					t.Fatalf("%v: block %d is not of the class that row %d gets from column %d", shape, b, g.x, b%ty)
				}
			}
		}
	}
}

// The closed form of A equals UᵀU by definition.
func TestExactMatrix(t *testing.T) {
	const n = 90
	for i := range n {
		for j := i; j < n; j++ {
			sum := 0.0
			for k := 0; k <= i; k++ {
				sum += factorOf(k, i) * factorOf(k, j)
			}
			if got := whole(i, j); got != sum {
				t.Fatalf("A(%d, %d) is %v, UᵀU has %v", i, j, got, sum)
			}
		}
	}
	if far := whole(1<<20-2, 1<<20-1); far != math.Trunc(far) || far > 1<<53 {
		t.Errorf("at a million rows %v: want a whole number that a float64 has", far)
	}
}

// Blocks of usual widths differ from their neighbours, so that a misplaced block is noticed.
func TestExactBlocksDiffer(t *testing.T) {
	for _, nb := range []int{8, 16, 32, 64, 128, 256, 512} {
		for at := nb; at < 3*nb; at += nb {
			if factorOf(0, at+1) == factorOf(0, at+nb+1) || factorOf(at, 9*nb) == factorOf(at+nb, 9*nb) && nb%downward != 0 {
				t.Errorf("nb = %d: the block from %d on equals the next one", nb, at)
			}
		}
	}
}

// Random matrices are the same on every process and diagonally dominant.
func TestRandomMatrixIsDominated(t *testing.T) {
	const seed, n = 5, 200
	m := matrix{name: random, n: n, seed: seed}
	for i := range n {
		sum := 0.0
		for j := range n {
			if j != i {
				sum += math.Abs(m.at(min(i, j), max(i, j)))
			}
		}
		if !(sum < m.at(i, i)) {
			t.Fatalf("seed %d: row %d has a sum of %g off the diagonal, and %g on it", seed, i, sum, m.at(i, i))
		}
	}
	bad := matrix{name: indefinite, n: n, seed: seed}
	if bad.at(bad.brokenRow(), bad.brokenRow()) != -1 || bad.at(3, 3) != m.at(3, 3) {
		t.Error("the indefinite matrix differs from the random one in more or less than one pivot")
	}
}

// A message uses the algorithm of its octave.
func TestOctave(t *testing.T) {
	for n, want := range map[int64]int64{1: 1, 8: 8, 9: 8, 15: 8, 16: 16, 512<<10 + 8: 512 << 10} {
		if got := octave(n); got != want {
			t.Errorf("%d B are in the octave of %d, want %d", n, got, want)
		}
	}
}
