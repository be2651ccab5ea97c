package reproduce

import (
	"cmp"
	"context"
	"math"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/rma"
	"github.com/hybridtop/hybridtop/cluster/sim"
	"github.com/hybridtop/hybridtop/engine"
)

// windows tests the rules of MPI-2 for windows (paper 1, section 2.1) in virtual time, over the
// number of processes. Each program that breaks a rule must be refused; the correct one must not.
var _ = register(&Experiment{
	Name: "windows",
	Knobs: []engine.Knob{{Name: "processes", Label: "processes", Doc: "processes of the window", Type: engine.Integer,
		Default: "2", Min: 2, Max: 1 << 16}},
	SetX: onKnob("processes"),
	Quantities: []Quantity{
		refusalQuantity("access_outside_epoch", "refused accesses outside an epoch", []windowProgram{
			func(w *rma.Window, to int, b []byte) error { return w.Put(to, 0, cluster.Of(b)) },
			func(w *rma.Window, to int, b []byte) error { return w.Get(to, 0, cluster.Of(b)) },
			func(w *rma.Window, to int, _ []byte) error {
				return rma.Accumulate(w, to, 0, []int64{1})
			},
			func(w *rma.Window, _ int, _ []byte) error { _, err := w.Local(); return err },
		}),
		refusalQuantity("conflict_in_epoch", "refused reads and writes of data put in the same epoch", []windowProgram{
			underLock(put, get), underLock(put, put), underLock(get, put),
		}),
		refusalQuantity("overlapping_lock", "refused conflicting locks, and refused accesses under another rank's lock",
			[]windowProgram{
				underLock(func(w *rma.Window, to int, _ []byte) error { return w.Lock(rma.LockShared, to) }),
				underLock(func(w *rma.Window, to int, _ []byte) error { return w.Lock(rma.LockShared, 0) }),
				underLock(func(w *rma.Window, _ int, b []byte) error { return w.Put(0, 0, cluster.Of(b)) }),
				underLock(func(w *rma.Window, _ int, _ []byte) error { _, err := w.Local(); return err }),
			}),
		refusalQuantity("kept_rules", "correct programs that were refused", []windowProgram{
			underLock(put), underLock(get),
			underLock(put, func(w *rma.Window, to int, b []byte) error { return w.Put(to, int64(len(b)), cluster.Of(b)) }),
			underLock(get, get),
		}),
	},
})

// windowProgram is a program on a window, run by its first process towards another one. It returns
// the error of the call under test.
type windowProgram func(w *rma.Window, to int, b []byte) error

func put(w *rma.Window, to int, b []byte) error { return w.Put(to, 0, cluster.Of(b)) }
func get(w *rma.Window, to int, b []byte) error { return w.Get(to, 0, cluster.Of(b)) }

// underLock makes calls under an exclusive lock of the target. The last call is under test.
func underLock(calls ...windowProgram) windowProgram {
	return func(w *rma.Window, to int, b []byte) error {
		last := len(calls) - 1
		err := w.Lock(rma.LockExclusive, to)
		for _, call := range calls[:last] {
			err = cmp.Or(err, call(w, to, b))
		}
		tested := calls[last](w, to, b)
		err = cmp.Or(err, w.Unlock(to))
		if err != nil {
			panic(err) // a call that is not under test was refused
		}
		return tested
	}
}

// refusalQuantity returns the share of the programs that are refused.
func refusalQuantity(name, doc string, programs []windowProgram) Quantity {
	return Quantity{
		Name: name, Unit: "1", Doc: doc, Modelled: unknown,
		Simulated: func(p, _ *Point) float64 { return countRefused(p, programs) / float64(len(programs)) },
	}
}

// countRefused counts the refused programs. It returns NaN if they could not run.
func countRefused(p *Point, programs []windowProgram) float64 {
	const bytes = 64
	n := int(p.Scenario.Int("processes"))
	spec := cluster.Spec{
		Machine: *p.Machine, Segment: 1 << 12, EagerLimit: -1,
		Layout: cluster.Layout{Nodes: n, RanksPerNode: 1, ThreadsPerRank: 1, Ranking: cluster.Sequential,
			Model: cluster.Flat},
	}
	count := 0.0
	err := cluster.Launch(context.Background(), sim.New(), spec, func(r *cluster.Rank) error {
		w, err := rma.NewWindow(r, r.World(), bytes)
		if err != nil {
			return err
		}
		for _, program := range programs {
			if r.ID() == 0 && program(w, n-1, make([]byte, bytes/2)) != nil {
				count++
			}
			if err := r.Barrier(r.World()); err != nil { // the others grant locks here
				return err
			}
		}
		return w.Free()
	})
	if err != nil {
		return math.NaN()
	}
	return count
}
