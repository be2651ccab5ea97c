// Package headtohead is the first thing that a teacher of MPI shows: two ranks
// that send to each other before they receive. Up to the eager limit both sends
// return at once and all is well; above it each send waits for a receive that its
// partner never reaches, and the program is deadlocked. A program that relies on
// the eager limit is wrong (MPI calls it unsafe): use Sendrecv, or post a receive
// first.
package headtohead
