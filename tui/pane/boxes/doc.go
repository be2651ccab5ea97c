// Package boxes is the pane of how a run shares a grid out: a plane of its boxes, each
// in the colour of the rank that has it, and below all ranks, those hatched that have
// none. Of an oct-tree it is a level's cells, each in the colour of the rank that made it.
//
//	 0  0  1  1
//	 2  2  3  3     plane 1 of 4
//	ranks ████╱╱╱╱  4 of 8 are idle
package boxes
