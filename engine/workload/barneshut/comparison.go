package barneshut

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// comparedBodies is the number of bodies for which both walks compute the forces.
const comparedBodies = 256

// compareSequential returns two functions that compute the forces on some bodies: path walks the
// tree that the ranks have built, alone walks a tree in one process's own memory. Both must compute
// the same bits.
func compareSequential(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error) {
	s, err := newSimulation(r, p)
	if err == nil {
		err = s.step()
	}
	if err == nil {
		err = r.Barrier(r.Group())
	}
	if err != nil || r.ID() > 0 {
		return func() error { return nil }, nil, err
	}
	t := newLocalTree(s.state)
	some := s.order.bodies[s.order.all().len()/2:] // neighbours, like the bodies of a rank
	some = some[:min(comparedBodies, len(some))]
	var want []pull
	for _, b := range some {
		want = append(want, t.forceOn(float64(b), s.state[int(b)*bodySize:][:3], s.theta, s.soft))
	}
	walk := func(on func(body float64, x []float64) (pull, error)) func() error {
		return func() error {
			for i, b := range some {
				f, err := on(float64(b), s.state[int(b)*bodySize:][:3])
				if err != nil {
					return err
				}
				if f != want[i] {
					return r.Lib().Errorf("wrong force on body %d: got %v, want %v", b, f, want[i])
				}
			}
			return nil
		}
	}
	path = walk(func(body float64, x []float64) (pull, error) { return s.walker.forceOn(body, x, r.Lib()) })
	return path, walk(func(body float64, x []float64) (pull, error) { return t.forceOn(body, x, s.theta, s.soft), nil }), nil
}

// A localTree is an oct-tree in one process's own memory.
type localTree struct {
	root   ref
	cells  []localCell
	leaves []summary
	stack  []ref
}

type localCell struct {
	sum   summary
	below children
}

// newLocalTree builds a localTree of all bodies.
func newLocalTree(state []float64) *localTree {
	var o order
	o.arrange(state, false)
	of := planTree(&o, 1, false)
	t := &localTree{root: of.root, cells: make([]localCell, len(of.cells[0]))}
	for _, b := range o.bodies {
		t.leaves = append(t.leaves, leafOf(state, int(b)))
	}
	var sum func(c ref, level int) *summary
	sum = func(c ref, level int) *summary {
		if c.leaf() {
			return &t.leaves[c.index()]
		}
		cell := &t.cells[c.index()]
		cell.below = of.cells[0][c.index()].children
		for _, child := range cell.below {
			if child != 0 {
				cell.sum.add(sum(child, level+1))
			}
		}
		cell.sum.centre()
		cell.sum[summaryHalf] = o.cube.half(level)
		return &cell.sum
	}
	sum(of.root, 0)
	return t
}

// forceOn returns the force on a body at a position, from a walk whose reads are not counted.
func (t *localTree) forceOn(body float64, x []float64, theta, soft float64) (p pull) {
	square := theta * theta
	stack := append(t.stack[:0], t.root)
	for len(stack) > 0 {
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		var at *summary
		var below *children
		if r.leaf() {
			at = &t.leaves[r.index()]
			if at[summaryBody] == body {
				continue
			}
		} else {
			cell := &t.cells[r.index()]
			at, below = &cell.sum, &cell.below
		}
		d := [3]float64{at[0] - x[0], at[1] - x[1], at[2] - x[2]}
		distance := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
		if side := 2 * at[summaryHalf]; below != nil && side*side >= square*distance {
			for i := len(below) - 1; i >= 0; i-- {
				if below[i] != 0 {
					stack = append(stack, below[i])
				}
			}
			continue
		}
		p.add(&d, distance, at[summaryMass], soft)
	}
	t.stack = stack
	return p
}
