// Package pingpong sends a message from one rank to another and back, and times it: the basic
// measurement of a network. The message is two-sided, a put with signal, or a put into an MPI
// window. All other ranks are idle.
package pingpong
