// Package domain holds the data of the pane boxes: the boxes of grids or the cells of an oct-tree,
// and the ranks that own them.
//
// A program on grids puts Boxes into the view of a study. A program on a tree reports a profile
// over Octants, from which OctreeOf builds the tree:
//
//	v.Draw(&domain.Boxes{Ranks: 64, Grids: []domain.Grid{{Name: "256³", Boxes: [3]int{4, 4, 4}, Cells: [3]int{64, 64, 64}}}})
package domain
