// Package domain holds what the pane boxes draws: the boxes of grids, or the cells of an
// oct-tree, and the ranks that have them.
//
// A program on grids puts Boxes into the view of a study. A program on a tree reports a profile
// over Octants, of which OctreeOf makes the tree:
//
//	v.Draw(&domain.Boxes{Ranks: 64, Grids: []domain.Grid{{Name: "256³", Boxes: [3]int{4, 4, 4}, Cells: [3]int{64, 64, 64}}}})
package domain
