package spmv

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/models"
)

// onMesh runs body on processes that each have their own mesh.
func onMesh(t *testing.T, processes, ni, nj, nk int, body func(r *cluster.Rank, m *mesh) error) {
	t.Helper()
	of := mesh{ni: ni, nj: nj, nk: nk}
	spec := cluster.Spec{
		Layout: cluster.Layout{Nodes: processes, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat},
		Segment: of.segment(),
	}
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		m := &mesh{ni: ni, nj: nj, nk: nk}
		m.locate(r.World(), cluster.Store{})
		if err := m.build(r); err != nil {
			return err
		}
		return body(r, m)
	})
	if err != nil {
		t.Errorf("%d processes, %d×%d×%d: %v", processes, ni, nj, nk, err)
	}
}

// halos returns the halo exchange of one thread.
func halos(r *cluster.Rank, m *mesh) *halo {
	h, err := newHalo(r, m, 1)
	if err != nil {
		r.Lib().End(err)
	}
	return h
}

// whole computes the product in the two parts of a split.
func whole(r *cluster.Rank, m *mesh, how string) {
	independent, dependent := m.split(how)
	_ = r.Fork(1, func(t *cluster.Thread) error {
		independent.compute(t, 0, independent.lines)
		dependent.compute(t, 0, dependent.lines)
		return nil
	})
}

// Section 7.2.2: a periodic seven-point operator on a grid of any size, in blocks along k, equals
// its direct evaluation at every row, with either split.
func TestProduct(t *testing.T) {
	for _, processes := range []int{1, 2, 3} {
		for _, size := range [][3]int{{1, 1, 1}, {1, 1, 2}, {2, 3, 1}, {3, 2, 2}, {5, 4, 3}, {4, 1, 5}} {
			for _, how := range []string{splitPaper, splitPlanes} {
				onMesh(t, processes, size[0], size[1], size[2], func(r *cluster.Rank, m *mesh) error {
					for stamp := range uint64(2) {
						m.fill(stamp)
						if err := halos(r, m).exchangePlanes(r); err != nil {
							return err
						}
						whole(r, m, how)
						if wrong, looked, detail := m.check(); wrong > 0 || int64(looked) != m.rows() {
							t.Errorf("%d processes, %v, %s: %d of %d rows are wrong, of %d: %s", processes, size, how, wrong, looked,
								m.rows(), detail)
						}
					}
					return nil
				})
			}
		}
	}
}

// A plane wave is an eigenvector of the periodic operator: the operator maps the sine and the
// cosine of a phase that changes by a in i, b in j and c in k to each other, with the eigenvalue Σ
// c_d exp(i·phase_d).
func TestPlaneWave(t *testing.T) {
	const processes, ni, nj, nk = 2, 8, 6, 5
	a, b, c := 2*math.Pi*3/ni, 2*math.Pi*1/nj, 2*math.Pi*2/(processes*nk)
	phases := [entries]float64{0, -a, a, -b, b, -c, c}
	var real, imaginary float64
	for d, x := range coefficients {
		real, imaginary = real+x*math.Cos(phases[d]), imaginary+x*math.Sin(phases[d])
	}
	onMesh(t, processes, ni, nj, nk, func(r *cluster.Rank, m *mesh) error {
		phase := func(row int) float64 {
			return a*float64(row%ni) + b*float64(row/ni%nj) + c*float64(row/m.plane()+m.first)
		}
		for row := range int(m.rows()) {
			m.x[m.plane()+row] = math.Cos(phase(row))
		}
		if err := halos(r, m).exchangePlanes(r); err != nil {
			return err
		}
		whole(r, m, splitPaper)
		for row, got := range m.y {
			if want := real*math.Cos(phase(row)) - imaginary*math.Sin(phase(row)); math.Abs(got-want) > 1e-12 {
				t.Errorf("row %d: %v, want %v", row, got, want)
				break
			}
		}
		return nil
	})
}

