package spmv

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

func run(r *cluster.Rank, p engine.Probe) error {
	if err := workload.RequestLevel(r, levelOf(p)); err != nil {
		return err
	}
	if r.World().Rank() < 0 { // not an MPI process: it owns no planes
		for p.Next() {
		}
		return nil
	}
	whole := mesh{ni: int(p.Int("ni")), nj: int(p.Int("nj")), nk: int(p.Int("local-k"))}
	timed, verified, err := workload.Parts(workload.Store(r, p, whole.bytes()),
		func(store cluster.Store, small bool) (*product, error) {
			m := new(mesh)
			*m = whole.part(small)
			m.locate(r.World(), store)
			if err := store.Do(func() error { return m.build(r) }); err != nil {
				return nil, err
			}
			return newProduct(r, p, m)
		})
	if err != nil {
		return err
	}
	timed.name = "scheme: " + schemeOf(p)
	if r.Spec().Clock != cluster.VirtualClock { // the first access to memory is slow
		if _, _, err := timed.computeBoth(p, 0); err != nil {
			return err
		}
	}
	for p.Next() {
		if verified != timed {
			if _, _, err := verified.computeBoth(p, uint64(p.Iteration())+1); err != nil {
				return err
			}
		}
		parts, took, err := timed.computeBoth(p, uint64(p.Iteration())+1)
		if err != nil {
			return err
		}
		workload.VerifySize(p, "ni", timed.m.ni)
		workload.VerifySize(p, "nj", timed.m.nj)
		workload.VerifySize(p, "local-k", timed.m.nk)
		timed.report(p, parts, took)
	}
	return nil
}

// locate sets the planes of a mesh within all processes' planes, and its store.
func (m *mesh) locate(world *cluster.Team, store cluster.Store) {
	m.first = world.Rank() * m.nk
	m.planes = world.Size() * m.nk
	m.store = store
	m.planeAt = func(int) cluster.Buf[float64] { return cluster.Make[float64](cluster.Bytewise(false), m.plane()) }
}

// The small mesh that is verified next to a size-only one has enough lines and planes for
// every thread, boundary and inner.
const (
	smallSide   = 8
	smallPlanes = 4
)

// part returns the mesh itself, or a small one.
func (m mesh) part(small bool) mesh {
	if small {
		return mesh{ni: min(m.ni, smallSide), nj: min(m.nj, smallSide), nk: min(m.nk, smallPlanes)}
	}
	return m
}

// computeBoth computes one product masteronly and one by the scheme, and verifies them. The two
// alternate in being the first. It returns their times.
func (c *product) computeBoth(p engine.Probe, iteration uint64) (times, cluster.Time, error) {
	var parts times
	var took cluster.Time
	for half := range uint64(2) {
		stamp := 2*iteration + half
		_ = c.m.store.Do(func() error { c.m.fill(stamp); return nil })
		begin, err := workload.Begin(c.r, c.r.World())
		if err != nil {
			return parts, took, err
		}
		reference := stamp%4 == 0 || stamp%4 == 3
		if c.name != "" {
			p.Step(int(half), 2)
		}
		switch {
		case c.name == "":
		case reference:
			p.Part(0, cluster.ThreadMasteronly.String())
		default:
			p.Part(1, c.name)
		}
		if reference {
			parts, err = c.masteronly()
		} else {
			err = c.scheme()
		}
		if err != nil {
			return parts, took, err
		}
		if !reference {
			took = c.span(begin, workload.End(c.r))
		}
		p.Part(-1, "")
		if iteration > 0 {
			_ = c.m.store.Do(func() error { c.verify(p, reference); return nil })
		}
	}
	return parts, took, nil
}

// verify checks the product. If threads used the halo before it arrived, verification fails: every
// such race makes the program wrong.
func (c *product) verify(p engine.Probe, reference bool) {
	wrong, checked, detail := c.m.check()
	who := p.Text("threading")
	if reference {
		who = cluster.ThreadMasteronly.String()
	} else {
		p.Report("wrong_rows", float64(wrong)/float64(checked))
	}
	if wrong == 0 {
		p.Verify(true, "the products equal the operator's at every checked row")
		return
	}
	detail = fmt.Sprintf("rank %d, iteration %d, %s: %s; %d of %d rows are wrong", c.r.ID(), p.Iteration(), who, detail,
		wrong, checked)
	if construct, variant := sectionOf(p); !reference && variant == sectionBare {
		cause, hint := "MASTER has no barrier", "master-section = barriers or overlapped"
		if construct == sectionSingle {
			cause, hint = "NOWAIT dropped the barrier of the loop, too", "nowait = single or off"
		}
		detail += fmt.Sprintf(": this is a race. %s, and threads computed with the halo of the product before (use %s)",
			cause, hint)
	}
	p.Verify(false, detail)
}

// report reports the times of an iteration.
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
