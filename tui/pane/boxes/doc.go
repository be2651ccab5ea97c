// Package boxes is the pane of a domain decomposition: it shows which rank owns which box of a
// grid. It draws one plane of boxes, each in the colour of its owner. Below it is a row of all
// ranks, where ranks without a box are hatched. For an octree it draws the cells of a level, each
// in the colour of the rank that created it.
//
//	 0  0  1  1
//	 2  2  3  3     plane 1 of 4
//	ranks ████╱╱╱╱  4 of 8 are idle
package boxes
