package multigrid

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, probe engine.Probe) error {
	if err := workload.RequestThreads(r, probe); err != nil {
		return err
	}
	p, err := maximum.Caller(r, probe, r.All(), r.All())
	if err != nil {
		return err
	}
	a := problemOf(p.Int, p.Text)
	timed, verified, err := workload.Parts(workload.Store(r, p, a.bytes(r.Ranks())),
		func(store cluster.Store, small bool) (*solver, error) {
			of := a.part(small)
			s, err := of.solver(r, store)
			if err != nil {
				return nil, err
			}
			s.maximum = p
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
		if err := p.Took(took); err != nil {
			return err
		}
	}
	return verified.verifySkewed(p, a.cycles)
}

// solver returns a rank's solver of the problem. The ranks of a launch share the layout.
func (a problem) solver(r *cluster.Rank, store cluster.Store) (*solver, error) {
	l := r.Lib().Shared(a, func() any { return a.layout(r.Ranks()) }).(*layout)
	return newSolver(r, l, store, a.degree, a.variant)
}

// timeSolve solves once, between two barriers.
func (s *solver) timeSolve(cycles int) (took cluster.Time, residuals []float64, err error) {
	clear(s.times)
	clear(s.messages)
	begin, err := workload.Begin(s.r, s.r.All())
	if err != nil {
		return 0, nil, err
	}
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
	return workload.End(s.r) - begin, residuals, nil
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
