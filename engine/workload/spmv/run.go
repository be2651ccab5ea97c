package spmv

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

func run(r *cluster.Rank, p engine.Probe) error {
	want, _ := cluster.ParseThreadLevel(p.Text("threading")) // the knob has the levels for choices
	if err := level(r, want); err != nil {
		return err
	}
	if r.World().Rank() < 0 { // no MPI process: it owns no planes
		for p.Next() {
		}
		return nil
	}
	// What is verified is what is timed, unless that has a time and no numbers.
	all := []*mesh{newMesh(r.World(), int(p.Int("ni")), int(p.Int("nj")), int(p.Int("local-k")))}
	phantom := (r.Spec().Clock == cluster.VirtualClock) && all[0].rows() > p.Int("real-limit")
	if phantom {
		all = []*mesh{proof(r.World(), all[0]), all[0]}
	}
	if err := all[0].build(r); err != nil {
		return err
	}
	var products []*product
	for _, m := range all {
		products = append(products, newProduct(r, p, m))
	}
	products[len(products)-1].name = "scheme: " + schemeOf(p)
	if !(r.Spec().Clock == cluster.VirtualClock) { // memory that is touched for the first time is slow
		if _, _, err := products[0].both(p, 0); err != nil {
			return err
		}
	}
	for p.Next() {
		for i, c := range products {
			parts, took, err := c.both(p, uint64(p.Iteration())+1)
			if err != nil {
				return err
			}
			if i == len(products)-1 {
				c.report(p, parts, took)
			}
		}
	}
	return nil
}

func newMesh(world *cluster.Team, ni, nj, nk int) *mesh {
	return &mesh{ni: ni, nj: nj, nk: nk, first: world.Rank() * nk, planes: world.Size() * nk}
}

// The mesh that is verified where the one that is timed has no numbers: lines and
// planes enough for every thread, boundary and inner.
const (
	proofSide   = 8
	proofPlanes = 4
)

func proof(world *cluster.Team, m *mesh) *mesh {
	return newMesh(world, min(m.ni, proofSide), min(m.nj, proofSide), min(m.nk, proofPlanes))
}

// both computes a product masteronly and one by the scheme, in turns that one and
// the other begin, verifies them, and gives their times.
func (c *product) both(p engine.Probe, iteration uint64) (times, cluster.Time, error) {
	var parts times
	var took cluster.Time
	for turn := range uint64(2) {
		stamp := 2*iteration + turn
		if c.m.real() {
			c.m.fill(stamp)
		}
		if err := c.r.Barrier(c.r.World()); err != nil {
			return parts, took, err
		}
		reference := stamp%4 == 0 || stamp%4 == 3
		if c.name != "" {
			p.Step(int(turn), 2)
		}
		switch {
		case c.name == "":
		case reference:
			p.Part(0, cluster.ThreadMasteronly.String())
		default:
			p.Part(1, c.name)
		}
		begin := c.r.Now()
		var err error
		if reference {
			parts, err = c.masteronly()
		} else if err = c.scheme(); err == nil {
			took = c.span(begin, c.r.Now())
		}
		if err != nil {
			return parts, took, err
		}
		p.Part(-1, "")
		if c.m.real() && iteration > 0 {
			c.verify(p, reference)
		}
	}
	return parts, took, nil
}

// verify looks at the product. Where the halo was used before it had come, it says
// so: a program without barriers is wrong whenever that happens.
func (c *product) verify(p engine.Probe, reference bool) {
	wrong, looked, detail := c.m.check()
	who := p.Text("threading")
	if reference {
		who = cluster.ThreadMasteronly.String()
	} else {
		p.Report("wrong_rows", float64(wrong)/float64(looked))
	}
	if wrong == 0 {
		p.Verify(true, "the products are those that the operator gives at every row that was looked at")
		return
	}
	detail = fmt.Sprintf("rank %d, iteration %d, %s: %s; %d of %d rows are wrong", c.r.ID(), p.Iteration(), who, detail, wrong, looked)
	if !reference && who == cluster.ThreadFunneled.String() && p.Text("master-section") == sectionBare {
		detail += ": the race is shown. MASTER has no barrier, and threads computed with the halo of the product before; use master-section = barriers or overlapped"
	}
	p.Verify(false, detail)
}

// report gives the times of an iteration.
func (c *product) report(p engine.Probe, parts times, took cluster.Time) {
	for _, to := range []int{c.h.below, c.h.above} {
		p.Access(c.r.World().Global(to), 8*int64(c.m.plane()), parts.comm)
	}
	p.Report("time_comm", parts.comm.Seconds())
	p.Report("time_overlap", parts.overlap.Seconds())
	p.Report("time_non", parts.wait.Seconds())
	p.Report("time_masteronly", parts.total().Seconds())
	p.Report("time_scheme", took.Seconds())
}
