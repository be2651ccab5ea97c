package fft

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, p engine.Probe) error {
	world := r.World()
	if world.Rank() < 0 { // no MPI process: it has no points
		for p.Next() {
		}
		return nil
	}
	b := problemOf(p)
	g, err := gridOf(p, world.Size(), world.Rank())
	if err != nil {
		return err
	}
	slabs := slabsOf(p)
	timed, verified, err := workload.Parts(workload.Store(r, p, b.bytes(&g)), func(store cluster.Store, small bool) (*verifier, error) {
		if small {
			return newSmallVerifier(r, p, &g, slabs, store)
		}
		s, err := newSolver(r, p, world, b, g, slabs, store)
		return &verifier{s: s}, err
	})
	if err != nil {
		return err
	}
	if err := verified.begin(); err != nil {
		return err
	}
	for p.Next() {
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
		timed.s.report(took, alone)
	}
	if verified != timed {
		if err := verified.free(); err != nil {
			return err
		}
	}
	return timed.free()
}

// bytes returns the bytes of a process's points.
func (b *problem) bytes(g *grid) int64 { return pointBytes * int64(b.points()/(g.ty*g.tz)) }

// newSmallVerifier creates a small problem on a few of the processes, which is verified in addition
// to the timed problem.
func newSmallVerifier(r *cluster.Rank, p engine.Probe, g *grid, slabs int, store cluster.Store) (*verifier, error) {
	b, small := smallProblem(g, slabs)
	world := r.World()
	if world.Rank() >= small.ty*small.tz {
		return &verifier{}, nil
	}
	members := make([]int, small.ty*small.tz)
	for i := range members {
		members[i] = i
	}
	team, err := r.Subteam(world, members)
	if err != nil {
		return nil, err
	}
	small.y, small.z = team.Rank()%small.ty, team.Rank()/small.ty
	s, err := newSolver(r, p, team, b, small, min(slabs, smallSlabs), store)
	return &verifier{s: s}, err
}

// The maximum size of the small problem: processes along an axis of the grid, and slabs.
const (
	smallSide  = 4
	smallSlabs = 4
)

// smallProblem returns the small problem for a grid.
func smallProblem(g *grid, slabs int) (problem, grid) {
	small := grid{ty: min(g.ty, smallSide), tz: min(g.tz, smallSide)}
	side := small.ty
	for side%small.tz != 0 {
		side += small.ty
	}
	return problem{n: [3]int{4 * side, 4 * side, side * smallSlabs}}, small
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
