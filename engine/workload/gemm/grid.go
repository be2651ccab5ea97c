package gemm

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster"
	"github.com/hybridtop/hybridtop/cluster/coll"
	"github.com/hybridtop/hybridtop/engine/algorithm"
	"github.com/hybridtop/hybridtop/engine/workload/dense"
)

// shape is the grid of ranks: number i is in row i / cols, column i mod cols.
type shape struct{ rows, cols int }

// shapeOf returns the grid for the knob rows. "square" is the grid closest to a square that the
// ranks divide into, with no more rows than columns.
func shapeOf(rows int64, ranks int) (shape, error) {
	if rows <= 0 {
		rows = int64(dense.Square(ranks))
	}
	if int64(ranks)%rows != 0 {
		return shape{}, fmt.Errorf("rows = %d: %d ranks do not divide into that many rows (use a divisor of %d, or rows "+
			"= square)", rows, ranks, ranks)
	}
	return shape{int(rows), ranks / int(rows)}, nil
}

// problem is a product of square matrices on a grid.
type problem struct {
	shape
	n, block int
}

// steps returns the number of panels.
func (p *problem) steps() int { return p.along(1).Blocks() }

// along returns a dimension of the matrices, distributed over a number of ranks.
func (p *problem) along(ranks int) dense.Cyclic {
	return dense.Cyclic{N: p.n, Block: p.block, Ranks: ranks}
}

// maxPanelBytes returns the size of a team's largest panel in bytes: A's panel for the ranks of a
// row, and B's for the ranks of a column.
func (p *problem) maxPanelBytes(line int) int64 {
	ranks := p.rows
	if line == column {
		ranks = p.cols
	}
	return int64(p.along(ranks).MaxLen()) * int64(min(p.block, p.n)) * unit
}

// numbers returns the number of elements of A, B and C on the rank that has most of them.
func (p *problem) numbers() int64 {
	return 3 * int64(p.along(p.rows).MaxLen()) * int64(p.along(p.cols).MaxLen())
}

// part returns the product that is timed, or a small one that is verified as well. The small
// product uses the same grid, with several blocks per rank and one partial block.
func (p *problem) part(small bool) problem {
	if !small {
		return *p
	}
	const block = 4
	return problem{shape: p.shape, n: min(p.n, 2*block*max(p.rows, p.cols)+block/2), block: min(block, p.block)}
}

// The two broadcasts of a step.
const (
	row    = iota // A's panel, in a row of the grid
	column        // B's panel, in a column
	lines
)

// unit is the number of bytes of an element.
const unit = 8

// members returns the ranks of a row or column, and this rank's position among them.
func (g shape) members(line, me int) (all []int, at int) {
	if line == row {
		for j := range g.cols {
			all = append(all, me/g.cols*g.cols+j)
		}
		return all, me % g.cols
	}
	for i := range g.rows {
		all = append(all, i*g.cols+me%g.cols)
	}
	return all, me / g.cols
}

// size returns the number of ranks in a row or a column.
func (g shape) size(line int) int {
	if line == row {
		return g.cols
	}
	return g.rows
}

// choiceKey is the key by which ranks with equal teams share a choice: only one rank evaluates the
// model.
type choiceKey struct {
	node        bool
	ranks, each int
	bytes       int64
}

type choice struct {
	keys []coll.Key
	err  error
}

// keysOf returns the algorithms of a team for broadcasts of up to this number of bytes, by
// candidate of online tuning.
func keysOf(r *cluster.Rank, p *algorithm.Tuning, t *cluster.Team, bytes int64) ([]coll.Key, error) {
	w := algorithm.TeamOf(r, t)
	got := r.Lib().Shared(choiceKey{node: w.Node, ranks: t.Size(), each: w.PerNode, bytes: bytes}, func() any {
		c := algorithm.Cell{Team: w, What: coll.OpBcast, Ranks: t.Size(), Bytes: bytes}
		keys, err := c.Keys(p, p.Names)
		return choice{keys, err}
	}).(choice)
	return got.keys, got.err
}
