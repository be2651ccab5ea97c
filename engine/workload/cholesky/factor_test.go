package cholesky

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/clustertest"
	"github.com/hybridtop/hybridtop/cluster/live"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
	"github.com/hybridtop/hybridtop/engine/workload"
)

// trial is a probe that only has knobs.
type trial struct {
	engine.Probe
	knobs engine.Scenario
}

func (tr *trial) Step(int, int)           {}
func (tr *trial) Int(knob string) int64   { return tr.knobs.Int(knob) }
func (tr *trial) Text(knob string) string { return tr.knobs.Text(knob) }

// launch runs body on every process of a grid.
func launch(t *testing.T, f cluster.Fabric, m cluster.Machine, body func(c *process) error, knobs ...string) {
	t.Helper()
	tr := &trial{knobs: cholesky.Scenario([]string{"demo"})}
	for i := 0; i < len(knobs); i += 2 {
		if err := tr.knobs.Set(knobs[i], knobs[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	p, err := plan(&tr.knobs, workload.SiteOf(f, &m))
	if err != nil {
		t.Fatal(err)
	}
	spec := cluster.Spec{Machine: m, Layout: tr.knobs.Layout(), Segment: p.Segment, Modelled: p.Modelled, EagerLimit: -1}
	err = cluster.Launch(context.Background(), f, spec, func(r *cluster.Rank) error {
		c, err := newProcess(r, tr)
		if err != nil {
			return err
		}
		return body(c)
	})
	if err != nil {
		t.Errorf("%v: %v", knobs, err)
	}
}

// All ranks return from a failed factorization with the same pivot. Afterwards, a matrix that has a
// factor is factored correctly.
func TestAllRanksLeaveAnIndefiniteMatrix(t *testing.T) {
	for _, f := range []struct {
		fabric  cluster.Fabric
		machine cluster.Machine
	}{{&sim.Fabric{}, clustertest.Priced()}, {live.New(), clustertest.Host()}} {
		for _, knobs := range [][]string{
			{"handoff", "direct"}, {"handoff", "direct", "transfer", "put"}, {"handoff", "column", "lookahead", "on"},
			{"handoff", "column", "lookahead", "on", "transfer", "put"},
		} {
			var mu sync.Mutex
			left := 0
			launch(t, f.fabric, f.machine, func(c *process) error {
				err := c.attempt(c.timed)
				if err != nil && strings.Contains(err.Error(), "the pivot of row 33 is not positive") {
					mu.Lock()
					left++
					mu.Unlock()
				}
				c.of.name = exact
				if err := c.attempt(c.timed); err != nil {
					return err
				}
				if wrong := c.timed.compareExact(); wrong != "" {
					t.Errorf("%v: after a matrix without a factor: %s", knobs, wrong)
				}
				return nil
			}, append(knobs, "matrix", "indefinite", "n", "50", "block", "4", "nodes", "2", "ranks-per-node", "3")...)
			if left != 6 {
				t.Errorf("%v: %d of 6 ranks left with the row of the pivot", knobs, left)
			}
		}
	}
}

// One wrong bit in one element is found by the closed form, by gonum's factor and by the residual.
func TestAWrongElementIsFound(t *testing.T) {
	launch(t, &sim.Fabric{}, clustertest.Priced(), func(c *process) error {
		f := c.timed
		if err := c.attempt(f); err != nil {
			return err
		}
		of := c.matrix(f)
		good, err := f.residual(of)
		if err != nil {
			return err
		}
		if wrong := f.compareGonum(of); wrong != "" || !(good < acceptable) {
			t.Errorf("a correct factor: %q, residual %g", wrong, good)
		}
		if f.x == 1 && f.y == 1 {
			f.a[f.rows.Local(5)*f.ld+f.cols.Local(23)] += 1e-8
			if f.compareGonum(of) == "" {
				t.Error("an element with an error of 1e-8 matches gonum")
			}
		}
		bad, err := f.residual(of)
		if err != nil {
			return err
		}
		if bad < acceptable {
			t.Errorf("an element with an error of 1e-8 has a residual of %g", bad)
		}
		return nil
	}, "matrix", "random", "n", "30", "block", "4", "nodes", "2", "ranks-per-node", "2")

	f := &factor{grid: gridOf(30, 4, 2, 2, 3)}
	f.ld = f.rowLength()
	f.a = make([]float64, f.rows.MaxLen()*f.ld)
	f.each(func(i, j, at int) { f.a[at] = factorOf(i, j) })
	if wrong := f.compareExact(); wrong != "" {
		t.Errorf("the closed form itself: %s", wrong)
	}
	f.a[f.rows.Local(5)*f.ld+f.cols.Local(23)] += 1e-15
	if f.compareExact() == "" {
		t.Error("an element with a wrong bit passes")
	}
}
