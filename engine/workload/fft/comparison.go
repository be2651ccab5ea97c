package fft

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine"
)

// compareSequential returns a process's part of a time step, and the sequential program's step.
// Their checksums are equal to 1e-12.
func compareSequential(r *cluster.Rank, p engine.Probe) (path, alone func() error, err error) {
	of, err := instanceOf(p, r.World().Size(), r.World().Rank())
	if err != nil {
		return nil, nil, err
	}
	x, err := newSolver(r, tune(r, p), r.World(), of, cluster.Store{})
	if err == nil {
		err = x.begin()
	}
	if err != nil {
		return nil, nil, err
	}
	q := newSequential(&of.problem)
	want := q.checksum(1)
	check := func(sum complex128) error {
		if relativeError(real(sum), real(want)) > tolerance || relativeError(imag(sum), imag(want)) > tolerance {
			return fmt.Errorf("the checksum is %v, want %v", sum, want)
		}
		return nil
	}
	path = func() error {
		_, sum, err := x.advance(1)
		if err != nil {
			return err
		}
		return check(sum)
	}
	return path, func() error { return check(q.checksum(1)) }, nil
}
