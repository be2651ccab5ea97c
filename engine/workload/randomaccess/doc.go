// Package randomaccess is the random-access benchmark of paper 1 (section 4.1):
// every rank reads random elements of a shared array, and computes on each.
//
// The array is distributed cyclically over a UPC group, so that with groups of G
// ranks each group has a replica of its own and 1/G of a rank's accesses are
// local; one array over all ranks (the flat model) is the baseline. Memory is
// traded for locality. The main loop stands in Run: an access, timed; then the
// computing; then the check of the sum.
package randomaccess
