package gemm

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// compareSequential returns a rank's part of a product, and the local kernel for the whole product.
// The first products are checked completely, the timed ones only in their last element.
func compareSequential(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error) {
	g, err := shapeOf(p.Int("rows"), r.World().Size())
	if err != nil {
		return nil, nil, err
	}
	teams, err := teamsOf(r, g)
	if err != nil {
		return nil, nil, err
	}
	of := problem{shape: g, n: int(p.Int("n")), block: int(p.Int("block"))}
	expected := sumsOf(of.n)
	x, err := newProduct(r, tune(r, p), of, teams, cluster.Store{})
	if err != nil {
		return nil, nil, err
	}
	x.fill()
	if err := x.multiply(); err != nil {
		return nil, nil, err
	}
	path = x.withCheck(x.multiply, expected)
	if r.ID() > 0 {
		return path, nil, x.checkAll(expected)
	}
	n := of.n
	whole := &product{problem: problem{shape: shape{1, 1}, n: n, block: of.block}, r: r, m: n, w: n, inner: [2]int{n, n},
		a: make([]float64, n*n), b: make([]float64, n*n), c: make([]float64, n*n), tiles: make([]dense.Tiles, 1)}
	whole.fill()
	kernel := func() error {
		clear(whole.c)
		whole.tiles[0].Gemm(false, n, n, n, 1, whole.a, n, whole.b, n, whole.c, n)
		return nil
	}
	if err := kernel(); err != nil {
		return nil, nil, err
	}
	for _, y := range []*product{x, whole} {
		if err := y.checkAll(expected); err != nil {
			return nil, nil, err
		}
	}
	return path, whole.withCheck(kernel, expected), nil
}

// checkAll returns an error if an element of the rank's part differs from the closed form.
func (x *product) checkAll(s sums) error {
	if wrong := x.firstWrong(s); wrong != "" {
		return x.r.Lib().Errorf("%s", wrong)
	}
	return nil
}

// withCheck multiplies and compares the last element of the rank's part.
func (x *product) withCheck(multiply func() error, s sums) func() error {
	return func() error {
		if err := multiply(); err != nil || x.m*x.w == 0 {
			return err
		}
		if got, want := x.c[len(x.c)-1], x.element(s, x.m-1, x.w-1); got != want {
			return x.r.Lib().Errorf("the last element of C is %v, want %v", got, want)
		}
		return nil
	}
}
