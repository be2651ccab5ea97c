// Package regret is the pane of an MPI library's own choices of algorithms. A map has the slowdown of each choice relative
// to the fastest algorithm, by message size and number of ranks:
//
//	ranks      8    64   512   4Ki
//	2          1     1     1     1
//	4          1   1.2   1.2     1
//
// Below it are the largest slowdowns. The simulations run in the background. Until they end, the pane shows their progress.
package regret