// The mesh numbers its points like equation (10), but from 0: i fastest, each once.
func TestIndex(t *testing.T) {
	m := mesh{ni: 5, nj: 4, nk: 3}
	next := 0
	for k := range m.nk {
		for j := range m.nj {
			for i := range m.ni {
				if got := m.index(i, j, k); got != next {
					t.Fatalf("{%d,%d,%d} is point %d, want %d", i, j, k, got, next)
				}
				next++
			}
		}
	}
}

// Every error in a product is found: a missing entry, a halo that is swapped, old or missing, and a
// row that was not computed.
func TestCheckFindsErrors(t *testing.T) {
	onMesh(t, 2, 4, 4, 3, func(r *cluster.Rank, m *mesh) error {
		h := halos(r, m)
		for what, c := range map[string]struct {
			spoil func()
			rows  int
		}{
			"a wrong value":  {func() { m.value[entries*20+3] += 1e-9 }, 1},
			"a swapped halo": {func() { copy(h.plane(0).Slice(), h.plane(m.nk+1).Slice()) }, 16},
			"an old halo":    {func() { h.plane(m.nk + 1).Slice()[5] = element(5, m.stamp-1) }, 1},
		} {
			kept := append([]float64(nil), m.value...)
			m.fill(7)
			if err := h.exchangePlanes(r); err != nil {
				return err
			}
			c.spoil()
			whole(r, m, splitPlanes)
			copy(m.value, kept)
			if wrong, _, detail := m.check(); wrong != c.rows || !strings.Contains(detail, "of the product is") {
				t.Errorf("%s: %d rows are wrong, want %d: %s", what, wrong, c.rows, detail)
			}
		}
		m.fill(8)
		if wrong, looked, _ := m.check(); wrong != looked {
			t.Errorf("without a product %d of %d rows are wrong", wrong, looked)
		}
		return nil
	})
}

// The shares of communicating threads cover the planes, for any number of threads. Threads without
// points send nothing.
func TestSharesOfThePlanes(t *testing.T) {
	for _, threads := range []int{1, 2, 3, 16, 20} {
		onMesh(t, 3, 4, 4, 2, func(r *cluster.Rank, m *mesh) error {
			m.fill(3)
			h, err := newHalo(r, m, threads)
			if err != nil {
				return err
			}
			for q := range threads {
				if err := h.exchangeShare(r, q); err != nil {
					return err
				}
			}
			whole(r, m, splitPaper)
			if wrong, _, detail := m.check(); wrong > 0 {
				t.Errorf("%d threads: %s", threads, detail)
			}
			return nil
		})
	}
}

// Section 7.2.2: x_non/x_overlap = 1/6 with the paper's split, for any number of planes; 2/(n_k −
// 2) if the boundary planes wait.
func TestSplit(t *testing.T) {
	for _, c := range []struct {
		nk    int
		how   string
		ratio float64
	}{{1, splitPaper, models.PaperSplit}, {8, splitPaper, models.PaperSplit}, {3, splitPlanes, 2},
		{8, splitPlanes, 2. / 6}, {2, splitPlanes, math.Inf(1)}} {
		m := mesh{ni: 4, nj: 4, nk: c.nk}
		independent, dependent := m.shares(c.how)
		if math.Abs(dependent/independent-c.ratio) > 1e-12 || math.Abs(dependent+independent-float64(m.rows())) > 1e-9 {
			t.Errorf("%d planes, %s: work of %v rows waits and of %v does not, want a ratio of %v", c.nk, c.how, dependent,
				independent, c.ratio)
		}
	}
}

// A row moves 120 bytes for 14 operations (doc.go).
func TestWorkOfARow(t *testing.T) {
	if w := work(10, .5); w.Bytes != 600 || w.Flops != 70 {
		t.Errorf("half of ten rows: %+v", w)
	}
}
