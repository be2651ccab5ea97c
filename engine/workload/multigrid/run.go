package multigrid

import (
	"fmt"
	"math"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, p engine.Probe) error {
	a := problemOf(p.Int, p.Text)
	timed, verified, err := workload.Parts(workload.Store(r, p, a.bytes(r.Ranks())),
		func(store cluster.Store, small bool) (*solver, error) {
			of := a.part(small)
			s, err := of.solver(r, store)
			if err != nil {
				return nil, err
			}
			return s, store.Do(func() error { return s.computeExpected(&of) })
		})
	if err != nil {
		return err
	}
	for p.Next() {
		took, residuals, err := verified.timeSolve(a.cycles)
		if err != nil {
			return err
		}
		if err := verified.verify(p, residuals); err != nil {
			return err
		}
		if timed != verified {
			took, _, err = timed.timeSolve(a.cycles)
			if err != nil {
				return err
			}
		}
		timed.report(p, took)
	}
	return nil
}

// solver returns a rank's solver of the problem. The ranks of a launch share the layout.
func (a problem) solver(r *cluster.Rank, store cluster.Store) (*solver, error) {
	l := r.Lib().Shared(a, func() any { return a.layout(r.Ranks()) }).(*layout)
	return newSolver(r, l, store, a.degree, a.variant)
}

// reference is the key of the sequential solution that the ranks of a launch share.
type reference struct{ cells, degree, cycles int }

// computeExpected computes the coefficients, and writes the expected u into E.
func (s *solver) computeExpected(a *problem) error {
	if err := s.build(); err != nil {
		return err
	}
	cells := s.layout.shapes[0].cells()
	key := reference{cells: cells, degree: a.degree, cycles: a.cycles}
	var failed error
	share := func() any {
		b, _, err := solveAlone(cells, a.degree, a.threshold, a.cycles)
		if err != nil {
			failed = err
			return nil
		}
		return &box{shape: b.shape, h: b.h, v: [vectors][]float64{vU: slices.Clone(b.v[vU])}}
	}
	for round := range 2 { // one rank computes it, then the others find it
		if (s.r.ID() == 0) == (round == 0) {
			whole, _ := s.r.Lib().Shared(key, share).(*box)
			if failed != nil {
				return failed
			}
			for _, b := range s.levels[0].boxes {
				for k := 1; k <= b.side; k++ {
					for j := 1; j <= b.side; j++ {
						copy(b.v[vE][b.index(1, j, k):][:b.side], whole.v[vU][whole.index(b.first[0]+1, b.first[1]+j, b.first[2]+k):])
					}
				}
			}
		}
		if err := s.r.Barrier(s.r.All()); err != nil {
			return err
		}
	}
	return nil
}

// timeSolve solves once, between two barriers.
func (s *solver) timeSolve(cycles int) (took cluster.Time, residuals []float64, err error) {
	if err := s.r.Barrier(s.r.All()); err != nil {
		return 0, nil, err
	}
	clear(s.times)
	clear(s.messages)
	begin := s.r.Now()
	s.last = begin
	residuals, err = s.solve(cycles)
	if err != nil {
		return 0, nil, err
	}
	if err := s.r.Quiet(); err != nil {
		return 0, nil, err
	}
	if err := s.r.Barrier(s.r.All()); err != nil {
		return 0, nil, err
	}
	return s.r.Now() - begin, residuals, nil
}

// verify compares u with the sequential program's, bit by bit.
func (s *solver) verify(p engine.Probe, residuals []float64) error {
	wrong, detail := 0, ""
	for _, b := range s.levels[0].boxes {
		for k := 1; k <= b.side; k++ {
			for j := 1; j <= b.side; j++ {
				for i := 1; i <= b.side; i++ {
					at := b.index(i, j, k)
					got, want := b.v[vU][at], b.v[vE][at]
					if math.Float64bits(got) == math.Float64bits(want) {
						continue
					}
					if wrong++; wrong == 1 {
						detail = fmt.Sprintf("rank %d, iteration %d: u at (%d, %d, %d) of %d³ is %g, want %g (sequential program)",
							s.r.ID(), p.Iteration(), b.first[0]+i-1, b.first[1]+j-1, b.first[2]+k-1, b.cells(), got, want)
					}
				}
			}
		}
	}
	if wrong > 0 {
		p.Verify(false, fmt.Sprintf("%s; %d cells are wrong", detail, wrong))
	} else {
		p.Verify(true, "u equals the sequential program's in every cell, bit for bit")
	}
	p.Report("residual", residuals[len(residuals)-1])
	for cycle, x := range residuals {
		p.Place("residuals", cycle, x)
	}
	worst, err := s.maxOverRanks(s.maxError())
	if err != nil {
		return err
	}
	p.Report("error", worst)
	return nil
}

// report reports the time of a solve, its parts, and its messages.
func (s *solver) report(p engine.Probe, took cluster.Time) {
	n := float64(s.layout.shapes[0].cells())
	p.Report("solve_time", took.Seconds())
	p.Report("unknowns_rate", n*n*n/took.Seconds())
	var sum [parts]cluster.Time
	adapter := int64(0)
	for at := range s.times {
		for part, t := range s.times[at] {
			sum[part] += t
			if t > 0 {
				p.Tally("level_time", at, part, int64(t))
			}
		}
		for link := range links {
			all := int64(0)
			for size, n := range s.messages[at][link] {
				if n > 0 {
					p.TallyIn("messages", at, size, link, n)
				}
				all += n
			}
			if link >= linkRouter || s.variant.path == cluster.PathAdapter {
				adapter += all
			}
		}
	}
	p.Report("adapter_messages", float64(adapter)*float64(s.r.Spec().Layout.RanksPerNode))
	p.Report("time_smooth", (sum[partSmooth] + sum[partResidual]).Seconds())
	p.Report("time_move", (sum[partPack] + sum[partTransfer]).Seconds())
	p.Report("time_sync", sum[partSync].Seconds())
}
