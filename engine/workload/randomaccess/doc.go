// Package randomaccess is the random-access benchmark of paper 1 (section 4.1):
// every rank reads random elements of a shared array, and computes on each.
//
// The array is distributed cyclically over a UPC group. With groups of G ranks each group has its
// own replica, and 1/G of a rank's accesses are local. One array over all ranks (the flat model) is
// the baseline. A larger memory buys more local accesses.
//
// The main loop is in run: a timed access, then the computing, then the check of the sum.
package randomaccess
