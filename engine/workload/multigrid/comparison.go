package multigrid

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// compareSequential returns a rank's part of an F-cycle, and the sequential program's. u is bitwise
// identical in both, and so is the residual of each further cycle.
func compareSequential(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error) {
	a := problemOf(p.Int, p.Text)
	s, err := a.solver(r, cluster.Store{})
	if err != nil {
		return nil, nil, err
	}
	whole, err := newSolver(nil, newLayout(shapes(1, a.boxes*a.side, a.threshold), 1, false), cluster.Store{}, a.degree,
		nil)
	if err != nil {
		return nil, nil, err
	}
	if err := whole.build(); err != nil {
		return nil, nil, err
	}
	first, err := whole.solve(0)
	if err != nil {
		return nil, nil, err
	}
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
						return nil, nil,
							fmt.Errorf("rank %d: u at (%d, %d, %d) is %g, want %g (sequential program)", r.ID(), b.first[0]+i-1,
								b.first[1]+j-1, b.first[2]+k-1, got, want)
					}
				}
			}
		}
	}
	return path, again(whole), nil
}

// Memory returns the bytes that a problem with the default knobs needs in a rank's segment,
// and in its memory on the machine.
func Memory(store cluster.Store, boxes, side, ranks int, variant string) (segment, modelled int64) {
	a := defaultProblem(boxes, side, variant)
	l := a.layout(ranks)
	var memory workload.Memory
	memory.Add(cluster.Store{}, l.flags)
	memory.Add(store, l.data)
	var p workload.Plan
	memory.Fill(&p)
	return p.Segment, p.Modelled
}

// Solver returns a rank's part of an F-cycle of this problem. A size-only store times it;
// with bytes its f is 0.
func Solver(r *cluster.Rank, store cluster.Store, boxes, side int, variant string) (solve func() error, err error) {
	s, err := defaultProblem(boxes, side, variant).solver(r, store)
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := s.solve(0)
		return err
	}, nil
}

// defaultProblem returns a problem with the default knobs.
func defaultProblem(boxes, side int, variant string) problem {
	return problem{boxes: boxes, side: side, threshold: 8, degree: 4, variant: variantOf(variant)}
}

// FacePut returns a function that puts the last cells along i of a box into the ghosts of
// rank to's box. Both boxes are at the beginning of their segments. Each cell of the face is
// a row.
func FacePut(r *cluster.Rank, to, side int, variant string) func() error {
	s := &solver{r: r, variant: variantOf(variant)}
	s.bind()
	b := shape{1, side}
	near, far := b.sideOf([3]int{1, 0, 0})
	of := rows(near.n)
	of.Near, of.Far = b.lattice(near, 0), b.lattice(far, 0)
	c := &channel{way: faces, out: []group{{peer: to, pieces: []piece{{of: of}}, bytes: of.Bytes()}}}
	return func() error { return s.rows(c, cluster.Of(r.Segment()), 0) }
}
