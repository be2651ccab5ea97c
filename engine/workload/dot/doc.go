// Package dot is the dot product that paper 1 writes in each execution model
// (section 3, figures 2 to 4). Run follows the figures: renumber MPI, take the own
// group's block and in it the own elements, and reduce.
package dot
