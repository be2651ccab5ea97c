package barneshut

import (
	"math"

	"github.com/hybridtop/hybridtop/cluster"
)

// flops is the usual number of flops of an interaction (Warren and Salmon, A parallel hashed
// oct-tree N-body algorithm, 1993).
const flops = 38

// A pull is the force on a body of mass 1: an acceleration, and the potential.
type pull struct {
	a            [3]float64
	potential    float64
	interactions int
}

// add adds the pull of a mass at a distance. It returns false if the mass is at the same position,
// without softening.
func (p *pull) add(d *[3]float64, square, mass, soft float64) bool {
	square += soft
	if square == 0 {
		return false
	}
	inverse := 1 / math.Sqrt(square)
	k := mass * inverse
	p.potential -= k
	k *= inverse * inverse
	for i := range d {
		p.a[i] += k * d[i]
	}
	p.interactions++
	return true
}

// A walker computes forces by walks from the root.
type walker struct {
	reader
	inPlace *inPlaceReader // the reader, if it is an inPlaceReader: avoids interface calls per record
	root    ref
	theta   float64
	soft    float64 // square of the softening
	stack   []visit
}

// A visit is a record that a walk has yet to read, and its depth in the tree.
type visit struct {
	ref
	depth int // at most depths-1
}

// forceOn returns the force on a body at a position. A cell is opened if its side is at least θ
// times its distance; all other cells, and leaves, pull the body.
func (w *walker) forceOn(body float64, x []float64, lib cluster.Lib) (p pull, err error) {
	theta2 := w.theta * w.theta
	stack, inPlace := append(w.stack[:0], visit{ref: w.root}), w.inPlace
	for len(stack) > 0 {
		now := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		var at *summary
		if inPlace != nil {
			at = inPlace.at(now.ref, now.depth)
		} else if at, err = w.summary(now.ref, now.depth); err != nil {
			return p, err
		}
		d := [3]float64{at[0] - x[0], at[1] - x[1], at[2] - x[2]}
		distance2 := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
		if now.leaf() {
			if at[summaryBody] == body {
				continue
			}
		} else if side := 2 * at[summaryHalf]; side*side >= theta2*distance2 {
			var below *children
			if inPlace != nil {
				below = inPlace.below(now.ref, now.depth)
			} else if below, err = w.children(now.ref, now.depth); err != nil {
				return p, err
			}
			deeper := min(now.depth+1, depths-1)
			for i := len(below) - 1; i >= 0; i-- { // the first child is on top of the stack
				if below[i] != 0 {
					stack = append(stack, visit{below[i], deeper})
				}
			}
			continue
		}
		if !p.add(&d, distance2, at[summaryMass], w.soft) {
			return p, lib.Errorf("bodies %.0f and %.0f have the same position, and eps = 0; set eps above 0", body, at[summaryBody])
		}
	}
	w.stack = stack
	return p, nil
}
