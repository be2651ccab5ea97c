package fft

import (
	"fmt"
	"math"

	"github.com/hybridtop/hybridtop/engine/algorithm"
)

// grid is a grid of TY × TZ processes. Process (y, z) has the number z·TY + y.
type grid struct {
	ty, tz int
	y, z   int // of this process
}

// square selects the grid whose TY is the largest divisor of the number of processes up to its
// square root.
const square = "square"

// gridOf returns the grid of this many processes that the knobs choose, with the position of
// process me.
func gridOf(s algorithm.Reader, ranks, me int) (grid, error) {
	ty := int(s.Int("rows"))
	if ty <= 0 {
		for ty = 1; (ty+1)*(ty+1) <= ranks; ty++ {
		}
		for ranks%ty != 0 {
			ty--
		}
	}
	if ranks%ty != 0 {
		return grid{}, fmt.Errorf("rows = %d: %d ranks do not divide into that many rows (use a divisor of "+
			"them, or %s)", ty, ranks, square)
	}
	return grid{ty: ty, tz: ranks / ty, y: me % ty, z: me / ty}, nil
}

// plane returns the processes with the same z, row the processes with the same y.
func (g *grid) plane() []int {
	all := make([]int, g.ty)
	for i := range all {
		all[i] = g.z*g.ty + i
	}
	return all
}

func (g *grid) row() []int {
	all := make([]int, g.tz)
	for i := range all {
		all[i] = i*g.ty + g.y
	}
	return all
}

// shape describes the points of a process during a transform along axes 1, 2 and 3: first planes ×
// rows × n1 points, then planes × n2 × m1, then m2 × m1 × n3.
type shape struct {
	axes         [3]int // which of x, y, z they are
	n1, n2, n3   int
	rows, planes int // of axes 2 and 3, before
	m1, m2       int // of axes 1 and 2, afterwards
	slabs, depth int // number of slabs, and planes per slab
}

// The axes of the transform to wave numbers, and of the transform back. Each ends with the layout
// in which the other begins: all of x, in rows of y and planes of z.
var (
	forward = [3]int{1, 2, 0}
	inverse = [3]int{0, 1, 2}
)

// shapeOf returns the shape of a transform with this many slabs; 0: one slab per plane.
func shapeOf(b *problem, g *grid, axes [3]int, slabs int) shape {
	s := shape{axes: axes, n1: b.n[axes[0]], n2: b.n[axes[1]], n3: b.n[axes[2]]}
	s.rows = s.n2 / g.ty
	s.planes = s.n3 / g.tz
	s.m1 = s.n1 / g.ty
	s.m2 = s.n2 / g.tz
	s.slabs = slabs
	if slabs == 0 {
		s.slabs = s.planes
	}
	for s.planes%s.slabs != 0 {
		s.slabs--
	}
	s.depth = s.planes / s.slabs
	return s
}

// instance is a problem on a grid of processes, with its number of slabs; 0: one slab per plane.
type instance struct {
	problem problem
	grid    grid
	slabs   int
}

// instanceOf returns the instance that the knobs choose, for process me of a number of processes.
func instanceOf(s algorithm.Reader, ranks, me int) (instance, error) {
	g, err := gridOf(s, ranks, me)
	return instance{problem: problemOf(s), grid: g, slabs: slabsOf(s)}, err
}

// shapes returns the shapes of the transform to wave numbers, and of the transform back.
func (of *instance) shapes() (there, back shape) {
	there = shapeOf(&of.problem, &of.grid, forward, of.slabs)
	back = shapeOf(&of.problem, &of.grid, inverse, of.slabs)
	return there, back
}

// bytes returns the bytes of a process's points.
func (of *instance) bytes() int64 {
	return pointBytes * int64(of.problem.points()/(of.grid.ty*of.grid.tz))
}

// The maximum size of the small instance: processes along an axis of the grid, and slabs.
const (
	smallSide  = 4
	smallSlabs = 4
)

// small returns a small instance on a part of the grid.
func (of *instance) small() instance {
	g := grid{ty: min(of.grid.ty, smallSide), tz: min(of.grid.tz, smallSide)}
	side := g.ty
	for side%g.tz != 0 {
		side += g.ty
	}
	return instance{problem: problem{n: [3]int{4 * side, 4 * side, side * smallSlabs}}, grid: g,
		slabs: min(of.slabs, smallSlabs)}
}

// slab returns the number of points of a slab.
func (s *shape) slab() int { return s.depth * s.rows * s.n1 }

// size returns the number of points of the process.
func (s *shape) size() int { return s.slabs * s.slab() }

// blocks returns the bytes that a slab's exchange sends to each member of the first team, and of
// the second.
func (s *shape) blocks() [2]int64 {
	return [2]int64{16 * int64(s.depth*s.rows*s.m1), 16 * int64(s.depth*s.m2*s.m1)}
}

// afterFirst returns the position of point i of axis 2, in plane p of a slab, after the first
// exchange.
func (s *shape) afterFirst(p int) func(i int) int {
	return func(i int) int { return ((i/s.rows*s.depth+p)*s.rows + i%s.rows) * s.m1 }
}

// beforeSecond returns the position of the same point for the second exchange.
func (s *shape) beforeSecond(p int) func(i int) int {
	return func(i int) int { return ((i/s.m2*s.depth+p)*s.m2 + i%s.m2) * s.m1 }
}

// afterSecond returns the position of point i of axis 3, in row r of axis 2, after the exchange of
// all slabs.
func (s *shape) afterSecond(r int) func(i int) int {
	return func(i int) int {
		from, plane := i/s.planes, i%s.planes
		return plane/s.depth*s.slab() + ((from*s.depth+plane%s.depth)*s.m2+r)*s.m1
	}
}

// partBefore returns the process's part of the box before a transform: the first point along x, y
// and z, and the number of points. partAfter returns its part after the transform.
func (s *shape) partBefore(g *grid) (lo, n [3]int) {
	n[s.axes[0]] = s.n1
	n[s.axes[1]] = s.rows
	n[s.axes[2]] = s.planes
	lo[s.axes[1]], lo[s.axes[2]] = g.y*s.rows, g.z*s.planes
	return lo, n
}

func (s *shape) partAfter(g *grid) (lo, n [3]int) {
	n[s.axes[0]] = s.m1
	n[s.axes[1]] = s.m2
	n[s.axes[2]] = s.n3
	lo[s.axes[0]], lo[s.axes[1]] = g.y*s.m1, g.z*s.m2
	return lo, n
}

// indexBefore and indexAfter return the position of a point of the box among the process's points
// before a transform and after it.
func (s *shape) indexBefore(lo [3]int, x [3]int) int {
	a := s.axes
	return ((x[a[2]]-lo[a[2]])*s.rows+x[a[1]]-lo[a[1]])*s.n1 + x[a[0]]
}

func (s *shape) indexAfter(lo [3]int, x [3]int) int {
	a := s.axes
	return ((x[a[1]]-lo[a[1]])*s.m1+x[a[0]]-lo[a[0]])*s.n3 + x[a[2]]
}

// flops is the usual count of a transform of n points, 5·n·log₂ n.
func flops(n int) float64 { return 5 * float64(n) * math.Log2(float64(n)) }
