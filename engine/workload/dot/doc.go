// Package dot computes the dot product that paper 1 writes in each execution model (section 3,
// figures 2 to 4). As in the figures, it renumbers MPI's ranks, takes the group's block and in it
// the rank's own elements, and reduces.
package dot
