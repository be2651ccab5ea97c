// Package multigrid solves −∇·β∇u = f on a cube by full multigrid, as HPGMG-FV does it
// (paper 3), and moves what ranks need of each other by one of seven variants:
//
//	solve      restrict f to the bottom, solve there; up: interpolate, then a V-cycle
//	V-cycle    smooth, residual, restrict, V-cycle below, add what it gives, smooth
//	smooth     a Chebyshev pass: exchange ghosts, sweep, with u and TEMP in turns
//	channel    what one step moves between boxes: faces, all 26 sides, down, up
//	deliver    by the variant: packed messages, packed puts, or rows put where they belong
//
// A grid of a level is cut into cubical boxes, which ranks own by arithmetic alone. Each
// box holds nine vectors with a layer of ghosts. Cells are computed in one order, so that
// u is the same to the bit however many ranks there are, whatever the variant.
package multigrid
