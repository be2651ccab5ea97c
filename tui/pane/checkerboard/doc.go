// Package checkerboard is the pane of a block-cyclic matrix: it shows the grid of ranks over which
// the blocks are distributed. In each step, one column of the grid sends panels along its rows,
// and one row sends panels down its columns. Ranks that have no work left are hatched. The pane
// follows the steps of the program; keys select another step.
//
//	0 ▶  1    2
//	3▼▶  4▼   5▼     step 4 of 12
//	6 ▶  7    8
package checkerboard
