package fft

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, probe engine.Probe) error {
	world := r.World()
	if world.Rank() < 0 { // no MPI process: it has no points
		for probe.Next() {
		}
		return nil
	}
	if err := workload.RequestThreads(r, probe); err != nil {
		return err
	}
	p := tune(r, probe)
	whole, err := instanceOf(p, world.Size(), world.Rank())
	if err != nil {
		return err
	}
	timed, verified, err := workload.Parts(workload.Store(r, p, whole.bytes()),
		func(store cluster.Store, small bool) (*verifier, error) {
			if small {
				return newSmallVerifier(r, p, whole.small(), store)
			}
			s, err := newSolver(r, p, world, whole, store)
			return &verifier{s: s}, err
		})
	if err != nil {
		return err
	}
	if err := verified.begin(); err != nil {
		return err
	}
	for p.Next() {
		timed.use(p.Now())
		verified.use(p.Now())
		if verified != timed {
			if _, err := verified.step(p.Iteration()); err != nil {
				return err
			}
		}
		alone, err := timed.s.timeAlone()
		if err != nil {
			return err
		}
		took, err := timed.step(p.Iteration())
		if err != nil {
			return err
		}
		timed.s.verifySize()
		timed.s.report(took, alone)
		if err := p.Took(took); err != nil {
			return err
		}
	}
	if verified != timed {
		if err := verified.free(); err != nil {
			return err
		}
	}
	return timed.free()
}

// tune returns the probe of an MPI process.
func tune(r *cluster.Rank, p engine.Probe) *algorithm.Tuning {
	spec := r.Spec()
	return algorithm.Tune(r, r.World(), p, func() []algorithm.Cell {
		return cellsOf(p, &spec.Machine, algorithm.KindOf(r), &spec.Layout)
	})
}

// newSmallVerifier creates a small problem on a few of the processes, which is verified in addition
// to the timed problem.
func newSmallVerifier(r *cluster.Rank, p *algorithm.Tuning, small instance, store cluster.Store) (*verifier, error) {
	world, g := r.World(), &small.grid
	if world.Rank() >= g.ty*g.tz {
		return &verifier{}, nil
	}
	members := make([]int, g.ty*g.tz)
	for i := range members {
		members[i] = i
	}
	team, err := r.Subteam(world, members)
	if err != nil {
		return nil, err
	}
	g.y, g.z = team.Rank()%g.ty, team.Rank()/g.ty
	s, err := newSolver(r, p, team, small, store)
	return &verifier{s: s}, err
}

// use selects the candidate of online tuning for the timed exchanges.
func (v *verifier) use(candidate int) {
	if v.s == nil {
		return
	}
	for e := range v.s.channels {
		if c := &v.s.channels[e]; c.comm != nil {
			c.key = c.keys[candidate]
		}
	}
}

// begin generates the numbers of the part.
func (v *verifier) begin() error {
	if v.s == nil {
		return nil
	}
	return v.s.begin()
}

// step does a step and verifies it.
func (v *verifier) step(iteration int) (took cluster.Time, err error) {
	s := v.s
	if s == nil {
		return 0, nil
	}
	if err := s.store.Do(v.verifyTransforms); err != nil {
		return 0, err
	}
	t := s.problem.step(iteration)
	took, sum, err := s.advance(t)
	if err != nil {
		return 0, err
	}
	return took, s.store.Do(func() error { v.verifyChecksum(t, sum); return nil })
}

// free releases the part's teams and communicators.
func (v *verifier) free() error {
	if v.s == nil {
		return nil
	}
	return v.s.free()
}

// report reports the times of a step.
func (s *solver) report(took, alone cluster.Time) {
	report := func(name string, t cluster.Time) { s.p.Report(name, t.Seconds()) }
	report("step_time", took)
	report("time_fft", s.took.fft)
	report("time_comm", s.took.comm)
	report("time_memory", s.took.memory)
	report("time_other", s.took.other)
	report("time_barrier", s.took.barrier)
	report("exchange_alone", alone)
	if took > 0 {
		s.p.Report("flop_rate", s.problem.flops()/took.Seconds())
	}
}
