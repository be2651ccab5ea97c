// Package pingpong sends a message from one rank to another and back, two-sided or
// by signaling puts, and times it: the first number that anyone asks of a network.
// All other ranks look on.
package pingpong
