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
	side         int // cells of a row of the grid of a stencil, without its boundary; 0: one array
	run          func(out []float64, in *[inputs][]float64)
}

const (
	inputs       = 4
	loopElements = 6000
)

var stencilSides = []int{5, 10, 18}

// length returns the number of elements of an array.
func (l *loop) length() int {
	if l.side > 0 {
		return (l.side + 2) * (l.side + 2) * (l.side + 2)
	}
	return loopElements
}

// elements returns the number of elements that a loop computes.
func (l *loop) elements() float64 {
	if l.side > 0 {
		return float64(l.side * l.side * l.side)
	}
	return loopElements
}

// starts returns the number of innermost loops.
func (l *loop) starts() float64 {
	if l.side > 0 {
		return float64(l.side * l.side)
	}
	return 0
}

// loops are the loops with independent elements, and the stencils. Bytes count each array once, as in the
// programs: neighbours are found in a cache.
var loops = append([]loop{
	{"scale", 1, 16, cluster.NoKernel, 0, func(out []float64, in *[inputs][]float64) {
		a := in[0][:len(out)]
		for i := range out {
			out[i] = 0.5 * a[i]
		}
	}},
	{"triad", 2, 24, cluster.NoKernel, 0, func(out []float64, in *[inputs][]float64) {
		a, b := in[0][:len(out)], in[1][:len(out)]
		for i := range out {
			out[i] = a[i] + 0.5*b[i]
		}
	}},
	{"update", 2, 24, cluster.NoKernel, 0, func(out []float64, in *[inputs][]float64) {
		a := in[0][:len(out)]
		for i := range out {
			out[i] += 0.5 * a[i]
		}
	}},
	{"quadratic", 4, 16, cluster.NoKernel, 0, func(out []float64, in *[inputs][]float64) {
		a := in[0][:len(out)]
		for i := range out {
			x := a[i]
			out[i] = (0.5*x+0.25)*x + 0.125
		}
	}},
	{"two quadratics", 9, 24, cluster.NoKernel, 0, func(out []float64, in *[inputs][]float64) {
		a, b := in[0][:len(out)], in[1][:len(out)]
		for i := range out {
			x, y := a[i], b[i]
			out[i] = ((0.5*x+0.25)*x + 0.125) + ((0.75*y+0.5)*y + 0.25)
		}
	}},
	{"quartics", 17, 24, cluster.NoKernel, 0, func(out []float64, in *[inputs][]float64) {
		a, b := in[0][:len(out)], in[1][:len(out)]
		for i := range out {
			x, y := a[i], b[i]
			out[i] = ((((0.5*x+0.25)*x+0.125)*x+0.5)*x + 0.25) + ((((0.75*y+0.5)*y+0.25)*y+0.125)*y + 0.5)
		}
	}},
}, stencils()...)

// stencils are loops over the rows of a grid, in two forms: indices into whole arrays, and a slice
// for each row. Grids of several sizes separate the operations from the starts of loops.
func stencils() (all []loop) {
	for _, n := range stencilSides {
		row, plane := n+2, (n+2)*(n+2)
		name := func(form string) string { return fmt.Sprintf("7-point stencil%s, %d cells per row", form, n) }
		all = append(all, loop{name(""), 8, 16, cluster.Stencil, n, func(out []float64, in *[inputs][]float64) {
			x := in[0]
			overRows(n, func(first int) {
				for i := first; i < first+n; i++ {
					out[i] = 0.5*x[i] + 0.25*(x[i-1]+x[i+1]+x[i-row]+x[i+row]+x[i-plane]+x[i+plane])
				}
			})
		}}, loop{name(" with coefficients"), 17, 40, cluster.Stencil, n, func(out []float64, in *[inputs][]float64) {
			overRows(n, func(first int) {
				line := func(k, from, cells int) []float64 { return in[k][first+from : first+from+cells] }
				x, a := line(0, -1, n+2), line(1, 0, n+1)
				south, north, below, above := line(0, -row, n), line(0, row, n), line(0, -plane, n), line(0, plane, n)
				b, bNext, c, cNext := line(2, 0, n), line(2, row, n), line(3, 0, n), line(3, plane, n)
				to := out[first : first+n]
				for i := range to {
					at := x[i+1]
					to[i] = (a[i+1]*(x[i+2]-at) + a[i]*(x[i]-at)) +
						(bNext[i]*(north[i]-at) + b[i]*(south[i]-at)) +
						(cNext[i]*(above[i]-at) + c[i]*(below[i]-at))
				}
			})
		}})
	}
	return all
}

// overRows calls row with the index of the first cell of each row of a grid, without its boundary.
func overRows(side int, row func(first int)) {
	n := side + 2
	for k := 1; k <= side; k++ {
		for j := 1; j <= side; j++ {
			row((k*n+j)*n + 1)
		}
	}
}

// body returns the trial of a loop: every rank runs it over its own arrays.
func (l *loop) body() body {
	return func(r *cluster.Rank, s *stopwatch) error {
		out := make([]float64, l.length())
		var in [inputs][]float64
		for k := range in {
			in[k] = make([]float64, l.length())
			for i := range in[k] {
				in[k][i] = float64(1+i%(5+k)) / 8
			}
		}
		work := cluster.Work{Flops: l.flops * l.elements(), Bytes: l.bytes * l.elements(), Loops: l.starts(),
			Kernel: l.kernel}
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
