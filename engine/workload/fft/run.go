package fft

import (
	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
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
	real := !phantom(&b, &g, p, (r.Spec().Clock == cluster.VirtualClock))
	var proof *solver
	if !real {
		if proof, err = newProof(r, p, &g, slabs); err != nil {
			return err
		}
	}
	timed, err := newSolver(r, p, world, b, g, slabs, real)
	if err != nil {
		return err
	}
	proving := proof
	if real {
		proving = timed
	}
	if proving != nil {
		if err := proving.begin(); err != nil {
			return err
		}
	}
	check := &verifier{s: proving}
	for p.Next() {
		if proof != nil {
			if _, err := check.step(p.Iteration()); err != nil {
				return err
			}
		}
		apart, err := timed.apart()
		if err != nil {
			return err
		}
		if real {
			took, err := check.step(p.Iteration())
			if err != nil {
				return err
			}
			timed.report(took, apart)
			continue
		}
		took, _, err := timed.advance(b.step(p.Iteration()))
		if err != nil {
			return err
		}
		timed.report(took, apart)
	}
	if proof != nil {
		if err := proof.free(); err != nil {
			return err
		}
	}
	return timed.free()
}

// phantom reports whether a process's points are sizes alone.
func phantom(b *problem, g *grid, s algorithm.Reader, phantoms bool) bool {
	return phantoms && 16*int64(b.points()/(g.ty*g.tz)) > s.Int("real-limit")
}

// newProof sets up a small problem on a few of the processes, where what is timed has no
// numbers; nil: the process has no part in it.
func newProof(r *cluster.Rank, p engine.Probe, g *grid, slabs int) (*solver, error) {
	b, small := proofOf(g, slabs)
	world := r.World()
	if world.Rank() >= small.ty*small.tz {
		return nil, nil
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
	return newSolver(r, p, team, b, small, min(slabs, proofSlabs), true)
}

// What a proof has at most: processes along an axis of the grid, and slabs.
const (
	proofSide  = 4
	proofSlabs = 4
)

// proofOf is the small problem for a grid.
func proofOf(g *grid, slabs int) (problem, grid) {
	small := grid{ty: min(g.ty, proofSide), tz: min(g.tz, proofSide)}
	side := small.ty
	for side%small.tz != 0 {
		side += small.ty
	}
	return problem{n: [3]int{4 * side, 4 * side, side * proofSlabs}}, small
}

// step takes a step and verifies it.
func (v *verifier) step(iteration int) (cluster.Time, error) {
	if err := v.transforms(); err != nil {
		return 0, err
	}
	t := v.s.problem.step(iteration)
	took, sum, err := v.s.advance(t)
	if err == nil {
		v.sum(t, sum)
	}
	return took, err
}

// report tells of a step.
func (s *solver) report(took, apart cluster.Time) {
	report := func(name string, t cluster.Time) { s.p.Report(name, t.Seconds()) }
	report("step_time", took)
	report("time_fft", s.took.fft)
	report("time_comm", s.took.comm)
	report("time_memory", s.took.memory)
	report("time_other", s.took.other)
	report("time_barrier", s.took.barrier)
	report("exchange_alone", apart)
	if took > 0 {
		s.p.Report("flop_rate", s.problem.flops()/took.Seconds())
	}
}
