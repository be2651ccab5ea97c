// Package multigrid solves −∇·β∇u = f on a cube by full multigrid, like HPGMG-FV (paper 3). One of
// seven variants moves the data between ranks:
//
//	solve      restrict f to the bottom, solve there; up: interpolate, then a V-cycle
//	V-cycle    smooth, residual, restrict, V-cycle below, add its result, smooth
//	smooth     a Chebyshev pass: exchange ghosts, sweep, alternating u and TEMP
//	channel    what one step moves between boxes: faces, all 26 sides, down, up
//	deliver    by the variant: packed messages, packed puts, or rows put to their destination
//
// The grid of a level is cut into cubical boxes; arithmetic alone assigns them to ranks. Each box
// holds nine vectors with a layer of ghosts. Cells are always computed in the same order, so u is
// bitwise identical for every number of ranks and every variant.
//
// The threads of a rank share the planes of its boxes, their ghosts outside the domain, and the copies between
// its boxes. The master packs and sends messages, and solves the coarsest grid.
package multigrid
