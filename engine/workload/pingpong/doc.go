// Package pingpong sends a message from one rank to another and back, and times it: the
// first number that anyone asks of a network. The message is two-sided, a put with signal,
// or a put into an MPI window. All other ranks look on.
package pingpong
