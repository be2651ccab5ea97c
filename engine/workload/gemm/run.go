package gemm

import (
	"fmt"
	"slices"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, probe engine.Probe) error {
	world := r.World()
	if world.Rank() < 0 { // not an MPI rank: it has no part
		for probe.Next() {
		}
		return nil
	}
	if err := workload.RequestThreads(r, probe); err != nil {
		return err
	}
	p := tune(r, probe)
	g, err := shapeOf(p.Int("rows"), world.Size())
	if err != nil {
		return err
	}
	teams, err := teamsOf(r, g)
	if err != nil {
		return err
	}
	whole := problem{shape: g, n: int(p.Int("n")), block: int(p.Int("block"))}
	timed, verified, err := workload.Parts(workload.Store(r, p, unit*whole.numbers()),
		func(store cluster.Store, small bool) (*product, error) {
			return newProduct(r, p, whole.part(small), teams, store)
		})
	if err != nil {
		return err
	}
	verified.fill()
	expected := sumsOf(verified.n)
	timed.shown = true
	for p.Next() {
		if err := verified.multiply(); err != nil {
			return err
		}
		also := ""
		if verified != timed {
			also = "; the timed product is size-only"
			if err := timed.multiply(); err != nil {
				return err
			}
		}
		p.Checksum(verified.checksum)
		if wrong := verified.firstWrong(expected); wrong != "" {
			p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s", r.ID(), p.Iteration(), wrong))
		} else {
			p.Verify(true, verified.verifiedText()+also)
		}
		workload.VerifySize(p, "n", timed.n)
		workload.VerifySize(p, "block", timed.block)
		if want := 2 * float64(timed.m) * float64(timed.w) * float64(timed.n); timed.flops != want {
			p.Verify(false, fmt.Sprintf("rank %d has multiplied with %g flops, want %g", r.ID(), timed.flops, want))
		}
		if wrong := timed.wrongOverlap(p.Text("schedule"), p.Int("ahead")); wrong != "" {
			p.Verify(false, wrong)
		}
		if err := verified.timePanels(); err != nil {
			return err
		}
		if wrong := verified.firstWrongPanel(); wrong != "" {
			p.Verify(false, fmt.Sprintf("rank %d, iteration %d: %s", r.ID(), p.Iteration(), wrong))
		}
		if verified != timed {
			if err := timed.timePanels(); err != nil {
				return err
			}
		}
		if err := timed.report(); err != nil {
			return err
		}
		if err := p.Took(timed.spans.all); err != nil {
			return err
		}
	}
	if verified != timed {
		if err := verified.free(); err != nil {
			return err
		}
	}
	if err := timed.free(); err != nil {
		return err
	}
	for _, t := range teams {
		if err := r.FreeTeam(t); err != nil {
			return err
		}
	}
	return nil
}

// tune returns the probe of an MPI rank.
func tune(r *cluster.Rank, p engine.Probe) *algorithm.Tuning {
	spec := r.Spec()
	return algorithm.Tune(r, r.World(), p, func() []algorithm.Cell {
		return cellsOf(p, &spec.Machine, algorithm.KindOf(r), &spec.Layout)
	})
}

// teamsOf returns the teams of the rank's row and column in a grid.
func teamsOf(r *cluster.Rank, g shape) (teams [lines]*cluster.Team, err error) {
	for line := range lines {
		list, _ := g.members(line, r.World().Rank())
		teams[line], err = r.Subteam(r.World(), list)
		if err != nil {
			return teams, err
		}
	}
	return teams, nil
}

// verifiedText describes a verified product.
func (x *product) verifiedText() string {
	return fmt.Sprintf("every element of C = A·B of %d × %d numbers is exact on %d × %d ranks", x.n, x.n, x.rows,
		x.cols)
}

// longestWait returns the longest wait of a step except the first, whose panels nothing hides, and its step.
func (x *product) longestWait() (longest cluster.Time, step int) {
	if len(x.waits) > 1 {
		longest = slices.Max(x.waits[1:])
		step = slices.Index(x.waits[1:], longest) + 1
	}
	if longest == 0 {
		step = 0
	}
	return longest, step
}

// report reports the parts of the time on the slowest rank.
func (x *product) report() error {
	s, world := &x.spans, x.r.World()
	longest, first := x.longestWait()
	worst, err := workload.Maxima(x.r, world, int64(s.all), int64(longest), int64(x.alone), int64(s.compute))
	if err != nil {
		return err
	}
	mine := int64(-1)
	if int64(longest) == worst[1] { // its step; the first one if several waited equally long
		mine = int64(x.steps() - first)
	}
	step, err := workload.Maxima(x.r, world, mine)
	if err != nil {
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
