package multigrid

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// beside gives a rank's part of an F-cycle, and the sequential program's; u is the same to
// the bit, and so is the residual of each further cycle.
func beside(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error) {
	a := askedOf(p.Int, p.Text)
	l, _, there, _ := a.arranged(r.Ranks(), false)
	if _, err := r.Alloc(there); err != nil {
		return nil, nil, err
	}
	cells := l.shapes[0].cells()
	whole := newSolver(nil, newLayout(shapes(1, cells, a.threshold), 1, false), a.degree, true, nil)
	if err := whole.build(); err != nil {
		return nil, nil, err
	}
	first, err := whole.solve(0)
	if err != nil {
		return nil, nil, err
	}
	s := newSolver(r, l, a.degree, true, a.variant)
	if err := s.build(); err != nil {
		return nil, nil, err
	}
	again := func(s *solver) func() error {
		return func() error {
			residuals, err := s.solve(0)
			if err == nil && residuals[0] != first[0] {
				err = fmt.Errorf("rank %d: the residual is %g, want %g", r.ID(), residuals[0], first[0])
			}
			return err
		}
	}
	path = again(s)
	if err := path(); err != nil {
		return nil, nil, err
	}
	all := whole.levels[0].boxes[0]
	for _, b := range s.levels[0].boxes {
		for k := 1; k <= b.side; k++ {
			for j := 1; j <= b.side; j++ {
				for i := 1; i <= b.side; i++ {
					got, want := b.v[vU][b.index(i, j, k)], all.v[vU][all.index(b.first[0]+i, b.first[1]+j, b.first[2]+k)]
					if got != want {
						return nil, nil, fmt.Errorf("rank %d: u at (%d, %d, %d) is %g, and %g by the sequential program", r.ID(), b.first[0]+i-1, b.first[1]+j-1, b.first[2]+k-1, got, want)
					}
				}
			}
		}
	}
	return path, again(whole), nil
}

// PhantomBytes is what a rank has in its segment for a problem without numbers, and what it
// has there on the machine.
func PhantomBytes(boxes, side, ranks int, variant string) (there, modelled int64) {
	a := besideOf(boxes, side, variant)
	_, _, there, modelled = a.arranged(ranks, true)
	return there, modelled
}

// Phantom gives a rank's part of an F-cycle that moves and computes no numbers.
func Phantom(r *cluster.Rank, boxes, side int, variant string) (solve func() error, err error) {
	a := besideOf(boxes, side, variant)
	_, timed, there, _ := a.arranged(r.Ranks(), true)
	if _, err := r.Alloc(there); err != nil {
		return nil, err
	}
	s := newSolver(r, timed, a.degree, false, a.variant)
	return func() error {
		_, err := s.solve(0)
		return err
	}, nil
}

// besideOf is a problem with what the knobs have unless they are turned.
func besideOf(boxes, side int, variant string) asked {
	return asked{boxes: boxes, side: side, threshold: 8, degree: 4, variant: variantOf(variant)}
}

// FacePut puts the last cells along i of a box at the beginning of the own segment into the
// ghosts of one at the beginning of rank to's, by a variant: a row a cell of the face.
func FacePut(r *cluster.Rank, to, side int, variant string) func() error {
	s := &solver{r: r, real: true, variant: variantOf(variant)}
	b := shape{1, side}
	near, far := b.sideOf([3]int{1, 0, 0})
	of := rows(near.n)
	of.Near, of.Far = b.lattice(near, 0), b.lattice(far, 0)
	c := &channel{way: faces, out: []group{{peer: to, pieces: []piece{{of: of}}, bytes: of.Bytes()}}}
	return func() error { return s.rows(c, r.Segment(), 0) }
}
