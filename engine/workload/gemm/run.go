package gemm

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine"
)

func run(r *cluster.Rank, p engine.Probe) error {
	world := r.World()
	if world.Rank() < 0 { // no MPI rank: it has no part
		for p.Next() {
		}
		return nil
	}
	g, err := shapeOf(p.Int("rows"), world.Size())
	if err != nil {
		return err
	}
	teams, err := teamsOf(r, g)
	if err != nil {
		return err
	}
	whole := problem{g, int(p.Int("n")), int(p.Int("block"))}
	phantoms := (r.Spec().Clock == cluster.VirtualClock) && whole.large(p.Int("real-limit"))
	of := whole
	if phantoms {
		of = whole.proof()
	}
	x, _, err := newProduct(r, p, of, teams, 0, true)
	if err != nil {
		return err
	}
	x.fill()
	known := sumsOf(of.n)
	timed := x
	if phantoms {
		if timed, _, err = newProduct(r, p, whole, teams, lined(int64(len(r.Segment()))), false); err != nil {
			return err
		}
	}
	timed.told = true
	for p.Next() {
		if err := x.multiply(); err != nil {
			return err
		}
		if wrong := x.wrong(known); wrong != "" {
			p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s", r.ID(), p.Iteration(), wrong))
		} else {
			p.Verify(true, x.proved(phantoms))
		}
		if phantoms {
			if err := timed.multiply(); err != nil {
				return err
			}
		}
		if err := timed.time(); err != nil {
			return err
		}
		if err := timed.report(); err != nil {
			return err
		}
	}
	if phantoms {
		if err := timed.free(); err != nil {
			return err
		}
	}
	if err := x.free(); err != nil {
		return err
	}
	for _, t := range teams {
		if err := r.FreeTeam(t); err != nil {
			return err
		}
	}
	return nil
}

// teamsOf are the rank's row and column of a grid.
func teamsOf(r *cluster.Rank, g shape) (teams [lines]*cluster.Team, err error) {
	for line := range lines {
		list, _ := g.members(line, r.World().Rank())
		if teams[line], err = r.Subteam(r.World(), list); err != nil {
			return teams, err
		}
	}
	return teams, nil
}

// large reports whether a rank's part of C is too large to have numbers in a simulation.
func (p *problem) large(limit int64) bool {
	return int64(p.along(p.rows).Most())*int64(p.along(p.cols).Most()) > limit
}

// proof is the product that is verified where the one that is timed has no numbers: on
// the same grid, with several blocks a rank and one that is not whole.
func (p *problem) proof() problem {
	const block = 4
	return problem{p.shape, min(p.n, 2*block*max(p.rows, p.cols)+block/2), min(block, p.block)}
}

func (x *product) proved(phantoms bool) string {
	text := fmt.Sprintf("every element of C = A·B of %d × %d numbers is exact on %d × %d ranks", x.n, x.n, x.rows, x.cols)
	if phantoms {
		text += "; the product that is timed has sizes without numbers"
	}
	return text
}

// report tells where the time went: the rank that takes longest counts.
func (x *product) report() error {
	s, world := &x.spans, x.r.World()
	mine := []int64{int64(s.all), int64(s.longest), int64(x.alone), int64(s.compute)}
	worst := make([]int64, len(mine))
	if err := coll.Allreduce(x.r, world, cluster.Max, mine, worst); err != nil {
		return err
	}
	step := []int64{-1}
	if mine[1] == worst[1] { // its place, of the first where several waited as long
		step[0] = int64(x.steps() - s.step)
	}
	if err := coll.Allreduce(x.r, world, cluster.Max, step, step); err != nil {
		return err
	}
	at := func(ps int64) float64 { return cluster.Time(ps).Seconds() }
	steps := float64(x.steps())
	x.p.Report("gemm_time", at(worst[0]))
	x.p.Report("compute_time", s.compute.Seconds())
	x.p.Report("pack_time", s.pack.Seconds())
	x.p.Report("wait_time", s.wait.Seconds())
	x.p.Report("panel_time", at(worst[2]))
	x.p.Report("panel_wait", s.wait.Seconds()/steps)
	x.p.Report("longest_wait", at(worst[1]))
	x.p.Report("longest_step", float64(int64(x.steps())-step[0]))
	if worst[0] > 0 {
		x.p.Report("compute_share", at(worst[3])/at(worst[0]))
	}
	if alone := at(worst[2]) * steps; alone > 0 {
		x.p.Report("hidden_share", max(0, 1-(s.wait+s.pack).Seconds()/alone))
	}
	for line, t := range x.teams {
		if peers := t.Size(); peers > 1 {
			bytes := int64(x.lines[line].long) * int64(x.along(1).Width(0)) * unit
			x.p.Access(t.Global((t.Rank()+1)%peers), bytes, x.each[line])
		}
	}
	return nil
}
