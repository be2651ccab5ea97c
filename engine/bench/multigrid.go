package bench

import (
	"context"
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/engine/workload/multigrid"
)

// multigridRow is a row of bench multigrid, measured on live or in a simulation.
type multigridRow struct {
	name    string
	measure func(context.Context, *Options) (Row, error)
}

// multigridRows returns the rows in the order of the table.
func multigridRows() []multigridRow {
	cases, sims := MultigridCases(), multigridSims()
	var all []multigridRow
	for i := range cases {
		all = append(all, multigridRow{name: cases[i].Name, measure: cases[i].measure})
	}
	for i := range sims {
		all = append(all, multigridRow{name: sims[i].name, measure: sims[i].measure})
	}
	return all
}

// MultigridNames returns the names of the rows.
func MultigridNames() []string {
	var names []string
	for _, k := range multigridRows() {
		names = append(names, k.name)
	}
	return names
}

// MultigridRows measures the faces of multigrid, and its simulation. Its solves are among the
// applications.
func MultigridRows(ctx context.Context, o Options, progress func(name string)) ([]Row, error) {
	t := &table[multigridRow]{
		name:    "bench multigrid",
		cases:   multigridRows(),
		nameOf:  func(k *multigridRow) string { return k.name },
		measure: func(k *multigridRow, ctx context.Context, o *Options) (Row, error) { return k.measure(ctx, o) },
	}
	return t.rows(ctx, &o, progress)
}

// faceSide is the side of the box of the measured face, as in the paper.
const faceSide = 128

// MultigridCases returns the transfers of a face into a neighbour's ghost cells, compared with a
// plain loop.
func MultigridCases() []Case {
	face := func(variant string, target float64, doc string) Case {
		return Case{Name: "mg_face_" + variant, Doc: "a cell of 128² of a face along i to the neighbour's ghosts, " + doc,
			Unit: seconds, Limit: "a plain loop over []float64", Target: target,
			Ranks: 2, segment: 8 * (faceSide + 2) * (faceSide + 2) * (faceSide + 2), valueOps: faceSide * faceSide,
			limitOps: faceSide * faceSide, bound: hard,
			sides: func(r *cluster.Rank, _ *common) (value, limit side, err error) { return facePuts(r, variant) }}
	}
	return []Case{face("local", 1.3, "by loads and stores"), face("natural", 8, "by one put each")}
}

// facePuts returns puts of a face by rank 0, and a loop that stores the same elements.
func facePuts(r *cluster.Rank, variant string) (value, limit side, err error) {
	seg, err := neighbour(r)
	if err != nil {
		return nil, nil, err
	}
	const row, plane = faceSide + 2, (faceSide + 2) * (faceSide + 2)
	const last = (faceSide - 1) * (row + plane)
	source := cluster.View[float64](r.Segment())[faceSide+row+plane:]
	target := cluster.View[float64](seg)[row+plane:]
	put := multigrid.FacePut(r, 1, faceSide, variant)
	stamp := 0.
	timed := func(move func() error) side {
		return func(n int) error {
			stamp++
			source[0], source[last] = stamp, -stamp
			for range n {
				if err := move(); err != nil {
					return err
				}
			}
			if target[0] != stamp || target[last] != -stamp {
				return fmt.Errorf("the ghost cells are %g and %g, want %g and %g", target[0], target[last], stamp, -stamp)
			}
			return nil
		}
	}
	loop := func() error {
		faceLoop(target, source)
		return nil
	}
	return onRankZero(r, timed(put)), onRankZero(r, timed(loop)), nil
}

//go:noinline
func faceLoop(to, from []float64) {
	const row, plane = faceSide + 2, (faceSide + 2) * (faceSide + 2)
	for k := range faceSide {
		for j := range faceSide {
			at := j*row + k*plane
			to[at] = from[at]
		}
	}
}
