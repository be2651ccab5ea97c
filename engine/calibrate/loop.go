package calibrate

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
)

// loop is a loop over arrays that fit into the caches of a core. It computes each element of out.
// Together the loops have few and many operations per byte of memory traffic, like the programs.
type loop struct {
	name         string
	flops, bytes float64 // per element
	kernel       cluster.Kernel
	run          func(out []float64, in *[inputs][]float64)
}

const (
	inputs       = 4
	stencilSide  = 16 // cells of a grid of the stencils, without its boundary
	stencilRow   = stencilSide + 2
	stencilPlane = stencilRow * stencilRow
	loopElements = stencilRow * stencilPlane
)

// elements returns the number of elements that a loop computes.
func (l *loop) elements() float64 {
	if l.kernel == cluster.Stencil {
		return stencilSide * stencilSide * stencilSide
	}
	return loopElements
}

// loops are the loops with independent elements. Bytes count each array once, as in the
// programs: neighbours are found in a cache.
var loops = []loop{
	{"scale", 1, 16, cluster.NoKernel, func(out []float64, in *[inputs][]float64) {
		a := in[0][:len(out)]
		for i := range out {
			out[i] = 0.5 * a[i]
		}
	}},
	{"triad", 2, 24, cluster.NoKernel, func(out []float64, in *[inputs][]float64) {
		a, b := in[0][:len(out)], in[1][:len(out)]
		for i := range out {
			out[i] = a[i] + 0.5*b[i]
		}
	}},
	{"update", 2, 24, cluster.NoKernel, func(out []float64, in *[inputs][]float64) {
		a := in[0][:len(out)]
		for i := range out {
			out[i] += 0.5 * a[i]
		}
	}},
	{"quadratic", 4, 16, cluster.NoKernel, func(out []float64, in *[inputs][]float64) {
		a := in[0][:len(out)]
		for i := range out {
			x := a[i]
			out[i] = (0.5*x+0.25)*x + 0.125
		}
	}},
	{"two quadratics", 9, 24, cluster.NoKernel, func(out []float64, in *[inputs][]float64) {
		a, b := in[0][:len(out)], in[1][:len(out)]
		for i := range out {
			x, y := a[i], b[i]
			out[i] = ((0.5*x+0.25)*x + 0.125) + ((0.75*y+0.5)*y + 0.25)
		}
	}},
	{"quartics", 17, 24, cluster.NoKernel, func(out []float64, in *[inputs][]float64) {
		a, b := in[0][:len(out)], in[1][:len(out)]
		for i := range out {
			x, y := a[i], b[i]
			out[i] = ((((0.5*x+0.25)*x+0.125)*x+0.5)*x + 0.25) + ((((0.75*y+0.5)*y+0.25)*y+0.125)*y + 0.5)
		}
	}},
	{"7-point stencil", 8, 16, cluster.Stencil, func(out []float64, in *[inputs][]float64) {
		x := in[0]
		overCells(func(row int) {
			for i := row; i < row+stencilSide; i++ {
				out[i] = 0.5*x[i] + 0.25*(x[i-1]+x[i+1]+x[i-stencilRow]+x[i+stencilRow]+x[i-stencilPlane]+x[i+stencilPlane])
			}
		})
	}},
	{"7-point stencil with coefficients", 17, 40, cluster.Stencil, func(out []float64, in *[inputs][]float64) {
		x, a, b, c := in[0], in[1], in[2], in[3]
		overCells(func(row int) {
			for i := row; i < row+stencilSide; i++ {
				at := x[i]
				out[i] = (a[i+1]*(x[i+1]-at) + a[i]*(x[i-1]-at)) +
					(b[i+stencilRow]*(x[i+stencilRow]-at) + b[i]*(x[i-stencilRow]-at)) +
					(c[i+stencilPlane]*(x[i+stencilPlane]-at) + c[i]*(x[i-stencilPlane]-at))
			}
		})
	}},
}

// overCells calls row with the index of the first cell of each row of a grid, without its boundary.
func overCells(row func(first int)) {
	for k := 1; k <= stencilSide; k++ {
		for j := 1; j <= stencilSide; j++ {
			row(k*stencilPlane + j*stencilRow + 1)
		}
	}
}

// body returns the trial of a loop: every rank runs it over its own arrays.
func (l *loop) body() body {
	return func(r *cluster.Rank, s *stopwatch) error {
		out := make([]float64, loopElements)
		var in [inputs][]float64
		for k := range in {
			in[k] = make([]float64, loopElements)
			for i := range in[k] {
				in[k][i] = float64(1+i%(5+k)) / 8
			}
		}
		work := cluster.Work{Flops: l.flops * l.elements(), Bytes: l.bytes * l.elements(), Kernel: l.kernel}
		run := func() { l.run(out, &in) }
		for s.more() {
			r.Compute(work, run)
		}
		for i, x := range out {
			if !(x == x) {
				return fmt.Errorf("rank %d: %s: element %d is not a number", r.ID(), l.name, i)
			}
		}
		return nil
	}
}

// chain runs operations of which each needs the result of the previous one.
func chain(r *cluster.Rank, s *stopwatch) error {
	work := cluster.Work{Flops: chainFlops, Kernel: cluster.Chain}
	v, x := 3.0, 3.0
	for s.more() {
		r.Compute(work, func() { x = dependent(v, x, chainFlops) })
	}
	if x != v {
		return fmt.Errorf("rank %d: the computed value is %v, want %v", r.ID(), x, v)
	}
	return nil
}

// dependent subtracts repeatedly from v.
func dependent(v, x float64, flops int) float64 {
	for range flops / 2 {
		x = v - x
		x = v - x
	}
	return x
}
