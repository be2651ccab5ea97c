// Package checkerboard is the pane of a grid of ranks that the blocks of a matrix are dealt
// to: in each step panels leave one column of the grid along its rows, and one row down its
// columns; ranks that have nothing left are hatched. It goes with the program's steps, or by
// keys from one to the next.
//
//	0 ▶  1    2
//	3▼▶  4▼   5▼     step 4 of 12
//	6 ▶  7    8
package checkerboard
