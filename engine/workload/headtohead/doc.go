// Package headtohead shows the first deadlock of an MPI course: two ranks that send to each other
// before they receive.
//
// Up to the eager limit both sends return at once, and the program works. Above the limit each send
// waits for a receive that its partner never reaches: the program is deadlocked. A program that
// relies on the eager limit is wrong (MPI calls it unsafe): use Sendrecv, or post a receive first.
package headtohead
