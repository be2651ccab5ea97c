package dense

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

func init() { engine.RegisterDrawing[Checkerboard]("checkerboard") }

// Checkerboard is a grid of ranks to which the blocks of a matrix are dealt in turn, rank
// x·Cols + y in row x and column y of the grid. In step k of a program panels go along rows
// from column k mod Cols, and down columns from row k mod Rows. Of an upper triangle it is
// the block on the diagonal that goes along its row, and what its row makes of it down
// columns.
type Checkerboard struct {
	Rows, Cols int
	Steps      int  // blocks along a side of the matrix
	Ahead      int  // steps whose panels are under way before they are needed, at most
	Upper      bool // a step works on what is left on and above the diagonal, from its block on; else on all
}

// mostRanks is the maximum number of ranks of a grid that was read.
const mostRanks = 1 << 24

// Fields walks over all fields.
func (c *Checkerboard) Fields(w *codec.Walk) {
	codec.Integer(w, &c.Rows)
	codec.Integer(w, &c.Cols)
	codec.Integer(w, &c.Steps)
	codec.Integer(w, &c.Ahead)
	w.Flag(&c.Upper)
	if w.Reading() && (c.Rows < 1 || c.Cols < 1 || c.Steps < 1 || c.Ahead < 0 || c.Rows > mostRanks/c.Cols) {
		w.Fail(fmt.Errorf("checkerboard of %d × %d ranks in %d steps", c.Rows, c.Cols, c.Steps))
	}
}

// Column is from where panels go along rows in a step, and Row from where along columns.
func (c *Checkerboard) Column(step int) int { return step % c.Cols }

// Row is where panels go along columns from.
func (c *Checkerboard) Row(step int) int { return step % c.Rows }

// Works reports whether a rank has a block that a step works on.
func (c *Checkerboard) Works(rank, step int) bool {
	x, y := rank/c.Cols, rank%c.Cols
	if !c.Upper {
		return x < c.Steps && y < c.Steps
	}
	row, column := last(x, c.Rows, c.Steps), last(y, c.Cols, c.Steps)
	if row < step || column < step {
		return false
	}
	least := row - (row-step)/c.Rows*c.Rows // the first of its rows that is left
	return least <= column
}

// last is the last number below n that is a in turns of so many; below 0: there is none.
func last(a, turn, n int) int {
	if a >= n {
		return -1
	}
	return a + (n-1-a)/turn*turn
}
