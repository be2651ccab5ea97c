package dense

import (
	"fmt"

	"github.com/hybridtop/hybridtop/cluster/codec"
	"github.com/hybridtop/hybridtop/engine"
)

func init() { engine.RegisterDrawing[Checkerboard]("checkerboard") }

// A Checkerboard is a grid of ranks over which the blocks of a matrix are distributed cyclically.
// Rank x·Cols + y is in row x and column y of the grid. In step k of a program, panels are sent
// along rows from column k mod Cols, and down columns from row k mod Rows. For an upper triangle,
// the block on the diagonal is sent along its row, and the resulting blocks of the row are sent
// down columns.
type Checkerboard struct {
	Rows, Cols int
	Steps      int  // blocks along a side of the matrix
	Ahead      int  // maximum number of steps whose panels are sent before they are needed
	Upper      bool // a step works on the remaining blocks on and above the diagonal; else on all blocks
}

// maxRanks is the maximum number of ranks of a grid that was read.
const maxRanks = 1 << 24

// Fields walks over all fields.
func (c *Checkerboard) Fields(w *codec.Walk) {
	codec.Integer(w, &c.Rows)
	codec.Integer(w, &c.Cols)
	codec.Integer(w, &c.Steps)
	codec.Integer(w, &c.Ahead)
	w.Flag(&c.Upper)
	if w.Reading() && (c.Rows < 1 || c.Cols < 1 || c.Steps < 1 || c.Ahead < 0 || c.Rows > maxRanks/c.Cols) {
		w.Fail(fmt.Errorf("checkerboard of %d × %d ranks in %d steps", c.Rows, c.Cols, c.Steps))
	}
}

// Column returns the column that sends panels along rows in a step.
func (c *Checkerboard) Column(step int) int { return step % c.Cols }

// Row returns the row that sends panels down columns in a step.
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
	least := row - (row-step)/c.Rows*c.Rows // its first remaining row
	return least <= column
}

// last returns the largest number below n that equals a modulo turn, or a negative number if there
// is none.
func last(a, ranks, n int) int {
	if a >= n {
		return -1
	}
	return a + (n-1-a)/ranks*ranks
}
